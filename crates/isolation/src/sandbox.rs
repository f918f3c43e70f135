//! The outer wall: namespaces made by bubblewrap, with nothing in them but a read-only system, the
//! workspace, and private temporary folders.
//!
//! Nothing here decides at run time to do with less: an option that bubblewrap or the kernel does
//! not take makes the whole place fail.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use openspace_protocol::confinement::Confinement;
use rustix::fs::{Mode, OFlags};

use crate::bubblewrap::{OUTPUT, Options, Prepared, RUNNER, SHARED_MEMORY, TEMPORARY};
use crate::{IsolationError, Spec};

mod environment;
pub(crate) mod program;

pub(crate) const WORKSPACE: &str = "/workspace";
const HOME: &str = "/home/agent";

/// The one user and group inside. It stands for whoever runs the sandbox.
const USER: &str = "1000";
const HOST_NAME: &str = "openspace";

/// Parts of the system that are folders on some machines and links into `/usr` on others.
const SYSTEM: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// What programs need of `/etc`. Nothing in it is secret: not `/etc/ssl/private`, for example.
const SETTINGS: [&str; 12] = [
    "/etc/alternatives",
    "/etc/ca-certificates/extracted",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
];

const NETWORK_SETTINGS: [&str; 2] = ["/etc/hosts", "/etc/resolv.conf"];

/// The folder, opened, so that nobody can put another in its place.
pub(crate) fn open_folder(path: &Path) -> Result<OwnedFd, IsolationError> {
    let unusable = |reason: String| IsolationError::Root { path: path.to_path_buf(), reason };
    if !path.is_absolute() {
        return Err(unusable("it is not absolute".to_owned()));
    }
    if path.parent().is_none() {
        return Err(unusable("it is the whole machine".to_owned()));
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|error| unusable(error.to_string()))
}

/// Without a folder the workspace is an empty one that is forgotten, which is enough for a probe.
pub(crate) fn prepare(
    spec: &Spec,
    folder: Option<OwnedFd>,
    runner: OwnedFd,
) -> Result<Prepared, IsolationError> {
    let mut options = Options::default();
    options.namespaces(spec.network);
    options.add(&["--uid", USER, "--gid", USER, "--hostname", HOST_NAME]);
    system(&mut options, spec.network)?;
    let size = spec.limits.temporary_size().to_string();
    for (path, mode) in
        [(TEMPORARY, "1777"), (HOME, "0755"), (OUTPUT, "0755"), (SHARED_MEMORY, "1777")]
    {
        options.add(&["--size", &size, "--perms", mode, "--tmpfs", path]);
    }
    options.add(&["--symlink", TEMPORARY, "/var/tmp"]);
    for path in &spec.readable {
        options.file("--ro-bind-fd", open_readable(path)?, path);
    }
    match folder {
        Some(folder) => options.file("--bind-fd", folder, Path::new(WORKSPACE)),
        None => options.add(&["--size", "4096", "--tmpfs", WORKSPACE]),
    }
    if spec.secrets.is_some() {
        options.masks()?;
    }
    options.file("--ro-bind-fd", runner, Path::new(RUNNER));
    options.add(&["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORKSPACE]);
    for (name, value) in environment::inside(spec)? {
        options.words.extend(["--setenv".into(), name, value]);
    }
    options.finish(&confinement(spec), &spec.arguments)
}

fn system(options: &mut Options, network: bool) -> Result<(), IsolationError> {
    for folder in ["/etc", "/home", "/run", "/run/openspace", "/var"] {
        options.add(&["--perms", "0755", "--dir", folder]);
    }
    options.add(&["--ro-bind", "/usr", "/usr"]);
    options.processes_and_devices();
    for path in SYSTEM {
        match std::fs::read_link(path) {
            Ok(target) => {
                options.words.extend(["--symlink".into(), target.into(), path.into()]);
            }
            Err(_) if Path::new(path).is_dir() => options.add(&["--ro-bind", path, path]),
            Err(_) => {}
        }
    }
    let network_settings: &[&str] = if network { &NETWORK_SETTINGS } else { &[] };
    for path in SETTINGS.iter().chain(network_settings).filter(|path| Path::new(path).exists()) {
        options.add(&["--ro-bind", path, path]);
    }
    let nobody = "nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n";
    let users = format!("agent:x:{USER}:{USER}:agent:{HOME}:/bin/sh\n{nobody}");
    options.text("/etc/passwd", &users)?;
    options.text("/etc/group", &format!("agent:x:{USER}:\nnogroup:x:65534:\n"))?;
    options.text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")?;
    if !network {
        let hosts = format!("127.0.0.1 localhost {HOST_NAME}\n::1 localhost\n");
        options.text("/etc/hosts", &hosts)?;
    }
    Ok(())
}

fn open_readable(path: &Path) -> Result<OwnedFd, IsolationError> {
    let unusable = |reason: String| IsolationError::Readable { path: path.to_path_buf(), reason };
    let private = [WORKSPACE, HOME, TEMPORARY, "/run/openspace", "/proc", "/dev"];
    if !path.is_absolute() || path.components().any(|part| part.as_os_str() == "..") {
        return Err(unusable("it is not a plain absolute path".to_owned()));
    }
    if path.parent().is_none() {
        return Err(unusable("it is the whole machine".to_owned()));
    }
    if private.iter().any(|folder| path.starts_with(folder)) {
        return Err(unusable("the sandbox has its own there".to_owned()));
    }
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|error| unusable(error.to_string()))
}

/// What the runner is told to confine itself to: the same again, by other means.
fn confinement(spec: &Spec) -> Confinement {
    let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
    let mut readable = paths(&["/usr", "/etc", "/proc", "/run/openspace", "/var"]);
    readable.extend(SYSTEM.into_iter().map(PathBuf::from).filter(|path| path.is_dir()));
    readable.extend(spec.readable.iter().cloned());
    Confinement {
        writable: paths(&[WORKSPACE, TEMPORARY, HOME, OUTPUT, SHARED_MEMORY]),
        readable,
        devices: paths(&["/dev"]),
        network: spec.network,
        required: spec.require_landlock,
        ..Confinement::default()
    }
}

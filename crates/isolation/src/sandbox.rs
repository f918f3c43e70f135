//! The outer wall: namespaces made by bubblewrap, with nothing in them but a read-only system, the
//! workspace, and private temporary folders.
//!
//! Nothing here decides at run time to do with less: an option that bubblewrap or the kernel does
//! not take makes the whole place fail.

use std::ffi::{OsStr, OsString};
use std::io::{Seek as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use openspace_protocol::confinement::Confinement;
use rustix::fs::{MemfdFlags, Mode, OFlags};

use crate::{IsolationError, Spec};

mod environment;
pub(crate) mod program;

pub(crate) const WORKSPACE: &str = "/workspace";
pub(crate) const OUTPUT: &str = "/run/openspace/output";
const RUNNER: &str = "/run/openspace/runner";
const HOME: &str = "/home/agent";
const TEMPORARY: &str = "/tmp";
const SHARED_MEMORY: &str = "/dev/shm";

/// The one user and group inside. It stands for whoever runs the sandbox.
const USER: &str = "1000";
const HOST_NAME: &str = "openspace";

/// Size of a private temporary folder if none is asked for.
pub(crate) const TEMPORARY_BYTES: u64 = 1 << 30;

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

/// A process of the machine's root user may change the settings of the kernel here even without a
/// single capability, because the kernel compares only the number of the user.
const READ_ONLY_PROC: [&str; 8] = [
    "/proc/acpi",
    "/proc/asound",
    "/proc/bus",
    "/proc/fs",
    "/proc/irq",
    "/proc/scsi",
    "/proc/sys",
    "/proc/sysrq-trigger",
];

/// Tells about the machine as a whole, or lets it be changed.
const HIDDEN_PROC: [&str; 12] = [
    "/proc/kcore",
    "/proc/keys",
    "/proc/kpagecgroup",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/latency_stats",
    "/proc/mtrr",
    "/proc/pagetypeinfo",
    "/proc/sched_debug",
    "/proc/slabinfo",
    "/proc/timer_list",
    "/proc/vmallocinfo",
];

/// Arguments of bubblewrap, and the files that they name by number.
pub(crate) struct Prepared {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) files: Vec<OwnedFd>,
}

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
    namespaces(&mut options, spec.network);
    system(&mut options, spec.network)?;
    let size = spec.limits.temporary_bytes.unwrap_or(TEMPORARY_BYTES).to_string();
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
    options.file("--ro-bind-fd", runner, Path::new(RUNNER));
    options.add(&["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORKSPACE]);
    for (name, value) in environment::inside(spec)? {
        options.words.extend(["--setenv".into(), name, value]);
    }
    options.finish(spec)
}

fn namespaces(options: &mut Options, network: bool) {
    options.add(&["--unshare-user", "--uid", USER, "--gid", USER, "--disable-userns"]);
    options.add(&["--unshare-ipc", "--unshare-pid", "--unshare-cgroup"]);
    options.add(&["--unshare-uts", "--hostname", HOST_NAME]);
    if !network {
        options.add(&["--unshare-net"]);
    }
    options.add(&["--cap-drop", "ALL", "--new-session", "--die-with-parent"]);
}

fn system(options: &mut Options, network: bool) -> Result<(), IsolationError> {
    for folder in ["/etc", "/home", "/run", "/run/openspace", "/var"] {
        options.add(&["--perms", "0755", "--dir", folder]);
    }
    options.add(&["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]);
    for path in READ_ONLY_PROC.into_iter().filter(|path| Path::new(path).exists()) {
        options.add(&["--ro-bind", path, path]);
    }
    for path in HIDDEN_PROC.into_iter().filter(|path| Path::new(path).exists()) {
        options.add(&["--ro-bind", "/dev/null", path]);
    }
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
pub(crate) fn confinement(spec: &Spec) -> Confinement {
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
    }
}

#[derive(Default)]
struct Options {
    words: Vec<OsString>,
    files: Vec<OwnedFd>,
}

impl Options {
    fn add(&mut self, words: &[&str]) {
        self.words.extend(words.iter().map(OsString::from));
    }

    fn file(&mut self, option: &str, file: OwnedFd, path: &Path) {
        self.words.extend([option.into(), file.as_raw_fd().to_string().into(), path.into()]);
        self.files.push(file);
    }

    /// A file of the sandbox's own with this text.
    fn text(&mut self, path: &str, text: &str) -> Result<(), IsolationError> {
        self.add(&["--perms", "0644"]);
        self.file("--file", in_memory(text.as_bytes())?, Path::new(path));
        Ok(())
    }

    /// The options go through a file: what stands on the command line of bubblewrap can be read
    /// inside, and so would paths of this machine.
    fn finish(mut self, spec: &Spec) -> Result<Prepared, IsolationError> {
        let mut bytes = Vec::new();
        for word in &self.words {
            bytes.extend_from_slice(word.as_bytes());
            bytes.push(0);
        }
        let options = in_memory(&bytes)?;
        let confinement =
            serde_json::to_string(&confinement(spec)).map_err(|error| IsolationError::System {
                doing: "write the confinement".to_owned(),
                source: error.into(),
            })?;
        let mut arguments: Vec<OsString> =
            vec!["--args".into(), options.as_raw_fd().to_string().into(), "--".into()];
        let flag = OsStr::new(openspace_protocol::confinement::FLAG);
        arguments.extend([RUNNER.into(), flag.to_owned(), confinement.into()]);
        arguments.extend(spec.arguments.iter().cloned());
        self.files.push(options);
        Ok(Prepared { arguments, files: self.files })
    }
}

fn in_memory(bytes: &[u8]) -> Result<OwnedFd, IsolationError> {
    let failed = "keep a file in memory";
    let file = rustix::fs::memfd_create("openspace", MemfdFlags::CLOEXEC);
    let file = file.map_err(|error| IsolationError::system(failed)(error.into()))?;
    let mut file = std::fs::File::from(file);
    file.write_all(bytes).and_then(|()| file.rewind()).map_err(IsolationError::system(failed))?;
    Ok(file.into())
}

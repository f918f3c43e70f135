//! What is said to bubblewrap: the options that all walled places share, and how they are handed over.

use std::ffi::{OsStr, OsString};
use std::io::{Seek as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use openspace_protocol::confinement::{self, Confinement};
use openspace_protocol::keeping::{MASK_FILE, MASK_FOLDER};
use rustix::fs::MemfdFlags;
use rustix::pipe::PipeFlags;

use crate::IsolationError;

/// Everything of ours in a place lies here.
pub(crate) const OWN: &str = "/run/openspace";
pub(crate) const OUTPUT: &str = "/run/openspace/output";
pub(crate) const RUNNER: &str = "/run/openspace/runner";
/// What is shown instead of secrets.
pub(crate) const MASKS: &str = "/run/openspace/masks";
pub(crate) const TEMPORARY: &str = "/tmp";
pub(crate) const SHARED_MEMORY: &str = "/dev/shm";

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
    /// Bubblewrap says here who is inside, before it is.
    pub(crate) told: OwnedFd,
}

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) words: Vec<OsString>,
    files: Vec<OwnedFd>,
}

impl Options {
    pub(crate) fn add(&mut self, words: &[&str]) {
        self.words.extend(words.iter().map(OsString::from));
    }

    /// An option about one path.
    pub(crate) fn path(&mut self, words: &[&str], path: &Path) {
        self.add(words);
        self.words.push(path.into());
    }

    pub(crate) fn file(&mut self, option: &str, file: OwnedFd, path: &Path) {
        self.words.extend([option.into(), file.as_raw_fd().to_string().into(), path.into()]);
        self.files.push(file);
    }

    /// A file of the place's own with this text.
    pub(crate) fn text(
        &mut self,
        path: impl AsRef<Path>,
        text: &str,
    ) -> Result<(), IsolationError> {
        self.add(&["--perms", "0644"]);
        self.file("--file", in_memory(text.as_bytes())?, path.as_ref());
        Ok(())
    }

    /// The same on top of a file that is shown already.
    pub(crate) fn text_over(&mut self, path: &Path, text: &str) -> Result<(), IsolationError> {
        self.add(&["--perms", "0644"]);
        self.file("--ro-bind-data", in_memory(text.as_bytes())?, path);
        Ok(())
    }

    /// Namespaces of its own for all there are, with no capability in them.
    pub(crate) fn namespaces(&mut self, network: bool) {
        self.add(&["--unshare-user", "--disable-userns"]);
        self.add(&["--unshare-ipc", "--unshare-pid", "--unshare-cgroup", "--unshare-uts"]);
        if !network {
            self.add(&["--unshare-net"]);
        }
        self.add(&["--cap-drop", "ALL", "--new-session", "--die-with-parent"]);
    }

    /// The place's own processes, and a handful of harmless devices.
    pub(crate) fn processes_and_devices(&mut self) {
        self.add(&["--proc", "/proc", "--dev", "/dev"]);
        for path in READ_ONLY_PROC.into_iter().filter(|path| Path::new(path).exists()) {
            self.add(&["--ro-bind", path, path]);
        }
        for path in HIDDEN_PROC.into_iter().filter(|path| Path::new(path).exists()) {
            self.add(&["--ro-bind", "/dev/null", path]);
        }
    }

    /// An empty file and an empty folder that nobody may read.
    pub(crate) fn masks(&mut self) -> Result<(), IsolationError> {
        self.add(&["--perms", "0755", "--dir", MASKS, "--perms", "0000"]);
        self.file("--file", in_memory(b"")?, &Path::new(MASKS).join(MASK_FILE));
        self.path(&["--perms", "0000", "--dir"], &Path::new(MASKS).join(MASK_FOLDER));
        Ok(())
    }

    /// The options go through a file: what stands on the command line of bubblewrap can be read
    /// inside, and so would paths of this machine.
    pub(crate) fn finish(
        mut self,
        confinement: &Confinement,
        runner_arguments: &[OsString],
    ) -> Result<Prepared, IsolationError> {
        let pipe = rustix::pipe::pipe_with(PipeFlags::CLOEXEC);
        let (told, teller) =
            pipe.map_err(|error| IsolationError::system("make a pipe")(error.into()))?;
        self.add(&["--info-fd", &teller.as_raw_fd().to_string()]);
        self.files.push(teller);
        let mut bytes = Vec::new();
        for word in &self.words {
            bytes.extend_from_slice(word.as_bytes());
            bytes.push(0);
        }
        let options = in_memory(&bytes)?;
        let confinement =
            serde_json::to_string(confinement).map_err(|error| IsolationError::System {
                doing: "write the confinement".to_owned(),
                source: error.into(),
            })?;
        let mut arguments: Vec<OsString> =
            vec!["--args".into(), options.as_raw_fd().to_string().into(), "--".into()];
        let flag = OsStr::new(confinement::FLAG);
        arguments.extend([RUNNER.into(), flag.to_owned(), confinement.into()]);
        arguments.extend(runner_arguments.iter().cloned());
        self.files.push(options);
        Ok(Prepared { arguments, files: self.files, told })
    }
}

pub(crate) fn in_memory(bytes: &[u8]) -> Result<OwnedFd, IsolationError> {
    let failed = "keep a file in memory";
    let file = rustix::fs::memfd_create("openspace", MemfdFlags::CLOEXEC);
    let file = file.map_err(|error| IsolationError::system(failed)(error.into()))?;
    let mut file = std::fs::File::from(file);
    file.write_all(bytes).and_then(|()| file.rewind()).map_err(IsolationError::system(failed))?;
    Ok(file.into())
}

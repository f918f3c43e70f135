//! Paths as callers type them, and links that are swapped during a call.

use std::{
    fs,
    os::unix::fs::symlink,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use rustix::io::Errno;
use tempfile::TempDir;

use super::*;

/// A workspace in a folder, with another folder beside it that nobody may reach.
pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    pub(crate) files: Files,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        let files =
            Files::open(&folder.path().join("root"), Rules::new(&[], &[]).unwrap()).unwrap();
        Self { folder, files }
    }

    pub(crate) fn path(&self, text: &str) -> PathBuf {
        self.files.root().join(text)
    }

    pub(crate) fn outside(&self, text: &str) -> PathBuf {
        self.folder.path().join("outside").join(text)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a test prepares what the code under test must meet"
    )]
    pub(crate) fn put(&self, text: &str, content: impl AsRef<[u8]>) {
        let path = self.path(text);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a test prepares what the code under test must meet"
    )]
    pub(crate) fn put_outside(&self, text: &str, content: &str) {
        fs::write(self.outside(text), content).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a test looks at what the code under test did")]
    pub(crate) fn content(&self, text: &str) -> String {
        fs::read_to_string(self.path(text)).unwrap()
    }

    pub(crate) fn link(&self, target: &str, text: &str) {
        symlink(target, self.path(text)).unwrap();
    }

    pub(crate) fn read_whole(&self, text: &str) -> Result<String, String> {
        let read = self.files.read(&rel(text), LineRange::default());
        read.map(|read| read.content).map_err(|error| error.to_string())
    }

    pub(crate) fn write(&self, text: &str, content: &str) -> Result<bool, String> {
        let written = self.files.write(&rel(text), content.as_bytes());
        written.map(|written| written.created).map_err(|error| error.to_string())
    }

    /// All names in the workspace and outside it, so that a test can say "nothing was left behind".
    pub(crate) fn everything(&self) -> Vec<String> {
        fn gather(folder: &Path, top: &Path, into: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                into.push(path.strip_prefix(top).unwrap().to_string_lossy().into_owned());
                if fs::symlink_metadata(&path).unwrap().is_dir() {
                    gather(&path, top, into);
                }
            }
        }
        let mut all = Vec::new();
        gather(self.folder.path(), self.folder.path(), &mut all);
        all.sort();
        all
    }
}

pub(crate) fn rel(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

#[test]
fn a_root_that_is_no_folder_is_refused() {
    let stage = Stage::new();
    stage.put("file", "");
    for root in ["file", "missing"] {
        let error = Files::open(&stage.path(root), Rules::new(&[], &[]).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "the workspace folder cannot be opened");
    }
}

#[test]
fn stat_tells_what_a_path_leads_to() {
    let stage = Stage::new();
    stage.put("file", "12345");
    stage.link("file", "link");
    stage.link("../outside", "out");
    stage.link("nowhere", "dangling");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        stage.path("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let kind = |text: &str| {
        stage.files.stat(&rel(text)).map(|stat| stat.kind).map_err(|error| error.to_string())
    };
    assert_eq!(kind("file"), Ok(Kind::File));
    assert_eq!(kind("link"), Ok(Kind::File));
    assert_eq!(kind(""), Ok(Kind::Folder));
    assert_eq!(kind("pipe"), Ok(Kind::Other));
    assert_eq!(kind("dangling"), Err("`dangling` does not exist".to_owned()));
    assert_eq!(
        kind("out"),
        Err("`out` is or runs through a symbolic link that leads out of the workspace".to_owned())
    );
    assert_eq!(kind("file/x/y"), Err("`file` is not a folder".to_owned()));
    let written = fs::metadata(stage.path("file")).unwrap().modified().unwrap();
    assert_eq!(
        stage.files.stat(&rel("link")).unwrap(),
        Stat { kind: Kind::File, size: 5, modified: milliseconds(written) }
    );
}

#[test]
fn errors_of_the_system_are_told_apart() {
    let name = |errno: Errno| {
        let error = FileError::from_io(&rel("a/b"), errno.into());
        assert!(!error.to_string().contains("os error"), "{error}");
        format!("{error:?}").split([' ', '{']).next().unwrap().to_owned()
    };
    let names = [
        (Errno::NOENT, "NotFound"),
        (Errno::ACCESS, "PermissionDenied"),
        (Errno::PERM, "PermissionDenied"),
        (Errno::ROFS, "ReadOnly"),
        (Errno::NOSPC, "NoSpace"),
        (Errno::DQUOT, "NoSpace"),
        (Errno::LOOP, "LinkLoop"),
        (Errno::NAMETOOLONG, "BadName"),
        (Errno::ISDIR, "IsAFolder"),
        (Errno::NXIO, "NotAFile"),
        (Errno::BUSY, "Busy"),
        (Errno::IO, "Io"),
    ];
    for (errno, expected) in names {
        assert_eq!(name(errno), expected);
    }
}

#[test]
fn times_before_1970_are_negative() {
    use std::time::Duration;
    assert_eq!(milliseconds(UNIX_EPOCH + Duration::from_millis(5)), 5);
    assert_eq!(milliseconds(UNIX_EPOCH - Duration::from_millis(5)), -5);
}

/// Swap `root/door` between a folder inside and a link that leads out, as fast as possible, while
/// `work` runs. Both states are put in place by one rename, so the path never stops existing.
fn while_the_door_swings(stage: &Stage, work: impl FnOnce()) {
    fs::create_dir(stage.path("inside")).unwrap();
    stage.link("inside", "door");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (out, inside) = (stage.outside(""), Path::new("inside").to_owned());
            while !done.load(Ordering::Relaxed) {
                for target in [&out, &inside] {
                    symlink(target, stage.path("door.next")).unwrap();
                    swap(&stage.path("door.next"), &stage.path("door"));
                }
            }
        });
        work();
        done.store(true, Ordering::Relaxed);
    });
}

#[expect(clippy::disallowed_methods, reason = "the attacker of this test renames as it likes")]
fn swap(from: &Path, to: &Path) {
    fs::rename(from, to).unwrap();
}

#[test]
fn a_swinging_link_never_shows_or_changes_the_outside() {
    let stage = Stage::new();
    stage.put_outside("secret.txt", "outside");
    let mut reads = 0;
    let mut refused = 0;
    while_the_door_swings(&stage, || {
        stage.put("inside/secret.txt", "inside");
        for round in 0..3000 {
            match stage.files.read(&rel("door/secret.txt"), LineRange::default()) {
                Ok(read) => {
                    assert_eq!(read.content, "inside");
                    reads += 1;
                }
                Err(FileError::LeadsOut { .. }) => refused += 1,
                Err(error) => panic!("{error:?}"),
            }
            if round % 20 == 0 {
                let new = format!("door/new-{round}/file");
                for path in ["door/secret.txt", &new] {
                    match stage.files.write(&rel(path), b"inside") {
                        Ok(_) | Err(FileError::LeadsOut { .. } | FileError::Busy { .. }) => {}
                        Err(error) => panic!("{error:?}"),
                    }
                }
                if let Ok(listing) = stage.files.list(&rel("door"), true, 1000, &|| false) {
                    assert!(listing.entries.iter().all(|entry| entry.size != 7), "{listing:?}");
                }
            }
        }
    });
    assert!(reads > 0 && refused > 0, "the race was not run: {reads} reads, {refused} refusals");
    let names: Vec<_> =
        fs::read_dir(stage.outside("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["secret.txt"]);
    stage.link("../outside/secret.txt", "look");
    assert_eq!(stage.content("look"), "outside");
}

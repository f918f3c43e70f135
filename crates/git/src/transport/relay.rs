//! The relay: a bare repository for one exchange, with no configuration but ours.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::helper::HELPER;
use crate::child::{Call, Session};
use crate::error::GitError;

/// The largest list of commits at which history was cut off.
const LARGEST_SHALLOW: u64 = 16 * 1024 * 1024;

/// How objects are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Sha1,
    Sha256,
}

/// Removed with all it holds when dropped.
pub(super) struct Relay {
    path: PathBuf,
    objects: PathBuf,
}

impl Drop for Relay {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, "the repository of an exchange was not removed");
        }
    }
}

impl Relay {
    /// For the objects of the repository that the session has found.
    pub(super) async fn of(session: &Session<'_>) -> Result<Self, GitError> {
        let ask = Call::new(["rev-parse", "--show-object-format"]).reading();
        let format = match session.must(ask).await?.line().as_str() {
            "sha256" => Format::Sha256,
            _ => Format::Sha1,
        };
        Self::create(session, format, Some(session.common_dir.join("objects")))
    }

    /// Without `objects` it has its own, which are none.
    pub(super) fn create(
        session: &Session<'_>,
        format: Format,
        objects: Option<PathBuf>,
    ) -> Result<Self, GitError> {
        let path = session.git.settings.scratch.join(format!("{}.relay", session.git.marker()));
        let objects = objects.unwrap_or_else(|| path.join("objects"));
        let relay = Self { path, objects };
        relay.fill(session, format).map_err(|error| {
            GitError::io(session.action, "the repository for the exchange cannot be made", &error)
        })?;
        Ok(relay)
    }

    fn fill(&self, session: &Session<'_>, format: Format) -> std::io::Result<()> {
        let mut folder = std::fs::DirBuilder::new();
        folder.mode(0o700);
        for name in ["", "refs", "objects"] {
            folder.create(self.path.join(name))?;
        }
        self.put("HEAD", b"ref: refs/heads/main\n")?;
        self.put("config", configuration(format).as_bytes())?;
        if let Some(list) = shallow(&session.common_dir)? {
            self.put("shallow", list.as_bytes())?;
        }
        Ok(())
    }

    /// Git in the relay.
    pub(super) fn call<const COUNT: usize>(&self, words: [&str; COUNT]) -> Call {
        let mut call = Call::new(["--no-pager", "--git-dir"])
            .arg(&self.path)
            .args(words)
            .env("GIT_OBJECT_DIRECTORY", &self.objects);
        call.private = true;
        call
    }

    pub(super) fn put(&self, name: &str, content: &[u8]) -> std::io::Result<()> {
        put(&self.path.join(name), content)
    }

    /// Something for a program to read.
    pub(super) fn input(&self, content: &[u8]) -> std::io::Result<Stdio> {
        self.put("input", content)?;
        Ok(Stdio::from(open(&self.path.join("input"))?))
    }

    pub(super) fn shallow(&self) -> std::io::Result<Option<String>> {
        shallow(&self.path)
    }
}

fn configuration(format: Format) -> String {
    let helper = HELPER.replace('\\', "\\\\").replace('"', "\\\"");
    let (version, extension) = match format {
        Format::Sha1 => (0, ""),
        Format::Sha256 => (1, "[extensions]\n\tobjectFormat = sha256\n"),
    };
    // Git would ask the repositories that the real one borrows from, with their configuration.
    let no_borrowed_refs = "alternateRefsCommand = true";
    format!(
        "[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n\thooksPath = /dev/null\n\
         \t{no_borrowed_refs}\n{extension}\
         [credential]\n\thelper =\n\thelper = \"{helper}\"\n\tuseHttpPath = true\n\
         [http]\n\tfollowRedirects = initial\n\
         [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n\
         [submodule]\n\trecurse = false\n[fetch]\n\trecurseSubmodules = false\n"
    )
}

/// The commits at which history was cut off. Only oids are taken: git would print anything else.
fn shallow(folder: &Path) -> std::io::Result<Option<String>> {
    let file = match open(&folder.join("shallow")) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST_SHALLOW).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let is_oid = |line: &&str| {
        [40, 64].contains(&line.len()) && line.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let list: String = text.lines().filter(is_oid).flat_map(|line| [line, "\n"]).collect();
    Ok((!list.is_empty()).then_some(list))
}

#[expect(clippy::disallowed_methods, reason = "git's own data is no file of the workspace")]
fn open(path: &Path) -> std::io::Result<std::fs::File> {
    std::fs::File::open(path)
}

pub(super) fn put(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(content)
}

//! Names that come from git, and names that callers give to git.
//!
//! Git gives bytes relative to its own root; callers see text relative to the workspace. What a
//! caller gives never reaches git as an option.

use openspace_protocol::RelPath;

use super::error::GitError;
use super::reply::Name;
use openspace_files::Files;

/// The most files that one request may name, and the most bytes they may take.
const MOST_FILES: usize = 1000;
const MOST_BYTES: usize = 512 * 1024;
const LONGEST_NAME: usize = 512;

/// Where the workspace is in the repository: empty, or a folder that ends with a slash.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefix(pub(super) Vec<u8>);

impl Prefix {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name as the workspace sees it; none for what lies outside.
    pub(super) fn inside(&self, path: &[u8]) -> Option<Name> {
        path.strip_prefix(self.0.as_slice()).map(name)
    }

    /// For where a file came from: what lies outside is named from the repository's root.
    pub(super) fn anywhere(&self, path: &[u8]) -> String {
        match self.inside(path) {
            Some(name) => name.path,
            None => format!("/{}", String::from_utf8_lossy(path)),
        }
    }
}

pub(super) fn name(bytes: &[u8]) -> Name {
    let text = String::from_utf8_lossy(bytes);
    Name { lossy: matches!(text, std::borrow::Cow::Owned(_)), path: text.into_owned() }
}

/// Whether the content may not be shown: of a secret, or of a file that is one by another name. What cannot be
/// judged may not.
pub(super) fn is_hidden(files: &Files, path: &str) -> bool {
    let path = path.trim_start_matches('/');
    RelPath::parse(path)
        .map_or(true, |path| files.rules().may_read(&path).is_err() || files.is_twin(&path))
}

/// Refuse what [`is_hidden`] hides, by the rule that does.
pub(super) fn may_show(files: &Files, path: &RelPath) -> Result<(), GitError> {
    let secret = |rule: &str| GitError::Secret { path: path.to_string(), rule: rule.to_owned() };
    files.rules().may_read(path).map_err(secret)?;
    if files.is_twin(path) {
        return Err(GitError::SecretTwin { path: path.to_string() });
    }
    Ok(())
}

/// What keeps git from reading a name as a pattern. A switch for all of git would also reach the
/// hooks, which have patterns of their own.
const LITERAL: &str = ":(literal)";

/// The name in a path that git repeats in a message.
pub(super) fn without_magic(path: &str) -> &str {
    path.strip_prefix(LITERAL).unwrap_or(path)
}

/// The files as git takes them, behind a `--`.
pub(super) fn paths(files: &[RelPath]) -> Result<Vec<String>, GitError> {
    if files.len() > MOST_FILES
        || files.iter().map(|file| file.as_str().len()).sum::<usize>() > MOST_BYTES
    {
        return Err(GitError::invalid(format!(
            "too many files: at most {MOST_FILES} can be named at once; name their folder"
        )));
    }
    Ok(files
        .iter()
        .map(|file| if file.is_root() { ".".to_owned() } else { format!("{LITERAL}{file}") })
        .collect())
}

/// A revision that git cannot take for an option.
pub(super) fn revision(text: &str) -> Result<&str, GitError> {
    let bad = text.is_empty()
        || text.len() > LONGEST_NAME
        || text.starts_with(['-', '^'])
        || text.chars().any(char::is_control);
    if bad { Err(GitError::NoSuchRevision { revision: text.to_owned() }) } else { Ok(text) }
}

/// The name of a branch, a tag or a remote, by git's own rules.
pub(super) fn ref_name(text: &str) -> Result<&str, GitError> {
    let words_are_good = text.split('/').all(|word| {
        !word.is_empty()
            && !word.starts_with('.')
            && !word.ends_with('.')
            && !word.to_ascii_lowercase().ends_with(".lock")
    });
    let letters_are_good = !text
        .chars()
        .any(|letter| letter.is_control() || letter == ' ' || "~^:?*[\\".contains(letter));
    let good = words_are_good
        && letters_are_good
        && text.len() <= LONGEST_NAME
        && !text.starts_with('-')
        && !text.contains("..")
        && !text.contains("@{")
        && !["@", "HEAD"].contains(&text);
    if text.starts_with("refs/") {
        return Err(GitError::invalid(format!(
            "`{text}` is a whole path in git: give the short name"
        )));
    }
    if good {
        Ok(text)
    } else {
        Err(GitError::invalid(format!("`{text}` cannot be a name in git")))
    }
}

/// A message that fits into one argument.
pub(super) fn message(text: &str) -> Result<&str, GitError> {
    if text.trim().is_empty() {
        return Err(GitError::invalid("the message is empty"));
    }
    if text.contains('\0') || text.len() > 64 * 1024 {
        return Err(GitError::invalid("the message has a zero byte or more than 65536 bytes"));
    }
    Ok(text)
}

/// Whether `path` is `given` or lies beneath it.
pub(super) fn is_beneath(path: &[u8], given: &RelPath) -> bool {
    let given = given.as_str().as_bytes();
    given.is_empty()
        || path.strip_prefix(given).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// Cuts a stream into records that end with `end`, whatever pieces it comes in.
pub(super) struct Records {
    held: Vec<u8>,
    end: u8,
}

/// No path, subject or line of facts is longer; what is would only waste memory.
const LONGEST_RECORD: usize = 1024 * 1024;

impl Records {
    pub(super) fn new(end: u8) -> Self {
        Self { held: Vec::new(), end }
    }

    pub(super) fn push(&mut self, piece: &[u8], mut each: impl FnMut(&[u8])) {
        let mut rest = piece;
        while let Some(at) = rest.iter().position(|&byte| byte == self.end) {
            if self.held.is_empty() {
                each(&rest[..at]);
            } else {
                self.hold(&rest[..at]);
                each(&self.held);
                self.held.clear();
            }
            rest = &rest[at + 1..];
        }
        self.hold(rest);
    }

    /// What came after the last end.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = LONGEST_RECORD.saturating_sub(self.held.len());
        self.held.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

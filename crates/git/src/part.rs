//! Staging a part of a file, and taking a part of it out of the index again.
//!
//! What is compared is the index with the file as it is now, unsaved text included, or the current
//! commit with the index. Of the differences those on the named lines are taken; the file itself is
//! never touched. Git finds the differences, so that they are those which `diff` shows.

use std::ops::Range;

use openspace_protocol::RelPath;

use super::child::{Call, Session};
use super::content::MAX_CONTENT;
use super::error::GitError;
use super::lines::Lines;
use super::names;
use super::scratch::Scratch;

/// Lines that differ, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
}

/// A file of the index.
struct Entry {
    mode: String,
    blob: String,
}

impl Session<'_> {
    /// Stages the changes on some lines. `content` is the text when it is not what the disk has.
    pub(super) async fn stage_lines(
        &self,
        file: &RelPath,
        lines: &Lines,
        content: Option<&str>,
    ) -> Result<(), GitError> {
        let entry = self.entry(file).await?;
        let now = self.content_now(file, content)?;
        let now = self.store(&now, Some(file)).await?;
        let (old, new) = (self.blob(&entry.blob).await?, self.blob(&now).await?);
        let hunks = self.hunks(file, &entry.blob, &now).await?;
        let mixed = mix(&old, &new, &hunks, |line| lines.has(line));
        self.put(file, &entry, &old, mixed).await
    }

    /// Takes the changes on some lines, as the index counts them, out of the index.
    pub(super) async fn unstage_lines(
        &self,
        file: &RelPath,
        lines: &Lines,
    ) -> Result<(), GitError> {
        let entry = self.entry(file).await?;
        let head = self.head().await?.ok_or(GitError::NoCommitYet)?;
        let committed = self.blob_in(&head, file).await?.ok_or_else(|| {
            GitError::invalid(format!("`{file}` is in no commit yet: unstage all of it"))
        })?;
        let (old, new) = (self.blob(&committed.0).await?, self.blob(&entry.blob).await?);
        let hunks = self.hunks(file, &committed.0, &entry.blob).await?;
        let mixed = mix(&old, &new, &hunks, |line| !lines.has(line));
        self.put(file, &entry, &new, mixed).await
    }

    async fn entry(&self, file: &RelPath) -> Result<Entry, GitError> {
        match self.staged_entry(file).await? {
            Some((mode, blob)) if mode.starts_with("100") => Ok(Entry { mode, blob }),
            Some(_) => Err(GitError::invalid(format!("`{file}` is no plain file"))),
            None if self.conflicts().await?.iter().any(|path| path == file.as_str()) => {
                Err(GitError::Conflicts { files: vec![file.to_string()] })
            }
            None => {
                Err(GitError::invalid(format!("git does not know `{file}` yet: stage all of it")))
            }
        }
    }

    /// The file as a save would leave it.
    fn content_now(&self, file: &RelPath, text: Option<&str>) -> Result<Vec<u8>, GitError> {
        if let Err(rule) = self.files.rules().may_read(file) {
            return Err(GitError::Secret { path: file.to_string(), rule: rule.to_owned() });
        }
        let read = self.files.read_bytes(file, &|| self.cancel.is_cancelled());
        let disk = match (read, text) {
            (Ok(read), _) => read.content,
            // It is typed and was never saved.
            (Err(openspace_files::FileError::NotFound { .. }), Some(_)) => Vec::new(),
            (Err(error), _) => return Err(GitError::invalid(format!("`{file}`: {error}"))),
        };
        match text {
            None => Ok(disk),
            Some(text) => as_on_disk(text, &disk).ok_or_else(|| {
                GitError::invalid(format!("`{file}` is not UTF-8: save it, then stage it"))
            }),
        }
    }

    /// Keeps bytes in the repository, as its filters for a file want them, or as they are.
    async fn store(&self, bytes: &[u8], like: Option<&RelPath>) -> Result<String, GitError> {
        let scratch = Scratch::holding(self, bytes)?;
        let filters = match like {
            Some(file) => format!("--path={file}"),
            None => "--no-filters".to_owned(),
        };
        let mut call = Call::new(["hash-object", "-w", "--stdin"]).arg(filters);
        call.input = scratch.input(self)?;
        Ok(self.must(call).await?.line())
    }

    async fn blob(&self, oid: &str) -> Result<Vec<u8>, GitError> {
        let mut content = Vec::new();
        let mut keep = |piece: &[u8]| {
            if content.len() as u64 <= MAX_CONTENT {
                content.extend_from_slice(piece);
            }
        };
        self.stream(Call::new(["cat-file", "blob", oid]).reading(), &mut keep).await?;
        if content.len() as u64 > MAX_CONTENT {
            return Err(GitError::TooMuchOutput { action: self.action.to_owned() });
        }
        Ok(content)
    }

    async fn hunks(&self, file: &RelPath, old: &str, new: &str) -> Result<Vec<Hunk>, GitError> {
        if old == new {
            return Ok(Vec::new());
        }
        let call = Call::new(["diff", "--no-ext-diff", "--no-textconv", "--no-color"])
            .args(["--unified=0", "--inter-hunk-context=0", old, new])
            .reading();
        let mut hunks = Vec::new();
        let mut lines = names::Records::new(b'\n');
        // Without context every other line starts with a sign.
        let mut take = |line: &[u8]| hunks.extend(line.strip_prefix(b"@@ ").and_then(hunk));
        self.stream(call, &mut |piece| lines.push(piece, &mut take)).await?;
        if hunks.is_empty() {
            return Err(GitError::invalid(format!("`{file}` is no text")));
        }
        Ok(hunks)
    }

    async fn put(
        &self,
        file: &RelPath,
        entry: &Entry,
        before: &[u8],
        content: Vec<u8>,
    ) -> Result<(), GitError> {
        if content == before {
            return Err(GitError::NoChangeThere { path: file.to_string() });
        }
        let oid = self.store(&content, None).await?;
        let prefix = String::from_utf8_lossy(&self.prefix.0).into_owned();
        let info = format!("{},{oid},{prefix}{file}", entry.mode);
        self.must(Call::new(["update-index", "--cacheinfo", &info])).await.map(drop)
    }
}

/// Reads what stands between the `@@`: `-3,2 +3 @@ …`.
fn hunk(header: &[u8]) -> Option<Hunk> {
    let text = std::str::from_utf8(header.split(|&byte| byte == b'@').next()?).ok()?;
    let mut words = text.split_ascii_whitespace();
    let (old, new) = (words.next()?.strip_prefix('-')?, words.next()?.strip_prefix('+')?);
    Some(Hunk { old: side(old)?, new: side(new)? })
}

/// A side without lines names the line before it.
fn side(text: &str) -> Option<Range<usize>> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
    let first = if count == 0 { start } else { start.checked_sub(1)? };
    Some(first..first.checked_add(count)?)
}

/// The old text with those differences of the new one that are on wanted lines of it. Lines that
/// were added, or replaced one by one, are taken singly; others as one. What was removed belongs to
/// the line above it.
fn mix(old: &[u8], new: &[u8], hunks: &[Hunk], wanted: impl Fn(usize) -> bool) -> Vec<u8> {
    let old: Vec<&[u8]> = old.split_inclusive(|&byte| byte == b'\n').collect();
    let new: Vec<&[u8]> = new.split_inclusive(|&byte| byte == b'\n').collect();
    let mut mixed = Vec::new();
    let mut at = 0;
    for hunk in hunks {
        mixed.extend_from_slice(&old[at..hunk.old.start]);
        at = hunk.old.end;
        let (olds, news) = (&old[hunk.old.clone()], &new[hunk.new.clone()]);
        let line = |place: usize| hunk.new.start + place + 1;
        if olds.is_empty() || olds.len() == news.len() {
            for (place, new) in news.iter().enumerate() {
                if wanted(line(place)) {
                    mixed.push(*new);
                } else {
                    mixed.extend(olds.get(place).copied());
                }
            }
        } else {
            let whole = if news.is_empty() {
                wanted(hunk.new.start.max(1))
            } else {
                (0..news.len()).any(|place| wanted(line(place)))
            };
            mixed.extend_from_slice(if whole { news } else { olds });
        }
    }
    mixed.extend_from_slice(&old[at..]);
    mixed.concat()
}

/// A text with line feeds in the form that the file has: its byte order mark and its line ends.
/// None when that form is not UTF-8.
fn as_on_disk(text: &str, disk: &[u8]) -> Option<Vec<u8>> {
    const MARK: &[u8] = &[0xef, 0xbb, 0xbf];
    if disk.starts_with(&[0xff, 0xfe]) || disk.starts_with(&[0xfe, 0xff]) {
        return None;
    }
    let mut ends = disk.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
    let has_pairs = disk.contains(&b'\n') && ends.all(|line| line.ends_with(b"\r\n"));
    let mut bytes = if disk.starts_with(MARK) { MARK.to_vec() } else { Vec::new() };
    if has_pairs {
        bytes.extend_from_slice(text.replace('\n', "\r\n").as_bytes());
    } else {
        bytes.extend_from_slice(text.as_bytes());
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(old: &str, new: &str, hunks: &[(&str, &str)], wanted: &[usize]) -> String {
        let hunks: Vec<Hunk> = hunks
            .iter()
            .map(|(old, new)| Hunk { old: side(old).unwrap(), new: side(new).unwrap() })
            .collect();
        let bytes = mix(old.as_bytes(), new.as_bytes(), &hunks, |line| wanted.contains(&line));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn added_and_replaced_lines_are_taken_singly() {
        let (old, new) = ("a\nd\n", "a\nb\nc\nd\n");
        assert_eq!(mixed(old, new, &[("1,0", "2,2")], &[3]), "a\nc\nd\n");
        assert_eq!(mixed(old, new, &[("1,0", "2,2")], &[1, 4]), old);
        assert_eq!(mixed("a\nb\n", "x\ny\n", &[("1,2", "1,2")], &[2]), "a\ny\n");
        assert_eq!(mixed("a\nb", "x\ny\n", &[("1,2", "1,2")], &[1]), "x\nb");
    }

    #[test]
    fn lines_that_have_no_partner_are_taken_together_and_removed_ones_with_the_line_above() {
        assert_eq!(mixed("a\nb\nc\n", "x\nc\n", &[("1,2", "1")], &[1]), "x\nc\n");
        assert_eq!(mixed("a\nb\nc\n", "x\nc\n", &[("1,2", "1")], &[2]), "a\nb\nc\n");
        assert_eq!(mixed("a\nb\nc\n", "a\nc\n", &[("2", "1,0")], &[1]), "a\nc\n");
        assert_eq!(mixed("a\nb\n", "b\n", &[("1", "0,0")], &[1]), "b\n");
        assert_eq!(mixed("a\n", "", &[("1", "0,0")], &[1]), "");
    }

    #[test]
    fn a_header_tells_both_sides() {
        assert_eq!(hunk(b"-3,2 +4 @@ fn x() {"), Some(Hunk { old: 2..4, new: 3..4 }));
        assert_eq!(hunk(b"-0,0 +1,3 @@"), Some(Hunk { old: 0..0, new: 0..3 }));
        assert_eq!(hunk(b"nonsense @@"), None);
    }

    #[test]
    fn unsaved_text_gets_the_form_of_its_file() {
        assert_eq!(as_on_disk("a\nb\n", b"x\r\ny\r\n").unwrap(), b"a\r\nb\r\n");
        assert_eq!(as_on_disk("a\n", b"x\r\ny\n").unwrap(), b"a\n");
        assert_eq!(as_on_disk("a\n", b"\xef\xbb\xbfx").unwrap(), b"\xef\xbb\xbfa\n");
        assert_eq!(as_on_disk("a\n", b"\xff\xfex\0"), None);
    }
}

//! The index of a repository that others can change: whether it names only what git may write.
//!
//! Git looks at the names of files when it adds them, not when it reads its index. One that another program
//! wrote can name a file above the work tree, or one in `.git`, and git writes it when it next restores
//! something. Nothing here mends an index.

use super::child::{Call, Session};
use super::error::GitError;

impl Session<'_> {
    /// Refuses an index that names what no git would have put into it.
    pub(super) async fn check_index(&self) -> Result<(), GitError> {
        let mut names = Names::default();
        self.stream(Call::new(["ls-files", "-z"]).reading(), &mut |piece| names.take(piece))
            .await?;
        match names.bad {
            Some(name) => {
                Err(GitError::CraftedIndex { name: String::from_utf8_lossy(&name).into_owned() })
            }
            None => Ok(()),
        }
    }
}

/// Names as they come in, each with a NUL behind it; the first that is none of git's is kept.
#[derive(Default)]
struct Names {
    begun: Vec<u8>,
    bad: Option<Vec<u8>>,
}

impl Names {
    fn take(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            self.begun.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let name = std::mem::take(&mut self.begun);
            if self.bad.is_none() && !is_of_work_tree(&name) {
                self.bad = Some(name);
            }
        }
        self.begun.extend_from_slice(rest);
    }
}

/// Whether a name leads to a file of the work tree and nowhere else.
fn is_of_work_tree(name: &[u8]) -> bool {
    // A folder of which nothing is checked out ends with a slash.
    let name = name.strip_suffix(b"/").unwrap_or(name);
    name.split(|byte| *byte == b'/').all(|part| {
        !part.is_empty() && part != b"." && part != b".." && !part.eq_ignore_ascii_case(b".git")
    })
}

#[cfg(test)]
mod tests {
    use super::{Names, is_of_work_tree};

    #[test]
    fn a_name_that_leaves_the_work_tree_or_is_gits_own_is_not_of_it() {
        let own = ["a", "a/b", ".gitignore", "a/.github/x", "..a", "a..", "...", "sparse/"];
        let not =
            ["", "/a", "..", "../a", "a/../../b", "./a", "a//b", ".git/config", "a/.GIT/hooks/x"];
        assert_eq!(own.map(|name| is_of_work_tree(name.as_bytes())), [true; 8]);
        assert_eq!(not.map(|name| is_of_work_tree(name.as_bytes())), [false; 9]);
    }

    #[test]
    fn names_are_whole_wherever_the_output_is_cut() {
        let whole = b"good\0../bad\0.git/worse\0";
        for at in 0..whole.len() {
            let mut names = Names::default();
            names.take(&whole[..at]);
            names.take(&whole[at..]);
            assert_eq!(names.bad.as_deref(), Some(&b"../bad"[..]), "{at}");
        }
    }
}

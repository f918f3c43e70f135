//! What reading a line gives: its simple commands, and what cannot be known.

use crate::{Danger, Doubt, Finding, Source, Word};

/// How many characters of a command are kept as its text.
pub(crate) const MAX_TEXT: usize = 400;

/// A line after it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Its simple commands, those inside others included, in the order in which they were found.
    pub parts: Vec<Part>,
    /// Why nobody can say for certain what it does; empty for most lines.
    pub doubts: Vec<Doubt>,
    /// The folders that it goes to, in their order; nothing stands for one that is only known when it runs.
    pub folders: Vec<Option<String>>,
}

impl Judged {
    /// Whether it is certain that all the line does is look.
    pub fn only_reads(&self) -> bool {
        self.doubts.is_empty() && self.parts.iter().all(|part| part.is_harmless)
    }

    /// Every finding of every part.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        self.parts.iter().flat_map(|part| part.findings.iter().copied())
    }
}

/// One simple command of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// As it stands in the line, cut short when long.
    pub text: String,
    /// The program and its arguments. Empty where the line only sets a variable or opens a file.
    pub words: Vec<Word>,
    /// What is dangerous in it.
    pub findings: Vec<Finding>,
    /// It is one of the commands that only look, with nothing that could make it do more.
    pub is_harmless: bool,
    /// It writes no file by a redirection and sets no variable that matters: its words say all it does.
    pub is_plain: bool,
    /// What it runs that does not stand in the line.
    pub sources: Vec<Source>,
}

impl Part {
    /// The name of the program, without the folder it is in.
    pub fn name(&self) -> Option<&str> {
        let name = self.words.first()?.known()?;
        Some(name.rsplit('/').next().unwrap_or(name))
    }

    /// The words as the program gets them, if every one is known.
    pub fn known_words(&self) -> Option<Vec<&str>> {
        self.words.iter().map(Word::known).collect()
    }

    /// Whether there is a finding of that kind.
    pub fn has(&self, danger: Danger) -> bool {
        self.findings.iter().any(|finding| finding.danger() == danger)
    }
}

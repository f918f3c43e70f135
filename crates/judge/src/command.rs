//! A simple command as it was found: its words, what is set for it, and where its input and output go.

use crate::{Word, products};

/// A command before it is judged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    /// The program and its arguments; empty where there are only settings or redirections.
    pub(crate) words: Vec<Word>,
    /// `NAME=value` before it.
    pub(crate) assigns: Vec<Assign>,
    /// Where its input and output go.
    pub(crate) redirects: Vec<Redirect>,
    /// What it reads.
    pub(crate) feed: Feed,
    /// Something in its words comes from the network.
    pub(crate) downloads: bool,
    /// How often it may run, each time for another thing.
    pub(crate) often: Often,
    /// As it stands in the line.
    pub(crate) text: String,
}

impl Simple {
    /// Whether a redirection, or a program that writes like one, empties another file each time: whatever is behind
    /// a name that is only known when it runs. What has an ending of its own (`"$f.out"`) is made anew, and so is what
    /// goes to a folder for that.
    pub(crate) fn empties_many(&self, file: &Word) -> bool {
        if !products::is_open(file) || products::is_in_one(file) {
            return false;
        }
        match &self.often {
            Often::Once => false,
            Often::WhenCalled => file.has_argument(),
            Often::InLoop(named) => !named.iter().any(|name| file.is_variable(name)),
        }
    }

    /// Whether a redirection writes something that is there afterwards.
    pub(crate) fn writes(&self) -> bool {
        self.redirects.iter().any(Redirect::leaves_something)
    }
}

/// How often a command may run, each time for another thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Often {
    /// Once.
    #[default]
    Once,
    /// In a function that is told what for.
    WhenCalled,
    /// In a loop. These are the variables of loops around it whose values stand in the line.
    InLoop(Vec<String>),
}

/// A variable that is set.
#[derive(Clone, Debug)]
pub(crate) struct Assign {
    pub(crate) name: String,
    pub(crate) value: Word,
}

/// One redirection.
#[derive(Clone, Debug)]
pub(crate) struct Redirect {
    /// The target is opened to be written.
    pub(crate) writes: bool,
    /// What was in it is gone.
    pub(crate) empties: bool,
    /// The file; a descriptor is none.
    pub(crate) file: Word,
}

impl Redirect {
    /// Whether something is written that is there afterwards.
    fn leaves_something(&self) -> bool {
        const NOWHERE: [&str; 4] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];
        self.writes && !self.file.known().is_some_and(|file| NOWHERE.contains(&file))
    }
}

/// What a command gets on its standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Feed {
    /// Nothing that the line says: a terminal, or nothing.
    #[default]
    Nothing,
    /// A file of that name, as if it were named as an argument.
    File,
    /// This text, to the letter.
    Text(String),
    /// About this text: something in it is expanded.
    Roughly(String),
    /// What a server answered.
    Download,
    /// What other programs say.
    Unknown,
}

/// A command as judges see it: it has a name.
#[derive(Clone, Copy)]
pub(crate) struct Command<'a> {
    /// The last part of the program's path.
    pub(crate) name: &'a str,
    pub(crate) args: &'a [Word],
    pub(crate) simple: &'a Simple,
}

impl Command<'_> {
    /// Whether a word may name more than one file: a list, or another file each time.
    pub(crate) fn names_many(&self, word: &Word) -> bool {
        word.splits() || self.simple.often != Often::Once && word.known().is_none()
    }
}

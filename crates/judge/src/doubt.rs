//! What cannot be known about a line. A line with a doubt is asked about.

use std::fmt;

/// How much of a line a doubt repeats.
const MAX_EXCERPT: usize = 80;

/// A reason why nobody can say what a line would do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doubt {
    /// It is not a command line that can be read with certainty.
    Unreadable,
    /// It is longer than a line that is read.
    TooLong,
    /// Its brackets or quotes are nested too deep.
    TooDeep,
    /// It holds more commands than are looked at.
    TooMuch,
    /// It holds control characters, which terminals act on.
    ControlCharacter,
    /// It holds characters that a person does not see, or that change the order of what they see.
    HiddenCharacter,
    /// It is for a shell whose language is not read here, and is more than plain words.
    OtherShell,
    /// A prompt would put something from the history in its place.
    History,
    /// A prompt would complete something.
    Completion,
    /// The program's name is only known when it runs.
    NameUnknown(String),
    /// The program's name has letters that look like others.
    OddName(String),
    /// The text that a shell runs is only known when it runs.
    TextUnknown(String),
    /// What is piped into a shell or an interpreter is only known when it runs.
    PipedIntoShell(String),
    /// Where the command begins is hidden behind an option that is not known here.
    UnknownOption(String),
    /// It gives a name another meaning.
    Redefines(String),
    /// It sets a variable that makes programs run something.
    SetsVariable(String),
    /// It makes a program run something that is named in a setting or an option.
    RunsSetting(String),
    /// It runs a text that is kept in quotes, by a detour.
    Detour(String),
    /// Which part of a program is meant is only known when it runs.
    VerbUnknown(String),
}

impl Doubt {
    /// One plain sentence for the person who is asked.
    pub fn sentence(&self) -> String {
        match self {
            Self::Unreadable => "This cannot be read as a command line with certainty.".into(),
            Self::TooLong => "This line is too long to be read.".into(),
            Self::TooDeep => "This is nested too deep to be read.".into(),
            Self::TooMuch => "This holds more commands than can be looked at.".into(),
            Self::ControlCharacter => {
                "This holds control characters, which a terminal would act on.".into()
            }
            Self::HiddenCharacter => {
                "This holds characters that cannot be seen or that change the order of others."
                    .into()
            }
            Self::OtherShell => {
                "This is for a shell that is not bash, and is more than plain words.".into()
            }
            Self::History => "A prompt puts something from its history in the place of `!`.".into(),
            Self::Completion => "A prompt completes something where a tab is typed.".into(),
            Self::NameUnknown(what) => {
                format!("Which program `{what}` is turns out only when it runs.")
            }
            Self::OddName(what) => {
                format!("The name `{what}` has letters that may look like others.")
            }
            Self::TextUnknown(what) => {
                format!("What `{what}` would run turns out only when it runs.")
            }
            Self::PipedIntoShell(what) => {
                format!("`{what}` runs what is piped into it, and that is not known before.")
            }
            Self::UnknownOption(what) => {
                format!("Which command `{what}` leads to cannot be told for certain.")
            }
            Self::Redefines(what) => format!("`{what}` is given another meaning."),
            Self::SetsVariable(what) => {
                format!("The variable `{what}` makes programs run something else.")
            }
            Self::RunsSetting(what) => {
                format!("`{what}` names a program that is run along the way.")
            }
            Self::Detour(what) => format!("`{what}` can be run by a detour of the shell."),
            Self::VerbUnknown(what) => {
                format!("What `{what}` is asked to do turns out only when it runs.")
            }
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

/// The beginning of a text, short enough for a sentence.
pub(crate) fn excerpt(text: &str) -> String {
    shortened(text, MAX_EXCERPT)
}

/// The text, or its beginning and a mark when it has more characters than that.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

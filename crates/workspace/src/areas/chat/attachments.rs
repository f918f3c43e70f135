//! What goes with words to an agent: files and lines of them, text from anywhere in the workbench, pictures, and agents
//! that are mentioned.
//!
//! A file is named, not sent: the agent reads it where it runs. So a secret file cannot be attached by anybody, for what
//! an agent reads goes to whoever offers its model.

use openspace_agents::model::{Lines, Prompt, PromptPart, Span};
use openspace_command::{Error, Result};
use openspace_files::FileError;
use openspace_host::{HostError, operation::MayRead};
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MAX_WORD;
use crate::{Cx, paths::not_shown};

/// Things that may go with one prompt.
pub const MOST_ATTACHED: usize = 50;
/// Bytes of words, and of a text that is attached.
pub const LONGEST_TEXT: usize = 256 * 1024;
/// Bytes of a picture in base64.
pub const LONGEST_IMAGE: usize = 6 * 1024 * 1024;
/// Bytes of all that goes with one prompt.
pub const MOST_BYTES: usize = 10 * 1024 * 1024;

/// Something that goes with what is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Attachment {
    /// A file, or lines of it.
    File {
        /// Its path relative to the root.
        path: String,
        /// The first line that is meant, counted from one.
        #[serde(default)]
        #[schemars(range(min = 1))]
        line: Option<u32>,
        /// The last one.
        #[serde(default)]
        #[schemars(range(min = 1))]
        end_line: Option<u32>,
        /// Where the words mention it.
        #[serde(default)]
        mention: Option<Span>,
    },
    /// A text: a selection, a problem, what a terminal showed, a hunk of a change.
    Text {
        /// What it is, such as `src/main.rs:3-9`.
        title: String,
        /// The text.
        text: String,
        /// The language to show it in, such as `rust`.
        #[serde(default)]
        language: Option<String>,
        /// The file that it is of, if it is of one: text of a secret file is refused as the file is.
        #[serde(default)]
        path: Option<String>,
    },
    /// A picture.
    Image {
        /// Its media type, such as `image/png`.
        mime: String,
        /// Its bytes.
        base64: String,
        /// What it is called.
        #[serde(default)]
        name: Option<String>,
    },
    /// One of the agent's own agents, to hand work to.
    Agent {
        /// Its name.
        name: String,
        /// Where the words mention it.
        #[serde(default)]
        mention: Option<Span>,
    },
}

impl Attachment {
    /// About how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::File { path, .. } => path.len(),
            Self::Text { title, text, .. } => title.len() + text.len(),
            Self::Image { base64, .. } => base64.len(),
            Self::Agent { name, .. } => name.len(),
        }
    }

    fn check(&self) -> Result<(), String> {
        let is_word = |word: &str| (1..=MAX_WORD).contains(&word.len());
        match self {
            Self::File { path, .. } if !is_word(path) => {
                Err(format!("`path` must be 1 to {MAX_WORD} bytes"))
            }
            Self::File { line: Some(0), .. } | Self::File { end_line: Some(0), .. } => {
                Err("lines count from 1".into())
            }
            Self::File { line: None, end_line: Some(_), .. } => {
                Err("`endLine` needs `line`".into())
            }
            Self::File { line: Some(line), end_line: Some(end), .. } if end < line => {
                Err("`endLine` comes before `line`".into())
            }
            Self::Text { path: Some(path), .. } if !is_word(path) => {
                Err(format!("`path` must be 1 to {MAX_WORD} bytes"))
            }
            Self::Text { title, .. } if !is_word(title) => {
                Err(format!("`title` must be 1 to {MAX_WORD} bytes"))
            }
            Self::Text { text, .. } if text.len() > LONGEST_TEXT => {
                Err(format!("`text` has more than {LONGEST_TEXT} bytes"))
            }
            Self::Text { language: Some(language), .. }
                if !language
                    .bytes()
                    .all(|c| c.is_ascii_alphanumeric() || b"+-_.#".contains(&c)) =>
            {
                Err("`language` is no name of a language".into())
            }
            Self::Image { base64, .. } if base64.len() > LONGEST_IMAGE => {
                Err(format!("a picture of more than {LONGEST_IMAGE} bytes in base64"))
            }
            Self::Agent { name, .. } if !is_word(name) => {
                Err(format!("`name` must be 1 to {MAX_WORD} bytes"))
            }
            _ => Ok(()),
        }
    }
}

/// A file as it is written on one line: `PATH`, `PATH:LINE` or `PATH:FIRST-LAST`.
pub(super) fn file(written: &str) -> Attachment {
    let whole =
        || Attachment::File { path: written.into(), line: None, end_line: None, mention: None };
    let Some((path, lines)) = written.rsplit_once(':').filter(|(path, _)| !path.is_empty()) else {
        return whole();
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.parse(), last.parse()) {
        (Ok(line), Ok(end)) => {
            let (path, line, end_line) = (path.to_owned(), Some(line), Some(end));
            Attachment::File { path, line, end_line, mention: None }
        }
        // A name may have a colon in it.
        _ => whole(),
    }
}

/// Check what can be known of words and what goes with them without looking.
pub(super) fn check(text: &str, attachments: &[Attachment]) -> Result<()> {
    if text.len() > LONGEST_TEXT {
        return Err(Error::invalid(format!("argument `text`: has more than {LONGEST_TEXT} bytes"))
            .hint("attach a file instead"));
    }
    if attachments.len() > MOST_ATTACHED {
        return Err(Error::invalid(format!("argument `attachments`: at most {MOST_ATTACHED}")));
    }
    for (index, attachment) in attachments.iter().enumerate() {
        let at = |why| Error::invalid(format!("argument `attachments[{index}]`: {why}"));
        attachment.check().map_err(at)?;
    }
    let bytes: usize = attachments.iter().map(Attachment::weight).sum();
    if bytes > MOST_BYTES {
        return Err(Error::invalid(format!(
            "argument `attachments`: more than {MOST_BYTES} bytes in all"
        )));
    }
    Ok(())
}

/// Refuse what nobody may attach: secret files, and text of them.
pub(super) async fn check_secrets(cx: &Cx, attachments: &[Attachment]) -> Result<()> {
    for attachment in attachments {
        let (path, is_file) = match attachment {
            Attachment::File { path, .. } => (path, true),
            Attachment::Text { path: Some(path), .. } => (path, false),
            Attachment::Text { .. } | Attachment::Image { .. } | Attachment::Agent { .. } => {
                continue;
            }
        };
        may_read(cx, path, is_file).await?;
    }
    Ok(())
}

/// Refuse a path that nobody may attach; text may be of a file that is not there any more, or not yet.
async fn may_read(cx: &Cx, path: &str, has_to_exist: bool) -> Result<RelPath> {
    let path = cx.state.path(path)?;
    if path.is_untitled() && !has_to_exist {
        return Ok(path);
    }
    let place = cx.state.place();
    // Not even a person's own: see above.
    match place.ask(MayRead { path: path.clone(), person: false }).await {
        Ok(()) => Ok(path),
        Err(HostError::File(FileError::NotFound { .. })) if !has_to_exist => Ok(path),
        Err(HostError::File(FileError::Forbidden { .. } | FileError::SecretTwin { .. })) => Err(
            Error::denied(format!("`{path}` is secret, and what is attached leaves this machine"))
                .hint("write in your own words what the agent has to know of it"),
        ),
        Err(error) => Err(not_shown(place, error).await),
    }
}

/// What an agent is told.
pub(super) async fn prompt(cx: &Cx, text: &str, attachments: Vec<Attachment>) -> Result<Prompt> {
    let mut parts = Vec::with_capacity(attachments.len() + 1);
    if !text.trim().is_empty() {
        parts.push(PromptPart::Text { text: text.to_owned(), is_synthetic: false });
    }
    for attachment in attachments {
        parts.push(part(cx, attachment).await?);
    }
    Ok(Prompt { parts, ..Prompt::default() })
}

async fn part(cx: &Cx, attachment: Attachment) -> Result<PromptPart> {
    Ok(match attachment {
        Attachment::File { path, line, end_line, mention } => {
            let path = may_read(cx, &path, true).await?;
            let whole = cx.state.place().facts().root.join(path.as_str());
            let lines = line.map(|first| Lines { first, last: Some(end_line.unwrap_or(first)) });
            let path = whole.to_string_lossy().into_owned();
            PromptPart::File { path, mime: None, lines, mention }
        }
        Attachment::Text { title, text, language, path } => {
            if let Some(path) = path {
                may_read(cx, &path, false).await?;
            }
            let text = quoted(&title, &text, language.as_deref().unwrap_or_default());
            PromptPart::Text { text, is_synthetic: false }
        }
        Attachment::Image { mime, base64, name } => PromptPart::Image { mime, base64, name },
        Attachment::Agent { name, mention } => PromptPart::Agent { name, mention },
    })
}

/// A text in a fence that nothing in it ends.
fn quoted(title: &str, text: &str, language: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(3.max(longest + 1));
    let title: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{title}:\n{fence}{language}\n{text}{end}{fence}")
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_text_cannot_end_its_own_fence() {
        assert_eq!(quoted("a.md", "x\n````\ny", "md"), "a.md:\n`````md\nx\n````\ny\n`````");
        assert_eq!(quoted("a\nb", "x\n", ""), "a b:\n```\nx\n```");
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_place() {
        let lines =
            |line, end_line| Attachment::File { path: "a".into(), line, end_line, mention: None };
        let refusal =
            |attachment| check("", &[lines(None, None), attachment]).map_err(|error| error.message);
        assert_eq!(refusal(lines(Some(2), Some(2))), Ok(()));
        let says = |why: &str| Err(format!("argument `attachments[1]`: {why}"));
        assert_eq!(refusal(lines(Some(0), None)), says("lines count from 1"));
        assert_eq!(refusal(lines(None, Some(2))), says("`endLine` needs `line`"));
        assert_eq!(refusal(lines(Some(3), Some(2))), says("`endLine` comes before `line`"));
    }
}

//! Places that a server named, with the lines that stand there.

use std::{collections::HashMap, sync::Arc};

use openspace_files::LineRange;
use openspace_host::operation::{MayRead, ReadText};
use openspace_languages::{Range, Uri};
use openspace_protocol::RelPath;
use openspace_text::merge::with_line_feeds;
use serde::Deserialize;
use serde_json::Value;

use super::{running::Running, whereabouts::Where};
use crate::OpenSpace;

/// Places of one answer that are looked at.
pub(super) const MOST_PLACES: usize = 10_000;
/// Files of which lines are quoted in one answer.
const MOST_FILES: usize = 100;
/// Letters of a line that are quoted.
const LONGEST_LINE: usize = 160;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) at: Where,
    pub(super) range: Range,
    /// All of what is named there, if the server said.
    pub(super) whole: Option<Range>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    #[serde(alias = "targetUri")]
    uri: Uri,
    #[serde(alias = "targetSelectionRange")]
    range: Range,
    #[serde(default)]
    target_range: Option<Range>,
}

/// The places in an answer: one, a list, or none. What cannot be read is counted.
pub(super) fn places(answer: Value, running: &Running) -> (Vec<Spot>, usize) {
    let said = match answer {
        Value::Array(said) => said,
        Value::Null => Vec::new(),
        one => vec![one],
    };
    let count = said.len();
    let root = &running.place.facts().root;
    let spots = said.into_iter().filter_map(|said| serde_json::from_value::<Said>(said).ok());
    let mut spots: Vec<Spot> = spots
        .take(MOST_PLACES)
        .map(|said| Spot {
            at: Where::of(&said.uri, root),
            range: said.range,
            whole: said.target_range,
        })
        .collect();
    let left_out = count - spots.len();
    spots.sort();
    spots.dedup();
    (spots, left_out)
}

/// The texts of the files that are quoted, each read once.
pub(super) struct Quotes<'a> {
    state: &'a OpenSpace,
    texts: HashMap<RelPath, Option<Arc<str>>>,
}

impl<'a> Quotes<'a> {
    pub(super) fn new(state: &'a OpenSpace) -> Self {
        Self { state, texts: HashMap::new() }
    }

    /// The line of a place, without the blanks around it; nothing where it may not be read.
    pub(super) async fn line(&mut self, at: &Where, line: u32) -> Option<String> {
        let text = self.text(at).await?;
        let line = text.lines().nth(usize::try_from(line).ok()?)?;
        Some(shortened(line.trim()))
    }

    /// Some lines, with their numbers.
    pub(super) async fn lines(&mut self, at: &Where, range: Range, most: usize) -> Option<String> {
        let text = self.text(at).await?;
        let first = usize::try_from(range.start.line).ok()?;
        let count = usize::try_from(range.end.line.saturating_sub(range.start.line)).ok()? + 1;
        let mut lines: Vec<String> = text
            .lines()
            .enumerate()
            .skip(first)
            .take(count.min(most))
            .map(|(number, line)| format!("{}: {line}", number + 1))
            .collect();
        if count > most {
            lines.push(format!("({} more lines)", count - most));
        }
        Some(lines.join("\n"))
    }

    async fn text(&mut self, at: &Where) -> Option<Arc<str>> {
        let Where::Inside(path) = at else { return None };
        if let Some(known) = self.texts.get(path) {
            return known.clone();
        }
        if self.texts.len() >= MOST_FILES {
            return None;
        }
        let text = self.read(path).await;
        self.texts.insert(path.clone(), text.clone());
        text
    }

    async fn read(&self, path: &RelPath) -> Option<Arc<str>> {
        let place = self.state.place();
        if let Some(text) = self.state.buffers().unsaved_text(path) {
            place.ask(MayRead { path: path.clone(), person: false }).await.ok()?;
            return Some(Arc::from(&*text));
        }
        let whole = ReadText { path: path.clone(), range: LineRange::default(), person: false };
        let read = place.ask(whole).await.ok()?;
        Some(with_line_feeds(&read.content).into())
    }
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

//! The record of every call: who ran what, when, for how long and how it ended. Never contents.
//!
//! A record is filled here and nowhere else, so that every text in it is masked, on one line and
//! bounded before anybody sees it.

use futures::future::BoxFuture;
use openspace_protocol::RelPath;

use openspace_secrets::Masker;

use crate::{Caller, Error, Outcome, Record};

/// Longest name of a command that does not exist, in characters.
const MAX_NAME: usize = 100;
/// Longest text in a record, in characters.
const MAX_TEXT: usize = 400;
/// Paths kept of one call.
const MAX_PATHS: usize = 20;
/// So much of a text is looked at for secrets; what lies beyond would not be kept.
const MAX_LOOKED_AT: usize = 10 * MAX_TEXT;

/// A call that has just begun.
pub(crate) fn begin(masker: &Masker, at: u64, caller: Caller, command: &str) -> Record {
    Record {
        at,
        caller,
        command: kept(masker, command, MAX_NAME),
        workspace: None,
        summary: String::new(),
        paths: Vec::new(),
        let_in: None,
        outcome: Outcome::Done,
        error: None,
        micros: 0,
    }
}

/// There is such a command; what it was asked to do is not known yet.
pub(crate) fn not_understood(record: &mut Record) {
    "(arguments not understood)".clone_into(&mut record.summary);
}

/// What it was asked to do.
pub(crate) fn describe(
    masker: &Masker,
    record: &mut Record,
    summary: &str,
    workspace: Option<&str>,
    paths: &[String],
) {
    record.summary = kept(masker, summary, MAX_TEXT);
    record.workspace = workspace.map(|name| kept(masker, name, MAX_NAME));
    record.paths =
        paths.iter().take(MAX_PATHS).map(|path| kept(masker, &spelled(path), MAX_TEXT)).collect();
}

/// By what it was let in.
pub(crate) fn let_in(masker: &Masker, record: &mut Record, by: Option<&str>) {
    record.let_in = by.map(|by| kept(masker, by, MAX_TEXT));
}

/// Why it did not do that.
pub(crate) fn fail(masker: &Masker, record: &mut Record, error: &Error) {
    record.outcome = Outcome::Failed(error.kind);
    record.error = Some(kept(masker, &without_quotations(&error.message), MAX_TEXT));
}

/// Its caller was shown the secrets in what it answers.
pub(crate) fn unmasked(record: &mut Record) {
    record.summary.push_str(" (answered unmasked)");
}

/// The one spelling of a path, as far as it can be known without looking at files.
fn spelled(path: &str) -> String {
    match RelPath::parse(path) {
        Ok(path) if path.is_root() => ".".into(),
        Ok(path) => path.as_str().to_owned(),
        Err(_) => path.to_owned(),
    }
}

/// A text as a record keeps it: without secrets, on one line, not longer than `most` characters.
fn kept(masker: &Masker, text: &str, most: usize) -> String {
    // A secret that is cut through would not be known as one: cut at a space, or leave it all out.
    let looked_at = match text.char_indices().nth(MAX_LOOKED_AT) {
        Some((end, _)) => &text[..text[..end].rfind(char::is_whitespace).unwrap_or_default()],
        None => text,
    };
    let masked = masker.mask_record(looked_at);
    let line = masked.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = line.take(most + 1).collect();
    let is_cut = looked_at.len() < text.len();
    match line.char_indices().nth(most) {
        Some((end, _)) => line.replace_range(end.., "…"),
        None if is_cut => line.push('…'),
        None => {}
    }
    line
}

/// Messages about wrong arguments quote them; the record must not hold contents.
fn without_quotations(message: &str) -> String {
    let mut parts = message.splitn(2, "string \"");
    match (parts.next(), parts.next().and_then(|rest| rest.rsplit_once('"'))) {
        (Some(before), Some((_, after))) => format!("{before}string \"…\"{after}"),
        _ => message.to_owned(),
    }
}

/// Where records go. A full disk or a dead writer never holds up a command.
pub trait Recorder: Send + Sync + 'static {
    /// A call begins to run; `call` is its number. A part of another call is not told here, nor is a
    /// call that is refused before it runs.
    fn started(&self, _call: u64, _record: &Record) {}

    /// A call that was told to have started runs no more, however it ended.
    fn ended(&self, _call: u64) {}

    /// Take the record of a call that has just ended.
    fn record(&self, record: Record);

    /// Wait until what was recorded before is kept, or cannot be.
    fn kept(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    /// What every caller has to know of how things are kept, in one sentence.
    fn warning(&self) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests;

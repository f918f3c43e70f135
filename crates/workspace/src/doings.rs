//! What people do, for agents: each call of an agent is told what people did since its session's last one.
//!
//! Only what a person did by hand is noted: what they typed, saved, opened, closed, selected and arranged, commands of
//! theirs that failed in terminals, and answers that no call waited for. What agents do is theirs and is not here, and
//! no contents are. Nothing is noted as long as no agent has called, and what is noted has bounds: it is a hint
//! where to look, never a record.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openspace_buffers::HearsTyping;
use openspace_command::{Caller, CallerKind, Meanwhile, Outcome, Record, Since};
use openspace_layout::{Layout, TabKey};
use openspace_protocol::{RelPath, TerminalId};
use openspace_text::offsets::EditedLines;

use crate::{
    areas::{
        approvals::{Approval, ApprovalState},
        tabs::names_a_file,
        view::View,
    },
    paths::is_person,
};

mod lines;
mod log;
mod told;

use self::{lines::Lines, log::Log};

/// Characters of a command or a summary that are kept.
const WORDS: usize = 80;
/// A shell's code for what a person interrupted or put aside themselves.
const BY_HAND: [i32; 2] = [130, 148];

/// Something that a person did.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Doing {
    /// They typed into a file.
    Typed { path: String, lines: Lines },
    /// They saved a file.
    Saved { path: String },
    /// A tab is there now.
    Opened { what: String },
    /// A tab is gone.
    Closed { what: String },
    /// A tab came to the front, or lines were selected in a file.
    Selected { path: String, lines: Option<(u32, u32)> },
    /// Panes came, went or changed places.
    Arranged,
    /// A command failed that they ran in a terminal.
    Failed { terminal: TerminalId, command: String, code: i32 },
    /// They answered a question of one client whose call did not wait any more.
    Answered { client: String, what: String },
    /// Somebody else than an agent reported problems: how many there are of a source now.
    Problems { source: String, count: usize },
    /// Anything else that changed something.
    Did { what: String },
}

impl Doing {
    /// Whether it takes the place of another one that nobody was told yet.
    fn is_about_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Saved { path }, Self::Saved { path: of })
            | (Self::Selected { path, .. }, Self::Selected { path: of, .. })
            | (
                Self::Opened { what: path } | Self::Closed { what: path },
                Self::Opened { what: of } | Self::Closed { what: of },
            )
            | (Self::Problems { source: path, .. }, Self::Problems { source: of, .. }) => {
                path == of
            }
            (Self::Arranged, Self::Arranged) => true,
            (one, other) => one == other,
        }
    }

    /// Whether a client is told it.
    fn is_for(&self, client: &str) -> bool {
        match self {
            Self::Answered { client: asked, .. } => asked == client,
            _ => true,
        }
    }
}

/// What people did of late.
#[derive(Default)]
pub struct Doings(Mutex<Log>);

impl Doings {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, doing: Doing) {
        self.log().note(doing);
    }

    /// A call ended.
    pub(crate) fn called(&self, record: &Record) {
        if !is_person(&record.caller) || record.outcome != Outcome::Done {
            return;
        }
        for doing in of_call(record) {
            self.note(doing);
        }
    }

    /// A person's page proposed another window, and this is the window now.
    pub(crate) fn arranged(
        &self,
        (before, now): (&Layout, &Layout),
        opened: &[TabKey],
        closed: &[TabKey],
    ) {
        let mut log = self.log();
        for (keys, is_open) in [(closed, false), (opened, true)] {
            for what in keys.iter().map(name) {
                log.note(if is_open { Doing::Opened { what } } else { Doing::Closed { what } });
            }
        }
        let in_front = front(now);
        if let Some(key) = in_front.filter(|key| front(before).as_ref() != Some(key))
            && !opened.contains(&key)
        {
            log.note(Doing::Selected { path: name(&key), lines: None });
        }
        let mut panes = (before.pane_ids(), now.pane_ids());
        let is_other = panes.0 != panes.1;
        panes.0.sort_unstable();
        panes.1.sort_unstable();
        // The only pane of the window is made and gone with what is in it.
        if is_other && (panes.0 == panes.1 || opened.is_empty() && closed.is_empty()) {
            log.note(Doing::Arranged);
        }
    }

    /// A person's page reports what it shows, and in which files they selected something. Selections that differ from
    /// those before are none of theirs: they move with the text, whoever changes it.
    pub(crate) fn looked(
        &self,
        caller: &Caller,
        (before, now): (&View, &View),
        selected: &[String],
    ) {
        // Its first report says what it found, and nobody did that now.
        if !is_person(caller) || *before == View::default() {
            return;
        }
        for path in selected {
            let editors = now.editors.iter().filter(|editor| editor.path == *path);
            let mut selections = editors.filter_map(|editor| editor.selection.as_deref());
            if let Some(lines) = selections.find_map(selected_lines) {
                self.note(Doing::Selected { path: path.clone(), lines: Some(lines) });
            }
        }
    }

    /// A command failed that a person ran in a terminal.
    pub(crate) fn failed(&self, terminal: TerminalId, command: Option<&str>, code: i32) {
        if code != 0 && !BY_HAND.contains(&code) {
            let command = short(command.unwrap_or_default());
            self.note(Doing::Failed { terminal, command, code });
        }
    }

    /// A person answered a question.
    pub(crate) fn answered(&self, approval: &Approval) {
        let (caller, summary) = (&approval.question.caller, short(&approval.question.summary));
        // A call that waits says it itself.
        if approval.waiting || caller.kind != CallerKind::Agent {
            return;
        }
        let word = match approval.state {
            ApprovalState::Approved { .. } => "yes",
            ApprovalState::Denied { .. } => "no",
            _ => return,
        };
        let what = format!("{word}: {summary}");
        self.note(Doing::Answered { client: caller.id.clone(), what });
    }

    /// Problems of a source were reported.
    pub(crate) fn problems(&self, caller: &Caller, source: &str, count: usize) {
        if caller.kind != CallerKind::Agent {
            self.note(Doing::Problems { source: short(source), count });
        }
    }

    /// What people did since the last call of a client, whichever of its sessions made it. It counts as told to none.
    pub fn since_last_call_of(&self, client: &str) -> Option<Since> {
        self.log().since_any(client)
    }
}

impl Meanwhile for Doings {
    fn since_last_call(&self, caller: &Caller) -> Option<Since> {
        self.log().since(&caller.key(), &caller.id)
    }
}

impl HearsTyping for Doings {
    fn is_wanted(&self) -> bool {
        self.log().is_wanted()
    }

    fn typed(&self, path: &RelPath, lines: &[EditedLines]) {
        self.log().typed(path.as_str(), lines);
    }
}

/// What a person did by a command. What is told closer elsewhere, or changes nothing for anybody else, is nothing.
fn of_call(record: &Record) -> Vec<Doing> {
    let paths = || record.paths.iter().cloned();
    let command = record.command.strip_prefix("openspace.").unwrap_or(&record.command);
    match command {
        "file.save" | "file.write" | "workspace.write" | "workspace.edit" => {
            paths().map(|path| Doing::Saved { path }).collect()
        }
        "editor.open" => paths().map(|what| Doing::Opened { what }).collect(),
        "editor.close" => paths().map(|what| Doing::Closed { what }).collect(),
        "pane.close" | "pane.split" | "pane.move" | "pane.move_beside" | "layout.apply" => {
            vec![Doing::Arranged]
        }
        "workspace.git" if !changes_repository(&record.summary) => Vec::new(),
        "file.copy" | "file.create_folder" | "file.delete" | "file.move" | "file.restore"
        | "editor.discard" | "terminal.create" | "terminal.close" | "terminal.restart"
        | "terminal.interrupt" | "workspace.bash" | "workspace.git" => {
            vec![Doing::Did { what: short(&record.summary) }]
        }
        _ => Vec::new(),
    }
}

/// Whether a summary of git is of something else than a look. Pages look all the time.
fn changes_repository(summary: &str) -> bool {
    let words = summary.split_whitespace().skip_while(|word| *word == "git");
    let looks = ["status", "diff", "log", "show", "blame", "fetch", "branch", "tag", "remote"];
    words.take(1).any(|word| !looks.contains(&word))
}

/// What a tab is called.
fn name(key: &TabKey) -> String {
    if names_a_file(key.kind) {
        key.content_id.clone()
    } else {
        format!("{} {}", key.kind, key.content_id)
    }
}

/// The tab in front in the active pane.
fn front(layout: &Layout) -> Option<TabKey> {
    layout.front_of(layout.active_pane()).map(openspace_layout::Tab::key)
}

/// The lines of a selection as pages say it: `startLine:startColumn-endLine:endColumn`.
fn selected_lines(selection: &str) -> Option<(u32, u32)> {
    let line = |place: &str| place.split(':').next()?.parse().ok();
    let (start, end) = selection.split_once('-')?;
    (start != end).then_some((line(start)?, line(end)?))
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;

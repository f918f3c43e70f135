//! `workspace.bash`: run a shell command, to its end or in the background.

use std::{borrow::Cow, fmt::Write as _, time::Duration};

use openspace_command::{Caller, Command, Error, Intent, Line, Meta, Result, Set};
use openspace_host::{
    Conversation,
    operation::{Output, Program, Run},
};
use openspace_process::{Captured, Finished, FullOutput, LONGEST_COMMAND, Stream};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{sync::mpsc, time::Instant};

use super::{
    explaining, place_of_programs, recorded,
    runs::{Runs, Started},
};
use crate::{
    Cx, OpenSpace, metrics::Wall, paths::explained, permission::sources, refusal::refused, walls,
};

/// How long a command may run when the call does not say.
const DEFAULT_TIMEOUT_MS: u64 = 120_000;
/// How long a command may run at most, unless it runs in the background.
const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// Progress is told this often at most.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);
/// What is offered where something was refused and nobody knows by what.
const EXPLAIN: &str =
    "if the confinement may be the reason: `explain` runs it again and tells what was refused";
/// Characters of output in one report of progress.
const PROGRESS_TEXT: usize = 400;

/// Run a shell command.
///
/// In bash, without input or terminal. A non-zero exit code is no error. Output above 50 KB is cut;
/// `workspace.read` opens it all at `full_output`. What is left running is ended: servers need
/// `run_in_background`.
///
/// The command has a process group of its own. After `timeout_ms` it and everything it started is
/// ended, and the output so far is returned with `timed_out`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bash {
    /// The command line.
    #[serde(alias = "cmd", alias = "script")]
    command: String,
    /// Milliseconds until it is ended, else 120000.
    ///
    /// 3600000 at most. In the background there is no limit when left out, and none to what may be asked for.
    #[schemars(range(min = 1))]
    #[serde(alias = "timeout", alias = "timeoutMs")]
    timeout_ms: Option<u64>,
    /// Folder to run in.
    ///
    /// Relative to the root.
    #[serde(alias = "cwd", alias = "cd", alias = "directory")]
    workdir: Option<String>,
    /// What it is for.
    ///
    /// Goes to the record.
    #[serde(alias = "explanation")]
    description: Option<String>,
    /// Return at once with a `run_id`.
    #[serde(default, alias = "isBackground", alias = "is_background", alias = "background")]
    run_in_background: bool,
    /// Leave the confined place; asks.
    ///
    /// It changes nothing where there is no such place.
    #[serde(default)]
    outside: bool,
    /// With `outside`: why.
    reason: Option<String>,
    /// Tell what the confined place refuses it.
    ///
    /// It is watched, takes up to three times as long, and needs `strace`.
    #[serde(default)]
    explain: bool,
    /// Which workspace.
    ///
    /// The one of the IDE when left out.
    #[serde(alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

/// What came of a command.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "facts that a caller asks for one by one")]
pub struct Ran {
    /// What it printed on its standard output, at most 50 KB.
    stdout: String,
    /// What it printed on its standard error, at most 50 KB.
    stderr: String,
    /// Both in the order of arrival, when both have something; at most 50 KB.
    output: Option<String>,
    /// The exit code; absent when a signal ended it, or it runs in the background.
    exit_code: Option<i32>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// How long it ran.
    duration_ms: u64,
    /// Whether it was ended because its time was over.
    timed_out: bool,
    /// Whether any of the texts was cut.
    truncated: bool,
    /// How much it printed in all.
    total_bytes: u64,
    /// How many lines it printed in all.
    total_lines: u64,
    /// The file with everything it printed, when something was cut; `workspace.read` opens it.
    full_output: Option<String>,
    /// Why that file does not hold everything.
    full_output_incomplete: Option<String>,
    /// Whether it printed zero bytes, which show as U+FFFD.
    binary: bool,
    /// How many processes it left running; they were ended.
    left_behind: usize,
    /// Processes that could not be ended.
    survivors: Vec<u32>,
    /// The handle of a background run, for `workspace.run_output` and `workspace.run_kill`.
    run_id: Option<String>,
    /// The process of a background run.
    pid: Option<u32>,
    /// What the confined place refused it.
    refused: Vec<String>,
    /// Whether it was watched for that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    explained: bool,
    /// What may help.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Command<OpenSpace> for Bash {
    const META: Meta =
        Meta::new("workspace.bash", "Workspace: Run Command", Access::Execute).set(Set::Workspace);
    type Output = Ran;

    fn summary(&self) -> String {
        match &self.description {
            Some(description) => format!("{description}: {}", self.command),
            None => self.command.clone(),
        }
    }

    fn workspace(&self) -> Option<&str> {
        Some(recorded(self.workspace_id.as_ref()))
    }

    fn paths(&self) -> Vec<String> {
        self.workdir.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        if self.command.trim().is_empty() {
            return Err(Error::invalid("argument `command`: is empty"));
        }
        if self.command.contains('\0') {
            return Err(Error::invalid("argument `command`: contains a zero byte"));
        }
        if self.command.len() > LONGEST_COMMAND {
            return Err(Error::invalid(format!(
                "argument `command`: has {} bytes, and {LONGEST_COMMAND} are possible",
                self.command.len()
            ))
            .hint("write a script with workspace_write and run that"));
        }
        walls::check_reason(self.outside, self.reason.as_deref())?;
        if self.explain && (self.outside || self.run_in_background) {
            let message =
                "argument `explain`: goes neither with `outside` nor with `run_in_background`";
            return Err(Error::invalid(message));
        }
        match self.timeout_ms {
            Some(0) => Err(Error::invalid("argument `timeout_ms`: must be at least 1")),
            Some(timeout) if timeout > MAX_TIMEOUT_MS && !self.run_in_background => {
                Err(Error::invalid(format!("argument `timeout_ms`: must be 1 to {MAX_TIMEOUT_MS}"))
                    .hint("set run_in_background for what runs longer"))
            }
            _ => Ok(()),
        }
    }

    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        let workspace = self.workspace_id.as_deref();
        let line = Line { text: self.command.clone(), shell: "bash".into(), is_typed: false };
        Intent {
            site: walls::site(state, caller, workspace, self.outside),
            line: Some(line),
            folder: Some(self.workdir.clone().unwrap_or_else(|| ".".into())),
            reason: self.reason.clone(),
            ..Intent::default()
        }
    }

    async fn run(self, cx: Cx) -> Result<Ran> {
        walls::check_outside(&cx, self.workspace_id.as_deref(), self.outside)?;
        let workspace = self.workspace_id.as_deref();
        let place = place_of_programs(&cx, workspace, self.outside).await?;
        let workdir = self.workdir.as_deref().unwrap_or(".");
        let folder = place.facts().resolve(workdir).map_err(refused)?;
        let timeout_ms = match self.timeout_ms {
            None if !self.run_in_background => Some(DEFAULT_TIMEOUT_MS),
            given => given,
        };
        let mut program = Program {
            command: self.command,
            folder: folder.clone(),
            timeout_ms,
            environment: Vec::new(),
        };
        let is_beside = !self.outside && cx.state.workspaces().is_beside(&cx.caller, workspace)?;
        let mut watched = None;
        if self.explain {
            if !is_beside {
                return Err(Error::invalid("argument `explain`: nothing confines this program"));
            }
            let watching = explaining::watch(&place, program).await?;
            program = watching.program.clone();
            watched = Some(watching);
        }
        sources::check_unchanged(&cx, &place).await?;
        if self.run_in_background {
            let started = cx.state.service::<Runs>().start_program(&cx, &place, program).await?;
            return Ok(Ran::started(started));
        }
        let (items, told) = mpsc::channel(16);
        let conversation = Conversation { items: Some(items), ..Conversation::default() };
        let run = place.ask_with(Run { program }, conversation);
        let (finished, ()) = tokio::join!(run, report(&cx, told));
        match finished {
            Ok(finished) => {
                let mut ran = Ran::from(finished);
                let mut said = printed(&ran).to_owned();
                if let Some(watched) = &watched {
                    said.push('\n');
                    said.push_str(&watched.refusals(&place).await?);
                    ran.explained = true;
                }
                let has_failed = ran.exit_code.is_some_and(|code| code != 0);
                // Git goes on without what it could not note, and ends well.
                if has_failed || ran.explained || walls::git_complains(&said) {
                    ran.refused = walls::refused_in(&cx, workspace, &place, &folder, &said).await;
                    if !ran.refused.is_empty() {
                        cx.state.counts().refused(Wall::Confinement);
                    }
                }
                let is_unexplained = has_failed && ran.refused.is_empty() && !ran.explained;
                if is_beside && is_unexplained && explaining::sounds_refused(&said) {
                    ran.hint = Some(EXPLAIN.to_owned());
                }
                Ok(ran)
            }
            Err(error) => Err(explained(&place, error).await),
        }
    }

    fn text(ran: &Ran) -> Option<String> {
        Some(describe(ran))
    }

    fn exit_code(ran: &Ran) -> Option<u8> {
        // A shell counts signals from here.
        let code = ran.exit_code.or_else(|| ran.signal.map(|signal| 128 + signal))?;
        u8::try_from(code).ok()
    }
}

/// Tell what the command prints while it prints it.
async fn report(cx: &Cx, mut told: mpsc::Receiver<Output>) {
    let mut total = 0_u64;
    let mut last = None::<Instant>;
    // A secret that comes in pieces is one all the same.
    let mut masks = [cx.progress.stream(), cx.progress.stream()];
    while let Some(Output { stream, bytes }) = told.recv().await {
        total += bytes.len() as u64;
        let mut text = String::from_utf8_lossy(&bytes);
        if let Some(masks) = &mut masks[usize::from(stream == Stream::Stderr)] {
            text = Cow::Owned(masks.push(&text));
        }
        if last.is_some_and(|last| last.elapsed() < PROGRESS_EVERY) {
            continue;
        }
        last = Some(Instant::now());
        let from = text.ceil_char_boundary(text.len().saturating_sub(PROGRESS_TEXT));
        #[expect(clippy::cast_precision_loss, reason = "progress need not be exact")]
        cx.progress.report(total as f64, None, text[from..].trim_end());
    }
}

impl Ran {
    fn started(started: Started) -> Self {
        Self {
            stdout: String::new(),
            stderr: String::new(),
            output: None,
            exit_code: None,
            signal: None,
            duration_ms: 0,
            timed_out: false,
            truncated: false,
            total_bytes: 0,
            total_lines: 0,
            full_output: None,
            full_output_incomplete: None,
            binary: false,
            left_behind: 0,
            survivors: Vec::new(),
            run_id: Some(started.run_id),
            pid: Some(started.pid),
            refused: Vec::new(),
            explained: false,
            hint: None,
        }
    }
}

impl From<Finished> for Ran {
    fn from(finished: Finished) -> Self {
        let Finished { stdout, stderr, combined, full, .. } = finished;
        let truncated = stdout.truncated || stderr.truncated || combined.truncated;
        let both = stdout.total_bytes > 0 && stderr.total_bytes > 0;
        let (full_output, full_output_incomplete) = describe_full(full);
        let Captured { text, binary, total_bytes, total_lines, .. } = combined;
        Self {
            stdout: stdout.text,
            stderr: stderr.text,
            output: both.then_some(text),
            exit_code: finished.exit_code,
            signal: finished.signal,
            duration_ms: milliseconds(finished.duration),
            timed_out: finished.timed_out,
            truncated,
            total_bytes,
            total_lines,
            full_output,
            full_output_incomplete,
            binary,
            left_behind: finished.left_behind,
            survivors: finished.survivors,
            run_id: None,
            pid: None,
            refused: Vec::new(),
            explained: false,
            hint: None,
        }
    }
}

/// The path of a full output, and why it is not whole.
pub(super) fn describe_full(full: Option<FullOutput>) -> (Option<String>, Option<String>) {
    let Some(FullOutput { path, incomplete, .. }) = full else { return (None, None) };
    (Some(path.to_string_lossy().into_owned()), incomplete.map(|reason| reason.to_string()))
}

pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// All that it printed, in the order in which it did.
fn printed(ran: &Ran) -> &str {
    match (&ran.output, ran.stdout.is_empty()) {
        (Some(both), _) => both,
        (None, true) => &ran.stderr,
        (None, false) => &ran.stdout,
    }
}

fn describe(ran: &Ran) -> String {
    if let Some(run) = &ran.run_id {
        let process = ran.pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
        return format!(
            "Runs in the background as {run}{process}. Read it with workspace_run_output, end it with workspace_run_kill."
        );
    }
    let mut text = printed(ran).trim_end_matches('\n').to_owned();
    let mut add = |line: String| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
    };
    if ran.total_bytes == 0 {
        add("(no output)".into());
    }
    if ran.truncated {
        let mut line =
            format!("(cut: {} bytes in {} lines in all", ran.total_bytes, ran.total_lines);
        if let Some(path) = &ran.full_output {
            let _ = write!(line, "; the whole text is in {path}");
        }
        add(line + ")");
    }
    if ran.binary {
        add("(it printed zero bytes, shown as U+FFFD)".into());
    }
    if let Some(reason) = &ran.full_output_incomplete {
        add(format!("(the whole text could not be kept: {reason})"));
    }
    if ran.timed_out {
        add(format!(
            "(ended after {} ms: the time was over; a larger timeout_ms helps only if it was not waiting for input; run_in_background suits what does not end)",
            ran.duration_ms
        ));
    }
    if ran.left_behind > 0 {
        let processes = if ran.left_behind == 1 { "process" } else { "processes" };
        add(format!(
            "(ended with it: {} {processes} it left running; run_in_background keeps a program running)",
            ran.left_behind
        ));
    }
    if !ran.survivors.is_empty() {
        add(format!("(these processes could not be ended: {:?})", ran.survivors));
    }
    for refused in &ran.refused {
        add(format!("({refused})"));
    }
    if ran.explained && ran.refused.is_empty() {
        add("(watched: nothing was found that the confinement refused)".into());
    }
    if let Some(hint) = &ran.hint {
        add(format!("({hint})"));
    }
    if !ran.refused.is_empty() && ran.exit_code != Some(0) {
        add("(call again with `outside` and a `reason` to ask the person)".into());
    }
    match (ran.exit_code, ran.signal) {
        (Some(code), _) => add(format!("(exit code {code})")),
        (None, Some(signal)) => add(format!("(ended by signal {signal})")),
        (None, None) => add("(how it ended is not known)".into()),
    }
    text
}

//! `terminal.read_output`: what a terminal shows, for readers.

use openspace_command::{Command, Meta, Result};
use openspace_protocol::{Access, TerminalId};
use openspace_terminal::{self as host, ReadRequest, Reading, RedrawnLine, TerminalRead};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TerminalState, commands::live};
use crate::{Cx, OpenSpace, bounds::check_bounds, refusal::refused};

/// Lines given when none are asked for.
const DEFAULT_LINES: u32 = 100;
/// Lines a terminal remembers.
const MAX_LINES: u32 = 10_000;

/// What a terminal shows.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// The terminal.
    terminal_id: TerminalId,
    /// Finished lines, oldest first.
    output: Vec<String>,
    /// The line that is not finished: a prompt, a progress bar.
    partial: Option<String>,
    /// Text under that line, such as a menu or a status bar.
    below: Vec<String>,
    /// Pass it as `since` to get only what comes after.
    cursor: u64,
    /// The number of the first line given, counting all lines the terminal ever showed.
    first_line: u64,
    /// Whether there is more: newer lines with `since`, older ones without.
    more: bool,
    /// Lines after `since` that are lost, because a terminal remembers 10,000.
    dropped: u64,
    /// Lines given before that a program has redrawn since.
    redrawn: Vec<RedrawnLine>,
    /// Whether a full-screen program has taken the screen.
    alternate_screen: bool,
    /// What that program shows.
    screen: Option<Vec<String>>,
    /// How the terminal is.
    #[serde(flatten)]
    state: TerminalState,
}

/// Read what a terminal shows, as plain text.
///
/// Gives the newest lines, or with `since` exactly those finished after an earlier read.
///
/// Nothing is skipped or repeated then. Colours and control sequences are gone and progress bars
/// show their last state.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadOutput {
    /// Its id or title.
    terminal_id: String,
    /// Most lines; 100 when left out.
    #[schemars(range(min = 1, max = MAX_LINES))]
    lines: Option<u32>,
    /// The `cursor` of an earlier read or send.
    since: Option<u64>,
}

impl Command<OpenSpace> for ReadOutput {
    const META: Meta = Meta::new("terminal.read_output", "Terminal: Read Output", Access::Read);
    type Output = Output;

    fn summary(&self) -> String {
        format!("read {}", self.terminal_id)
    }

    fn check(&self) -> Result<()> {
        check_bounds("lines", self.lines, 1..=MAX_LINES)
    }

    async fn run(self, cx: Cx) -> Result<Output> {
        let lines = self.lines.unwrap_or(DEFAULT_LINES) as usize;
        read(&cx, &self.terminal_id, ReadRequest { lines, since: self.since }).await
    }

    fn text(output: &Output) -> Option<String> {
        Some(describe(output))
    }
}

async fn read(cx: &Cx, name: &str, request: ReadRequest) -> Result<Output> {
    let (id, terminal) = live(cx, name)?;
    let Reading { text: read, life } = terminal.read(request).await.map_err(refused)?;
    let state = match life {
        host::Life::Running { pid } => TerminalState::Running { pid },
        host::Life::Exited(exit) => TerminalState::Exited { code: exit.code, signal: exit.signal },
    };
    let TerminalRead {
        lines,
        first_line,
        cursor,
        partial,
        below,
        redrawn,
        dropped,
        more,
        alternate_screen,
        screen,
    } = read;
    Ok(Output {
        terminal_id: id,
        output: lines,
        partial,
        below,
        cursor,
        first_line,
        more,
        dropped,
        redrawn,
        alternate_screen,
        screen,
        state,
    })
}

fn describe(output: &Output) -> String {
    let mut text = output.output.join("\n");
    let mut add = |line: String| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
    };
    output.partial.iter().chain(&output.below).for_each(|line| add(line.clone()));
    if let Some(screen) = &output.screen {
        add(format!("(a full-screen program shows:)\n{}", screen.join("\n")));
    }
    for line in &output.redrawn {
        add(format!("(line {} was redrawn: {})", line.line, line.text));
    }
    if output.dropped > 0 {
        add(format!("({} older lines are lost)", output.dropped));
    }
    let state = match output.state {
        TerminalState::Running { .. } => "the shell runs".into(),
        TerminalState::Exited { code: Some(code), .. } => {
            format!("the shell exited with code {code}")
        }
        TerminalState::Exited { signal, .. } => {
            format!("the shell was ended by signal {}", signal.unwrap_or_default())
        }
        TerminalState::EndedWithServer => "the shell ended with the server".into(),
        TerminalState::Lost => "the shell was lost with its place".into(),
    };
    let more = if output.more { "; there is more" } else { "" };
    add(format!("({}: cursor={}; {state}{more})", output.terminal_id, output.cursor));
    text
}

//! `terminal.run` and `terminal.interrupt`: commands in a terminal that a person sees, with their
//! true end.

use std::{convert::Infallible, num::NonZeroU16, time::Duration};

use openspace_command::{Caller, CallerKind, Command, Error, Focus, Intent, Meta, Result};
use openspace_host::TerminalHandle;
use openspace_protocol::{Access, TerminalId};
use openspace_terminal::{Ended, InterruptWay, ReadRequest, RunOutcome, RunRequest, Wait};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};

use super::{
    Terminals,
    commands::{live, note_typing},
    typing,
};
use crate::{Cx, OpenSpace, bounds::check_bounds, permission::sources, refusal::refused};

/// Progress is told this often at most: each look hands out a cursor, and a terminal remembers some dozens.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);
/// Lines and characters of a terminal in one report of progress.
const PROGRESS_LINES: usize = 5;
const PROGRESS_TEXT: usize = 400;
/// How long a command is waited for when the call does not say.
const DEFAULT_TIMEOUT_MS: u64 = 120_000;
/// How long a command is waited for at most.
const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// How long a program must be quiet when the call does not say.
const DEFAULT_QUIET_MS: u64 = 1_000;
/// Lines of output that may be returned.
const MAX_LINES: u32 = 10_000;

/// What to wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitFor {
    /// The end of the command, or a full-screen program that takes over.
    #[default]
    Exit,
    /// No output for `quietMs`.
    Idle,
    /// A line in which `pattern` is found.
    Pattern,
    /// A program that accepts connections on `port`.
    Port,
}

/// Run a command in a terminal that the person sees, and wait for it.
///
/// Waits for its end and exit code, or until it is quiet, shows a pattern or listens on a port. After
/// `timeoutMs` it goes on; `terminal.read_output` reads on.
///
/// The command is typed at the prompt, so that the person sees it and can take over. The end of the
/// command always ends the wait. `terminal.interrupt` stops what goes on.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Run {
    /// Its id or title.
    #[serde(alias = "terminal_id", alias = "session_id")]
    terminal_id: String,
    /// The command.
    ///
    /// Several lines run as one.
    #[serde(alias = "cmd", alias = "text")]
    command: String,
    /// What to wait for.
    #[serde(default)]
    wait: WaitFor,
    /// With `pattern`: a regular expression.
    pattern: Option<String>,
    /// With `port`: a port of the loopback interface.
    port: Option<NonZeroU16>,
    /// With `idle`: milliseconds without output; 1000 when left out.
    #[schemars(range(max = MAX_TIMEOUT_MS))]
    #[serde(alias = "quiet_ms")]
    quiet_ms: Option<u64>,
    /// Most milliseconds to wait; 120000 when left out.
    #[schemars(range(min = 1, max = MAX_TIMEOUT_MS))]
    #[serde(alias = "timeout", alias = "timeout_ms")]
    timeout_ms: Option<u64>,
    /// Most lines; 200 when left out.
    ///
    /// The first and the last ones.
    #[schemars(range(min = 1, max = MAX_LINES))]
    lines: Option<u32>,
}

impl Run {
    fn wait(&self) -> Result<Wait> {
        let only = |name: &str| {
            Error::invalid(format!("argument `{name}`: goes with another kind of `wait`"))
        };
        if self.pattern.is_some() && self.wait != WaitFor::Pattern {
            return Err(only("pattern"));
        }
        if self.port.is_some() && self.wait != WaitFor::Port {
            return Err(only("port"));
        }
        if self.quiet_ms.is_some() && self.wait != WaitFor::Idle {
            return Err(only("quietMs"));
        }
        Ok(match self.wait {
            WaitFor::Exit => Wait::Exit,
            WaitFor::Idle => Wait::Idle { quiet_ms: self.quiet_ms.unwrap_or(DEFAULT_QUIET_MS) },
            WaitFor::Pattern => Wait::Pattern {
                pattern: self.pattern.clone().ok_or_else(|| {
                    Error::invalid("argument `pattern`: is missing, and `wait` is `pattern`")
                })?,
            },
            WaitFor::Port => Wait::Port {
                port: self.port.ok_or_else(|| {
                    Error::invalid("argument `port`: is missing, and `wait` is `port`")
                })?,
            },
        })
    }
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    /// The terminal.
    terminal_id: TerminalId,
    /// How far it has come.
    #[serde(flatten)]
    outcome: RunOutcome,
}

impl Command<OpenSpace> for Run {
    const META: Meta = Meta::new("terminal.run", "Terminal: Run Command", Access::Execute)
        .focus(Focus::Show)
        .parallel();
    type Output = Ran;

    fn summary(&self) -> String {
        format!("run in {}: {}", self.terminal_id, self.command)
    }

    fn check(&self) -> Result<()> {
        check_bounds("timeoutMs", self.timeout_ms, 1..=MAX_TIMEOUT_MS)?;
        check_bounds("quietMs", self.quiet_ms, 0..=MAX_TIMEOUT_MS)?;
        check_bounds("lines", self.lines, 1..=MAX_LINES)?;
        self.wait().map(drop)
    }

    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        typing::running(state, caller, &self.terminal_id, &self.command)
    }

    async fn run(self, cx: Cx) -> Result<Ran> {
        let (id, terminal) = live(&cx, &self.terminal_id)?;
        note_typing(&cx, id);
        let wait = self.wait()?;
        let terminals = cx.state.service::<Terminals>();
        let turn = terminals.typed.turn(id);
        let held = turn.lock().await;
        typing::check_judged(&cx, &self.intent(&cx.state, &cx.caller))?;
        sources::check_unchanged(&cx, cx.state.place()).await?;
        let request = RunRequest {
            command: self.command,
            wait,
            timeout_ms: self.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS),
            lines: self.lines.map_or_else(RunRequest::default_lines, |lines| lines as usize),
        };
        terminals.typed_by(id, cx.caller.kind, b"\n");
        let (told, is_typed) = oneshot::channel();
        let run = terminal.run(request, told);
        tokio::pin!(run);
        // What was looked at stands there until the keys are out: nobody else types in between.
        let ended = tokio::select! {
            biased;
            outcome = &mut run => Some(outcome.map_err(refused)?),
            Ok(()) = is_typed => None,
        };
        if cx.caller.kind == CallerKind::Agent {
            terminals.typed.note(id, "\n");
        }
        drop(held);
        let outcome = if let Some(outcome) = ended {
            outcome
        } else {
            tokio::select! {
                outcome = &mut run => outcome.map_err(refused)?,
                never = report(&cx, &terminal) => match never {},
            }
        };
        Ok(Ran { terminal_id: id, outcome })
    }

    fn text(ran: &Ran) -> Option<String> {
        Some(describe(ran))
    }

    fn exit_code(ran: &Ran) -> Option<u8> {
        ran.outcome.exit_code.and_then(|code| u8::try_from(code).ok())
    }
}

/// Tell what the terminal shows while the command runs.
async fn report(cx: &Cx, terminal: &TerminalHandle) -> Infallible {
    let started = Instant::now();
    let mut changed = terminal.changed();
    while changed.next().await {
        let request = ReadRequest { lines: PROGRESS_LINES, since: None };
        // A terminal that cannot be read says why where its run ends.
        if let Ok(read) = terminal.read(request).await {
            let lines: Vec<String> = read.text.lines.into_iter().chain(read.text.partial).collect();
            let text = lines.join("\n");
            let from = text.ceil_char_boundary(text.len().saturating_sub(PROGRESS_TEXT));
            cx.progress.report(started.elapsed().as_secs_f64(), None, text[from..].trim());
        }
        sleep(PROGRESS_EVERY).await;
    }
    std::future::pending().await
}

fn describe(ran: &Ran) -> String {
    let RunOutcome { ended, output, omitted_at, total_lines, cursor, .. } = &ran.outcome;
    let mut lines: Vec<String> = output.clone();
    if let Some(at) = *omitted_at {
        let left_out = total_lines.saturating_sub(output.len());
        lines.insert(at.min(lines.len()), format!("(… {left_out} lines left out …)"));
    }
    let id = ran.terminal_id;
    let code = ran.outcome.exit_code.map_or("unknown".into(), |code| code.to_string());
    lines.push(match ended {
        Ended::Exited => format!("({id}: exit code {code})"),
        Ended::NotRun => format!("({id}: the shell ran nothing)"),
        Ended::ShellEnded => format!("({id}: the shell itself ended with exit code {code})"),
        Ended::Idle if ran.outcome.running => {
            format!("({id}: quiet; it still runs; cursor={cursor})")
        }
        Ended::Idle => {
            format!("({id}: quiet; whether it still runs is not known; cursor={cursor})")
        }
        Ended::Matched => {
            let line = ran.outcome.matched.as_deref().unwrap_or_default();
            format!("({id}: the pattern was seen in `{line}`; cursor={cursor})")
        }
        Ended::PortOpen => format!("({id}: the port accepts connections; cursor={cursor})"),
        Ended::TimedOut => format!(
            "({id}: still runs; terminal_read_output since={cursor} goes on, terminal_interrupt stops it)"
        ),
        Ended::AlternateScreen => format!(
            "({id}: a full-screen program waits for keys; terminal_read_output shows it, terminal_send types)"
        ),
        Ended::Cancelled => format!("({id}: cancelled; the command may still run)"),
    });
    lines.join("\n")
}

/// Interrupt what runs in a terminal, as Ctrl-C does.
///
/// The shell itself goes on.
///
/// At the prompt it clears the line.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Interrupt {
    /// Its id or title.
    #[serde(alias = "terminal_id", alias = "session_id")]
    terminal_id: String,
}

/// What an interrupt did.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InterruptedTerminal {
    /// The terminal.
    terminal_id: TerminalId,
    /// By the interrupt key, by a signal to programs that do not look at it, or by nothing: at an
    /// empty prompt there is nothing to interrupt.
    how: InterruptWay,
    /// Whether the shell showed its prompt again soon.
    prompt_back: bool,
}

impl Command<OpenSpace> for Interrupt {
    const META: Meta =
        Meta::new("terminal.interrupt", "Terminal: Interrupt", Access::Execute).parallel();
    type Output = InterruptedTerminal;

    fn summary(&self) -> String {
        format!("interrupt {}", self.terminal_id)
    }

    /// What runs in a person's terminal is not an agent's to end.
    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        typing::untyped(state, caller, &self.terminal_id)
    }

    async fn run(self, cx: Cx) -> Result<InterruptedTerminal> {
        let (id, terminal) = live(&cx, &self.terminal_id)?;
        let interrupted = terminal.interrupt().await.map_err(refused)?;
        Ok(InterruptedTerminal {
            terminal_id: id,
            how: interrupted.how,
            prompt_back: interrupted.prompt_back,
        })
    }
}

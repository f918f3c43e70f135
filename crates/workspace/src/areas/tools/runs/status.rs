//! How a background run is, as data and in words.

use std::fmt::Write as _;

use openspace_process::{End, State, Status};
use schemars::JsonSchema;
use serde::Serialize;

use crate::areas::tools::bash::{describe_full, milliseconds};

/// How a background run is.
#[derive(Serialize, JsonSchema)]
pub struct RunStatus {
    /// Its handle.
    run_id: String,
    /// `running`, `ended`, or `lost` when how it ended cannot be known.
    state: &'static str,
    /// The process while it runs.
    pid: Option<u32>,
    /// The exit code, once it ended by itself.
    exit_code: Option<i32>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// Whether it was ended because its time was over.
    timed_out: bool,
    /// Whether it was ended by `workspace.run_kill`.
    killed: bool,
    /// How long it has run; absent when it is lost.
    duration_ms: Option<u64>,
    /// How much it has printed in all; absent when it is lost.
    total_bytes: Option<u64>,
    /// The file with everything it printed, once that is much; `workspace.read` opens it.
    full_output: Option<String>,
    /// Why that file does not hold everything.
    full_output_incomplete: Option<String>,
}

impl RunStatus {
    pub(super) fn of(run: u64, status: Status) -> Self {
        let Status { state, total_bytes, full, duration, .. } = status;
        let (full_output, full_output_incomplete) = describe_full(full);
        let (word, pid, end) = match state {
            State::Running { pid } => ("running", Some(pid), None),
            State::Ended(end) => ("ended", None, Some(end)),
            State::Lost { .. } => ("lost", None, None),
        };
        let end = end.unwrap_or(End {
            exit_code: None,
            signal: None,
            timed_out: false,
            killed: false,
            left_behind: 0,
            survivors: Vec::new(),
        });
        Self {
            run_id: format!("r{run}"),
            state: word,
            pid,
            exit_code: end.exit_code,
            signal: end.signal,
            timed_out: end.timed_out,
            killed: end.killed,
            duration_ms: Some(milliseconds(duration)),
            total_bytes: Some(total_bytes),
            full_output,
            full_output_incomplete,
        }
    }

    /// A run whose workspace was lost, and everything that was known of it.
    pub(super) fn lost(run: u64) -> Self {
        Self {
            run_id: format!("r{run}"),
            state: "lost",
            pid: None,
            exit_code: None,
            signal: None,
            timed_out: false,
            killed: false,
            duration_ms: None,
            total_bytes: None,
            full_output: None,
            full_output_incomplete: None,
        }
    }

    pub(super) fn describe(&self) -> String {
        let mut how = match (self.state, self.pid, self.exit_code, self.signal) {
            ("running", Some(pid), ..) => format!("runs as process {pid}, so far"),
            ("ended", _, Some(code), _) => format!("ended with exit code {code}, after"),
            ("ended", _, None, Some(signal)) => format!("was ended by signal {signal}, after"),
            (state, ..) => format!("is {state}"),
        };
        if let Some(milliseconds) = self.duration_ms {
            let _ = write!(how, " {milliseconds} ms");
        }
        if self.timed_out {
            how.push_str(": its time was over");
        }
        if self.killed {
            how.push_str(": by workspace_run_kill");
        }
        if let Some(bytes) = self.total_bytes {
            let _ = write!(how, "; {bytes} bytes printed");
        }
        if let Some(path) = &self.full_output {
            let _ = write!(how, ", all of it in {path}");
        }
        if let Some(reason) = &self.full_output_incomplete {
            let _ = write!(how, " (not everything: {reason})");
        }
        format!("{} {how}", self.run_id)
    }
}

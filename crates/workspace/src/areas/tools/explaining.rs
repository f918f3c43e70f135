//! Running a command once more to see what its place refuses it: every call to the kernel about a file that fails is
//! written down by `strace`.
//!
//! What is written down names suspects and proves nothing, as what a program prints does not: both sides of the wall are
//! asked about each (`walls::refused_in`). It takes up to three times as long, so nobody runs this way unasked.

use std::sync::atomic::{AtomicU64, Ordering};

use openspace_command::{Error, ErrorKind, Result};
use openspace_host::operation::{Program, Run};

use crate::{places::Place, refusal::refused};

/// Holds the command itself, so that nothing in it needs quotes.
const VARIABLE: &str = "OPENSPACE_EXPLAINED";
/// How long looking for the program and reading what it wrote may take.
const LOOKING_MS: u64 = 10_000;

/// Words with which programs say that something was refused, in small letters.
const COMPLAINTS: [&str; 6] = [
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "eacces",
    "eperm",
    "erofs",
];

/// A command that is watched.
pub(super) struct Watched {
    pub(super) program: Program,
    trace: String,
}

/// The same program, watched. The file is in the temporary folder of the place.
pub(super) async fn watch(place: &Place, program: Program) -> Result<Watched> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let found = print(place, &program, "command -v strace").await?;
    if found.trim().is_empty() {
        return Err(Error::new(
            ErrorKind::Unsupported,
            "`explain` needs the program `strace`, which is not there",
        )
        .hint("ask the person to install it (Debian: `apt-get install strace`)"));
    }
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let trace = format!("/tmp/openspace-trace-{}-{number}", std::process::id());
    let watched = format!(
        "exec strace --follow-forks --failed-only --seccomp-bpf --quiet=all --string-limit=4096 \
         --trace=%file --output={trace} -- bash -c \"${VARIABLE}\""
    );
    let mut program = program;
    program.environment.push((VARIABLE.into(), std::mem::replace(&mut program.command, watched)));
    Ok(Watched { program, trace })
}

impl Watched {
    /// What the kernel refused, the most telling at the end. What is not there is mostly looked for in many places,
    /// and counts only in the home.
    pub(super) async fn refusals(&self, place: &Place) -> Result<String> {
        let trace = &self.trace;
        let read = format!(
            "{{ grep -a ' ENOENT ' {trace} | grep -aF \"\\\"$HOME/\" | tail -n 15; \
             grep -aE '= -1 (EROFS|EACCES|EPERM|EBUSY) ' {trace} | tail -n 30; }} | tail -c 7000; rm -f {trace}"
        );
        print(place, &self.program, &read).await
    }
}

/// What a short command prints beside a program.
async fn print(place: &Place, beside: &Program, command: &str) -> Result<String> {
    let program = Program {
        command: command.to_owned(),
        folder: beside.folder.clone(),
        timeout_ms: Some(LOOKING_MS),
        environment: Vec::new(),
    };
    let finished = place.ask(Run { program }).await.map_err(refused)?;
    Ok(finished.stdout.text)
}

/// Whether what was printed sounds like a wall.
pub(super) fn sounds_refused(printed: &str) -> bool {
    let printed = printed.to_lowercase();
    COMPLAINTS.iter().any(|words| printed.contains(words))
}

//! Programs run for callers: start, output, every way to end.

mod endings;
mod output;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{Captured, Finished, LONGEST_COMMAND, Patience, ProcessError, Run, run};
use crate::tree::is_running;

/// Longer than anything here may take on a busy machine.
const FAR: Duration = Duration::from_mins(2);

pub(crate) struct Stage {
    _folder: TempDir,
    run: Run,
}

impl Stage {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        for name in ["work", "spill"] {
            std::fs::create_dir(path.join(name)).unwrap();
        }
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let run = Run {
            command: String::new(),
            cwd: path.join("work"),
            shell: PathBuf::from("/bin/bash"),
            base_env: vec![(OsString::from("PATH"), OsString::from("/usr/bin:/bin"))],
            timeout: Some(FAR),
            marker: format!("test-run-{}-{number}", std::process::id()),
            spill: path.join("spill"),
            patience: Patience { term_grace: Duration::from_millis(200), ..Patience::default() },
        };
        Self { _folder: folder, run }
    }

    pub(crate) fn command(&self, command: &str) -> Run {
        Run { command: command.to_owned(), ..self.run.clone() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.run.cwd.join(name)
    }

    fn spilled(&self) -> usize {
        self.run.spill.read_dir().unwrap().count()
    }

    async fn finish(&self, command: &str) -> Finished {
        run(&self.command(command), |_, _| {}, &CancellationToken::new()).await.unwrap()
    }

    async fn refuse(&self, run: Run) -> String {
        super::run(&run, |_, _| {}, &CancellationToken::new()).await.unwrap_err().to_string()
    }
}

fn captured(text: &str) -> Captured {
    Captured {
        text: text.to_owned(),
        truncated: false,
        binary: false,
        total_bytes: text.len() as u64,
        total_lines: text.lines().count() as u64,
    }
}

#[expect(clippy::disallowed_methods, reason = "a test looks at what the code under test did")]
pub(crate) fn content(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a test tells a running program to go on")]
pub(crate) fn touch(path: &Path) {
    std::fs::write(path, b"").unwrap();
}

pub(crate) fn numbers(range: std::ops::RangeInclusive<u32>) -> String {
    range.fold(String::new(), |text, number| text + &number.to_string() + "\n")
}

fn pids(captured: &Captured) -> Vec<u32> {
    captured.text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Waits until a condition holds that another process or thread brings about.
pub(crate) async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begin = std::time::Instant::now();
    while !holds() {
        assert!(begin.elapsed() < FAR, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_run_that_cannot_start_says_why() {
    let stage = Stage::new();
    let there = || stage.command("true");
    let missing = stage.path("missing");
    let file = stage.path("file");
    touch(&file);
    let cases = [
        (stage.command(" \n\t"), "the command is empty".to_owned()),
        (stage.command("echo a\0b"), "the command contains a zero byte".to_owned()),
        (
            stage.command(&"x".repeat(LONGEST_COMMAND + 1)),
            "the command has 1048577 bytes; 1048576 are possible".to_owned(),
        ),
        (
            Run { cwd: missing.clone(), ..there() },
            format!("the folder {} does not exist or is not a folder", missing.display()),
        ),
        (
            Run { cwd: file.clone(), ..there() },
            format!("the folder {} does not exist or is not a folder", file.display()),
        ),
        (Run { cwd: "work".into(), ..there() }, "work is not an absolute path".to_owned()),
        (
            Run { shell: missing.clone(), ..there() },
            format!("the shell {} does not exist", missing.display()),
        ),
        (
            Run { shell: file.clone(), ..there() },
            format!("the shell {} is not an executable file", file.display()),
        ),
        (
            Run { spill: missing.clone(), ..there() },
            format!(
                "the folder for full outputs {} does not exist or is not a folder",
                missing.display()
            ),
        ),
        (
            Run { marker: String::new(), ..there() },
            "a run needs a marker that is not empty".to_owned(),
        ),
    ];
    for (run, expected) in cases {
        assert_eq!(stage.refuse(run).await, expected);
    }
}

#[tokio::test]
async fn the_environment_is_the_given_one_and_what_keeps_programs_from_waiting() {
    let stage = Stage::new();
    let mut run = stage.command("env");
    run.base_env.extend([
        (OsString::from("EDITOR"), OsString::from("vi")),
        (OsString::from("GIVEN"), OsString::from("a b")),
    ]);
    let finished = super::run(&run, |_, _| {}, &CancellationToken::new()).await.unwrap();
    let mut variables: Vec<&str> = finished
        .stdout
        .text
        .lines()
        .filter(|line| !["PWD=", "OLDPWD=", "SHLVL=", "_="].iter().any(|own| line.starts_with(own)))
        .collect();
    variables.sort_unstable();
    let marker = format!("OPENSPACE_TERMINAL={}", run.marker);
    let expected = [
        "DEBIAN_FRONTEND=noninteractive",
        "EDITOR=true",
        "GIT_EDITOR=true",
        "GIT_PAGER=cat",
        "GIT_TERMINAL_PROMPT=0",
        "GIVEN=a b",
        &marker,
        "PAGER=cat",
        "PATH=/usr/bin:/bin",
        "TERM=dumb",
        "VISUAL=true",
    ];
    assert_eq!(variables, expected);
}

#[tokio::test]
async fn the_command_runs_in_its_folder_with_a_session_of_its_own() {
    let stage = Stage::new();
    let finished =
        stage.finish("pwd; read -r -a stat < /proc/$$/stat; echo $$ ${stat[4]} ${stat[5]}").await;
    let (folder, numbers) = finished.stdout.text.split_once('\n').unwrap();
    assert_eq!(Path::new(folder), stage.run.cwd);
    let numbers: Vec<&str> = numbers.split_whitespace().collect();
    assert_eq!(numbers, [numbers[0]; 3]);
}

#[tokio::test]
async fn a_command_that_waits_for_a_person_gets_no_answer_and_goes_on() {
    let stage = Stage::new();
    let finished =
        stage.finish("cat; read -r line; echo $?; (read -r line < /dev/tty) || echo none").await;
    assert_eq!(finished.stdout, captured("1\nnone\n"));
    assert!(finished.stderr.text.contains("/dev/tty"), "{}", finished.stderr.text);
}

#[tokio::test]
async fn a_command_of_the_greatest_length_runs_as_it_is_written() {
    let stage = Stage::new();
    let start = "printf '%s' \"$#:\"; cat <<'END' | wc -c\n";
    let end = "\nEND\n";
    let text = "é$1`\"".repeat((LONGEST_COMMAND - start.len() - end.len()) / 7);
    let finished = stage.finish(&format!("{start}{text}{end}")).await;
    assert_eq!(finished.stdout, captured(&format!("0:{}\n", text.len() + 1)));
    assert_eq!(finished.stderr, captured(""));
}

#[tokio::test]
async fn a_leading_sign_is_no_option_of_the_shell() {
    let stage = Stage::new();
    let finished = stage.finish("-x 2>/dev/null; echo $?").await;
    assert_eq!(finished.stdout, captured("127\n"));
}

#[tokio::test]
async fn a_run_cancelled_before_it_starts_runs_nothing() {
    let stage = Stage::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let result = run(&stage.command("touch here"), |_, _| {}, &cancel).await;
    assert!(matches!(result, Err(ProcessError::Cancelled)));
    assert!(!stage.path("here").exists());
}

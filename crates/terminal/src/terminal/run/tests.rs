//! Commands in real shells.

mod shells;
mod waits;

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::types::{Integration, ReadRequest, Size, Spawn, Status};

const NONCE: &str = "0123456789abcdef0123456789abcdef";
const ALL: [&str; 3] = ["bash", "zsh", "fish"];

/// A shell in a terminal, with a home of its own.
struct Stage {
    home: TempDir,
    folder: TempDir,
    terminal: Terminal,
}

impl Drop for Stage {
    fn drop(&mut self) {
        let marker = self.folder.path().display().to_string();
        drop(openspace_process::reap_marked(&marker));
    }
}

fn path_of(shell: &str) -> std::path::PathBuf {
    let found = ["/bin", "/usr/bin", "/usr/local/bin"].map(|folder| Path::new(folder).join(shell));
    found.into_iter().find(|path| path.exists()).unwrap_or_else(|| panic!("{shell} is missing"))
}

fn put(path: &Path, text: &str) {
    use std::io::Write as _;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    options.open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn stage_with(shell: &str, files: &[(&str, &str)], change: impl FnOnce(&mut Spawn)) -> Stage {
    let home = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    // Without one, zsh asks a new user what to do.
    put(&home.path().join(".zshrc"), "PS1='%# '\n");
    put(&home.path().join(".config/fish/config.fish"), "set -g fish_greeting\n");
    for (path, text) in files {
        put(&home.path().join(path), text);
    }
    let mut spawn = Spawn {
        shell: path_of(shell),
        args: Vec::new(),
        cwd: home.path().canonicalize().unwrap(),
        base_env: [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LANG", "C.UTF-8")]
            .map(|(name, value)| (name.into(), value.into()))
            .to_vec(),
        env: vec![("HOME".to_owned(), home.path().display().to_string())],
        size: Size { rows: 24, cols: 80 },
        marker: folder.path().display().to_string(),
        integration: Some(Integration {
            folder: folder.path().join("shell"),
            nonce: NONCE.to_owned(),
        }),
    };
    change(&mut spawn);
    let terminal = Terminal::spawn(&spawn).unwrap();
    Stage { home, folder, terminal }
}

fn stage(shell: &str) -> Stage {
    stage_with(shell, &[], |_| {})
}

fn request(command: &str, wait: Wait) -> RunRequest {
    RunRequest { command: command.to_owned(), wait, timeout_ms: 30_000, lines: 200 }
}

impl Stage {
    async fn try_run(&self, request: RunRequest) -> Result<RunOutcome, TerminalError> {
        let cancel = CancellationToken::new();
        let run = self.terminal.run(request, || (), &cancel);
        let mut outcome = timeout(Duration::from_mins(1), run).await.expect("a run never ends")?;
        outcome.duration_ms = 0;
        Ok(outcome)
    }

    async fn run_until(&self, command: &str, wait: Wait) -> RunOutcome {
        self.try_run(request(command, wait)).await.unwrap_or_else(|error| {
            panic!("{command}: {error}; the terminal reads {:?}", self.read())
        })
    }

    async fn run(&self, command: &str) -> RunOutcome {
        self.run_until(command, Wait::Exit).await
    }

    /// The exit code and the output of a command that has finished.
    async fn result(&self, command: &str) -> (Option<i32>, Vec<String>) {
        let outcome = self.run(command).await;
        assert_eq!((outcome.ended, outcome.running), (Ended::Exited, false), "{command}");
        (outcome.exit_code, outcome.output)
    }

    async fn refusal(&self, command: &str) -> String {
        self.try_run(request(command, Wait::Exit)).await.unwrap_err().to_string()
    }

    fn read(&self) -> Vec<String> {
        let read = self.terminal.read(ReadRequest { lines: usize::MAX, since: None }).unwrap();
        read.lines.into_iter().chain(read.partial).collect()
    }

    fn cwd(&self) -> String {
        self.home.path().canonicalize().unwrap().display().to_string()
    }

    async fn until(&self, reached: impl Fn(&Status) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        let look = |_: &Shared| reached(&self.terminal.status()).then_some(());
        let found = self.terminal.find(deadline, look).await;
        assert!(found.is_some(), "never reached; the terminal reads {:?}", self.read());
    }

    async fn at_prompt(&self) {
        self.until(|status| status.at_prompt == Some(true)).await;
    }

    async fn shows(&self, text: &str) {
        self.until(|_| self.read().iter().any(|line| line.contains(text))).await;
    }
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|&line| line.to_owned()).collect()
}

fn finished(code: i32, output: &[&str]) -> (Option<i32>, Vec<String>) {
    (Some(code), lines(output))
}

#[tokio::test]
async fn the_whole_outcome_of_a_command_is_true_in_every_shell() {
    for shell in ALL {
        let stage = stage(shell);
        let outcome = stage.run("printf 'one\\n\\ntwo\\n'; false").await;
        let expected = RunOutcome {
            ended: Ended::Exited,
            exit_code: Some(1),
            output: lines(&["one", "", "two"]),
            output_truncated: false,
            omitted_at: None,
            total_lines: 3,
            cursor: outcome.cursor,
            matched: None,
            running: false,
            alternate_screen: false,
            duration_ms: 0,
            cwd: Some(stage.cwd()),
        };
        assert_eq!(outcome, expected, "{shell}");
        let read = ReadRequest { lines: 10, since: Some(outcome.cursor) };
        assert_eq!(stage.terminal.read(read).unwrap().lines, Vec::<String>::new(), "{shell}");
    }
}

#[tokio::test]
async fn exit_codes_are_the_shells_own() {
    for shell in ALL {
        let stage = stage(shell);
        for (command, code) in [
            ("true", 0),
            ("false", 1),
            ("sh -c 'exit 42'", 42),
            ("no-such-program-anywhere", 127),
            ("sh -c 'kill -TERM $$'", 143),
            ("sh -c 'kill -INT $$'", 130),
            ("true", 0),
        ] {
            assert_eq!(stage.run(command).await.exit_code, Some(code), "{shell}: {command}");
        }
    }
}

#[tokio::test]
async fn output_is_exactly_what_a_person_sees() {
    for shell in ALL {
        let stage = stage(shell);
        let long = "x".repeat(200);
        for (command, output) in [
            ("printf abc".to_owned(), vec!["abc"]),
            ("printf 'a\\nb'".to_owned(), vec!["a", "b"]),
            ("true".to_owned(), vec![]),
            (
                "echo 'quoted \"text\"; $HOME \\ `x`' # é 中文 ✓".to_owned(),
                vec!["quoted \"text\"; $HOME \\ `x`"],
            ),
            ("echo é中文✓".to_owned(), vec!["é中文✓"]),
            (format!("echo {long}"), vec![long.as_str()]),
            ("printf '10%%\\r50%%\\rdone\\n'".to_owned(), vec!["done"]),
            ("printf '\\033[31mred\\033[0m\\n'".to_owned(), vec!["red"]),
            ("printf 'before\\n\\033[2J\\033[Hafter\\n'".to_owned(), vec!["before", "after"]),
            ("cat".to_owned() + " /dev/null", vec![]),
        ] {
            // zsh takes no comments at the prompt.
            let command =
                if shell == "zsh" { command.replace(" # é 中文 ✓", "") } else { command };
            assert_eq!(stage.result(&command).await, finished(0, &output), "{shell}: {command}");
        }
    }
}

#[tokio::test]
async fn several_lines_are_one_command() {
    for shell in ALL {
        let stage = stage(shell);
        let number = stage.terminal.commands().len();
        assert_eq!(
            stage.result("echo 1\necho 2\nfalse").await,
            finished(1, &["1", "2"]),
            "{shell}"
        );
        assert_eq!(stage.terminal.commands().len(), number + 1, "{shell}");
        assert_eq!(
            stage.result("echo 'a\n\tb'\n").await,
            finished(0, &["a", "        b"]),
            "{shell}"
        );
        if shell != "fish" {
            let here = "cat <<'END'\n$HOME \"x\"\n  y\nEND";
            assert_eq!(stage.result(here).await, finished(0, &["$HOME \"x\"", "  y"]), "{shell}");
            let script = "for i in 1 2\ndo\n  echo \"n$i\"\ndone";
            assert_eq!(stage.result(script).await, finished(0, &["n1", "n2"]), "{shell}");
        }
    }
}

#[tokio::test]
async fn long_output_keeps_its_first_and_last_lines() {
    for shell in ALL {
        let stage = stage(shell);
        let outcome = stage
            .try_run(RunRequest { lines: 6, ..request("seq 100000", Wait::Exit) })
            .await
            .unwrap();
        assert_eq!(outcome.output, ["1", "2", "3", "99998", "99999", "100000"], "{shell}");
        assert_eq!((outcome.total_lines, outcome.omitted_at), (100_000, Some(3)), "{shell}");
        assert!(outcome.output_truncated);
    }
}

#[tokio::test]
async fn very_long_commands_are_typed_whole() {
    for shell in ALL {
        let stage = stage(shell);
        let word = "w".repeat(9_000);
        let (code, output) = stage.result(&format!("printf %s {word} | wc -c")).await;
        assert_eq!((code, output[0].trim()), (Some(0), "9000"), "{shell}");
    }
}

#[tokio::test]
async fn what_cannot_be_typed_is_refused() {
    let stage = stage("bash");
    let long = "x".repeat(40_000);
    assert_eq!(stage.refusal(" \n ").await, "there is no command");
    assert_eq!(stage.refusal(&long).await, "the command has 40000 bytes; 32768 are the most");
    for (command, code) in [("a\0b", "0x00"), ("\x1b[201~\rrm", "0x1b"), ("a\x03", "0x03")] {
        let refused = stage.refusal(command).await;
        assert!(refused.contains(code), "{refused}");
    }
    assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]));
}

#[tokio::test]
async fn an_unfinished_command_is_taken_back() {
    for shell in ALL {
        let stage = stage(shell);
        for command in ["echo 'open", "begin_nothing \\"] {
            let refused = stage.refusal(command).await;
            assert_eq!(refused, TerminalError::NotStarted.to_string(), "{shell}: {command}");
        }
        assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]), "{shell}");
    }
}

#[tokio::test]
async fn a_line_that_runs_nothing_says_so() {
    let stage = stage("bash");
    assert_eq!(stage.result("false").await, finished(1, &[]));
    let comment = stage.run("# nothing").await;
    assert_eq!((comment.ended, comment.exit_code, comment.running), (Ended::NotRun, None, false));
    assert_eq!(comment.output, Vec::<String>::new());
    for command in ["fi", "echo 1\nfi"] {
        let wrong = stage.run(command).await;
        assert_eq!((wrong.ended, wrong.exit_code), (Ended::NotRun, None));
        assert_eq!(wrong.output[0], "bash: syntax error near unexpected token `fi'");
    }
}

#[tokio::test]
async fn the_folder_is_known_after_a_change() {
    for shell in ALL {
        let stage = stage(shell);
        assert_eq!(stage.run("cd /usr/lib").await.cwd.as_deref(), Some("/usr/lib"), "{shell}");
        assert_eq!(stage.terminal.status().cwd.as_deref(), Some("/usr/lib"), "{shell}");
        let folder = stage.home.path().canonicalize().unwrap().join("a;b \\x41 é");
        std::fs::create_dir(&folder).unwrap();
        let moved = stage.run(&format!("cd '{}'", folder.display())).await;
        let expected = folder.display().to_string();
        assert_eq!(moved.cwd, Some(expected), "{shell}");
    }
}

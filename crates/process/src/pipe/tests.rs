//! Programs with pipes: what passes, what is left at the end, and every way to end.

use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;

use super::*;
use crate::run::tests::eventually;
use crate::tree::is_running;

/// Longer than anything here may take on a busy machine.
const FAR: Duration = Duration::from_mins(2);

fn piped(folder: &TempDir, script: &str) -> Piped {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    Piped {
        program: "/bin/sh".into(),
        arguments: ["-c", script].map(OsString::from).to_vec(),
        cwd: folder.path().canonicalize().unwrap(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        marker: format!("test-pipe-{}-{number}", std::process::id()),
    }
}

async fn all(outflow: &mut Outflow) -> String {
    let (mut all, mut buffer) = (Vec::new(), [0; 1000]);
    loop {
        match outflow.read(&mut buffer).await {
            0 => return String::from_utf8(all).unwrap(),
            count => all.extend_from_slice(&buffer[..count]),
        }
    }
}

fn ended(exit_code: i32) -> Ended {
    Ended {
        exit_code: Some(exit_code),
        signal: None,
        stopped: false,
        left_behind: 0,
        survivors: Vec::new(),
    }
}

fn patience() -> Patience {
    Patience { drain_after_exit: FAR, ..Patience::default() }
}

#[tokio::test]
async fn bytes_go_in_and_come_out_of_each_stream_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let script = "read -r line; echo \"out $line\"; echo \"err $line\" >&2; exit 3";
    let mut program = connect(&piped(&folder, script)).unwrap();
    program.stdin.write_all(b"said\n").await.unwrap();
    assert_eq!(all(&mut program.stdout).await, "out said\n");
    assert_eq!(all(&mut program.stderr).await, "err said\n");
    let end = program.leader.ended(&Stop::default(), patience(), std::future::ready(())).await;
    assert_eq!(end.unwrap(), ended(3));
    assert!(program.over.is_cancelled());
}

#[tokio::test]
async fn a_character_that_is_not_whole_is_not_held_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut program =
        connect(&piped(&folder, "printf '\\303'; read -r line; printf '\\244'")).unwrap();
    let mut buffer = [0; 10];
    assert_eq!((program.stdout.read(&mut buffer).await, buffer[0]), (1, 0xc3));
    program.stdin.write_all(b"\n").await.unwrap();
    assert_eq!((program.stdout.read(&mut buffer).await, buffer[0]), (1, 0xa4));
    assert_eq!(program.stdout.read(&mut []).await, 0);
    assert_eq!(program.stdout.read(&mut buffer).await, 0);
}

#[tokio::test]
async fn what_lies_in_the_pipe_at_the_end_is_read_and_nothing_after_it() {
    // The other end stays open, as a process that nobody finds would keep it.
    let (mut writer, reader) = tokio::net::unix::pipe::pipe().unwrap();
    let over = CancellationToken::new();
    let mut outflow = Outflow { source: Some(Box::new(reader)), left: None, over: over.clone() };
    writer.write_all(b"before").await.unwrap();
    let mut buffer = [0; 2];
    assert_eq!((outflow.read(&mut buffer).await, &buffer), (2, b"be"));
    over.cancel();
    assert_eq!((outflow.read(&mut buffer).await, &buffer), (2, b"fo"));
    writer.write_all(b"after").await.unwrap();
    assert_eq!(outflow.read(&mut []).await, 0);
    assert_eq!((outflow.read(&mut buffer).await, &buffer), (2, b"re"));
    assert_eq!(outflow.read(&mut buffer).await, 0);
    writer.write_all(b"after").await.unwrap_err();
}

#[tokio::test]
async fn everything_it_started_ends_when_it_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let script = "setsid sleep 1000 & child=$!; trap '' TERM; echo $child; sleep 1000";
    let mut program = connect(&piped(&folder, script)).unwrap();
    let mut buffer = [0; 100];
    let count = program.stdout.read(&mut buffer).await;
    let child: u32 = std::str::from_utf8(&buffer[..count]).unwrap().trim().parse().unwrap();
    let stop = Stop::default();
    // The last word counts where it is the more urgent one.
    stop.within(FAR);
    let end = tokio::spawn({
        let stop = stop.clone();
        async move { program.leader.ended(&stop, patience(), std::future::pending()).await }
    });
    eventually("the child hears of it", || !is_running(child)).await;
    assert!(is_running(program.pid));
    stop.within(Duration::from_millis(10));
    stop.within(FAR);
    let expected = Ended { exit_code: None, signal: Some(9), stopped: true, ..ended(0) };
    assert_eq!(end.await.unwrap().unwrap(), expected);
    assert!(!is_running(program.pid));
}

#[tokio::test]
async fn what_outlives_it_is_ended_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = connect(&piped(&folder, "setsid sleep 1000 & echo $!")).unwrap();
    let mut buffer = [0; 100];
    let count = program.stdout.read(&mut buffer).await;
    let child: u32 = std::str::from_utf8(&buffer[..count]).unwrap().trim().parse().unwrap();
    let impatient = Patience { drain_after_exit: Duration::ZERO, ..patience() };
    let end = program.leader.ended(&Stop::default(), impatient, std::future::pending()).await;
    assert_eq!(end.unwrap(), Ended { left_behind: 1, ..ended(0) });
    assert!(!is_running(child));
    assert_eq!(program.stdout.read(&mut buffer).await, 0);
}

#[tokio::test]
async fn a_program_that_is_dropped_ends() {
    let folder = tempfile::tempdir().unwrap();
    let program = connect(&piped(&folder, "exec sleep 1000")).unwrap();
    let pid = program.pid;
    assert!(is_running(pid));
    drop(program);
    eventually("it ends", || !is_running(pid)).await;
}

#[test]
fn an_environment_is_made_of_the_old_one_what_is_missing_and_what_is_new() {
    let base: Vec<(OsString, OsString)> = [("A", "1"), ("B", "2"), ("C", "3"), ("PAGER", "less")]
        .map(|(n, v)| (n.into(), v.into()))
        .into();
    let with = [("B", "x"), ("D", ""), ("EDITOR", "ed")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    let made = environment(&base, &["C".to_owned(), "TERM".to_owned()], &with).unwrap();
    let mut made: Vec<String> = made
        .iter()
        .map(|(name, value)| format!("{}={}", name.display(), value.display()))
        .collect();
    made.sort();
    assert_eq!(
        made,
        [
            "A=1",
            "B=x",
            "D=",
            "DEBIAN_FRONTEND=noninteractive",
            "EDITOR=ed",
            "GIT_EDITOR=true",
            "GIT_PAGER=cat",
            "GIT_TERMINAL_PROMPT=0",
            "PAGER=cat",
            "VISUAL=true",
        ]
    );
    for name in ["", "A=B", "A\0"] {
        let expected = format!("{name:?} cannot be the name of a variable");
        let without = environment(&base, &[name.to_owned()], &[]).unwrap_err();
        let with = environment(&base, &[], &[(name.to_owned(), String::new())]).unwrap_err();
        assert_eq!([without.to_string(), with.to_string()], [expected.clone(), expected]);
    }
}

#[test]
fn what_cannot_be_started_is_refused_without_the_value_of_a_variable() {
    let folder = tempfile::tempdir().unwrap();
    let there = || piped(&folder, "true");
    let environment = vec![("KEY".into(), "s3cret\0".into())];
    let arguments = ["a", "b\0"].map(OsString::from).to_vec();
    let cases = [
        (Piped { arguments, ..there() }, "argument 2 contains a zero byte"),
        (Piped { environment, ..there() }, "the variable KEY contains a zero byte"),
        (Piped { marker: String::new(), ..there() }, "a run needs a marker that is not empty"),
        (Piped { program: "sh".into(), ..there() }, "sh is not an absolute path"),
        (Piped { cwd: "here".into(), ..there() }, "here is not an absolute path"),
        (
            Piped { cwd: "/no/such".into(), ..there() },
            "the folder /no/such does not exist or is not a folder",
        ),
    ];
    for (wanted, expected) in cases {
        assert_eq!(check(&wanted).unwrap_err().to_string(), expected);
    }
}

#[tokio::test]
async fn what_the_system_does_not_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let there = || piped(&folder, "true");
    let long = OsString::from("x".repeat(200_000));
    let cases = [
        (
            Piped { program: "/no/such".into(), ..there() },
            "the program /no/such could not be started: No such file or directory (os error 2)",
        ),
        (
            Piped { program: "/etc/passwd".into(), ..there() },
            "the program /etc/passwd could not be started: Permission denied (os error 13)",
        ),
        (
            Piped { arguments: vec![long], ..there() },
            "the program /bin/sh could not be started: Argument list too long (os error 7)",
        ),
    ];
    for (wanted, expected) in cases {
        assert_eq!(connect(&wanted).err().unwrap().to_string(), expected);
    }
}

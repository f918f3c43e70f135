//! Terminals on real PTYs.

use std::time::Duration;

use openspace_process::{is_running, reap_marked};
use tokio::time::timeout;

use super::*;

const SIZE: Size = Size { rows: 24, cols: 80 };

fn shell(arguments: &[&str], marker: &str) -> Spawn {
    Spawn {
        shell: "/bin/sh".into(),
        args: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        cwd: "/".into(),
        base_env: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
        env: vec![("PS1".to_owned(), "$ ".to_owned())],
        size: SIZE,
        marker: format!("{marker}-{}", std::process::id()),
        integration: None,
    }
}

fn script(script: &str, marker: &str) -> Terminal {
    Terminal::spawn(&shell(&["-c", script], marker)).unwrap()
}

/// Waits until the terminal is as asked, however long each step takes, but not for ever.
async fn until(terminal: &Terminal, mut reached: impl FnMut(&Terminal) -> bool) {
    let mut changed = terminal.changed();
    let waiting = async {
        while !reached(terminal) {
            changed.changed().await.unwrap();
        }
    };
    let reached = timeout(Duration::from_secs(20), waiting).await;
    assert!(reached.is_ok(), "never reached; the terminal reads {:?}", all(terminal));
}

fn exited(terminal: &Terminal) -> bool {
    matches!(terminal.status().life, Life::Exited(_))
}

fn all(terminal: &Terminal) -> TerminalRead {
    terminal.read(ReadRequest { lines: usize::MAX, since: None }).unwrap()
}

fn shows(text: &str) -> impl FnMut(&Terminal) -> bool {
    move |terminal| {
        let read = all(terminal);
        read.lines.iter().chain(&read.partial).any(|line| line == text)
    }
}

fn code(code: i32) -> Life {
    Life::Exited(Exit { code: Some(code), signal: None })
}

fn pid(terminal: &Terminal) -> u32 {
    match terminal.status().life {
        Life::Running { pid } => pid,
        Life::Exited(exit) => panic!("already ended: {exit:?}"),
    }
}

/// Reads a number that the program printed on a line `name=number`.
fn printed(terminal: &Terminal, name: &str) -> Option<u32> {
    let prefix = format!("{name}=");
    all(terminal).lines.iter().find_map(|line| line.strip_prefix(&prefix)?.parse().ok())
}

#[tokio::test]
async fn what_a_program_prints_is_read_and_what_is_typed_without_echo_is_not() {
    let terminal = script("stty -echo; echo ready; read secret; echo ${#secret} letters", "typed");
    until(&terminal, shows("ready")).await;
    terminal.write(b"swordfish\n").await.unwrap();
    until(&terminal, exited).await;
    assert_eq!(all(&terminal).lines, ["ready", "9 letters"]);
}

#[tokio::test]
async fn a_shared_shell_answers_what_is_typed() {
    let terminal = Terminal::spawn(&shell(&[], "shared")).unwrap();
    until(&terminal, shows("$")).await;
    terminal.write(b"echo $((6 * 7)) $TERM\n").await.unwrap();
    until(&terminal, shows("42 xterm-256color")).await;
    terminal.kill().await.unwrap();
}

#[tokio::test]
async fn the_output_of_a_very_short_program_is_whole_and_its_end_is_true() {
    for number in 0..30 {
        let terminal = script(&format!("printf 'line {number}\\nrest'; exit {number}"), "short");
        until(&terminal, exited).await;
        let read = all(&terminal);
        assert_eq!(terminal.status().life, code(number));
        assert_eq!(read.lines, [format!("line {number}")]);
        assert_eq!(read.partial.as_deref(), Some("rest"));
    }
}

#[tokio::test]
async fn the_last_output_of_a_long_program_is_not_lost() {
    let terminal = script("seq 1 30000", "long");
    until(&terminal, exited).await;
    let read = all(&terminal);
    let expected: Vec<String> =
        (read.first_line + 1..=30_000).map(|number| number.to_string()).collect();
    assert_eq!(read.lines, expected);
    assert!(read.lines.len() >= 10_000);
}

#[tokio::test]
async fn a_signal_is_told_from_an_exit_code() {
    let terminal = script("kill -TERM $$", "signal");
    until(&terminal, exited).await;
    assert_eq!(terminal.status().life, Life::Exited(Exit { code: None, signal: Some(15) }));
}

#[tokio::test]
async fn the_shell_ends_although_its_child_holds_the_device() {
    let terminal = script("sleep 1000 & echo child=$!; exit 3", "holder");
    until(&terminal, exited).await;
    assert_eq!(terminal.status().life, code(3));
    let child = printed(&terminal, "child").unwrap();
    terminal.kill().await.unwrap();
    assert!(!is_running(child));
}

#[tokio::test]
async fn an_ended_terminal_takes_no_input_and_no_size() {
    let terminal = script("exit 0", "ended");
    until(&terminal, exited).await;
    assert!(matches!(terminal.write(b"x").await, Err(TerminalError::Ended)));
    assert!(matches!(terminal.resize(SIZE), Err(TerminalError::Ended)));
    terminal.kill().await.unwrap();
}

#[tokio::test]
async fn a_program_that_does_not_read_blocks_no_writer_for_ever() {
    let terminal = script("stty raw -echo; echo ready; exec sleep 1000", "unread");
    until(&terminal, |terminal| !all(terminal).lines.is_empty()).await;
    let bytes = vec![b'x'; 1024 * 1024];
    let Err(TerminalError::WriteBlocked { taken, size }) = terminal.write(&bytes).await else {
        panic!("a megabyte was taken by a program that reads nothing");
    };
    assert_eq!(size, bytes.len());
    assert!(0 < taken && taken < size, "{taken}");
    terminal.kill().await.unwrap();
}

#[tokio::test]
async fn much_input_reaches_a_program_that_reads() {
    let terminal = script("stty raw -echo; printf 'ready\\r\\n'; head -c 300000 | wc -c", "input");
    until(&terminal, shows("ready")).await;
    terminal.write(&vec![b'x'; 300_000]).await.unwrap();
    until(&terminal, shows("300000")).await;
    until(&terminal, exited).await;
}

#[tokio::test]
async fn a_program_sees_the_new_size() {
    let terminal =
        script("trap 'stty size' WINCH; echo ready; while :; do sleep 0.02; done", "size");
    until(&terminal, shows("ready")).await;
    terminal.resize(Size { rows: 40, cols: 100 }).unwrap();
    until(&terminal, shows("40 100")).await;
    assert_eq!(terminal.status().size, Size { rows: 40, cols: 100 });
    terminal.kill().await.unwrap();
}

#[tokio::test]
async fn impossible_sizes_are_refused() {
    let terminal = script("exec sleep 1000", "sizes");
    for (rows, cols) in [(0, 80), (24, 0), (1, 80), (501, 80), (24, 1001)] {
        let refused = terminal.resize(Size { rows, cols });
        assert!(matches!(refused, Err(TerminalError::Size { .. })), "{rows} by {cols}");
    }
    terminal.kill().await.unwrap();
}

#[tokio::test]
async fn each_reason_not_to_start_has_its_own_error() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    tempfile::NamedTempFile::new_in(&folder).unwrap().persist(&text).unwrap();
    let spawn = |change: &dyn Fn(&mut Spawn)| {
        let mut spawn = shell(&[], "refused");
        change(&mut spawn);
        Terminal::spawn(&spawn).err().map(|error| error.to_string())
    };
    let missing = folder.path().join("missing");
    assert_eq!(
        spawn(&|spawn| spawn.shell.clone_from(&missing)),
        Some(TerminalError::ShellMissing(missing.clone()).to_string())
    );
    assert_eq!(
        spawn(&|spawn| spawn.shell.clone_from(&text)),
        Some(TerminalError::ShellNotExecutable(text.clone()).to_string())
    );
    assert_eq!(
        spawn(&|spawn| spawn.cwd.clone_from(&missing)),
        Some(TerminalError::FolderMissing(missing.clone()).to_string())
    );
    assert_eq!(
        spawn(&|spawn| spawn.shell = "sh".into()),
        Some(TerminalError::PathRelative("sh".into()).to_string())
    );
    assert_eq!(spawn(&|spawn| spawn.marker.clear()), Some(TerminalError::MarkerEmpty.to_string()));
}

#[tokio::test]
async fn the_shell_sees_the_given_environment_and_nothing_else() {
    let terminal = script("/usr/bin/env | /usr/bin/sort", "environment");
    until(&terminal, exited).await;
    let marker = format!("OPENSPACE_TERMINAL=environment-{}", std::process::id());
    let lines = all(&terminal).lines;
    let ours: Vec<&String> = lines
        .iter()
        .filter(|line| !["_=", "PWD=", "OLDPWD=", "SHLVL="].iter().any(|own| line.starts_with(own)))
        .collect();
    assert_eq!(
        ours,
        [
            "COLORTERM=truecolor",
            &marker,
            "PATH=/usr/local/bin:/usr/bin:/bin",
            "PS1=$",
            "TERM=xterm-256color"
        ]
    );
}

#[tokio::test]
async fn a_question_is_answered_when_nobody_watches() {
    let ask = "stty raw -echo; printf 'ab\\033[6n'; answer=$(head -c 6); stty sane; \
               printf '\\n%s\\n' \"$answer\" | tr -d '\\033'";
    let terminal = script(ask, "question");
    until(&terminal, exited).await;
    assert_eq!(all(&terminal).lines, ["ab", "[1;3R"]);
}

#[tokio::test]
async fn an_attached_view_answers_itself() {
    let ask = "stty raw -echo; printf 'go\\r\\n'; head -c 1 >/dev/null; printf '\\033[5n'; \
               head -c 1; printf '\\r\\n'";
    let terminal = script(ask, "view");
    until(&terminal, shows("go")).await;
    let view = terminal.attach(0);
    terminal.write(b".").await.unwrap();
    terminal.write(b"v").await.unwrap();
    until(&terminal, exited).await;
    drop(view);
    assert_eq!(all(&terminal).lines, ["go", "v"]);
}

/// Who answers, by what each view was told; each hears it only when it changes.
async fn told(views: &mut [&mut Attachment]) -> Vec<Option<bool>> {
    let mut all = Vec::new();
    for view in views {
        let mut told = None;
        loop {
            tokio::select! {
                biased;
                chunk = view.next() => {
                    if let Some(Chunk::Answers(answers)) = chunk {
                        assert_eq!(told.replace(answers), None);
                    }
                }
                () = std::future::ready(()) => break,
            }
        }
        all.push(told);
    }
    all
}

#[tokio::test]
async fn of_several_views_the_one_that_was_typed_in_last_answers() {
    let terminal = script("read line", "answers");
    let mut first = terminal.attach(1);
    assert_eq!(told(&mut [&mut first]).await, [Some(true)]);
    let mut second = terminal.attach(2);
    assert_eq!(told(&mut [&mut first, &mut second]).await, [Some(false), Some(true)]);
    terminal.worked_in(2);
    assert_eq!(told(&mut [&mut first, &mut second]).await, [None, None]);
    terminal.worked_in(1);
    assert_eq!(told(&mut [&mut first, &mut second]).await, [Some(true), Some(false)]);
    let mut third = terminal.attach(3);
    assert_eq!(told(&mut [&mut first, &mut second]).await, [Some(false), None]);
    assert_eq!(told(&mut [&mut third]).await, [Some(true)]);
    drop(third);
    assert_eq!(told(&mut [&mut first, &mut second]).await, [None, Some(true)]);
    terminal.kill().await.unwrap();
}

/// Ends what a failing test would leave behind.
struct Cleanup(String);

impl Drop for Cleanup {
    fn drop(&mut self) {
        drop(reap_marked(&self.0));
    }
}

#[tokio::test]
async fn killing_takes_the_whole_tree() {
    let _cleanup = Cleanup(format!("tree-{}", std::process::id()));
    let terminal = Terminal::spawn(&Spawn {
        args: vec![
            "-c".to_owned(),
            "sleep 1000 & echo child=$!
             setsid sh -c 'echo daemon=$$; exec sleep 1000' &
             nohup sh -c 'trap \"\" HUP TERM; while :; do sleep 0.1; done' >/dev/null 2>&1 &
             echo stubborn=$!
             env -i setsid sh -c 'echo unmarked=$$; exec sleep 1000' &
             (sh -c 'kill -STOP $$' & echo stopped=$!; wait)"
                .to_owned(),
        ],
        ..shell(&[], "tree")
    })
    .unwrap();
    let names = ["child", "daemon", "stubborn", "unmarked", "stopped"];
    until(&terminal, |terminal| names.iter().all(|name| printed(terminal, name).is_some())).await;
    let mut pids: Vec<u32> = names.iter().filter_map(|name| printed(&terminal, name)).collect();
    pids.push(pid(&terminal));
    terminal.kill().await.unwrap();
    pids.retain(|&pid| is_running(pid));
    assert_eq!(pids, Vec::<u32>::new());
    assert!(exited(&terminal));
}

#[tokio::test]
async fn the_title_of_a_program_is_known() {
    let terminal = script("printf '\\033]0;building \\342\\234\\223\\007'", "title");
    until(&terminal, exited).await;
    assert_eq!(terminal.status().title, "building ✓");
}

/// What a view shows that plays the chunks of an attachment.
struct Screen {
    parser: vt100::Parser,
    lagged: usize,
}

impl Screen {
    async fn play(attachment: &mut Attachment) -> Self {
        let rows = SIZE.rows.try_into().unwrap();
        let columns = SIZE.cols.try_into().unwrap();
        let mut screen = Self { parser: vt100::Parser::new(rows, columns, 0), lagged: 0 };
        let mut ended = false;
        while let Some(chunk) = attachment.next().await {
            assert!(!ended, "a chunk after the end");
            match chunk {
                Chunk::Repaint { bytes, size } => {
                    assert_eq!(size, SIZE);
                    screen.parser.process(&bytes);
                }
                Chunk::Output(bytes) => screen.parser.process(&bytes),
                Chunk::Lagged => screen.lagged += 1,
                Chunk::Answers(_) => {}
                Chunk::Ended(_) => ended = true,
                Chunk::Resized(_) => panic!("nobody changed the size"),
            }
        }
        assert!(ended);
        screen
    }

    fn state(&self) -> String {
        self.parser.screen().state_formatted()
    }
}

const COLOURFUL: &str = "i=0; while [ $i -lt 400 ]; do i=$((i + 1)); \
     printf '\\033[3%dmline %d\\033[0m \\342\\234\\223 wide \\344\\270\\255\\r\\n' $((i % 8)) $i; \
     done; printf '\\033[5;10Hend'";

#[tokio::test]
async fn views_that_join_at_any_time_show_the_same() {
    let terminal = script(COLOURFUL, "join");
    let mut views = vec![terminal.attach(0)];
    let mut changed = terminal.changed();
    while !exited(&terminal) {
        timeout(Duration::from_secs(20), changed.changed()).await.unwrap().unwrap();
        views.push(terminal.attach(views.len() as u64));
    }
    views.push(terminal.attach(views.len() as u64));
    let mut states = Vec::new();
    for view in &mut views {
        let screen = Screen::play(view).await;
        assert_eq!(screen.lagged, 0);
        states.push(screen.state());
    }
    states.dedup();
    assert_eq!(states.len(), 1);
}

#[tokio::test]
async fn a_slow_view_loses_output_but_not_the_screen() {
    let terminal = script("seq 1 400000; printf '\\033[5;10Hend'", "slow");
    let mut slow = terminal.attach(0);
    until(&terminal, exited).await;
    let screen = Screen::play(&mut slow).await;
    assert_eq!(screen.lagged, 1);
    let fresh = Screen::play(&mut terminal.attach(1)).await;
    assert_eq!(screen.state(), fresh.state());
}

#[tokio::test]
async fn many_terminals_run_at_once() {
    let terminals: Vec<Terminal> =
        (0..60).map(|number| script(&format!("echo hello {number}"), "many")).collect();
    for (number, terminal) in terminals.iter().enumerate() {
        until(terminal, exited).await;
        assert_eq!(all(terminal).lines, [format!("hello {number}")]);
    }
}

#[tokio::test]
async fn the_end_is_never_read_without_the_last_lines() {
    for number in 0..30 {
        let terminal = script(&format!("seq 1 200; echo last {number}"), "last");
        let request = ReadRequest { lines: 1, since: None };
        until(&terminal, |terminal| {
            let Reading { text, life } = terminal.look(request).unwrap();
            let ended = matches!(life, Life::Exited(_));
            assert!(!ended || text.lines == [format!("last {number}")], "{text:?}");
            ended
        })
        .await;
    }
}

#[tokio::test]
async fn answers_reach_a_program_that_reads_them_late() {
    // More than the device takes at once.
    let asks = "stty raw -echo; printf '\\033[6n%.0s' $(seq 3000); got=$(head -c 18000 | wc -c); \
                stty sane; echo got=$got";
    let terminal = script(asks, "late");
    until(&terminal, exited).await;
    let lines = all(&terminal).lines;
    assert_eq!(lines.last().map(String::as_str), Some("got=18000"), "{lines:?}");
}

#[tokio::test]
async fn an_answer_does_not_come_between_what_is_typed() {
    let program = r#"
import os, tty
tty.setraw(0)
os.write(1, b"ready\r\n")
got = os.read(0, 1)
os.write(1, b"\x1b[6n")
while len(got) < 20006:
    got += os.read(0, 65536)
os.write(1, b"answer at %d of %d\r\n" % (got.index(b"\x1b"), len(got)))
"#;
    let spawn = Spawn { shell: "/usr/bin/python3".into(), ..shell(&["-c", program], "between") };
    let terminal = Terminal::spawn(&spawn).unwrap();
    until(&terminal, shows("ready")).await;
    terminal.write(&vec![b'x'; 20_000]).await.unwrap();
    until(&terminal, exited).await;
    assert_eq!(all(&terminal).lines, ["ready", "answer at 20000 of 20006"]);
}

//! Background runs: reads neither skip nor repeat, ends are told.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::run::tests::{Stage, content, eventually, numbers, touch};
use crate::text::unfinished;

const FAR: Duration = Duration::from_mins(2);

fn end(exit_code: Option<i32>, signal: Option<i32>) -> End {
    End {
        exit_code,
        signal,
        timed_out: false,
        killed: false,
        left_behind: 0,
        survivors: Vec::new(),
    }
}

/// Reads to the end of what is there.
async fn rest(background: &Background, mut since: u64) -> (String, u64) {
    let mut text = String::new();
    loop {
        let chunk = background.read(since).await.unwrap();
        assert_eq!(chunk.dropped, 0);
        text.push_str(&chunk.text);
        since = chunk.cursor;
        if !chunk.more {
            return (text, since);
        }
    }
}

#[tokio::test]
async fn a_run_starts_at_once_is_read_while_it_runs_and_tells_its_end() {
    let stage = Stage::new();
    let command = "echo one; until [ -e go ]; do sleep 0.01; done; echo two >&2; exit 4";
    let background = Background::start(stage.command(command)).unwrap();
    eventually("the first line", || background.status().total_bytes == 4).await;
    let first = background.read(0).await.unwrap();
    let expected = Chunk { text: "one\n".to_owned(), cursor: 4, dropped: 0, more: false };
    assert_eq!(first, expected);
    assert_eq!(background.read(4).await.unwrap(), Chunk { text: String::new(), ..expected });
    let status = background.wait(Duration::ZERO).await;
    assert!(matches!(status.state, State::Running { pid } if pid > 0));

    touch(&stage.path("go"));
    let status = background.wait(FAR).await;
    let expected = Status {
        state: State::Ended(end(Some(4), None)),
        total_bytes: 8,
        binary: false,
        full: None,
        duration: status.duration,
    };
    assert_eq!(status, expected);
    assert_eq!(background.status(), expected);
    assert_eq!(rest(&background, 4).await, ("two\n".to_owned(), 8));
}

#[tokio::test]
async fn a_cursor_that_was_never_given_is_refused() {
    let stage = Stage::new();
    let background = Background::start(stage.command("printf abc")).unwrap();
    background.wait(FAR).await;
    let error = background.read(4).await.unwrap_err().to_string();
    assert_eq!(error, "the cursor 4 lies ahead of the output, which is at 3");
}

#[tokio::test]
async fn killing_ends_everything_and_tells_so() {
    let stage = Stage::new();
    let command = "setsid sleep 600 & echo $!; trap '' TERM; sleep 600";
    let background = Background::start(stage.command(command)).unwrap();
    eventually("a line", || background.status().total_bytes > 0).await;
    let child = background.read(0).await.unwrap().text.trim().parse().unwrap();
    let status = background.kill().await.unwrap();
    let State::Ended(ended) = &status.state else { panic!("{status:?}") };
    assert!(ended.killed && ended.exit_code.is_none());
    assert!(!crate::tree::is_running(child));
    assert_eq!(background.kill().await.unwrap(), status);
}

#[tokio::test]
async fn a_time_limit_holds_in_the_background() {
    let stage = Stage::new();
    let run = Run { timeout: Some(Duration::from_millis(100)), ..stage.command("exec sleep 600") };
    let background = Background::start(run).unwrap();
    let status = background.wait(FAR).await;
    assert_eq!(status.state, State::Ended(End { timed_out: true, ..end(None, Some(15)) }));
}

#[tokio::test]
async fn dropping_the_last_handle_ends_the_run() {
    let stage = Stage::new();
    let background = Background::start(stage.command("echo $$; exec sleep 600")).unwrap();
    let clone = background.clone();
    eventually("a line", || clone.status().total_bytes > 0).await;
    let shell = clone.read(0).await.unwrap().text.trim().parse().unwrap();
    drop(background);
    assert!(matches!(clone.status().state, State::Running { .. }));
    drop(clone);
    eventually("the end", || !crate::tree::is_running(shell)).await;
}

#[tokio::test]
async fn output_beyond_memory_is_read_from_the_file() {
    let stage = Stage::new();
    let background =
        Background::start_with(stage.command("seq 1 300000"), 100_000, 1 << 30).unwrap();
    // Reading races with writing on purpose.
    let mut text = String::new();
    let mut since = 0;
    while matches!(background.status().state, State::Running { .. }) {
        let chunk = background.read(since).await.unwrap();
        assert_eq!(chunk.dropped, 0);
        text.push_str(&chunk.text);
        since = chunk.cursor;
        tokio::task::yield_now().await;
    }
    let (more, cursor) = rest(&background, since).await;
    text.push_str(&more);
    let expected = numbers(1..=300_000);
    assert!(text == expected);
    assert_eq!(cursor, expected.len() as u64);
    let status = background.status();
    let full = status.full.unwrap();
    assert_eq!((full.bytes, full.incomplete), (expected.len() as u64, None));
    assert!(content(&full.path) == expected.as_bytes());
    assert!(rest(&background, 0).await.0 == expected);
    assert_eq!(background.shared.output().ring.len(), 100_000);
}

#[tokio::test]
async fn what_neither_memory_nor_file_holds_is_counted() {
    let stage = Stage::new();
    let background =
        Background::start_with(stage.command("seq 100001 120000"), 70_000, 49_000).unwrap();
    background.wait(FAR).await;
    let first = background.read(0).await.unwrap();
    assert_eq!((first.cursor, first.dropped, first.more), (49_000, 0, true));
    assert!(first.text.starts_with("100001\n"));
    let second = background.read(49_000).await.unwrap();
    assert_eq!((second.dropped, second.cursor), (140_000 - 70_000 - 49_000, 70_000 + 51_200));
    assert!(second.text.starts_with("110001\n"));
}

#[derive(Clone, Debug)]
enum Step {
    Output(Vec<u8>),
    Read,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = "[aé€😀\n]{0,60}".prop_map(String::into_bytes);
    let bytes = proptest::collection::vec(any::<u8>(), 0..80);
    let output = prop_oneof![3 => text, 1 => bytes].prop_map(Step::Output);
    proptest::collection::vec(prop_oneof![3 => output, 1 => Just(Step::Read)], 0..60)
}

proptest! {
    #[test]
    fn successive_reads_neither_skip_nor_repeat(steps in steps(), ring in 1_usize..400) {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let shared = Arc::new(Shared {
                output: Mutex::default(),
                state: watch::Sender::new((State::Running { pid: 1 }, None)),
                begin: Instant::now(),
            });
            let stop = CancellationToken::new();
            let background = Background {
                shared: Arc::clone(&shared),
                stop: stop.clone(),
                _ends_with_the_last_handle: Arc::new(stop.drop_guard()),
            };
            let folder = folder.path().to_owned();
            let mut keeper = Keeper { shared, folder, ring, limit: 1 << 30, spill: None };
            let (mut all, mut held) = (Vec::new(), Vec::new());
            let (mut text, mut since) = (String::new(), 0);
            for step in steps {
                match step {
                    Step::Output(bytes) => {
                        keeper.room().await;
                        all.extend_from_slice(&bytes);
                        // The pipes give whole characters only.
                        held.extend_from_slice(&bytes);
                        let begun = held.split_off(held.len() - unfinished(&held));
                        keeper.take(Stream::Stdout, &held);
                        held = begun;
                    }
                    Step::Read => {
                        let chunk = background.read(since).await.unwrap();
                        assert_eq!(chunk.dropped, 0);
                        text.push_str(&chunk.text);
                        since = chunk.cursor;
                    }
                }
            }
            keeper.take(Stream::Stdout, &held);
            keeper.finish().await;
            text.push_str(&rest(&background, since).await.0);
            assert_eq!(text, String::from_utf8_lossy(&all).replace('\0', "\u{fffd}"));
            assert!(background.shared.output().ring.len() <= ring);
        });
    }
}

//! How places end, and that nothing of them stays.

use std::path::Path;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;

use super::*;

/// Holds a pipe open in two processes, one of which has left its session.
const HOLDERS: &str = "exec 3> pipe; setsid sleep 1000 & echo ready >&3; exec sleep 1000";

fn pipe_in(root: &Path) -> pipe::Receiver {
    let path = root.join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    pipe::OpenOptions::new().open_receiver(path).unwrap()
}

/// Returns when the place has opened the pipe.
async fn ready(pipe: &mut pipe::Receiver) {
    let mut line = [0; 6];
    while let Err(error) = pipe.read_exact(&mut line).await {
        // Nobody has opened the other end yet.
        assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
        tokio::task::yield_now().await;
    }
    assert_eq!(&line, b"ready\n");
}

#[tokio::test]
async fn dropping_a_place_ends_all_that_is_inside() {
    let bench = Bench::new(HOLDERS);
    let mut pipe = pipe_in(bench.root());
    let started = bench.start().await;
    ready(&mut pipe).await;
    drop(started);
    // The end of the file is there when the last that held the pipe is gone.
    assert_eq!(pipe.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_killed_outer_process_takes_all_with_it() {
    let bench = Bench::new(HOLDERS);
    let mut pipe = pipe_in(bench.root());
    let started = bench.start().await;
    ready(&mut pipe).await;
    let pid = rustix::process::Pid::from_raw(started.process.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    assert_eq!(pipe.read(&mut [0]).await.unwrap(), 0);
    assert_eq!(started.process.ended().await, Ending { code: None, signal: Some(9), ..ended(0) });
}

#[tokio::test]
async fn ending_a_plain_process_ends_its_session() {
    let mut bench = Bench::new("exec 3> pipe; sleep 1000 & echo ready >&3; exec sleep 1000");
    bench.spec.runner = "/bin/sh".into();
    bench.spec.arguments.remove(0);
    bench.spec.environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
    let mut pipe = pipe_in(bench.root());
    let started = Machine::default().start(&bench.spec, Provider::Runner).await.unwrap();
    ready(&mut pipe).await;
    let ending = started.process.end().await;
    assert_eq!(ending, Ending { code: None, signal: Some(9), ..ended(0) });
    assert_eq!(pipe.read(&mut [0]).await.unwrap(), 0);
}

/// The kernel ties a process that wants to die with its parent to a thread of the parent.
#[test]
fn the_thread_that_asked_may_end() {
    let bench = Bench::new("exec cat");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let asking = std::thread::scope(|scope| scope.spawn(|| runtime.block_on(bench.start())).join());
    let mut started = asking.unwrap();
    let echoed = runtime.block_on(async {
        started.stdin.write_all(b"hello").await.unwrap();
        let mut echoed = [0; 5];
        started.stdout.read_exact(&mut echoed).await.unwrap();
        echoed
    });
    assert_eq!(&echoed, b"hello");
}

#[tokio::test]
async fn the_stream_carries_bytes_in_both_directions() {
    let bench = Bench::new("exec cat");
    let Started { mut stdin, mut stdout, process, .. } = bench.start().await;
    let sent: Vec<u8> = (0..1 << 20).map(|number: u32| number.to_le_bytes()[0]).collect();
    let sending = async {
        stdin.write_all(&sent).await.unwrap();
        drop(stdin);
    };
    let mut received = Vec::new();
    let receiving = stdout.read_to_end(&mut received);
    let ((), count) = tokio::join!(sending, receiving);
    assert_eq!(count.unwrap(), sent.len());
    assert!(received == sent);
    assert_eq!(process.ended().await, ended(0));
}

#[tokio::test]
async fn the_last_of_standard_error_is_kept() {
    let bench = Bench::new("head -c 100000 /dev/zero | tr '\\0' x >&2; echo end >&2; exit 3");
    let (_, ending) = bench.run().await;
    let expected = format!("{}end\n", "x".repeat(8 * 1024 - 4));
    assert_eq!(ending, Ending { stderr: expected, ..ended(3) });
}

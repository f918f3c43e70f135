//! Facts about programs with a pipe: what flows, who waits for whom, and how they end.

use std::{sync::Arc, time::Duration};

use openspace_process::{Stream, is_running, pipe::Ended};
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

use super::stage::{Stage, soon, until};
use crate::{
    Conversation, PipedHandle,
    operation::{Pipe, PipeInput, PipeOutput, PipedProgram, WINDOW},
};

/// What a program may be ahead of its reader: the window, and what the pipes of the system and pieces on
/// their way hold.
const AHEAD: usize = WINDOW + 512 * 1024;
/// Longer than a test takes.
pub(crate) const FAR: Duration = Duration::from_mins(2);

pub(crate) fn sh(script: &str) -> PipedProgram {
    PipedProgram::new("sh").with(["-c", script])
}

pub(crate) fn python(script: &str) -> PipedProgram {
    PipedProgram::new("python3").with(["-c", script])
}

impl Stage {
    pub(crate) async fn pipe(&self, program: PipedProgram) -> PipedHandle {
        soon(PipedHandle::start(Arc::clone(&self.host), program)).await.unwrap()
    }

    pub(crate) async fn refuses(&self, program: PipedProgram) -> String {
        let started = soon(PipedHandle::start(Arc::clone(&self.host), program)).await;
        started.err().unwrap().to_string()
    }
}

pub(crate) fn ended(exit_code: i32) -> Ended {
    Ended {
        exit_code: Some(exit_code),
        signal: None,
        stopped: false,
        left_behind: 0,
        survivors: Vec::new(),
    }
}

pub(crate) fn stopped(signal: i32) -> Ended {
    Ended { exit_code: None, signal: Some(signal), stopped: true, ..ended(0) }
}

/// Bytes that are like no others at another place of them.
pub(crate) fn noise(size: usize) -> Vec<u8> {
    let mut state = size as u64;
    let next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(size).collect()
}

/// Writes all and closes the input, and reads all meanwhile.
pub(crate) async fn there_and_back(handle: PipedHandle, bytes: &[u8]) -> (Vec<u8>, Ended) {
    let PipedHandle { mut stdin, mut stdout, program } = handle;
    let write = async {
        stdin.write_all(bytes).await.unwrap();
        stdin.shutdown().await.unwrap();
    };
    let mut back = Vec::new();
    let ((), read) = tokio::join!(write, stdout.read_to_end(&mut back));
    assert_eq!(read.unwrap(), back.len());
    (back, program.ended().await.unwrap())
}

pub(crate) async fn bytes_of_any_number_come_back_as_they_were(stage: Stage) {
    let large = 50_000_000;
    let around = [WINDOW / 2, WINDOW, 64 * 1024].map(|size| [size - 1, size, size + 1]);
    for size in [0, 1, 2, 1000].into_iter().chain(around.into_iter().flatten()).chain([large]) {
        let bytes = noise(size);
        let handle = stage.pipe(PipedProgram::new("cat")).await;
        let (back, end) = tokio::time::timeout(FAR, there_and_back(handle, &bytes)).await.unwrap();
        let hashes = [openspace_files::hash(&bytes), openspace_files::hash(&back)];
        assert_eq!((hashes[1].clone(), back.len(), end), (hashes[0].clone(), size, ended(0)));
    }
}

pub(crate) async fn bytes_come_back_however_they_are_cut(stage: Stage) {
    // The runner of properties does not wait for futures: it draws, and what it drew is tried here.
    let mut runner = TestRunner::deterministic();
    let cuts = prop::collection::vec(prop_oneof![1..200_usize, 1..100_000_usize], 1..12);
    for _ in 0..16 {
        let draw = |runner: &mut TestRunner| cuts.new_tree(runner).unwrap().current();
        let (writes, reads) = (draw(&mut runner), draw(&mut runner));
        let bytes = noise(writes.iter().sum());
        let PipedHandle { mut stdin, mut stdout, program } =
            stage.pipe(PipedProgram::new("cat")).await;
        let write = async {
            let mut rest = bytes.as_slice();
            for size in &writes {
                let piece;
                (piece, rest) = rest.split_at(*size);
                stdin.write_all(piece).await.unwrap();
            }
            drop(stdin);
        };
        let read = async {
            let (mut back, mut sizes) = (Vec::new(), reads.iter().cycle());
            loop {
                let mut buffer = vec![0; *sizes.next().unwrap()];
                match stdout.read(&mut buffer).await.unwrap() {
                    0 => break back,
                    count => back.extend_from_slice(&buffer[..count]),
                }
            }
        };
        let ((), back) = soon(async { tokio::join!(write, read) }).await;
        assert!(back == bytes, "{writes:?} {reads:?}");
        assert_eq!(soon(program.ended()).await.unwrap(), ended(0));
    }
}

pub(crate) async fn a_question_is_answered_before_the_next_one_is_asked(stage: Stage) {
    // Half a character, which text would hold back.
    let PipedHandle { mut stdin, mut stdout, program } = stage.pipe(PipedProgram::new("cat")).await;
    for byte in [0xc3, 0, b'\n', 0xff, 0xa4] {
        stdin.write_all(&[byte]).await.unwrap();
        assert_eq!(soon(stdout.read_u8()).await.unwrap(), byte);
    }
    assert!(is_running(program.pid()));
    stdin.shutdown().await.unwrap();
    assert_eq!(soon(program.ended()).await.unwrap(), ended(0));
}

pub(crate) async fn a_program_waits_for_whoever_does_not_read(stage: Stage) {
    // Notes how much it has written so far, and goes on for ever.
    let script = "import os\nwritten = 0\nwhile written < 8000000:\n\
                  \x20   written += os.write(1, b'x' * 4000)\n\
                  \x20   open('new', 'w').write(str(written))\n    os.rename('new', 'written')\n";
    let PipedHandle { stdin: _stdin, mut stdout, program } = stage.pipe(python(script)).await;
    let written = || {
        let count = stage.folder.content("written").and_then(|text| text.parse::<usize>().ok());
        count.unwrap_or_default()
    };
    let mut read = 0;
    let mut buffer = vec![0; 1_000_000];
    while read < 7_000_000 {
        // It gets ahead by half a window or more, and never further than the bound.
        until(|| written() >= read + WINDOW / 2).await;
        let ahead = written().saturating_sub(read);
        assert!(ahead <= AHEAD, "{ahead}");
        soon(stdout.read_exact(&mut buffer)).await.unwrap();
        read += buffer.len();
    }
    let mut rest = Vec::new();
    soon(stdout.read_to_end(&mut rest)).await.unwrap();
    assert_eq!((read + rest.len(), soon(program.ended()).await.unwrap()), (8_000_000, ended(0)));
}

pub(crate) async fn a_program_that_takes_no_input_holds_up_the_writer_alone(stage: Stage) {
    let script = "head -c 5000000 /dev/zero; echo done >&2; exec sleep 1000";
    let PipedHandle { mut stdin, mut stdout, program } = stage.pipe(sh(script)).await;
    let accepted = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = Arc::clone(&accepted);
    let writer = tokio::spawn(async move {
        let piece = vec![7; 10_000];
        loop {
            match stdin.write_all(&piece).await {
                Ok(()) => counted.fetch_add(piece.len(), std::sync::atomic::Ordering::SeqCst),
                Err(error) => return error.kind(),
            };
        }
    });
    let mut output = vec![1; 5_000_000];
    soon(stdout.read_exact(&mut output)).await.unwrap();
    assert!(output.iter().all(|byte| *byte == 0));
    let accepted = || accepted.load(std::sync::atomic::Ordering::SeqCst);
    until(|| accepted() >= WINDOW).await;
    until(|| program.stderr() == b"done\n").await;
    assert!(accepted() <= AHEAD, "{}", accepted());
    // What is said to it is not behind the bytes that it does not take.
    program.stop(FAR);
    assert_eq!(soon(program.ended()).await.unwrap(), stopped(15));
    assert_eq!(soon(writer).await.unwrap(), std::io::ErrorKind::BrokenPipe);
    assert!(accepted() <= AHEAD, "{}", accepted());
}

pub(crate) async fn input_is_taken_while_nobody_reads_the_output(stage: Stage) {
    // Writes more than anybody takes while it reads all it gets.
    let script = "import os, sys, threading\n\
                  def flood():\n    while True:\n        os.write(1, b'x' * 65536)\n\
                  threading.Thread(target=flood, daemon=True).start()\n\
                  size = len(sys.stdin.buffer.read())\n\
                  os.write(2, str(size).encode())\nos._exit(0)\n";
    let PipedHandle { mut stdin, stdout: _stdout, program } = stage.pipe(python(script)).await;
    soon(stdin.write_all(&noise(5_000_000))).await.unwrap();
    stdin.shutdown().await.unwrap();
    assert_eq!(soon(program.ended()).await.unwrap(), ended(0));
    assert_eq!(program.stderr(), b"5000000");
}

pub(crate) async fn the_end_of_the_input_is_seen(stage: Stage) {
    for drops in [false, true] {
        let handle = stage.pipe(sh("wc -c; exit 4")).await;
        let PipedHandle { mut stdin, mut stdout, program } = handle;
        stdin.write_all(b"four").await.unwrap();
        if drops {
            drop(stdin);
        } else {
            stdin.shutdown().await.unwrap();
            let late = stdin.write_all(b"late").await.unwrap_err();
            assert_eq!(late.kind(), std::io::ErrorKind::BrokenPipe);
        }
        let mut output = String::new();
        soon(stdout.read_to_string(&mut output)).await.unwrap();
        assert_eq!((output.as_str(), soon(program.ended()).await.unwrap()), ("4\n", ended(4)));
    }
}

pub(crate) async fn a_program_that_closes_its_streams_goes_on(stage: Stage) {
    let script = "exec < /dev/null; echo out; exec > /dev/null; until [ -e go ]; do sleep 0.01; done; exit 5";
    let PipedHandle { mut stdin, mut stdout, program } = stage.pipe(sh(script)).await;
    let mut output = String::new();
    soon(stdout.read_to_string(&mut output)).await.unwrap();
    assert_eq!(output, "out\n");
    let flood = async { while stdin.write_all(&[0; 1000]).await.is_ok() {} };
    soon(flood).await;
    assert!(is_running(program.pid()));
    stage.folder.put("go", "");
    assert_eq!(soon(program.ended()).await.unwrap(), ended(5));
}

pub(crate) async fn what_a_program_wrote_before_it_died_arrives(stage: Stage) {
    let script = "head -c 3000000 /dev/zero; echo last; echo why >&2; kill -9 $$";
    let PipedHandle { stdin: _stdin, mut stdout, program } = stage.pipe(sh(script)).await;
    let mut output = Vec::new();
    soon(stdout.read_to_end(&mut output)).await.unwrap();
    assert_eq!((output.len(), output.ends_with(b"\0last\n")), (3_000_005, true));
    let killed = Ended { exit_code: None, signal: Some(9), ..ended(0) };
    assert_eq!(
        (soon(program.ended()).await.unwrap(), program.stderr()),
        (killed, b"why\n".to_vec())
    );
    // Also when nobody read anything until then: the window and the system's pipe hold it.
    let size = WINDOW + 40_000;
    let handle = stage.pipe(sh(&format!("head -c {size} /dev/zero; exit 6"))).await;
    assert_eq!(soon(handle.program.ended()).await.unwrap(), ended(6));
    let (mut stdout, mut output) = (handle.stdout, Vec::new());
    soon(stdout.read_to_end(&mut output)).await.unwrap();
    assert_eq!(output.len(), size);
}

pub(crate) async fn the_end_of_what_a_program_complained_is_kept(stage: Stage) {
    let script = "seq 300000 >&2; echo out; head -c 100000 /dev/zero";
    let PipedHandle { stdin: _stdin, stdout: _stdout, program } = stage.pipe(sh(script)).await;
    assert_eq!(soon(program.ended()).await.unwrap(), ended(0));
    let all = (1..=300_000).fold(String::new(), |all, number| all + &number.to_string() + "\n");
    assert!(program.stderr() == all.as_bytes()[all.len() - 64 * 1024..]);
}

pub(crate) async fn output_that_nobody_wants_is_thrown_away(stage: Stage) {
    let script = "head -c 300000 /dev/zero; echo $$ > pid; head -c 5000000 /dev/zero; exit 7";
    let handle = stage.pipe(sh(script)).await;
    // So much waits for a reader by now that the program is held up.
    stage.folder.pid("pid").await;
    drop(handle.stdout);
    assert_eq!(soon(handle.program.ended()).await.unwrap(), ended(7));
}

pub(crate) async fn who_does_not_speak_is_held_up_by_the_conversation(stage: Stage) {
    let mut call = stage.listen(Pipe { program: sh("cat; head -c 3000000 /dev/zero") }, 1);
    let mut size = 0;
    assert!(matches!(call.item().await, Some(PipeOutput::Started { .. })));
    let mut closed = 0;
    while let Some(item) = call.item().await {
        match item {
            PipeOutput::Bytes { stream: Stream::Stdout, bytes } => size += bytes.len(),
            PipeOutput::Closed(_) => closed += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((size, closed, call.reply().await.unwrap()), (3_000_000, 2, ended(0)));
    let unheard = stage.ask(Pipe { program: sh("true") }).await.unwrap_err();
    assert_eq!(unheard.to_string(), "the host failed: nobody listens to a program with a pipe");
}

pub(crate) async fn who_keeps_to_no_window_is_held_up_and_loses_nothing(stage: Stage) {
    let (items, mut told) = mpsc::channel(4);
    let (said, inputs) = mpsc::channel(1);
    let cancel = CancellationToken::new();
    let conversation = Conversation { items: Some(items), inputs: Some(inputs), cancel };
    let host = Arc::clone(&stage.host);
    let program = sh("wc -c");
    let reply = tokio::spawn(async move { host.ask_with(Pipe { program }, conversation).await });
    let say = async {
        for _ in 0..40 {
            said.send(PipeInput::Bytes(vec![0; 50_000])).await.unwrap();
        }
        said.send(PipeInput::Close).await.unwrap();
        // What comes after the end is not passed on, if the call still hears it.
        said.send(PipeInput::Bytes(vec![0; 50_000])).await.ok();
    };
    let hear = async {
        let mut output = Vec::new();
        while let Some(item) = told.recv().await {
            if let PipeOutput::Bytes { bytes, .. } = item {
                output.extend(bytes);
            }
        }
        String::from_utf8(output).unwrap()
    };
    let ((), output) = soon(async { tokio::join!(say, hear) }).await;
    assert_eq!((output.as_str(), soon(reply).await.unwrap().unwrap()), ("2000000\n", ended(0)));
}

//! Much at once: large contents, many calls, floods of items.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use openspace_files::{LineRange, MAX_READ_BYTES, Written};
use openspace_link::{self as link, Options, WINDOW};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, DuplexStream, ReadBuf, duplex},
    task::JoinSet,
};

use crate::{
    Host, PipedHandle, RemoteHost, Served,
    local::tests::{
        pipes::sh,
        stage::{Folder, Stage, program, rel, soon, until},
        terminals,
    },
    operation::{self, AttachTerminal, EndAll, ReadText, Run, RunInTerminal, StatPath, WriteFile},
};

#[tokio::test]
async fn large_contents_pass_whole() {
    let stage = Stage::remote().await;
    let content: Vec<u8> = (0..60_u32 << 20).map(|at| at.to_le_bytes()[1] ^ 7).collect();
    let expected =
        Written { created: true, bytes: 60 << 20, hash: openspace_files::hash(&content) };
    let written = stage.ask(WriteFile { path: rel("large"), content }).await.unwrap();
    assert_eq!(written, expected);

    let size = usize::try_from(MAX_READ_BYTES).unwrap();
    let text = "0123456789abcde\n".repeat(size / 16);
    stage.folder.put("text", &text);
    let wanted = ReadText { path: rel("text"), range: LineRange::default(), person: false };
    assert!(stage.ask(wanted).await.unwrap().content == text);
}

#[tokio::test]
async fn many_calls_at_once_get_their_own_answers() {
    let stage = Stage::remote().await;
    let mut calls = JoinSet::new();
    for number in 0..2000_u32 {
        let host = Arc::clone(&stage.host);
        let path = rel(&format!("{number}"));
        calls.spawn(async move {
            let content = vec![b'x'; number as usize];
            host.ask(WriteFile { path: path.clone(), content }).await.unwrap();
            assert_eq!(host.ask(StatPath { path }).await.unwrap().size, u64::from(number));
        });
    }
    for number in 0..20 {
        let host = Arc::clone(&stage.host);
        calls.spawn(async move {
            let run = Run { program: program(&format!("echo {number}; exit {number}")) };
            let finished = host.ask(run).await.unwrap();
            assert_eq!(finished.stdout.text, format!("{number}\n"));
            assert_eq!(finished.exit_code, Some(number));
        });
    }
    soon(async { calls.join_all().await }).await;
}

/// Counts what comes from the other side.
struct Counted {
    stream: DuplexStream,
    read: Arc<AtomicUsize>,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.read.fetch_add(buffer.filled().len() - before, Ordering::SeqCst);
        polled
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A host behind a stream, and how much has come over it.
async fn counted() -> (Stage, Arc<AtomicUsize>) {
    let folder = Folder::new();
    let (ours, theirs) = duplex(64 * 1024);
    let read = Arc::new(AtomicUsize::new(0));
    tokio::spawn(link::serve(theirs, Arc::new(Served::default()), Options::default()));
    let stream = Counted { stream: ours, read: Arc::clone(&read) };
    let host = RemoteHost::connect(stream, &folder.settings(), ()).await.unwrap();
    (Stage { host: Arc::new(host) as Arc<dyn Host>, folder, served: None }, read)
}

#[tokio::test]
async fn a_flood_waits_for_a_slow_listener_on_the_other_side() {
    let (stage, read) = counted().await;
    stage.ask(terminals::open(1)).await.unwrap();
    let mut view = stage.listen(AttachTerminal { id: terminals::id(1), view: 1 }, 1);
    assert!(view.item().await.is_some());
    let flood = "head -c 6000000 /dev/zero | tr '\\0' 'x'";
    let RunInTerminal { id, request } = terminals::run(flood);
    stage.ask(RunInTerminal { id, request }).await.unwrap();
    // The flood is over, and what nobody takes has stayed on the other side but for a window of it.
    let came = read.load(Ordering::SeqCst);
    assert!(came < 4 * WINDOW, "{came}");
    stage.ask(EndAll {}).await.unwrap();
    let mut last = None;
    while let Some(item) = view.item().await {
        last = Some(item);
    }
    assert!(last.is_some());
    view.reply().await.unwrap();
}

#[tokio::test]
async fn what_nobody_reads_of_a_program_waits_on_the_other_side() {
    let (stage, came) = counted().await;
    let came = || came.load(Ordering::SeqCst);
    let script = "head -c 6000000 /dev/zero";
    let PipedHandle { stdin: _stdin, mut stdout, program } = stage.pipe(sh(script)).await;
    let (mut taken, mut buffer) = (0, vec![0; 500_000]);
    while taken < 5_000_000 {
        until(|| came() >= taken + operation::WINDOW / 2).await;
        assert!(came() < taken + 2 * operation::WINDOW, "{} of {taken}", came());
        soon(stdout.read_exact(&mut buffer)).await.unwrap();
        taken += buffer.len();
    }
    let rest = soon(stdout.read_to_end(&mut buffer)).await.unwrap();
    assert_eq!((taken + rest, program.ended().await.unwrap().exit_code), (6_000_000, Some(0)));
}

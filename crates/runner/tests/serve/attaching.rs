//! A runner behind a socket: the caller comes back after a break, to this runner and no other.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use openspace_files::LineRange;
use openspace_host::{
    Conversation, Host, HostError, RemoteHost,
    operation::{Output, ReadText, Run, StatPath, WriteFile},
};
use openspace_link::{BoxStream, Dial, Options, Redial};
use openspace_process::Finished;
use tokio::{
    io::{AsyncReadExt as _, duplex},
    net::UnixStream,
    process::Child,
    sync::mpsc,
};

use crate::stage::{Stage, command, program, rel, soon, until};

/// Dials a socket through a proxy that cuts streams, one after another, after so many bytes; those
/// behind the last number are never cut.
struct Proxy {
    socket: PathBuf,
    cuts: Vec<u64>,
    dialed: Arc<AtomicUsize>,
}

impl Dial for Proxy {
    async fn dial(&self) -> io::Result<BoxStream> {
        let number = self.dialed.fetch_add(1, Ordering::SeqCst);
        let limit = self.cuts.get(number).copied().unwrap_or(u64::MAX);
        let runner = UnixStream::connect(&self.socket).await?;
        let (ours, theirs) = duplex(1024);
        tokio::spawn(async move {
            let (from_caller, mut to_caller) = tokio::io::split(theirs);
            let (from_runner, mut to_runner) = tokio::io::split(runner);
            let (mut from_caller, mut from_runner) =
                (from_caller.take(limit), from_runner.take(limit));
            tokio::select! {
                _ = tokio::io::copy(&mut from_caller, &mut to_runner) => {}
                _ = tokio::io::copy(&mut from_runner, &mut to_caller) => {}
            }
        });
        Ok(Box::new(ours))
    }
}

fn eager() -> Options {
    let redial = Redial {
        attempts: 10,
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(20),
    };
    Options { redial, ..Options::default() }
}

async fn listening(socket: &Path) -> Child {
    let child = command(&["--socket", socket.to_str().unwrap()]).spawn().unwrap();
    until(|| socket.exists()).await;
    child
}

async fn connect(stage: &Stage, cuts: Vec<u64>) -> (Arc<dyn Host>, Arc<AtomicUsize>) {
    let dialed = Arc::new(AtomicUsize::new(0));
    let proxy = Proxy { socket: stage.beside("socket"), cuts, dialed: Arc::clone(&dialed) };
    let settings = stage.settings();
    let host = soon(RemoteHost::connect_again(proxy, &settings, eager(), ())).await.unwrap();
    (Arc::new(host), dialed)
}

/// What was told and answered in a conversation, and how often the caller had to dial.
async fn conversation(cuts: Vec<u64>) -> (Vec<u8>, String, String, usize) {
    let stage = Stage::new();
    let mut child = listening(&stage.beside("socket")).await;
    let (host, dialed) = connect(&stage, cuts).await;
    let (sender, mut items) = mpsc::channel(1);
    let conversation = Conversation { items: Some(sender), ..Conversation::default() };
    let command = "for number in $(seq 300); do echo line $number; sleep 0.002; done";
    let mut told = Vec::new();
    let listen = async {
        while let Some(item) = items.recv().await {
            let Output { bytes, .. } = item;
            told.extend(bytes);
        }
    };
    let run = host.ask_with(Run { program: program(command) }, conversation);
    let (finished, ()) = soon(async { tokio::join!(run, listen) }).await;
    let Finished { stdout, exit_code, .. } = finished.unwrap();
    assert_eq!(exit_code, Some(0));

    let content = "0123456789abcdef\n".repeat(100_000);
    let write = WriteFile { path: rel("file"), content: content.clone().into_bytes() };
    soon(host.ask(write)).await.unwrap();
    let wanted = ReadText { path: rel("file"), range: LineRange::default(), person: false };
    let read = soon(host.ask(wanted)).await.unwrap();
    assert!(read.content == content);
    let dialed = dialed.load(Ordering::SeqCst);
    drop(host);
    assert_eq!(soon(child.wait()).await.unwrap().code(), Some(0));
    (told, stdout.text, read.hash.unwrap(), dialed)
}

#[tokio::test]
async fn a_conversation_with_many_breaks_is_the_same_as_one_without() {
    let cuts = (0..12).map(|number| 900 + 131 * number).collect();
    let ((told, stdout, hash, dialed), (all_told, all_stdout, whole_hash, _)) =
        tokio::join!(conversation(cuts), conversation(Vec::new()));
    assert_eq!(String::from_utf8(told.clone()).unwrap(), stdout);
    assert_eq!((told, stdout, hash), (all_told, all_stdout, whole_hash));
    // The socket is there a moment before anybody listens, so it may take one more.
    assert!((13..=14).contains(&dialed), "{dialed}");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test makes way for another socket")]
async fn another_runner_at_the_same_socket_is_a_loss() {
    let stage = Stage::new();
    let socket = stage.beside("socket");
    let mut first = listening(&socket).await;
    let (host, _) = connect(&stage, Vec::new()).await;
    let open = tokio::spawn({
        let host = Arc::clone(&host);
        async move { host.ask(Run { program: program("echo $$ > pid; sleep 1000") }).await }
    });
    stage.pid("pid").await;
    // The name is taken over while the first one still holds the stream.
    std::fs::rename(&socket, stage.beside("old")).unwrap();
    let second = listening(&socket).await;
    first.kill().await.unwrap();
    let outcome = soon(open).await.unwrap();
    assert!(matches!(outcome, Err(HostError::Lost(_))), "{outcome:?}");
    assert_eq!(
        soon(host.lost()).await,
        "the link is lost: the other side no longer knows this session"
    );
    let later = soon(host.ask(StatPath { path: rel("") })).await;
    assert!(matches!(later, Err(HostError::Lost(_))), "{later:?}");

    // The second one serves whoever greets it anew, and ends what the first one left.
    let pid = stage.pid("pid").await;
    let (host, _) = connect(&stage, Vec::new()).await;
    soon(host.ask(Run { program: program("true") })).await.unwrap();
    assert!(!crate::stage::is_running(pid));
    drop((host, second));
}

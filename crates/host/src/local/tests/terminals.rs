//! Facts about terminals of a host.

use std::sync::Arc;

use openspace_process::is_running;
use openspace_protocol::{RelPath, TerminalId};
use openspace_terminal::{Chunk, Ended, Life, ReadRequest, RunRequest, Size, Wait};

use super::stage::{Stage, soon, until};
use crate::{
    TerminalHandle,
    operation::{
        AttachTerminal, CloseTerminal, EndAll, EndTerminal, FollowTerminal, OpenTerminal,
        ReadTerminal, ResizeTerminal, RunInTerminal, TerminalStatus, WriteTerminal,
    },
};

pub(crate) fn id(number: u32) -> TerminalId {
    format!("t{number}").parse().unwrap()
}

pub(crate) fn open(number: u32) -> OpenTerminal {
    let size = Size { rows: 24, cols: 80 };
    OpenTerminal { id: id(number), shell: None, folder: RelPath::root(), size }
}

pub(crate) fn run(command: &str) -> RunInTerminal {
    let request = RunRequest {
        command: command.to_owned(),
        wait: Wait::Exit,
        timeout_ms: 1_000_000,
        lines: 100,
    };
    RunInTerminal { id: id(1), request }
}

fn line(text: &str) -> WriteTerminal {
    WriteTerminal { id: id(1), view: None, bytes: format!("{text}\n").into_bytes() }
}

pub(crate) async fn a_view_gets_all_until_the_terminal_is_closed(stage: Stage) {
    let opened = stage.ask(open(1)).await.unwrap();
    let Life::Running { pid } = opened.life else { panic!("{opened:?}") };
    let mut view = stage.listen(AttachTerminal { id: id(1), view: 1 }, 1);
    let first = view.item().await.unwrap();
    assert!(matches!(first, Chunk::Repaint { .. }), "{first:?}");
    let second = view.item().await.unwrap();
    assert!(matches!(second, Chunk::Answers(true)), "{second:?}");
    stage.ask(ResizeTerminal { id: id(1), size: Size { rows: 30, cols: 90 } }).await.unwrap();
    stage.ask(line("printf 's%sn' ee")).await.unwrap();
    let (mut printed, mut resized) = (Vec::new(), false);
    while !(resized && String::from_utf8_lossy(&printed).contains("seen")) {
        match view.item().await.unwrap() {
            Chunk::Output(bytes) => printed.extend_from_slice(&bytes),
            Chunk::Resized(size) => resized = size == Size { rows: 30, cols: 90 },
            other => panic!("{other:?}"),
        }
    }
    let closed = stage.listen(CloseTerminal { id: id(1) }, 1);
    let mut last = None;
    while let Some(item) = view.item().await {
        last = Some(item);
    }
    assert!(matches!(last, Some(Chunk::Ended(_))), "{last:?}");
    view.reply().await.unwrap();
    closed.reply().await.unwrap();
    assert!(!is_running(pid));
    let gone = stage.ask(TerminalStatus { id: id(1) }).await.unwrap_err();
    assert_eq!(gone.to_string(), "there is no terminal t1 here");
}

pub(crate) async fn what_is_ended_in_a_terminal_leaves_what_it_shows(stage: Stage) {
    let opened = stage.ask(open(1)).await.unwrap();
    let Life::Running { pid } = opened.life else { panic!("{opened:?}") };
    stage.ask(run("echo shown")).await.unwrap();
    stage.ask(EndTerminal { id: id(1) }).await.unwrap();
    assert!(!is_running(pid));
    let request = ReadRequest { lines: 100, since: None };
    let read = stage.ask(ReadTerminal { id: id(1), request }).await.unwrap();
    assert!(matches!(read.life, Life::Exited(_)), "{read:?}");
    assert!(read.text.lines.iter().any(|line| line == "shown"), "{read:?}");
    stage.ask(CloseTerminal { id: id(1) }).await.unwrap();
}

pub(crate) async fn a_follower_is_told_of_changes_until_the_terminal_is_closed(stage: Stage) {
    stage.ask(open(1)).await.unwrap();
    let mut follower = stage.listen(FollowTerminal { id: id(1) }, 1);
    let Some(first) = follower.item().await else { panic!("nothing is told") };
    stage.ask(ResizeTerminal { id: id(1), size: Size { rows: 30, cols: 90 } }).await.unwrap();
    let Some(second) = follower.item().await else { panic!("nothing is told") };
    assert!(second > first, "{second} after {first}");
    stage.ask(CloseTerminal { id: id(1) }).await.unwrap();
    while follower.item().await.is_some() {}
    follower.reply().await.unwrap();
}

pub(crate) async fn without_a_listener_nothing_is_followed(stage: Stage) {
    stage.ask(open(1)).await.unwrap();
    stage.ask(FollowTerminal { id: id(1) }).await.unwrap();
    stage.ask(AttachTerminal { id: id(1), view: 1 }).await.unwrap();
    stage.ask(EndAll {}).await.unwrap();
}

pub(crate) async fn a_view_that_takes_nothing_can_still_be_cancelled(stage: Stage) {
    stage.ask(open(1)).await.unwrap();
    let view = stage.listen(AttachTerminal { id: id(1), view: 1 }, 1);
    stage.ask(run("seq 200000; echo $$ > pid")).await.unwrap();
    stage.folder.pid("pid").await;
    view.cancel.cancel();
    soon(view.reply).await.unwrap().unwrap();
    stage.ask(EndAll {}).await.unwrap();
}

pub(crate) async fn a_view_ends_when_its_listener_leaves(stage: Stage) {
    stage.ask(open(1)).await.unwrap();
    let mut view = stage.listen(AttachTerminal { id: id(1), view: 1 }, 1);
    assert!(view.item().await.is_some());
    let (items, reply) = (view.items, view.reply);
    drop(items);
    soon(reply).await.unwrap().unwrap();
    stage.ask(EndAll {}).await.unwrap();
}

pub(crate) async fn handles_stop_what_they_started_when_they_are_dropped(stage: Stage) {
    stage.ask(open(1)).await.unwrap();
    let alone = Arc::strong_count(&stage.host);
    let handle = TerminalHandle::new(Arc::clone(&stage.host), id(1));
    let (mut changes, mut view) = (handle.changed(), handle.attach());
    assert!(soon(changes.next()).await && soon(view.next()).await.is_some());
    drop((changes, view));
    until(|| Arc::strong_count(&stage.host) == alone + 1).await;

    let (mut changes, mut view) = (handle.changed(), handle.attach());
    soon(handle.close()).await.unwrap();
    while soon(changes.next()).await {}
    while soon(view.next()).await.is_some() {}
    until(|| Arc::strong_count(&stage.host) == alone + 1).await;
}

pub(crate) async fn a_name_is_used_once(stage: Stage) {
    let first = stage.ask(open(1)).await.unwrap();
    let again = stage.ask(open(1)).await.unwrap_err();
    assert_eq!(again.to_string(), "the host failed: there is a terminal t1 already");
    assert_eq!(stage.ask(TerminalStatus { id: id(1) }).await.unwrap().life, first.life);
    stage.ask(EndAll {}).await.unwrap();
}

pub(crate) async fn cancelling_a_run_in_a_terminal_leaves_it_running(stage: Stage) {
    stage.ask(open(1)).await.unwrap();
    let wanted = stage.listen(run("sh -c 'echo $$ > pid; exec sleep 1000'"), 1);
    let pid = stage.folder.pid("pid").await;
    wanted.cancel.cancel();
    let outcome = wanted.reply().await.unwrap();
    assert_eq!((outcome.ended, outcome.running), (Ended::Cancelled, true));
    assert!(is_running(pid));
    stage.ask(EndAll {}).await.unwrap();
    assert!(!is_running(pid));
}

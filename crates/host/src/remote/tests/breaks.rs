//! Greetings that are refused, and links that break.

use std::{sync::Arc, time::Duration};

use openspace_link::{self as link, LinkError, Options};
use openspace_process::is_running;
use tokio::{io::duplex, time::timeout};

use crate::{
    Host, HostError, RemoteHost, Served,
    local::tests::stage::{Folder, Stage, program, rel, soon, until},
    operation::{Run, StartRun, StatPath, WriteFile},
};

#[tokio::test]
async fn a_place_that_does_not_open_is_unreachable_and_says_why() {
    let folder = Folder::new();
    let mut settings = folder.settings();
    settings.root = folder.path().join("missing");
    let (ours, theirs) = duplex(1024);
    let served = tokio::spawn(link::serve(theirs, Arc::new(Served::default()), Options::default()));
    let refused = RemoteHost::connect(ours, &settings, ()).await.err().unwrap();
    assert!(matches!(refused, HostError::Unreachable(_)), "{refused:?}");
    let reason = "the workspace folder cannot be opened";
    assert_eq!(
        refused.to_string(),
        format!("the place cannot be reached: the other side refuses the link: {reason}")
    );
    let reason = reason.to_owned();
    assert_eq!(soon(served).await.unwrap(), Err(LinkError::Refused { reason }));
}

#[tokio::test]
async fn a_second_greeting_is_refused_and_ends_nothing() {
    let folder = Folder::new();
    let served = Arc::new(Served::default());
    let connect = async || {
        let (ours, theirs) = duplex(1024);
        tokio::spawn(link::serve(theirs, Arc::clone(&served), Options::default()));
        RemoteHost::connect(ours, &folder.settings(), ()).await
    };
    let first: Arc<dyn Host> = Arc::new(connect().await.unwrap());
    let pid = first.ask(StartRun { run: 1, program: program("sleep 1000") }).await.unwrap();
    let second = connect().await.err().unwrap().to_string();
    assert!(second.ends_with("the host failed: this runner is taken"), "{second}");
    // A host that opened by mistake would have ended what carries its mark before this run starts.
    soon(first.ask(Run { program: program("true") })).await.unwrap();
    assert!(is_running(pid));
    served.end().await;
    assert!(!is_running(pid));
}

#[tokio::test]
async fn when_the_link_breaks_open_and_later_calls_are_lost() {
    let Stage { host, folder, served } = Stage::remote().await;
    assert!(timeout(Duration::ZERO, host.lost()).await.is_err());
    let open = tokio::spawn({
        let host = Arc::clone(&host);
        async move { host.ask(Run { program: program("echo $$ > pid; sleep 1000") }).await }
    });
    let pid = folder.pid("pid").await;
    let served = served.unwrap();
    served.abort();
    let lost = |outcome: Result<(), HostError>| {
        assert!(matches!(outcome, Err(HostError::Lost(_))), "{outcome:?}");
    };
    lost(soon(open).await.unwrap().map(drop));
    assert_eq!(soon(host.lost()).await, "the link is lost: the other side closed the stream");
    lost(soon(host.ask(StatPath { path: rel("") })).await.map(drop));
    let content = vec![0; 20 << 20];
    lost(soon(host.ask(WriteFile { path: rel("late"), content })).await.map(drop));
    assert_eq!(folder.content("late"), None);
    until(|| !is_running(pid)).await;
}

#[tokio::test]
async fn what_runs_ends_when_the_caller_leaves() {
    let Stage { host, folder, served } = Stage::remote().await;
    host.ask(StartRun { run: 1, program: program("echo $$ > pid; sleep 1000") }).await.unwrap();
    let pid = folder.pid("pid").await;
    drop(host);
    soon(served.unwrap()).await.unwrap().unwrap();
    assert!(!is_running(pid));
}

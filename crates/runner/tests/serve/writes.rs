//! A runner that is killed while it writes: a file is as it was, or as it should be.

use std::{sync::Arc, time::Duration};

use openspace_files::change::{Edit, EditRequest, WriteRequest};
use openspace_host::{
    Host, HostError,
    operation::{ChangeFile, EditFile, WriteFile},
};

use crate::stage::{Runner, Stage, rel, soon};

const ROUNDS: u64 = 6;

fn is_lost<T>(outcome: &Result<T, HostError>) -> bool {
    match outcome {
        Ok(_) => false,
        Err(HostError::Lost(_)) => true,
        Err(error) => panic!("{error:?}"),
    }
}

/// Writes version after version until the runner is killed, at another moment in every round. What
/// stands there then is the last one that was answered, or the one under way.
async fn check(
    first: &str,
    write: impl AsyncFn(&Arc<dyn Host>, u64) -> Result<(), HostError>,
    content: impl Fn(u64) -> Vec<u8>,
) {
    let stage = Stage::new();
    stage.put(first, content(0));
    let mut version = 0;
    for round in 0..ROUNDS {
        let Runner { mut child, host, .. } = Runner::start(&stage).await;
        // However slow the machine is, something was written before the end.
        write(&host, version + 1).await.unwrap();
        version += 1;
        let kill = tokio::time::sleep(Duration::from_millis(40 + 37 * round));
        tokio::pin!(kill);
        loop {
            let writing = write(&host, version + 1);
            tokio::pin!(writing);
            let outcome = tokio::select! {
                outcome = &mut writing => outcome,
                () = &mut kill => {
                    child.start_kill().unwrap();
                    writing.await
                }
            };
            if is_lost(&outcome) {
                break;
            }
            version += 1;
        }
        let found = stage.content(first).unwrap();
        if found != content(version) {
            assert!(found == content(version + 1), "neither the old nor the new content");
            version += 1;
        }
        assert_eq!(child.wait().await.unwrap().code(), None);
    }
    for entry in std::fs::read_dir(stage.at("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let temporary = name.starts_with(".openspace-") && name.contains(".tmp");
        assert!(name == first || temporary, "{name}");
    }
}

fn bytes(version: u64) -> Vec<u8> {
    vec![u8::try_from(version % 251).unwrap(); 8 << 20]
}

fn text(version: u64) -> Vec<u8> {
    format!("version {version}\n{}", "a line that stays\n".repeat(100_000)).into_bytes()
}

#[tokio::test]
async fn a_file_that_is_written_is_whole() {
    let write = async |host: &Arc<dyn Host>, version| {
        let write = WriteFile { path: rel("file"), content: bytes(version) };
        soon(host.ask(write)).await.map(drop)
    };
    check("file", write, bytes).await;
}

#[tokio::test]
async fn a_file_that_is_changed_is_whole() {
    let write = async |host: &Arc<dyn Host>, version| {
        let request = WriteRequest {
            path: rel("file"),
            content: String::from_utf8(text(version)).unwrap(),
            expected_hash: None,
            dry_run: false,
        };
        soon(host.ask(ChangeFile { request })).await.map(drop)
    };
    check("file", write, text).await;
}

#[tokio::test]
async fn a_file_that_is_edited_is_whole() {
    let write = async |host: &Arc<dyn Host>, version: u64| {
        let edit = Edit {
            old_string: format!("version {}\n", version - 1),
            new_string: format!("version {version}\n"),
            replace_all: false,
        };
        let request = EditRequest {
            path: rel("file"),
            edits: vec![edit],
            expected_hash: None,
            dry_run: false,
        };
        soon(host.ask(EditFile { request })).await.map(drop)
    };
    check("file", write, text).await;
}

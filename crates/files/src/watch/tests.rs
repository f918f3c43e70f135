//! A watched file's changes arrive, the last one always.

use std::{collections::BTreeSet, fs};

use tokio::sync::mpsc::{Receiver, channel};

use super::*;
use crate::files::tests::{Stage, rel};

/// Far longer than any delivery takes; only a lost message waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

fn watching(stage: &Stage, paths: &[&str], room: usize) -> (Watcher, Receiver<RelPath>) {
    let (sender, receiver) = channel(room);
    let watcher = Watcher::new(stage.files.root(), sender).unwrap();
    for path in paths {
        watcher.watch(&rel(path)).unwrap();
    }
    (watcher, receiver)
}

async fn next(events: &mut Receiver<RelPath>) -> String {
    tokio::time::timeout(PATIENCE, events.recv()).await.unwrap().unwrap().into()
}

/// Change the file `last` and gather what comes until it comes.
async fn until(stage: &Stage, last: &str, events: &mut Receiver<RelPath>) -> BTreeSet<String> {
    stage.put(last, "the end");
    let mut heard = BTreeSet::new();
    loop {
        let path = next(events).await;
        if path == last {
            return heard;
        }
        heard.insert(path);
    }
}

#[expect(clippy::disallowed_methods, reason = "a test changes files behind the back of the code")]
fn remove(stage: &Stage, path: &str) {
    fs::remove_file(stage.path(path)).unwrap();
}

#[tokio::test]
async fn every_kind_of_change_is_told() {
    let stage = Stage::new();
    let (_watcher, mut events) = watching(&stage, &["file"], 8);
    stage.put("file", "created");
    assert_eq!(next(&mut events).await, "file");
    stage.put("file", "changed");
    assert_eq!(next(&mut events).await, "file");
    for content in ["replaced", "replaced again"] {
        stage.write("file", content).unwrap();
        assert_eq!(next(&mut events).await, "file");
    }
    remove(&stage, "file");
    assert_eq!(next(&mut events).await, "file");
}

#[tokio::test]
async fn only_watched_files_are_told() {
    let stage = Stage::new();
    stage.put("sub/other", "");
    let watched = ["sub/a", "sub/b", "sub/z-first", "sub/z-second"];
    let (watcher, mut events) = watching(&stage, &watched, 8);
    stage.put("sub/other", "changed");
    stage.put("b", "not this one");
    stage.put("sub/b", "changed");
    let heard = until(&stage, "sub/z-first", &mut events).await;
    assert_eq!(heard, BTreeSet::from(["sub/b".to_owned()]));
    assert!(watcher.unwatch(&rel("sub/b")));
    assert!(!watcher.unwatch(&rel("sub/b")));
    stage.put("sub/b", "changed again");
    assert!(!until(&stage, "sub/z-second", &mut events).await.contains("sub/b"));
}

#[tokio::test]
async fn a_file_watched_twice_is_unwatched_twice() {
    let stage = Stage::new();
    let (watcher, mut events) = watching(&stage, &["file", "file", "z"], 8);
    assert!(watcher.unwatch(&rel("file")));
    stage.put("file", "1");
    assert_eq!(until(&stage, "z", &mut events).await, BTreeSet::from(["file".to_owned()]));
    assert!(watcher.unwatch(&rel("file")));
    assert!(watcher.unwatch(&rel("z")));
    assert!(lock(&watcher.shared.state).folders.is_empty());
}

#[tokio::test]
async fn reading_is_no_change() {
    let stage = Stage::new();
    stage.put("file", "1");
    let (_watcher, mut events) = watching(&stage, &["file", "z"], 8);
    for _ in 0..10 {
        assert_eq!(stage.read_whole("file"), Ok("1".to_owned()));
    }
    assert_eq!(until(&stage, "z", &mut events).await, BTreeSet::new());
}

#[tokio::test]
async fn a_burst_is_few_messages_and_one_comes_after_the_last_change() {
    let stage = Stage::new();
    let (_watcher, mut events) = watching(&stage, &["file"], 4096);
    for number in 0..1000 {
        stage.put("file", number.to_string());
    }
    let mut messages = 0;
    loop {
        assert_eq!(next(&mut events).await, "file");
        messages += 1;
        if stage.content("file") == "999" && events.is_empty() {
            break;
        }
    }
    assert!(messages < 200, "{messages} messages for a thousand changes");
}

#[tokio::test]
async fn a_full_channel_loses_nothing() {
    let stage = Stage::new();
    let names: Vec<_> = (0..40).map(|number| format!("file-{number}")).collect();
    let paths: Vec<_> = names.iter().map(String::as_str).collect();
    let (_watcher, mut events) = watching(&stage, &paths, 1);
    for round in ["first", "second"] {
        for name in &names {
            stage.put(name, round);
        }
    }
    let mut missing: BTreeSet<_> = names.iter().cloned().collect();
    while !missing.is_empty() {
        missing.remove(&next(&mut events).await);
    }
}

#[tokio::test]
async fn a_folder_may_come_later_go_away_and_come_back() {
    let stage = Stage::new();
    let file = rel("sub/deep/file");
    let (watcher, mut events) = watching(&stage, &["sub/deep/file"], 64);
    let is_attached = || lock(&watcher.backend).watched[&file].folder.is_some();
    for round in 0..3 {
        stage.put("sub/deep/file", "here");
        while !is_attached() {
            next(&mut events).await;
        }
        // Watched only now, so that it is heard by the folder's new watch.
        let live = format!("sub/deep/live-{round}");
        watcher.watch(&rel(&live)).unwrap();
        stage.put(&live, "");
        while next(&mut events).await != live {}
        fs::remove_dir_all(stage.path("sub")).unwrap();
        while is_attached() {
            next(&mut events).await;
        }
    }
}

#[tokio::test]
async fn links_are_watched_where_they_lead_and_never_out() {
    let stage = Stage::new();
    fs::create_dir(stage.path("real")).unwrap();
    stage.link("real", "alias");
    stage.link("../outside", "out");
    let (watcher, mut events) = watching(&stage, &["alias/file", "real/file"], 8);
    stage.put("real/file", "1");
    let both = BTreeSet::from([next(&mut events).await, next(&mut events).await]);
    assert_eq!(both, BTreeSet::from(["alias/file".to_owned(), "real/file".to_owned()]));
    let error = watcher.watch(&rel("out/file")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`out/file` is or runs through a symbolic link that leads out of the workspace"
    );
    assert_eq!(watcher.watch(&rel("")).unwrap_err().to_string(), "`.` is a folder, not a file");
}

#[tokio::test]
async fn the_channel_closes_with_the_watcher() {
    let stage = Stage::new();
    let (watcher, mut events) = watching(&stage, &["file"], 8);
    drop(watcher);
    assert_eq!(tokio::time::timeout(PATIENCE, events.recv()).await.unwrap(), None);
}

#[test]
fn an_error_of_the_watching_library_becomes_its_text() {
    let told = |error: &WatchError| {
        (error.to_string(), std::error::Error::source(error).map(ToString::to_string))
    };
    for kind in [notify::ErrorKind::MaxFilesWatch, notify::ErrorKind::Generic("no".to_owned())] {
        let error = WatchError::from(notify::Error::new(kind));
        let text = serde_json::to_string(&error).unwrap();
        let arrived: WatchError = serde_json::from_str(&text).unwrap();
        assert_eq!(std::mem::discriminant(&arrived), std::mem::discriminant(&error));
        assert_eq!(told(&arrived), told(&error));
    }
}

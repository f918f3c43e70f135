//! A watched file's changes arrive, the last one always.

use std::{collections::BTreeSet, fs};

use tokio::sync::mpsc::{Receiver, channel};

use super::*;
use crate::files::tests::{Place, rel};

/// Far longer than any delivery takes; only a lost message waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

fn watching(place: &Place, paths: &[&str], room: usize) -> (Watcher, Receiver<RelPath>) {
    let (sender, receiver) = channel(room);
    let watcher = Watcher::new(place.files.root(), sender).unwrap();
    for path in paths {
        watcher.watch(&rel(path)).unwrap();
    }
    (watcher, receiver)
}

async fn next(events: &mut Receiver<RelPath>) -> String {
    tokio::time::timeout(PATIENCE, events.recv()).await.unwrap().unwrap().into()
}

/// Change the file `last` and gather what comes until it comes.
async fn until(place: &Place, last: &str, events: &mut Receiver<RelPath>) -> BTreeSet<String> {
    place.put(last, "the end");
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
fn remove(place: &Place, path: &str) {
    fs::remove_file(place.path(path)).unwrap();
}

#[tokio::test]
async fn every_kind_of_change_is_told() {
    let place = Place::new();
    let (_watcher, mut events) = watching(&place, &["file"], 8);
    place.put("file", "created");
    assert_eq!(next(&mut events).await, "file");
    place.put("file", "changed");
    assert_eq!(next(&mut events).await, "file");
    for content in ["replaced", "replaced again"] {
        place.write("file", content).unwrap();
        assert_eq!(next(&mut events).await, "file");
    }
    remove(&place, "file");
    assert_eq!(next(&mut events).await, "file");
}

#[tokio::test]
async fn only_watched_files_are_told() {
    let place = Place::new();
    place.put("sub/other", "");
    let watched = ["sub/a", "sub/b", "sub/z-first", "sub/z-second"];
    let (watcher, mut events) = watching(&place, &watched, 8);
    place.put("sub/other", "changed");
    place.put("b", "not this one");
    place.put("sub/b", "changed");
    let heard = until(&place, "sub/z-first", &mut events).await;
    assert_eq!(heard, BTreeSet::from(["sub/b".to_owned()]));
    assert!(watcher.unwatch(&rel("sub/b")));
    assert!(!watcher.unwatch(&rel("sub/b")));
    place.put("sub/b", "changed again");
    assert!(!until(&place, "sub/z-second", &mut events).await.contains("sub/b"));
}

#[tokio::test]
async fn a_file_watched_twice_is_unwatched_twice() {
    let place = Place::new();
    let (watcher, mut events) = watching(&place, &["file", "file", "z"], 8);
    assert!(watcher.unwatch(&rel("file")));
    place.put("file", "1");
    assert_eq!(until(&place, "z", &mut events).await, BTreeSet::from(["file".to_owned()]));
    assert!(watcher.unwatch(&rel("file")));
    assert!(watcher.unwatch(&rel("z")));
    assert!(lock(&watcher.shared.state).folders.is_empty());
}

#[tokio::test]
async fn reading_is_no_change() {
    let place = Place::new();
    place.put("file", "1");
    let (_watcher, mut events) = watching(&place, &["file", "z"], 8);
    for _ in 0..10 {
        assert_eq!(place.read_whole("file"), Ok("1".to_owned()));
    }
    assert_eq!(until(&place, "z", &mut events).await, BTreeSet::new());
}

#[tokio::test]
async fn a_burst_is_few_messages_and_one_comes_after_the_last_change() {
    let place = Place::new();
    let (_watcher, mut events) = watching(&place, &["file"], 4096);
    for number in 0..1000 {
        place.put("file", number.to_string());
    }
    let mut messages = 0;
    loop {
        assert_eq!(next(&mut events).await, "file");
        messages += 1;
        if place.content("file") == "999" && events.is_empty() {
            break;
        }
    }
    assert!(messages < 200, "{messages} messages for a thousand changes");
}

#[tokio::test]
async fn a_full_channel_loses_nothing() {
    let place = Place::new();
    let names: Vec<_> = (0..40).map(|number| format!("file-{number}")).collect();
    let paths: Vec<_> = names.iter().map(String::as_str).collect();
    let (_watcher, mut events) = watching(&place, &paths, 1);
    for round in ["first", "second"] {
        for name in &names {
            place.put(name, round);
        }
    }
    let mut missing: BTreeSet<_> = names.iter().cloned().collect();
    while !missing.is_empty() {
        missing.remove(&next(&mut events).await);
    }
}

#[tokio::test]
async fn a_folder_may_come_later_go_away_and_come_back() {
    let place = Place::new();
    let file = rel("sub/deep/file");
    let (watcher, mut events) = watching(&place, &["sub/deep/file"], 64);
    let is_attached = || lock(&watcher.backend).watched[&file].folder.is_some();
    for round in 0..3 {
        place.put("sub/deep/file", "here");
        while !is_attached() {
            next(&mut events).await;
        }
        // Watched only now, so that it is heard by the folder's new watch.
        let live = format!("sub/deep/live-{round}");
        watcher.watch(&rel(&live)).unwrap();
        place.put(&live, "");
        while next(&mut events).await != live {}
        fs::remove_dir_all(place.path("sub")).unwrap();
        while is_attached() {
            next(&mut events).await;
        }
    }
}

#[tokio::test]
async fn links_are_watched_where_they_lead_and_never_out() {
    let place = Place::new();
    fs::create_dir(place.path("real")).unwrap();
    place.link("real", "alias");
    place.link("../outside", "out");
    let (watcher, mut events) = watching(&place, &["alias/file", "real/file"], 8);
    place.put("real/file", "1");
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
    let place = Place::new();
    let (watcher, mut events) = watching(&place, &["file"], 8);
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

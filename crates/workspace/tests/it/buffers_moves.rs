//! Files and folders with unsaved text that are moved.

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::{
    buffers::{DISK, Page, TYPED, live, typing},
    support::Bench,
};

#[tokio::test]
async fn a_move_in_a_server_that_stops_loses_no_unsaved_text() {
    let (mut bench, page) = typing().await;
    drop(page);
    // From now on no buffer may begin.
    bench.dispatcher().state().buffers().stop();
    bench.ok("file.move", json!({"from": "a.txt", "to": "b.txt"})).await;
    assert_eq!((live(&bench, "a.txt"), live(&bench, "b.txt")), (None, Some(TYPED.to_owned())));
    bench.restart().await;
    assert_eq!((live(&bench, "a.txt"), live(&bench, "b.txt")), (None, Some(TYPED.to_owned())));
}

#[tokio::test]
async fn all_unsaved_files_of_a_moved_folder_go_with_it() {
    let mut bench = Bench::open(&[("old/a.txt", DISK), ("old/deep/b.txt", DISK)]).await;
    let mut page = Page::join(&bench);
    for file in ["old/a.txt", "old/deep/b.txt"] {
        assert_eq!(page.open(file, DISK, TYPED).await["type"], "opened");
    }
    bench.dispatcher().state().buffers().stop();
    bench.ok("file.move", json!({"from": "old", "to": "new"})).await;
    bench.restart().await;
    let texts = ["old/a.txt", "old/deep/b.txt", "new/a.txt", "new/deep/b.txt"];
    let typed = || Some(TYPED.to_owned());
    assert_eq!(texts.map(|file| live(&bench, file)), [None, None, typed(), typed()]);
}

#[tokio::test]
async fn what_is_typed_into_the_old_path_of_a_moved_file_is_sent_to_the_new_one() {
    let bench = Bench::open(&[("a.txt", DISK)]).await;
    let mut page = Page::join(&bench);
    bench.ok("file.move", json!({"from": "a.txt", "to": "b.txt"})).await;
    let elsewhere = json!({
        "type": "error", "path": "a.txt", "error": "`a.txt` is `b.txt` now", "kind": "not_found",
        "hint": null, "to": "b.txt",
    });
    assert_eq!(page.open("a.txt", DISK, TYPED).await, elsewhere);
    assert_eq!(page.open("b.txt", DISK, TYPED).await["text"], TYPED);
    assert_eq!(live(&bench, "a.txt"), None);
    // A file that is there again is no moved one.
    bench.put("a.txt", DISK);
    assert_eq!(page.open("a.txt", DISK, TYPED).await["text"], TYPED);
}

//! Several pages at one file, and pages that ask for what makes no sense.

use openspace_buffers::BuffersPart;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    buffers::{DISK, Page, TYPED, live, typing},
    support::Bench,
};

fn failed(answer: &Value) -> (String, String) {
    assert_eq!(answer["type"], "error", "{answer}");
    (answer["kind"].as_str().unwrap().into(), answer["error"].as_str().unwrap().into())
}

#[tokio::test]
async fn edits_have_one_order_and_an_old_one_is_not_made() {
    let (bench, mut one) = typing().await;
    let mut two = Page::join(&bench);
    let opened = two.ask(json!({"type": "attach", "path": "a.txt"})).await;
    assert_eq!((&opened["version"], &opened["text"]), (&json!(1), &json!(TYPED)));
    assert_eq!(
        one.edit(1, 0, 0, "1").await,
        json!({"type": "accepted", "path": "a.txt", "version": 2})
    );
    two.send(json!({"type": "edit", "path": "a.txt", "version": 1,
        "edits": [{"start": 0, "end": 0, "text": "2"}]}))
        .await;
    let changed = json!({
        "type": "changed", "path": "a.txt", "version": 2, "by": "another browser",
        "edits": [{"start": 0, "end": 0, "text": "1"}],
    });
    assert_eq!(two.next().await, changed);
    assert_eq!(two.next().await, json!({"type": "stale", "path": "a.txt", "version": 2}));
    assert_eq!(two.edit(2, 1, 1, "2").await["version"], 3);
    assert_eq!(one.next().await["version"], 3);
    assert_eq!(live(&bench, "a.txt").unwrap(), format!("12{TYPED}"));
    one.send(json!({"type": "detach", "path": "a.txt"})).await;
    assert_eq!(two.edit(3, 0, 0, "0").await["version"], 4);
    let detached = one.edit(4, 0, 0, "x").await;
    let expected = ("conflict".into(), "you are not attached to `a.txt`".into());
    assert_eq!(failed(&detached), expected, "and it heard nothing of version 4");
}

#[tokio::test]
async fn two_pages_that_begin_at_once_lose_nothing() {
    let (bench, mut one) = typing().await;
    let mut two = Page::join(&bench);
    let beside = two.open("a.txt", DISK, &DISK.replace("five", "five typed")).await;
    let both = TYPED.replace("five", "five typed");
    assert_eq!((&beside["text"], &beside["version"]), (&json!(both), &json!(2)));
    assert_eq!(one.next().await["edits"], json!([{"start": 29, "end": 29, "text": " typed"}]));
    let mut three = Page::join(&bench);
    let same = three.open("a.txt", DISK, &DISK.replace("two", "two too")).await;
    assert_eq!(same["text"], json!("one\ntwo typed\ntwo too\nthree\nfour\nfive typed\n"));
    let mut again = Page::join(&bench);
    let known = again.open("a.txt", DISK, &DISK.replace("two", "two typed\ntwo too")).await;
    assert_eq!((&known["text"], &known["version"]), (&same["text"], &json!(3)));
}

#[tokio::test]
async fn a_page_that_read_another_disk_is_merged_with_it() {
    let bench = Bench::open(&[("a.txt", &DISK.replace("five", "5"))]).await;
    let mut page = Page::join(&bench);
    let opened = page.open("a.txt", DISK, TYPED).await;
    let expected =
        (json!(TYPED.replace("five", "5")), json!(DISK.replace("five", "5")), json!(false));
    assert_eq!(
        (opened["text"].clone(), opened["base"].clone(), opened["conflicted"].clone()),
        expected
    );
    bench.ok("editor.discard", json!({"path": "a.txt"})).await;
    page.next().await;
    let opened = page.open("a.txt", &DISK.replace("five", "V"), &DISK.replace("five", "VI")).await;
    assert_eq!(
        (&opened["conflicted"], &opened["base"]),
        (&json!(true), &json!(DISK.replace("five", "V")))
    );
    assert_eq!(json!(bench.state().part::<BuffersPart>()), json!({"a.txt": {"conflicted": true}}));
    bench.ok("editor.discard", json!({"path": "a.txt"})).await;
    page.next().await;
    assert_eq!(page.open("a.txt", DISK, DISK).await["text"], json!(DISK.replace("five", "5")));
    assert_eq!(page.next().await["reason"], "saved", "nothing of it was typed");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let (bench, mut page) = typing().await;
    let inside = page.edit(1, 3, 99, "").await;
    let message = "edits[0] ends at 99, but the text has 30 code units";
    assert_eq!(failed(&inside), ("invalid_args".into(), message.into()));
    let returned = page.edit(1, 0, 0, "a\r\n").await;
    assert_eq!(failed(&returned), ("invalid_args".into(), "`text` has a carriage return".into()));
    let many = vec![json!({"start": 0, "end": 0, "text": ""}); 10_001];
    let many =
        page.ask(json!({"type": "edit", "path": "a.txt", "version": 1, "edits": many})).await;
    assert_eq!(failed(&many).0, "invalid_args");
    let large = page.edit(1, 0, 0, &"x".repeat(5 * 1024 * 1024)).await;
    assert_eq!(failed(&large).0, "unsupported");
    assert_eq!(
        failed(&page.open("b.txt", "", &"x".repeat(5 * 1024 * 1024 + 1)).await).0,
        "unsupported"
    );
    assert_eq!(failed(&page.open("../a.txt", "", "x").await).0, "invalid_args");
    assert_eq!(failed(&page.ask(json!({"type": "attach", "path": "b.txt"})).await).0, "not_found");
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED);
    assert_eq!(json!(bench.state().part::<BuffersPart>()), json!({"a.txt": {"conflicted": false}}));
}

#[tokio::test]
async fn files_that_cannot_be_shared_have_no_buffer() {
    let bench = Bench::open(&[(".env", "KEY=1\n"), ("broken", "x\n"), ("binary", "x\0y")]).await;
    let broken = json!({"command": "printf 'x\\377\\n' > broken"});
    bench.ok("workspace.bash", broken).await;
    let mut page = Page::join(&bench);
    assert_eq!(failed(&page.open(".env", "KEY=1\n", "KEY=2\n").await).0, "denied");
    assert_eq!(failed(&page.open("broken", "xÿ\n", "xÿy\n").await).0, "unsupported");
    assert_eq!(failed(&page.open("binary", "x", "y").await).0, "unsupported");
    assert_eq!(json!(bench.state().part::<BuffersPart>()), json!({}));
}

#[tokio::test]
async fn a_file_that_is_gone_keeps_what_was_typed() {
    let bench = Bench::open(&[]).await;
    let mut page = Page::join(&bench);
    let opened = page.open("gone.txt", "old\n", "typed\n").await;
    assert_eq!((&opened["text"], &opened["conflicted"]), (&json!("typed\n"), &json!(true)));
    let write = json!({"file_path": "gone.txt", "content": "new\n"});
    assert_eq!(bench.failure("workspace.write", write).await["kind"], "conflict");
    assert_eq!(live(&bench, "gone.txt").unwrap(), "typed\n");
}

#[tokio::test]
async fn buffers_are_bounded() {
    let files: Vec<String> = (0..201).map(|number| format!("f{number}")).collect();
    let contents: Vec<(&str, &str)> = files.iter().map(|name| (name.as_str(), "x")).collect();
    let bench = Bench::open(&contents).await;
    let mut page = Page::join(&bench);
    for file in &files[..200] {
        assert_eq!(page.open(file, "x", "xy").await["type"], "opened");
    }
    let (kind, message) = failed(&page.open(&files[200], "x", "xy").await);
    assert_eq!(
        (kind.as_str(), message.as_str()),
        ("unsupported", "200 files have unsaved changes already")
    );
    assert_eq!(bench.state().part::<BuffersPart>().len(), 200);
}

#[tokio::test]
async fn a_page_that_does_not_listen_is_let_go_and_the_others_go_on() {
    let (bench, mut fast) = typing().await;
    let mut slow = Page::join(&bench);
    slow.ask(json!({"type": "attach", "path": "a.txt"})).await;
    for version in 1..=1_100 {
        assert_eq!(fast.edit(version, 0, 0, "x").await["version"], version + 1);
    }
    let mut heard = 0;
    while slow.told().await.is_some() {
        heard += 1;
    }
    assert!(heard <= 1_000, "{heard}");
    let mut anew = Page::join(&bench);
    let opened = anew.ask(json!({"type": "attach", "path": "a.txt"})).await;
    assert_eq!(opened["text"], json!(format!("{}{TYPED}", "x".repeat(1_100))));
}

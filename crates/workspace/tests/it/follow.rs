//! Highlights while files change on disk.

use openspace_buffers::highlights::HighlightsPart;
use openspace_protocol::Event;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{buffers::Page, support::Bench};

const LINES: &str = "a\nb\nc\nd\ne\n";

async fn highlight(bench: &Bench, id: &str, start: u32, end: u32) {
    let ranges = json!([{"startLine": start, "endLine": end}]);
    let args = json!({"path": "a.rs", "ranges": ranges, "highlightId": id});
    bench.ok("editor.highlight", args).await;
}

/// The first range of each highlight.
fn places(highlights: &Value) -> Vec<(String, u64, u64)> {
    let highlights = highlights.as_object().unwrap();
    let place = |(id, highlight): (&String, &Value)| {
        let range = &highlight["ranges"][0];
        (id.clone(), range["startLine"].as_u64().unwrap(), range["endLine"].as_u64().unwrap())
    };
    highlights.iter().map(place).collect()
}

fn at(id: &str, start: u64, end: u64) -> (String, u64, u64) {
    (id.into(), start, end)
}

#[tokio::test]
async fn highlights_move_with_their_text() {
    let bench = Bench::open(&[("a.rs", LINES)]).await;
    highlight(&bench, "bc", 2, 3).await;
    highlight(&bench, "e", 5, 5).await;
    let mut view = bench.attach();
    bench.put("a.rs", "x\ny\na\nb\nc\nd\ne\n");
    let moved = view.changed("highlights").await;
    assert_eq!(places(&moved), [at("bc", 4, 5), at("e", 7, 7)]);
    bench.put("a.rs", "x\ny\na\nb\nnew\nc\ne\n");
    let grown = view.changed("highlights").await;
    assert_eq!(places(&grown), [at("bc", 4, 6), at("e", 7, 7)]);
    assert_eq!(json!(bench.state().part::<HighlightsPart>()), grown);
}

#[tokio::test]
async fn a_highlight_goes_with_the_last_of_its_lines() {
    let bench = Bench::open(&[("a.rs", LINES)]).await;
    highlight(&bench, "bc", 2, 3).await;
    highlight(&bench, "e", 5, 5).await;
    let mut view = bench.attach();
    bench.put("a.rs", "a\nd\ne\n");
    assert_eq!(places(&view.changed("highlights").await), [at("e", 3, 3)]);
}

#[tokio::test]
async fn a_file_that_is_gone_for_a_while_keeps_its_highlights() {
    let mut bench = Bench::open(&[("a.rs", LINES)]).await;
    highlight(&bench, "b", 2, 2).await;
    bench.remove("a.rs");
    bench.restart().await;
    let mut view = bench.attach();
    bench.put("a.rs", LINES);
    // The file is known again once the watch has told of it; only then is there a past to compare.
    while !matches!(view.next().await.event, Event::FilesChanged { .. }) {}
    highlight(&bench, "c", 3, 3).await;
    bench.put("a.rs", "new\na\nb\nc\nd\ne\n");
    loop {
        let places = places(&view.changed("highlights").await);
        if places == [at("b", 3, 3), at("c", 4, 4)] {
            break;
        }
        assert_eq!(places, [at("b", 2, 2), at("c", 3, 3)], "nothing else happens to them");
    }
}

#[tokio::test]
async fn a_highlight_set_right_after_a_change_speaks_of_the_text_as_it_is() {
    let bench = Bench::open(&[("a.rs", LINES)]).await;
    highlight(&bench, "b", 2, 2).await;
    let mut early = bench.attach();
    let written = json!({"path": "a.rs", "content": format!("x\ny\n{LINES}")});
    bench.ok("file.write", written).await;
    highlight(&bench, "x", 1, 1).await;
    highlight(&bench, "e", 7, 7).await;
    let expected = [at("b", 4, 4), at("e", 7, 7), at("x", 1, 1)];
    assert_eq!(places(&json!(bench.state().part::<HighlightsPart>())), expected);
    while !matches!(early.next().await.event, Event::FilesChanged { .. }) {}
    let mut view = bench.attach();
    bench.put("a.rs", &format!("0\nx\ny\n{LINES}"));
    let expected = [at("b", 5, 5), at("e", 8, 8), at("x", 2, 2)];
    assert_eq!(places(&view.changed("highlights").await), expected);
}

#[tokio::test]
async fn highlights_follow_again_after_a_restart() {
    let mut bench = Bench::open(&[("a.rs", LINES)]).await;
    highlight(&bench, "bc", 2, 3).await;
    bench.restart().await;
    let mut view = bench.attach();
    assert_eq!(places(&json!(view.snapshot.parts["highlights"])), [at("bc", 2, 3)]);
    bench.put("a.rs", &format!("new\n{LINES}"));
    assert_eq!(places(&view.changed("highlights").await), [at("bc", 3, 4)]);
}

#[tokio::test]
async fn highlights_in_unsaved_text_are_where_they_were_after_a_restart() {
    let mut bench = Bench::open(&[("a.rs", LINES)]).await;
    let mut page = Page::join(&bench);
    page.open("a.rs", LINES, &format!("typed\n{LINES}")).await;
    highlight(&bench, "b", 3, 3).await;
    bench.restart().await;
    highlight(&bench, "c", 4, 4).await;
    let expected = [at("b", 3, 3), at("c", 4, 4)];
    assert_eq!(places(&json!(bench.state().part::<HighlightsPart>())), expected);
}

//! What is taken out of a text, however it is cut.

use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{BLOCK_LIMIT, GUARD, Interceptor, Piece, Why, WrittenCommand};

mod fuzz;
mod properties;

/// All pieces of a text that comes in these chunks, neighbouring text as one piece.
fn pieces<'a>(chunks: impl IntoIterator<Item = &'a str>) -> Vec<Piece> {
    let (mut interceptor, now) = (Interceptor::default(), Instant::now());
    let mut pieces: Vec<Piece> =
        chunks.into_iter().flat_map(|chunk| interceptor.push(chunk, now)).collect();
    pieces.extend(interceptor.finish());
    joined(pieces)
}

fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.into_iter().fold(Vec::new(), |mut joined, piece| {
        match (joined.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => joined.push(piece),
        }
        joined
    })
}

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

fn command(cmd: &str, args: &serde_json::Value) -> Piece {
    let args = args.as_object().unwrap().clone();
    Piece::Command(WrittenCommand { cmd: cmd.to_owned(), args })
}

fn discarded(text: &str, why: Why) -> Piece {
    Piece::Discarded { text: text.to_owned(), why }
}

const X: &str = r#"%%OS{"cmd":"x","args":{}}%%"#;

#[test]
fn a_block_is_taken_out_of_the_text() {
    let expected = vec![text("text "), command("x", &json!({})), text(" more text")];
    assert_eq!(pieces([r#"text %%OS{"cmd":"x","args":{}}%% more text"#]), expected);
}

#[test]
fn a_block_may_come_in_two_chunks() {
    let expected = vec![text("text "), command("x", &json!({})), text(" more")];
    assert_eq!(pieces([r#"text %%OS{"cmd":"x","a"#, r#"rgs":{}}%% more"#]), expected);
}

#[test]
fn a_block_may_be_cut_in_its_opening_and_in_its_closing() {
    let expected = vec![text("text "), command("x", &json!({})), text(" more")];
    assert_eq!(pieces(["text %", r#"%OS{"cmd":"x","args":{}}%% more"#]), expected);
    assert_eq!(pieces([r#"text %%OS{"cmd":"x","args":{}}%"#, "% more"]), expected);
}

#[test]
fn what_is_no_command_is_discarded_and_the_text_goes_on() {
    let told = pieces(["a %%OS{not json}%% b ", X]);
    let [before, Piece::Discarded { text: block, why: Why::NotACommand(_) }, after, last] =
        &told[..]
    else {
        panic!("{told:?}");
    };
    assert_eq!(block, "%%OS{not json}%%");
    assert_eq!((before, after, last), (&text("a "), &text(" b "), &command("x", &json!({}))));
}

#[test]
fn a_command_has_a_name_and_arguments_and_nothing_else() {
    for block in
        [r#"{"args":{}}"#, r#"{"cmd":1}"#, r#"{"cmd":"x","args":[]}"#, r#"{"cmd":"x","now":1}"#]
    {
        let told = pieces([format!("%%OS{block}%%").as_str()]);
        assert!(
            matches!(&told[..], [Piece::Discarded { why: Why::NotACommand(_), .. }]),
            "{told:?}"
        );
    }
    assert_eq!(pieces([r#"%%OS{"cmd":"x"}%%"#]), [command("x", &json!({}))]);
}

#[test]
fn a_block_that_does_not_end_is_given_up_after_the_guard() {
    let (mut interceptor, begin) = (Interceptor::default(), Instant::now());
    let open = r#"%%OS{"cmd":"x""#;
    assert_eq!(interceptor.push(&format!("a {open}"), begin), [text("a ")]);
    assert_eq!(interceptor.deadline(), Some(begin + GUARD));
    assert_eq!(interceptor.tick(begin + GUARD.saturating_sub(Duration::from_millis(1))), []);
    assert_eq!(interceptor.tick(begin + GUARD), [discarded(open, Why::TooSlow)]);
    assert_eq!(interceptor.deadline(), None);
    assert_eq!(interceptor.push(" b", begin + GUARD), [text(" b")]);
    assert_eq!(interceptor.finish(), []);
}

#[test]
fn text_that_comes_after_the_guard_is_shown_without_a_tick() {
    let (mut interceptor, begin) = (Interceptor::default(), Instant::now());
    assert_eq!(interceptor.push("%%OS{", begin), []);
    let told = interceptor.push(" late", begin + GUARD);
    assert_eq!(told, [discarded("%%OS{", Why::TooSlow), text(" late")]);
}

#[test]
fn half_a_closing_is_text_when_the_block_is_given_up() {
    let (mut interceptor, begin) = (Interceptor::default(), Instant::now());
    assert_eq!(interceptor.push("%%OS{}%", begin), []);
    assert_eq!(interceptor.tick(begin + GUARD), [discarded("%%OS{}", Why::TooSlow)]);
    assert_eq!(interceptor.push(&X[1..], begin + GUARD), [command("x", &json!({}))]);
}

#[test]
fn braces_in_strings_do_not_end_a_block() {
    let nested = r#"%%OS{"cmd":"x","args":{"data":"{}"}}%%"#;
    assert_eq!(pieces([nested]), [command("x", &json!({"data": "{}"}))]);
    let closing = r#"%%OS{"cmd":"x","args":{"data":"a \"}}%% b"}}%%"#;
    assert_eq!(pieces([closing]), [command("x", &json!({"data": "a \"}}%% b"}))]);
}

#[test]
fn several_blocks_are_taken_out_in_their_order() {
    let told = pieces([format!("a {X} b {} c", X.replace('x', "y")).as_str()]);
    let expected =
        [text("a "), command("x", &json!({})), text(" b "), command("y", &json!({})), text(" c")];
    assert_eq!(told, expected);
}

#[test]
fn text_without_blocks_is_told_at_once_and_unchanged() {
    let mut interceptor = Interceptor::default();
    assert_eq!(
        interceptor.push("plain response text", Instant::now()),
        [text("plain response text")]
    );
    assert_eq!(interceptor.finish(), []);
}

#[test]
fn signs_that_open_nothing_are_text() {
    for plain in ["100%% increase", "%%O", "%%%%", "%%OS", "%%os{}%%", "%%O%%OS (", "%% OS{", "%"] {
        assert_eq!(pieces([plain]), [text(plain)]);
    }
    assert_eq!(
        pieces(["%%", "%", "OS", r#"{"cmd":"x"}%%%"#]),
        [text("%"), command("x", &json!({})), text("%")]
    );
}

#[test]
fn a_block_without_closing_signs_is_discarded_up_to_its_last_brace() {
    let told = pieces([format!("%%OS{{}} and {X} %%OS{{}}%x").as_str()]);
    let expected = [
        discarded("%%OS{}", Why::NotClosed),
        text(" and "),
        command("x", &json!({})),
        text(" "),
        discarded("%%OS{}", Why::NotClosed),
        text("%x"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_missing_quotation_mark_costs_no_more_than_its_line() {
    let told = pieces(["%%OS{\"cmd\":\"x}%%\nnext line ", X]);
    let expected = [
        discarded("%%OS{\"cmd\":\"x}%%", Why::LineInString),
        text("\nnext line "),
        command("x", &json!({})),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_block_may_have_several_lines() {
    assert_eq!(
        pieces(["%%OS{\n  \"cmd\": \"x\",\n  \"args\": {}\n}%%"]),
        [command("x", &json!({}))]
    );
}

#[test]
fn a_block_of_the_largest_size_is_read_and_one_byte_more_is_discarded() {
    let block = |size: usize| {
        let (begin, end) = (r#"{"cmd":"x","args":{"é":""#, r#""}}"#);
        format!("{begin}{}{end}", "e".repeat(size - begin.len() - end.len()))
    };
    let largest = pieces([format!("%%OS{}%% after", block(BLOCK_LIMIT)).as_str()]);
    assert!(matches!(&largest[..], [Piece::Command(_), Piece::Text(_)]), "it is read");
    let larger = block(BLOCK_LIMIT + 1);
    let told = pieces([format!("%%OS{larger}%% after").as_str()]);
    let kept = format!("%%OS{}", &larger[..BLOCK_LIMIT]);
    assert_eq!(told, [discarded(&kept, Why::TooLong), text("}%% after")]);
}

#[test]
fn a_text_that_ends_inside_a_block_gives_it_up() {
    assert_eq!(pieces(["a %%OS{\"cmd"]), [text("a "), discarded("%%OS{\"cmd", Why::Unfinished)]);
    assert_eq!(pieces(["%%OS{}%"]), [discarded("%%OS{}", Why::Unfinished), text("%")]);
}

#[test]
fn the_next_stream_begins_anew() {
    let (mut interceptor, now) = (Interceptor::default(), Instant::now());
    assert_eq!(interceptor.push("%%O", now), []);
    assert_eq!(interceptor.finish(), [text("%%O")]);
    assert_eq!(interceptor.push("S{", now), [text("S{")]);
}

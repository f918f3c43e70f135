//! What is shown of files of every kind.

use super::*;
use crate::files::{
    hash,
    tests::{Stage, rel},
};

mod folders;
mod kinds;
mod large;
mod paging;

fn ask(stage: &Stage, path: &str, offset: Option<u64>, limit: Option<u64>) -> Result<View, String> {
    let request = ViewRequest { path: rel(path), offset, limit };
    view(&stage.files, &LineIndex::default(), &request, &|| false)
        .map_err(|error| error.to_string())
}

fn text(shown: View) -> TextView {
    match shown {
        View::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

/// How a small file is shown.
fn shown(content: impl AsRef<[u8]>) -> TextView {
    let stage = Stage::new();
    stage.put("file", content);
    text(ask(&stage, "file", None, None).unwrap())
}

#[test]
fn a_small_file_is_shown_whole_with_numbered_lines() {
    let content = "# README\n\nContent\n";
    assert_eq!(
        shown(content),
        TextView {
            content: "1: # README\n2: \n3: Content\n".to_owned(),
            start_line: 1,
            end_line: 3,
            total_lines: Some(3),
            size: 18,
            hash: Some(hash(content.as_bytes())),
            encoding: Encoding::Utf8,
            line_ending: LineEnding::Lf,
            final_newline: true,
            lossy: false,
            truncated: false,
            hint: None,
        }
    );
}

#[test]
fn a_text_in_memory_is_shown_like_a_file_that_holds_it() {
    let stage = Stage::new();
    let long = "ä".repeat(MAX_LINE_CHARACTERS + 3);
    let many = "0123456789\n".repeat(9000);
    for content in ["", "one", "one\ntwo\n\nfour\n", &long, &many] {
        stage.put("file", content);
        for (offset, limit) in
            [(None, None), (Some(2), Some(1)), (Some(0), None), (Some(9001), None)]
        {
            let request = ViewRequest { path: rel("file"), offset, limit };
            let memory = view_text(content, &request).map_err(|error| error.to_string());
            assert_eq!(
                memory,
                ask(&stage, "file", offset, limit).map(text),
                "{offset:?} {limit:?}"
            );
        }
    }
}

#[test]
fn a_view_travels_as_plain_data() {
    let view = View::Text(shown("a\n"));
    let sent = serde_json::to_value(&view).unwrap();
    assert_eq!((&sent["type"], &sent["line_ending"]), (&"text".into(), &"lf".into()));
    assert_eq!(serde_json::from_value::<View>(sent).unwrap(), view);
    let asked: ViewRequest = serde_json::from_str(r#"{"path":"a"}"#).unwrap();
    assert_eq!(asked, ViewRequest { path: rel("a"), offset: None, limit: None });
    assert!(serde_json::from_str::<ViewRequest>(r#"{"path":"a","start":1}"#).is_err());
}

#[test]
fn the_end_of_the_last_line_is_told() {
    let ends = |content: &str| {
        let text = shown(content);
        (text.content, text.total_lines, text.final_newline, text.line_ending)
    };
    assert_eq!(ends("a\nb"), ("1: a\n2: b\n".to_owned(), Some(2), false, LineEnding::Lf));
    assert_eq!(ends("a"), ("1: a\n".to_owned(), Some(1), false, LineEnding::None));
    assert_eq!(ends("\n"), ("1: \n".to_owned(), Some(1), true, LineEnding::Lf));
    assert_eq!(ends("a\r\nb\r\n"), ("1: a\n2: b\n".to_owned(), Some(2), true, LineEnding::Crlf));
    assert_eq!(ends("a\r\nb\n"), ("1: a\n2: b\n".to_owned(), Some(2), true, LineEnding::Mixed));
    assert_eq!(ends("a\rb\r"), ("1: a\rb\r\n".to_owned(), Some(1), false, LineEnding::None));
}

#[test]
fn an_empty_file_is_shown_as_empty() {
    for content in ["", "\u{feff}"] {
        let text = shown(content);
        assert_eq!(
            (text.content.as_str(), text.start_line, text.end_line, text.total_lines),
            ("", 1, 0, Some(0))
        );
        assert_eq!((text.hint.as_deref(), text.truncated), (Some("the file is empty"), false));
        assert_eq!((text.hash, text.size), (Some(hash(content.as_bytes())), content.len() as u64));
    }
}

#[test]
fn an_offset_past_the_end_names_the_number_of_lines() {
    let stage = Stage::new();
    stage.put("three", "a\nb\nc\n");
    stage.put("none", "");
    let error = |path, offset| ask(&stage, path, Some(offset), None).unwrap_err();
    assert_eq!(error("three", 4), "`three` has 3 lines");
    assert_eq!(error("three", u64::MAX), "`three` has 3 lines");
    assert_eq!(error("none", 2), "`none` has 0 lines");
}

#[test]
fn lines_and_their_number_count_from_one() {
    let stage = Stage::new();
    stage.put("a", "a\n");
    for (offset, limit) in [(Some(0), None), (None, Some(0))] {
        assert_eq!(
            ask(&stage, "a", offset, limit).unwrap_err(),
            "lines count from 1 and the first cannot come after the last"
        );
    }
}

#[test]
fn encodings_are_decoded_and_their_marks_are_not_shown() {
    let wide = |text: &str, unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    };
    let content = "\u{feff}a\u{10a}\r\n😀\u{a0a}z";
    for (bytes, encoding) in [
        (content.as_bytes().to_vec(), Encoding::Utf8Bom),
        (wide(content, u16::to_le_bytes), Encoding::Utf16Le),
        (wide(content, u16::to_be_bytes), Encoding::Utf16Be),
    ] {
        let text = shown(&bytes);
        assert_eq!(text.content, "1: a\u{10a}\n2: 😀\u{a0a}z\n", "{encoding:?}");
        assert_eq!(
            (text.encoding, text.line_ending, text.hash, text.lossy),
            (encoding, LineEnding::Crlf, Some(hash(&bytes)), false)
        );
    }
}

#[test]
fn what_is_not_valid_is_shown_as_replaced() {
    let text = shown(b"a\xffb\n\xe2\x82\nok\n");
    assert_eq!((text.content.as_str(), text.lossy), ("1: a\u{fffd}b\n2: \u{fffd}\n3: ok\n", true));
    let text = shown(b"\xff\xfea\0\x00\xd8\n\0b");
    assert_eq!((text.content.as_str(), text.lossy), ("1: a\u{fffd}\n2: \u{fffd}\n", true));
}

#[test]
fn a_long_line_is_cut_with_the_number_of_characters_left_out() {
    let cut = |content: &str| {
        let text = shown(content);
        (text.content, text.truncated, text.hint)
    };
    let hint = Some("lines are cut after 2000 characters".to_owned());
    for letter in ["a", "ä", "😀"] {
        let line = letter.repeat(2000);
        assert_eq!(cut(&format!("{line}\r\n")), (format!("1: {line}\n"), false, None));
        for more in [1, 1234, 70_000] {
            assert_eq!(
                cut(&format!("{line}{}\r\nb", letter.repeat(more))),
                (format!("1: {line}… [{more} more characters]\n2: b\n"), true, hint.clone())
            );
        }
    }
}

#[test]
fn characters_left_out_are_counted_in_wide_text_too() {
    let content = format!("\u{feff}{}\n", "😀".repeat(5000));
    let bytes: Vec<u8> = content.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(
        shown(&bytes).content,
        format!("1: {}… [3000 more characters]\n", "😀".repeat(2000))
    );
}

#[test]
fn an_answer_is_cut_at_a_line_before_fifty_kilobytes() {
    let line = "x".repeat(1000);
    let text = shown(format!("{line}\n").repeat(100));
    assert_eq!((text.end_line, text.total_lines, text.truncated), (50, Some(100), true));
    assert!(text.content.len() <= MAX_CONTENT_BYTES);
    assert!(text.content.ends_with(&format!("\n50: {line}\n")));
    assert_eq!(text.hint.as_deref(), Some("lines 1-50 of 100, cut at 50 KB; offset=51 goes on"));
}

#[test]
fn secret_and_missing_files_are_refused_as_elsewhere() {
    let stage = Stage::new();
    stage.put(".env", "KEY=1");
    stage.link(".env", "innocent");
    assert_eq!(
        ask(&stage, ".env", None, None).unwrap_err(),
        "reading `.env` is not allowed by the rule `.env`"
    );
    assert_eq!(
        ask(&stage, "innocent", None, None).unwrap_err(),
        "reading `innocent` is not allowed by the rule `.env`"
    );
    let request = ViewRequest { path: rel("gone"), offset: None, limit: None };
    let error = view(&stage.files, &LineIndex::default(), &request, &|| false).unwrap_err();
    assert!(matches!(error, FileError::NotFound { .. }), "{error:?}");
}

#[test]
fn pipes_are_refused_without_waiting() {
    let stage = Stage::new();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        stage.path("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    assert_eq!(
        ask(&stage, "pipe", None, None).unwrap_err(),
        "`pipe` is neither a file nor a folder"
    );
}

#[test]
fn a_cancelled_view_is_an_error() {
    let stage = Stage::new();
    stage.put("a", "a\n");
    for path in ["a", ""] {
        let request = ViewRequest { path: rel(path), offset: None, limit: None };
        let error = view(&stage.files, &LineIndex::default(), &request, &|| true).unwrap_err();
        assert!(matches!(error, FileError::Cancelled), "{error:?}");
    }
}

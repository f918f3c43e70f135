//! What a server hears of texts, applied as a server applies it, is the text.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;
use crate::position::{Position, byte_of};

const PIECES: TextSync = TextSync { open_close: true, change: Change::Pieces, save: Some(false) };
const WHOLE: TextSync = TextSync { open_close: true, change: Change::Whole, save: Some(true) };
const DEAF: TextSync = TextSync { open_close: false, change: Change::Nothing, save: None };

fn file() -> Uri {
    Uri::read("file:///a.rs")
}

fn opened(text: &str, sync: TextSync) -> Documents {
    let mut documents = Documents::default();
    documents.open(&file(), "rust", text.into(), true, sync).unwrap();
    documents
}

fn edit(start: usize, end: usize, text: &str) -> Edit {
    Edit { start, end, text: text.to_owned() }
}

/// What a server makes of a change.
fn applied(text: &str, params: &Value) -> String {
    let mut text = text.to_owned();
    for change in params["contentChanges"].as_array().unwrap() {
        let new = change["text"].as_str().unwrap();
        let place = |name: &str| -> Position {
            serde_json::from_value(change["range"][name].clone()).unwrap()
        };
        if change["range"].is_null() {
            new.clone_into(&mut text);
        } else {
            let [start, end] =
                ["start", "end"].map(|name| byte_of(&text, place(name), Encoding::Utf16));
            text.replace_range(start..end, new);
        }
    }
    text
}

#[test]
fn a_document_is_opened_changed_saved_and_closed() {
    let mut documents = Documents::default();
    let uri = file();
    let open = documents.open(&uri, "rust", "let a;\n".into(), true, PIECES).unwrap();
    let text =
        json!({"uri": "file:///a.rs", "languageId": "rust", "version": 1, "text": "let a;\n"});
    assert_eq!(open, Some(("textDocument/didOpen", json!({"textDocument": text}))));
    let edits = [edit(4, 5, "😀"), edit(6, 7, "")];
    let change = documents.change(&uri, &edits, PIECES).unwrap();
    let range = |from: u32, to: u32| {
        let end = json!({"line": u32::from(to == 0), "character": to});
        json!({"start": {"line": 0, "character": from}, "end": end})
    };
    let params = json!({
        "textDocument": {"uri": "file:///a.rs", "version": 2},
        "contentChanges": [{"range": range(6, 0), "text": ""}, {"range": range(4, 5), "text": "😀"}],
    });
    assert_eq!(change, Some(("textDocument/didChange", params)));
    let save = documents.saved(&uri, PIECES).unwrap();
    assert_eq!(
        save,
        Some(("textDocument/didSave", json!({"textDocument": {"uri": "file:///a.rs"}})))
    );
    let close = documents.close(&uri, PIECES);
    assert_eq!(
        close,
        Some(("textDocument/didClose", json!({"textDocument": {"uri": "file:///a.rs"}})))
    );
    assert_eq!(documents.close(&uri, PIECES), None);
    documents.open(&uri, "rust", "".into(), true, PIECES).unwrap();
    assert_eq!(documents.get(&uri).unwrap().version, 3);
}

#[test]
fn a_server_hears_no_more_than_it_wants() {
    let mut documents = opened("a", DEAF);
    let uri = file();
    assert_eq!(documents.change(&uri, &[edit(0, 1, "b")], DEAF), Ok(None));
    assert_eq!(documents.saved(&uri, DEAF), Ok(None));
    assert_eq!(documents.all_opened(DEAF), []);
    assert_eq!(&*documents.get(&uri).unwrap().text, "b");
    let params = documents.change(&uri, &[edit(1, 1, "c")], WHOLE).unwrap().unwrap().1;
    assert_eq!(params["contentChanges"], json!([{"text": "bc"}]));
    assert_eq!(documents.saved(&uri, WHOLE).unwrap().unwrap().1["text"], "bc");
    assert_eq!(documents.change(&uri, &[], WHOLE), Ok(None));
    assert_eq!(documents.replace(&uri, "bc", WHOLE), Ok(None));
    assert_eq!(documents.close(&uri, DEAF), None);
}

#[test]
fn only_what_can_change_an_answer_about_another_file_is_counted_as_such() {
    let (mut documents, uri) = (opened("a", PIECES), file());
    let mut seen = vec![documents.edition()];
    documents.change(&uri, &[edit(0, 1, "b")], PIECES).unwrap();
    seen.push(documents.edition());
    documents.saved(&uri, PIECES).unwrap();
    documents.close(&uri, PIECES);
    seen.push(documents.edition());
    documents.open(&uri, "rust", "c".into(), false, PIECES).unwrap();
    seen.push(documents.edition());
    documents.close(&uri, PIECES);
    seen.push(documents.edition());
    assert_eq!(seen, [0, 1, 1, 2, 3]);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let (mut documents, uri) = (opened("a😀", PIECES), file());
    let other = Uri::read("file:///b.rs");
    let refused = [
        documents.change(&other, &[edit(0, 0, "x")], PIECES),
        documents.change(&uri, &[edit(0, 9, "x")], PIECES),
        documents.change(&uri, &[edit(0, 2, "x")], PIECES),
        documents.replace(&uri, &"x".repeat(LARGEST_TEXT + 1), PIECES),
        documents.saved(&other, PIECES),
    ];
    let words: Vec<String> = refused.into_iter().map(|it| it.unwrap_err().to_string()).collect();
    assert_eq!(
        words,
        [
            "file:///b.rs is not open; open it first",
            "file:///a.rs has another text: edits[0] ends at 9, but the text has 3 code units; give the whole text",
            "file:///a.rs has another text: edits[0]: 2 is inside a surrogate pair; give the whole text",
            "file:///a.rs has 5242881 bytes; language servers are told texts of 5242880 at most",
            "file:///b.rs is not open; open it first",
        ]
    );
    let document = documents.get(&uri).unwrap();
    assert_eq!((&*document.text, document.version), ("a😀", 1));
    for number in 1..MOST_DOCUMENTS {
        let uri = Uri::read(&format!("file:///{number}"));
        documents.open(&uri, "rust", "".into(), true, PIECES).unwrap();
    }
    assert_eq!(
        documents.open(&other, "rust", "".into(), true, PIECES),
        Err(DocumentError::TooMany)
    );
    documents.open(&uri, "rust", "again".into(), true, PIECES).unwrap();
}

proptest! {
    #[test]
    fn a_server_that_applies_what_it_hears_has_our_text(texts in prop::collection::vec("[ab😀é\n]{0,20}", 1..6)) {
        let mut documents = opened("", PIECES);
        let mut theirs = String::new();
        for text in texts {
            if let Some((_, params)) = documents.replace(&file(), &text, PIECES).unwrap() {
                theirs = applied(&theirs, &params);
            }
            prop_assert_eq!(&theirs, &text);
        }
    }

    #[test]
    fn several_edits_at_once_are_about_the_text_before_the_first(
        text in "[ab😀\n]{6,20}",
        cuts in prop::collection::vec(0_usize..20, 4),
        new in "[xy\n]{0,3}",
    ) {
        let places: Vec<usize> = text.char_indices().map(|(byte, _)| text[..byte].encode_utf16().count()).collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| places[cut % places.len()]).collect();
        cuts.sort_unstable();
        let edits = [edit(cuts[0], cuts[1], &new), edit(cuts[2], cuts[3], "z")];
        let mut documents = opened(&text, PIECES);
        let (_, params) = documents.change(&file(), &edits, PIECES).unwrap().unwrap();
        prop_assert_eq!(applied(&text, &params), &*documents.get(&file()).unwrap().text);
    }
}

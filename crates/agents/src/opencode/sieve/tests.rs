//! What comes through, once and in bounds.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::model::{SessionId, SessionStatus};

fn frame(directory: Option<&str>, id: &str, kind: &str, properties: &Value) -> Vec<u8> {
    let payload = json!({ "id": id, "type": kind, "properties": properties });
    let mut frame = json!({ "payload": payload });
    if let Some(directory) = directory {
        frame["directory"] = json!(directory);
    }
    frame.to_string().into_bytes()
}

fn busy(directory: &str, id: &str) -> Vec<u8> {
    let properties = json!({ "sessionID": "ses_1", "status": { "type": "busy" } });
    frame(Some(directory), id, "session.status", &properties)
}

fn told_busy() -> Sifted {
    let session_id = SessionId::from("ses_1");
    Sifted::Tell(Box::new(Event::Status { session_id, status: SessionStatus::Busy {} }))
}

fn delta(id: &str, text: &str) -> Vec<u8> {
    let properties = json!({
        "sessionID": "s", "messageID": "m", "partID": "p", "field": "text", "delta": text,
    });
    frame(Some("/here"), id, "message.part.delta", &properties)
}

fn length(sifted: &Sifted) -> usize {
    match sifted {
        Sifted::Tell(event) => match &**event {
            Event::TextDelta { delta, .. } => delta.len(),
            other => panic!("{other:?}"),
        },
        Sifted::Nothing => 0,
        Sifted::Lost(why) => panic!("{why}"),
    }
}

#[test]
fn only_this_folder_is_told_each_thing_once() {
    let (mut sieve, keys) = (Sieve::new("/here"), Keys::default());
    assert_eq!(sieve.sift(&busy("/there", "e1"), &keys), Sifted::Nothing);
    assert_eq!(sieve.sift(&busy("/here", "e2"), &keys), told_busy());
    assert_eq!(sieve.sift(&busy("/here", "e2"), &keys), Sifted::Nothing);
    // The same again right after it says nothing new.
    assert_eq!(sieve.sift(&busy("/here", "e3"), &keys), Sifted::Nothing);
    let disposed = |folder: &str, id| {
        frame(None, id, "server.instance.disposed", &json!({ "directory": folder }))
    };
    assert_eq!(sieve.sift(&disposed("/there", "e4"), &keys), Sifted::Nothing);
    let told = sieve.sift(&disposed("/here", "e5"), &keys);
    assert!(
        matches!(told, Sifted::Tell(event) if matches!(*event, Event::CatalogueChanged { .. }))
    );
    assert_eq!(sieve.sift(&busy("/here", "e6"), &keys), told_busy());
    let copy = frame(Some("/here"), "e7", "sync", &json!({}));
    assert_eq!(sieve.sift(&copy, &keys), Sifted::Nothing);
}

#[test]
fn two_equal_pieces_of_text_are_two_pieces() {
    let (mut sieve, keys) = (Sieve::new("/here"), Keys::default());
    assert_eq!(length(&sieve.sift(&delta("e1", "na"), &keys)), 2);
    assert_eq!(length(&sieve.sift(&delta("e2", "na"), &keys)), 2);
}

#[test]
fn a_part_grows_to_its_bound_and_no_further() {
    let (mut sieve, keys) = (Sieve::new("/here"), Keys::default());
    let most = "x".repeat(LONGEST_TEXT - 3);
    assert_eq!(length(&sieve.sift(&delta("e1", &most), &keys)), LONGEST_TEXT - 3);
    // Two letters of two bytes each: one fits, and nothing after what was cut.
    assert_eq!(length(&sieve.sift(&delta("e2", "ää"), &keys)), 2);
    assert_eq!(sieve.sift(&delta("e3", "x"), &keys), Sifted::Nothing);
}

#[test]
fn what_is_not_understood_is_a_loss() {
    let (mut sieve, keys) = (Sieve::new("/here"), Keys::default());
    for data in [&b"{"[..], b"{}", b"{\"payload\":{\"type\":\"session.status\"}}"] {
        assert!(matches!(sieve.sift(data, &keys), Sifted::Lost(_)), "{data:?}");
    }
}

#[test]
fn keys_are_hidden_in_what_comes_through() {
    let (mut sieve, keys) = (Sieve::new("/here"), Keys::default());
    keys.learn_one("scripted", "x7-some-key-here");
    let said = sieve.sift(&delta("e1", "it is x7-some-key-here"), &keys);
    let Sifted::Tell(event) = said else { panic!("{said:?}") };
    assert!(matches!(*event, Event::TextDelta { delta, .. } if delta == "it is ⟨secret key⟩"));
}

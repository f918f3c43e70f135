//! What is sent for a prompt.

use pretty_assertions::assert_eq;

use super::*;

fn sent(part: PromptPart) -> Result<Value, String> {
    let prompt = Prompt { parts: vec![part], ..Prompt::default() };
    parts(&prompt).map(|mut parts| parts.remove(0)).map_err(|error| error.to_string())
}

fn file(path: &str, lines: Option<Lines>, mention: Option<Span>) -> PromptPart {
    PromptPart::File { path: path.to_owned(), mime: None, lines, mention }
}

fn image(mime: &str, base64: &str) -> PromptPart {
    PromptPart::Image { mime: mime.to_owned(), base64: base64.to_owned(), name: None }
}

#[test]
fn a_file_is_an_address_with_lines_and_the_place_where_it_is_mentioned() {
    let mention = Span { text: "@a b.txt".to_owned(), start: 3, end: 11 };
    let lines = Some(Lines { first: 2, last: Some(5) });
    assert_eq!(
        sent(file("/x/a b?.txt", lines, Some(mention))).unwrap(),
        json!({
            "type": "file",
            "mime": "text/plain",
            "filename": "a b?.txt",
            "url": "file:///x/a%20b%3F.txt?start=2&end=5",
            "source": {
                "type": "file",
                "path": "/x/a b?.txt",
                "text": { "value": "@a b.txt", "start": 3, "end": 11 },
            },
        })
    );
    let to_the_end = sent(file("/a", Some(Lines { first: 7, last: None }), None)).unwrap();
    assert_eq!(to_the_end["url"], "file:///a?start=7");
    let error = sent(file("a.txt", None, None)).unwrap_err();
    assert_eq!(error, "the file `a.txt` is not valid: opencode wants an absolute path");
}

#[test]
fn words_pictures_and_mentions_have_their_forms() {
    let text = |is_synthetic| PromptPart::Text { text: "hi".to_owned(), is_synthetic };
    assert_eq!(sent(text(false)).unwrap(), json!({ "type": "text", "text": "hi" }));
    assert_eq!(
        sent(text(true)).unwrap(),
        json!({ "type": "text", "text": "hi", "synthetic": true })
    );
    let agent = PromptPart::Agent { name: "general".to_owned(), mention: None };
    assert_eq!(sent(agent).unwrap(), json!({ "type": "agent", "name": "general" }));
    assert_eq!(
        sent(image("image/svg+xml", "QUJD")).unwrap(),
        json!({ "type": "file", "mime": "image/svg+xml", "url": "data:image/svg+xml;base64,QUJD" })
    );
}

#[test]
fn what_is_no_picture_is_not_sent_as_one() {
    for (mime, base64) in [
        ("text/html", "QUJD"),
        ("image/", "QUJD"),
        ("image/png;x", "QUJD"),
        ("image/png", ""),
        ("image/png", "QUJD,<script>"),
    ] {
        let error = sent(image(mime, base64)).unwrap_err();
        assert!(error.starts_with("the picture is not valid"), "{mime} {base64}: {error}");
    }
}

#[test]
fn a_prompt_says_something_and_not_too_much() {
    let text = PromptPart::Text { text: "x".to_owned(), is_synthetic: false };
    let prompt = |count| Prompt { parts: vec![text.clone(); count], ..Prompt::default() };
    assert!(parts(&prompt(0)).is_err());
    assert_eq!(parts(&prompt(MOST_PARTS)).unwrap().len(), MOST_PARTS);
    assert!(parts(&prompt(MOST_PARTS + 1)).is_err());
}

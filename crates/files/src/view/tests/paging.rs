//! Pages cover a file, each line once, whatever the index remembers.

use proptest::prelude::*;

use super::*;

/// The lines of a content as a person counts them.
fn lines_of(content: &str) -> Vec<String> {
    let mut lines: Vec<String> = content.split('\n').map(ToOwned::to_owned).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let ended = content.ends_with('\n');
    let count = lines.len();
    for (index, line) in lines.iter_mut().enumerate() {
        if (ended || index + 1 < count) && line.ends_with('\r') {
            line.pop();
        }
    }
    lines
}

fn unnumbered(content: &str, first: u64) -> Vec<String> {
    let lines = content.strip_suffix('\n').map_or_else(Vec::new, |all| all.split('\n').collect());
    let numbered = lines.into_iter().zip(first..);
    numbered
        .map(|(line, number)| line.strip_prefix(&format!("{number}: ")).unwrap().to_owned())
        .collect()
}

fn encoded(content: &str, encoding: Encoding) -> Vec<u8> {
    let marked = format!("\u{feff}{content}");
    match encoding {
        Encoding::Utf8 => content.as_bytes().to_vec(),
        Encoding::Utf8Bom => marked.into_bytes(),
        Encoding::Utf16Le => marked.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Be => marked.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    }
}

fn encodings() -> impl Strategy<Value = Encoding> {
    prop::sample::select(vec![
        Encoding::Utf8,
        Encoding::Utf8Bom,
        Encoding::Utf16Le,
        Encoding::Utf16Be,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn pages_put_together_are_the_lines_of_the_file(
        content in "([a-zä😀\u{a0a}\u{d0d} ]{0,6}(\r\n|\n|\r)?){0,30}",
        encoding in encodings(),
        limit in 1_u64..8,
    ) {
        let stage = Stage::new();
        stage.put("file", encoded(&content, encoding));
        let index = LineIndex::hasty();
        let expected = lines_of(&content);
        let mut found: Vec<String> = Vec::new();
        loop {
            let offset = found.len() as u64 + 1;
            let request =
                ViewRequest { path: rel("file"), offset: Some(offset), limit: Some(limit) };
            let text = text(view(&stage.files, &index, &request, &|| false).unwrap());
            let lines = unnumbered(&text.content, offset);
            prop_assert_eq!(text.total_lines, Some(expected.len() as u64));
            prop_assert_eq!(text.end_line + 1 - text.start_line, lines.len() as u64);
            prop_assert_eq!(text.line_ending, LineEnding::of(&content));
            prop_assert_eq!(text.final_newline, content.ends_with('\n'));
            found.extend(lines);
            prop_assert_eq!(text.truncated, found.len() < expected.len());
            if !text.truncated {
                break;
            }
            let hint = text.hint.unwrap();
            let goes_on = format!("offset={} goes on", found.len() + 1);
            prop_assert!(hint.ends_with(&goes_on), "{}", hint);
        }
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_page_says_how_to_go_on() {
    let stage = Stage::new();
    stage.put("file", "x\n".repeat(5000));
    let page = |offset, limit| {
        let text = text(ask(&stage, "file", offset, limit).unwrap());
        (text.start_line, text.end_line, text.hint)
    };
    let hint = |text: &str| Some(text.to_owned());
    assert_eq!(page(None, None), (1, 2000, hint("lines 1-2000 of 5000; offset=2001 goes on")));
    assert_eq!(
        page(Some(100), Some(50)),
        (100, 149, hint("lines 100-149 of 5000; offset=150 goes on"))
    );
    assert_eq!(page(Some(4000), Some(u64::MAX)), (4000, 5000, None));
}

#[test]
fn a_changed_file_is_never_shown_by_what_was_remembered() {
    let stage = Stage::new();
    let index = LineIndex::default();
    // The same size in the same moment: only what is not remembered cannot be wrong.
    for round in 0..200_usize {
        let line = "x".repeat(round % 7);
        let content = format!("{line}\n{}\n{round:03}\n", "y".repeat(6 - round % 7));
        stage.put("file", &content);
        let request = ViewRequest { path: rel("file"), offset: Some(3), limit: None };
        let text = text(view(&stage.files, &index, &request, &|| false).unwrap());
        assert_eq!(text.content, format!("3: {round:03}\n"));
        assert_eq!(text.hash, Some(hash(content.as_bytes())));
    }
}

#[test]
fn few_files_are_remembered() {
    let stage = Stage::new();
    let index = LineIndex::hasty();
    for number in 0..index::MAX_FILES + 5 {
        let path = format!("{number}");
        stage.put(&path, "a\nb\n");
        let request = ViewRequest { path: rel(&path), offset: Some(2), limit: None };
        view(&stage.files, &index, &request, &|| false).unwrap();
    }
    assert_eq!(index.len(), index::MAX_FILES);
}

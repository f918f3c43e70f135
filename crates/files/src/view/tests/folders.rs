//! Folders, also very large ones and ones with awkward names.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

use super::*;

fn folder(stage: &Stage, path: &str, offset: Option<u64>, limit: Option<u64>) -> FolderView {
    match ask(stage, path, offset, limit).unwrap() {
        View::Folder(folder) => folder,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_folder_is_shown_by_its_entries_folders_first() {
    let stage = Stage::new();
    for path in ["b.txt", "a.txt", "z/inner", "c/inner", ".hidden"] {
        stage.put(path, "");
    }
    stage.link("a.txt", "link");
    stage.link("z", "folder-link");
    assert_eq!(
        folder(&stage, "", None, None),
        FolderView {
            content: "c/\nz/\n.hidden\na.txt\nb.txt\nfolder-link@\nlink@\n".to_owned(),
            start_entry: 1,
            end_entry: 7,
            total_entries: 7,
            escaped_names: 0,
            unreadable: 0,
            truncated: false,
            hint: None,
        }
    );
    assert_eq!(folder(&stage, "folder-link", None, None).content, "inner\n");
}

#[test]
fn entries_are_shown_in_pages() {
    let stage = Stage::new();
    for name in ["a", "b", "c", "d/x"] {
        stage.put(name, "");
    }
    let page = |offset, limit| {
        let page = folder(&stage, "", Some(offset), Some(limit));
        (page.content, page.start_entry, page.end_entry, page.hint)
    };
    assert_eq!(
        page(1, 2),
        ("d/\na\n".to_owned(), 1, 2, Some("entries 1-2 of 4; offset=3 goes on".to_owned()))
    );
    assert_eq!(page(3, 2), ("b\nc\n".to_owned(), 3, 4, None));
    assert_eq!(
        page(5, 2),
        (String::new(), 5, 4, Some("offset=5 is past the end: there are 4 entries".to_owned()))
    );
}

#[test]
fn an_empty_folder_says_so() {
    let stage = Stage::new();
    let empty = folder(&stage, "", None, None);
    assert_eq!(
        (empty.content.as_str(), empty.hint.as_deref(), empty.end_entry),
        ("", Some("the folder is empty"), 0)
    );
}

#[test]
fn names_that_could_be_misread_are_escaped_and_counted() {
    let stage = Stage::new();
    for name in [&b"plain name"[..], b"two\nlines", b"not\xfftext", b"quote\"d", b"at@", b"tab\t\\"]
    {
        std::fs::create_dir(stage.files.root().join(OsStr::from_bytes(name))).unwrap();
    }
    let shown = folder(&stage, "", None, None);
    assert_eq!(
        shown.content,
        "\"at@\"/\n\"not\\xfftext\"/\nplain name/\n\"quote\\\"d\"/\n\"tab\\t\\\\\"/\n\
         \"two\\nlines\"/\n"
    );
    assert_eq!((shown.escaped_names, shown.total_entries), (5, 6));
}

#[test]
fn a_page_of_entries_is_cut_at_fifty_kilobytes() {
    let stage = Stage::new();
    for number in 0..300 {
        stage.put(&format!("{number:03}{}", "x".repeat(197)), "");
    }
    let shown = folder(&stage, "", None, None);
    assert_eq!((shown.end_entry, shown.total_entries, shown.truncated), (254, 300, true));
    assert_eq!(shown.hint.as_deref(), Some("entries 1-254 of 300; offset=255 goes on"));
    assert_eq!(folder(&stage, "", Some(255), None).end_entry, 300);
}

#[test]
fn pages_beyond_what_is_held_in_memory_are_found() {
    let stage = Stage::new();
    for number in 0..50 {
        stage.put(&format!("{number:02}"), "");
    }
    for (first, limit) in [(1, 5), (8, 20), (41, 100), (50, 1)] {
        let page = Page { first, limit };
        let found =
            folder::view_holding(&stage.files, &RelPath::root(), page, 7, &|| false).unwrap();
        let last = (first + limit - 1).min(50);
        let expected: String = (first - 1..last)
            .flat_map(|number| [format!("{number:02}"), "\n".to_owned()])
            .collect();
        assert_eq!((found.content, found.end_entry, found.total_entries), (expected, last, 50));
    }
}

//! Which names of one file are refused, and to whom.

use super::super::tests::{Stage, rel};
use crate::grep::{GrepQuery, grep};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.put("app/.env", "KEY=sesame\n");
    stage.put("a.txt", "sesame\n");
    for (from, to) in [("app/.env", "hard.txt"), ("app/.env", "deep/x"), ("a.txt", "b.txt")] {
        std::fs::create_dir_all(stage.path("deep")).unwrap();
        std::fs::hard_link(stage.path(from), stage.path(to)).unwrap();
    }
    stage
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test prepares what the code under test must meet")]
fn another_name_of_a_secret_is_as_secret_and_other_links_are_read() {
    let stage = stage();
    let refused =
        |path: &str| Err(format!("`{path}` is another name of the secret file `app/.env`"));
    assert_eq!(stage.read_whole("hard.txt"), refused("hard.txt"));
    assert_eq!(stage.read_whole("deep/x"), refused("deep/x"));
    assert_eq!(stage.read_whole("b.txt"), Ok("sesame\n".to_owned()));
    let person = stage.files.for_a_person();
    assert_eq!(person.read_bytes(&rel("hard.txt"), &|| false).unwrap().content, b"KEY=sesame\n");
    std::fs::remove_file(stage.path("app/.env")).unwrap();
    assert_eq!(stage.read_whole("hard.txt"), Ok("KEY=sesame\n".to_owned()));
}

#[test]
fn another_name_of_a_secret_is_not_copied_alone_or_in_its_folder() {
    let stage = stage();
    let before = stage.everything();
    let copy = |from: &str, to: &str| {
        let copied = stage.files.copy(&rel(from), &rel(to), false, 1, &|| false);
        copied.map(|copied| copied.bytes).map_err(|error| error.to_string())
    };
    for (from, named) in [("hard.txt", "hard.txt"), ("deep", "deep/x")] {
        let refused = format!("`{named}` is another name of the secret file `app/.env`");
        assert_eq!(copy(from, "copy"), Err(refused));
    }
    assert_eq!(stage.everything(), before);
    assert_eq!(copy("b.txt", "copy"), Ok(7));
}

#[test]
fn a_search_counts_other_names_of_secrets_as_secret() {
    let stage = stage();
    let query = GrepQuery::new("sesame");
    let found = grep(&stage.files, &query, &|| false).unwrap();
    assert_eq!((found.total_files, found.skipped_secret), (2, 3));
    let told = crate::grep::tell(&stage.files, &query, &|_| true, &|| false).unwrap();
    assert_eq!((told.total_files, told.skipped_secret), (2, 3));
    let found = grep(&stage.files.for_a_person(), &query, &|| false).unwrap();
    assert_eq!((found.total_files, found.skipped_secret), (5, 0));
}

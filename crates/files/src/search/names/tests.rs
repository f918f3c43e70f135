//! Which names come first.

use super::*;
use crate::files::tests::Stage;

fn check(paths: &[&str], query: &str, expected: &[&str]) {
    let paths = paths.iter().map(|path| RelPath::parse(path).unwrap()).collect();
    let list = FileList { paths, truncated: false };
    let found = find_names(&list, query, 100, &|| false).unwrap();
    let found: Vec<&str> = found.paths.iter().map(RelPath::as_str).collect();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn a_name_counts_more_than_the_folders_above_it() {
    check(&["main/lib.rs", "src/main.rs", "x.rs"], "main", &["src/main.rs", "main/lib.rs"]);
    check(&["a/util/deep/file.rs", "a/util.rs"], "util", &["a/util.rs", "a/util/deep/file.rs"]);
}

#[test]
fn letters_in_a_row_and_after_separators_come_first() {
    check(&["l-i-x-b.rs", "lib.rs"], "lib", &["lib.rs", "l-i-x-b.rs"]);
    check(&["xfxb.rs", "foo_bar.rs"], "fb", &["foo_bar.rs", "xfxb.rs"]);
}

#[test]
fn folders_and_several_words_narrow_the_search() {
    let paths = ["a/mod.rs", "b/mod.rs", "b/other.rs"];
    check(&paths, "b/mod", &["b/mod.rs"]);
    check(&paths, "mod b", &["b/mod.rs"]);
    check(&paths, "zzz", &[]);
}

#[test]
fn case_matters_once_a_capital_is_typed() {
    check(&["readme", "README"], "readme", &["README", "readme"]);
    check(&["readme", "README"], "README", &["README"]);
}

#[test]
fn nothing_typed_is_every_file_by_path() {
    check(&["b", "c/a", "longer-name"], "", &["b", "c/a", "longer-name"]);
}

#[test]
fn a_list_has_what_is_not_ignored() {
    let stage = Stage::new();
    stage.put(".gitignore", "target\n");
    stage.put(".git/info/exclude", ".ignore\n");
    stage.put(".ignore", "/vendor\n");
    stage.put("vendor/x", "");
    for file in ["target/x", "src/a.rs", ".git/config", ".hidden"] {
        stage.put(file, "");
    }
    stage.link("src/a.rs", "link");
    stage.link("src", "folder-link");
    stage.link("missing", "nowhere");
    let found = find_names(&list(&stage.files, &|| false).unwrap(), "", 3, &|| false).unwrap();
    let paths: Vec<&str> = found.paths.iter().map(RelPath::as_str).collect();
    assert_eq!((paths, found.truncated), (vec![".gitignore", ".hidden", "link"], true));
    let all = find_names(&list(&stage.files, &|| false).unwrap(), "", 4, &|| false).unwrap();
    assert_eq!((all.paths.len(), all.truncated), (4, false));
}

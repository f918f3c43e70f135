//! Whose word counts.

use super::*;
use crate::files::tests::Stage;

type Hide = fn(&Ignores, &Path, Kind) -> bool;

/// Which of these are passed over when everything from the root to `start` was read.
fn hidden<'a>(stage: &Stage, hide: Hide, start: &str, names: &[&'a str]) -> Vec<&'a str> {
    let folder = stage.files.beneath().open_folder(or_dot(Path::new(start))).unwrap();
    let ignores = Ignores::above(&stage.files, Path::new(start)).and_in(&folder, Path::new(start));
    let is_hidden = |name: &&str| hide(&ignores, &Path::new(start).join(name), Kind::File);
    names.iter().copied().filter(is_hidden).collect()
}

#[test]
fn an_ignore_file_has_the_last_word_over_those_of_git_also_over_nearer_ones() {
    let stage = Stage::new();
    stage.put(".git/info/exclude", "excluded\nshown\n");
    stage.put(".gitignore", "*.log\n");
    stage.put(".ignore", "!kept.log\ngenerated\n!shown\n");
    stage.put("sub/.gitignore", "kept.log\n!generated\n");
    let names = ["a.log", "kept.log", "generated", "excluded", "shown", "other"];
    let check = |hide: Hide, expected: &[&str]| {
        for start in ["", "sub"] {
            assert_eq!(hidden(&stage, hide, start, &names), expected, "in `{start}`");
        }
    };
    check(Ignores::hide, &["a.log", "generated", "excluded"]);
    check(Ignores::hide_from_git, &["a.log", "kept.log", "excluded", "shown"]);
    check(Ignores::hide_from_all, &["a.log", "excluded"]);
}

#[test]
fn among_ignore_files_the_nearest_decides() {
    let stage = Stage::new();
    stage.put(".ignore", "*.txt\n/top\n");
    stage.put("sub/.ignore", "!kept.txt\n");
    let names = ["a.txt", "kept.txt", "top"];
    assert_eq!(hidden(&stage, Ignores::hide, "sub", &names), ["a.txt"]);
    assert_eq!(hidden(&stage, Ignores::hide, "", &names), names);
    assert_eq!(hidden(&stage, Ignores::hide_from_git, "", &names), [""; 0]);
}

#[test]
fn an_ignore_file_that_is_a_link_or_a_folder_says_nothing() {
    let stage = Stage::new();
    stage.put("patterns", "*\n");
    stage.link("patterns", ".ignore");
    stage.put("sub/.ignore/file", "");
    assert_eq!(hidden(&stage, Ignores::hide, "", &["a"]), [""; 0]);
    assert_eq!(hidden(&stage, Ignores::hide, "sub", &["a"]), [""; 0]);
}

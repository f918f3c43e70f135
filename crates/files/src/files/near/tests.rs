//! Which names are offered for one that does not exist.

use super::super::tests::{Stage, rel};

#[track_caller]
fn check(stage: &Stage, text: &str, expected: &[&str]) {
    assert_eq!(stage.files.near_names(&rel(text)), expected, "{text}");
}

#[test]
fn slips_of_the_pen_are_forgiven() {
    let stage = Stage::new();
    for file in ["src/main.rs", "src/mail.rs", "src/other.txt", "README.md"] {
        stage.put(file, "");
    }
    check(&stage, "src/mian.rs", &["src/main.rs", "src/mail.rs"]);
    check(&stage, "readme.md", &["README.md"]);
    check(&stage, "src/man.rs", &["src/main.rs", "src/mail.rs"]);
    check(&stage, "src/unlike-anything", &[]);
    check(&stage, "", &[]);
}

#[test]
fn the_same_name_in_another_folder_is_proposed() {
    let stage = Stage::new();
    for file in ["a/b/c/lib.rs", "x/Lib.rs", "target/lib.rs"] {
        stage.put(file, "");
    }
    stage.put(".gitignore", "target");
    check(&stage, "nowhere/lib.rs", &["x/Lib.rs", "a/b/c/lib.rs"]);
}

#[test]
fn at_most_three_are_proposed() {
    let stage = Stage::new();
    for number in 0..9 {
        stage.put(&format!("file{number}.txt"), "");
    }
    check(&stage, "filex.txt", &["file0.txt", "file1.txt", "file2.txt"]);
}

//! Which names are offered for one that does not exist.

use super::super::tests::{Place, rel};

#[track_caller]
fn check(place: &Place, text: &str, expected: &[&str]) {
    assert_eq!(place.files.near_names(&rel(text)), expected, "{text}");
}

#[test]
fn slips_of_the_pen_are_forgiven() {
    let place = Place::new();
    for file in ["src/main.rs", "src/mail.rs", "src/other.txt", "README.md"] {
        place.put(file, "");
    }
    check(&place, "src/mian.rs", &["src/main.rs", "src/mail.rs"]);
    check(&place, "readme.md", &["README.md"]);
    check(&place, "src/man.rs", &["src/main.rs", "src/mail.rs"]);
    check(&place, "src/unlike-anything", &[]);
    check(&place, "", &[]);
}

#[test]
fn the_same_name_in_another_folder_is_proposed() {
    let place = Place::new();
    for file in ["a/b/c/lib.rs", "x/Lib.rs", "target/lib.rs"] {
        place.put(file, "");
    }
    place.put(".gitignore", "target");
    check(&place, "nowhere/lib.rs", &["x/Lib.rs", "a/b/c/lib.rs"]);
}

#[test]
fn at_most_three_are_proposed() {
    let place = Place::new();
    for number in 0..9 {
        place.put(&format!("file{number}.txt"), "");
    }
    check(&place, "filex.txt", &["file0.txt", "file1.txt", "file2.txt"]);
}

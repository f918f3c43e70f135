//! Which lines are refused, and which only look like it.

use super::*;

fn errors_of(path: &str, text: &str) -> Vec<String> {
    let mut report = Report::default();
    check(&Tree::of(&[(path, text)]), &[], &mut report);
    report.errors
}

#[test]
fn unfinished_work_is_named_with_its_line() {
    assert_eq!(
        errors_of("README.md", "a\nTODO: b\nFIXME\n"),
        [
            "README.md:2: `TODO`: finish it or leave it out",
            "README.md:3: `FIXME`: finish it or leave it out",
        ]
    );
    assert_eq!(errors_of("a.rs", "let TODOS = my_TODO;\n"), [""; 0]);
}

#[test]
fn leftovers_of_rust_are_refused_in_rust_only() {
    assert_eq!(errors_of("a.rs", "dbg!(x);"), ["a.rs:1: `dbg!`: a leftover of debugging"]);
    assert_eq!(
        errors_of("a.rs", "#[ignore = \"slow\"]"),
        ["a.rs:1: `#[ignore`: a test runs or is deleted"]
    );
    assert_eq!(errors_of("a.md", "dbg! and #[ignore]"), [""; 0]);
}

#[test]
fn leftovers_of_scripts_are_refused_in_scripts_only() {
    assert_eq!(
        errors_of("web/e2e/a.spec.ts", "test.only(\"a\", b);\ntest.skip(\"c\", d);"),
        [
            "web/e2e/a.spec.ts:1: `test.only`: a leftover of debugging",
            "web/e2e/a.spec.ts:2: `test.skip`: a test runs or is deleted",
        ]
    );
    assert_eq!(errors_of("a.rs", "test.only test.skip"), [""; 0]);
}

#[test]
fn sleeping_is_refused_in_tests_only() {
    let sleep = "std::thread::sleep(a);";
    assert_eq!(errors_of("crates/a/src/b.rs", sleep), [""; 0]);
    let expected =
        |path: &str| vec![format!("{path}:1: `thread::sleep`: wait for the event itself")];
    for path in ["crates/a/src/b/tests.rs", "crates/a/tests/b.rs"] {
        assert_eq!(errors_of(path, sleep), expected(path));
    }
}

#[test]
fn paths_of_one_machine_are_refused_but_not_the_middle_of_a_path() {
    assert_eq!(errors_of("a.md", "cd /work/main"), ["a.md:1: `/work/`: a path of one machine"]);
    assert_eq!(errors_of("a.rs", "\"/home/me/x\""), ["a.rs:1: `/home/`: a path of one machine"]);
    for line in ["~/work/x", "example.org/home/", "./root/x", "{root}/work/", "$HOME/work/"] {
        assert_eq!(errors_of("a.md", line), [""; 0], "{line}");
    }
}

#[test]
fn lock_files_are_not_read() {
    assert_eq!(errors_of("web/package-lock.json", "TODO"), [""; 0]);
}

#[test]
fn an_exception_covers_its_word_and_must_be_needed() {
    let exceptions = [
        Exception { path: "crates/a/src/b/tests.rs", word: "/home/", reason: "made up" },
        Exception { path: "crates/c/", word: "TODO", reason: "gone" },
    ];
    let mut report = Report::default();
    let tree = Tree::of(&[("crates/a/src/b/tests.rs", "\"/home/me/x\"\n/root/x\n")]);
    check(&tree, &exceptions, &mut report);
    assert_eq!(
        report.errors,
        [
            "crates/a/src/b/tests.rs:2: `/root/`: a path of one machine",
            "tidy's exception for `TODO` in crates/c/ (gone) is not needed",
        ]
    );
}

//! The diff: what it shows, how much of it, and what it counts.

use super::{patch::patch, *};

fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line};\n")).collect::<Vec<_>>().concat()
}

#[test]
fn changes_far_apart_are_hunks_of_their_own() {
    let text = numbered(30);
    let edits = [edit("line 25;", "line 25a;\nline 25b;"), edit("line 3;\n", "")];
    let edited = run(&text, &edits).unwrap();
    assert_eq!(
        edited.diff,
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n\
         @@ -1,6 +1,5 @@\n line 1;\n line 2;\n-line 3;\n line 4;\n line 5;\n line 6;\n\
         @@ -22,7 +21,8 @@\n line 22;\n line 23;\n line 24;\n-line 25;\n+line 25a;\n+line 25b;\n \
         line 26;\n line 27;\n line 28;\n"
    );
    assert_eq!((edited.lines_added, edited.lines_removed), (2, 2));
    assert_eq!(patch(&text, &edited.diff), edited.text);
}

#[test]
fn changes_close_together_share_a_hunk() {
    let text = numbered(12);
    let edits = [edit("line 3;", "three"), edit("line 10;", "ten")];
    let diff = run(&text, &edits).unwrap().diff;
    assert_eq!(diff.matches("@@ -").count(), 1, "{diff}");
    let edits = [edit("line 3;", "three"), edit("line 11;", "eleven")];
    let diff = run(&text, &edits).unwrap().diff;
    assert_eq!(diff.matches("@@ -").count(), 2, "{diff}");
}

#[test]
fn lines_given_for_context_are_not_counted() {
    let edited = run(
        &numbered(5),
        &[edit("line 2;\nline 3;\nline 4;", "line 2;\nline 3 and more;\nline 4;")],
    )
    .unwrap();
    assert_eq!((edited.lines_added, edited.lines_removed), (1, 1));
}

#[test]
fn a_missing_newline_at_the_end_is_said() {
    assert_eq!(
        run("a\nb", &[edit("b", "b\n")]).unwrap().diff,
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,2 +1,2 @@\n a\n-b\n\
         \\ No newline at end of file\n+b\n"
    );
}

#[test]
fn a_text_made_empty_has_a_diff() {
    let edited = run("a\n", &[edit("a\n", "")]).unwrap();
    assert_eq!(edited.text, "");
    assert_eq!(edited.diff, "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,1 +0,0 @@\n-a\n");
}

#[test]
fn a_long_diff_is_cut_and_says_so() {
    let text = numbered(10_000);
    let edited = run(&text, &[edit_all("line", "row")]).unwrap();
    assert_eq!(edited.replacements, 10_000);
    assert_eq!((edited.lines_added, edited.lines_removed), (10_000, 10_000));
    let last = edited.diff.lines().last().unwrap();
    let shown = edited.diff.lines().count() - 4;
    assert_eq!(last, format!("\\ Diff cut here: {} more lines", 20_000 - shown));
    assert!(edited.diff_truncated);
    assert!(edited.diff.len() < MAX_DIFF_BYTES + 200, "{}", edited.diff.len());
}

#[test]
fn a_path_cannot_break_the_head_of_the_diff() {
    let diff = apply("a\n\"b", "x\n", &[edit("x", "y")]).unwrap().diff;
    assert_eq!(diff.lines().next(), Some(r#"--- "a/a\n\"b""#));
}

//! What the two readers make of a line: its parts, their words, and what stands where.

use pretty_assertions::assert_eq;

use super::{judged, told};
use crate::{Doubt, Finding, Word};

fn part(text: &str, findings: &[Finding]) -> (String, Vec<Finding>) {
    (text.to_owned(), findings.to_vec())
}

#[test]
fn every_simple_command_is_a_part_with_its_own_text() {
    assert_eq!(
        told("cd web && (npm ci; rm -rf old) > log 2>&1 | tail -3 # done"),
        (
            vec![
                part("cd web", &[]),
                part("> log 2>&1", &[]),
                part("npm ci", &[]),
                part("rm -rf old", &[Finding::DeletesFolders]),
                part("tail -3", &[]),
            ],
            vec![]
        )
    );
}

#[test]
fn what_is_inside_comes_before_what_it_is_for_and_wrappers_are_not_told() {
    assert_eq!(
        told(r#"env a=b timeout 5 bash -c "git push; echo $(rm -r x)""#),
        (
            vec![
                part("rm -r x", &[Finding::DeletesFolders]),
                part(r#"bash -c "git push; echo $(rm -r x)""#, &[])
            ],
            vec![Doubt::TextUnknown(r#"bash "git push; echo $(rm -r x)""#.into())]
        )
    );
    assert_eq!(
        told("timeout 5 bash -c 'git push; echo $(rm -r x)'"),
        (
            vec![
                part("git push", &[Finding::Pushes]),
                part("rm -r x", &[Finding::DeletesFolders]),
                part("echo $(rm -r x)", &[]),
            ],
            vec![]
        )
    );
}

#[test]
fn a_program_that_does_something_itself_is_told_beside_what_it_runs() {
    assert_eq!(
        told("sudo -u me rm -rf /"),
        (
            vec![
                part("sudo -u me rm -rf /", &[Finding::BecomesOther]),
                part("rm -rf /", &[Finding::DeletesEverything, Finding::DeletesFolders]),
            ],
            vec![]
        )
    );
}

#[test]
fn words_are_as_the_program_gets_them_or_unknown() {
    let line =
        r#"echo a"b c"'d e'\ f $'\t\x41\101\u00e9' "\$x \a" $"g" ~ $x "$x" *.rs {a,b} {} ''"#;
    let known: Vec<Option<String>> =
        judged(line).parts[0].words.iter().map(|word| word.known().map(str::to_owned)).collect();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        known,
        [
            text("echo"),
            text("ab cd e f"),
            text("\tAAé"),
            text("$x \\a"),
            text("g"),
            None,
            None,
            None,
            None,
            None,
            text("{}"),
            text(""),
        ]
    );
}

#[test]
fn a_word_is_shown_as_it_was_written() {
    let judged = judged("echo `a \\`b\\`` a\\ b\\\nc");
    let written: Vec<&str> = judged.parts.last().unwrap().words.iter().map(Word::written).collect();
    assert_eq!(written, ["echo", "`a \\`b\\``", "a\\ b\\\nc"]);
}

#[test]
fn words_behind_a_redirection_belong_to_the_command() {
    for line in
        ["rm >a -rf x", "rm 2>&1 -rf x", "ls | rm <a -rf x", ">a rm -rf x", "rm <<E -rf x\nE"]
    {
        let judged = judged(line);
        let last = judged.parts.last().unwrap();
        assert_eq!(last.known_words(), Some(vec!["rm", "-rf", "x"]), "{line}");
    }
}

#[test]
fn here_documents_end_where_bash_ends_them() {
    let deletes =
        |line: &str| judged(line).findings().any(|found| found == Finding::DeletesFolders);
    assert!(deletes("cat <<E\nx\nE\nrm -r y"));
    assert!(deletes("cat <<-E\nx\n\t\tE\nrm -r y"));
    assert!(deletes("cat <<'E'\nx\\\nE\nrm -r y\nE"));
    assert!(deletes("cat <<A <<B\n1\nA\n2\nB\nrm -r y"));
    assert!(deletes("x=$(cat <<E\n'\nE\n)\nrm -r y"));
    assert_eq!(told("cat <<E\nx\\\nE\nrm -r y\nE"), (vec![part("cat <<E", &[])], vec![]));
    assert_eq!(told("cat <<E\nrm -r y\n E"), (vec![], vec![Doubt::Unreadable]));
}

#[test]
fn what_the_grammar_alone_would_miss_is_found_or_doubted() {
    let unsafe_for_the_grammar = [
        "[ \nrm -rf x ]",
        "r\\\nm -rf x",
        "echo `echo \\`rm -rf x\\``",
        "cat <<E\n`rm -rf x`\nE",
        "echo \"${x/`rm -rf y`/b}\"",
        "echo ${x:-<(rm -rf y)}",
        "echo \"$ $(rm -rf y) \" \"\"",
        "a\u{b}#b; rm -rf x",
        "echo a\r#b\nrm -rf x",
    ];
    for line in unsafe_for_the_grammar {
        let judged = judged(line);
        let found = judged.findings().any(|finding| finding == Finding::DeletesFolders);
        assert!(found || !judged.doubts.is_empty(), "{line}: {judged:?}");
    }
}

#[test]
fn redirections_and_variables_make_a_command_less_plain() {
    let plain = |line: &str| judged(line).parts.last().unwrap().is_plain;
    assert!(plain("git push"));
    assert!(plain("git push > /dev/null 2>&1 < answers"));
    assert!(plain("LC_ALL=C git push"));
    assert!(!plain("git push > log"));
    assert!(!plain("git push &>> log"));
    assert!(!plain("PATH=x git push"));
    assert!(!plain("GIT_TRACE=x git push"));
}

#[test]
fn every_finding_has_a_sentence_of_its_own() {
    let mut sentences: Vec<&str> = Finding::ALL.iter().map(|finding| finding.sentence()).collect();
    assert!(sentences.iter().all(|sentence| sentence.ends_with('.')));
    sentences.sort_unstable();
    sentences.dedup();
    assert_eq!(sentences.len(), Finding::ALL.len());
}

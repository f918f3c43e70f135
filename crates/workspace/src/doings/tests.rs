//! What is told of what people did: once, in few bytes, to each session for itself.

use openspace_command::{CallerKind, Meanwhile as _};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;

fn session(word: &str) -> Caller {
    Caller::new(CallerKind::Agent, "opencode", Some(word))
}

fn told(doings: &Doings, word: &str) -> Option<Value> {
    doings.since_last_call(&session(word)).map(|since| since.data)
}

fn lines(first: usize, removed: usize, added: usize) -> EditedLines {
    EditedLines { first, removed, added }
}

fn types(doings: &Doings, path: &str, edits: &[EditedLines]) {
    doings.typed(&RelPath::parse(path).unwrap(), edits);
}

fn opens(doings: &Doings, path: &str) {
    doings.note(Doing::Opened { what: path.into() });
}

#[test]
fn the_first_call_is_told_nothing_and_each_session_is_told_once() {
    let doings = Doings::default();
    opens(&doings, "before.rs");
    assert_eq!(told(&doings, "one"), None);
    opens(&doings, "a.rs");
    assert_eq!(told(&doings, "two"), None, "its first call");
    assert_eq!(told(&doings, "one"), Some(json!({"opened": ["a.rs"]})));
    assert_eq!(told(&doings, "one"), None);
    opens(&doings, "b.rs");
    assert_eq!(doings.since_last_call_of("opencode").unwrap().data, json!({"opened": ["b.rs"]}));
    assert_eq!(doings.since_last_call_of("claude"), None);
    for word in ["one", "two"] {
        assert_eq!(told(&doings, word), Some(json!({"opened": ["b.rs"]})), "{word}");
    }
}

#[test]
fn what_is_typed_is_told_by_its_lines_and_whether_it_was_saved() {
    let doings = Doings::default();
    told(&doings, "one");
    types(&doings, "a.rs", &[lines(3, 0, 0)]);
    types(&doings, "a.rs", &[lines(3, 0, 2), lines(20, 0, 0)]);
    types(&doings, "a.rs", &[lines(1, 0, 1)]);
    types(&doings, "b.rs", &[lines(7, 0, 0)]);
    doings.note(Doing::Saved { path: "b.rs".into() });
    let since = doings.since_last_call(&session("one")).unwrap();
    assert_eq!(
        since.data,
        json!({"edited": [
            {"path": "a.rs", "saved": false, "lines": "1-2,4-6,21"},
            {"path": "b.rs", "saved": true, "lines": "7"},
        ]})
    );
    assert_eq!(
        since.line,
        "(Since your last call the person: edited a.rs:1-2,4-6,21 (not saved); edited b.rs:7 (saved))"
    );
    doings.note(Doing::Saved { path: "a.rs".into() });
    types(&doings, "a.rs", &[lines(9, 0, 0)]);
    let edited = json!({"edited": [{"path": "a.rs", "saved": false, "lines": "9"}]});
    assert_eq!(told(&doings, "one"), Some(edited));
}

#[test]
fn ranges_follow_what_is_put_in_and_taken_away_before_them() {
    let mut all = Lines::default();
    all.edit(lines(5, 0, 4));
    assert_eq!(all.to_string(), "5-9");
    all.edit(lines(3, 5, 0));
    assert_eq!(all.to_string(), "3-4", "lines 3 to 8 became one, and 9 is behind it");
    for first in [10, 20, 30, 41] {
        all.edit(lines(first, 0, 0));
    }
    assert_eq!(all.to_string(), "3-20,30,41", "those that are nearest become one");
}

#[test]
fn what_is_told_has_a_bound_and_counts_what_does_not_fit() {
    let doings = Doings::default();
    told(&doings, "one");
    for number in 0..150 {
        opens(&doings, &format!("src/a/long/folder/name/file-{number}.rs"));
    }
    doings.failed(TerminalId(3), Some("npm test"), 1);
    doings.failed(TerminalId(3), Some("sleep 9"), 130);
    let since = doings.since_last_call(&session("one")).unwrap();
    assert!(since.data.to_string().len() <= told::MOST_DATA, "{}", since.data);
    assert!(since.line.len() <= told::MOST_LINE + 60, "{}", since.line);
    let failed = json!([{"terminal": "t3", "command": "npm test", "exit_code": 1}]);
    assert_eq!(since.data["failed"], failed, "it comes first");
    let opened = since.data["opened"].as_array().unwrap().len() as u64;
    assert_eq!(since.data["more"], json!(150 - opened));
    for number in 0..1_000 {
        opens(&doings, &format!("{number}.rs"));
    }
    let since = told(&doings, "one").unwrap();
    let opened = since["opened"].as_array().unwrap().len() as u64;
    assert_eq!(since["more"], json!(1_000 - opened), "also what is forgotten is counted");
}

#[test]
fn the_last_word_about_a_tab_counts_and_an_answer_is_for_who_asked() {
    let doings = Doings::default();
    told(&doings, "one");
    doings.since_last_call(&Caller::new(CallerKind::Agent, "claude", None));
    opens(&doings, "a.rs");
    doings.note(Doing::Closed { what: "a.rs".into() });
    doings.note(Doing::Answered { client: "opencode".into(), what: "yes: git push".into() });
    doings.note(Doing::Arranged);
    doings.note(Doing::Arranged);
    doings.problems(&Caller::new(CallerKind::Script, "cli", None), "tsc", 3);
    doings.problems(&session("two"), "clippy", 3);
    let expected = json!({
        "answered": ["yes: git push"], "closed": ["a.rs"], "problems": ["tsc: 3"], "panes": "arranged",
    });
    assert_eq!(told(&doings, "one"), Some(expected));
    let claude = doings.since_last_call(&Caller::new(CallerKind::Agent, "claude", None)).unwrap();
    assert_eq!(claude.data.get("answered"), None);
}

#[test]
fn nothing_is_kept_for_nobody_and_sessions_are_forgotten() {
    let doings = Doings::default();
    assert!(!doings.is_wanted());
    opens(&doings, "a.rs");
    assert_eq!(doings.log().len(), (0, 0));
    for number in 0..1_000 {
        told(&doings, &number.to_string());
        opens(&doings, &format!("{number}.rs"));
    }
    let (kept, sessions) = doings.log().len();
    assert!(kept <= 200 && sessions <= 256, "{kept} {sessions}");
    assert_eq!(told(&doings, "0"), None, "it begins anew");
}

#[test]
fn a_call_that_a_person_makes_is_told_by_what_it_did_and_looks_are_not() {
    let record = |kind, command: &str, summary: &str, path: &str| Record {
        at: 0,
        caller: Caller::new(kind, "browser", None),
        command: format!("openspace.{command}"),
        workspace: None,
        summary: summary.into(),
        paths: vec![path.into()],
        let_in: None,
        outcome: Outcome::Done,
        error: None,
        micros: 0,
    };
    let person = |command: &str, summary: &str| {
        of_call(&record(CallerKind::Person, command, summary, "a.rs"))
    };
    assert_eq!(person("file.save", "save a.rs"), [Doing::Saved { path: "a.rs".into() }]);
    assert_eq!(person("workspace.git", "git status"), []);
    assert_eq!(person("workspace.git", "git commit"), [Doing::Did { what: "git commit".into() }]);
    assert_eq!(person("file.read", "read a.rs"), []);
    let doings = Doings::default();
    told(&doings, "one");
    for kind in [CallerKind::Agent, CallerKind::Script] {
        doings.called(&record(kind, "file.save", "save a.rs", "a.rs"));
    }
    assert_eq!(told(&doings, "one"), None, "they are not the person");
    assert_eq!(selected_lines("3:1-9:4"), Some((3, 9)));
    assert_eq!(selected_lines("3:1-3:1"), None, "a cursor");
}

//! What is shown of arguments, by what a call is known again, how questions read at a shell, and what is
//! allowed for a session.

use openspace_command::{Caller, CallerKind, Intent, Line, Site};
use openspace_protocol::ApprovalId;
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

use super::{
    Approval, ApprovalState, Grant, Grants, Question, ShownArgument, ShownLine,
    shown::{arguments, digest, shown},
    words::{in_full, one_line},
};

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn the_same_arguments_have_the_same_digest_in_any_order_and_no_others_do() {
    let digest = |given: &Map<String, Value>| digest(given, &Intent::default());
    let one = digest(&object(&json!({"a": "x", "b": [1, {"c": null, "d": true}]})));
    assert_eq!(digest(&object(&json!({"b": [1, {"d": true, "c": null}], "a": "x"}))), one);
    assert_eq!(one.len(), 64);
    let others = [
        json!({"a": "x", "b": [1, {"c": null, "d": false}]}),
        json!({"a": "x", "b": [1, {"c": null}, "d"]}),
        json!({"a": "xb", "": [1]}),
        json!({"a": "x"}),
        json!({"ax": ""}),
        json!({"a": ["x"]}),
        json!({"a": {"x": ""}}),
        json!({"a": 1}),
        json!({"a": "1"}),
        json!({}),
    ];
    let mut all: Vec<String> = others.iter().map(|other| digest(&object(other))).collect();
    all.push(one);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), others.len() + 1);
}

#[test]
fn the_same_key_is_another_call_for_another_line_and_in_another_terminal() {
    let given = object(&json!({"terminalId": "build", "text": "\n"}));
    let typed = |text: &str, shell: &str, is_typed, thing: &str| {
        let line = Some(Line { text: text.into(), shell: shell.into(), is_typed });
        digest(&given, &Intent { line, thing: Some(thing.into()), ..Intent::default() })
    };
    let one = typed("ls", "bash", true, "terminal t1");
    assert_eq!(typed("ls", "bash", true, "terminal t1"), one);
    let mut all = vec![
        digest(&given, &Intent::default()),
        typed("ls ", "bash", true, "terminal t1"),
        typed("lsb", "ash", true, "terminal t1"),
        typed("ls", "bash", false, "terminal t1"),
        typed("ls", "bash", true, "terminal t2"),
        one,
    ];
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 6);
}

#[test]
fn what_is_shown_has_no_secret_no_trick_and_a_bound() {
    let given = object(&json!({
        "command": "curl -H 'Authorization: Bearer abcdefgh12345678' x\nls",
        "content": "y ".repeat(1_000_000),
        "list": ["a", 1],
        "trick": "safe\u{202e}gnp.\u{1b}[2J",
    }));
    let shown = arguments(&given);
    let of = |name: &str| {
        let found = shown.iter().find(|ShownArgument { name: one, .. }| one == name);
        found.unwrap().value.clone()
    };
    assert_eq!(of("command"), "curl -H 'Authorization: Bearer ***' x\nls");
    assert_eq!(of("list"), r#"["a",1]"#);
    assert_eq!(of("trick"), "safe\u{fffd}gnp.\u{fffd}[2J");
    assert_eq!(of("content").chars().count(), 2_001);
    let many: Map<String, Value> =
        (0..1_000).map(|n| (format!("a{n}"), json!("z".repeat(5_000)))).collect();
    let letters: usize = arguments(&many).iter().map(|one| one.value.chars().count()).sum();
    assert!(letters < 8_200, "{letters}");
}

#[test]
fn a_secret_at_the_cut_is_not_shown() {
    for before in 7_960..8_010 {
        let text = format!("{} ghp_0123456789abcdefghijklmnop", "x".repeat(before));
        assert!(!shown(&text, 2_000).contains("0123"));
    }
}

#[test]
fn what_is_allowed_for_a_session_is_allowed_for_that_caller_only() {
    let grants = Grants::default();
    let caller = |session| Caller::new(CallerKind::Agent, "opencode", Some(session));
    let thing = Grant::Thing("terminal t1".into());
    grants.give(&caller("s1"), thing.clone(), "browser");
    grants.give(&caller("s1"), Grant::Rule("a rule".into()), "cli");
    assert_eq!(grants.by(&caller("s1"), &thing).as_deref(), Some("browser"));
    assert_eq!(grants.by(&caller("s2"), &thing), None);
    assert_eq!(grants.rules(&caller("s1")), [("a rule".to_owned(), "cli".to_owned())]);
    grants.forget(&caller("s1"));
    assert_eq!(grants.by(&caller("s1"), &thing), None);
    for number in 0..2_000 {
        grants.give(&caller("s1"), Grant::Thing(number.to_string()), "browser");
    }
    assert_eq!(grants.by(&caller("s1"), &Grant::Thing("0".into())), None);
    assert!(grants.by(&caller("s1"), &Grant::Thing("1999".into())).is_some());
}

/// A question as it waits, with a line for a shell or without.
fn question(command: &str, summary: &str, line: Option<&str>, arguments: &Value) -> Approval {
    let line = line.map(|text| ShownLine { text: text.into(), parts: vec![], doubts: vec![] });
    Approval {
        question: Question {
            command: format!("openspace.{command}"),
            summary: summary.into(),
            arguments: self::arguments(&object(arguments)),
            digest: "0".into(),
            line,
            folder: None,
            caller: Caller::new(CallerKind::Agent, "opencode", None),
            site: Site::Confined,
            reason: None,
            theirs: None,
            rule: "a test".into(),
            why: "It is one.".into(),
            always: None,
            each_time: false,
        },
        asked_at: 0,
        waiting: true,
        until: None,
        state: ApprovalState::Open,
    }
}

fn id() -> ApprovalId {
    "a3".parse().unwrap()
}

#[test]
fn a_list_shows_the_line_with_its_options_and_what_would_be_typed() {
    let rows = [
        (
            question("workspace.git", "git branch old", Some("git branch -D old"), &json!({})),
            "git branch old  $ git branch -D old",
        ),
        (
            question(
                "workspace.git",
                "git push main",
                Some("git push --force-with-lease origin main"),
                &json!({}),
            ),
            "git push main  $ git push --force-with-lease origin main",
        ),
        (
            question("terminal.send", "type 9 bytes into t1", Some("rm -rf x"), &json!({})),
            "type 9 bytes into t1  $ rm -rf x",
        ),
        // Without its Enter it is no line yet.
        (
            question(
                "terminal.send",
                "type 8 bytes into t1",
                None,
                &json!({"terminalId": "t1", "text": "rm -rf x"}),
            ),
            "type 8 bytes into t1  text=rm -rf x",
        ),
        (
            question(
                "workspace.git",
                "git fetch",
                None,
                &json!({"action": "fetch", "prune": true}),
            ),
            "git fetch  prune=true",
        ),
        (
            question("workspace.bash", "clean up: rm -rf x", Some("rm -rf x"), &json!({})),
            "clean up: rm -rf x",
        ),
    ];
    for (one, expected) in rows {
        assert_eq!(one_line(id(), &one), format!("a3  open  agent opencode: {expected}"));
    }
}

#[test]
fn a_list_tells_apart_what_differs_in_its_place_alone() {
    let line = |arguments: Value, folder: &str, site| {
        let mut one = question("workspace.bash", "make", Some("make"), &arguments);
        (one.question.folder, one.question.site) = (Some(folder.into()), site);
        one_line(id(), &one)
    };
    let rows = [
        (line(json!({}), ".", Site::Unconfined), ""),
        (line(json!({"workdir": "sub"}), "sub", Site::Confined), "  (in sub)"),
        (line(json!({"outside": true}), ".", Site::Outside), "  (outside)"),
        (line(json!({"run_in_background": true}), ".", Site::Confined), "  (in the background)"),
        (line(json!({"run_in_background": false}), ".", Site::Confined), ""),
        (
            line(json!({"workspace_id": "w1", "background": true}), "a", Site::Outside),
            "  (outside, in a, workspace w1, in the background)",
        ),
    ];
    for (told, beside) in rows {
        assert_eq!(told, format!("a3  open  agent opencode: make{beside}"));
    }
}

#[test]
fn nothing_in_a_list_is_acted_on_by_a_terminal_or_hidden() {
    let line = format!("ls\n\trm\u{1b}[2K\u{200b} x{};rm -rf y", " ".repeat(300));
    let one = question("workspace.bash", &line, Some(&line), &json!({}));
    assert_eq!(
        one_line(id(), &one),
        "a3  open  agent opencode: ls⏎⇥rm⟨U+001B⟩[2K⟨U+200B⟩ x⟨300 blanks⟩;rm -rf y"
    );
    let full = in_full(id(), &one);
    assert!(full.contains("  $ \trm⟨U+001B⟩[2K⟨U+200B⟩ x⟨300 blanks⟩;rm -rf y"), "{full}");
}

#[test]
fn what_is_cut_is_said_to_be_cut() {
    let line = format!("echo {}", "x".repeat(2_495));
    let one = question("workspace.bash", &line, Some(&line), &json!({}));
    assert_eq!(
        one_line(id(), &one),
        format!(
            "a3  open  agent opencode: echo {}⟨cut: 500 more characters; `openspace approve a3` shows more⟩",
            "x".repeat(1_995)
        )
    );
    let one = question("file.write", "write x", None, &json!({"content": "y".repeat(300)}));
    let full = in_full(id(), &one);
    let expected =
        format!("content: {}⟨cut: 100 more characters; the call has more⟩", "y".repeat(200));
    assert!(full.contains(&expected), "{full}");
}

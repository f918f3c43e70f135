//! The policy file: read strictly, written back with everything else as it was.

use openspace_judge::{Pattern, PatternError};
use openspace_protocol::{Access, CallerKind};
use pretty_assertions::assert_eq;

use crate::{Decision, FileError, MAX_FILE_BYTES, MAX_RULES, Place, Rule, Rules, save};

fn all() -> Rule {
    Rule {
        id: "all".into(),
        decision: Decision::Allow,
        caller: Some(CallerKind::Agent),
        client: Some("claude".into()),
        access: Some(Access::Execute),
        command: Some("openspace.terminal.*".into()),
        place: Some(Place::Outside),
        line: Some(Pattern::parse("git push origin *").unwrap()),
        even_changed: true,
        reason: Some("it \"works\"".into()),
    }
}

#[test]
fn every_field_is_read() {
    let text = r#"
        [[rule]]
        id = "all"
        decision = "allow"
        caller = "agent"
        client = "claude"
        access = "execute"
        command = "openspace.terminal.*"
        place = "outside"
        line = "git push origin *"
        even_changed = true
        reason = 'it "works"'
    "#;
    assert_eq!(Rules::of_user(text).unwrap().iter().collect::<Vec<_>>(), [&all()]);
    assert_eq!(Rules::of_user(""), Ok(Rules::default()));
}

#[test]
fn a_rule_without_an_id_is_named_by_its_place() {
    let rules = Rules::of_user("# mine\n\n[[rule]]\ndecision = 'deny'\nline = 'x'").unwrap();
    let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids, ["rule 1, line 4"]);
}

#[test]
fn a_project_that_allows_is_told_the_line() {
    let text =
        "[[rule]]\ndecision = 'deny'\nline = 'x'\n\n[[rule]]\nline = 'y'\ndecision = 'allow'\n";
    assert!(Rules::of_user(text).is_ok());
    let error = Rules::of_project(text).unwrap_err();
    assert_eq!(error, FileError::Allows { line: 7 });
    assert!(error.to_string().starts_with("line 7: a project's policy cannot allow"));
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let wide = "\n[[rule]]\ndecision = 'allow'\ncaller = 'agent'";
    assert_eq!(Rules::of_user(wide), Err(FileError::TooWide { line: 3 }));
    let each_time = "[[rule]]\ndecision = 'DECISION'\ncommand = 'openspace.file.read_secret'";
    let command = "openspace.file.read_secret".to_owned();
    let allows = Rules::of_user(&each_time.replace("DECISION", "allow"));
    assert_eq!(allows, Err(FileError::EachTime { command, line: 2 }));
    assert!(Rules::of_user(&each_time.replace("DECISION", "deny")).is_ok());
    let twice = "[[rule]]\nid = 'a'\ndecision = 'ask'\n[[rule]]\nid = 'a'\ndecision = 'ask'";
    assert_eq!(Rules::of_user(twice), Err(FileError::SameId { id: "a".into(), line: 6 }));
    let pattern = "[[rule]]\ndecision = 'ask'\nline = '* x'";
    let error = PatternError::Program("* x".into());
    assert_eq!(Rules::of_user(pattern), Err(FileError::Pattern { error, line: 2 }));
    let command = "[[rule]]\ndecision = 'ask'\ncommand = 'bash'";
    let error = FileError::Command { command: "bash".into(), line: 2 };
    assert_eq!(Rules::of_user(command), Err(error));
    for text in ["x = 1", "rule = 1", "[", "[[rule]]\ndecision = 'maybe'", "[[rule]]\nline = 'x'"] {
        assert!(matches!(Rules::of_user(text), Err(FileError::Form(_))), "{text}");
    }
    let slip = Rules::of_user("[[rule]]\ndecision = 'ask'\nlien = 'x'").unwrap_err().to_string();
    assert!(slip.contains("line 3") && slip.contains("lien"), "{slip}");
}

#[test]
fn files_are_bounded() {
    assert_eq!(Rules::of_user(&" ".repeat(MAX_FILE_BYTES + 1)), Err(FileError::TooLarge));
    let rules = "[[rule]]\ndecision='ask'\n".repeat(MAX_RULES);
    assert!(Rules::of_user(&rules).is_ok());
    assert_eq!(save(&rules, &all()), Err(FileError::TooLarge));
}

#[test]
fn a_saved_rule_leaves_all_else_as_it_was() {
    let text = r#"# my rules

[[rule]] # the first
id = "git-push-origin"
decision = "deny"   # never
line = "rm *"
"#;
    let rule = r#"
[[rule]]
id = "git-push-origin-2"
decision = "allow"
caller = "agent"
client = "claude"
access = "execute"
command = "openspace.terminal.*"
place = "outside"
line = "git push origin *"
reason = 'it "works"'
even_changed = true
"#;
    let end = "# the end\n";
    let (saved, id) = save(&format!("{text}{end}"), &all()).unwrap();
    assert_eq!(saved, format!("{text}{end}{rule}"));
    assert_eq!(id, "git-push-origin-2");
    let last = Rules::of_user(&saved).unwrap().iter().last().cloned();
    assert_eq!(last, Some(Rule { id, ..all() }));
}

#[test]
fn a_rule_is_saved_into_an_empty_file_and_into_an_inline_list() {
    let mut rule = Rule::new("x", Decision::Allow);
    rule.command = Some("openspace.file.delete".into());
    let expected = Rule { id: "openspace-file-delete".into(), ..rule.clone() };
    for text in ["", "rule = []\n", "rule = [\n  { decision = 'ask' }, # one\n]\n"] {
        let (saved, _) = save(text, &rule).unwrap();
        assert_eq!(Rules::of_user(&saved).unwrap().iter().last(), Some(&expected), "{saved}");
    }
    assert!(matches!(save("broken", &rule), Err(FileError::Form(_))));
}

//! The table, and what is said of entries that are wrong.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;

use super::{EntryError, KnownAgent, KnownAgents, OwnApi, Tried};

fn entry(entry: &str, why: &str) -> EntryError {
    EntryError::Entry { entry: entry.to_owned(), why: why.to_owned() }
}

#[test]
fn our_own_entries_are_right() {
    let known = KnownAgents::with("");
    assert_eq!(known.errors, []);
    let ids: Vec<&str> = known.agents.iter().map(|agent| agent.id.as_str()).collect();
    let expected = [
        "opencode", "claude", "codex", "gemini", "qwen", "copilot", "auggie", "kilo", "cline",
        "kimi",
    ];
    assert_eq!(ids, expected);
}

#[test]
fn our_own_entries_pin_a_version_and_say_how_to_log_in() {
    for agent in KnownAgents::with("").agents {
        let package = agent.npm.as_deref().expect("ours come from npm");
        let (_, version) = package.rsplit_once('@').expect("with a version");
        assert!(version.split('.').all(|number| number.parse::<u32>().is_ok()), "{package}");
        assert!(agent.login.is_some() && !agent.home.is_empty(), "{}", agent.id);
    }
}

#[test]
fn a_persons_own_entry_has_the_same_form() {
    let known = KnownAgents::with(
        r#"
        [[agent]]
        id = "mine"
        name = "My agent"
        command = ["my-agent", "--acp"]
        pass = ["MY_KEY"]
        home = [".config/mine/", ".minerc"]
        home_read = [".config/others/"]
        project = [".mine/"]
        [agent.set]
        MY_MODE = "quiet"
        "#,
    );
    let expected = KnownAgent {
        id: "mine".to_owned(),
        name: "My agent".to_owned(),
        command: vec!["my-agent".to_owned(), "--acp".to_owned()],
        api: None,
        npm: None,
        login: None,
        login_command: None,
        set: BTreeMap::from([("MY_MODE".to_owned(), "quiet".to_owned())]),
        pass: vec!["MY_KEY".to_owned()],
        home: vec![".config/mine/".to_owned(), ".minerc".to_owned()],
        home_read: vec![".config/others/".to_owned()],
        home_made: Vec::new(),
        project: vec![".mine/".to_owned()],
        tried: Tried::Never,
    };
    assert_eq!((known.find("mine"), known.errors.as_slice()), (Some(&expected), &[][..]));
    assert_eq!(expected.install(), None);
}

#[test]
fn a_persons_entry_replaces_ours_with_the_same_id() {
    let ours = KnownAgents::with("");
    let known =
        KnownAgents::with("[[agent]]\nid = \"opencode\"\nname = \"o\"\ncommand = [\"/opt/o\"]");
    let theirs = known.find("opencode").unwrap();
    assert_eq!((theirs.command.clone(), theirs.api), (vec!["/opt/o".to_owned()], None));
    assert_eq!(known.agents.len(), ours.agents.len());
    assert_eq!(ours.find("opencode").unwrap().api, Some(OwnApi::Opencode));
    let install = ours.find("opencode").unwrap().install();
    assert_eq!(install.as_deref(), Some("npm install --global opencode-ai@1.18.33"));
}

#[test]
fn a_wrong_entry_is_named_and_leaves_the_others_alone() {
    let own = r#"
        [[agent]]
        id = "good"
        name = "Good"
        command = ["good"]
        [[agent]]
        name = "Without an id"
        command = ["a"]
        [[agent]]
        id = "Bad Word"
        name = "b"
        command = ["b"]
        [[agent]]
        id = "empty"
        name = "c"
        command = []
        [[agent]]
        id = "typo"
        name = "d"
        command = ["d"]
        comand = "d"
        [[agent]]
        id = "good"
        name = "Again"
        command = ["e"]
        [[agent]]
        id = "variable"
        name = "f"
        command = ["f"]
        pass = ["A=B"]
        [[agent]]
        id = "nameless"
        name = " "
        command = ["g"]
    "#;
    let known = KnownAgents::with(own);
    assert_eq!(known.find("good").map(|good| good.name.as_str()), Some("Good"));
    assert_eq!(known.agents.len(), KnownAgents::with("").agents.len() + 1);
    let [without, rest @ ..] = &known.errors[..] else { panic!("{:?}", known.errors) };
    assert_eq!(*without, entry("number 2", "missing field `id`"));
    let typo =
        rest.iter().position(|error| error.to_string().starts_with("agent `typo`: ")).unwrap();
    assert!(rest[typo].to_string().contains("comand"), "{}", rest[typo]);
    let mut rest = rest.to_vec();
    rest.remove(typo);
    let expected = [
        entry("`Bad Word`", "`id` must be a word of a-z, 0-9 and -"),
        entry("`empty`", "`command` names no program"),
        entry("`good`", "there is another with this id"),
        entry("`variable`", "`A=B` is not the name of a variable"),
        entry("`nameless`", "`name` is empty"),
    ];
    assert_eq!(rest, expected);
}

#[test]
fn no_entry_gets_the_whole_home_or_what_is_outside_of_it() {
    for path in ["", "/", ".", "./", "..", "../other", "a/../..", "/etc/", "a//b", "~/../x/./"] {
        let own =
            format!("[[agent]]\nid = \"x\"\nname = \"x\"\ncommand = [\"x\"]\nhome = [\"{path}\"]");
        let why = format!("`home` has `{path}`, which is not a path beneath the home");
        assert_eq!(KnownAgents::with(&own).errors, [entry("`x`", &why)]);
    }
}

#[test]
fn a_text_that_is_no_list_of_agents_says_so() {
    let errors = KnownAgents::with("[[agent").errors;
    assert!(
        matches!(&errors[..], [EntryError::NotToml(why)] if why.contains("line 1")),
        "{errors:?}"
    );
    let errors = KnownAgents::with("agent = 1\nagents = []").errors;
    assert_eq!(errors, ["agent", "agents"].map(|key| EntryError::UnknownKey(key.to_owned())));
    let many = "[[agent]]\n".repeat(101);
    assert!(KnownAgents::with(&many).errors.contains(&EntryError::TooMany));
}

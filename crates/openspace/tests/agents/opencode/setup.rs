//! A person sets an agent up: a key at a shell, a model that counts from the next start on, an address.

use std::path::Path;

use openspace_scripted::Step;
use openspace_workspace::conversations::Running;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::chat::{at_a_shell, told_at_a_shell};
use crate::support::{Person, read};

const KEY: &str = "Ty-77-key-at-a-shell-Wq2z";

/// Every byte beneath a folder.
fn bytes_beneath(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        all += &if path.is_dir() { bytes_beneath(&path) } else { read(&path).unwrap_or_default() };
    }
    all
}

#[tokio::test]
async fn a_key_that_is_typed_at_a_shell_is_used_by_the_next_turn_and_kept_by_the_agent_alone() {
    let person = Person::with(json!({})).await;
    person.forget_key();
    let space = person.serve().await;
    let (out, complaints, is_done) = at_a_shell(&space, &["providers"]).await;
    assert!(
        is_done && out.contains("scripted  Scripted (connected, by its configuration; 1 model)"),
        "{out}{complaints}"
    );

    let (out, complaints, is_done) = at_a_shell(&space, &["log-in", "scripted"]).await;
    assert!(!is_done && out.is_empty() && complaints.contains("no key was given"), "{complaints}");
    let words = ["log-in", "scripted", KEY];
    let (_, complaints, is_done) = at_a_shell(&space, &words).await;
    assert!(!is_done && complaints.contains("unexpected argument"), "{complaints}");

    let typed = format!("{KEY}\n");
    let (out, complaints, is_done) = told_at_a_shell(&space, &["log-in", "scripted"], &typed).await;
    assert!(is_done, "{complaints}");
    assert_eq!(out, "scripted  Scripted (connected, by its configuration, with a key; 1 model)\n");

    space.person.model.say([Step::text("One.")]);
    let talk = space.talk().await;
    talk.turn("Say one").await;
    let keys: Vec<_> = space.person.model.log().into_iter().map(|asked| asked.key).collect();
    assert_eq!(keys.last(), Some(&Some(KEY.to_owned())));

    // What the agent's shell prints of its own log-in is masked for whoever reads it.
    let print = json!({ "command": "cat ~/.local/share/opencode/auth.json > own.txt", "description": "Look" });
    space.person.model.say([Step::tool("bash", print), Step::text(&format!("It is {KEY}."))]);
    talk.turn("Look").await;
    assert!(space.person.read("own.txt").unwrap_or_default().contains(KEY));
    let (out, ..) = at_a_shell(&space, &["read", &format!("opencode/{}", talk.session)]).await;
    assert!(out.contains("It is ⟨secret"), "{out}");
    let records = space.person("audit.list", json!({ "limit": 200 })).await;
    assert!(records.to_string().contains("log in to scripted"), "{records}");
    assert!(!records.to_string().contains(KEY) && !out.contains(KEY));

    let (out, ..) = at_a_shell(&space, &["log-out", "scripted"]).await;
    assert_eq!(out, "scripted  Scripted (connected, by its configuration; 1 model)\n");
    let person = space.stop().await;
    for folder in ["state", "config"] {
        let kept = bytes_beneath(&person.path(folder));
        assert!(!kept.is_empty() && !kept.contains(KEY), "the key is in {folder}");
    }
}

#[tokio::test]
async fn a_setting_counts_from_the_next_start_on_and_is_said_to() {
    let person = Person::with(json!({ "model": "scripted/other" })).await;
    let space = person.serve().await;
    let running = space.person("chat.start_agent", json!({ "agent": "opencode" })).await;
    assert_eq!(running["agent"]["needsRestart"], false, "{running}");
    let words = ["configure", "--agent", "opencode", "--model", "scripted/scripted"];
    let (out, complaints, is_done) = at_a_shell(&space, &words).await;
    assert!(is_done && out.contains("It runs as it was"), "{out}{complaints}");
    assert!(space.state().await.needs_restart);
    let file = read(&space.person.path("config/agents.toml")).unwrap();
    assert!(file.contains("[run.opencode]\nmodel = \"scripted/scripted\"\n"), "{file}");
    assert!(file.contains("id = 'by-acp'"), "{file}");

    space.person("chat.stop_agent", json!({ "agent": "opencode" })).await;
    space.person("chat.start_agent", json!({ "agent": "opencode" })).await;
    assert!(!space.state().await.needs_restart);
    let models = space.person("chat.models", json!({ "agent": "opencode" })).await;
    assert_eq!(models["default"]["model"], "scripted", "{models}");
    space.stop().await;
}

#[tokio::test]
async fn an_address_that_is_set_is_talked_to_from_the_next_start_on_and_can_be_left() {
    let space = Person::with(json!({})).await.serve().await;
    let set = json!({ "agent": "opencode", "address": "http://127.0.0.1:9" });
    let set = space.person("chat.configure", set).await;
    assert_eq!((&set["success"], &set["agent"]["confined"]["is"]), (&json!(true), &json!(false)));
    drop(space.conversations().agent("opencode").await.unwrap());
    let state = space.until(Running::Unreachable).await;
    assert_eq!((state.needs_restart, state.confined.is), (false, false));

    let left = json!({ "agent": "opencode", "address": "" });
    let left = space.person("chat.configure", left).await;
    assert_eq!(left["agent"]["needsRestart"], true, "{left}");
    space.conversations().stop("opencode").await.unwrap();
    space.until(Running::Stopped).await;
    let talk = space.talk().await;
    let state = space.state().await;
    assert_eq!((state.state, state.confined.is), (Running::Running, true));
    drop(talk);
    space.stop().await;
}

#[tokio::test]
async fn one_that_its_place_does_not_show_says_so_and_where_it_is() {
    let person = Person::with(json!({})).await;
    // Nothing of the home but tools is shown.
    let hidden = person.home().join("programs/opencode");
    crate::support::put(&hidden, "#!/bin/sh\nexit 1\n");
    std::fs::set_permissions(&hidden, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let entry = format!(
        "[[agent]]\nid = 'opencode'\nname = 'opencode'\ncommand = ['{}', 'acp']\napi = 'opencode'\n",
        hidden.display()
    );
    crate::support::put(&person.path("config/agents.toml"), &entry);
    let space = person.serve().await;
    assert_eq!(space.state().await.state, Running::Stopped);
    let error = space.conversations().agent("opencode").await.err().unwrap();
    let state = space.state().await;
    assert_eq!(
        (state.state, state.why.as_deref()),
        (Running::Hidden, Some(error.message.as_str()))
    );
    assert!(state.hint.unwrap().contains("--agents-read"), "{}", error.message);

    // Who lets it run outside has it tried again.
    let set = json!({ "agent": "opencode", "outside": true });
    let set = space.person("chat.configure", set).await;
    assert_eq!(set["agent"]["state"], "stopped", "{set}");
    space.stop().await;
}

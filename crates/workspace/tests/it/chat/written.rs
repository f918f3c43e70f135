//! Commands that an agent writes into its text: run by the same rules, shown, told, and never run twice.

use std::sync::Arc;

use openspace_agents::model::{PromptPart, SessionId};
use openspace_workspace::{areas::layout::LayoutPart, permission::Profile};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Puppet, given, session, until};
use crate::support::{AgentsText, Bench, PolicyText, Settings, asking, person};

const OPEN: &str = r#"%%OS{"cmd":"editor.open","args":{"path":"src/a.rs"}}%%"#;

/// A bench with an agent whose text may hold commands, or not.
async fn bench(puppet: &Arc<Puppet>, agents_file: &str) -> Bench {
    let agents_file = AgentsText::of(agents_file);
    given(Settings { agents_file, ..Settings::default() }, puppet).await
}

const SWITCHED_ON: &str = "[run.opencode]\ncommands_in_text = true\n";

/// Have the agent say something, in pieces.
async fn says(bench: &Bench, puppet: &Puppet, pieces: &[&str]) {
    let args = json!({"text": "go on", "session": "opencode/ses_1"});
    bench.said("chat.send", args).await;
    let id: SessionId = "ses_1".into();
    let answer = puppet.begin(&id);
    puppet.says(&id, &answer, pieces);
    puppet.ends(&id, &answer, &pieces.concat(), None);
}

async fn parts(bench: &Bench) -> Vec<Value> {
    let read = bench.said("chat.messages", json!({"session": "opencode/ses_1"})).await;
    let newest = read["messages"].as_array().unwrap().last().unwrap();
    newest["parts"].as_array().unwrap().iter().map(|part| part["content"].clone()).collect()
}

/// What was added to the last prompt for the model alone.
fn added(puppet: &Puppet) -> Option<String> {
    let (_, prompt) = puppet.prompts().pop()?;
    prompt.parts.into_iter().find_map(|part| match part {
        PromptPart::Text { text, is_synthetic: true } => Some(text),
        _ => None,
    })
}

#[tokio::test]
async fn a_command_in_text_is_run_as_its_agent_shown_and_told_with_the_next_prompt() {
    let puppet = Puppet::silent();
    let bench = bench(&puppet, SWITCHED_ON).await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    let (chats, page) = bench.chat_page();
    chats.follow(&page, vec![session("ses_1")]);
    until(&page, "following").await;
    says(&bench, &puppet, &["Look: %%O", &OPEN[3..30], &OPEN[30..], " Here."]).await;
    assert!(added(&puppet).unwrap().starts_with("You can run commands"), "it is introduced");
    // The card says that it runs, then what came of it.
    let card = loop {
        let told = until(&page, "told").await;
        let call = &told["event"]["part"]["content"]["call"];
        if call["state"] == "completed" {
            break call.clone();
        }
        assert!(!told.to_string().contains("%%OS"), "{told}");
    };
    assert_eq!(
        (&card["tool"], &card["input"]),
        (&json!("editor.open"), &json!({"path": "src/a.rs"}))
    );
    assert!(bench.state().part::<LayoutPart>().tabs().any(|(_, tab)| tab.content_id == "src/a.rs"));
    let parts = parts(&bench).await;
    assert_eq!((parts.len(), &parts[0]["text"]["text"]), (2, &json!("Look:  Here.")));
    assert_eq!(parts[1]["call"]["state"], "completed");

    says(&bench, &puppet, &["Well."]).await;
    let told = added(&puppet).unwrap();
    let begins = "What became of the commands in your text:\neditor.open: done: ";
    assert!(told.starts_with(begins), "{told}");
    says(&bench, &puppet, &["Well."]).await;
    assert_eq!(added(&puppet), None, "it is told once");
    let records = bench.audit().await;
    let opened = records.iter().filter(|one| one.command == "openspace.editor.open");
    let callers: Vec<_> =
        opened.map(|one| (one.caller.id.clone(), one.caller.session.clone())).collect();
    assert_eq!(callers, [("opencode".to_owned(), Some("ses_1".to_owned()))], "it ran once");
}

#[tokio::test]
async fn who_reads_a_conversation_is_not_shown_what_was_said_to_the_model_alone() {
    let puppet = Puppet::silent();
    let bench = bench(&puppet, SWITCHED_ON).await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    says(&bench, &puppet, &["Well."]).await;
    assert!(added(&puppet).is_some(), "it is introduced");
    // Some agents go on by words of their own that nobody said.
    let id: SessionId = "ses_1".into();
    puppet.goes_on_by_itself(&id, "Continue if you have next steps.");
    let args = json!({"session": "opencode/ses_1"});
    let read = bench.said("chat.read", args.clone()).await;
    let said: Vec<&Value> =
        read["messages"].as_array().unwrap().iter().map(|message| &message["parts"]).collect();
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    assert_eq!(said, [&text("go on"), &text("Well.")]);
    assert_eq!(read["leftOut"], 0);
    let text = bench.reply(person(), "chat.read", args).await.to_text();
    assert_eq!(text, "You (msg_1)\n  go on\n\nAgent (msg_2)\n  Well.\n\nopencode/ses_1: idle");
}

#[tokio::test]
async fn without_the_setting_text_is_text() {
    let puppet = Puppet::silent();
    let bench = bench(&puppet, "").await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    says(&bench, &puppet, &[OPEN]).await;
    assert_eq!(parts(&bench).await[0]["text"]["text"], json!(OPEN));
    assert_eq!(added(&puppet), None);
    let records = bench.audit().await;
    assert!(!records.iter().any(|one| one.command == "openspace.editor.open"));
}

#[tokio::test]
async fn a_command_in_text_is_judged_like_any_other_and_waits_for_nobody() {
    let puppet = Puppet::silent();
    let settings = Settings {
        agents_file: AgentsText::of(SWITCHED_ON),
        ..asking(Profile::Careful, PolicyText::of(""))
    };
    let bench = given(settings, &puppet).await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    let (chats, page) = bench.chat_page();
    chats.follow(&page, vec![session("ses_1")]);
    let push = r#"%%OS{"cmd":"workspace.bash","args":{"command":"touch made"}}%%"#;
    says(&bench, &puppet, &[push, OPEN, "%%OS{\"cmd\":\"no.such\"}%%"]).await;
    let mut ended = Vec::new();
    while ended.len() < 3 {
        let told = until(&page, "told").await;
        let call = &told["event"]["part"]["content"]["call"];
        if call["state"] == "completed" || call["state"] == "failed" {
            ended.push((call["tool"].clone(), call["state"].clone()));
        }
    }
    let expected =
        [("workspace.bash", "failed"), ("editor.open", "completed"), ("no.such", "failed")];
    assert_eq!(ended, expected.map(|(tool, state)| (json!(tool), json!(state))));
    let listed = bench.said("approval.list", json!({})).await;
    assert_eq!(listed["approvals"][0]["summary"], json!("touch made"), "{listed}");
    says(&bench, &puppet, &["Well."]).await;
    let told = added(&puppet).unwrap();
    assert!(told.contains("write the command again"), "{told}");
}

#[tokio::test]
async fn a_person_logs_in_to_an_agent_whose_text_may_hold_commands() {
    let puppet = Puppet::silent();
    let bench = bench(&puppet, SWITCHED_ON).await;
    let key = json!({"provider": "strings", "key": "k3y-0f-str1ngs"});
    assert_eq!(bench.said("chat.log_in", key).await["provider"]["hasKey"], true);
    assert_eq!(bench.said("chat.providers", json!({})).await["providers"][0]["hasKey"], true);
    let gone = bench.said("chat.log_out", json!({"provider": "strings"})).await;
    assert_eq!(gone["provider"]["hasKey"], false);
    let way = json!({"provider": "bells", "way": 1});
    assert_eq!(bench.said("chat.open_log_in", way.clone()).await["url"], "https://bells.example/1");
    assert_eq!(bench.said("chat.finish_log_in", way).await["provider"]["hasKey"], true);
}

//! What an agent asks leave for is asked about in the one list of questions.

use openspace_agents::model::ToolState;
use openspace_command::{Call, Caller, CallerKind};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Person, Space, eventually};

/// The question that waits.
async fn asked(space: &Space) -> Value {
    eventually("a question", || async {
        let listed = space.person("approval.list", json!({})).await;
        listed["approvals"].as_array().unwrap().first().cloned()
    })
    .await
}

async fn answer(space: &Space, question: &Value, answer: &str, message: Option<&str>) {
    let id = &question["approvalId"];
    let said = json!({ "approvalId": id, "answer": answer, "message": message });
    let answered = space.person("approval.answer", said).await;
    assert_eq!(answered["success"], true, "{answered}");
}

fn shell(line: &str) -> Step {
    Step::tool("bash", json!({ "command": line, "description": "A test" }))
}

#[tokio::test]
async fn an_agents_own_shell_is_judged_and_asked_about_like_ours() {
    let person = Person::with(json!({ "permission": { "bash": "ask" } })).await;
    let space = person.serve().await;
    let talk = space.talk().await;
    let said = || space.person.read("said.txt");

    // What nobody has to be asked about needs no answer, and is on the record.
    space.person.model.say([shell("echo harmless > said.txt"), Step::text("Done.")]);
    talk.turn("Something harmless").await;
    assert_eq!(said().as_deref(), Some("harmless\n"));
    let record = space.record("opencode").await;
    let short = |it: &Value| json!([it["command"], it["session"], it["outcome"], it["summary"]]);
    let session = talk.session.to_string();
    let used =
        json!(["openspace.agent_tool.use", session, "ok", "use its own tool bash to run a line"]);
    assert_eq!(record.iter().map(short).collect::<Vec<_>>(), [used]);

    // Once.
    space.person.model.say([shell("git push nowhere; echo once > said.txt"), Step::text("Done.")]);
    talk.say("Push it").await;
    let question = asked(&space).await;
    assert_eq!(question["caller"]["id"], "opencode", "{question}");
    assert_eq!(question["caller"]["session"], session.as_str());
    assert_eq!(question["site"], "confined");
    assert_eq!(question["line"]["text"], "git push nowhere; echo once > said.txt");
    assert_eq!(said().as_deref(), Some("harmless\n"));
    answer(&space, &question, "once", None).await;
    talk.idle().await;
    assert_eq!(said().as_deref(), Some("once\n"));

    // Refused with a word: the model hears it and goes on.
    space
        .person
        .model
        .say([shell("git push nowhere; echo no > said.txt"), Step::text("I keep it.")]);
    talk.say("Push it again").await;
    let question = asked(&space).await;
    answer(&space, &question, "no", Some("keep it here")).await;
    talk.idle().await;
    assert_eq!(talk.calls().await.last().unwrap().state, ToolState::Failed);
    let heard = space.person.model.log().last().unwrap().last_message().unwrap().1;
    assert!(heard.contains("keep it here"), "{heard}");
    assert_eq!(said().as_deref(), Some("once\n"));

    // A turn that is stopped takes its question along.
    space.person.model.say([shell("git push elsewhere")]);
    talk.say("Push elsewhere").await;
    asked(&space).await;
    talk.agent.abort(&talk.session).await.unwrap();
    eventually("no question", || async {
        let listed = space.person("approval.list", json!({})).await;
        listed["approvals"].as_array().unwrap().is_empty().then_some(())
    })
    .await;

    // Nobody asks in an agent's name.
    let forged = json!({ "tool": "bash", "command": "rm -rf /", "request": "per_1" });
    let caller = Caller::new(CallerKind::Agent, "opencode", None);
    let call = Call::new(caller, "agent_tool.use", forged);
    let refused = space.server.dispatcher().dispatch(call).await.to_value();
    assert_eq!(refused["error"], "no agent that the server talks to asks for this");
    space.stop().await;
}

//! What a person is asked: for permission, and by questions.

use std::slice;

use openspace_agents::{
    Agent, AgentError, Event, Thing,
    model::{
        PermissionAnswer, PermissionId, PermissionReply, PermissionRequest, QuestionId,
        QuestionRequest, ToolState,
    },
};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Talk, calls, texts};

fn shell(command: &str) -> Step {
    Step::tool("bash", json!({ "command": command, "description": "A test" }))
}

async fn asked(talk: &Talk) -> PermissionRequest {
    talk.until(|event| match event {
        Event::PermissionAsked { request } => Some(request.clone()),
        _ => None,
    })
    .await
}

async fn question(talk: &Talk) -> QuestionRequest {
    talk.until(|event| match event {
        Event::QuestionAsked { request } => Some(request.clone()),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn a_shell_is_allowed_once_or_always_or_refused_with_or_without_a_word() {
    let talk = Talk::begin().await;
    let session = talk.session().await;

    // Once: the next one is asked for again.
    talk.model.say([shell("echo first > b.txt"), Step::text("Done.")]);
    talk.send(&session, "once").await;
    let request = asked(&talk).await;
    assert_eq!((request.permission.as_str(), &request.session_id), ("bash", &session));
    assert_eq!(request.patterns, ["echo first > b.txt"]);
    assert_eq!(request.details, json!({ "command": "echo first > b.txt" }));
    assert_eq!(talk.agent.permissions().await.unwrap(), slice::from_ref(&request));
    assert_eq!(talk.read("b.txt"), None);
    talk.agent.answer_permission(&request.id, PermissionAnswer::Once {}).await.unwrap();
    let events = talk.until_idle(&session).await;
    let answered = Event::PermissionAnswered {
        session_id: session.clone(),
        permission_id: request.id.clone(),
        reply: Some(PermissionReply::Once),
    };
    assert!(events.contains(&answered), "{events:#?}");
    assert_eq!(talk.read("b.txt").as_deref(), Some("first\n"));

    // Always: the second needs no answer.
    talk.model.say([
        shell("echo second > b.txt"),
        shell("echo third > b.txt"),
        Step::text("Done."),
    ]);
    talk.send(&session, "always").await;
    let request = asked(&talk).await;
    assert_eq!(request.always, ["echo *"]);
    talk.agent.answer_permission(&request.id, PermissionAnswer::Always {}).await.unwrap();
    talk.until_idle(&session).await;
    assert_eq!(talk.read("b.txt").as_deref(), Some("third\n"));

    // Refused: the turn ends and the model is not asked again.
    talk.model.say([shell("rm b.txt")]);
    talk.send(&session, "refuse").await;
    let request = asked(&talk).await;
    let refusal = PermissionAnswer::Reject { message: None };
    talk.agent.answer_permission(&request.id, refusal.clone()).await.unwrap();
    talk.until_idle(&session).await;
    let messages = talk.messages(&session).await;
    assert_eq!(calls(&messages).last().unwrap().state, ToolState::Failed);

    // Refused with a word: the model hears it and goes on.
    talk.model.say([shell("rm b.txt"), Step::text("I keep it.")]);
    talk.send(&session, "refuse with a word").await;
    let request = asked(&talk).await;
    let refusal_with_word = PermissionAnswer::Reject { message: Some("keep that file".to_owned()) };
    talk.agent.answer_permission(&request.id, refusal_with_word).await.unwrap();
    talk.until_idle(&session).await;
    let messages = talk.messages(&session).await;
    assert_eq!(texts(messages.last().unwrap()), ["I keep it."]);
    let heard = talk.model.log().last().unwrap().last_message().unwrap().1;
    assert!(heard.contains("keep that file"), "{heard}");
    assert!(talk.read("b.txt").is_some());

    // What was answered is gone.
    let gone = talk.agent.answer_permission(&request.id, refusal).await;
    let id = request.id.to_string();
    assert_eq!(gone, Err(AgentError::NotFound { what: Thing::Permission, id }));
    let unknown = PermissionId("per_unknown".to_owned());
    let gone = talk.agent.answer_permission(&unknown, PermissionAnswer::Once {}).await;
    let id = unknown.to_string();
    assert_eq!(gone, Err(AgentError::NotFound { what: Thing::Permission, id }));
}

#[tokio::test]
async fn a_question_is_answered_or_dismissed() {
    let talk = Talk::begin().await;
    let session = talk.session().await;
    let choices = [("Red", "warm"), ("Blue", "cold")];
    let options =
        choices.map(|(label, description)| json!({ "label": label, "description": description }));
    let ask = Step::tool(
        "question",
        json!({ "questions": [{ "question": "Which colour?", "header": "Colour", "options": options }] }),
    );

    talk.model.say([ask.clone(), Step::text("Blue it is.")]);
    talk.send(&session, "Ask me").await;
    let request = question(&talk).await;
    assert_eq!(request.questions.len(), 1);
    let asked = &request.questions[0];
    assert_eq!((asked.question.as_str(), asked.header.as_str()), ("Which colour?", "Colour"));
    let labels =
        asked.choices.iter().map(|choice| (choice.label.as_str(), choice.description.as_str()));
    assert_eq!(labels.collect::<Vec<_>>(), choices);
    assert_eq!(talk.agent.questions().await.unwrap(), slice::from_ref(&request));
    let answers = vec![vec!["Blue".to_owned()]];
    talk.agent.answer_question(&request.id, answers.clone()).await.unwrap();
    let events = talk.until_idle(&session).await;
    let answered = Event::QuestionAnswered {
        session_id: session.clone(),
        question_id: request.id.clone(),
        answers: Some(answers),
    };
    assert!(events.contains(&answered), "{events:#?}");
    let heard = talk.model.log().last().unwrap().last_message().unwrap().1;
    assert!(heard.contains("Blue"), "{heard}");

    talk.model.say([ask]);
    talk.send(&session, "Ask me again").await;
    let request = question(&talk).await;
    talk.agent.reject_question(&request.id).await.unwrap();
    talk.until_idle(&session).await;
    let messages = talk.messages(&session).await;
    assert_eq!(calls(&messages).last().unwrap().state, ToolState::Failed);
    assert_eq!(talk.agent.questions().await.unwrap(), []);

    let gone = talk.agent.reject_question(&QuestionId("que_unknown".to_owned())).await;
    let id = "que_unknown".to_owned();
    assert_eq!(gone, Err(AgentError::NotFound { what: Thing::Question, id }));
}

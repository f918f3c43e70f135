//! A turn: it streams, uses tools, and ends.

use openspace_agents::{
    Agent, Event, TextField,
    model::{Change, DiffText, MessageId, PartContent, PartId, Role, ToolState, Usage},
};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Talk, calls, texts};

/// The texts that grew, in the order in which they began.
fn grown(events: &[Event]) -> Vec<String> {
    let mut grown: Vec<(PartId, String)> = Vec::new();
    for event in events {
        if let Event::TextDelta { part_id, field: TextField::Text, delta, .. } = event {
            match grown.iter_mut().find(|(id, _)| id == part_id) {
                Some((_, text)) => text.push_str(delta),
                None => grown.push((part_id.clone(), delta.clone())),
            }
        }
    }
    grown.into_iter().map(|(_, text)| text).collect()
}

#[tokio::test]
async fn a_turn_streams_its_thoughts_and_words_and_each_message_follows_the_newest() {
    let talk = Talk::begin().await;
    let session = talk.session().await;
    talk.model
        .say([Step::text("Hello from the model.").thinking("Let me see."), Step::text("Again.")]);

    let (first, events) = talk.turn(&session, "Say hello").await;
    assert_eq!(grown(&events), ["Let me see.", "Hello from the model."]);
    let (second, events) = talk.turn(&session, "And again").await;
    assert_eq!(grown(&events), ["Again."]);

    let messages = talk.messages(&session).await;
    let told: Vec<_> = messages
        .iter()
        .map(|message| (message.info.role, message.info.answers.clone(), texts(message)))
        .collect();
    assert_eq!(
        told,
        [
            (Role::User, None, vec!["Say hello"]),
            (Role::Assistant, Some(first.clone()), vec!["Hello from the model."]),
            (Role::User, None, vec!["And again"]),
            (Role::Assistant, Some(second.clone()), vec!["Again."]),
        ]
    );
    let ids: Vec<MessageId> = messages.iter().map(|message| message.info.id.clone()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    assert_eq!((&ids[0], &ids[2]), (&first, &second));

    let answer = &messages[1];
    assert_eq!(answer.info.usage, Some(Usage { input: 100, output: 20, ..Usage::default() }));
    assert_eq!(answer.info.finish.as_deref(), Some("stop"));
    assert!(answer.info.completed.is_some());
    let kinds: Vec<&str> = answer
        .parts
        .iter()
        .map(|part| match &part.content {
            PartContent::StepStart {} => "start",
            PartContent::Reasoning { text, .. } if text.text == "Let me see." => "thought",
            PartContent::Text { .. } => "text",
            PartContent::StepFinish { reason, .. } => reason,
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["start", "thought", "text", "stop"]);
    assert_eq!(talk.agent.message(&session, &ids[1]).await.unwrap(), *answer);
    assert_eq!(talk.agent.statuses().await.unwrap(), []);
}

#[tokio::test]
async fn tools_are_told_from_their_arguments_to_what_they_changed() {
    let talk = Talk::begin().await;
    let session = talk.session().await;
    let path = talk.file("a.txt").to_str().unwrap().to_owned();
    let todo = json!({ "content": "mend it", "status": "in_progress", "priority": "high" });
    talk.model.say([
        Step::tool("read", json!({ "filePath": path, "offset": 2 })),
        Step::tool("edit", json!({ "filePath": path, "oldString": "two", "newString": "TWO" })),
        Step::tool("todowrite", json!({ "todos": [todo] })),
        Step::tool("no_such_tool", json!({})),
        Step::text("Done."),
    ]);
    let (message, events) = talk.turn(&session, "Mend it").await;

    let messages = talk.messages(&session).await;
    let calls = calls(&messages);
    let states: Vec<_> = calls.iter().map(|call| (call.tool.as_str(), call.state)).collect();
    assert_eq!(
        states,
        [
            ("read", ToolState::Completed),
            ("edit", ToolState::Completed),
            ("todowrite", ToolState::Completed),
            ("invalid", ToolState::Completed),
        ]
    );
    let read = calls[0];
    assert_eq!(read.input, json!({ "filePath": path, "offset": 2 }));
    assert!(read.output.as_ref().unwrap().text.contains("two"), "{read:?}");
    assert_eq!((read.locations[0].path.as_str(), read.locations[0].line), (path.as_str(), Some(2)));
    assert!(read.started <= read.ended);
    let diff = &calls[1].diffs[0];
    assert_eq!((diff.path.as_str(), diff.additions, diff.deletions), (&*path, Some(1), Some(1)));
    let DiffText::Patch { patch } = &diff.text else { panic!("{diff:?}") };
    assert!(patch.text.contains("-two\n+TWO"), "{patch:?}");
    assert_eq!(talk.read("a.txt").unwrap(), "one\nTWO\nthree\n");

    let seen: Vec<ToolState> = events
        .iter()
        .filter_map(|event| match event {
            Event::PartUpdated { part } => match &part.content {
                PartContent::Tool { call } if call.tool == "read" => Some(call.state),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(seen, [ToolState::Pending, ToolState::Running, ToolState::Completed]);

    let todos = talk.agent.todos(&session).await.unwrap();
    assert_eq!(todos.iter().map(|todo| todo.content.as_str()).collect::<Vec<_>>(), ["mend it"]);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Todos { todos: told, .. } if *told == todos))
    );
    let changed = talk.agent.diff(&session, &message).await.unwrap();
    let changed: Vec<_> = changed.iter().map(|diff| (diff.path.as_str(), diff.change)).collect();
    assert_eq!(changed, [("a.txt", Some(Change::Modified))]);
}

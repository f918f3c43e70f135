//! Turns: what is said both ways, and how they end.

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    Ability,
    model::{
        Change, DiffText, FailureKind, FileDiff, FilePlace, FileReference, LONGEST_TEXT, Lines,
        Location, LongText, ModelChoice, PromptPart, Role, SlashCommand, SlashCommandCall, Todo,
        TodoState, ToolCall, ToolState, Usage,
    },
};

fn text(text: &str) -> PartContent {
    let (started, ended) = (Some(NOW), Some(NOW));
    PartContent::Text { text: LongText::new(text), is_synthetic: false, started, ended }
}

fn thought(text: &str) -> PartContent {
    PartContent::Reasoning { text: LongText::new(text), started: Some(NOW), ended: Some(NOW) }
}

#[tokio::test]
async fn a_turn_is_told_piece_by_piece_and_kept() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "hello").await;
    scripted.chunk("agent_thought_chunk", "Let me ").await;
    scripted.chunk("agent_thought_chunk", "think.").await;
    scripted.chunk("agent_message_chunk", "Hel").await;
    scripted.chunk("agent_message_chunk", "lo.").await;
    scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
    let told = until_idle(&mut events).await;
    let deltas: Vec<&str> = told
        .iter()
        .filter_map(|event| match event {
            Event::TextDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(deltas, ["think.", "lo."]);
    let kept = messages(&agent, &session).await;
    let parts: Vec<Vec<&PartContent>> = kept
        .iter()
        .map(|message| message.parts.iter().map(|part| &part.content).collect())
        .collect();
    assert_eq!(parts, [vec![&text("hello")], vec![&thought("Let me think."), &text("Hello.")]]);
    let [asked, answered] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!((asked.info.role, answered.info.role), (Role::User, Role::Assistant));
    assert_eq!(answered.info.answers.as_ref(), Some(&asked.info.id));
    assert_eq!(answered.info.finish.as_deref(), Some("end_turn"));
    assert_eq!((answered.info.completed, &answered.info.failure), (Some(NOW), &None));
}

#[tokio::test]
async fn whoever_applies_the_events_has_what_is_kept() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "hello").await;
    for round in 0..20 {
        scripted.chunk("agent_message_chunk", &format!("{round} ")).await;
        scripted.chunk("agent_thought_chunk", "…").await;
        let call =
            json!({"sessionUpdate": "tool_call", "toolCallId": format!("c{round}"), "title": "t"});
        scripted.update(call).await;
    }
    scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
    let mut parts: Vec<Part> = Vec::new();
    for event in until_idle(&mut events).await {
        match event {
            Event::PartUpdated { part } => match parts.iter_mut().find(|known| known.id == part.id)
            {
                Some(known) => *known = part,
                None => parts.push(part),
            },
            Event::TextDelta { part_id, delta, .. } => {
                let part = parts.iter_mut().find(|known| known.id == part_id).unwrap();
                match &mut part.content {
                    PartContent::Text { text, .. } | PartContent::Reasoning { text, .. } => {
                        text.text.push_str(&delta);
                    }
                    other => panic!("{other:?} does not grow"),
                }
            }
            _ => {}
        }
    }
    let kept = messages(&agent, &session).await;
    let kept: Vec<Part> = kept.into_iter().flat_map(|message| message.parts).collect();
    assert_eq!(parts, kept);
}

#[tokio::test]
async fn a_call_of_a_tool_is_one_part_that_changes() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "do it").await;
    scripted
        .update(json!({
            "sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Edit a.rs", "kind": "edit",
            "rawInput": {"path": "a.rs"}, "locations": [{"path": "/project/a.rs", "line": 3}],
        }))
        .await;
    scripted
        .update(json!({
            "sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed",
            "content": [
                {"type": "content", "content": {"type": "text", "text": "one"}},
                {"type": "content", "content": {"type": "text", "text": "two"}},
                {"type": "content", "content": {"type": "image", "data": "AAAA", "mimeType": "image/png"}},
                {"type": "diff", "path": "/project/a.rs", "oldText": "old", "newText": "new"},
                {"type": "diff", "path": "/project/b.rs", "newText": "all"},
                {"type": "terminal", "terminalId": "t1"},
            ],
        }))
        .await;
    scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
    let told = until_idle(&mut events).await;
    let terminal =
        Event::Other { name: "tool_call/terminal".to_owned(), session_id: Some(session.clone()) };
    assert!(told.contains(&terminal), "{told:?}");
    let texts = |before: Option<&str>, after: &str| DiffText::Texts {
        before: before.map(LongText::new),
        after: LongText::new(after),
    };
    let diff = |path: &str, change, text| FileDiff {
        path: path.to_owned(),
        change: Some(change),
        additions: None,
        deletions: None,
        text,
    };
    let expected = PartContent::Tool {
        call: Box::new(ToolCall {
            call_id: "c1".to_owned(),
            tool: "edit".to_owned(),
            title: Some("Edit a.rs".to_owned()),
            state: ToolState::Completed,
            input: json!({"path": "a.rs"}),
            input_left_out: 0,
            output: Some(LongText::new("one\ntwo")),
            error: None,
            started: Some(NOW),
            ended: Some(NOW),
            attachments: vec![FileReference {
                name: None,
                mime: "image/png".to_owned(),
                place: FilePlace::Data { base64: "AAAA".to_owned() },
            }],
            diffs: vec![
                diff("/project/a.rs", Change::Modified, texts(Some("old"), "new")),
                diff("/project/b.rs", Change::Added, texts(None, "all")),
            ],
            locations: vec![Location { path: "/project/a.rs".to_owned(), line: Some(3) }],
            child_session: None,
        }),
    };
    assert_eq!(answer(&agent, &session).await, [expected]);
}

#[tokio::test]
async fn a_call_that_failed_says_why_and_one_that_never_ended_is_ended() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "do it").await;
    scripted
        .update(json!({
            "sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "run", "status": "failed",
            "rawOutput": {"code": 1},
        }))
        .await;
    let open = json!({"sessionUpdate": "tool_call", "toolCallId": "c2", "title": "w", "status": "in_progress"});
    scripted.update(open).await;
    scripted.answer(&call, json!({"stopReason": "cancelled"})).await;
    until_idle(&mut events).await;
    let parts = answer(&agent, &session).await;
    let errors: Vec<(ToolState, Option<&str>)> = parts
        .iter()
        .map(|part| match part {
            PartContent::Tool { call } => {
                (call.state, call.error.as_ref().map(|error| error.text.as_str()))
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        (ToolState::Failed, Some("{\"code\":1}")),
        (ToolState::Failed, Some("the turn ended before it did")),
    ];
    assert_eq!(errors, expected);
}

#[tokio::test]
async fn plans_commands_usage_and_titles_are_kept() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "plan").await;
    scripted.chunk("agent_message_chunk", "x").await;
    let entry = json!({"content": "first", "priority": "high", "status": "in_progress"});
    scripted.update(json!({"sessionUpdate": "plan", "entries": [entry]})).await;
    let commands = json!([{"name": "init", "description": "begin", "input": {"hint": "where"}}]);
    scripted
        .update(
            json!({"sessionUpdate": "available_commands_update", "availableCommands": commands}),
        )
        .await;
    let cost = json!({"amount": 0.5, "currency": "USD"});
    scripted
        .update(json!({"sessionUpdate": "usage_update", "used": 7, "size": 100, "cost": cost}))
        .await;
    scripted.update(json!({"sessionUpdate": "session_info_update", "title": "A title"})).await;
    let usage = json!({"totalTokens": 6, "inputTokens": 1, "outputTokens": 2, "thoughtTokens": 3});
    scripted.answer(&call, json!({"stopReason": "end_turn", "usage": usage})).await;
    until_idle(&mut events).await;
    let todo = Todo {
        content: "first".to_owned(),
        state: TodoState::InProgress,
        priority: "high".to_owned(),
    };
    assert_eq!(agent.todos(&session).await, Ok(vec![todo]));
    let command = SlashCommand {
        name: "init".to_owned(),
        description: Some("begin".to_owned()),
        hint: Some("where".to_owned()),
        source: None,
    };
    assert_eq!(agent.commands(Some(&session)).await, Ok(vec![command]));
    let session = agent.session(&session).await.unwrap();
    assert_eq!((session.title.as_str(), session.totals.unwrap().cost), ("A title", 0.5));
    let newest = messages(&agent, &session.id).await.pop().unwrap();
    let usage = Usage { input: 1, output: 2, reasoning: 3, cache_read: 0, cache_write: 0 };
    assert_eq!(newest.info.usage, Some(usage));
}

#[tokio::test]
async fn an_update_that_nobody_knows_is_told_as_other() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    scripted.update(json!({"sessionUpdate": "dance", "steps": 3})).await;
    let other = |name: &str, session_id| Event::Other { name: name.to_owned(), session_id };
    assert_eq!(next(&mut events).await, other("dance", Some(session)));
    scripted.say(json!({"jsonrpc": "2.0", "method": "_agent/hum", "params": {}})).await;
    assert_eq!(next(&mut events).await, other("_agent/hum", None));
}

#[tokio::test]
async fn what_a_turn_ended_with_is_told_as_what_it_is() {
    let (agent, mut scripted, session) = in_session(able()).await;
    for (reason, kind) in [
        ("max_tokens", FailureKind::OutputLength),
        ("refusal", FailureKind::ContentFilter),
        ("cancelled", FailureKind::Aborted),
        ("max_turn_requests", FailureKind::Other),
    ] {
        let mut events = agent.subscribe();
        let call = say(&agent, &mut scripted, &session, "go").await;
        scripted.answer(&call, json!({"stopReason": reason})).await;
        until_idle(&mut events).await;
        let failure = messages(&agent, &session).await.pop().unwrap().info.failure.unwrap();
        assert_eq!((failure.kind, failure.name.as_str()), (kind, reason));
    }
}

#[tokio::test]
async fn an_error_of_the_model_is_a_message_that_failed() {
    let (agent, mut scripted, session) = in_session(able()).await;
    for (code, data, kind, status) in [
        (-32603, json!({"status": 429}), FailureKind::RateLimit, Some(429)),
        (-32603, json!({"statusCode": 500}), FailureKind::Provider, Some(500)),
        (-32603, json!(null), FailureKind::Other, None),
        (-32000, json!(null), FailureKind::LogIn, None),
    ] {
        let mut events = agent.subscribe();
        let call = say(&agent, &mut scripted, &session, "go").await;
        scripted.refuse(&call, code, "no luck", data).await;
        let told = until_idle(&mut events).await;
        let failure = messages(&agent, &session).await.pop().unwrap().info.failure.unwrap();
        assert_eq!(
            (failure.kind, failure.status, failure.message.as_str()),
            (kind, status, "no luck")
        );
        assert!(
            told.contains(&Event::Error { session_id: Some(session.clone()), failure }),
            "{told:?}"
        );
    }
}

#[tokio::test]
async fn a_session_takes_one_prompt_at_a_time() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let call = say(&agent, &mut scripted, &session, "one").await;
    let busy = AgentError::Busy { session: session.0.clone() };
    assert_eq!(agent.send(&session, Prompt::text("two")).await, Err(busy));
    let statuses = agent.statuses().await.unwrap();
    assert_eq!(statuses.iter().map(|it| &it.session_id).collect::<Vec<_>>(), [&session]);
    let mut events = agent.subscribe();
    scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
    until_idle(&mut events).await;
    assert_eq!(agent.statuses().await, Ok(Vec::new()));
    say(&agent, &mut scripted, &session, "two").await;
}

#[tokio::test]
async fn files_lines_and_pictures_go_along() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let parts = vec![
        PromptPart::Text { text: "see".to_owned(), is_synthetic: true },
        PromptPart::File {
            path: "/project/ä b.rs".to_owned(),
            mime: None,
            lines: Some(Lines { first: 3, last: Some(5) }),
            mention: None,
        },
        PromptPart::Image { mime: "image/png".to_owned(), base64: "AAAA".to_owned(), name: None },
    ];
    agent.send(&session, Prompt { parts, ..Prompt::default() }).await.unwrap();
    let (_, params) = scripted.asked("session/prompt").await;
    let expected = json!({"sessionId": "s", "prompt": [
        {"type": "text", "annotations": {"audience": ["assistant"]}, "text": "see"},
        {"type": "resource_link", "name": "ä b.rs, lines 3 to 5",
         "uri": "file:///project/%C3%A4%20b.rs#L3-L5"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ]});
    assert_eq!(params, expected);
}

#[tokio::test]
async fn what_an_agent_does_not_take_is_refused_before_it_is_said() {
    let (agent, _scripted, session) = in_session(json!({})).await;
    let image =
        PromptPart::Image { mime: "image/png".to_owned(), base64: "AAAA".to_owned(), name: None };
    let refused = agent.send(&session, Prompt { parts: vec![image], ..Prompt::default() }).await;
    let why = "the agent takes no pictures".to_owned();
    assert_eq!(refused, Err(AgentError::Unsupported { what: Ability::Images, why }));
    let empty = agent.send(&session, Prompt::default()).await;
    assert!(matches!(empty, Err(AgentError::Invalid { .. })), "{empty:?}");
    assert_eq!(messages(&agent, &session).await, []);
}

#[tokio::test]
async fn a_slash_command_is_said_as_text() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let commands = json!([{"name": "init", "description": "begin"}]);
    scripted
        .update(
            json!({"sessionUpdate": "available_commands_update", "availableCommands": commands}),
        )
        .await;
    assert!(matches!(next(&mut events).await, Event::CatalogueChanged { .. }));
    let call = |name: &str| SlashCommandCall {
        name: name.to_owned(),
        arguments: "here".to_owned(),
        message_id: None,
        model: None,
        mode: None,
    };
    assert!(matches!(
        agent.command(&session, call("exit")).await,
        Err(AgentError::NotFound { .. })
    ));
    agent.command(&session, call("init")).await.unwrap();
    let (_, params) = scripted.asked("session/prompt").await;
    assert_eq!(params["prompt"], json!([{"type": "text", "text": "/init here"}]));
}

#[tokio::test]
async fn a_model_and_a_mode_are_set_before_a_prompt_that_names_them() {
    let (agent, mut scripted) = connected(able()).await;
    let options = |model: &str| {
        json!([
            {"id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": model,
             "options": [{"group": "p", "name": "P", "options":
                [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}]},
            {"id": "e", "name": "Effort", "category": "thought_level", "type": "select", "currentValue": "low",
             "options": [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}]},
        ])
    };
    let modes = json!({"currentModeId": "ask", "availableModes": [
        {"id": "ask", "name": "Ask"}, {"id": "act", "name": "Act", "description": "Do it"}]});
    let begun = json!({"sessionId": "s", "configOptions": options("small"), "modes": modes});
    let session = create(&agent, &mut scripted, begun).await;
    let choice = |model: &str, variant: &str| ModelChoice {
        provider: "p".to_owned(),
        model: model.to_owned(),
        variant: Some(variant.to_owned()),
    };
    assert_eq!(
        (session.model, session.mode.as_deref()),
        (Some(choice("small", "low")), Some("ask"))
    );
    let models = agent.models(None).await.unwrap();
    let names: Vec<(&str, &str)> = models
        .providers
        .iter()
        .flat_map(|provider| {
            provider.models.iter().map(|model| (provider.id.as_str(), model.id.as_str()))
        })
        .collect();
    assert_eq!(names, [("p", "small"), ("p", "large")]);
    let prompt = Prompt {
        model: Some(choice("large", "low")),
        mode: Some("act".to_owned()),
        ..Prompt::text("go")
    };
    let (sent, ()) = tokio::join!(agent.send(&session.id, prompt), async {
        let (id, params) = scripted.asked("session/set_config_option").await;
        assert_eq!(params, json!({"sessionId": "s", "configId": "m", "value": "large"}));
        scripted.answer(&id, json!({"configOptions": options("large")})).await;
        let (id, params) = scripted.asked("session/set_mode").await;
        assert_eq!(params, json!({"sessionId": "s", "modeId": "act"}));
        scripted.answer(&id, json!({})).await;
    });
    sent.unwrap();
    scripted.asked("session/prompt").await;
    let session = agent.session(&session.id).await.unwrap();
    assert_eq!(
        (session.model, session.mode.as_deref()),
        (Some(choice("large", "low")), Some("act"))
    );
    let unknown = Prompt { mode: Some("fly".to_owned()), ..Prompt::text("go") };
    assert!(agent.send(&session.id, unknown).await.is_err());
}

#[tokio::test]
async fn stopping_is_told_to_the_agent_and_the_turn_is_aborted() {
    let (agent, mut scripted, session) = in_session(able()).await;
    agent.abort(&session).await.expect("nothing to stop is no error");
    let mut events = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "go").await;
    scripted.chunk("agent_message_chunk", "half a").await;
    agent.abort(&session).await.unwrap();
    let heard = scripted.heard().await;
    let expected =
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}});
    assert_eq!(heard, expected);
    scripted.answer(&call, json!({"stopReason": "cancelled"})).await;
    until_idle(&mut events).await;
    let newest = messages(&agent, &session).await.pop().unwrap();
    assert_eq!(newest.info.failure.unwrap().kind, FailureKind::Aborted);
    assert_eq!(newest.parts[0].content, text("half a"));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_stop_is_asked_again_and_then_told_about() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let call = say(&agent, &mut scripted, &session, "go").await;
    agent.abort(&session).await.unwrap();
    let mut events = agent.subscribe();
    let Event::Error { session_id, failure } = next(&mut events).await else {
        panic!("nothing is told")
    };
    assert_eq!((session_id, failure.name.as_str()), (Some(session.clone()), "not_stopped"));
    assert_eq!(agent.statuses().await.unwrap().len(), 1);
    for _ in 0..10 {
        assert_eq!(scripted.heard().await["method"], "session/cancel");
    }
    scripted.answer(&call, json!({"stopReason": "cancelled"})).await;
    until_idle(&mut events).await;
}

#[tokio::test]
async fn a_text_without_end_is_cut_and_counted() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "go").await;
    let piece = "é".repeat(LONGEST_TEXT / 8);
    for _ in 0..5 {
        scripted.chunk("agent_message_chunk", &piece).await;
    }
    scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
    until_idle(&mut events).await;
    let [PartContent::Text { text, .. }] = &answer(&agent, &session).await[..] else { panic!() };
    assert_eq!((text.text.len(), text.left_out), (LONGEST_TEXT, piece.len() as u64));
}

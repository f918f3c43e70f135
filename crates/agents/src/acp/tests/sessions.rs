//! Sessions: begun with our tools, listed, told again, forked, forgotten.

use pretty_assertions::assert_eq;

use super::{super::Offered, *};
use crate::{Ability, model::SessionQuery};

async fn connect(can: Value, setup: Setup) -> (AcpAgent, Scripted) {
    let (mut scripted, reader, writer) = Scripted::new();
    let (agent, ()) = tokio::join!(AcpAgent::connect(reader, writer, setup), async {
        let (id, _) = scripted.asked("initialize").await;
        scripted.answer(&id, json!({"protocolVersion": 1, "agentCapabilities": can})).await;
    });
    (agent.unwrap(), scripted)
}

fn texts(messages: &[Message]) -> Vec<String> {
    let texts = messages.iter().map(|message| {
        let texts = message.parts.iter().map(|part| match &part.content {
            PartContent::Text { text, .. } | PartContent::Reasoning { text, .. } => {
                text.text.clone()
            }
            other => format!("{other:?}"),
        });
        texts.collect::<Vec<_>>().join("|")
    });
    texts.collect()
}

#[tokio::test]
async fn a_session_begins_with_our_tools_in_the_form_that_the_agent_takes() {
    let http = json!([{"type": "http", "name": "openspace", "url": "http://127.0.0.1:1/mcp",
        "headers": [{"name": "Authorization", "value": "Bearer secret-of-the-test"}]}]);
    let program = json!([{"name": "openspace", "command": "openspace", "args": ["mcp"],
        "env": [{"name": "A", "value": "b"}]}]);
    for (can, servers, offered) in [
        (json!({"mcpCapabilities": {"http": true}}), http, Offered::Http),
        (json!({}), program, Offered::Program),
    ] {
        let (agent, mut scripted) = connected(can).await;
        let (session, ()) = tokio::join!(agent.create(NewSession::default()), async {
            let (id, params) = scripted.asked("session/new").await;
            assert_eq!(params, json!({"cwd": "/project", "mcpServers": servers}));
            scripted.answer(&id, json!({"sessionId": "s"})).await;
        });
        assert_eq!(session.unwrap().directory.as_deref(), Some("/project"));
        assert_eq!(agent.about().tools, offered);
    }
}

#[tokio::test]
async fn an_agent_that_gets_no_tools_says_why() {
    let endpoint = McpEndpoint { program: None, ..setup().tools.endpoint(None).unwrap() };
    let shown = format!("{endpoint:?}");
    assert!(!shown.contains("secret-of-the-test"), "{shown}");
    let (agent, _scripted) =
        connect(json!({}), Setup { tools: Arc::new(endpoint), ..setup() }).await;
    let Offered::Nothing { why } = &agent.about().tools else { panic!() };
    assert!(why.contains("takes no address"), "{why}");
}

#[tokio::test]
async fn what_is_told_before_the_session_is_there_is_not_lost() {
    let (agent, mut scripted) = connected(able()).await;
    let mut events = agent.subscribe();
    let (session, ()) = tokio::join!(agent.create(NewSession::default()), async {
        let (id, _) = scripted.asked("session/new").await;
        let commands = json!([{"name": "init", "description": ""}]);
        scripted
            .update(json!({"sessionUpdate": "available_commands_update", "availableCommands": commands}))
            .await;
        scripted.answer(&id, json!({"sessionId": "s"})).await;
    });
    let session = session.unwrap();
    assert_eq!(agent.commands(Some(&session.id)).await.unwrap()[0].name, "init");
    assert_eq!(next(&mut events).await, Event::SessionCreated { session });
}

#[tokio::test]
async fn an_agent_that_wants_a_log_in_says_which() {
    let (mut scripted, reader, writer) = Scripted::new();
    let (agent, ()) = tokio::join!(AcpAgent::connect(reader, writer, setup()), async {
        let (id, _) = scripted.asked("initialize").await;
        let ways = json!([{"id": "key", "name": "API key"}, {"id": "web", "name": "Browser", "type": "agent"}]);
        scripted.answer(&id, json!({"protocolVersion": 1, "authMethods": ways})).await;
    });
    let agent = agent.unwrap();
    let (refused, ()) = tokio::join!(agent.create(NewSession::default()), async {
        let (id, _) = scripted.asked("session/new").await;
        scripted.refuse(&id, -32000, "Authentication required", json!(null)).await;
    });
    let why = "Authentication required; log in with API key (key), Browser (web)".to_owned();
    assert_eq!(refused, Err(AgentError::NotAllowed { agent: "Scripted".to_owned(), why }));
    assert!(matches!(agent.authenticate("other").await, Err(AgentError::Invalid { .. })));
    let (done, ()) = tokio::join!(agent.authenticate("web"), async {
        let (id, params) = scripted.asked("authenticate").await;
        assert_eq!(params, json!({"methodId": "web"}));
        scripted.answer(&id, json!(null)).await;
    });
    assert_eq!(done, Ok(()));
}

#[tokio::test]
async fn an_old_session_is_told_again_when_it_is_read_and_silently() {
    let (agent, mut scripted) = connected(able()).await;
    let mut events = agent.subscribe();
    let session = SessionId("old".to_owned());
    let (kept, ()) = tokio::join!(messages(&agent, &session), async {
        let (id, params) = scripted.asked("session/list").await;
        assert_eq!(params, json!({"cwd": "/project"}));
        let listed = json!({"sessionId": "old", "cwd": "/project", "title": "Old", "updatedAt": "1970-01-01T00:00:01Z"});
        scripted.answer(&id, json!({"sessions": [listed]})).await;
        let (id, params) = scripted.asked("session/load").await;
        assert_eq!(params["sessionId"], "old");
        for (kind, text) in [
            ("user_message_chunk", "question "),
            ("user_message_chunk", "one"),
            ("agent_thought_chunk", "hm"),
            ("agent_message_chunk", "answer one"),
            ("user_message_chunk", "question two"),
            ("agent_message_chunk", "answer two"),
        ] {
            let content = json!({"type": "text", "text": text});
            scripted.update_of("old", json!({"sessionUpdate": kind, "content": content})).await;
        }
        scripted.answer(&id, json!(null)).await;
    });
    assert_eq!(texts(&kept), ["question one", "hm|answer one", "question two", "answer two"]);
    let found = agent.session(&session).await.unwrap();
    assert_eq!((found.title.as_str(), found.updated), ("Old", Some(1000)));
    say(&agent, &mut scripted, &session, "three").await;
    let Event::MessageUpdated { message } = next(&mut events).await else {
        panic!("nothing before the turn")
    };
    assert_eq!(message.id.0, "old:4");
}

#[tokio::test]
async fn what_was_said_to_the_model_alone_is_still_that_in_an_old_session() {
    let (agent, mut scripted) = connected(json!({"loadSession": true})).await;
    let session = SessionId("old".to_owned());
    let (kept, ()) = tokio::join!(messages(&agent, &session), async {
        let (id, _) = scripted.asked("session/load").await;
        let for_model = json!({"audience": ["assistant"]});
        for (kind, text, annotations) in [
            ("user_message_chunk", "look ", json!(null)),
            ("user_message_chunk", "here", json!({"audience": ["user", "assistant"]})),
            ("user_message_chunk", "how commands ", for_model.clone()),
            ("user_message_chunk", "are written", for_model),
            ("agent_message_chunk", "I looked", json!(null)),
        ] {
            let content = json!({"type": "text", "text": text, "annotations": annotations});
            scripted.update_of("old", json!({"sessionUpdate": kind, "content": content})).await;
        }
        scripted.answer(&id, json!(null)).await;
    });
    assert_eq!(texts(&kept), ["look here|how commands are written", "I looked"]);
    let for_model = kept
        .iter()
        .flat_map(|message| &message.parts)
        .map(|part| matches!(part.content, PartContent::Text { is_synthetic: true, .. }));
    assert_eq!(for_model.collect::<Vec<_>>(), [false, true, false]);
}

#[tokio::test]
async fn an_agent_that_only_resumes_has_no_history_and_says_so() {
    let (agent, mut scripted) = connected(json!({"sessionCapabilities": {"resume": {}}})).await;
    let session = SessionId("old".to_owned());
    let query = MessageQuery { session_id: session.clone(), limit: 10, before: None };
    let refused = agent.messages(query).await;
    assert!(
        matches!(refused, Err(AgentError::Unsupported { what: Ability::History, .. })),
        "{refused:?}"
    );
    let (sent, ()) = tokio::join!(agent.send(&session, Prompt::text("go on")), async {
        let (id, _) = scripted.asked("session/resume").await;
        scripted.answer(&id, json!({})).await;
        scripted.asked("session/prompt").await;
    });
    sent.unwrap();
    assert_eq!(texts(&messages(&agent, &session).await), ["go on"]);
}

#[tokio::test]
async fn a_session_that_cannot_be_opened_is_not_there() {
    let (agent, mut scripted) = connected(json!({"loadSession": true})).await;
    let session = SessionId("gone".to_owned());
    let (refused, ()) = tokio::join!(agent.send(&session, Prompt::text("hello")), async {
        let (id, _) = scripted.asked("session/load").await;
        scripted
            .refuse(&id, -32002, "Resource not found", json!({"message": "no such session"}))
            .await;
    });
    let message = "Resource not found: no such session".to_owned();
    assert_eq!(refused, Err(AgentError::Refused { status: 404, message }));
    let (agent, _scripted) = connected(json!({})).await;
    let refused = agent.send(&session, Prompt::text("hello")).await;
    assert!(matches!(refused, Err(AgentError::NotFound { .. })), "{refused:?}");
}

#[tokio::test]
async fn open_sessions_are_listed_with_those_of_the_past() {
    let (agent, mut scripted, _) = in_session(able()).await;
    let query = |after: Option<&str>, search: Option<&str>| SessionQuery {
        after: after.map(str::to_owned),
        search: search.map(str::to_owned),
        limit: Some(2),
        only_roots: false,
    };
    let ids = |sessions: &[Session]| -> Vec<String> {
        sessions.iter().map(|it| it.id.0.clone()).collect()
    };
    let listed =
        |id: &str, title: &str| json!({"sessionId": id, "cwd": "/project", "title": title});
    let (first, ()) = tokio::join!(agent.sessions(query(None, None)), async {
        let (id, _) = scripted.asked("session/list").await;
        let sessions = json!([listed("s", "open"), listed("a", "Apple")]);
        scripted.answer(&id, json!({"sessions": sessions, "nextCursor": "2"})).await;
    });
    let first = first.unwrap();
    assert_eq!(
        (ids(&first.sessions), first.next.as_deref()),
        (vec!["s".to_owned(), "a".to_owned()], Some("2"))
    );
    let (second, ()) = tokio::join!(agent.sessions(query(Some("2"), Some("PE"))), async {
        let (id, params) = scripted.asked("session/list").await;
        assert_eq!(params["cursor"], "2");
        scripted.answer(&id, json!({"sessions": [listed("b", "Pear"), listed("c", "Fig")]})).await;
    });
    let second = second.unwrap();
    assert_eq!((ids(&second.sessions), second.next), (vec!["b".to_owned()], None));
}

#[tokio::test]
async fn an_agent_that_lists_nothing_lists_what_is_kept_and_says_so() {
    let (agent, _scripted, session) = in_session(json!({})).await;
    let page = agent.sessions(SessionQuery::default()).await.unwrap();
    assert_eq!(page.sessions.iter().map(|it| &it.id).collect::<Vec<_>>(), [&session]);
    let absent = agent.capabilities().absent;
    assert_eq!(
        absent[&Ability::List],
        "the agent lists no sessions; the last 50 are kept while it runs"
    );
    assert_eq!(
        absent[&Ability::History],
        "the agent tells no old messages; the last 2000 are kept while it runs"
    );
}

#[tokio::test]
async fn a_fork_has_the_messages_under_its_own_name() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "hello").await;
    scripted.chunk("agent_message_chunk", "hi").await;
    scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
    until_idle(&mut events).await;
    let (forked, ()) = tokio::join!(agent.fork(&session, None), async {
        let (id, params) = scripted.asked("session/fork").await;
        assert_eq!(params["sessionId"], "s");
        scripted.answer(&id, json!({"sessionId": "f"})).await;
    });
    let forked = forked.unwrap();
    let kept = messages(&agent, &forked.id).await;
    assert_eq!(texts(&kept), ["hello", "hi"]);
    assert!(kept.iter().all(|message| message.info.session_id == forked.id));
    assert_eq!(next(&mut events).await, Event::SessionCreated { session: forked });
    let message = &kept[0].info.id;
    assert!(matches!(agent.fork(&session, Some(message)).await, Err(AgentError::Invalid { .. })));
}

#[tokio::test]
async fn a_deleted_session_is_gone_and_a_closed_one_is_forgotten() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let (deleted, ()) = tokio::join!(agent.delete(&session), async {
        let (id, _) = scripted.asked("session/delete").await;
        scripted.answer(&id, json!({})).await;
    });
    assert_eq!(deleted, Ok(()));
    assert_eq!(next(&mut events).await, Event::SessionDeleted { session_id: session });
    let session = create(&agent, &mut scripted, json!({"sessionId": "t"})).await;
    let (closed, ()) = tokio::join!(agent.close(&session.id), async {
        let (id, _) = scripted.asked("session/close").await;
        scripted.answer(&id, json!({})).await;
    });
    assert_eq!(closed, Ok(()));
    assert!(agent.close(&session.id).await.is_err());
}

#[tokio::test]
async fn sessions_are_forgotten_when_there_are_too_many() {
    let (agent, mut scripted) = connected(json!({})).await;
    let mut events = agent.subscribe();
    for number in 0..60 {
        create(&agent, &mut scripted, json!({"sessionId": format!("s{number}")})).await;
    }
    let mut gone = Vec::new();
    while gone.len() < 2 {
        if let Event::SessionDeleted { session_id } = next(&mut events).await {
            gone.push(session_id.0);
        }
    }
    assert_eq!(gone, ["s0", "s1"]);
    let page = agent.sessions(SessionQuery::default()).await.unwrap();
    assert_eq!(page.sessions.len(), 58);
}

#[tokio::test]
async fn what_acp_cannot_do_is_absent_with_the_reason() {
    let (agent, _scripted, session) = in_session(able()).await;
    let refused = agent.rename(&session, "x").await;
    let why = "ACP has no way to rename a session".to_owned();
    assert_eq!(refused, Err(AgentError::Unsupported { what: Ability::Rename, why }));
    let absent = agent.capabilities().absent;
    let there: Vec<Ability> =
        Ability::ALL.into_iter().filter(|it| !absent.contains_key(it)).collect();
    let expected = [
        Ability::List,
        Ability::History,
        Ability::Delete,
        Ability::Fork,
        Ability::Todos,
        Ability::Images,
    ];
    assert_eq!(there, expected);
    assert!(absent.values().all(|why| !why.is_empty()));
}

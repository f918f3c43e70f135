//! Sessions: found, renamed, forked, taken back, made shorter, deleted.

use openspace_agents::{
    Ability, Agent, AgentError, Event, Thing,
    model::{MessageQuery, NewSession, PartContent, RevertTo, SessionId, SessionQuery},
};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Talk, scripted, texts};

async fn titles(talk: &Talk, query: SessionQuery) -> (Vec<String>, Option<String>) {
    let page = talk.agent.sessions(query).await.unwrap();
    (page.sessions.into_iter().map(|session| session.title).collect(), page.next)
}

#[tokio::test]
async fn sessions_are_created_found_page_by_page_renamed_and_deleted() {
    let talk = Talk::begin().await;
    let mut ids = Vec::new();
    for title in ["a first", "a second", "a third"] {
        let new = NewSession { title: Some(title.to_owned()), ..NewSession::default() };
        ids.push(talk.agent.create(new).await.unwrap().id);
    }
    let page = |limit, after: Option<String>| SessionQuery {
        limit: Some(limit),
        after,
        ..SessionQuery::default()
    };
    let (mut found, next) = titles(&talk, page(2, None)).await;
    assert_eq!(found.len(), 2);
    let (rest, end) = titles(&talk, page(2, next)).await;
    found.extend(rest);
    found.sort();
    assert_eq!(
        (found.as_slice(), end),
        (["a first", "a second", "a third"].map(str::to_owned).as_slice(), None)
    );
    let search = SessionQuery { search: Some("second".to_owned()), ..SessionQuery::default() };
    assert_eq!(titles(&talk, search).await, (vec!["a second".to_owned()], None));
    let wrong = talk.agent.sessions(page(2, Some("nowhere".to_owned()))).await;
    assert!(matches!(wrong, Err(AgentError::Invalid { .. })), "{wrong:?}");

    let renamed = talk.agent.rename(&ids[0], "another name").await.unwrap();
    assert_eq!(renamed.title, "another name");
    assert_eq!(talk.agent.session(&ids[0]).await.unwrap().title, "another name");
    talk.until(|event| match event {
        Event::SessionUpdated { session } => (session.title == "another name").then_some(()),
        _ => None,
    })
    .await;

    talk.agent.delete(&ids[0]).await.unwrap();
    talk.until(|event| {
        (*event == Event::SessionDeleted { session_id: ids[0].clone() }).then_some(())
    })
    .await;
    let missing =
        |id: &SessionId| AgentError::NotFound { what: Thing::Session, id: id.to_string() };
    assert_eq!(talk.agent.session(&ids[0]).await, Err(missing(&ids[0])));
    let nonsense = SessionId("../config".to_owned());
    assert_eq!(talk.agent.session(&nonsense).await, Err(missing(&nonsense)));

    // What its configuration forbids is absent with the reason, and is not even asked.
    let why = talk.agent.capabilities().absent.remove(&Ability::Share).unwrap();
    assert!(why.contains("switched off"), "{why}");
    let refused = talk.agent.share(&ids[1]).await;
    assert_eq!(refused, Err(AgentError::Unsupported { what: Ability::Share, why }));
}

#[tokio::test]
async fn a_session_is_forked_and_what_it_did_is_taken_back_and_done_again() {
    let talk = Talk::begin().await;
    let session = talk.session().await;
    let path = talk.file("a.txt").to_str().unwrap().to_owned();
    let edit = json!({ "filePath": path, "oldString": "two", "newString": "TWO" });
    talk.model.say([Step::text("First."), Step::tool("edit", edit), Step::text("Second.")]);
    talk.turn(&session, "one").await;
    let (second, _) = talk.turn(&session, "two").await;
    let after = "one\nTWO\nthree\n";
    assert_eq!(talk.read("a.txt").as_deref(), Some(after));

    let fork = talk.agent.fork(&session, Some(&second)).await.unwrap();
    let copied = talk.messages(&fork.id).await;
    let copied: Vec<_> = copied.iter().map(texts).collect();
    assert_eq!(copied, [vec!["one"], vec!["First."]]);
    let whole = talk.agent.fork(&session, None).await.unwrap();
    let original = talk.messages(&session).await.len();
    assert_eq!(talk.messages(&whole.id).await.len(), original);

    let to = RevertTo { message_id: second.clone(), part_id: None };
    let reverted = talk.agent.revert(&session, to).await.unwrap().reverted.unwrap();
    assert_eq!(reverted.message_id, second);
    assert_eq!(talk.read("a.txt").as_deref(), Some("one\ntwo\nthree\n"));
    assert_eq!(talk.messages(&session).await.len(), original);
    let restored = talk.agent.unrevert(&session).await.unwrap();
    assert_eq!(restored.reverted, None);
    assert_eq!(talk.read("a.txt").as_deref(), Some(after));

    // A prompt after taking back removes what was taken back.
    let to = RevertTo { message_id: second.clone(), part_id: None };
    talk.agent.revert(&session, to).await.unwrap();
    talk.model.say([Step::text("Instead.")]);
    let (_, events) = talk.turn(&session, "instead").await;
    let removed = Event::MessageRemoved { session_id: session.clone(), message_id: second };
    assert!(events.contains(&removed), "{events:#?}");
    let left = talk.messages(&session).await;
    let left: Vec<_> = left.iter().map(texts).collect();
    assert_eq!(left, [["one"], ["First."], ["instead"], ["Instead."]]);
}

#[tokio::test]
async fn a_session_is_compacted_and_its_messages_are_read_page_by_page() {
    let talk = Talk::begin().await;
    let session = talk.session().await;
    talk.model.say([Step::text("First.")]);
    talk.turn(&session, "one").await;

    talk.agent.compact(&session, scripted()).await.unwrap();
    let events = talk.until_idle(&session).await;
    let compacted = Event::Compacted { session_id: session.clone() };
    // It may be told just after the session is idle.
    if !events.contains(&compacted) {
        talk.until(|event| (*event == compacted).then_some(())).await;
    }
    let messages = talk.messages(&session).await;
    assert!(messages.last().unwrap().info.is_summary, "{messages:#?}");
    assert!(messages.iter().any(|message| {
        let is_mark =
            |content: &PartContent| *content == PartContent::Compaction { is_automatic: false };
        message.parts.iter().any(|part| is_mark(&part.content))
    }));

    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let query = MessageQuery { session_id: session.clone(), limit: 3, before };
        let page = talk.agent.messages(query).await.unwrap();
        before = page.older.clone();
        pages.push(page.messages);
        if before.is_none() {
            break;
        }
    }
    pages.reverse();
    assert_eq!((pages.len(), pages.concat()), (2, messages));
}

//! What can be said: files with lines, pictures, mentions, models, modes, slash commands, and to whom work is handed.

use openspace_agents::{
    Agent, AgentError, Event, Thing,
    model::{
        FilePlace, Lines, Message, MessageId, ModeUse, ModelChoice, PartContent, Prompt,
        PromptPart, SlashCommandCall, Span,
    },
};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Talk, calls, scripted, texts};

/// One red dot.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

#[tokio::test]
async fn a_prompt_holds_files_with_lines_pictures_mentions_and_a_choice_of_model() {
    let talk = Talk::begin().await;
    let session = talk.session().await;
    talk.model.say([Step::text("Seen.")]);
    let path = talk.file("a.txt").to_str().unwrap().to_owned();
    let span = |text: &str, start| Span {
        text: text.to_owned(),
        start,
        end: start + u32::try_from(text.len()).unwrap(),
    };
    let prompt = Prompt {
        parts: vec![
            PromptPart::Text {
                text: "look at @a.txt with @general".to_owned(),
                is_synthetic: false,
            },
            PromptPart::File {
                path: path.clone(),
                mime: None,
                lines: Some(Lines { first: 2, last: Some(2) }),
                mention: Some(span("@a.txt", 8)),
            },
            PromptPart::Image {
                mime: "image/png".to_owned(),
                base64: PICTURE.to_owned(),
                name: Some("dot.png".to_owned()),
            },
            PromptPart::Agent { name: "general".to_owned(), mention: Some(span("@general", 20)) },
            PromptPart::Text { text: "for the model alone".to_owned(), is_synthetic: true },
        ],
        model: Some(ModelChoice { variant: Some("high".to_owned()), ..scripted() }),
        mode: Some("plan".to_owned()),
    };
    let id = talk.agent.send(&session, prompt).await.unwrap();
    talk.until_idle(&session).await;

    let asked = talk.model.log();
    let asked = asked.iter().find(|asked| asked.has_tools()).unwrap();
    assert_eq!(asked.body["reasoning_effort"], "high");
    let said = asked.body["messages"].to_string();
    assert!(said.contains("2: two") && !said.contains("3: three"), "{said}");
    assert!(said.contains(PICTURE) && said.contains("for the model alone"));

    let message = talk.agent.message(&session, &id).await.unwrap();
    assert_eq!(texts(&message), ["look at @a.txt with @general"]);
    assert_eq!(message.info.mode.as_deref(), Some("plan"));
    let places: Vec<_> = message
        .parts
        .iter()
        .filter_map(|part| match &part.content {
            PartContent::File { file } => Some((file.mime.as_str(), file.place.clone())),
            _ => None,
        })
        .collect();
    let lines = Some(Lines { first: 2, last: Some(2) });
    assert_eq!(
        places,
        [
            ("text/plain", FilePlace::Path { path, lines }),
            ("image/png", FilePlace::Data { base64: PICTURE.to_owned() }),
        ]
    );
    let mention = PartContent::Mention { agent: "general".to_owned() };
    assert!(message.parts.iter().any(|part| part.content == mention));

    // A session that goes on from here has the same: what was for the model alone is that there too.
    let fork = talk.agent.fork(&session, None).await.unwrap();
    let copied = &talk.messages(&fork.id).await[0];
    let contents = |message: &Message| -> Vec<PartContent> {
        message.parts.iter().map(|part| part.content.clone()).collect()
    };
    assert_eq!(contents(copied), contents(&message));
    assert_eq!(texts(copied), ["look at @a.txt with @general"]);
}

#[tokio::test]
async fn what_can_be_chosen_is_listed_and_what_is_not_there_is_refused_before_it_is_said() {
    let command =
        json!({ "greet": { "template": "Say hello to $ARGUMENTS.", "description": "Greets" } });
    let talk = Talk::begin_with(json!({ "command": command })).await;
    let session = talk.session().await;
    let models = talk.agent.models(None).await.unwrap();
    assert_eq!(models.default, Some(scripted()));
    let offered = &models.providers[0].models[0];
    assert_eq!((models.providers.len(), offered.id.as_str()), (1, "scripted"));
    assert_eq!((offered.context, offered.takes_images), (Some(1_000_000), true));
    assert_eq!(offered.variants, ["low", "medium", "high"]);
    let modes = talk.agent.modes(None).await.unwrap();
    let modes: Vec<_> = modes.iter().map(|mode| (mode.id.as_str(), mode.usable)).collect();
    assert_eq!(
        modes,
        [
            ("build", ModeUse::Session),
            ("explore", ModeUse::SubAgent),
            ("general", ModeUse::SubAgent),
            ("plan", ModeUse::Session),
        ]
    );

    let missing =
        |what, id: &str| Err::<MessageId, _>(AgentError::NotFound { what, id: id.to_owned() });
    let with = |model: Option<ModelChoice>, mode: Option<&str>| Prompt {
        model,
        mode: mode.map(str::to_owned),
        ..Prompt::text("x")
    };
    let other = ModelChoice { model: "other".to_owned(), ..scripted() };
    let sent = talk.agent.send(&session, with(Some(other), None)).await;
    assert_eq!(sent, missing(Thing::Model, "scripted/other"));
    let sent = talk.agent.send(&session, with(None, Some("nobody"))).await;
    assert_eq!(sent, missing(Thing::Mode, "nobody"));
    let call = |name: &str| SlashCommandCall {
        name: name.to_owned(),
        arguments: "Bob".to_owned(),
        message_id: None,
        model: None,
        mode: None,
    };
    let called = talk.agent.command(&session, call("unknown")).await;
    assert_eq!(called, missing(Thing::Command, "unknown"));
    assert_eq!(talk.messages(&session).await, []);

    let commands = talk.agent.commands(None).await.unwrap();
    let greet = commands.iter().find(|command| command.name == "greet").unwrap();
    assert_eq!(greet.description.as_deref(), Some("Greets"));
    talk.model.say([Step::text("Hello, Bob.")]);
    let id = talk.agent.command(&session, call("greet")).await.unwrap();
    talk.until_idle(&session).await;
    let messages = talk.messages(&session).await;
    assert_eq!(messages[0].info.id, id);
    assert_eq!(
        (texts(&messages[0]), texts(&messages[1])),
        (vec!["Say hello to Bob."], vec!["Hello, Bob."])
    );
}

#[tokio::test]
async fn work_that_is_handed_on_has_a_session_below() {
    let talk = Talk::begin().await;
    let session = talk.session().await;
    let task =
        json!({ "description": "Research", "prompt": "Find it", "subagent_type": "general" });
    talk.model.say_to(&session.0, [Step::tool("task", task), Step::text("It is found.")]);
    talk.model.say([Step::text("Found.")]);
    let (_, events) = talk.turn(&session, "Have it found").await;

    let children = talk.agent.children(&session).await.unwrap();
    assert_eq!(children.len(), 1);
    assert_eq!(children[0].parent_id.as_ref(), Some(&session));
    let messages = talk.messages(&session).await;
    let call = calls(&messages)[0];
    assert_eq!((call.tool.as_str(), call.child_session.as_ref()), ("task", Some(&children[0].id)));
    let below = talk.messages(&children[0].id).await;
    assert_eq!(texts(below.last().unwrap()), ["Found."]);
    let is_told = |event: &Event| matches!(event, Event::SessionCreated { session } if session.id == children[0].id);
    assert!(events.iter().any(is_told));
}

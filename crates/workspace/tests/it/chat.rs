//! Conversations by command: addresses, saying and waiting, notes, what pages hear, and who may do what.

use std::{sync::Arc, time::Duration};

use openspace_agents::{
    Event,
    model::{
        Failure, FailureKind, Lines, ModelChoice, PromptPart, QuestionId, QuestionRequest,
        SessionId,
    },
};
use openspace_command::{Caller, CallerKind};
use openspace_workspace::{
    areas::chat::{
        Chats, SessionAddress,
        pages::{Next, Page},
        reviews::{LARGEST, MOST_FILES, ReviewTextsPart, ReviewsPart},
    },
    permission::Profile,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, PolicyText, Settings, asking, in_time, person};

pub(crate) mod puppet;
mod review;
mod written;

use puppet::Puppet;

async fn bench(puppet: &Arc<Puppet>) -> Bench {
    given(Settings::default(), puppet).await
}

async fn given(settings: Settings, puppet: &Arc<Puppet>) -> Bench {
    let bench = Bench::with(settings, &[("src/a.rs", "one\ntwo\n"), (".env", "KEY=abc\n")]).await;
    let puppet = Arc::clone(puppet);
    bench.dispatcher().state().conversations().hand_in("opencode", puppet);
    bench
}

fn script() -> Caller {
    Caller::new(CallerKind::Script, "cli", None)
}

impl Bench {
    async fn said(&self, command: &str, args: Value) -> Value {
        let mut answer = self.as_person(command, args.clone()).await;
        assert_eq!(answer["success"], json!(true), "{command} {args}: {answer}");
        answer.as_object_mut().unwrap().shift_remove("success");
        answer
    }

    async fn refused(&self, caller: Caller, command: &str, args: Value) -> (String, String) {
        let answer = self.reply(caller, command, args).await.to_value();
        let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        (text("kind"), text("error"))
    }

    fn chat_page(&self) -> (Arc<Chats>, Page) {
        let chats = Chats::of(self.dispatcher().state());
        let page = chats.join();
        (chats, page)
    }
}

async fn next(page: &Page) -> Value {
    match in_time(page.next()).await {
        Some(Next::Text(text)) => serde_json::from_str(&text).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// The next message of a kind.
async fn until(page: &Page, kind: &str) -> Value {
    loop {
        let message = next(page).await;
        if message["type"] == kind {
            return message;
        }
    }
}

fn session(id: &str) -> SessionAddress {
    SessionAddress { agent: "opencode".into(), session_id: id.into() }
}

#[tokio::test]
async fn what_is_said_is_answered() {
    let puppet = Puppet::echo();
    let bench = bench(&puppet).await;
    let said =
        bench.said("chat.send", json!({"text": "hello", "agent": "opencode", "wait": true})).await;
    assert_eq!(
        said,
        json!({
            "address": "opencode/ses_1",
            "messageId": "msg_1",
            "turn": {
                "isOver": true, "answer": "You said: hello", "leftOut": 0, "answerId": "msg_2",
                "failure": null, "asks": [],
            },
        })
    );
    let read = bench.said("chat.read", json!({"session": "opencode/ses_1"})).await;
    assert_eq!(read["state"], "idle");
    assert_eq!(read["messages"][1]["parts"], json!([{"type": "text", "text": "You said: hello"}]));
    let text =
        bench.reply(person(), "chat.read", json!({"session": "opencode/ses_1"})).await.to_text();
    assert_eq!(
        text,
        "You (msg_1)\n  hello\n\nAgent (msg_2)\n  You said: hello\n\nopencode/ses_1: idle"
    );
}

#[tokio::test]
async fn a_failed_turn_is_no_success_at_a_shell() {
    let puppet = Puppet::silent();
    let bench = bench(&puppet).await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    let id: SessionId = "ses_1".into();
    let args = json!({"text": "hello", "session": "opencode/ses_1", "wait": true});
    let answer = async {
        // Once it was said.
        crate::support::until(|| !puppet.prompts().is_empty()).await;
        let message = puppet.begin(&id);
        let failure = Failure {
            kind: FailureKind::RateLimit,
            name: "APIError".into(),
            message: "slow down".into(),
            status: Some(429),
            is_retryable: true,
        };
        puppet.ends(&id, &message, "I beg", Some(failure));
    };
    let (reply, ()) = tokio::join!(bench.reply(script(), "chat.send", args), answer);
    assert_eq!(reply.to_text(), "I beg\nThe turn failed: slow down");
    assert_eq!(reply.exit_code, Some(1));
}

#[tokio::test]
async fn waiting_ends_with_its_time_and_says_so() {
    let puppet = Puppet::silent();
    let bench = bench(&puppet).await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    let id: SessionId = "ses_1".into();
    bench.said("chat.send", json!({"text": "hello", "session": "opencode/ses_1"})).await;
    puppet.begin(&id);
    let args = json!({"session": "opencode/ses_1", "timeoutMs": 50});
    let reply = bench.reply(script(), "chat.wait", args).await;
    assert_eq!(reply.to_text(), "The turn goes on; chat_wait opencode/ses_1 waits for its end.");
    assert_eq!(reply.exit_code, Some(1));
}

#[tokio::test]
async fn files_lines_and_texts_go_with_what_is_said() {
    let puppet = Puppet::echo();
    let bench = bench(&puppet).await;
    let attached = json!([{"type": "text", "title": "tests", "text": "FAILED"}]);
    let args = json!({
        "text": "look", "agent": "opencode", "files": ["src/a.rs", "src/a.rs:2", "src/a.rs:1-2"],
        "attachments": attached, "model": "strings/long#high", "mode": "plan",
    });
    bench.said("chat.send", args).await;
    let (_, prompt) = puppet.prompts().remove(0);
    let file = |lines| PromptPart::File {
        path: bench.place("src/a.rs").to_string_lossy().into_owned(),
        mime: None,
        lines,
        mention: None,
    };
    let text = |text: &str| PromptPart::Text { text: text.into(), is_synthetic: false };
    let lines = |first, last| Some(Lines { first, last: Some(last) });
    let parts = [
        text("look"),
        file(None),
        file(lines(2, 2)),
        file(lines(1, 2)),
        text("tests:\n```\nFAILED\n```"),
    ];
    assert_eq!(prompt.parts, parts);
    let model = ModelChoice {
        provider: "strings".into(),
        model: "long".into(),
        variant: Some("high".into()),
    };
    assert_eq!((prompt.model, prompt.mode), (Some(model), Some("plan".into())));
}

#[tokio::test]
async fn a_secret_file_is_attached_by_nobody() {
    let puppet = Puppet::echo();
    let bench = bench(&puppet).await;
    let args = json!({"text": "look", "agent": "opencode", "files": [".env"]});
    let (kind, _) = bench.refused(person(), "chat.send", args).await;
    assert_eq!(kind, "denied");
    let args = json!({"text": "look", "agent": "opencode", "files": ["src/b.rs"]});
    let (kind, _) = bench.refused(person(), "chat.send", args).await;
    assert_eq!(kind, "not_found");
    assert!(puppet.prompts().is_empty(), "nothing was said");
    // Nor is text of one, and a page learns it before the words are written.
    let of = |path: &str| json!({"type": "text", "title": path, "text": "KEY=abc", "path": path});
    for (command, more) in [("chat.may_attach", json!({})), ("chat.send", json!({"text": "look"}))]
    {
        let mut args = more;
        args["attachments"] = json!([of("src/gone.rs"), of(".env")]);
        let (kind, _) = bench.refused(person(), command, args).await;
        assert_eq!(kind, "denied", "{command}");
    }
    let fine = json!([of("src/gone.rs"), {"type": "file", "path": "src/a.rs", "line": 1}]);
    bench.said("chat.may_attach", json!({"attachments": fine})).await;
}

#[tokio::test]
async fn what_an_agent_cannot_do_is_refused_with_its_reason() {
    let puppet = Puppet::echo();
    let bench = bench(&puppet).await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    let refusal = bench.refused(person(), "chat.fork", json!({"session": "opencode/ses_1"})).await;
    let why = "this agent cannot do that (fork a session): a puppet cannot";
    assert_eq!(refusal, ("unsupported".into(), why.into()));
    let picture = json!([{"type": "image", "mime": "image/png", "base64": "AAAA"}]);
    let args = json!({"text": "", "session": "opencode/ses_1", "attachments": picture});
    let refusal = bench.refused(person(), "chat.send", args).await;
    let why = "this agent cannot do that (take pictures): a puppet cannot";
    assert_eq!(refusal, ("unsupported".into(), why.into()));
    for wrong in ["nobody/ses_1", "opencode/", "opencode/ses_9"] {
        let args = json!({"session": wrong});
        let (kind, _) = bench.refused(person(), "chat.read", args).await;
        assert!(kind == "not_found" || kind == "invalid_args", "{wrong}: {kind}");
    }
}

#[tokio::test]
async fn sessions_are_listed_renamed_searched_and_deleted() {
    let puppet = Puppet::echo();
    let bench = bench(&puppet).await;
    for title in ["first", "second"] {
        bench.said("chat.create", json!({"agent": "opencode", "title": title})).await;
    }
    let renamed = json!({"session": "opencode/ses_1", "title": "better"});
    bench.said("chat.rename", renamed).await;
    let titles = async |search: Option<&str>| -> Vec<(String, bool)> {
        let args = json!({"agent": "opencode", "search": search});
        let listed = bench.said("chat.sessions", args).await;
        let sessions = listed["sessions"].as_array().unwrap().iter();
        let one = |one: &Value| {
            (one["session"]["title"].as_str().unwrap().to_owned(), one["unread"] == true)
        };
        sessions.map(one).collect()
    };
    // What was renamed changed since it was seen.
    assert_eq!(titles(None).await, [("second".into(), false), ("better".into(), true)]);
    bench.said("chat.seen", json!({"session": "opencode/ses_1", "at": 2_000})).await;
    assert_eq!(titles(Some("bet")).await, [("better".into(), false)]);
    bench.said("chat.delete", json!({"session": "opencode/ses_1"})).await;
    assert_eq!(titles(None).await, [("second".into(), false)]);
    let space = bench.dispatcher().state().space().snapshot();
    let noted: Vec<&String> = space.parts["chats"].keys().collect();
    assert_eq!(noted, ["opencode/ses_2"]);
}

#[tokio::test]
async fn drafts_and_choices_outlive_the_server() {
    let puppet = Puppet::echo();
    let mut bench = bench(&puppet).await;
    let draft = json!({"text": "I was about to", "session": "opencode/ses_1"});
    bench.said("chat.draft", draft).await;
    bench.said("chat.draft", json!({"text": "new", "agent": "opencode"})).await;
    let chosen = json!({"agent": "opencode", "model": "strings/long", "mode": "plan"});
    bench.said("chat.select", chosen).await;
    bench.restart().await;
    let space = bench.dispatcher().state().space().snapshot();
    let drafts = &space.parts["chat-drafts"];
    assert_eq!(drafts["opencode/ses_1"]["text"], "I was about to");
    assert_eq!(drafts["opencode/"]["text"], "new");
    let notes = &space.parts["chats"];
    assert_eq!(notes["opencode/"]["mode"], "plan");
    // What is said is no draft any more, and a new session begins with what was chosen.
    let again = Puppet::echo();
    let state = bench.dispatcher().state();
    state.conversations().hand_in("opencode", Arc::clone(&again) as _);
    bench.said("chat.send", json!({"text": "new", "agent": "opencode"})).await;
    let space = bench.dispatcher().state().space().snapshot();
    let drafts: Vec<&String> = space.parts["chat-drafts"].keys().collect();
    assert_eq!(drafts, ["opencode/ses_1"]);
    assert_eq!(again.prompts()[0].1.mode.as_deref(), Some("plan"));
}

#[tokio::test]
async fn notes_are_a_persons_and_answers_are_only_a_persons() {
    let puppet = Puppet::echo();
    let bench = bench(&puppet).await;
    let agent = || Caller::new(CallerKind::Agent, "other", None);
    for (command, args) in [
        ("chat.draft", json!({"text": "x", "agent": "opencode"})),
        ("chat.seen", json!({"session": "opencode/s", "at": 1})),
        ("chat.answer", json!({"request": "q", "agent": "opencode", "answers": [["yes"]]})),
    ] {
        let (kind, _) = bench.refused(agent(), command, args).await;
        assert_eq!(kind, "denied", "{command}");
    }
    let answer = json!({"request": "q", "agent": "opencode", "answers": [["yes"]]});
    let (kind, _) = bench.refused(script(), "chat.answer", answer.clone()).await;
    assert_eq!((kind.as_str(), puppet.answered().len()), ("denied", 0));
    bench.said("chat.answer", answer).await;
    assert_eq!(puppet.answered(), [(QuestionId("q".into()), vec![vec!["yes".to_owned()]])]);
}

#[tokio::test]
async fn an_agent_that_speaks_to_another_is_asked_about() {
    let puppet = Puppet::echo();
    let policy = asking(Profile::Careful, PolicyText::of(""));
    let mut settings = policy;
    settings.permission.answer_within = Duration::from_millis(50);
    let bench = given(settings, &puppet).await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    let agent = || Caller::new(CallerKind::Agent, "other", None);
    for (command, args) in [
        ("chat.send", json!({"session": "opencode/ses_1", "text": "delete it all"})),
        ("chat.abort", json!({"session": "opencode/ses_1"})),
        ("chat.delete", json!({"session": "opencode/ses_1"})),
        ("chat.share", json!({"session": "opencode/ses_1"})),
        ("chat.start_agent", json!({"agent": "opencode"})),
        ("chat.stop_agent", json!({"agent": "opencode"})),
        ("chat.select", json!({"agent": "opencode", "model": "elsewhere/large"})),
        ("chat.revert", json!({"session": "opencode/ses_1", "messageId": "msg_1"})),
        ("chat.unrevert", json!({"session": "opencode/ses_1"})),
    ] {
        let (kind, _) = bench.refused(agent(), command, args).await;
        assert_eq!(kind, "unanswered", "{command}");
    }
    assert!(puppet.prompts().is_empty(), "nothing was said");
    bench.ok("chat.sessions", json!({"agent": "opencode"})).await;
}

#[tokio::test]
async fn no_agent_starts_another_one_unasked() {
    let bench = Bench::with(Settings::default(), &[]).await;
    for (command, args) in [
        ("chat.models", json!({"agent": "opencode"})),
        ("chat.modes", json!({"agent": "opencode"})),
        ("chat.commands", json!({"agent": "opencode"})),
        ("chat.sessions", json!({"agent": "opencode"})),
        ("chat.create", json!({"agent": "opencode"})),
        ("chat.read", json!({"session": "opencode/ses_1"})),
        ("chat.messages", json!({"session": "opencode/ses_1"})),
        ("chat.todos", json!({"session": "opencode/ses_1"})),
        ("chat.diff", json!({"session": "opencode/ses_1"})),
        ("chat.wait", json!({"session": "opencode/ses_1"})),
        ("chat.fork", json!({"session": "opencode/ses_1"})),
        ("chat.rename", json!({"session": "opencode/ses_1", "title": "mine"})),
    ] {
        let refused = bench.refused(crate::support::agent(), command, args).await;
        let why = "`opencode` does not run, and no agent starts it unasked".to_owned();
        assert_eq!(refused, ("conflict".to_owned(), why), "{command}");
    }
}

#[tokio::test]
async fn a_page_hears_the_words_of_what_it_follows_and_of_all_what_they_do() {
    let puppet = Puppet::echo();
    let bench = bench(&puppet).await;
    let (chats, page) = bench.chat_page();
    chats.welcome(bench.dispatcher().state(), &Arc::new(chats.join())).await;
    until(&page, "gap").await;
    for _ in 0..2 {
        bench.said("chat.create", json!({"agent": "opencode"})).await;
    }
    chats.follow(&page, vec![session("ses_2")]);
    let following = until(&page, "following").await;
    assert_eq!(following["sessions"], json!([{"agent": "opencode", "sessionId": "ses_2"}]));
    for id in ["opencode/ses_1", "opencode/ses_2"] {
        bench.said("chat.send", json!({"text": "hello", "session": id, "wait": true})).await;
    }
    let mut heard = Vec::new();
    let mut last = following["number"].as_u64().unwrap();
    while heard.last() != Some(&("ses_2".to_owned(), "idle".to_owned())) {
        let told = until(&page, "told").await;
        let number = told["number"].as_u64().unwrap();
        assert!(number > last, "{number} comes after {last}");
        last = number;
        let event = &told["event"];
        let owner = ["sessionId"].map(|name| &event[name]);
        let nested = [&event["message"]["sessionId"], &event["part"]["sessionId"]];
        let owner = owner.into_iter().chain(nested).find_map(Value::as_str).unwrap().to_owned();
        let what = event["status"]["state"].as_str().or(event["type"].as_str()).unwrap();
        heard.push((owner, what.to_owned()));
    }
    let of = |id: &str| -> Vec<&str> {
        let ours = heard.iter().filter(|(owner, _)| owner == id);
        ours.map(|(_, what)| what.as_str()).collect()
    };
    assert_eq!(of("ses_1"), ["busy", "idle"]);
    assert_eq!(
        of("ses_2"),
        [
            "message_updated",
            "busy",
            "message_updated",
            "part_updated",
            "text_delta",
            "text_delta",
            "part_updated",
            "part_updated",
            "message_updated",
            "idle",
        ]
    );
}

#[tokio::test]
async fn who_reads_in_the_middle_of_a_turn_has_all_that_was_said() {
    let puppet = Puppet::silent();
    let bench = bench(&puppet).await;
    let (chats, page) = bench.chat_page();
    until(&page, "gap").await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    chats.follow(&page, vec![session("ses_1")]);
    bench.said("chat.send", json!({"text": "hello", "session": "opencode/ses_1"})).await;
    let id: SessionId = "ses_1".into();
    let answer = puppet.begin(&id);
    puppet.says(&id, &answer, &["Good ", "day"]);
    let delta = loop {
        let told = until(&page, "told").await;
        if told["event"]["delta"] == "day" {
            break told["number"].clone();
        }
    };
    let read = bench.said("chat.messages", json!({"session": "opencode/ses_1"})).await;
    let text = &read["messages"][1]["parts"][0]["content"]["text"]["text"];
    assert_eq!((text, &read["number"]), (&json!("Good day"), &delta));
}

#[tokio::test]
async fn a_page_that_is_too_slow_is_told_that_it_lost_something() {
    let puppet = Puppet::silent();
    let bench = bench(&puppet).await;
    let (_chats, page) = bench.chat_page();
    until(&page, "gap").await;
    let mut moved = Chats::of(bench.dispatcher().state()).moved();
    let title = "x".repeat(900_000);
    for number in 0..40 {
        let failure = Failure {
            kind: FailureKind::Other,
            name: "Long".into(),
            message: title.clone(),
            status: None,
            is_retryable: false,
        };
        moved.mark_unchanged();
        puppet.tell(Event::Error { session_id: Some("ses_1".into()), failure });
        in_time(moved.changed()).await.unwrap_or_else(|_| panic!("event {number} is heard"));
    }
    let mut heard = 0;
    while let Some(Next::Text(_)) = in_time(page.next()).await {
        heard += 1;
        assert!(heard < 40, "something was lost");
    }
}

#[tokio::test]
async fn questions_are_told_while_somebody_waits() {
    let puppet = Puppet::silent();
    let bench = bench(&puppet).await;
    let (_chats, page) = bench.chat_page();
    until(&page, "gap").await;
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    let id: SessionId = "ses_1".into();
    puppet.begin(&id);
    let question = json!({
        "question": "Which colour?", "header": "Colour", "choices": [], "isMultiple": false,
        "takesOwnWords": true,
    });
    let request = QuestionRequest {
        id: QuestionId("q".into()),
        session_id: id.clone(),
        questions: vec![serde_json::from_value(question).unwrap()],
        tool: None,
    };
    puppet.tell(Event::QuestionAsked { request });
    loop {
        if until(&page, "told").await["event"]["type"] == "question_asked" {
            break;
        }
    }
    let args = json!({"session": "opencode/ses_1", "timeoutMs": 20});
    let waited = bench.said("chat.wait", args).await;
    assert_eq!(waited["turn"]["asks"], json!(["Which colour?"]));
}

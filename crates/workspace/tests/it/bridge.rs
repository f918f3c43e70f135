//! Commands that outside programs add.

use std::{sync::Arc, time::Duration};

use openspace_command::{Error, ErrorKind};
use openspace_protocol::Event;
use openspace_workspace::areas::bridge::{
    Bridges, Calls, StreamError, UNHEARD_FOR,
    manifest::{Manifest, ManifestError},
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, Settings, in_time};

fn manifest() -> Value {
    let schema = json!({
        "type": "object", "required": ["to"], "additionalProperties": false,
        "properties": {
            "to": {"type": "string"}, "times": {"type": "integer"}, "body": {"type": "string", "maxLength": 5},
        },
    });
    json!({"commands": [{
        "id": "mail.send", "title": "Mail: Send", "description": "Send a mail.", "inputSchema": schema,
    }]})
}

fn bridges(bench: &Bench) -> &Arc<Bridges> {
    bench.dispatcher().state().bridges()
}

fn register(bench: &Bench, bridge: &str, body: Value) -> Result<usize, ManifestError> {
    bridges(bench).register(bridge, Manifest::parse(body)?)
}

fn has_command(bench: &Bench, name: &str) -> bool {
    bench.dispatcher().registry().find(name).is_some()
}

fn is_idle(calls: &mut Calls) -> bool {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    std::pin::pin!(calls.next()).poll(&mut context).is_pending()
}

#[tokio::test]
async fn registered_commands_are_everywhere_at_once() {
    let bench = Bench::open(&[]).await;
    let version = bench.dispatcher().registry().version();
    let before = *version.borrow();
    let mut view = bench.attach();
    assert_eq!(register(&bench, "mail", manifest()).unwrap(), 1);
    assert_eq!(*version.borrow(), before + 1);
    let announced = view.next().await.event.clone();
    assert_eq!(announced, Event::CatalogueChanged { version: before + 1 });
    let found = bench.ok("command.search", json!({"query": "mail"})).await;
    let brief = json!({
        "id": "openspace.mail.send", "tool": "mail_send", "description": "Send a mail.",
        "access": "execute",
        "arguments": "to (string), times? (integer), body? (string)",
    });
    assert_eq!(found, json!({"commands": [brief]}));
    let text = crate::support::instructions(bench.dispatcher());
    assert!(text.contains("- mail: mail_send\n"), "{text}");
    assert!(bridges(&bench).ever_a_manifest());
}

#[tokio::test]
async fn a_call_goes_to_one_listener_and_its_answer_comes_back() {
    let bench = Bench::open(&[]).await;
    register(&bench, "mail", manifest()).unwrap();
    let mut first = bridges(&bench).listen("mail").unwrap();
    let mut second = bridges(&bench).listen("mail").unwrap();
    let mut other = bridges(&bench).listen("other").unwrap();
    let program = async {
        let call = in_time(first.next()).await.unwrap().data;
        let id = call["callId"].as_str().unwrap();
        assert!(bridges(&bench).answer(Some(id), None, Ok(json!({"sent": 1}))));
        assert!(!bridges(&bench).answer(Some(id), None, Ok(json!({"sent": 2}))), "only once");
        call
    };
    let (answer, call) = tokio::join!(bench.call("mail.send", json!({"to": "ada"})), program);
    assert_eq!(answer, json!({"success": true, "sent": 1}));
    let expected = json!({"cmd": "mail.send", "args": {"to": "ada"}, "callId": call["callId"]});
    assert_eq!(call, expected);
    assert!(is_idle(&mut second) && is_idle(&mut other));
}

#[tokio::test]
async fn an_answer_without_an_id_is_for_the_oldest_call() {
    let bench = Bench::open(&[]).await;
    register(&bench, "mail", manifest()).unwrap();
    let mut calls = bridges(&bench).listen("mail").unwrap();
    let program = async {
        in_time(calls.next()).await.unwrap();
        let refused = Error::new(ErrorKind::Conflict, "the mailbox is full");
        assert!(bridges(&bench).answer(None, Some("openspace.mail.send"), Err(refused)));
        assert!(!bridges(&bench).answer(None, None, Ok(json!({}))));
    };
    let (answer, ()) = tokio::join!(bench.call("mail_send", json!({"to": "ada"})), program);
    let expected = json!({
        "success": false, "error": "the mailbox is full", "kind": "conflict", "hint": null,
    });
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn arguments_are_held_against_the_manifest() {
    let bench = Bench::open(&[]).await;
    register(&bench, "mail", manifest()).unwrap();
    let mut calls = bridges(&bench).listen("mail").unwrap();
    let failure = bench.failure("mail.send", json!({"to": "ada", "times": "MARKER"})).await;
    let expected = json!({
        "success": false, "kind": "invalid_args",
        "error": "argument `times`: value is not of type \"integer\"",
        "hint": "mail_send takes to (string), times? (integer), body? (string)",
    });
    assert_eq!(failure, expected);
    let args = json!({"to": "ada", "body": "MARKER and more"});
    bench
        .fails(
            "mail.send",
            args,
            "invalid_args",
            "argument `body`: value is longer than 5 characters",
        )
        .await;
    bench.fails("mail.send", json!({}), "invalid_args", "\"to\" is a required property").await;
    assert!(is_idle(&mut calls), "nothing of this reached the bridge");
    for record in bench.audit().await {
        assert!(!json!(record).to_string().contains("MARKER"), "{record:?}");
    }
}

#[tokio::test]
async fn a_bridge_that_does_not_answer_is_not_waited_for() {
    let settings = Settings { bridge_timeout: Duration::from_millis(30), ..Settings::default() };
    let bench = Bench::with(settings, &[]).await;
    register(&bench, "mail", manifest()).unwrap();
    let message = "the bridge `mail` is not listening";
    bench.fails("mail.send", json!({"to": "ada"}), "conflict", message).await;
    let mut calls = bridges(&bench).listen("mail").unwrap();
    let failure = bench.failure("mail.send", json!({"to": "ada"})).await;
    assert_eq!(failure["kind"], json!("timed_out"));
    let call = calls.next().await.unwrap().data;
    let late = bridges(&bench).answer(call["callId"].as_str(), None, Ok(json!({})));
    assert!(!late, "nobody waits any more");
}

#[tokio::test]
async fn a_bridge_that_goes_takes_its_commands_and_calls_along() {
    let bench = Bench::open(&[]).await;
    register(&bench, "mail", manifest()).unwrap();
    let mut calls = bridges(&bench).listen("mail").unwrap();
    let program = async move {
        in_time(calls.next()).await.unwrap();
        drop(calls);
    };
    let (answer, ()) = tokio::join!(bench.call("mail.send", json!({"to": "ada"})), program);
    let expected = json!({
        "success": false, "kind": "lost",
        "error": "the bridge `mail` went away during the call",
        "hint": "whether the work was done is unknown; look before calling again",
    });
    assert_eq!(answer, expected);
    let message = "there is no command `mail.send`";
    bench.fails("mail.send", json!({"to": "ada"}), "not_found", message).await;
}

#[tokio::test]
async fn a_bridge_stays_while_one_of_its_streams_does() {
    let bench = Bench::open(&[]).await;
    register(&bench, "mail", manifest()).unwrap();
    let first = bridges(&bench).listen("mail").unwrap();
    let second = bridges(&bench).listen("mail").unwrap();
    drop(first);
    assert!(has_command(&bench, "mail.send"));
    drop(second);
    assert!(!has_command(&bench, "mail.send"));
}

#[tokio::test]
async fn a_manifest_that_nobody_listens_for_goes_after_a_minute() {
    let bench = Bench::open(&[]).await;
    register(&bench, "mail", manifest()).unwrap();
    let mut version = bench.dispatcher().registry().version();
    version.mark_unchanged();
    tokio::time::pause();
    version.changed().await.unwrap();
    assert!(!has_command(&bench, "mail.send"));
}

#[tokio::test]
async fn a_manifest_is_taken_whole_or_not_at_all() {
    let bench = Bench::open(&[]).await;
    let with = |id: &str| json!({"commands": [{"id": "mail.read"}, {"id": id}]});
    let refusals = [
        ("editor.open", "`openspace.editor.open` is already the id of a command"),
        ("mail.read", "`openspace.mail.read` is already the id of a command"),
        (
            "Mail.Send",
            "`openspace.Mail.Send` is not an id of the form `area.verb` in small letters, digits and `_`",
        ),
    ];
    for (id, message) in refusals {
        let error = register(&bench, "mail", with(id)).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(!has_command(&bench, "mail.read"), "{id}");
    }
    register(&bench, "mail", manifest()).unwrap();
    register(&bench, "mail", json!({"commands": [{"id": "mail.read"}]})).unwrap();
    assert!(has_command(&bench, "mail.read") && !has_command(&bench, "mail.send"), "replaced");
    let error = register(&bench, "other", json!({"commands": [{"id": "mail.read"}]})).unwrap_err();
    assert!(matches!(error, ManifestError::Id(_)), "{error}");
}

#[test]
fn a_manifest_has_bounds() {
    let schema = |schema: Value| json!({"commands": [{"id": "a.b", "inputSchema": schema}]});
    let commands: Vec<Value> = (0..201).map(|n| json!({"id": format!("a.b{n}")})).collect();
    let cases = [
        (json!({"commands": commands}), "a manifest has at most 200 commands, not 201"),
        (json!({"commands": [{}]}), "the manifest is not understood: missing field `id`"),
        (
            schema(json!({"type": "string"})),
            "the schema of `a.b` cannot be used: its root must have `type: object`",
        ),
        (
            schema(json!({"type": "object", "description": "x".repeat(70_000)})),
            "the schema of `a.b` cannot be used: it is larger than 64 KB",
        ),
        (
            schema(json!({"type": "object", "properties": {"a": {"$ref": "http://x/y"}}})),
            "the schema of `a.b` cannot be used: it refers to something outside itself",
        ),
    ];
    for (body, message) in cases {
        assert_eq!(Manifest::parse(body).unwrap_err().to_string(), message);
    }
}

#[tokio::test]
async fn arguments_can_be_given_as_a_list() {
    let bench = Bench::open(&[]).await;
    let arguments = json!([
        {"name": "to", "type": "string", "required": true, "description": "Whom."},
        {"name": "urgent", "type": "boolean"},
    ]);
    let body = json!({"commands": [{"id": "mail.send", "arguments": arguments}]});
    register(&bench, "mail", body).unwrap();
    let help = bench.ok("command.help", json!({"command": "mail.send"})).await;
    let expected = json!({
        "type": "object", "required": ["to"], "additionalProperties": false,
        "properties": {
            "to": {"type": "string", "description": "Whom."}, "urgent": {"type": "boolean"},
        },
    });
    assert_eq!((&help["inputSchema"], &help["bridge"]), (&expected, &json!("mail")));
}

#[tokio::test]
async fn streams_and_bridges_are_bounded() {
    let settings = Settings { max_bridge_streams: 2, ..Settings::default() };
    let bench = Bench::with(settings, &[]).await;
    let _streams = [bridges(&bench).listen("a").unwrap(), bridges(&bench).listen("b").unwrap()];
    let refused = bridges(&bench).listen("c").err();
    assert_eq!(refused, Some(StreamError::TooMany(2)));
    for number in 0..48 {
        let body = json!({"commands": [{"id": format!("x.y{number}")}]});
        register(&bench, &format!("bridge{number}"), body).unwrap();
    }
    let error = register(&bench, "one more", manifest()).unwrap_err();
    assert_eq!(error.to_string(), "at most 50 bridges can be registered");
}

#[tokio::test]
async fn what_a_bridge_reports_is_kept_until_it_goes() {
    let bench = Bench::open(&[]).await;
    let stream = bridges(&bench).listen("mail").unwrap();
    bridges(&bench).report("mail", json!({"unread": 3})).unwrap();
    assert_eq!(json!(bridges(&bench).states()), json!({"mail": {"unread": 3}}));
    let error = bridges(&bench).report("mail", json!("x".repeat(300_000))).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidArgs);
    drop(stream);
    assert_eq!(json!(bridges(&bench).states()), json!({}));
}

#[tokio::test]
async fn a_report_alone_does_not_hold_a_place_for_ever() {
    let bench = Bench::open(&[]).await;
    tokio::time::pause();
    bridges(&bench).report("mail", json!({"unread": 3})).unwrap();
    assert_eq!(bridges(&bench).states().into_keys().collect::<Vec<_>>(), ["mail"]);
    tokio::task::yield_now().await;
    tokio::time::advance(UNHEARD_FOR + Duration::from_secs(1)).await;
    tokio::task::yield_now().await;
    assert_eq!(bridges(&bench).states().into_keys().collect::<Vec<_>>(), [""; 0]);
}

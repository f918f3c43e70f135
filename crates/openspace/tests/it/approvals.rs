//! Approvals through the real program: the command line, the person's browser, the one-time page, and who
//! cannot answer.

mod rules;

use std::{io::Write as _, process::Stdio};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Answer, Ask, Browser, Mcp, Pending, Server, eventually, in_time, read};

/// A server whose agents are asked about.
pub(crate) async fn careful() -> Server {
    Server::start(&["--profile", "careful", "--agents-place", "shared"]).await
}

/// Have an agent run a line that is asked about.
pub(crate) async fn begin(agent: &Mcp, line: &str) -> Pending {
    let params = json!({"name": "workspace_bash", "arguments": {"command": line}});
    agent.begin("tools/call", params).await
}

/// What the call came to.
pub(crate) async fn end(call: Pending) -> Value {
    call.answer().await["result"]["structuredContent"].clone()
}

/// A call over HTTP as the person at a shell.
pub(crate) fn as_person(server: &Server, command: &str, args: &Value) -> Ask {
    let key = server.space.key("person");
    let path = format!("/api/v1/commands/approval.{command}");
    server.http.post(&path, args).header("x-openspace-person", &key)
}

/// Wait until a question is open.
pub(crate) async fn until_asked(server: &Server, id: &str) -> Value {
    eventually("a question", || async {
        let answer = as_person(server, "get", &json!({"approvalId": id})).send().await;
        (answer.status == 200).then(|| answer.json())
    })
    .await
}

fn made(server: &Server) -> bool {
    server.space.root().join("made").exists()
}

#[tokio::test]
async fn a_person_answers_at_the_shell() {
    let server = careful().await;
    let agent = server.mcp().await;
    let call = begin(&agent, "touch made").await;
    until_asked(&server, "a1").await;
    let listed = server.space.run(&["approve"]).await;
    assert_eq!((listed.code, listed.out.trim()), (Some(0), "a1  open  agent tester: touch made"));
    let shown = server.space.run(&["approve", "a1"]).await;
    assert!(
        shown.out.contains("  $ touch made\n") && shown.out.contains("careful"),
        "{}",
        shown.out
    );
    let answered = server.space.run(&["approve", "a1", "--once"]).await;
    let expected = (Some(0), "a1: approved once by command line\n");
    assert_eq!((answered.code, answered.out.as_str()), expected, "{}", answered.err);
    assert_eq!(end(call).await["success"], true);
    assert!(made(&server));
    let late = server.space.run(&["approve", "a1", "--no"]).await;
    assert_eq!(late.code, Some(4), "{late:?}");
    assert!(late.err.contains("a1 is settled: approved once by command line"), "{}", late.err);
    assert!(late.err.contains("`openspace approve` lists what is open"), "{}", late.err);
    // The record has both: by what the call was let in, and who answered.
    let log = server.space.run(&["audit", "--json"]).await.out;
    let records: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |command: &str| records.iter().find(|one| one["command"] == command).unwrap();
    let bash = of("openspace.workspace.bash");
    assert_eq!(bash["letIn"], "approved once by command line (a1)");
    let answer = of("openspace.approval.answer");
    assert_eq!((&answer["callerKind"], &answer["caller"]), (&json!("person"), &json!("cli")));
}

#[tokio::test]
async fn a_no_at_the_shell_reaches_the_agent_with_its_words() {
    let server = careful().await;
    let agent = server.mcp().await;
    let call = begin(&agent, "touch made").await;
    until_asked(&server, "a1").await;
    server.space.run(&["approve", "a1", "--no", "--message", "Not on Fridays."]).await;
    let told = end(call).await;
    assert_eq!(
        (&told["kind"], &told["error"]),
        (&json!("denied"), &json!("a person said no (command line): Not on Fridays."))
    );
    assert!(!made(&server));
}

#[tokio::test]
async fn the_token_that_agents_hold_is_not_enough() {
    let server = careful().await;
    let agent = server.mcp().await;
    let _call = begin(&agent, "touch made").await;
    until_asked(&server, "a1").await;
    let http = &server.http;
    let once = json!({"approvalId": "a1", "answer": "once"});
    let script =
        |command: &str, args: &Value| http.post(&format!("/api/v1/commands/{command}"), args);
    let refused = script("approval.answer", &once).send().await;
    assert_eq!((refused.status, &refused.json()["kind"]), (403, &json!("denied")));
    assert_eq!(script("approval.list", &json!({})).send().await.status, 200);
    let named = script("approval.answer", &once).header("x-openspace-caller", "browser");
    assert_eq!(named.send().await.status, 403);
    // Nor does it lead to a browser's cookie, which would be.
    for path in ["/api/link", "/api/approvals/a1/link"] {
        assert_eq!(http.post(path, &json!({})).send().await.status, 403, "{path}");
    }
    for (header, value) in [("x-openspace-person", "wrong"), ("x-openspace-person", "")] {
        let forged = script("approval.answer", &once).header(header, value);
        let forged = forged.send().await;
        assert_eq!(forged.status, 401);
        let error = forged.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains("x-openspace-person"), "{error}");
    }
    // The key alone opens nothing.
    let key = server.space.key("person");
    let alone = http.stranger("GET", "/api/state").header("x-openspace-person", &key);
    assert_eq!(alone.send().await.status, 401);
    // As a tool it is refused by a rule.
    for tool in ["approval_answer", "approval_list"] {
        let told = agent.call(tool, once.clone()).await["structuredContent"].clone();
        assert!(["policy", "invalid_args"].contains(&told["kind"].as_str().unwrap()), "{told}");
    }
    let state = agent.result("resources/read", json!({"uri": "openspace://state"})).await;
    assert!(!state["contents"][0]["text"].as_str().unwrap().contains("\"approvals\""));
}

#[tokio::test]
async fn a_page_in_a_browser_answers_and_its_cookie_alone_does_not() {
    let server = careful().await;
    let browser = Browser::enter(&server.http, &server.ready.open).await;
    let agent = server.mcp().await;
    let call = begin(&agent, "touch made").await;
    until_asked(&server, "a1").await;
    let path = "/api/commands/approval.answer";
    let yes = json!({"approvalId": "a1", "answer": "once"}).to_string();
    // As a server of the agent's on this host would, to which the browser has sent it.
    let stolen = browser.with_cookie("POST", path).header("origin", &server.ready.url);
    assert_eq!(stolen.body(yes.clone()).send().await.status, 401);
    assert!(!made(&server));
    let answered = browser.ask("POST", path).body(yes).send().await;
    assert_eq!(answered.status, 200, "{}", answered.text());
    assert_eq!(answered.json()["answered"]["channel"], "browser");
    assert_eq!(end(call).await["success"], true);
    assert!(made(&server));
}

fn form(server: &Server, link: &str, answer: &str) -> Ask {
    let code = link.split_once("code=").unwrap().1;
    server
        .http
        .stranger("POST", "/approve")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("origin", &server.ready.url)
        .body(format!("code={code}&message=On+my+way+%26+back&answer={answer}"))
}

async fn link(server: &Server, id: &str) -> String {
    let made = server.space.run(&["approve", id, "--link"]).await;
    assert!(made.err.contains("listens on this machine only"), "{}", made.err);
    made.out.trim().to_owned()
}

fn page_of(server: &Server, link: &str) -> Ask {
    server.http.stranger("GET", link.strip_prefix(&server.ready.url).unwrap())
}

fn title(page: &Answer) -> String {
    let text = page.text();
    text.split_once("<h1>").unwrap().1.split_once("</h1>").unwrap().0.to_owned()
}

#[tokio::test]
async fn a_link_answers_one_question_once_and_nothing_else() {
    let server = careful().await;
    let agent = server.mcp().await;
    let call = begin(&agent, "touch made '<b>&\"'").await;
    until_asked(&server, "a1").await;
    let link = link(&server, "a1").await;
    let page = page_of(&server, &link).send().await;
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"));
    assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    let text = page.text();
    assert!(text.contains("touch made &#39;&lt;b&gt;&amp;&quot;&#39;"), "{text}");
    assert!(!text.contains("<script") && !text.contains("<b>&\""), "{text}");
    // Who only looks does not use it up.
    assert_eq!(page_of(&server, &link).send().await.status, 200);
    let foreign = form(&server, &link, "once").header("origin", "http://evil.example");
    assert_eq!(foreign.send().await.status, 403);
    let mut without = form(&server, &link, "once");
    without = without.without("origin");
    assert_eq!(without.send().await.status, 403);
    for wrong in ["always", "session", "", "yes"] {
        assert_eq!(form(&server, &link, wrong).send().await.status, 403, "{wrong}");
    }
    let answered = form(&server, &link, "once").send().await;
    assert_eq!(
        (answered.status, title(&answered)),
        (200, "a1: approved once by one-time page".into())
    );
    assert_eq!(end(call).await["success"], true);
    assert!(made(&server));
    let message = until_asked(&server, "a1").await["answered"]["message"].clone();
    assert_eq!(message, "On my way & back");
    for again in [page_of(&server, &link), form(&server, &link, "no")] {
        let again = again.send().await;
        assert_eq!((again.status, title(&again)), (403, "This link is not valid".into()));
    }
    let stranger = server.http.stranger("GET", "/approve?code=00").send().await;
    assert_eq!(stranger.status, 403);
    let settled = server.space.run(&["approve", "a1", "--link"]).await;
    assert_eq!(settled.code, Some(4), "{settled:?}");
}

#[tokio::test]
async fn a_link_to_what_was_answered_elsewhere_says_so() {
    let server = careful().await;
    let agent = server.mcp().await;
    let call = begin(&agent, "touch made").await;
    until_asked(&server, "a1").await;
    let link = link(&server, "a1").await;
    server.space.run(&["approve", "a1", "--no"]).await;
    assert_eq!(end(call).await["kind"], "denied");
    let late = form(&server, &link, "once").send().await;
    assert_eq!((late.status, title(&late)), (200, "a1: denied by command line".into()));
    assert!(!made(&server));
}

#[tokio::test]
async fn a_qr_code_is_printed_beside_its_link() {
    let server = careful().await;
    let agent = server.mcp().await;
    let _call = begin(&agent, "touch made").await;
    until_asked(&server, "a1").await;
    let made = server.space.run(&["approve", "a1", "--link", "--qr"]).await;
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.out.starts_with(&format!("{}/approve?code=", server.ready.url)));
    assert!(made.out.contains('▀') || made.out.contains('█'), "{}", made.out);
}

#[tokio::test]
async fn the_one_time_page_hides_nothing_of_what_is_asked() {
    let server = careful().await;
    let agent = server.mcp().await;
    let line = format!("touch made # \u{202e}{}\u{200b}; <made>", " ".repeat(300));
    let _call = begin(&agent, &line).await;
    until_asked(&server, "a1").await;
    let link = link(&server, "a1").await;
    let page = page_of(&server, &link).send().await.text();
    assert!(page.contains("⟨300 blanks⟩⟨U+200B⟩; &lt;made&gt;"), "{page}");
    assert!(!page.contains('\u{202e}') && !page.contains('\u{200b}'), "{page}");
}

#[tokio::test]
async fn who_watches_is_asked_and_enter_alone_approves_nothing() {
    let server = careful().await;
    let agent = server.mcp().await;
    let out = server.space.folder().join("watched");
    let mut program = server.space.program();
    let output = crate::support::create(&out);
    program.args(["approve", "--watch"]).stdin(Stdio::piped()).stdout(output);
    let mut watching = program.stderr(Stdio::null()).spawn().unwrap();
    let mut keys = watching.stdin.take().unwrap();
    let first = begin(&agent, "touch made").await;
    let shown = |what: &'static str| {
        let out = out.clone();
        eventually(what, move || {
            let text = read(&out);
            async move { text.contains(what).then_some(text) }
        })
    };
    shown("a1: [y]es once").await;
    keys.write_all(b"\n").unwrap();
    let second = begin(&agent, "touch other").await;
    shown("a2: [y]es once").await;
    assert!(!made(&server), "Enter is no answer");
    keys.write_all(b"n not that one\n").unwrap();
    assert_eq!(end(second).await["error"], "a person said no (command line): not that one");
    let third = begin(&agent, "touch third").await;
    shown("a3: [y]es once").await;
    // Answered elsewhere while it is asked here.
    as_person(&server, "answer", &json!({"approvalId": "a3", "answer": "no"})).send().await;
    shown("a3: denied by command line").await;
    end(third).await;
    as_person(&server, "answer", &json!({"approvalId": "a1", "answer": "once"})).send().await;
    assert_eq!(end(first).await["success"], true);
    drop(keys);
    let ended = in_time("the end of the watch", crate::support::ended(&mut watching)).await;
    assert!(ended.success());
}

#[tokio::test]
async fn a_question_outlives_a_server_that_dies_and_one_that_is_stopped() {
    let mut server = careful().await;
    let agent = server.mcp().await;
    let call = begin(&agent, "touch made").await;
    until_asked(&server, "a1").await;
    // What is answered is kept, and with it all that came before.
    server.call("layout.save", json!({"name": "one"})).await;
    drop(call);
    let space = server.kill().await;
    server = Server::start_in(&space, &["--profile", "careful", "--agents-place", "shared"]).await;
    let one = until_asked(&server, "a1").await;
    assert_eq!((&one["state"], &one["waiting"]), (&json!("open"), &json!(false)));
    server.stop().await;
    server = Server::start_in(&space, &["--profile", "careful", "--agents-place", "shared"]).await;
    server.space.run(&["approve", "a1", "--once"]).await;
    let agent = server.mcp().await;
    assert_eq!(end(begin(&agent, "touch made").await).await["success"], true);
    let again = begin(&agent, "touch made").await;
    until_asked(&server, "a2").await;
    // One that stops tells its callers, and takes no question back.
    server.stop().await;
    drop(again);
    server = Server::start_in(&space, &["--profile", "careful", "--agents-place", "shared"]).await;
    assert_eq!(until_asked(&server, "a2").await["state"], "open");
}

#[tokio::test]
async fn nobody_answering_in_time_is_told_as_that() {
    let server = Server::start(&[
        "--profile",
        "careful",
        "--agents-place",
        "shared",
        "--approval-timeout",
        "1",
    ])
    .await;
    let agent = server.mcp().await;
    let told = end(begin(&agent, "touch made").await).await;
    assert_eq!((&told["kind"], &told["approval"]), (&json!("unanswered"), &json!("a1")));
    server.space.run(&["approve", "a1", "--once"]).await;
    assert_eq!(end(begin(&agent, "touch made").await).await["success"], true);
}

#[tokio::test]
async fn without_a_profile_nobody_is_asked() {
    let server = Server::start(&[]).await;
    let agent = server.mcp().await;
    assert_eq!(end(begin(&agent, "touch made").await).await["success"], true);
}

#[tokio::test]
async fn a_word_that_is_no_question_is_told_with_the_next_step() {
    let server = careful().await;
    let wrong = server.space.run(&["approve", "zz"]).await;
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.err.contains("`openspace approve` lists those that wait"), "{}", wrong.err);
    let missing = server.space.run(&["approve", "a9"]).await;
    assert_eq!(missing.code, Some(3), "{missing:?}");
    assert!(missing.err.contains("there is no question a9"), "{}", missing.err);
    // Nobody can answer where the input has ended.
    let mut program = server.space.program();
    program.args(["approve", "--watch"]).stdin(Stdio::null());
    let watched = program.output().unwrap();
    let said = String::from_utf8_lossy(&watched.stderr).into_owned();
    assert!(watched.status.success() && said.contains("The input has ended"), "{said}");
}

#[tokio::test]
async fn what_an_agent_is_called_passes_for_nobody_else() {
    let server = careful().await;
    let agent = Mcp::connect_as(&server.http, "/mcp", "cli", json!({})).await;
    let _call = begin(&agent, "touch made # \u{202e}x").await;
    until_asked(&server, "a1").await;
    let listed = server.space.run(&["approve"]).await.out;
    assert!(listed.starts_with("a1  open  agent cli: touch made # "), "{listed}");
    agent.call("pane_list", json!({})).await;
    agent.call("workspace_read", json!({"file_path": "a\u{202e}txt.exe\u{1b}[2J"})).await;
    let log = server.space.run(&["audit"]).await.out;
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[0].contains("  kind    caller  "), "{log}");
    assert!(lines.iter().any(|line| line.contains("  agent   agent cli  ")), "{log}");
    assert!(log.contains("⟨U+202E⟩") && !log.contains(['\u{202e}', '\u{1b}']), "{log}");
}

#[tokio::test]
async fn who_agrees_to_a_client_that_was_never_here_is_told_so() {
    let server = careful().await;
    let _agent = server.mcp().await;
    let given = server.space.run(&["consent", "give", "nobdy"]).await;
    assert_eq!(given.code, Some(0), "{given:?}");
    assert!(given.out.contains("no client of that name was here yet"), "{}", given.out);
    assert!(
        given.out.contains("tester") && given.out.contains("consent revoke nobdy"),
        "{}",
        given.out
    );
    let given = server.space.run(&["consent", "give", "tester"]).await;
    assert_eq!(given.out.trim(), "tester: agreed to; it may do more than look");
}

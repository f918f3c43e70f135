//! Language servers for pages, over the real WebSocket, with a scripted server at the other end; a real one is in
//! `languages/real.rs`.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Server, Socket, Space, write};

mod edits;
mod real;

const SCRIPT: &str = include_str!("../../../workspace/tests/it/code/server.py");
const WIDGET: &str = "class Widget\n  def area\nuse Widget\nboom\nsilence\nlibrary\nsettings\n";

/// A page with what it said and was told.
struct Page {
    socket: Socket,
    /// How servers were when it came.
    first: Value,
    last: u64,
}

impl Page {
    async fn open(server: &Server) -> Self {
        let mut socket = Socket::open(&server.http, "/api/languages").await;
        let first = socket.json().await;
        assert_eq!(first["type"], "servers");
        let kinds = socket.json().await;
        let toml = |kind: &Value| kind["id"] == "toml" && kind["extensions"] == json!([".toml"]);
        assert!(kinds["kinds"].as_array().unwrap().iter().any(toml), "{kinds}");
        Self { socket, first, last: 0 }
    }

    /// One that shows `a.tst`, when the scripted server is ready.
    async fn showing(server: &Server) -> Self {
        let mut page = Self::open(server).await;
        page.say(json!({"type": "shown", "paths": ["a.tst"]})).await;
        if page.first["servers"][0]["state"] != "ready" {
            page.server("ready").await;
        }
        page
    }

    async fn say(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).await;
    }

    /// How the scripted server is, as soon as it is so.
    async fn server(&mut self, state: &str) -> Value {
        let is = |told: &Value| told["type"] == "servers" && told["servers"][0]["state"] == state;
        self.socket.find(state, is).await["servers"][0].clone()
    }

    /// The same of one of its processes.
    async fn process(&mut self, generation: u64, state: &str) {
        let is = |told: &Value| {
            let server = &told["servers"][0];
            server["state"] == state && server["generation"] == generation
        };
        self.socket.find(state, is).await;
    }

    /// Ask without waiting; the number of the question.
    async fn begin(&mut self, mut question: Value) -> u64 {
        self.last += 1;
        question["type"] = json!("ask");
        question["id"] = json!(self.last);
        self.say(question).await;
        self.last
    }

    async fn end(&mut self, id: u64) -> Value {
        let is = |told: &Value| {
            (told["type"] == "answer" || told["type"] == "failed") && told["id"] == id
        };
        self.socket.find("an answer", is).await
    }

    async fn ask(&mut self, question: Value) -> Value {
        let id = self.begin(question).await;
        self.end(id).await
    }

    /// The one answer to a question.
    async fn answer(&mut self, question: Value) -> Value {
        let told = self.ask(question).await;
        assert_eq!(told["answers"].as_array().map(Vec::len), Some(1), "{told}");
        told["answers"][0].clone()
    }

    async fn failure(&mut self, question: Value) -> String {
        let told = self.ask(question).await;
        assert_eq!(told["type"], "failed", "{told}");
        told["kind"].as_str().unwrap().to_owned()
    }
}

/// The hash by which a page names a text.
fn hash(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// A question about a place in `a.tst`.
fn at(method: &str, line: u32, character: u32) -> Value {
    let position = json!({"line": line, "character": character});
    json!({"method": format!("textDocument/{method}"), "path": "a.tst", "text": {"hash": hash(WIDGET)},
        "params": {"position": position}})
}

fn space() -> Space {
    let space = Space::new();
    let script = space.folder().join("server.py");
    write(&script, SCRIPT);
    let own = format!(
        "[[language]]\nid = 'tester'\nextensions = ['tst']\n[[server]]\nid = 'tester'\nname = 'Tester'\n\
         languages = ['tester']\ncommand = ['/usr/bin/python3', '{}']\nready = 'server_status'\n",
        script.display()
    );
    let list = space.home().join(".config/openspace/languages.toml");
    std::fs::create_dir_all(list.parent().unwrap()).unwrap();
    write(&list, &own);
    space.file("a.tst", WIDGET);
    space
}

/// Nothing confines programs, so that servers start only after a yes; how they are behind walls is in
/// `confined/languages.rs`.
const NOT_CONFINED: [&str; 2] = ["--runner", "/no/runner"];

/// A server whose person lets language servers run.
async fn trusting(space: &Space) -> Server {
    let server = Server::start_in(space, &NOT_CONFINED).await;
    let trusted = space.run(&["code", "trust"]).await;
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    server
}

#[tokio::test]
async fn a_server_starts_when_its_file_is_shown_and_says_what_it_can() {
    let space = space();
    let server = Server::start_in(&space, &NOT_CONFINED).await;
    let mut page = Page::open(&server).await;
    page.say(json!({"type": "shown", "paths": ["a.tst"]})).await;
    let missing = page.socket.find("what is missing", |told| told["absent"] != json!([])).await;
    let of = json!({"id": "tester", "name": "Tester", "why": "notConfined"});
    let absent = json!([{"language": "tester", "servers": [of], "paths": ["a.tst"]}]);
    assert_eq!((&missing["absent"], &missing["servers"]), (&absent, &json!([])));
    assert_eq!(page.failure(at("hover", 0, 7)).await, "denied");

    let trusted = space.run(&["code", "trust"]).await;
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    let mut told = page.server("ready").await;
    let abilities = told["abilities"].take();
    let expected = json!({
        "id": "tester", "server": "tester", "name": "Tester", "root": "", "languages": ["tester"], "state": "ready",
        "memory": told["memory"], "foundIn": "settings", "generation": 1, "abilities": null,
    });
    assert_eq!(told, expected);
    let completion = json!({"resolveProvider": true, "triggerCharacters": ["."]});
    assert_eq!(abilities["textDocument/completion"], completion, "{abilities}");
    assert_eq!(abilities["textDocument/hover"], json!(true));
    assert_eq!(abilities["workspace/executeCommand"], json!({"commands": ["mend", "tell"]}));

    let definition = page.answer(at("definition", 2, 5)).await;
    let range = json!({"start": {"line": 0, "character": 6}, "end": {"line": 0, "character": 12}});
    let expected = json!({"server": "tester", "generation": 1, "complete": true,
        "value": [{"uri": "workspace:/a.tst", "range": range}]});
    assert_eq!(definition, expected);
}

#[tokio::test]
async fn two_pages_ask_one_server_and_what_each_does_not_want_is_its_own() {
    let space = space();
    let server = trusting(&space).await;
    let (mut one, mut other) = (Page::showing(&server).await, Page::showing(&server).await);
    let (silent, silent_too) =
        (one.begin(at("hover", 4, 1)).await, other.begin(at("hover", 4, 1)).await);
    for page in [&mut one, &mut other] {
        let hover = page.answer(at("hover", 0, 7)).await;
        assert_eq!(hover["value"]["contents"]["value"], json!("**Widget** of 1 files"));
    }
    // A number that is taken is taken; one that was given back is free.
    let mut again = at("hover", 0, 7);
    again["type"] = json!("ask");
    again["id"] = json!(silent);
    one.say(again.clone()).await;
    assert_eq!(one.end(silent).await["kind"], "invalidArgs");
    one.say(json!({"type": "cancel", "id": silent})).await;
    one.say(again).await;
    assert_eq!(one.end(silent).await["type"], "answer");
    // The other one's question is still asked.
    let mut taken = at("hover", 0, 7);
    taken["type"] = json!("ask");
    taken["id"] = json!(silent_too);
    other.say(taken).await;
    assert_eq!(other.end(silent_too).await["kind"], "invalidArgs");
    let servers = server.call("code.servers", json!({})).await;
    assert_eq!(servers["servers"].as_array().map(Vec::len), Some(1));
    one.socket.close().await;
    let hover = other.answer(at("hover", 0, 7)).await;
    assert_eq!(hover["generation"], 1);
}

#[tokio::test]
async fn an_answer_is_about_the_text_that_the_page_shows_or_there_is_none() {
    let space = space();
    let server = trusting(&space).await;
    let mut page = Page::showing(&server).await;
    let mut older = at("hover", 0, 7);
    older["text"] = json!({"hash": hash("class Older\n")});
    assert_eq!(page.failure(older).await, "stale");
    let mut typed = at("hover", 0, 7);
    typed["text"] = json!({"version": 1});
    assert_eq!(page.failure(typed.clone()).await, "stale");
    let mut buffers = Socket::open(&server.http, "/api/buffers").await;
    let text = WIDGET.replace("Widget", "Gadget");
    let open = json!({"type": "open", "path": "a.tst", "base": WIDGET, "text": text});
    buffers.send(Message::text(open.to_string())).await;
    assert_eq!(buffers.json().await["type"], "opened");
    let hover = page.answer(typed.clone()).await;
    assert_eq!(hover["value"]["contents"]["value"], json!("**Gadget** of 1 files"));
    assert_eq!(page.failure(at("hover", 0, 7)).await, "stale");
    typed["text"] = json!({"hash": hash(&text)});
    assert_eq!(page.answer(typed).await["complete"], true);
}

#[tokio::test]
async fn what_a_server_gave_belongs_to_its_process_alone() {
    let space = space();
    let server = trusting(&space).await;
    let mut page = Page::showing(&server).await;
    let answer = page.answer(at("completion", 2, 4)).await;
    let item = answer["value"][1].clone();
    assert_eq!(item["label"], Value::Null);
    let item = answer["value"][0].clone();
    assert_eq!(
        item["data"]["uri"],
        json!(format!("file://{}", space.root().join("a.tst").display()))
    );
    let resolve = |generation: u64| {
        json!({"method": "completionItem/resolve", "params": item, "server": "tester",
            "generation": generation})
    };
    assert_eq!(page.answer(resolve(1)).await["value"]["detail"], "mine");
    assert_eq!(
        page.failure(json!({"method": "completionItem/resolve", "params": item})).await,
        "invalidArgs"
    );
    // It ends in the middle of a question, and is started again by itself.
    page.begin(at("hover", 4, 1)).await;
    page.begin(at("hover", 3, 1)).await;
    for _ in 0..2 {
        let failed = page.socket.find("a failure", |told| told["type"] == "failed").await;
        assert_eq!(failed["kind"], "lost", "{failed}");
    }
    page.process(2, "ready").await;
    assert_eq!(page.failure(resolve(1)).await, "stale");
    assert_eq!(page.answer(at("hover", 0, 7)).await["generation"], 2);
}

#[tokio::test]
async fn a_server_that_is_killed_is_there_again_for_its_pages() {
    let space = space();
    let server = trusting(&space).await;
    let mut page = Page::showing(&server).await;
    let silent = page.begin(at("hover", 4, 1)).await;
    // Asked about behind it: now the first question is with the server.
    page.answer(at("hover", 0, 7)).await;
    let listed = server.call("code.servers", json!({})).await;
    let pid = i32::try_from(listed["servers"][0]["pid"].as_u64().unwrap()).unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    assert_eq!(page.end(silent).await["kind"], "lost");
    page.process(2, "ready").await;
    // One that the person stopped stays so, whatever pages ask.
    server.call("code.stop", json!({"server": "tester"})).await;
    page.process(2, "stopped").await;
    assert_eq!(page.failure(at("hover", 0, 7)).await, "unsupported");
    server.call("code.restart", json!({"server": "tester"})).await;
    page.process(3, "ready").await;
}

#[tokio::test]
async fn a_page_says_what_it_likes_and_only_what_is_understood_is_done() {
    let space = space();
    space.file(".env", "TOKEN=hidden");
    space.file(".env.tst", "class Secret\n");
    let server = trusting(&space).await;
    let mut page = Page::showing(&server).await;
    for nonsense in [
        json!("x"),
        json!({"type": "fly"}),
        json!({"type": "shown", "paths": vec!["a.tst"; 101]}),
        json!({"type": "shown", "paths": ["../a.tst"]}),
        json!({"type": "ask", "id": 1}),
        json!({"type": "ask", "id": 1, "method": "textDocument/hover", "params": []}),
    ] {
        page.say(nonsense.clone()).await;
        let told = page.socket.find("an error", |told| told["type"] == "error").await;
        assert_eq!(told["kind"], "invalid_args", "{nonsense}");
    }
    page.socket.send(Message::binary(vec![1, 2])).await;
    let told = page.socket.find("an error", |told| told["type"] == "error").await;
    assert_eq!(told["error"], "messages are JSON texts");
    for method in ["shutdown", "textDocument/didChange", "workspace/didChangeConfiguration", "x"] {
        assert_eq!(page.failure(json!({"method": method, "path": "a.tst"})).await, "invalidArgs");
    }
    let item = |uri: &str| {
        json!({"method": "callHierarchy/incomingCalls", "server": "tester", "generation": 1,
            "params": {"item": {"uri": uri}}})
    };
    for uri in ["file:///etc/passwd", "openspace-source:/etc/passwd", "workspace:/../x"] {
        assert_eq!(page.failure(item(uri)).await, "invalidArgs", "{uri}");
    }
    assert_eq!(page.failure(json!({"method": "textDocument/hover"})).await, "invalidArgs");
    let mut secret = at("hover", 0, 7);
    secret["path"] = json!(".env.tst");
    assert_eq!(page.failure(secret).await, "denied");
    // More than may wait is refused at once, and giving up makes room.
    let silent: Vec<u64> = {
        let mut silent = Vec::new();
        for _ in 0..32 {
            silent.push(page.begin(at("hover", 4, 1)).await);
        }
        silent
    };
    assert_eq!(page.failure(at("hover", 0, 7)).await, "busy");
    for id in silent {
        page.say(json!({"type": "cancel", "id": id})).await;
    }
    assert_eq!(page.answer(at("hover", 0, 7)).await["complete"], true);
    // What no server named is nobody's to read.
    let source = "/api/languages/source?path=/etc/passwd";
    assert_eq!(server.http.get(source).send().await.status, 404);
}

#[tokio::test]
async fn strangers_are_not_let_in() {
    let space = space();
    let server = Server::start_in(&space, &[]).await;
    let mut stranger = server.http.clone();
    stranger.token = "wrong".into();
    for path in ["/api/languages", "/api/languages/source?path=/x"] {
        assert_eq!(Socket::try_open(&stranger, path).await.err(), Some(401), "{path}");
    }
    let elsewhere = server.http.get("/api/languages").header("origin", "http://elsewhere.test");
    assert_eq!(elsewhere.send().await.status, 403);
}

#[tokio::test]
async fn a_file_elsewhere_is_read_when_a_server_named_it() {
    let space = space();
    let server = trusting(&space).await;
    let mut page = Page::showing(&server).await;
    let found = page.answer(at("definition", 5, 1)).await;
    let uri = found["value"][0]["uri"].as_str().unwrap().to_owned();
    let path = uri.strip_prefix("openspace-source:").unwrap();
    assert!(path.starts_with('/') && path.ends_with("/os.py"), "{uri}");
    let read = server.http.get(&format!("/api/languages/source?path={path}")).send().await;
    assert_eq!(read.status, 200, "{}", read.text());
    assert!(read.text().contains("import"), "{}", read.text());
    assert_eq!(read.header("content-type"), Some("application/octet-stream"));
}

#[tokio::test]
async fn what_the_person_sets_reaches_servers_that_run() {
    let space = space();
    let server = trusting(&space).await;
    let mut page = Page::showing(&server).await;
    let settings = |text: Value| {
        let put = server.http.ask("PUT", "/api/user-data/settings.json").body(text.to_string());
        async move { assert_eq!(put.send().await.status, 200) }
    };
    settings(json!({"languages.settings": {"tester": {"tester.colour": "red"}}})).await;
    // Whoever notices first that the file changed tells the server.
    let red = json!(r#"{"tester": {"colour": "red"}}"#);
    while page.answer(at("hover", 6, 1)).await["value"]["contents"] != red {}
    settings(json!({"languages.servers": {"tester": false}})).await;
    page.process(1, "stopped").await;
    assert_eq!(page.failure(at("hover", 0, 7)).await, "unsupported");
    settings(json!({})).await;
    page.process(2, "ready").await;
    assert_eq!(page.answer(at("hover", 0, 7)).await["generation"], 2);
}

#[tokio::test]
async fn a_server_that_talks_much_is_told_in_pieces() {
    let space = space();
    let server = trusting(&space).await;
    let (mut page, mut other) = (Page::showing(&server).await, Page::showing(&server).await);
    let execute = json!({"method": "workspace/executeCommand", "server": "tester", "generation": 1,
        "params": {"command": "tell"}});
    for _ in 0..8 {
        page.answer(execute.clone()).await;
    }
    let asked = other.begin(at("hover", 0, 7)).await;
    let mut notices = 0;
    loop {
        let told = other.socket.json().await;
        notices += usize::from(told["type"] == "notice");
        if told["id"] == asked {
            break;
        }
    }
    assert_eq!(notices, 5);
}

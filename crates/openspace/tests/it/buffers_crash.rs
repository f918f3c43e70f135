//! What was typed survives a server that is killed, to the last character and each once.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Server, Socket};

const PATH: &str = "a.txt";
/// As often as the server is killed between two keys.
const KILLS: u64 = 200;

/// What a page knows of the text: what the server told it, and one edit that has no answer.
struct Page {
    name: &'static str,
    version: u64,
    text: String,
    /// The number of the edit, and what it appends.
    on_its_way: Option<(u64, String)>,
    edits: u64,
}

impl Page {
    fn new(name: &'static str, text: &str) -> Self {
        Self { name, version: 1, text: text.to_owned(), on_its_way: None, edits: 0 }
    }

    fn edit(&mut self, typed: &str) -> Value {
        self.edits += 1;
        self.on_its_way = Some((self.edits, typed.to_owned()));
        let end = self.text.encode_utf16().count();
        json!({
            "type": "edit", "path": PATH, "version": self.version,
            "edits": [{"start": end, "end": end, "text": typed}],
            "edit": {"page": self.name, "number": self.edits},
        })
    }

    /// Join again; what the server does not have is given back to be typed again.
    async fn attach(&mut self, socket: &mut Socket) -> Option<String> {
        let mut attach = json!({"type": "attach", "path": PATH});
        let on_its_way = self.on_its_way.take();
        if let Some((number, _)) = &on_its_way {
            attach["unsure"] = json!({"page": self.name, "number": number});
        }
        say(socket, &attach).await;
        let opened = answer(socket).await;
        assert_eq!(opened["type"], "opened", "{opened}");
        let (Some(text), Some(version)) = (opened["text"].as_str(), opened["version"].as_u64())
        else {
            panic!("not how a text is opened: {opened}");
        };
        let kept = text.starts_with(&self.text);
        assert!(kept, "the server told of `{}` and came back with `{text}`", self.text);
        self.version = version;
        text.clone_into(&mut self.text);
        let is_made = opened["made"].as_bool().unwrap_or_default();
        on_its_way.filter(|_| !is_made).map(|(_, typed)| typed)
    }
}

async fn say(socket: &mut Socket, message: &Value) {
    socket.send(Message::text(message.to_string())).await;
}

/// The next answer; what others did is in the text that is asked for next.
async fn answer(socket: &mut Socket) -> Value {
    loop {
        let told = socket.json().await;
        if told["type"] != "changed" {
            return told;
        }
    }
}

#[tokio::test]
async fn two_hundred_kills_between_keys_cost_no_key_and_double_none() {
    let mut server = Server::start(&[]).await;
    server.space.file(PATH, "");
    let mut pages = [Page::new("left", "first"), Page::new("right", "first")];
    let mut socket = Socket::open(&server.http, "/api/buffers").await;
    say(&mut socket, &json!({"type": "open", "path": PATH, "base": "", "text": "first"})).await;
    assert_eq!(answer(&mut socket).await["type"], "opened");
    let mut typed: Vec<String> = Vec::new();
    for kill in 0..KILLS {
        let turn = usize::from(kill % 2 == 1);
        let page = &mut pages[turn];
        let mut socket = Socket::open(&server.http, "/api/buffers").await;
        let again = page.attach(&mut socket).await;
        let word = format!(" {}{kill}", page.name);
        typed.push(word.clone());
        let edit = page.edit(&format!("{}{word}", again.unwrap_or_default()));
        say(&mut socket, &edit).await;
        // Each third kill comes before the answer, so nobody knows whether the edit was made.
        if kill % 3 != 0 {
            let accepted = answer(&mut socket).await;
            let expected = json!({"type": "accepted", "path": PATH, "version": page.version + 1});
            assert_eq!(accepted, expected);
            page.version += 1;
            let (_, added) = page.on_its_way.take().unwrap();
            page.text.push_str(&added);
        }
        let space = server.kill().await;
        server = Server::start_in(&space, &[]).await;
    }
    for page in &mut pages {
        let mut socket = Socket::open(&server.http, "/api/buffers").await;
        if let Some(left) = page.attach(&mut socket).await {
            let edit = page.edit(&left);
            say(&mut socket, &edit).await;
            assert_eq!(answer(&mut socket).await["type"], "accepted");
        }
    }
    let read = server.call("editor.read_file", json!({"path": PATH})).await;
    let text = read["content"].as_str().unwrap().to_owned();
    let mut found: Vec<&str> = text.strip_prefix("first").unwrap().split(' ').skip(1).collect();
    let mut expected: Vec<&str> = typed.iter().map(|word| word.trim_start()).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

//! Files over HTTP: what an editor reads and saves, and who may see secrets.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{self, Answer, Ask, Server, bytes, git};

/// A person's browser.
struct Browser(support::Browser);

impl Browser {
    async fn enter(server: &Server) -> Self {
        Self(support::Browser::enter(&server.http, &server.ready.open).await)
    }

    fn ask(&self, method: &str, path: &str) -> Ask {
        self.0.ask(method, path)
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path).send().await
    }

    async fn save(&self, arguments: Value) -> Answer {
        self.ask("POST", "/api/commands/file.save").body(arguments.to_string()).send().await
    }
}

#[tokio::test]
async fn what_was_saved_is_read_byte_for_byte() {
    let server = Server::start(&[]).await;
    let browser = Browser::enter(&server).await;
    let saved = browser.save(json!({"path": "a b/ü.bin", "base64": "AP+ADQo="}));
    let mut saved = saved.await.json();
    let content = browser.get("/api/files/content?path=a%20b/%C3%BC.bin").await;
    assert_eq!(content.status, 200);
    assert_eq!(content.header("content-type"), Some("application/octet-stream"));
    assert_eq!(content.body[..], [0, 255, 128, 13, 10]);
    assert_eq!(content.header("x-openspace-token"), saved["token"].as_str());
    let mut stat = browser.get("/api/files/stat?path=a%20b/%C3%BC.bin").await.json();
    assert!(stat["ctimeMs"].take().is_i64());
    let expected = json!({
        "kind": "file", "size": 5, "mtimeMs": saved["mtimeMs"], "ctimeMs": null,
        "token": saved["token"], "readonly": false, "link": false,
    });
    assert_eq!(stat, expected);
    assert!(saved["mtimeMs"].take().is_i64() && saved["token"].take().is_string());
    assert!(saved["hash"].take().is_string());
    let expected = json!({
        "success": true, "path": "a b/ü.bin", "token": null, "mtimeMs": null, "size": 5,
        "hash": null, "created": true,
    });
    assert_eq!(saved, expected);
}

#[tokio::test]
async fn a_save_over_what_somebody_else_wrote_is_a_conflict() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\n");
    let browser = Browser::enter(&server).await;
    let read = browser.get("/api/files/content?path=a.txt").await;
    let token = read.header("x-openspace-token").unwrap().to_owned();
    server.call("file.write", json!({"path": "a.txt", "content": "by the agent\n"})).await;
    let save = json!({"path": "a.txt", "content": "mine\n", "expectedToken": token});
    let refused = browser.save(save).await;
    let expected = json!({
        "success": false, "kind": "conflict", "error": "`a.txt` has changed since it was read",
        "hint": "read it again; a save without expectedToken replaces what is there",
    });
    assert_eq!((refused.status, refused.json()), (409, expected));
    let kept = bytes(&server.space.root().join("a.txt"));
    assert_eq!(kept.as_deref(), Some(&b"by the agent\n"[..]));
}

#[tokio::test]
async fn secrets_are_for_the_persons_page_and_neither_for_the_token_nor_for_the_cookie_alone() {
    let server = Server::start(&[]).await;
    server.space.file(".env", "KEY=1\n");
    git(&server.space.root(), &["init", "--quiet"]);
    git(&server.space.root(), &["add", "--force", ".env"]);
    let browser = Browser::enter(&server).await;
    for query in ["path=.env", "path=.env&revision=index"] {
        let path = format!("/api/files/content?{query}");
        let shown = browser.get(&path).await;
        assert_eq!((shown.status, shown.text().as_str()), (200, "KEY=1\n"), "{query}");
        for ask in [server.http.get(&path), browser.0.with_cookie("GET", &path)] {
            let refused = ask.send().await;
            let told = (refused.status, refused.json()["kind"].clone());
            assert_eq!(told, (403, json!("denied")), "{query}");
        }
    }
    let stat = "/api/files/stat?path=.env";
    assert_eq!(browser.get(stat).await.json()["readonly"], false);
    assert_eq!(server.http.get(stat).send().await.json()["readonly"], true);

    let save = json!({"path": ".env", "content": "KEY=2\n"});
    let refused = server.http.post("/api/commands/file.save", &save).send().await;
    assert_eq!((refused.status, &refused.json()["kind"]), (403, &json!("denied")));
    assert_eq!(browser.save(save).await.status, 200);
    let kept = bytes(&server.space.root().join(".env"));
    assert_eq!(kept.as_deref(), Some(&b"KEY=2\n"[..]));
    let save = json!({"path": ".git/config", "content": ""});
    assert_eq!(browser.save(save).await.status, 403, "protected for all");
}

#[tokio::test]
async fn a_file_is_shown_as_git_has_it() {
    let server = Server::start(&[]).await;
    let root = server.space.root();
    server.space.file("a.txt", "committed\n");
    git(&root, &["init", "--quiet"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "--quiet", "--message", "first"]);
    server.space.file("a.txt", "staged\n");
    git(&root, &["add", "."]);
    server.space.file("a.txt", "on disk\n");
    for (query, expected) in
        [("", "on disk\n"), ("&revision=index", "staged\n"), ("&revision=HEAD", "committed\n")]
    {
        let path = format!("/api/files/content?path=a.txt{query}");
        let shown = server.http.get(&path).send().await;
        assert_eq!((shown.status, shown.text().as_str()), (200, expected));
        assert_eq!(shown.header("x-openspace-token").is_some(), query.is_empty());
    }
    server.space.file("new.txt", "");
    let missing = server.http.get("/api/files/content?path=new.txt&revision=HEAD").send().await;
    assert_eq!((missing.status, missing.text().as_str()), (204, ""), "not there is an answer");
}

#[tokio::test]
async fn what_is_not_there_or_outside_is_refused_in_our_words() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "");
    let missing = server.http.get("/api/files/list?path=missing").send().await;
    assert_eq!((missing.status, missing.text().as_str()), (204, ""), "not there is an answer");
    for (path, status, kind) in [
        ("/api/files/list?path=a.txt", 400, "invalid_args"),
        ("/api/files/content?path=missing", 404, "not_found"),
        ("/api/files/content?path=", 400, "invalid_args"),
        ("/api/files/content?path=../x", 400, "invalid_args"),
        ("/api/files/content?path=/etc/passwd", 403, "denied"),
        ("/api/files/content?path=a.txt&revision=HEAD", 404, "not_found"),
        ("/api/files/stat", 400, "invalid_args"),
    ] {
        let refused = server.http.get(path).send().await;
        let body = refused.json();
        assert_eq!((refused.status, &body["kind"]), (status, &json!(kind)), "{path}: {body}");
        assert_eq!(body["success"], false);
    }
    // Views ask for many files that do not exist: that is an answer and no failed request.
    let missing = server.http.get("/api/files/stat?path=missing").send().await;
    assert_eq!((missing.status, missing.json()), (200, json!({"kind": "missing"})));
}

#[tokio::test]
async fn a_folder_shows_every_name() {
    let server = Server::start(&[]).await;
    for path in [".gitignore", "target/out", ".hidden", "b.txt"] {
        server.space.file(path, "target\n");
    }
    std::os::unix::fs::symlink("target", server.space.root().join("link")).unwrap();
    let entry =
        |name: &str, kind: &str, link: bool| json!({"name": name, "kind": kind, "link": link});
    let expected = json!({"truncated": false, "entries": [
        entry(".gitignore", "file", false), entry(".hidden", "file", false),
        entry("b.txt", "file", false), entry("link", "folder", true),
        entry("target", "folder", false),
    ]});
    assert_eq!(server.http.get("/api/files/list?path=").send().await.json(), expected);
}

#[tokio::test]
async fn a_folder_with_too_many_names_shows_the_first_of_them() {
    let server = Server::start(&[]).await;
    let root = server.space.root();
    // The order in which they are made is not the order of their names.
    let name = |number: usize| format!("{:05}", number * 7 % 20_003);
    for number in 0..20_003 {
        std::fs::File::create_new(root.join(name(number))).unwrap();
    }
    let listed = server.http.get("/api/files/list?path=").send().await.json();
    let entries = listed["entries"].as_array().unwrap();
    let names: Vec<&str> = entries.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    let expected: Vec<String> = (0..20_000).map(|number| format!("{number:05}")).collect();
    assert!(names == expected, "{:?} to {:?}", names.first(), names.last());
    assert_eq!(listed["truncated"], true);
}

/// So many zeros in base64.
fn zeros(count: usize) -> String {
    let rest = ["", "AA==", "AAA="][count % 3];
    format!("{}{rest}", "AAAA".repeat(count / 3))
}

#[tokio::test]
async fn what_can_be_read_whole_can_be_saved_and_what_is_larger_is_told_the_limit() {
    const LIMIT: usize = 64 * 1024 * 1024;
    let server = Server::start(&[]).await;
    let browser = Browser::enter(&server).await;
    let saved = browser.save(json!({"path": "large.bin", "base64": zeros(LIMIT)})).await;
    assert_eq!((saved.status, &saved.json()["size"]), (200, &json!(LIMIT)));
    let read = browser.get("/api/files/content?path=large.bin").await;
    assert!(read.body.len() == LIMIT && read.body.iter().all(|byte| *byte == 0));

    let refused = browser.save(json!({"path": "more.bin", "base64": zeros(LIMIT + 1)})).await;
    let error = format!("`more.bin` has {} bytes, and the limit is {LIMIT}", LIMIT + 1);
    let told = refused.json();
    assert_eq!((&told["kind"], &told["error"]), (&json!("unsupported"), &json!(error)));
    assert!(!server.space.root().join("more.bin").exists());

    let flood = vec![b' '; 2 * LIMIT + 1024 * 1024 + 1];
    let refused = browser.ask("POST", "/api/commands/file.save").body(flood).send().await;
    let expected = json!({
        "success": false, "kind": "invalid_args",
        "error": "the body is larger than 135266304 bytes; a file has at most 67108864 bytes",
        "hint": "write larger files in a terminal",
    });
    assert_eq!((refused.status, refused.json()), (413, expected));
}

#[tokio::test]
async fn a_person_opens_a_secret_file_and_who_has_the_token_does_not() {
    let server = Server::start(&[]).await;
    server.space.file(".env", "KEY=1\n");
    let browser = Browser::enter(&server).await;
    for (command, arguments) in [
        ("editor.open", json!({"path": ".env", "line": 1})),
        ("pane.open", json!({"type": "editor", "contentId": ".env"})),
    ] {
        let path = format!("/api/commands/{command}");
        let refused = server.http.post(&path, &arguments).send().await;
        assert_eq!((refused.status, &refused.json()["kind"]), (403, &json!("denied")));
        let opened = browser.ask("POST", &path).body(arguments.to_string()).send().await;
        assert_eq!(opened.status, 200, "{command}: {}", opened.text());
    }
}

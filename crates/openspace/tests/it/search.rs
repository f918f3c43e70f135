//! Searching over HTTP, as the search view and the quick open of a browser do.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Answer, Server, Socket, Space, eventually, write};

async fn server() -> Server {
    let space = Space::new();
    let files = [
        (".gitignore", "target\n"),
        ("target/out.rs", "let needle = 1;\n"),
        (".env", "needle\n"),
        ("src/main.rs", "// \u{1f600} needle\nNEEDLE needles\n"),
        ("src/lib.rs", "pub fn haystack() {\n}\n"),
        ("docs/needle.md", "nothing\n"),
    ];
    for folder in ["target", "src", "docs", "many"] {
        std::fs::create_dir(space.root().join(folder)).unwrap();
    }
    for (path, content) in files {
        write(&space.root().join(path), content);
    }
    Server::start_in(&space, &[]).await
}

fn lines(answer: &Answer) -> Vec<Value> {
    answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn found(server: &Server, body: Value) -> Vec<Value> {
    let answer = server.http.post("/api/search/text", &body).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    lines(&answer)
}

fn range(line: u64, start: u64, end: u64) -> Value {
    json!({"startLine": line, "startColumn": start, "endLine": line, "endColumn": end})
}

#[tokio::test]
async fn matches_come_line_by_line_with_their_places() {
    let server = server().await;
    let first = json!({"line": 1, "text": "// \u{1f600} needle", "ranges": [range(1, 7, 13)]});
    let second = json!({
        "line": 2, "text": "NEEDLE needles", "ranges": [range(2, 1, 7), range(2, 8, 14)],
    });
    let done = json!({"done": true, "limitHit": false, "files": 1, "matches": 3});
    let all = found(&server, json!({"pattern": "needle"})).await;
    assert_eq!(all, [json!({"path": "src/main.rs", "matches": [first, second]}), done]);

    let exact = json!({
        "pattern": "n[e]{2}dle", "regex": true, "caseSensitive": true, "wholeWord": true,
        "multiline": false, "include": ["src/**", "docs"], "exclude": ["*.md"],
        "useIgnoreFiles": false, "limit": 10,
    });
    let done = json!({"done": true, "limitHit": false, "files": 1, "matches": 1});
    let only = json!({"path": "src/main.rs", "matches": [first]});
    assert_eq!(found(&server, exact).await, [only, done]);

    let ignored = json!({"pattern": "let needle", "useIgnoreFiles": false});
    assert_eq!(found(&server, ignored).await[0]["path"], "target/out.rs");
    let spanning = json!({"pattern": "\\{\\n\\}", "regex": true, "multiline": true});
    let place = json!({"startLine": 1, "startColumn": 19, "endLine": 2, "endColumn": 2});
    assert_eq!(found(&server, spanning).await[0]["matches"][0]["ranges"], json!([place]));
    let limited = found(&server, json!({"pattern": "needle", "limit": 2})).await;
    let done = json!({"done": true, "limitHit": true, "files": 1, "matches": 2});
    assert_eq!(limited.last(), Some(&done));
    let nothing = found(&server, json!({"pattern": "nowhere"})).await;
    assert_eq!(nothing, [json!({"done": true, "limitHit": false, "files": 0, "matches": 0})]);
}

#[tokio::test]
async fn a_search_that_cannot_be_done_is_refused_like_any_call() {
    let server = server().await;
    for (path, body, error) in [
        ("text", json!({"pattern": ""}), "argument `pattern` is empty"),
        ("text", json!({"pattern": "a", "limit": 0}), "argument `limit`: from 1 to 100000"),
        (
            "text",
            json!({"pattern": "a\nb"}),
            "the pattern `a\nb` contains an end of line, which needs `multiline`",
        ),
        (
            "text",
            json!({"pattern": "a", "include": ["[z-a]"]}),
            "the pattern `[z-a]` cannot be used: invalid range; 'z' > 'a'",
        ),
        ("files", json!({"limit": 20_001}), "argument `limit`: from 1 to 20000"),
    ] {
        let answer = server.http.post(&format!("/api/search/{path}"), &body).send().await;
        let failure = answer.json();
        assert_eq!((answer.status, &failure["kind"]), (400, &json!("invalid_args")), "{failure}");
        assert_eq!((&failure["error"], &failure["success"]), (&json!(error), &json!(false)));
    }
    let stranger = server.http.stranger("POST", "/api/search/text").send().await;
    assert_eq!(stranger.status, 401);
}

#[tokio::test]
async fn whoever_hangs_up_leaves_a_server_that_answers() {
    let server = server().await;
    for number in 0..200 {
        let lines = format!("{} hay\n", "straw ".repeat(100)).repeat(200);
        write(&server.space.root().join(format!("many/{number}.txt")), &lines);
    }
    let body = json!({"pattern": "straw", "limit": 100_000});
    for _ in 0..5 {
        drop(server.http.post("/api/search/text", &body).open().await);
    }
    let all = found(&server, body).await;
    let done = all.last().unwrap();
    assert_eq!((&done["limitHit"], &done["matches"]), (&json!(true), &json!(100_000)));
}

#[tokio::test]
async fn ignore_files_of_search_tools_count_more_than_those_of_git() {
    let server = server().await;
    write(&server.space.root().join(".ignore"), "!target\n/src\n.ignore\n.env\n");
    let needles = found(&server, json!({"pattern": "needle"})).await;
    let paths: Vec<&Value> = needles.iter().filter_map(|line| line.get("path")).collect();
    assert_eq!(paths, ["target/out.rs"]);
    let names = server.http.post("/api/search/files", &json!({"query": ""})).send().await.json();
    assert_eq!(names["paths"], json!([".gitignore", "docs/needle.md", "target/out.rs"]));
    let all = found(&server, json!({"pattern": "needle", "useIgnoreFiles": false})).await;
    assert_eq!(all.last().unwrap()["files"], 2);
}

#[tokio::test]
async fn files_are_found_by_a_few_letters_also_while_a_view_looks() {
    let server = server().await;
    let find = async |body: Value| server.http.post("/api/search/files", &body).send().await.json();
    let all = [".env", ".gitignore", "docs/needle.md", "src/lib.rs", "src/main.rs"];
    assert_eq!(find(json!({"query": ""})).await, json!({"paths": all, "limitHit": false}));
    let two = json!({"paths": all[..2], "limitHit": true});
    assert_eq!(find(json!({"query": "", "limit": 2})).await, two);
    let view = Socket::open(&server.http, "/api/socket").await;
    let main = json!({"paths": ["src/main.rs"], "limitHit": false});
    assert_eq!(find(json!({"query": "sman"})).await, main);
    write(&server.space.root().join("src/main_loop.rs"), "");
    let both = json!({"paths": ["src/main.rs", "src/main_loop.rs"], "limitHit": false});
    eventually("the new file", || async {
        (find(json!({"query": "main"})).await == both).then_some(())
    })
    .await;
    drop(view);
}

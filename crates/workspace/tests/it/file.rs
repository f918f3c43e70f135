//! `file.*`.

use openspace_workspace::{OpenError, areas::layout::LayoutPart};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Bench, Settings, on_disk, put_sparse, steady};

const THREE: &str = "one\ntwo\nthree\n";

#[tokio::test]
async fn a_file_is_read_whole_or_in_part() {
    let bench = Bench::open(&[("a.txt", THREE)]).await;
    let whole = bench.ok("file.read", json!({"path": "a.txt"})).await;
    let expected = json!({
        "content": THREE, "startLine": 1, "endLine": 3, "totalLines": 3, "size": 14,
        "hash": whole["hash"], "encoding": "utf-8", "lossy": false, "truncated": false,
    });
    assert_eq!(whole, expected);
    let part = json!({"path": "./a.txt", "startLine": 2, "endLine": 2});
    let part = bench.ok("file.read", part).await;
    assert_eq!((&part["content"], &part["totalLines"]), (&json!("two\n"), &json!(3)));
}

#[tokio::test]
async fn an_absolute_path_beneath_the_root_is_that_file() {
    let bench = Bench::open(&[("a.txt", THREE)]).await;
    let path = bench.place("a.txt");
    assert_eq!(bench.ok("file.read", json!({"path": path})).await["content"], json!(THREE));
    bench
        .fails(
            "file.read",
            json!({"path": "/etc/hostname"}),
            "denied",
            "`/etc/hostname` is outside the workspace",
        )
        .await;
}

#[tokio::test]
async fn what_was_written_is_read_back() {
    let bench = Bench::open(&[]).await;
    let args = json!({"path": "new/deep/b.txt", "content": "hello\n"});
    let first = bench.ok("file.write", args.clone()).await;
    assert_eq!(first, json!({"created": true, "bytes": 6, "hash": first["hash"]}));
    let second = bench.ok("file.write", args).await;
    assert_eq!(second, json!({"created": false, "bytes": 6, "hash": first["hash"]}));
    assert_eq!(on_disk(&bench.place("new/deep/b.txt")), "hello\n");
    let read = bench.ok("file.read", json!({"path": "new/deep/b.txt"})).await;
    assert_eq!((&read["content"], &read["hash"]), (&json!("hello\n"), &first["hash"]));
}

#[tokio::test]
async fn a_folder_is_listed_folders_first() {
    let bench =
        Bench::open(&[("b.txt", "b"), ("src/a.rs", "a"), (".gitignore", "out\n"), ("out/x", "")])
            .await;
    let entry = |path: &str, kind: &str, size: u64| {
        let name = path.rsplit('/').next();
        json!({"path": path, "name": name, "kind": kind, "size": size, "modified": 0})
    };
    let mut flat = steady(bench.ok("file.list", json!({})).await);
    for folder in [0, 1] {
        flat["entries"][folder]["size"] = json!(0);
    }
    let entries = [
        entry("out", "folder", 0),
        entry("src", "folder", 0),
        entry(".gitignore", "file", 4),
        entry("b.txt", "file", 1),
    ];
    let expected = json!({"entries": entries, "total": 4, "truncated": false, "unreadable": 0});
    assert_eq!(flat, expected);
    let deep = bench.ok("file.list", json!({"path": "src", "recursive": true})).await;
    assert_eq!(steady(deep)["entries"], json!([entry("src/a.rs", "file", 1)]));
    let cut = bench.ok("file.list", json!({"recursive": true, "limit": 1})).await;
    assert_eq!((&cut["total"], &cut["truncated"]), (&json!(4), &json!(true)), "{cut}");
}

#[tokio::test]
async fn files_are_found_by_parts_of_their_names() {
    let bench = Bench::open(&[
        ("src/store.rs", ""),
        ("src/story.txt", ""),
        ("docs/store.md", ""),
        (".gitignore", "docs\n"),
    ])
    .await;
    let paths = |found: &serde_json::Value| {
        let matches = found["matches"].as_array().unwrap();
        matches.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let found = bench.ok("file.search", json!({"query": "sstor"})).await;
    assert_eq!(paths(&found), ["src/store.rs", "src/story.txt"]);
    let args = json!({"query": "", "includePattern": "src/**/*.rs"});
    assert_eq!(paths(&bench.ok("file.search", args).await), ["src/store.rs"]);
    let args = json!({"query": "", "path": "src", "excludePattern": "*.rs"});
    assert_eq!(paths(&bench.ok("file.search", args).await), ["src/story.txt"]);
    bench
        .fails(
            "file.search",
            json!({"query": "", "limit": 0}),
            "invalid_args",
            "argument `limit`: must be 1 to 1000",
        )
        .await;
}

#[tokio::test]
async fn a_missing_file_names_those_that_may_be_meant() {
    let bench = Bench::open(&[("src/main.rs", "")]).await;
    for command in ["file.read", "editor.read_file", "editor.open"] {
        let failure = bench.failure(command, json!({"path": "src/mian.rs"})).await;
        let expected = json!({
            "success": false, "error": "`src/mian.rs` does not exist", "kind": "not_found",
            "hint": "did you mean src/main.rs?",
        });
        assert_eq!(failure, expected, "{command}");
    }
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_with_a_way_on() {
    let bench = Bench::open(&[("src/main.rs", ""), ("image.png", "PNG\0\u{1}")]).await;
    let failure = bench.failure("file.read", json!({"path": "src"})).await;
    let folder = (&failure["kind"], &failure["error"], &failure["hint"]);
    let expected = (
        &json!("invalid_args"),
        &json!("`src` is a folder, not a file"),
        &json!("file_list shows a folder"),
    );
    assert_eq!(folder, expected);
    bench
        .fails(
            "file.read",
            json!({"path": "image.png"}),
            "unsupported",
            "`image.png` is not text; it has 5 bytes",
        )
        .await;
    bench
        .fails(
            "file.list",
            json!({"path": "src/main.rs"}),
            "invalid_args",
            "`src/main.rs` is not a folder",
        )
        .await;
}

#[tokio::test]
async fn a_huge_file_is_read_in_parts_only() {
    let bench = Bench::open(&[]).await;
    let lines = "0123456789abcde\n".repeat(4096);
    put_sparse(&bench.place("huge.log"), &lines, 200 * 1024 * 1024);
    let failure = bench.failure("file.read", json!({"path": "huge.log"})).await;
    let expected = json!({
        "success": false, "kind": "unsupported",
        "error": "`huge.log` has 209715200 bytes, and the limit is 10485760",
        "hint": "a part of it can be read with startLine and endLine; to write more, use a terminal",
    });
    assert_eq!(failure, expected);
    let args = json!({"path": "huge.log", "startLine": 2, "endLine": 2});
    let read = bench.ok("file.read", args).await;
    assert_eq!(read["content"], json!("0123456789abcde\n"));
}

#[tokio::test]
async fn lines_that_do_not_exist_are_refused() {
    let bench = Bench::open(&[("a.txt", THREE)]).await;
    let args = json!({"path": "a.txt", "startLine": 4});
    bench.fails("file.read", args, "invalid_args", "`a.txt` has 3 lines").await;
    let args = json!({"path": "a.txt", "startLine": 3, "endLine": 2});
    let message = "lines count from 1 and the first cannot come after the last";
    bench.fails("file.read", args, "invalid_args", message).await;
}

#[tokio::test]
async fn no_command_shows_a_secret_file_to_an_agent() {
    let bench =
        Bench::open(&[(".env", "TOKEN=1\n"), ("keys/id_rsa", "x\n"), (".env.example", "T=\n")])
            .await;
    std::os::unix::fs::symlink(".env", bench.place("harmless.txt")).unwrap();
    for (path, rule) in [(".env", ".env"), ("keys/id_rsa", "id_rsa"), ("harmless.txt", ".env")] {
        let highlight = json!({"path": path, "ranges": [{"startLine": 1, "endLine": 1}]});
        let calls = [
            ("file.read", json!({"path": path})),
            ("file.read", json!({"path": path, "startLine": 1, "endLine": 1})),
            ("editor.read_file", json!({"path": path})),
            ("editor.open", json!({"path": path})),
            ("editor.open", json!({"path": path, "line": 1})),
            ("editor.highlight", highlight),
            ("pane.open", json!({"type": "editor", "contentId": path})),
        ];
        for (command, args) in calls {
            let message = format!("reading `{path}` is not allowed by the rule `{rule}`");
            bench.fails(command, args, "denied", &message).await;
        }
    }
    assert_eq!(bench.state().part::<LayoutPart>().tabs().count(), 0);
    bench.ok("file.read", json!({"path": ".env.example"})).await;
}

#[tokio::test]
async fn a_person_opens_secret_files_and_no_answer_holds_what_is_in_them() {
    let bench = Bench::open(&[(".env", "KEY=hunter2\nOTHER=2\n")]).await;
    std::os::unix::fs::symlink("/etc", bench.place("out")).unwrap();
    let range = json!([{"startLine": 2, "endLine": 2}]);
    let calls = [
        ("editor.open", json!({"path": ".env"})),
        ("editor.open", json!({"path": ".env", "line": 2, "highlight": true})),
        ("editor.scroll_to", json!({"path": ".env", "line": 1})),
        ("editor.highlight", json!({"path": ".env", "ranges": range})),
        ("pane.open", json!({"type": "editor", "contentId": ".env"})),
    ];
    for (command, args) in calls {
        let answer = bench.as_person(command, args).await;
        assert_eq!(answer["success"], json!(true), "{command}: {answer}");
        assert!(!answer.to_string().contains("hunter2"), "{command}: {answer}");
    }
    let opened = bench.as_person("editor.open", json!({"path": ".env", "line": 3})).await;
    assert_eq!(opened["error"], json!("there is no line 3 in `.env`, which has 2 lines"));
    for (command, args) in [
        ("editor.read_file", json!({"path": ".env"})),
        ("file.read", json!({"path": ".env"})),
        ("editor.open", json!({"path": "out/passwd"})),
    ] {
        let answer = bench.as_person(command, args).await;
        assert_eq!(answer["kind"], json!("denied"), "{command}: {answer}");
    }
    bench.failure("editor.scroll_to", json!({"path": ".env", "line": 1})).await;
}

#[tokio::test]
async fn protected_paths_are_not_written() {
    let bench = Bench::open(&[(".openspace/config.toml", "")]).await;
    let cases = [
        (".openspace/config.toml", ".openspace"),
        ("./.openspace//other", ".openspace"),
        (".OpenSpace/config.toml", ".openspace"),
        (".git/config", ".git"),
        ("web/node_modules/a.js", "node_modules"),
        (".env", ".env"),
        ("deep/.env.local", ".env.*"),
        ("server.pem", "*.pem"),
    ];
    for (path, rule) in cases {
        let args = json!({"path": path, "content": "x"});
        let failure = bench.failure("file.write", args).await;
        let message = failure["error"].as_str().unwrap();
        let ending = format!("is not allowed by the rule `{rule}`");
        assert!(message.starts_with("writing ") && message.ends_with(&ending), "{message}");
        assert_eq!(failure["kind"], json!("denied"));
    }
    assert_eq!(on_disk(&bench.place(".openspace/config.toml")), "");
    assert!(!bench.place("web").exists(), "nothing was made on the way");
}

#[tokio::test]
async fn a_person_adds_rules_in_the_configuration() {
    let config = "[files]\nsecret = ['*.vault']\nprotected = ['vendor/']\n";
    let bench =
        Bench::open(&[(".openspace/config.toml", config), ("a.vault", "x"), ("vendor/a", "x")])
            .await;
    let message = "reading `a.vault` is not allowed by the rule `*.vault`";
    bench.fails("file.read", json!({"path": "a.vault"}), "denied", message).await;
    let message = "writing `vendor/a` is not allowed by the rule `vendor/`";
    let args = json!({"path": "vendor/a", "content": "y"});
    bench.fails("file.write", args, "denied", message).await;
    bench.ok("file.read", json!({"path": "vendor/a"})).await;
    let message = "reading `.env` is not allowed by the rule `.env`";
    bench.put(".env", "x");
    bench.fails("file.read", json!({"path": ".env"}), "denied", message).await;
}

#[tokio::test]
async fn a_configuration_that_is_not_understood_keeps_the_workspace_shut() {
    let open = async |config: &str| {
        let files = [(".openspace/config.toml", config)];
        Bench::try_with(Settings::default(), &files).await.err().expect("it does not open")
    };
    for config in ["[files", "[limits]\nper_turn = 9999\n", "[files]\nsecret = 'no list'\n"] {
        let error = open(config).await;
        assert!(matches!(error, OpenError::Config(_)), "{config}: {error}");
        let message = error.to_string();
        assert!(message.starts_with(".openspace/config.toml is not valid: "), "{message}");
    }
    let error = open("[files]\nsecret = ['!exception']\n").await;
    assert!(matches!(error, OpenError::Rules(_)), "{error}");
    assert!(error.to_string().starts_with(".openspace/config.toml: the pattern `!exception`"));
}

#[tokio::test]
async fn a_large_file_comes_in_pages_that_make_the_whole() {
    let whole: String =
        (1..=20_000).map(|line| format!("line {line} of many\n")).collect::<Vec<_>>().concat();
    let bench = Bench::open(&[("large.txt", whole.as_str())]).await;
    for command in ["file.read", "editor.read_file"] {
        let (mut read, mut next, mut pages) = (String::new(), json!(1), 0);
        while !next.is_null() {
            let args = json!({"path": "large.txt", "startLine": next});
            let page = bench.ok(command, args.clone()).await;
            let content = page["content"].as_str().unwrap();
            assert!(content.len() <= 50_000, "{}", content.len());
            assert_eq!((&page["startLine"], &page["truncated"]), (&next, &json!(false)));
            let text = bench.text(command, args).await;
            assert!(text.starts_with(content.trim_end()) && text.len() < 51_000);
            let goes_on = format!("startLine={} goes on)", page["nextLine"]);
            assert_eq!(text.ends_with(&goes_on), !page["nextLine"].is_null(), "{text:.100}");
            read.push_str(content);
            next = page["nextLine"].clone();
            pages += 1;
        }
        assert_eq!((read == whole, pages), (true, whole.len().div_ceil(50_000)), "{command}");
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_for_an_answer_is_cut_and_said_to_be() {
    let long = "é".repeat(40_000);
    let bench = Bench::open(&[("long.txt", format!("{long}\nlast\n").as_str())]).await;
    let page = bench.ok("file.read", json!({"path": "long.txt"})).await;
    let told = [&page["content"], &page["endLine"], &page["truncated"], &page["nextLine"]];
    assert_eq!(told, [&json!("é".repeat(25_000)), &json!(1), &json!(true), &json!(2)]);
    let rest = bench.ok("file.read", json!({"path": "long.txt", "startLine": 2})).await;
    assert_eq!((&rest["content"], rest.get("nextLine")), (&json!("last\n"), None));
}

#[tokio::test]
async fn lines_that_cannot_be_are_refused_by_name() {
    let bench = Bench::open(&[("a.txt", "1\n")]).await;
    for command in ["file.read", "editor.read_file"] {
        for name in ["startLine", "endLine"] {
            let message = format!("argument `{name}`: lines count from 1");
            let args = json!({"path": "a.txt", name: 0});
            bench.fails(command, args, "invalid_args", &message).await;
        }
    }
}

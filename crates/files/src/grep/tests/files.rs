//! Which files are searched, and which are never opened.

use std::os::unix::fs::symlink;

use super::*;

fn pipe(stage: &Stage, path: &str) {
    let mode = rustix::fs::Mode::RWXU;
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, stage.path(path), kind, mode, 0).unwrap();
}

#[test]
fn globs_types_and_the_path_narrow_the_search() {
    let stage = stage(&[
        ("a.rs", "x"),
        ("web/b.ts", "x"),
        ("web/gen/c.ts", "x"),
        ("web/gen/d.rs", "x"),
        ("Makefile", "x"),
    ]);
    let narrowed = |include: Option<&str>, file_type: Option<&str>, path: Option<&str>| {
        let query = GrepQuery {
            include: include.map(str::to_owned).into_iter().collect(),
            file_type: file_type.map(str::to_owned),
            path: path.map(rel),
            ..GrepQuery::new("x")
        };
        lines(&stage, &query)
    };
    assert_eq!(narrowed(Some("*.rs"), None, None), ["a.rs:1:x", "web/gen/d.rs:1:x"]);
    assert_eq!(narrowed(Some("web/*.ts"), None, None), ["web/b.ts:1:x"]);
    assert_eq!(narrowed(Some("gen"), None, None), ["web/gen/c.ts:1:x", "web/gen/d.rs:1:x"]);
    assert_eq!(narrowed(Some("web"), None, Some("web/gen")).len(), 2);
    assert_eq!(narrowed(None, Some("rust"), None), ["a.rs:1:x", "web/gen/d.rs:1:x"]);
    assert_eq!(narrowed(None, Some("make"), None), ["Makefile:1:x"]);
    assert_eq!(narrowed(Some("web"), Some("ts"), Some("web/gen")), ["web/gen/c.ts:1:x"]);
    assert_eq!(narrowed(Some("*.rs"), None, Some("Makefile")), ["Makefile:1:x"]);
}

#[test]
fn ignored_files_are_searched_when_asked_for() {
    let stage = stage(&[
        (".gitignore", "target\n"),
        ("target/f", "x"),
        (".hidden/f", "x"),
        (".git/f", "x"),
    ]);
    assert_eq!(lines(&stage, &GrepQuery::new("x")), [".hidden/f:1:x"]);
    let all = GrepQuery { respect_gitignore: false, ..GrepQuery::new("x") };
    assert_eq!(lines(&stage, &all), [".hidden/f:1:x", "target/f:1:x"]);
}

#[test]
fn what_an_ignore_file_says_counts_more_than_what_git_ignores() {
    let stage = stage(&[
        (".gitignore", "target\n"),
        (".ignore", "!target\n*.min.js\n"),
        ("target/f", "x"),
        ("a.min.js", "x"),
        ("a.js", "x"),
    ]);
    assert_eq!(lines(&stage, &GrepQuery::new("x")), ["a.js:1:x", "target/f:1:x"]);
    let all = GrepQuery { respect_gitignore: false, ..GrepQuery::new("x") };
    assert_eq!(lines(&stage, &all), ["a.js:1:x", "a.min.js:1:x", "target/f:1:x"]);
}

#[test]
fn secrets_are_counted_and_never_read() {
    let stage = stage(&[
        (".env", "token"),
        (".env.example", "token"),
        ("deep/Server.PEM", "token"),
        ("secrets.d/deep/note", "token"),
        ("plain", "token"),
    ]);
    stage.link(".env", "innocent");
    stage.link("secrets.d", "alias");
    stage.link("../secrets.d/deep", "deep/alias");
    let found = grepped(&stage, &GrepQuery::new("token"));
    let paths: Vec<_> = matches(&found).iter().map(|found| found.path.as_str()).collect();
    assert_eq!(
        (paths, found.skipped_secret, found.scanned_files),
        (vec![".env.example", "plain"], 3, 2)
    );
    for path in [
        ".env",
        "innocent",
        "secrets.d",
        "alias",
        "deep/alias",
        "secrets.d/deep",
        "deep/Server.PEM",
    ] {
        let query = GrepQuery { path: Some(rel(path)), ..GrepQuery::new("token") };
        let error = grep(&stage.files, &query, &|| false).unwrap_err();
        assert!(matches!(error, GrepError::File(FileError::Forbidden { .. })), "{path}: {error}");
    }
}

#[test]
fn rules_that_start_at_the_root_hold_wherever_the_search_starts() {
    let stage = stage(&[("conf/prod/key.txt", "token"), ("conf/test/key.txt", "token")]);
    stage.link("conf", "alias");
    let rules = Rules::new(&["/conf/prod/key.txt".to_owned()], &[]).unwrap();
    let files = Files::open(stage.files.root(), rules).unwrap();
    for start in ["", "conf", "alias"] {
        let query = GrepQuery { path: Some(rel(start)), ..GrepQuery::new("token") };
        let found = grep(&files, &query, &|| false).unwrap();
        let shown: Vec<_> = matches(&found).iter().map(|found| found.path.as_str()).collect();
        let expected =
            rel(if start.is_empty() { "conf" } else { start }).join(&rel("test/key.txt"));
        assert_eq!((shown, found.skipped_secret), (vec![expected.as_str()], 1), "{start}");
    }
}

#[test]
fn a_search_neither_leaves_the_root_nor_waits() {
    let stage = stage(&[("sub/f", "x")]);
    stage.put_outside("f", "x");
    stage.link("../outside", "door");
    stage.link("../outside/f", "outside-file");
    stage.link("..", "sub/up");
    stage.link("sub/f", "alias");
    symlink("/dev/zero", stage.path("device")).unwrap();
    pipe(&stage, "pipe");
    pipe(&stage, "sub/.gitignore");
    let found = grepped(&stage, &GrepQuery::new("x"));
    assert_eq!((found.scanned_files, found.total_files, found.unreadable), (1, 1, 0));
    assert_eq!(
        lines(&stage, &GrepQuery { path: Some(rel("alias")), ..GrepQuery::new("x") }),
        ["alias:1:x"]
    );
    for (path, expected) in [
        ("pipe", "`pipe` is neither a file nor a folder"),
        ("door", "`door` is or runs through a symbolic link that leads out of the workspace"),
        ("device", "`device` is or runs through a symbolic link that leads out of the workspace"),
    ] {
        assert_eq!(
            error(&stage, &GrepQuery { path: Some(rel(path)), ..GrepQuery::new("x") }),
            expected
        );
    }
}

#[test]
fn binary_files_are_passed_over() {
    let stage = stage(&[("text", "hit\n")]);
    stage.put("early", "hit\n\0");
    stage.put("late", [b"hit\n".repeat(50_000).as_slice(), b"\0"].concat());
    for multiline in [false, true] {
        let query = GrepQuery { multiline, ..GrepQuery::new("hit") };
        let found = grepped(&stage, &query);
        let shown: Vec<_> = matches(&found).iter().map(|found| found.path.as_str()).collect();
        assert_eq!((shown, found.skipped_binary, found.scanned_files), (vec!["text"], 2, 1));
        let alone = grepped(&stage, &GrepQuery { path: Some(rel("early")), ..query });
        assert_eq!((alone.total_matches, alone.skipped_binary), (Some(0), 1));
    }
}

#[test]
fn marked_encodings_are_searched_as_text() {
    let stage = Stage::new();
    let text = "grün\nblau\n";
    let little = text.encode_utf16().flat_map(u16::to_le_bytes);
    let big = text.encode_utf16().flat_map(u16::to_be_bytes);
    stage.put("little", [0xff, 0xfe].into_iter().chain(little).collect::<Vec<_>>());
    stage.put("big", [0xfe, 0xff].into_iter().chain(big).collect::<Vec<_>>());
    stage.put("eight", format!("\u{feff}{text}"));
    for multiline in [false, true] {
        let query = GrepQuery { multiline, ..GrepQuery::new(r"^gr\wn$") };
        assert_eq!(lines(&stage, &query), ["big:1:grün", "eight:1:grün", "little:1:grün"]);
    }
}

#[test]
fn a_line_or_a_file_beyond_the_limit_is_counted_and_not_searched() {
    let stage = Stage::new();
    stage.put("long", vec![b'x'; MAX_SEARCH_BYTES + 1]);
    stage.put("lines", "x\n".repeat(MAX_SEARCH_BYTES / 2 + 1));
    let found = grepped(&stage, &GrepQuery { limit: Some(1), ..GrepQuery::new("x") });
    assert_eq!((found.skipped_large, found.total_files), (1, 1));
    let spanning = GrepQuery { multiline: true, ..GrepQuery::new(r"y\s") };
    assert_eq!(grepped(&stage, &spanning).skipped_large, 2);
}

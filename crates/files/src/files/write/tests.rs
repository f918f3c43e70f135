//! Writing is whole or not at all, and keeps what a file had.

use std::{fs, os::unix::fs::MetadataExt as _};

use super::{
    super::tests::{Stage, rel},
    *,
};

const LEADS_OUT: &str = "is or runs through a symbolic link that leads out of the workspace";

#[test]
fn a_write_says_what_it_did() {
    let stage = Stage::new();
    let written =
        |content: &str| stage.files.write(&rel("new/deep/a.txt"), content.as_bytes()).unwrap();
    assert_eq!(written("one"), Written { created: true, bytes: 3, hash: hash(b"one") });
    assert_eq!(
        written("$& and $$"),
        Written { created: false, bytes: 9, hash: hash(b"$& and $$") }
    );
    assert_eq!(stage.content("new/deep/a.txt"), "$& and $$");
    assert_eq!(
        stage.everything(),
        ["outside", "root", "root/new", "root/new/deep", "root/new/deep/a.txt"]
    );
}

#[test]
fn what_is_written_is_what_is_read() {
    let stage = Stage::new();
    let written = stage.files.write(&rel("a"), "\u{feff}x\n".as_bytes()).unwrap();
    let read = stage.files.read(&rel("a"), crate::files::LineRange::default()).unwrap();
    assert_eq!((read.content.as_str(), read.hash), ("x\n", Some(written.hash)));
}

#[test]
fn the_mode_of_the_old_file_is_kept() {
    let stage = Stage::new();
    for mode in [0o755, 0o600, 0o640, 0o4755] {
        stage.put("script", "old");
        fs::set_permissions(stage.path("script"), fs::Permissions::from_mode(mode)).unwrap();
        stage.write("script", "new").unwrap();
        assert_eq!(fs::metadata(stage.path("script")).unwrap().mode() & 0o7777, mode);
    }
}

#[test]
fn the_owner_of_the_old_file_is_kept_where_permitted() {
    let stage = Stage::new();
    stage.put("file", "old");
    // Only the superuser may give a file away; anybody else keeps their own.
    if std::os::unix::fs::chown(stage.path("file"), Some(4321), Some(4322)).is_err() {
        assert!(!rustix::process::geteuid().is_root());
    }
    let owner = |stage: &Stage| {
        let metadata = fs::metadata(stage.path("file")).unwrap();
        (metadata.uid(), metadata.gid())
    };
    let before = owner(&stage);
    stage.write("file", "new").unwrap();
    assert_eq!((owner(&stage), stage.content("file")), (before, "new".to_owned()));
}

#[test]
fn neighbours_with_the_names_of_temporaries_survive() {
    let stage = Stage::new();
    stage.put("a.tmp", "mine");
    stage.put("a~", "mine");
    stage.put(&"n".repeat(255), "old");
    stage.write("a", "new").unwrap();
    stage.write(&"n".repeat(255), "new").unwrap();
    assert_eq!(
        (stage.content("a.tmp"), stage.content("a~")),
        ("mine".to_owned(), "mine".to_owned())
    );
    assert_eq!(stage.everything().len(), 2 + 4);
}

#[test]
fn writing_below_a_folder_that_leads_out_is_refused_and_leaves_nothing() {
    let stage = Stage::new();
    stage.link("../outside", "out");
    stage.link(stage.outside("").to_str().unwrap(), "out-absolute");
    stage.link("../outside/new-file", "out-file");
    let before = stage.everything();
    for text in ["out/x", "out/new/deep/x", "out-absolute/x", "out-absolute/new/x", "out-file"] {
        assert_eq!(stage.write(text, "x"), Err(format!("`{text}` {LEADS_OUT}")));
    }
    assert_eq!(stage.everything(), before);
}

#[test]
fn writing_to_a_link_replaces_what_it_leads_to_and_keeps_the_link() {
    let stage = Stage::new();
    stage.put("real/file", "old");
    stage.link("real/file", "link");
    stage.link("link", "second");
    stage.link(stage.path("real/file").to_str().unwrap(), "absolute");
    stage.link("real", "folder");
    for text in ["link", "second", "absolute", "folder/file"] {
        assert_eq!(stage.write(text, text), Ok(false));
        assert_eq!(stage.content("real/file"), text);
    }
    assert_eq!(stage.write("folder/new/file", "x"), Ok(true));
    assert_eq!(stage.content("real/new/file"), "x");
    for text in ["link", "second", "absolute", "folder"] {
        assert!(fs::symlink_metadata(stage.path(text)).unwrap().is_symlink(), "{text}");
    }
}

#[test]
fn a_link_to_nothing_is_refused() {
    let stage = Stage::new();
    stage.link("nowhere", "dangling");
    let before = stage.everything();
    for text in ["dangling", "dangling/x", "dangling/new/x"] {
        assert_eq!(
            stage.write(text, "x"),
            Err(format!("`{text}` runs through a symbolic link whose target does not exist"))
        );
    }
    assert_eq!(stage.everything(), before);
}

#[test]
fn protected_paths_are_not_written_by_any_door() {
    let stage = Stage::new();
    stage.put(".git/config", "old");
    stage.put("node_modules/a/index.js", "old");
    stage.put(".env", "old");
    stage.link(".git", "git-link");
    stage.link("node_modules/a", "module");
    stage.link(".env", "env-link");
    let before = stage.everything();
    for (text, rule) in [
        (".git/config", ".git"),
        (".git", ".git"),
        (".GIT/hooks/post-checkout", ".git"),
        ("git-link/config", ".git"),
        ("git-link/hooks/new/pre-commit", ".git"),
        ("node_modules/b/index.js", "node_modules"),
        ("module/index.js", "node_modules"),
        ("module/new/index.js", "node_modules"),
        (".openspace/settings.json", ".openspace"),
        ("env-link", ".env"),
        ("deep/new/.env", ".env"),
    ] {
        assert_eq!(
            stage.write(text, "x"),
            Err(format!("writing `{text}` is not allowed by the rule `{rule}`"))
        );
    }
    assert_eq!(stage.everything(), before);
    assert_eq!((stage.content(".git/config"), stage.content(".env")), ("old".into(), "old".into()));
}

#[test]
fn a_failed_write_changes_nothing() {
    let stage = Stage::new();
    stage.put("file", "old");
    fs::create_dir(stage.path("folder")).unwrap();
    let pipe = stage.path("pipe");
    let mode = rustix::fs::Mode::RWXU;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let before = stage.everything();
    let long = format!("new/{}", "n".repeat(256));
    for (text, message) in [
        ("", "`.` is a folder, not a file".to_owned()),
        ("folder", "`folder` is a folder, not a file".to_owned()),
        ("pipe", "`pipe` is neither a file nor a folder".to_owned()),
        ("file/x", "`file` is not a folder".to_owned()),
        ("file/new/x", "`file` is not a folder".to_owned()),
        (&long, format!("`{long}` has a name that the file system does not accept")),
    ] {
        assert_eq!(stage.write(text, "x"), Err(message));
    }
    let large = vec![b'x'; usize::try_from(MAX_WRITE_BYTES).unwrap() + 1];
    let error = stage.files.write(&rel("file"), &large).unwrap_err();
    assert_eq!(error.to_string(), "`file` has 67108865 bytes, and the limit is 67108864");
    assert_eq!((stage.everything(), stage.content("file")), (before, "old".to_owned()));
}

#[test]
fn a_reader_sees_the_old_or_the_new_and_one_writer_creates() {
    let stage = Stage::new();
    let contents = ["a".repeat(100_000), "b".repeat(200_000)];
    let created: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = contents
            .iter()
            .map(|content| {
                let stage = &stage;
                scope.spawn(move || {
                    (0..20).filter(|_| stage.write("shared/file", content).unwrap()).count()
                })
            })
            .collect();
        for _ in 0..50 {
            match stage.read_whole("shared/file") {
                Ok(read) => assert!(contents.contains(&read), "{} bytes", read.len()),
                Err(message) => assert_eq!(message, "`shared/file` does not exist"),
            }
        }
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!(created, 1);
    assert_eq!(stage.everything(), ["outside", "root", "root/shared", "root/shared/file"]);
}

#[test]
fn a_write_over_something_else_than_expected_does_not_happen() {
    let stage = Stage::new();
    stage.put("a", "there");
    let over = |path: &str, before| {
        let put = stage.files.write_over(&rel(path), b"new", before).unwrap();
        put.map(|put| put.created)
    };
    for before in [Before::Nothing, Before::Content(b"ther"), Before::Content(b"there!")] {
        assert_eq!(over("a", before), None);
    }
    assert_eq!(over("missing/b", Before::Content(b"")), None);
    assert_eq!(stage.content("a"), "there");
    assert_eq!(stage.everything(), ["outside", "root", "root/a"]);
    assert_eq!(over("a", Before::Content(b"there")), Some(false));
    assert_eq!(over("b", Before::Nothing), Some(true));
    assert_eq!(over("b", Before::Anything), Some(false));
    assert_eq!((stage.content("a"), stage.content("b")), ("new".to_owned(), "new".to_owned()));
}

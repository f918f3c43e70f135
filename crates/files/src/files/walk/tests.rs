//! Walking a tree: what is ignored, what is never followed.

use std::{cell::Cell, fs};

use super::{
    super::tests::{Stage, rel},
    *,
};

fn walked(stage: &Stage, start: &str) -> Vec<String> {
    let mut all = Vec::new();
    let result = walk(&stage.files, &rel(start), &|| false, |path, _| {
        all.push(path.display().to_string());
        ControlFlow::Continue(())
    });
    assert_eq!(result.unwrap().unreadable, 0);
    all.sort();
    all
}

#[test]
fn ignored_files_are_left_out_and_hidden_ones_shown() {
    let stage = Stage::new();
    stage.put(".gitignore", "target/\n*.log\n!kept.log\n/only-top\n");
    for file in [
        "target/x",
        "a.log",
        "kept.log",
        "only-top",
        "sub/only-top",
        "sub/b.log",
        ".hidden",
        ".git/config",
        "sub/.git",
    ] {
        stage.put(file, "");
    }
    assert_eq!(walked(&stage, ""), [".gitignore", ".hidden", "kept.log", "sub", "sub/only-top"]);
}

#[test]
fn the_nearest_ignore_file_decides_and_those_above_the_start_count() {
    let stage = Stage::new();
    stage.put(".gitignore", "*.log\n*.tmp\nsub/deep/never\n");
    stage.put("sub/.gitignore", "\u{feff}!*.log\n[\n");
    stage.put("sub/deep/.gitignore", "*.bak\n");
    for file in
        ["sub/a.log", "sub/deep/a.tmp", "sub/deep/a.bak", "sub/deep/a.log", "sub/deep/never"]
    {
        stage.put(file, "");
    }
    assert_eq!(
        walked(&stage, "sub"),
        [".gitignore", "a.log", "deep", "deep/.gitignore", "deep/a.log"]
    );
    assert_eq!(walked(&stage, "sub/deep"), [".gitignore", "a.log"]);
}

#[test]
fn a_folder_asked_for_by_name_is_walked_though_ignored() {
    let stage = Stage::new();
    stage.put(".gitignore", "target/\n");
    stage.put(".git/info/exclude", "private\n");
    stage.put("target/debug/x", "");
    stage.put("target/private", "");
    assert_eq!(walked(&stage, "target"), ["debug", "debug/x"]);
    assert_eq!(walked(&stage, ""), [".gitignore"]);
}

#[test]
fn links_are_shown_and_not_entered() {
    let stage = Stage::new();
    stage.put_outside("secret", "");
    stage.put("sub/file", "");
    stage.link("..", "sub/up");
    stage.link("../outside", "out");
    stage.link("sub", "alias");
    assert_eq!(walked(&stage, ""), ["alias", "out", "sub", "sub/file", "sub/up"]);
    assert_eq!(walked(&stage, "alias"), ["file", "up"]);
    let error =
        walk(&stage.files, &rel("out"), &|| false, |_, _| ControlFlow::Continue(())).err().unwrap();
    assert_eq!(
        error.to_string(),
        "`out` is or runs through a symbolic link that leads out of the workspace"
    );
}

#[test]
fn an_ignore_file_that_is_a_pipe_or_a_link_is_passed_over() {
    let stage = Stage::new();
    stage.put_outside("patterns", "*\n");
    stage.put("patterns", "*\n");
    fs::create_dir(stage.path("sub")).unwrap();
    stage.put("sub/file", "");
    let mode = rustix::fs::Mode::RWXU;
    let pipe = stage.path("sub/.gitignore");
    rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    stage.link("patterns", ".gitignore");
    assert_eq!(walked(&stage, ""), [".gitignore", "patterns", "sub", "sub/.gitignore", "sub/file"]);
}

#[test]
fn a_walk_stops_when_asked() {
    let stage = Stage::new();
    for number in 0..10 {
        stage.put(&format!("{number}/file"), "");
    }
    let asked = Cell::new(0);
    let cancel = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let mut seen = 0;
    let result = walk(&stage.files, &rel(""), &cancel, |_, _| {
        seen += 1;
        ControlFlow::Continue(())
    });
    assert!(matches!(result.err(), Some(FileError::Cancelled)));
    assert_eq!(seen, 12);
}

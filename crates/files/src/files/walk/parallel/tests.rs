//! Walking on several threads: everything once, nothing through a link, no end of a wait.

use std::sync::atomic::{AtomicBool, AtomicU64};

use super::{
    super::super::tests::{Stage, rel},
    *,
};

/// Collects all paths; every folder is marked with its depth.
struct Paths<'a> {
    each: &'a (dyn Fn(&AtomicBool) + Sync),
}

impl Look for Paths<'_> {
    type Marks = usize;
    type Worker = Vec<(String, usize)>;

    fn worker(&self) -> Self::Worker {
        Vec::new()
    }

    fn enter(&self, above: Option<usize>, _: &Path) -> usize {
        above.map_or(0, |above| above + 1)
    }

    fn look(&self, worker: &mut Self::Worker, found: &Found<'_, usize>) {
        (self.each)(found.stopped);
        worker.push((found.tail.display().to_string(), found.marks));
    }
}

fn walked(stage: &Stage, start: &str) -> Vec<(String, usize)> {
    let start = rel(start);
    let walk = Walk { files: &stage.files, start: &start, respect_gitignore: true, hidden: true };
    let walked = walk.run(&Paths { each: &|_| {} }, &|| false).unwrap();
    assert_eq!(walked.unreadable, 0);
    let mut all: Vec<_> = walked.workers.into_iter().flatten().collect();
    all.sort();
    all
}

#[test]
fn deep_folders_are_walked_with_few_open_at_a_time() {
    let stage = Stage::new();
    let deep = "d/".repeat(5 * KEPT_OPEN);
    stage.put(&format!("{deep}file"), "");
    stage.put(&format!("{deep}.gitignore"), "ignored\n");
    stage.put(&format!("{deep}ignored"), "");
    let depth = 5 * KEPT_OPEN;
    assert_eq!(
        walked(&stage, ""),
        [(format!("{deep}.gitignore"), depth), (format!("{deep}file"), depth)]
    );
    assert_eq!(walked(&stage, "d/d").len(), 2);
}

#[test]
fn every_file_of_a_large_folder_is_seen_once() {
    let stage = Stage::new();
    let mut expected: Vec<_> =
        (0..2 * READ_AHEAD + 5).map(|number| (format!("{number}"), 0)).collect();
    for (name, _) in &expected {
        stage.put(name, "");
    }
    stage.put("sub/file", "");
    expected.push(("sub/file".to_owned(), 1));
    expected.sort();
    assert_eq!(walked(&stage, ""), expected);
}

#[test]
fn neither_a_link_nor_a_pipe_is_opened() {
    let stage = Stage::new();
    stage.put("sub/deep/file", "");
    stage.link("sub", "alias");
    stage.link("file", "sub/deep/alias");
    let pipe = stage.path("sub/deep/pipe");
    let mode = Mode::RWXU;
    rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let root = stage.files.beneath().open_folder(Path::new(".")).unwrap();
    assert!(open_folder(&root, Path::new("alias")).is_err());
    assert!(open_folder(&root, Path::new("alias/deep")).is_err());
    let deep = open_folder(&root, Path::new("sub/deep")).unwrap();
    assert_eq!(open_file(&deep, c"file").unwrap().1.len(), 0);
    assert!(open_file(&deep, c"alias").is_err());
    assert_eq!(open_file(&deep, c"pipe").unwrap_err().kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn a_walk_stops_in_the_middle_of_its_work() {
    let stage = Stage::new();
    for number in 0..100 {
        stage.put(&format!("{number}/file"), "");
    }
    let start = rel("");
    let walk = Walk { files: &stage.files, start: &start, respect_gitignore: true, hidden: true };
    let looked_at = AtomicU64::new(0);
    // Each thread stays with its first file until it is told to stop.
    let each = |stopped: &AtomicBool| {
        looked_at.fetch_add(1, Ordering::Relaxed);
        while !stopped.load(Ordering::Relaxed) {
            thread::yield_now();
        }
    };
    let result = walk.run(&Paths { each: &each }, &|| looked_at.load(Ordering::Relaxed) > 0);
    assert!(matches!(result.err(), Some(FileError::Cancelled)));
    assert!(looked_at.into_inner() <= threads() as u64);
}

#[test]
fn a_panic_in_one_thread_ends_the_walk() {
    let stage = Stage::new();
    for number in 0..100 {
        stage.put(&format!("{number}/file"), "");
    }
    let result = std::panic::catch_unwind(|| {
        let start = rel("");
        let walk =
            Walk { files: &stage.files, start: &start, respect_gitignore: true, hidden: true };
        walk.run(&Paths { each: &|_| panic!("on purpose") }, &|| false).map(drop)
    });
    assert!(result.is_err());
}

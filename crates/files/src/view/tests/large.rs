//! Large files: found at once, in bounded memory, also while they change.

use std::{
    cell::Cell,
    fmt::Write as _,
    fs::OpenOptions,
    io::Write as _,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use super::*;
use crate::files::tests::Stage;

const MEGABYTE: u64 = 1024 * 1024;

/// A file of numbered lines, just larger than what is always counted.
fn large(stage: &Stage) -> u64 {
    let mut content = String::new();
    let mut lines = 0_u64;
    let padding = "-".repeat(990);
    while content.len() as u64 <= MAX_COUNT_BYTES {
        lines += 1;
        writeln!(content, "{lines:08} {padding}").unwrap();
    }
    stage.put("large", content);
    lines
}

#[test]
fn the_middle_of_a_large_file_is_found_again_by_reading_little() {
    let stage = Stage::new();
    let lines = large(&stage);
    let index = LineIndex::hasty();
    // Every block that is read asks whether to go on.
    let reads = Cell::new(0_u64);
    let count = || {
        reads.set(reads.get() + 1);
        false
    };
    let read = |offset, limit| {
        reads.set(0);
        let request = ViewRequest { path: rel("large"), offset: Some(offset), limit: Some(limit) };
        let text = text(view(&stage.files, &index, &request, &count).unwrap());
        let first = text.content.lines().next().unwrap().to_owned();
        assert!(first.starts_with(&format!("{offset}: {offset:08} -")), "{first}");
        (text.start_line, text.end_line, text.total_lines, text.hash, reads.get())
    };
    let (.., total, hash, at_first) = read(1, 10);
    assert_eq!((total, hash), (None, None));
    assert!(at_first < 5, "{at_first}");
    let middle = lines / 2;
    let (start, end, total, _, while_counting) = read(middle, 20);
    assert_eq!((start, end, total), (middle, middle + 19, None));
    assert!(while_counting > 100, "{while_counting}");
    for offset in [middle, middle / 3, 5, middle - 1000] {
        assert!(read(offset, 20).4 < 8);
    }
    let (start, end, total, ..) = read(lines, 20);
    assert_eq!((start, end, total), (lines, lines, Some(lines)));
    assert!(read(middle + 5000, 20).4 < 8);
}

#[test]
fn the_total_of_a_large_file_is_left_open_when_its_head_is_asked_for() {
    let stage = Stage::new();
    large(&stage);
    let text = text(ask(&stage, "large", None, Some(3)).unwrap());
    assert_eq!(
        (text.total_lines, text.truncated, text.hint.as_deref(), text.final_newline),
        (None, true, Some("lines 1-3; offset=4 goes on"), true)
    );
}

#[test]
fn a_huge_file_of_one_line_is_shown_by_its_beginning() {
    let stage = Stage::new();
    // Holes read as zeros, which far behind the beginning do not make a file binary.
    stage.put("line", "a".repeat(SNIFF_BYTES));
    let file = OpenOptions::new().write(true).open(stage.path("line")).unwrap();
    file.set_len(1024 * MEGABYTE).unwrap();
    let reads = Cell::new(0_u64);
    let count = || {
        reads.set(reads.get() + 1);
        false
    };
    let request = ViewRequest { path: rel("line"), offset: None, limit: None };
    let text = text(view(&stage.files, &LineIndex::default(), &request, &count).unwrap());
    assert!(text.content.starts_with("1: aaa") && text.content.len() < 3000);
    let mark = text.content.split_once('…').unwrap().1;
    assert!(mark.starts_with(" [at least 16"), "{mark}");
    assert_eq!(
        (text.end_line, text.total_lines, text.truncated, text.final_newline),
        (1, None, true, false)
    );
    assert!(reads.get() < 300, "{}", reads.get());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_a_size_is_read_as_far_as_it_goes() {
    let file = OpenOptions::new().read(true).open("/proc/self/status").unwrap();
    let path = rel("status");
    let source = Source { file: &file, path: &path, cancel: &|| false };
    let metadata = file.metadata().unwrap();
    assert_eq!(metadata.len(), 0);
    let index = LineIndex::hasty();
    let page = Page { first: 1, limit: 2000 };
    let text = text(look(&source, &file, &metadata, &index, page).unwrap());
    assert!(text.content.starts_with("1: Name:\t"), "{}", text.content);
    assert_eq!(text.total_lines, Some(text.end_line));
    assert!(text.size > 0 && !text.truncated);
    assert_eq!(index.len(), 0);
}

#[test]
fn line_starts_that_are_too_many_are_thinned_out() {
    let stage = Stage::new();
    let file = OpenOptions::new()
        .create_new(true)
        .read(true)
        .write(true)
        .open(stage.path("file"))
        .unwrap();
    (&file).write_all("0123456\n".repeat(1024 * 128).as_bytes()).unwrap();
    let path = rel("file");
    let source = Source { file: &file, path: &path, cancel: &|| false };
    let mut scan = scan::Scan::every(8, Encoding::Utf8);
    scan.read_on(&source, MEGABYTE, u64::MAX).unwrap();
    assert!(scan.starts().len() <= scan::MAX_STARTS);
    for line in [0, 1, 77, 100_000, 131_071] {
        assert_eq!(scan.find(&source, line).unwrap(), line * 8);
    }
}

#[test]
fn a_file_that_shrinks_and_grows_while_it_is_read_harms_nobody() {
    let stage = Stage::new();
    stage.put("file", "");
    let index = LineIndex::hasty();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let file = OpenOptions::new().write(true).open(stage.path("file")).unwrap();
            let block = "line\n".repeat(100_000);
            while !done.load(Ordering::Relaxed) {
                (&file).write_all(block.as_bytes()).unwrap();
                file.set_len(7).unwrap();
                io::Seek::rewind(&mut &file).unwrap();
            }
        });
        for round in 0..150_u64 {
            let request = ViewRequest { path: rel("file"), offset: Some(1 + round), limit: None };
            match view(&stage.files, &index, &request, &|| false) {
                Ok(View::Text(text)) => assert!(text.content.len() <= MAX_CONTENT_BYTES),
                Ok(View::Binary(_))
                | Err(FileError::Busy { .. } | FileError::LineBeyondEnd { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

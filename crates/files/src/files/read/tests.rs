//! Reading text: ranges, encodings, sizes, and what is refused.

use std::{io::Write as _, os::unix::net::UnixListener};

use super::{
    super::tests::{Stage, rel},
    *,
};
use crate::files::hash;

fn range(start: impl Into<Option<u32>>, end: impl Into<Option<u32>>) -> LineRange {
    LineRange { start_line: start.into(), end_line: end.into() }
}

#[track_caller]
fn check_error(stage: &Stage, text: &str, range: LineRange, message: &str) {
    assert_eq!(stage.files.read(&rel(text), range).unwrap_err().to_string(), message);
}

#[test]
fn a_whole_file_comes_with_all_that_is_known_of_it() {
    let stage = Stage::new();
    stage.put("a.txt", "one\r\ntwo\nthree");
    assert_eq!(
        stage.files.read(&rel("a.txt"), LineRange::default()).unwrap(),
        TextRead {
            content: "one\r\ntwo\nthree".to_owned(),
            start_line: 1,
            end_line: 3,
            total_lines: Some(3),
            size: 14,
            hash: Some(hash(b"one\r\ntwo\nthree")),
            encoding: Encoding::Utf8,
            lossy: false,
            truncated: false,
        }
    );
}

#[test]
fn a_range_is_cut_out_and_clamped_at_the_end() {
    let stage = Stage::new();
    stage.put("a.txt", "1\n2\n3\n4\n");
    for (wanted, content, lines) in [
        (range(2, 3), "2\n3\n", (2, 3)),
        (range(3, 900), "3\n4\n", (3, 4)),
        (range(None, 1), "1\n", (1, 1)),
        (range(4, None), "4\n", (4, 4)),
    ] {
        let read = stage.files.read(&rel("a.txt"), wanted).unwrap();
        assert_eq!((read.content.as_str(), (read.start_line, read.end_line)), (content, lines));
        assert_eq!((read.total_lines, read.hash), (Some(4), Some(hash(b"1\n2\n3\n4\n"))));
    }
}

#[test]
fn a_text_in_memory_is_read_like_a_file_that_holds_it() {
    let stage = Stage::new();
    for text in ["", "1", "1\n2\n3\n", "one\ntwö"] {
        stage.put("a.txt", text);
        for wanted in
            [LineRange::default(), range(2, 2), range(None, 1), range(9, None), range(2, 1)]
        {
            let (file, memory) =
                (stage.files.read(&rel("a.txt"), wanted), read_text(text, &rel("a.txt"), wanted));
            let said = |read: Result<TextRead, FileError>| read.map_err(|error| error.to_string());
            assert_eq!(said(memory), said(file), "{text:?} {wanted:?}");
        }
    }
    let strange = read_text("a\0b\n", &rel("a.txt"), LineRange::default()).unwrap();
    assert_eq!(strange.content, "a\0b\n", "what is known to be text is not guessed at");
}

#[test]
fn an_empty_file_has_no_lines() {
    let stage = Stage::new();
    stage.put("empty", "");
    let read = stage.files.read(&rel("empty"), range(1, 5)).unwrap();
    assert_eq!(
        (read.content.as_str(), read.start_line, read.end_line, read.total_lines),
        ("", 1, 0, Some(0))
    );
    check_error(&stage, "empty", range(2, 5), "`empty` has 0 lines");
}

#[test]
fn bad_ranges_are_refused() {
    let stage = Stage::new();
    stage.put("a.txt", "1\n2\n");
    let message = "lines count from 1 and the first cannot come after the last";
    check_error(&stage, "a.txt", range(0, 1), message);
    check_error(&stage, "a.txt", range(None, 0), message);
    check_error(&stage, "a.txt", range(3, 2), message);
    check_error(&stage, "a.txt", range(3, None), "`a.txt` has 2 lines");
}

#[test]
fn every_encoding_with_a_mark_becomes_text() {
    let stage = Stage::new();
    let text = "grün 🦀\nzwei\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (mark, bytes, encoding) in [
        (&[][..], text.as_bytes(), Encoding::Utf8),
        (&[0xef, 0xbb, 0xbf], text.as_bytes(), Encoding::Utf8Bom),
        (&[0xff, 0xfe], &little, Encoding::Utf16Le),
        (&[0xfe, 0xff], &big, Encoding::Utf16Be),
    ] {
        stage.put("a.txt", [mark, bytes].concat());
        let read = stage.files.read(&rel("a.txt"), LineRange::default()).unwrap();
        assert_eq!((read.content.as_str(), read.encoding, read.lossy), (text, encoding, false));
        assert_eq!(stage.files.read(&rel("a.txt"), range(2, 2)).unwrap().content, "zwei\n");
    }
}

#[test]
fn invalid_bytes_are_replaced_and_said_where_they_are() {
    let stage = Stage::new();
    stage.put("a.txt", b"good\nb\xffd\nend\xe2\x82");
    let read = |wanted| {
        let read = stage.files.read(&rel("a.txt"), wanted).unwrap();
        (read.content, read.lossy)
    };
    assert_eq!(read(LineRange::default()), ("good\nb\u{fffd}d\nend\u{fffd}".to_owned(), true));
    assert_eq!(read(range(1, 1)), ("good\n".to_owned(), false));
    assert_eq!(read(range(2, 2)), ("b\u{fffd}d\n".to_owned(), true));
    assert_eq!(read(range(3, 3)), ("end\u{fffd}".to_owned(), true));
    stage.put("odd.txt", [0xff, 0xfe, b'a', 0, 0x3d, 0xd8, b'b', 0, 7]);
    let read = stage.files.read(&rel("odd.txt"), LineRange::default()).unwrap();
    assert_eq!((read.content.as_str(), read.lossy), ("a\u{fffd}b\u{fffd}", true));
}

#[test]
fn characters_across_the_edge_of_a_piece_stay_whole() {
    let stage = Stage::new();
    for shift in 0..4 {
        let text = "x".repeat(PIECE_BYTES - 2 + shift) + "🦀\nend\n";
        stage.put("a.txt", &text);
        assert_eq!(stage.read_whole("a.txt").unwrap(), text);
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        stage.put("b.txt", [&[0xfe, 0xff][..], &wide].concat());
        assert_eq!(stage.read_whole("b.txt").unwrap(), text);
    }
}

#[test]
fn binary_content_is_refused_with_its_size() {
    let stage = Stage::new();
    stage.put("a.bin", b"\x7fELF\0\0\0\0");
    stage.put("wide", [0xff, 0xfe, 0, 0, b'a', 0, 0, 0]);
    check_error(&stage, "a.bin", LineRange::default(), "`a.bin` is not text; it has 8 bytes");
    check_error(&stage, "a.bin", range(1, 1), "`a.bin` is not text; it has 8 bytes");
    check_error(&stage, "wide", LineRange::default(), "`wide` is not text; it has 8 bytes");
}

#[test]
fn only_regular_files_are_read_and_nothing_waits() {
    let stage = Stage::new();
    let pipe = stage.path("pipe");
    let mode = rustix::fs::Mode::RWXU;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let _socket = UnixListener::bind(stage.path("socket")).unwrap();
    stage.put("file", "");
    check_error(&stage, "pipe", LineRange::default(), "`pipe` is neither a file nor a folder");
    check_error(&stage, "socket", LineRange::default(), "`socket` is neither a file nor a folder");
    check_error(&stage, "", LineRange::default(), "`.` is a folder, not a file");
    check_error(&stage, "missing", LineRange::default(), "`missing` does not exist");
    check_error(&stage, "file/below", LineRange::default(), "`file` is not a folder");
}

#[test]
fn symlinks_inside_are_followed_and_those_out_are_refused() {
    let stage = Stage::new();
    stage.put_outside("secret", "outside");
    stage.put("real/file", "inside");
    stage.link("real/file", "relative");
    stage.link(stage.path("real/file").to_str().unwrap(), "absolute");
    stage.link(stage.path("real").to_str().unwrap(), "folder");
    stage.link("../outside/secret", "out");
    stage.link(stage.outside("secret").to_str().unwrap(), "out-absolute");
    stage.link("../outside", "out-folder");
    stage.link("/proc/self/environ", "environ");
    stage.link("turning", "turning");
    for text in ["relative", "absolute", "folder/file"] {
        assert_eq!(stage.read_whole(text), Ok("inside".to_owned()), "{text}");
    }
    for text in ["out", "out-absolute", "out-folder/secret", "out-folder/missing", "environ"] {
        check_error(
            &stage,
            text,
            LineRange::default(),
            &format!("`{text}` is or runs through a symbolic link that leads out of the workspace"),
        );
    }
    check_error(
        &stage,
        "turning",
        LineRange::default(),
        "`turning` runs through symbolic links that never end",
    );
}

#[test]
fn secrets_are_denied_by_every_door() {
    let stage = Stage::new();
    for secret in [".env", ".git/config", "deploy/id_rsa", "credentials.json"] {
        stage.put(secret, "hidden");
    }
    stage.put(".env.example", "shown");
    stage.put(".gitignore", "shown");
    stage.link(".env", "env-link");
    stage.link(".git", "git-link");
    stage.link("env-link", "link-to-link");
    stage.link(stage.path("deploy").to_str().unwrap(), "deploy-link");
    for (text, rule) in [
        (".env", ".env"),
        (".git/config", ".git"),
        (".git", ".git"),
        (".ENV", ".env"),
        ("deploy/id_rsa", "id_rsa"),
        ("credentials.json", "credentials.json"),
        ("env-link", ".env"),
        ("link-to-link", ".env"),
        ("git-link/config", ".git"),
        ("deploy-link/id_rsa", "id_rsa"),
        ("missing/.env", ".env"),
    ] {
        check_error(
            &stage,
            text,
            LineRange::default(),
            &format!("reading `{text}` is not allowed by the rule `{rule}`"),
        );
    }
    assert_eq!(stage.read_whole(".env.example"), Ok("shown".to_owned()));
    assert_eq!(stage.read_whole(".gitignore"), Ok("shown".to_owned()));
}

#[test]
fn a_large_file_is_read_by_range_only_and_in_bounded_pieces() {
    let stage = Stage::new();
    let line = "x".repeat(1023) + "\n";
    let mut file = tempfile::NamedTempFile::new_in(stage.files.root()).unwrap();
    let megabyte = line.repeat(1024);
    for _ in 0..200 {
        file.write_all(megabyte.as_bytes()).unwrap();
    }
    file.persist(stage.path("big.txt")).unwrap();
    let size = 200 * 1024 * 1024;
    check_error(
        &stage,
        "big.txt",
        LineRange::default(),
        &format!("`big.txt` has {size} bytes, and the limit is {MAX_READ_BYTES}"),
    );

    let read = stage.files.read(&rel("big.txt"), range(10, 11)).unwrap();
    assert_eq!((read.content.as_str(), read.end_line), (line.repeat(2).as_str(), 11));
    assert_eq!((read.total_lines, read.hash, read.size, read.truncated), (None, None, size, false));

    let read = stage.files.read(&rel("big.txt"), range(150_000, None)).unwrap();
    assert_eq!((read.content.len() as u64, read.truncated), (MAX_READ_BYTES, true));
    assert_eq!(
        (read.start_line, read.end_line, read.total_lines),
        (150_000, 150_000 + 10 * 1024, None)
    );

    let read = stage.files.read(&rel("big.txt"), range(200 * 1024, None)).unwrap();
    assert_eq!((read.content, read.total_lines, read.hash), (line, Some(200 * 1024), None));
    check_error(&stage, "big.txt", range(200 * 1024 + 1, None), "`big.txt` has 204800 lines");
}

#[test]
fn one_endless_line_is_cut_at_the_limit() {
    let stage = Stage::new();
    stage.put("line", "é".repeat(6 * 1024 * 1024));
    let read = stage.files.read(&rel("line"), range(1, 1)).unwrap();
    assert_eq!(
        (read.content.len() as u64, read.truncated, read.lossy),
        (MAX_READ_BYTES, true, false)
    );
    assert_eq!((read.end_line, read.total_lines), (1, Some(1)));
}

//! Bytes as they are, and what is refused.

use super::*;
use crate::files::tests::{Stage, rel};

#[test]
fn bytes_are_read_as_they_are() {
    let stage = Stage::new();
    let content: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
    stage.put("a.bin", &content);
    let read = stage.files.read_bytes(&rel("a.bin"), &|| false).unwrap();
    let token = stage.files.inspect(&rel("a.bin")).unwrap().token;
    assert_eq!(read, BytesRead { content, token });
    let cancelled = stage.files.read_bytes(&rel("a.bin"), &|| true);
    assert!(matches!(cancelled, Err(FileError::Cancelled)), "{cancelled:?}");
}

#[test]
fn only_a_person_reads_secrets_and_nobody_reads_the_outside() {
    let stage = Stage::new();
    stage.put_outside("x", "outside");
    stage.put("a/.env", "KEY=1");
    stage.link("a/.env", "innocent");
    stage.link("../outside/x", "out");
    let person = stage.files.for_a_person();
    let read = |files: &Files, path: &str| {
        let read = files.read_bytes(&rel(path), &|| false);
        read.map(|read| read.content).map_err(|error| error.to_string())
    };
    for path in ["a/.env", "innocent"] {
        let refusal = format!("reading `{path}` is not allowed by the rule `.env`");
        assert_eq!(read(&stage.files, path), Err(refusal));
        assert_eq!(read(&person, path), Ok(b"KEY=1".to_vec()));
    }
    for files in [&stage.files, &person] {
        let refusal = "`out` is or runs through a symbolic link that leads out of the workspace";
        assert_eq!(read(files, "out"), Err(refusal.to_owned()));
    }
}

#[test]
fn a_file_beyond_the_limit_is_refused() {
    let stage = Stage::new();
    stage.put("large", "");
    let file = std::fs::OpenOptions::new().write(true).open(stage.path("large")).unwrap();
    file.set_len(MAX_BYTES + 1).unwrap();
    let refused = stage.files.read_bytes(&rel("large"), &|| false).unwrap_err();
    assert_eq!(refused.to_string(), "`large` has 67108865 bytes, and the limit is 67108864");
}

//! The file that keeps what is too long for an answer.

use std::os::unix::fs::PermissionsExt as _;

use super::{FullOutput, Incomplete, MOST_WAITING, Spill};

#[expect(clippy::disallowed_methods, reason = "a test looks at what the code under test did")]
fn content(full: &FullOutput) -> Vec<u8> {
    std::fs::read(&full.path).unwrap()
}

#[tokio::test]
async fn the_file_holds_everything_and_only_its_owner_may_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut spill = Spill::create(folder.path(), 1 << 30).unwrap();
    let mut expected = Vec::new();
    for number in 0..100_u32 {
        let piece = number.to_le_bytes().repeat(10_000);
        spill.push(&piece);
        expected.extend_from_slice(&piece);
        spill.room().await;
        assert!(spill.waiting.len() < MOST_WAITING);
    }
    let full = spill.finish().await;
    assert!(content(&full) == expected);
    assert_eq!((full.bytes, &full.incomplete), (expected.len() as u64, &None));
    let mode = full.path.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_file_stops_at_its_limit_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut spill = Spill::create(folder.path(), 10).unwrap();
    for piece in [b"1234".as_slice(), b"5678", b"90AB", b"CDEF"] {
        spill.push(piece);
        spill.room().await;
    }
    let full = spill.finish().await;
    assert_eq!(content(&full), b"1234567890");
    assert_eq!((full.bytes, full.incomplete), (10, Some(Incomplete::Limit { bytes: 10 })));
}

#[tokio::test]
async fn a_file_nobody_was_told_of_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let mut spill = Spill::create(folder.path(), 10).unwrap();
    spill.push(b"secret");
    spill.flush().await;
    drop(spill);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_file_that_cannot_be_created_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let full = Spill::create(&folder.path().join("missing"), 10).err().unwrap();
    let message = "No such file or directory (os error 2)".to_owned();
    assert_eq!((full.bytes, full.incomplete), (0, Some(Incomplete::Failed { message })));
}

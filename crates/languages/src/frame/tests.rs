//! Frames come out whole, however their bytes come, and nothing that is written can break or fill the reader.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

/// All that is read when the bytes come in pieces of these sizes, again and again.
fn read(bytes: &[u8], sizes: &[usize]) -> (Vec<Frame>, Option<FrameError>) {
    let (mut frames, mut read, mut rest) = (Frames::default(), Vec::new(), bytes);
    let mut sizes = sizes.iter().copied().cycle();
    while !rest.is_empty() {
        let size = sizes.next().unwrap_or(rest.len()).clamp(1, rest.len());
        frames.push(&rest[..size]);
        rest = &rest[size..];
        loop {
            match frames.next() {
                Ok(Some(frame)) => read.push(frame),
                Ok(None) => break,
                Err(error) => return (read, Some(error)),
            }
        }
    }
    (read, None)
}

fn frame(body: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(body.as_bytes(), &mut bytes);
    bytes
}

fn body(text: &str) -> Frame {
    Frame::Body(text.as_bytes().to_vec())
}

fn noise(text: &str) -> Frame {
    Frame::Noise(text.to_owned())
}

#[test]
fn headers_are_read_in_every_form_that_servers_write() {
    let cases: &[(&str, &[Frame])] = &[
        ("Content-Length: 2\r\n\r\n{}", &[body("{}")]),
        ("content-length:2\r\n\r\n{}", &[body("{}")]),
        ("Content-Length: 2\n\n{}", &[body("{}")]),
        (
            "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
            &[body("{}")],
        ),
        ("Content-Type: x\r\nContent-Length: 2\r\n\r\n{}", &[body("{}")]),
        ("Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\na", &[body(""), body("a")]),
        ("Content-Length: 7\r\nContent-Length: 1\r\n\r\na", &[body("a")]),
    ];
    for (bytes, expected) in cases {
        assert_eq!(read(bytes.as_bytes(), &[]), (expected.to_vec(), None), "{bytes:?}");
    }
}

#[test]
fn what_is_no_frame_is_told_and_the_next_frame_is_read() {
    let cases: &[(&str, &[Frame])] = &[
        ("starting…\nContent-Length: 1\r\n\r\na", &[noise("starting…"), body("a")]),
        ("no endContent-Length: 1\r\n\r\na", &[noise("no end"), body("a")]),
        ("\n\r\n\nContent-Length: 1\r\n\r\na", &[body("a")]),
        (
            "Content-Length: x\r\n\r\nContent-Length: 1\r\n\r\na",
            &[noise("Content-Length: x"), body("a")],
        ),
        ("Content-Length: -1\r\n\r\n", &[noise("Content-Length: -1")]),
        ("Content-Length: 1\r\nwhat?\r\n\r\na", &[noise("what?"), body("a")]),
        (
            "Content-Length: 99999999999999999999\r\n\r\nContent-Length: 1\r\n\r\na",
            &[noise("Content-Length: 99999999999999999999"), body("a")],
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(read(bytes.as_bytes(), &[]), (expected.to_vec(), None), "{bytes:?}");
    }
}

#[test]
fn a_body_that_is_too_large_is_skipped_and_not_kept() {
    let bytes = LARGEST_BODY as u64 + 1;
    let mut frames = Frames::default();
    frames.push(format!("Content-Length: {bytes}\r\n\r\n").as_bytes());
    assert_eq!(frames.next(), Ok(None));
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..64 {
        frames.push(&piece);
        assert_eq!(frames.next(), Ok(None));
        assert!(frames.bytes.len() <= piece.len());
    }
    frames.push(b"xContent-Length: 1\r\n\r\na");
    assert_eq!(frames.next(), Ok(Some(Frame::TooLarge { bytes })));
    assert_eq!(frames.next(), Ok(Some(body("a"))));
}

#[test]
fn a_length_that_cannot_be_meant_and_noise_without_end_are_the_end() {
    let mut frames = Frames::default();
    frames.push(b"Content-Length: 1073741825\r\n\r\n");
    assert_eq!(frames.next(), Err(FrameError::Length(1_073_741_825)));
    frames.push(b"Content-Length: 1\r\n\r\na");
    assert_eq!(frames.next(), Err(FrameError::Length(1_073_741_825)));

    for noise in ["a line\n", "\n", "no line at all"] {
        let (read, error) = read(noise.repeat(50_000).as_bytes(), &[4096]);
        let expected = (noise != "\n").then_some(FrameError::Noise);
        assert_eq!(error, expected, "{noise:?} after {}", read.len());
    }
    let (_, error) = read("\n".repeat(200_000).as_bytes(), &[4096]);
    assert_eq!(error, Some(FrameError::Noise));
}

#[test]
fn noise_is_counted_from_one_frame_to_the_next() {
    let some = [b"x\n".repeat(MOST_NOISE / 3), frame("a")].concat();
    let (read, error) = read(&some.repeat(3), &[1000]);
    assert_eq!(error, None);
    assert_eq!(read.iter().filter(|it| **it == body("a")).count(), 3);
}

#[test]
fn any_bytes_are_read_the_same_however_they_come() {
    let seeds: &[&[u8]] = &[
        b"Content-Length: 2\r\n\r\n{}",
        b"noise\nContent-Length: 3\r\nContent-Type: x\r\n\r\nabcContent-Length: 0\r\n\r\n",
        b"Content-Length: 99999999\r\n\r\nabc",
        b"Content-Length: 1099511627776\r\n\r\n",
        b"\r\n\r\nContent-Length:\r\n",
        &[b'x'; 1020],
    ];
    openspace_fuzz::hold(seeds, |bytes| {
        let whole = read(bytes, &[]);
        for sizes in [&[1][..], &[2, 3], &[7, 1, 64]] {
            assert_eq!(read(bytes, sizes), whole);
        }
    });
}

proptest! {
    #[test]
    fn what_was_written_is_read(
        bodies in prop::collection::vec(".{0,40}", 0..8),
        sizes in prop::collection::vec(1_usize..50, 1..5),
    ) {
        let bytes: Vec<u8> = bodies.iter().flat_map(|it| frame(it)).collect();
        let expected = bodies.iter().map(|it| body(it)).collect();
        prop_assert_eq!(read(&bytes, &sizes), (expected, None));
    }
}

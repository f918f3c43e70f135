//! How long it takes to mask what a flooded terminal prints, with many secrets known: `cargo xtask bench` runs it
//! and holds it against the terminal. Prints one line of JSON.

#![expect(clippy::print_stdout, reason = "what is measured goes to who asked")]

use std::{fmt::Write as _, sync::Arc, time::Instant};

use openspace_secrets::{Masker, Stream, Value};

const LINES: u32 = 2_000_000;
const SECRETS: u32 = 1_000;
/// What a terminal hands on at once.
const PIECE: usize = 8 * 1024;
const ROUNDS: usize = 5;

fn main() {
    let mut text = String::new();
    for line in 1..=LINES {
        let _ = writeln!(text, "{line}");
    }
    let values: Vec<Value> = (0..SECRETS)
        .map(|number| Value::new("KEY of .env", format!("k{number:04}Zq9vLw3TxRb7Nd")))
        .collect();
    let masker = Arc::new(Masker::new(&values));
    let mut times: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            let mut stream = Stream::new(Arc::clone(&masker));
            let mut length = 0;
            for piece in text.as_bytes().chunks(PIECE) {
                length += stream.push(&String::from_utf8_lossy(piece)).len();
            }
            length += stream.finish().len();
            assert_eq!((length, stream.count()), (text.len(), 0));
            begin.elapsed()
        })
        .collect();
    times.sort();
    println!("{{\"ns\":{}}}", times[ROUNDS / 2].as_nanos());
}

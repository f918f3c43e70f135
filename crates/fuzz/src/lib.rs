//! For tests: many hostile inputs for one function, which panics when something does not hold.
//!
//! In an ordinary test the inputs are few and the same in every run. `cargo xtask fuzz` runs the same
//! test for as long as it is told, with inputs that are new each time, and makes an input that broke
//! something smaller before it names it. There is no feedback from the code: an input is a seed with
//! some damage, so the seeds decide what is reached.

#![allow(clippy::print_stderr, reason = "for tests and the person who runs them")]

mod hex;
mod inputs;

use std::{
    env,
    hash::{BuildHasher, RandomState},
    panic::{self, AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use inputs::Inputs;

/// How many inputs an ordinary test tries.
const CASES: usize = 4_000;
/// What an ordinary test begins with.
const ALWAYS_THE_SAME: u64 = 0x6f70_656e_7370_6163;
/// How many smaller inputs are tried once one broke something.
const SMALLER: usize = 4_000;

/// How long to go on, in seconds; then nothing is the same as in another run.
pub const SECONDS: &str = "OPENSPACE_FUZZ_SECONDS";
/// One input to try alone, in hexadecimal.
pub const INPUT: &str = "OPENSPACE_FUZZ_INPUT";

/// Panics with the input, in hexadecimal, for which `run` panics. What is tried are the seeds
/// themselves and then what damage makes of them.
pub fn hold(seeds: &[&[u8]], run: impl Fn(&[u8])) {
    if let Some(input) = variable(INPUT) {
        let Some(input) = hex::read(&input) else { panic!("{INPUT} is not hexadecimal") };
        run(&input);
        eprintln!("nothing is wrong with these {} bytes", input.len());
        return;
    }
    let Some(seconds) = variable(SECONDS) else {
        let inputs = Inputs::new(seeds, ALWAYS_THE_SAME);
        for input in inputs.take(CASES) {
            if let Err(cause) = attempt(&run, &input) {
                eprintln!("{}", verdict(&input));
                panic::resume_unwind(cause);
            }
        }
        return;
    };
    let Ok(seconds) = seconds.parse() else { panic!("{SECONDS} is not a number of seconds") };
    search(seeds, run, Duration::from_secs(seconds));
}

/// Pieces of an input, for a function of several texts: 0xff, which no text holds, ends a piece.
/// Pieces that are missing are empty.
pub fn texts<const COUNT: usize>(input: &[u8]) -> [String; COUNT] {
    let mut pieces = input.split(|byte| *byte == 0xff);
    std::array::from_fn(|_| String::from_utf8_lossy(pieces.next().unwrap_or_default()).into_owned())
}

fn search(seeds: &[&[u8]], run: impl Fn(&[u8]), time: Duration) {
    // This process runs one test, and not every panic in it is a fault: only the last one is told.
    panic::set_hook(Box::new(|_| {}));
    let begin = Instant::now();
    let (mut tried, mut told) = (0_u64, begin);
    let inputs = Inputs::new(seeds, RandomState::new().hash_one(begin));
    for input in inputs {
        if attempt(&run, &input).is_err() {
            let small = smaller(&run, input);
            drop(panic::take_hook());
            eprintln!("after {tried} inputs: {}", verdict(&small));
            run(&small);
            panic!("but not every time");
        }
        tried += 1;
        let now = Instant::now();
        if now - begin >= time {
            break;
        }
        if now - told >= Duration::from_secs(10) {
            eprintln!("{tried} inputs in {} s, nothing found", (now - begin).as_secs());
            told = now;
        }
    }
    drop(panic::take_hook());
    eprintln!("{tried} inputs in {} s, nothing found", begin.elapsed().as_secs());
}

fn attempt(run: &impl Fn(&[u8]), input: &[u8]) -> std::thread::Result<()> {
    catch_unwind(AssertUnwindSafe(|| run(input)))
}

/// Leaves out, from large pieces to single bytes, what the failure does not need.
fn smaller(run: &impl Fn(&[u8]), mut input: Vec<u8>) -> Vec<u8> {
    let mut tries = 0;
    let mut size = input.len().div_ceil(2);
    while size > 0 && tries < SMALLER {
        let mut at = 0;
        while at < input.len() && tries < SMALLER {
            let mut without = input.clone();
            without.drain(at..(at + size).min(input.len()));
            tries += 1;
            if attempt(run, &without).is_err() {
                input = without;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    input
}

fn verdict(input: &[u8]) -> String {
    format!("these {} bytes break it: {}", input.len(), hex::write(input))
}

#[expect(clippy::disallowed_methods, reason = "how the repository's own commands speak to a test")]
fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

#[cfg(test)]
mod tests;

//! What is found in lines. The large table of lines is with the policy, which gives the verdicts.

use crate::{Doubt, Finding, Judged, Shell, read};

mod bounds;
mod fuzz;
mod looking;
mod patterns;
mod products;
mod readers;
mod shells;
mod sources;

fn judged(line: &str) -> Judged {
    read(line, Shell::Bash)
}

/// The text of each part with its findings, and the doubts.
fn told(line: &str) -> (Vec<(String, Vec<Finding>)>, Vec<Doubt>) {
    let Judged { parts, doubts, .. } = judged(line);
    (parts.into_iter().map(|part| (part.text, part.findings)).collect(), doubts)
}

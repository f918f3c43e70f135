//! What may be depended on: the rules of `deny.toml`, held against what cargo and npm resolved.
//!
//! It is what `cargo deny check bans licenses sources` does, without the minutes that compiling that
//! program takes, and the same for npm. Advisories need a database that is fetched: those of npm are
//! asked for and it is said when nobody answers; those for crates are left to `cargo deny`.

mod crates;
mod npm;
mod rules;
mod spdx;

use anyhow::{Context, Result, bail};

use crate::repository::Repository;
use rules::Rules;

/// Errors fail; notes are only told.
#[derive(Debug, Default, PartialEq, Eq)]
struct Findings {
    errors: Vec<String>,
    notes: Vec<String>,
}

pub(crate) fn check(repository: &Repository) -> Result<()> {
    let path = repository.root.join("deny.toml");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let rules = Rules::parse(&text)?;
    let mut findings = Findings::default();
    crates::check(repository, &rules, &mut findings)?;
    npm::check(repository, &rules, &mut findings)?;
    for note in &findings.notes {
        println!("note: {note}");
    }
    for error in &findings.errors {
        println!("error: {error}");
    }
    match findings.errors.len() {
        0 => Ok(()),
        number => bail!("{number} dependencies are not as deny.toml wants them"),
    }
}

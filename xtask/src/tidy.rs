//! `cargo xtask tidy`: the repository's own rules, those no compiler or linter knows.
//!
//! Each rule reads the tree and adds to one report; none changes a file. All rules run, so that
//! one run names everything that is wrong.

mod commands;
mod documents;
mod edges;
mod sources;
mod tree;
mod web;
mod words;

use anyhow::{Result, bail};

use crate::repository::Repository;
use tree::Tree;

/// What the rules found: errors fail, warnings are only told.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Report {
    fn error(&mut self, message: impl Into<String>) {
        self.errors.push(message.into());
    }

    fn warn(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }
}

pub(crate) fn run(repository: &Repository) -> Result<()> {
    let tree = Tree::read(&repository.root)?;
    let packages = edges::packages(repository)?;
    let mut report = Report::default();
    edges::check(&packages, edges::CRATES, edges::HOMES, &mut report);
    sources::check(&tree, &mut report);
    web::check(&tree, &mut report);
    words::check(&tree, words::EXCEPTIONS, &mut report);
    commands::check(&tree, &mut report);
    documents::check(&tree, &mut report);

    for warning in &report.warnings {
        println!("warning: {warning}");
    }
    for error in &report.errors {
        println!("error: {error}");
    }
    match report.errors.len() {
        0 => Ok(()),
        1 => bail!("1 rule of the repository is broken"),
        number => bail!("{number} rules of the repository are broken"),
    }
}

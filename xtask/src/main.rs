//! `cargo xtask <verb>`: the repository's own commands, the same for people and for CI.
//!
//! It knows the product only as a program to build and to run: it depends on none of its crates,
//! so that it compiles in seconds and can judge them from outside.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool: results go to stdout, progress to stderr"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "works on the repository itself: reads its files, starts cargo and npm"
)]

mod api;
mod arguments;
mod bench;
mod codegen;
mod conformance;
mod dependencies;
mod dist;
mod fuzz;
mod gemini;
mod kept;
mod languages;
mod measure;
mod opencode;
mod packages;
mod python;
mod qwen;
mod repository;
mod run;
mod runner;
mod scratch;
mod server;
mod test;
mod tidy;
mod tools;
mod web;

use std::{env, process::ExitCode};

use crate::{
    arguments::{HELP, Task},
    repository::Repository,
};

const WRONG_USE: u8 = 2;

fn main() -> ExitCode {
    let task = match Task::parse(env::args_os().skip(1)) {
        Ok(task) => task,
        Err(problem) => {
            eprint!("error: {problem}\n\n{HELP}");
            return ExitCode::from(WRONG_USE);
        }
    };
    match perform(task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> anyhow::Result<()> {
    match task {
        Task::Help => {
            print!("{HELP}");
            Ok(())
        }
        Task::Run { path, arguments } => run::run(&Repository::find()?, &path, &arguments),
        Task::Test { crates, filters } if crates.is_empty() && filters.is_empty() => {
            test::everything(&Repository::find()?)
        }
        Task::Test { crates, filters } => test::chosen(&Repository::find()?, &crates, &filters),
        Task::Tidy => tidy::run(&Repository::find()?),
        Task::Dependencies => dependencies::check(&Repository::find()?),
        Task::Api => api::run(&Repository::find()?),
        Task::Conformance => conformance::run(&Repository::find()?),
        Task::Bench { filters, as_json } => bench::run(&Repository::find()?, &filters, as_json),
        Task::Fuzz { target, what } => fuzz::run(&Repository::find()?, &target, &what),
        Task::Coverage { crates } => measure::coverage(&Repository::find()?, &crates),
        Task::Mutants { crates } => measure::mutants(&Repository::find()?, &crates),
        Task::Dist { profile } => dist::run(&Repository::find()?, &profile),
        Task::Codegen => codegen::write(&Repository::find()?),
    }
}

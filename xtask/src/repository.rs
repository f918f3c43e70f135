//! The repository this tool belongs to, and how cargo is called in it.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

const BINARY: &str = "openspace";
/// What the tests are built with, so that cargo resolves the same features and builds nothing twice.
const EVERYTHING: &[&str] = &["--workspace", "--bins", "--tests", "--examples"];

pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    cargo: OsString,
}

impl Repository {
    /// Cargo says where the package it runs lies and which cargo it is; a path compiled in would
    /// be wrong after the tree has moved.
    pub(crate) fn find() -> Result<Self> {
        let (Some(manifest), Some(cargo)) =
            (env::var_os("CARGO_MANIFEST_DIR"), env::var_os("CARGO"))
        else {
            bail!("start it as `cargo xtask`");
        };
        let root = Path::new(&manifest).parent().map(Path::to_owned);
        Ok(Self { root: root.context("the package has no parent folder")?, cargo })
    }

    /// Cargo with these arguments, in the root of the repository.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.cargo);
        command.args(arguments).current_dir(&self.root);
        if env::var("CI").is_ok_and(|value| value == "true") {
            command.env("CARGO_TERM_COLOR", "never").env("NO_COLOR", "1");
        }
        command
    }

    /// Builds the program as the tests see it and says where it lies.
    pub(crate) fn debug_binary(&self) -> Result<PathBuf> {
        self.build(BINARY, EVERYTHING)
    }

    /// Builds an example beside the tests and says where it lies.
    pub(crate) fn debug_example(&self, example: &str) -> Result<PathBuf> {
        self.build(example, EVERYTHING)
    }

    /// Builds the program as people use it and says where it lies.
    pub(crate) fn release_binary(&self) -> Result<PathBuf> {
        self.build(BINARY, &["--release", "--package", BINARY])
    }

    /// Builds an example of a package beside the program as people use it and says where it lies.
    pub(crate) fn release_example(&self, package: &str, example: &str) -> Result<PathBuf> {
        self.build(example, &["--release", "--package", package, "--example", example])
    }

    /// Builds something and says where one of the programs lies.
    pub(crate) fn build(&self, program: &str, what: &[&str]) -> Result<PathBuf> {
        let mut command =
            self.cargo(&["build", "--locked", "--message-format=json-render-diagnostics"]);
        let output = command
            .args(what)
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        if !output.status.success() {
            bail!("cargo build failed: {}", output.status);
        }
        String::from_utf8(output.stdout)?
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find_map(|message| executable(program, &message))
            .ok_or_else(|| anyhow!("cargo built no program `{program}`"))
    }
}

/// The path in cargo's message about the finished program; test programs have the same name but
/// another profile.
fn executable(program: &str, message: &Value) -> Option<PathBuf> {
    let is_program = message["reason"] == "compiler-artifact"
        && message["target"]["name"] == *program
        && (message["target"]["kind"][0] == "bin" || message["target"]["kind"][0] == "example")
        && message["profile"]["test"] == false;
    is_program.then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
}

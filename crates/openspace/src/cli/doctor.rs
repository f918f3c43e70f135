//! `openspace doctor`: what this machine can do to keep programs apart, what is missing, and how to get it.
//!
//! Each place is found out by making one and ending it at once. Nothing is changed and nothing installed.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use clap::Args;
use openspace_isolation::{ConfinedSpec, IsolationError, Machine, Provider, Spec, Statement};
use serde_json::{Value, json};

use super::hosting::runner;
use crate::{environment::Environment, output::print};

/// Where to look.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// The folder that agents would work in.
    #[arg(value_name = "FOLDER", default_value = ".")]
    path: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// The runner program [default: openspace-runner beside this program].
    #[arg(long, value_name = "FILE", env = "OPENSPACE_RUNNER", hide_short_help = true)]
    runner: Option<PathBuf>,
}

/// What was looked at.
struct Look {
    what: &'static str,
    found: Result<Statement, IsolationError>,
}

impl Look {
    fn text(&self) -> String {
        match &self.found {
            Ok(statement) => {
                let mut text = format!("{}: yes ({})", self.what, statement.layers.join(", "));
                for caveat in &statement.caveats {
                    text.push_str("\n  but: ");
                    text.push_str(caveat);
                }
                text
            }
            Err(error) => {
                let hint = error.hint().map(|hint| format!("\n  hint: {hint}"));
                format!("{}: no, {error}{}", self.what, hint.unwrap_or_default())
            }
        }
    }

    fn value(&self) -> Value {
        match &self.found {
            Ok(statement) => json!({"what": self.what, "ok": true, "isolation": statement}),
            Err(error) => {
                json!({"what": self.what, "ok": false, "why": error.to_string(), "hint": error.hint()})
            }
        }
    }
}

/// Look, and say what was found. It fails when agents' programs cannot be confined.
pub(super) async fn show(wanted: &Doctor, environment: &Environment) -> Result<ExitCode> {
    let root = wanted.path.canonicalize().unwrap_or_else(|_| wanted.path.clone());
    let runner = runner(wanted.runner.as_deref())?.unwrap_or_else(|| "openspace-runner".into());
    let machine = Machine::default();
    let spec = |name: &str| Spec {
        environment: environment.variables.clone(),
        ..Spec::new(format!("doctor-{name}"), &root, &runner)
    };
    let confined = ConfinedSpec {
        home: environment.home.clone(),
        hidden: vec![environment.state.clone(), environment.config.clone()],
        ..ConfinedSpec::new(spec("agents"))
    };
    let looks = [
        Look {
            what: "agents' programs are confined",
            found: machine.probe_confined(&confined).await,
        },
        Look {
            what: "workspaces can be sandboxes",
            found: machine.probe(&spec("sandbox"), Provider::Sandbox).await,
        },
    ];
    print(&if wanted.json {
        json!({"folder": root, "runner": runner, "looks": looks.each_ref().map(Look::value)})
            .to_string()
    } else {
        said(&root, &runner, &looks)
    })?;
    let is_well = looks[0].found.is_ok();
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn said(root: &Path, runner: &Path, looks: &[Look]) -> String {
    let mut text = format!("folder: {}\nrunner: {}", root.display(), runner.display());
    for look in looks {
        text.push('\n');
        text.push_str(&look.text());
    }
    text
}

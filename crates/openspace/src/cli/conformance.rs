//! `openspace conformance`: whether the tools do the same on every provider of this machine.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail};
use clap::Args;
use openspace_isolation::Provider;

use super::hosting::runner;
use crate::{
    conformance::{Plan, cases, run},
    environment::Environment,
    output::print,
};

/// Where programs are looked for when the environment does not say.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Which cases, and where.
#[derive(Debug, Args)]
pub(super) struct Conformance {
    /// Where: `local`, `runner`, `sandbox` or `all`.
    #[arg(long, value_name = "PROVIDER", default_value = "all")]
    provider: String,
    /// Only cases whose area or name has this text in it; letter case does not matter.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Print one object of JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// The runner program [default: openspace-runner beside this program].
    #[arg(long, value_name = "FILE", env = "OPENSPACE_RUNNER")]
    runner: Option<PathBuf>,
    /// Run the cases of this file instead of those that come with the program.
    #[arg(long, value_name = "FILE", hide = true)]
    cases: Option<PathBuf>,
}

/// Run the cases and print what came of them.
pub(super) async fn show(wanted: &Conformance, environment: &Environment) -> Result<ExitCode> {
    let providers = match wanted.provider.as_str() {
        "all" => Provider::ALL.to_vec(),
        name => vec![name.parse()?],
    };
    let cases = chosen(wanted)?;
    let path = environment.variables.iter().find(|(name, _)| name == "PATH");
    let report = run(Plan {
        providers,
        cases,
        runner: runner(wanted.runner.as_deref())?,
        path: path.map_or_else(|| USUAL_PATH.into(), |(_, path)| path.clone()),
    })
    .await?;
    print(&if wanted.json { report.to_value().to_string() } else { report.to_text() })?;
    Ok(if report.all_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(wanted: &Conformance) -> Result<Vec<cases::Case>> {
    let mut cases = match &wanted.cases {
        Some(file) => {
            #[expect(clippy::disallowed_methods, reason = "the file is given on the command line")]
            let text = std::fs::read_to_string(file);
            let text = text.with_context(|| format!("{} cannot be read", file.display()))?;
            cases::read_all([("given", text.as_str())])?
        }
        None => cases::built_in()?,
    };
    if let Some(filter) = &wanted.filter {
        let filter = filter.to_lowercase();
        cases.retain(|case| {
            case.area.to_lowercase().contains(&filter) || case.name.to_lowercase().contains(&filter)
        });
    }
    if cases.is_empty() {
        bail!("no case fits\n  hint: leave --filter out to see all areas");
    }
    Ok(cases)
}

//! Steps that do not wait for each other, and what is told at the end.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::patience;
use crate::repository::Repository;

/// After so long it is said that a step is still at work, and again after each such time.
const PATIENCE: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests;

pub(super) struct Step {
    pub(super) name: &'static str,
    /// Steps before this one without which it would only fail in their words.
    pub(super) needs: &'static [&'static str],
    pub(super) run: fn(&Repository) -> Result<()>,
}

/// What became of a step.
pub(super) struct Done {
    name: &'static str,
    outcome: Outcome,
}

enum Outcome {
    Passed(Duration),
    Failed(Duration, anyhow::Error),
    /// The step that failed, or was not run itself.
    NotRun(&'static str),
}

/// Runs every step that can be run, and says when each begins and ends.
pub(super) fn run(steps: &[Step], repository: &Repository) -> Vec<Done> {
    let mut results: Vec<Done> = Vec::new();
    for (number, step) in (1..).zip(steps) {
        let missing = step.needs.iter().find(|need| !passed(&results, need));
        let outcome = if let Some(missing) = missing {
            eprintln!(
                "==> {number}/{} {}: not run, `{missing}` is missing",
                steps.len(),
                step.name
            );
            Outcome::NotRun(missing)
        } else {
            eprintln!("==> {number}/{} {}", steps.len(), step.name);
            let start = Instant::now();
            let tell = |time: Duration| {
                eprintln!("==> {}: at work for {} s", step.name, time.as_secs());
            };
            match patience::telling(PATIENCE, tell, || (step.run)(repository)) {
                Ok(()) => Outcome::Passed(start.elapsed()),
                Err(error) => {
                    eprintln!("==> {} failed: {error:#}", step.name);
                    Outcome::Failed(start.elapsed(), error)
                }
            }
        };
        results.push(Done { name: step.name, outcome });
    }
    results
}

fn passed(results: &[Done], name: &str) -> bool {
    let found = results.iter().find(|done| done.name == name);
    found.is_some_and(|done| matches!(done.outcome, Outcome::Passed(_)))
}

/// One line for each step.
pub(super) fn table(results: &[Done]) -> String {
    let line = |done: &Done| {
        let (result, more) = match &done.outcome {
            Outcome::Passed(time) => ("passed", seconds(*time)),
            Outcome::Failed(time, _) => ("failed", seconds(*time)),
            Outcome::NotRun(missing) => ("not run", format!("needs {missing}")),
        };
        format!("{:<13} {result:<9} {more}\n", done.name)
    };
    let lines: String = results.iter().map(line).collect();
    format!("\nstep          result    time\n{lines}")
}

/// What is wrong, each failure with its reason; empty when all steps passed.
pub(super) fn verdict(results: &[Done]) -> String {
    let failed: Vec<String> = results
        .iter()
        .filter_map(|done| match &done.outcome {
            Outcome::Failed(_, error) => Some(format!("\n  {}: {error:#}", done.name)),
            Outcome::Passed(_) | Outcome::NotRun(_) => None,
        })
        .collect();
    let left = results.iter().filter(|done| matches!(done.outcome, Outcome::NotRun(_))).count();
    match (failed.len(), left) {
        (0, 0) => String::new(),
        (number, 0) => format!("{number} of {} steps failed{}", results.len(), failed.concat()),
        (number, left) => format!(
            "{number} of {} steps failed, {left} could not be run{}",
            results.len(),
            failed.concat()
        ),
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

//! What came of the cases: a table for people, an object for programs, one verdict.

use std::fmt::Write as _;

use anyhow::Result;
use openspace_isolation::Provider;
use serde_json::{Value, json};

use super::{cases::Case, matcher::Mismatch, run::Failure};

#[cfg(test)]
mod tests;

/// Width of a column of the table.
const COLUMN: usize = 12;

/// A case that failed.
#[derive(Debug)]
struct Failed {
    provider: Provider,
    area: String,
    name: String,
    spec: String,
    failures: Vec<Failure>,
}

/// How many cases passed, of how many.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    passed: usize,
    total: usize,
}

/// One provider.
#[derive(Debug)]
struct Column {
    provider: Provider,
    /// In the order of the areas.
    counts: Vec<Count>,
    /// Why no case could run.
    missing: Option<String>,
}

impl Column {
    fn total(&self) -> Count {
        let add = |sum: Count, count: &Count| Count {
            passed: sum.passed + count.passed,
            total: sum.total + count.total,
        };
        self.counts.iter().fold(Count::default(), add)
    }
}

/// What came of all cases.
#[derive(Debug)]
pub struct Report {
    areas: Vec<String>,
    columns: Vec<Column>,
    failed: Vec<Failed>,
}

impl Report {
    /// An empty report on these cases.
    pub fn new(cases: &[Case]) -> Self {
        let mut areas: Vec<String> = Vec::new();
        for case in cases {
            if !areas.contains(&case.area) {
                areas.push(case.area.clone());
            }
        }
        Self { areas, columns: Vec::new(), failed: Vec::new() }
    }

    fn column(&mut self, provider: Provider) -> usize {
        let known = self.columns.iter().position(|column| column.provider == provider);
        known.unwrap_or_else(|| {
            let counts = vec![Count::default(); self.areas.len()];
            self.columns.push(Column { provider, counts, missing: None });
            self.columns.len() - 1
        })
    }

    /// A provider on which nothing can run.
    pub fn cannot_be_had(&mut self, provider: Provider, reason: String) {
        let column = self.column(provider);
        self.columns[column].missing = Some(reason);
    }

    /// How a case ended.
    pub fn add(&mut self, provider: Provider, case: &Case, end: Result<Vec<Failure>>) {
        let failures = end.unwrap_or_else(|error| {
            let mismatch = Mismatch {
                at: String::new(),
                expected: "that it runs".into(),
                found: format!("{error:#}"),
            };
            vec![Failure { place: "the case".into(), mismatch }]
        });
        let column = self.column(provider);
        if let Some(area) = self.areas.iter().position(|area| *area == case.area) {
            let count = &mut self.columns[column].counts[area];
            count.total += 1;
            count.passed += usize::from(failures.is_empty());
        }
        if !failures.is_empty() {
            self.failed.push(Failed {
                provider,
                area: case.area.clone(),
                name: case.name.clone(),
                spec: case.spec.clone(),
                failures,
            });
        }
    }

    /// Whether every case passed on every provider, and there was one.
    pub fn all_passed(&self) -> bool {
        let ran = |column: &Column| column.missing.is_none() && column.total().total > 0;
        self.failed.is_empty() && !self.columns.is_empty() && self.columns.iter().all(ran)
    }

    /// A table, then each failure.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let row = |text: &mut String, name: &str, cells: Vec<String>| {
            // Writing into a string cannot fail.
            _ = write!(text, "{name:<COLUMN$}");
            for cell in cells {
                _ = write!(text, "{cell:>COLUMN$}");
            }
            text.push('\n');
        };
        let cell = |count: Count| format!("{}/{}", count.passed, count.total);
        let providers = self.columns.iter().map(|column| column.provider.to_string()).collect();
        row(&mut text, "area", providers);
        for (index, area) in self.areas.iter().enumerate() {
            let cells = self.columns.iter().map(|column| cell(column.counts[index])).collect();
            row(&mut text, area, cells);
        }
        let totals = self.columns.iter().map(|column| cell(column.total())).collect();
        row(&mut text, "all", totals);
        for column in &self.columns {
            if let Some(reason) = &column.missing {
                _ = writeln!(text, "\n{} cannot be had: {reason}", column.provider);
            }
        }
        for failed in &self.failed {
            let Failed { provider, area, name, spec, .. } = failed;
            _ = writeln!(text, "\nFAILED on {provider}: {name} ({area}, {spec})");
            for Failure { place, mismatch } in &failed.failures {
                let Mismatch { at, expected, found } = mismatch;
                let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
                _ = writeln!(
                    text,
                    "  {place}{at}\n    expected  {expected}\n    found     {found}"
                );
            }
        }
        let passed: usize = self.columns.iter().map(|column| column.total().passed).sum();
        let total: usize = self.columns.iter().map(|column| column.total().total).sum();
        _ = write!(text, "\n{passed} of {total} passed");
        text
    }

    /// The same for programs.
    pub fn to_value(&self) -> Value {
        let count = |count: Count| {
            let Count { passed, total } = count;
            json!({"passed": passed, "failed": total - passed, "total": total})
        };
        let providers: Vec<Value> = self
            .columns
            .iter()
            .map(|column| {
                let mut provider = count(column.total());
                provider["provider"] = column.provider.name().into();
                provider["missing"] = column.missing.clone().into();
                let areas = self.areas.iter().zip(&column.counts);
                provider["areas"] =
                    areas.map(|(area, passed)| (area.clone(), count(*passed))).collect();
                provider
            })
            .collect();
        let failures: Vec<Value> = self
            .failed
            .iter()
            .map(|failed| {
                let Failed { provider, area, name, spec, failures } = failed;
                let differences: Vec<Value> = failures
                    .iter()
                    .map(|Failure { place, mismatch }| {
                        let Mismatch { at, expected, found } = mismatch;
                        json!({"place": place, "at": at, "expected": expected, "found": found})
                    })
                    .collect();
                json!({"provider": provider.name(), "area": area, "name": name, "spec": spec, "differences": differences})
            })
            .collect();
        json!({"passed": self.all_passed(), "providers": providers, "failures": failures})
    }
}

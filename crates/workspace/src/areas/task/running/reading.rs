//! Reads what a task prints, and gathers the problems in it for the list of problems.

use std::{path::PathBuf, sync::Arc};

use openspace_command::Result;
use openspace_protocol::RelPath;

use super::super::{
    matchers::Matcher,
    scan::{Scan, Seen, Turn},
};
use crate::{
    OpenSpace,
    areas::problems::{MAX_MESSAGE, MAX_NAME, Problem, ProblemsPart, replace},
};

/// Problems of one run; further ones are counted by nobody.
const MAX_FOUND: usize = 2_000;

/// What was read of one run.
pub(super) struct Reader {
    state: Arc<OpenSpace>,
    source: String,
    /// The folder that files are relative to where a matcher names none.
    folder: PathBuf,
    scans: Vec<Scan>,
    found: Vec<Problem>,
    cursor: u64,
}

impl Reader {
    pub(super) fn new(
        state: &Arc<OpenSpace>,
        label: &str,
        folder: &RelPath,
        matchers: Vec<Matcher>,
    ) -> Self {
        Self {
            state: Arc::clone(state),
            source: label.chars().take(MAX_NAME).collect(),
            folder: state.root().join(folder.as_str()),
            scans: matchers.into_iter().map(Scan::new).collect(),
            found: Vec::new(),
            cursor: 0,
        }
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn cursor(&self) -> u64 {
        self.cursor
    }

    pub(super) fn read_to(&mut self, cursor: u64) {
        self.cursor = cursor;
    }

    pub(super) fn has_cycle(&self) -> bool {
        self.scans.iter().any(|scan| scan.matcher().cycle.is_some())
    }

    /// Lines are missing: what comes now goes on with nothing.
    pub(super) fn gap(&mut self) {
        self.scans.iter_mut().for_each(Scan::start_over);
    }

    /// The next line; whether the task has looked with it.
    pub(super) fn line(&mut self, line: &str) -> bool {
        let mut has_looked = false;
        let mut found = Vec::new();
        for scan in &mut self.scans {
            match scan.turn(line) {
                Some(Turn::Begins) => {
                    scan.start_over();
                    self.found.clear();
                    continue;
                }
                Some(Turn::Ends) => has_looked = true,
                None => {}
            }
            for seen in scan.line(line) {
                found.push((seen, scan.matcher().severity, scan.matcher().base.clone()));
            }
        }
        for (seen, severity, base) in found {
            let base =
                base.map_or_else(|| self.folder.clone(), |base| self.state.root().join(base));
            let Some(path) = self.path(&seen.file, &base) else { continue };
            let problem = problem(seen, path, severity);
            if self.found.len() < MAX_FOUND && !self.found.contains(&problem) {
                self.found.push(problem);
            }
        }
        has_looked
    }

    /// A file of the workspace; what lies outside is nobody's problem here.
    fn path(&self, file: &str, base: &std::path::Path) -> Option<String> {
        let file = file.strip_prefix("file://").unwrap_or(file);
        let mut whole = PathBuf::new();
        for part in base.join(file).components() {
            match part {
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir => drop(whole.pop()),
                part => whole.push(part),
            }
        }
        let path = self.state.path(whole.to_str()?).ok()?;
        (!path.is_root()).then(|| path.to_string())
    }

    /// What an earlier run found is not what this one finds.
    pub(super) fn clear(&self) {
        if self.scans.is_empty() {
            return;
        }
        let state = self.state.space().state();
        if state.part::<ProblemsPart>().values().any(|file| file.source == self.source)
            && let Err(error) = self.put(Vec::new())
        {
            tracing::error!(%error, "the problems of a task could not be cleared");
        }
    }

    /// Replace what this task found before; none when nobody looks for problems in it.
    pub(super) fn publish(&self) -> Option<Result<usize>> {
        (!self.scans.is_empty()).then(|| self.put(self.found.clone()))
    }

    fn put(&self, found: Vec<Problem>) -> Result<usize> {
        let changed = self.state.space().change_now(|state| {
            replace(state.part_mut::<ProblemsPart>(), &self.source, None, found)
        });
        changed.map(|(count, _)| count)
    }
}

fn problem(seen: Seen, path: String, severity: crate::areas::problems::Severity) -> Problem {
    Problem {
        path,
        start_line: seen.line.unwrap_or(1),
        start_column: seen.column,
        end_line: seen.end_line,
        end_column: seen.end_column,
        severity: seen.severity.unwrap_or(severity),
        message: seen.message.chars().take(MAX_MESSAGE).collect(),
        code: seen.code.map(|code| code.chars().take(MAX_NAME).collect()),
    }
}

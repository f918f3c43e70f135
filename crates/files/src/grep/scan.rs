//! Which files are searched: neither secret ones nor ones that the query leaves out.

use std::{fs::Metadata, path::Path, sync::atomic::Ordering};

use globset::GlobSet;
use ignore::types::{Types, TypesBuilder};
use openspace_protocol::RelPath;

use super::{
    Action, FileError, Files, GrepError, GrepQuery, Kind,
    expression::{Expression, FileSearch},
    tally::Tally,
};
use crate::{
    files::{
        beneath::spell,
        twins::Twins,
        walk::parallel::{Found, Look, open_file},
    },
    rules::{glob_set, prefixes},
};

/// One search of a folder.
pub(super) struct Scan<'a> {
    files: &'a Files,
    query: &'a GrepQuery,
    expression: &'a Expression,
    /// The start as the caller knows it and, where a link led elsewhere, as it really is.
    starts: Vec<RelPath>,
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
    types: Option<Types>,
    twins: Twins<'a>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        files: &'a Files,
        query: &'a GrepQuery,
        start: &RelPath,
        expression: &'a Expression,
    ) -> Result<Self, GrepError> {
        let (include, exclude) = (globs(&query.include)?, globs(&query.exclude)?);
        let types = match &query.file_type {
            Some(name) => Some(
                TypesBuilder::new()
                    .add_defaults()
                    .select(name)
                    .build()
                    .map_err(|_| GrepError::UnknownType { name: name.clone() })?,
            ),
            None => None,
        };
        let starts = vec![start.clone()];
        let twins = Twins::new(files);
        Ok(Self { files, query, expression, starts, include, exclude, types, twins })
    }

    /// Refuse to search a folder that is secret itself, by its name or by its place.
    pub(super) fn guard(&mut self, place: &Path) -> Result<(), FileError> {
        let start = self.starts[0].clone();
        let place = spell(place)
            .map_err(|source| FileError::BadPath { text: start.to_string(), source })?;
        if place != start {
            self.starts.push(place);
        }
        for path in &self.starts {
            self.files.rules().may_read(path).map_err(|rule| FileError::Forbidden {
                path: start.clone(),
                action: Action::Read,
                rule: rule.to_owned(),
            })?;
        }
        Ok(())
    }

    /// Whether a file is to be searched; one that is but must not be opened is secret.
    pub(super) fn judge(&self, found: &Found<'_, Marks>) -> Verdict {
        let is_typed = || {
            self.types.as_ref().is_none_or(|types| types.matched(found.tail, false).is_whitelist())
        };
        let tail = found.tail.to_string_lossy();
        let covers = |globs: &Option<GlobSet>| {
            globs.as_ref().is_some_and(|globs| globs.is_match(&*beneath(&self.starts[0], &tail)))
        };
        let is_included = || found.marks.is_included || covers(&self.include);
        if found.kind != Kind::File
            || found.marks.is_excluded
            || !is_typed()
            || !is_included()
            || covers(&self.exclude)
        {
            Verdict::PassOver
        } else if found.marks.is_secret || self.is_secret(&tail) {
            Verdict::Secret
        } else {
            Verdict::Search
        }
    }

    /// Whether an open file is a secret one by another name.
    pub(super) fn is_twin(&self, metadata: &Metadata, halt: &dyn Fn() -> bool) -> bool {
        self.twins.have(metadata, halt)
    }

    fn is_secret(&self, tail: &str) -> bool {
        self.starts.iter().any(|start| self.files.rules().hides(&beneath(start, tail)))
    }
}

fn globs(patterns: &[String]) -> Result<Option<GlobSet>, FileError> {
    let globs = |patterns| Ok(glob_set(patterns, false)?);
    (!patterns.is_empty()).then(|| globs(patterns.iter().map(String::as_str))).transpose()
}

/// What is to be done with a file.
pub(super) enum Verdict {
    PassOver,
    Secret,
    Search,
}

/// A path beneath another, as text.
fn beneath<'a>(start: &RelPath, tail: &'a str) -> std::borrow::Cow<'a, str> {
    if start.is_root() { tail.into() } else { format!("{start}/{tail}").into() }
}

/// What is known of a folder and so of all in it.
#[derive(Clone, Copy)]
pub(super) struct Marks {
    is_secret: bool,
    is_included: bool,
    is_excluded: bool,
}

pub(super) struct Worker {
    search: FileSearch,
    pub(super) tally: Tally,
}

impl Look for Scan<'_> {
    type Marks = Marks;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker { search: FileSearch::for_counting(self.expression), tally: Tally::new(self.query) }
    }

    fn enter(&self, above: Option<Marks>, tail: &Path) -> Marks {
        let includes = |path: &str| self.include.as_ref().is_none_or(|glob| glob.is_match(path));
        let excludes = |path: &str| self.exclude.as_ref().is_some_and(|glob| glob.is_match(path));
        match above {
            None => Marks {
                is_secret: false,
                is_included: self.include.is_none() || prefixes(&self.starts[0]).any(includes),
                is_excluded: prefixes(&self.starts[0]).any(excludes),
            },
            Some(above) => {
                let tail = tail.to_string_lossy();
                let path = beneath(&self.starts[0], &tail);
                Marks {
                    is_secret: above.is_secret || self.is_secret(&tail),
                    is_included: above.is_included || includes(&path),
                    is_excluded: above.is_excluded || excludes(&path),
                }
            }
        }
    }

    fn look(&self, worker: &mut Worker, found: &Found<'_, Marks>) {
        match self.judge(found) {
            Verdict::PassOver => return,
            Verdict::Secret => {
                worker.tally.secret += 1;
                return;
            }
            Verdict::Search => {}
        }
        let halt = || found.stopped.load(Ordering::Relaxed);
        let counted = match open_file(found.folder, found.name) {
            Ok((_, metadata)) if self.is_twin(&metadata, &halt) => {
                worker.tally.secret += 1;
                return;
            }
            Ok((file, metadata)) => {
                worker.search.count(&file, metadata.len(), &halt, worker.tally.first_only())
            }
            Err(error) => Err(error),
        };
        worker.tally.add(counted, found.tail);
    }
}

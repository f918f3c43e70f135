//! Which files are searched: neither secret ones nor ones that the query leaves out.

use std::{path::Path, sync::atomic::Ordering};

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
    types: Option<Types>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        files: &'a Files,
        query: &'a GrepQuery,
        start: &RelPath,
        expression: &'a Expression,
    ) -> Result<Self, GrepError> {
        let include = match &query.include {
            Some(pattern) => Some(glob_set([pattern.as_str()], false).map_err(FileError::from)?),
            None => None,
        };
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
        Ok(Self { files, query, expression, starts: vec![start.clone()], include, types })
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

    fn is_secret(&self, tail: &str) -> bool {
        self.starts.iter().any(|start| self.files.rules().hides(&beneath(start, tail)))
    }
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
        let covers = |path: &str| self.include.as_ref().is_none_or(|glob| glob.is_match(path));
        match above {
            None => Marks {
                is_secret: false,
                is_included: self.include.is_none() || prefixes(&self.starts[0]).any(covers),
            },
            Some(above) => {
                let tail = tail.to_string_lossy();
                Marks {
                    is_secret: above.is_secret || self.is_secret(&tail),
                    is_included: above.is_included || covers(&beneath(&self.starts[0], &tail)),
                }
            }
        }
    }

    fn look(&self, worker: &mut Worker, found: &Found<'_, Marks>) {
        let is_typed = || {
            self.types.as_ref().is_none_or(|types| types.matched(found.tail, false).is_whitelist())
        };
        let tail = found.tail.to_string_lossy();
        let is_included = || {
            found.marks.is_included
                || self
                    .include
                    .as_ref()
                    .is_some_and(|glob| glob.is_match(&*beneath(&self.starts[0], &tail)))
        };
        if found.kind != Kind::File || !is_typed() || !is_included() {
            return;
        }
        if found.marks.is_secret || self.is_secret(&tail) {
            worker.tally.secret += 1;
            return;
        }
        let counted = open_file(found.folder, found.name).and_then(|(file, size)| {
            let halt = || found.stopped.load(Ordering::Relaxed);
            worker.search.count(&file, size, &halt, worker.tally.first_only())
        });
        worker.tally.add(counted, found.tail);
    }
}

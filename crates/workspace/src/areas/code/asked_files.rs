//! Which files are asked about when somebody wants to know what is wrong, and what their servers say.
//!
//! A file that no server can be asked about is named with the reason, and never counted as right.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use openspace_command::{Error, ErrorKind, Result};
use openspace_files::{FileError, Kind, glob::GlobQuery};
use openspace_host::{
    HostError,
    operation::{Glob, StatPath},
};
use openspace_languages::{Report, Uri, merge};
use openspace_protocol::RelPath;
use tokio::task::JoinSet;

use super::{
    asking::{Asking, awake, refused},
    running::Running,
    whereabouts::Where,
};
use crate::paths::explained;

/// Files of a folder that are looked at, and those that are looked for.
const MOST_FILES: usize = 50;
const MOST_FOUND: u32 = 2_000;
/// Reasons that an answer gives for files of which nothing is known.
const MOST_REASONS: usize = 5;

/// A file that a server is asked about.
pub(super) struct Job {
    at: Where,
    running: Arc<Running>,
    uri: Uri,
}

/// What is asked about, and what could not be.
#[derive(Default)]
pub(super) struct Looking {
    pub(super) jobs: Vec<Job>,
    pub(super) notes: Vec<String>,
    /// Files that a server could have been asked about were not.
    pub(super) left_out: bool,
}

impl Looking {
    pub(super) async fn at(&mut self, asking: &Asking, path: RelPath) -> Result<()> {
        let place = asking.state.place();
        match place.ask(StatPath { path: path.clone() }).await {
            Ok(stat) if stat.kind == Kind::Folder => self.at_folder(asking, path).await,
            // What is not saved yet may have no file.
            Ok(_) | Err(HostError::File(FileError::NotFound { .. })) => {
                self.at_file(asking, &path).await
            }
            Err(error) => Err(explained(place, error).await),
        }
    }

    async fn at_file(&mut self, asking: &Asking, path: &RelPath) -> Result<()> {
        for running in asking.file(path).await? {
            let uri = running.uri(path);
            self.jobs.push(Job { at: Where::Inside(path.clone()), running, uri });
        }
        Ok(())
    }

    async fn at_folder(&mut self, asking: &Asking, folder: RelPath) -> Result<()> {
        let place = asking.state.place();
        let table = asking.servers.table();
        let endings = table.languages.iter().flat_map(|language| &language.extensions);
        let endings: Vec<&str> = endings.map(String::as_str).collect();
        let query = GlobQuery {
            path: (!folder.is_root()).then_some(folder),
            limit: Some(MOST_FOUND),
            ..GlobQuery::new(format!("**/*.{{{}}}", endings.join(",")))
        };
        let found = match place.ask(Glob { query }).await {
            Ok(found) => found,
            Err(error) => return Err(explained(place, error).await),
        };
        // Languages that nobody here speaks, with why; one file of each is enough to know.
        let mut unknown: BTreeMap<String, (String, usize)> = BTreeMap::new();
        let (mut looked_at, mut passed_over) = (0, found.truncated);
        for file in found.paths.iter().filter(|file| !file.bad_name) {
            let Some(language) = table.language_of(file.path.as_path()) else { continue };
            if let Some((_, count)) = unknown.get_mut(&language.id) {
                *count += 1;
                continue;
            }
            if looked_at >= MOST_FILES {
                passed_over = true;
                break;
            }
            match asking.servers.of_file(&asking.state, &file.path).await {
                Ok(_) => {}
                // There is one, but not now.
                Err(error) if error.kind == ErrorKind::Busy => {
                    self.left_out = true;
                    if self.notes.len() < MOST_REASONS && !self.notes.contains(&error.message) {
                        self.notes.push(error.message);
                    }
                    continue;
                }
                Err(error) => {
                    unknown.insert(language.id.clone(), (error.message, 0));
                    continue;
                }
            }
            looked_at += 1;
            if let Err(error) = self.at_file(asking, &file.path).await {
                self.left_out = true;
                if self.notes.len() < MOST_REASONS {
                    self.notes.push(error.message);
                }
            }
        }
        if looked_at == 0 && unknown.is_empty() {
            return Err(Error::not_found("no file in this folder has a known language"));
        }
        let named = unknown.len();
        for (why, count) in unknown.into_values().take(MOST_REASONS) {
            let more = if count > 0 { format!(", nor for {count} more") } else { String::new() };
            self.notes.push(format!("{why}{more}"));
        }
        if named > MOST_REASONS {
            self.notes.push(format!("{} more languages have no server", named - MOST_REASONS));
        }
        if passed_over {
            self.left_out = true;
            self.notes.push(format!(
                "only the {looked_at} newest files were looked at; give a smaller folder for others"
            ));
        }
        Ok(())
    }

    /// Files that are open, and files of which servers said something by themselves.
    pub(super) async fn at_what_is_known(&mut self, asking: &Asking) -> Result<()> {
        let alive = asking.servers.alive();
        if alive.is_empty() {
            return Err(Error::conflict("no language server runs yet, so nothing is known")
                .hint("give `path`: a file, or a folder"));
        }
        for running in alive {
            running.tell_texts(&asking.state, &asking.servers, &[]).await?;
            let known = running.server.see(|server| {
                let open = server.documents().map(|(uri, _)| uri.clone());
                open.chain(server.files()).collect::<std::collections::BTreeSet<Uri>>()
            });
            let root = running.place.facts().root.clone();
            for uri in known {
                let at = Where::of(&uri, &root);
                self.jobs.push(Job { at, running: Arc::clone(&running), uri });
            }
        }
        Ok(())
    }
}

/// What the servers say of these files, each as fresh as it can be had in this time.
pub(super) async fn reports(jobs: Vec<Job>, wait: Duration) -> Result<BTreeMap<Where, Report>> {
    let mut asked = JoinSet::new();
    for Job { at, running, uri } in jobs {
        asked.spawn(async move {
            awake(&running).await;
            // A file that is not open is not asked about: what is known of it is what there is.
            let report = match running.server.diagnostics(&uri, wait).await {
                Ok(report) => report,
                Err(_) => running.server.see(|server| server.report(&uri)),
            };
            (at, running, report)
        });
    }
    let mut all: BTreeMap<Where, Vec<(Arc<Running>, Report)>> = BTreeMap::new();
    let mut failure = None;
    while let Some(told) = asked.join_next().await {
        let Ok((at, running, report)) = told else { continue };
        let state = running.server.state();
        if matches!(state, openspace_languages::State::Failed { .. }) {
            let server = running.name.clone();
            let error = openspace_languages::AskError::NotRunning { server, state };
            failure.get_or_insert_with(|| refused(&running, &error));
            continue;
        }
        all.entry(at).or_default().push((running, report));
    }
    match failure {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok(all
            .into_iter()
            .filter_map(|(at, reports)| {
                let of_each =
                    reports.iter().map(|(running, report)| (&*running.name, report.clone()));
                Some((at, merge::reports(of_each.collect())?))
            })
            .collect()),
    }
}

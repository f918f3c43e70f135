//! What can be seen of the place where a language server would run, so that one is found for a file.
//!
//! Which server a file gets is a function of what is asked of the place (`openspace_languages::find`). It is called
//! with what is known, whatever it asked besides is looked up, and it is called again, until it asks nothing new.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use openspace_files::LineRange;
use openspace_host::operation::{FindProgram, ListNames, ReadText};
use openspace_languages::{
    find::{self, Choice, Surroundings},
    table::Table,
};
use openspace_protocol::RelPath;
use tokio::task::JoinSet;

use super::whereabouts::relative;
use crate::places::Place;

/// Times that it is called at most: for the names of folders, what is in files, and programs.
const ROUNDS: usize = 8;
/// Things of a place that are looked up for one file.
const MOST_LOOKED_UP: usize = 2_000;
/// Names of a folder that are looked at.
const MOST_NAMES: usize = 20_000;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Question {
    Program(PathBuf),
    Names(PathBuf),
    Text(PathBuf),
}

#[derive(Clone, Debug)]
enum Seen {
    Program(bool),
    Names(Vec<String>),
    Text(Option<String>),
}

#[derive(Default)]
struct Known {
    seen: HashMap<Question, Seen>,
    asked: RefCell<BTreeSet<Question>>,
}

impl Known {
    fn ask(&self, question: Question) -> Option<&Seen> {
        let seen = self.seen.get(&question);
        if seen.is_none() {
            self.asked.borrow_mut().insert(question);
        }
        seen
    }
}

impl Surroundings for Known {
    fn is_program(&self, path: &Path) -> bool {
        matches!(self.ask(Question::Program(path.to_owned())), Some(Seen::Program(true)))
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        match self.ask(Question::Names(folder.to_owned())) {
            Some(Seen::Names(names)) => names.clone(),
            _ => Vec::new(),
        }
    }

    fn text(&self, path: &Path) -> Option<String> {
        match self.ask(Question::Text(path.to_owned())) {
            Some(Seen::Text(text)) => text.clone(),
            _ => None,
        }
    }
}

/// The servers for a file. Files are looked at in the workspace's own place, programs where they would run.
pub(super) async fn choose(
    table: &Table,
    file: &Path,
    at: &find::Place,
    files: &Arc<Place>,
    programs: &Arc<Place>,
) -> Choice {
    let mut known = Known::default();
    let mut choice = Choice::default();
    for _ in 0..ROUNDS {
        choice = find::choose(table, file, at, &known);
        let asked = std::mem::take(known.asked.get_mut());
        if asked.is_empty() || known.seen.len() + asked.len() > MOST_LOOKED_UP {
            break;
        }
        let mut looks = JoinSet::new();
        for question in asked {
            let root = at.workspace.clone();
            let (files, programs) = (Arc::clone(files), Arc::clone(programs));
            looks.spawn(async move {
                let seen = look(&question, &root, &files, &programs).await;
                (question, seen)
            });
        }
        while let Some(looked) = looks.join_next().await {
            if let Ok((question, seen)) = looked {
                known.seen.insert(question, seen);
            }
        }
    }
    choice
}

async fn look(question: &Question, root: &Path, files: &Place, programs: &Place) -> Seen {
    match question {
        Question::Program(path) => {
            let Some(program) = path.to_str().map(str::to_owned) else {
                return Seen::Program(false);
            };
            let found = programs.ask(FindProgram { program, folders: Vec::new() }).await;
            Seen::Program(found.ok().flatten().is_some())
        }
        Question::Names(folder) => {
            let Some(path) = relative(root, folder) else { return Seen::Names(Vec::new()) };
            let names = files.ask(ListNames { path, limit: MOST_NAMES }).await;
            let names = names.map(|names| names.entries).unwrap_or_default();
            Seen::Names(names.into_iter().map(|entry| entry.name).collect())
        }
        Question::Text(path) => Seen::Text(match relative(root, path) {
            Some(path) => text(files, path).await,
            None => None,
        }),
    }
}

async fn text(files: &Place, path: RelPath) -> Option<String> {
    let read =
        files.ask(ReadText { path, range: LineRange::default(), person: false }).await.ok()?;
    (!read.truncated).then_some(read.content)
}

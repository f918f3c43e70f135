//! The files that a line runs and that its agent can change: what is in them belongs to what a person says yes to.
//!
//! Only where nothing confines the line. Which words may name such a file `judge` says; here it is looked at whether there
//! is one, where it really lies, and what is in it. What a file loads in its turn is not looked for.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

use openspace_command::{CallerKind, Error, Intent, Result, SeenFile, Site};
use openspace_host::operation::LookInto;
use openspace_judge::{Judged, Source, read};
use openspace_policy::Changeable;
use openspace_process::content::{Content, MOST_FILES};

use super::ruling::shell;
use crate::{
    Cx, OpenSpace,
    areas::{approvals::shown::shown, terminal::folder_of},
    places::Place,
    refusal::refused,
    workspaces::{AgentsPlaces, MAIN},
};

/// Folders in which a line may look for its files, at most.
const MOST_FOLDERS: usize = 16;
/// Files that are named to a person; of the others their number is told.
const MOST_NAMED: usize = 5;
/// Longest path in a sentence, in characters.
const MAX_PATH: usize = 200;
/// So much of a digest is shown.
const SHOWN_DIGEST: usize = 12;

/// What was found out about a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Of each part of the line, whether it runs what the agent can change.
    pub(crate) changeable: Vec<Changeable>,
    /// The files, and what is in them.
    pub(crate) seen: Vec<SeenFile>,
    /// What it runs cannot be known before it runs: a yes cannot be bound to anything.
    pub(crate) is_open: bool,
    /// What a person should know of it, in sentences.
    pub(crate) words: String,
}

/// Whether files matter for a call: where walls hold a line, an agent may run what it likes.
fn matters(kind: CallerKind, intent: &Intent) -> bool {
    kind == CallerKind::Agent && matches!(intent.site, Site::Outside | Site::Unconfined)
}

fn judged(intent: &Intent) -> Option<Judged> {
    intent.line.as_ref().map(|line| read(&line.text, shell(line)))
}

/// As far as the words tell, without looking: whatever may be a file that the agent can change is one.
pub(crate) fn at_most(kind: CallerKind, intent: &Intent) -> Vec<Changeable> {
    let Some(judged) = judged(intent).filter(|_| matters(kind, intent)) else { return Vec::new() };
    let of = |source: &Source| match source {
        Source::Script(_) | Source::Unknown => Changeable::Script,
        Source::Named(_) | Source::Project(_) => Changeable::Files,
    };
    let parts = judged.parts.iter();
    parts.map(|part| part.sources.iter().map(of).max().unwrap_or_default()).collect()
}

/// By names alone, for who asks about a line before there is a server: what would lie in the folder may be changed.
pub fn by_name(kind: CallerKind, intent: &Intent, root: &Path) -> Vec<Changeable> {
    let Some(judged) = judged(intent).filter(|_| matters(kind, intent)) else { return Vec::new() };
    let root = &plain(&std::path::absolute(root).unwrap_or_else(|_| root.to_owned()));
    let is_there = |name: &String| plain(&root.join(name)).starts_with(root);
    let of = |source: &Source| match source {
        Source::Script(name) if is_there(name) => Changeable::Script,
        Source::Named(name) if is_there(name) && root.join(name).is_file() => Changeable::Files,
        Source::Project(_) => Changeable::Files,
        Source::Unknown => Changeable::Script,
        Source::Script(_) | Source::Named(_) => Changeable::No,
    };
    let parts = judged.parts.iter();
    parts.map(|part| part.sources.iter().map(of).max().unwrap_or_default()).collect()
}

/// Look at the files that a line runs.
pub(crate) async fn look(
    state: &OpenSpace,
    kind: CallerKind,
    workspace: Option<&str>,
    intent: &Intent,
) -> Found {
    let Some(judged) = judged(intent).filter(|_| matters(kind, intent)) else {
        return Found::default();
    };
    let workspace = workspace.filter(|workspace| *workspace != MAIN);
    let Ok(place) = state.workspaces().place(workspace).await else {
        // It will not run there either.
        return Found { is_open: true, ..Found::default() };
    };
    let around = Around::of(state, &place, intent, &judged).await;
    let wanted = around.candidates(&judged);
    let contents = contents(&place, &wanted).await;
    told(&judged, &around, &wanted, &contents)
}

/// Look again, right before the line runs: whoever said yes has not said it to what is there now.
pub(crate) async fn check_unchanged(cx: &Cx, place: &Place) -> Result<()> {
    let seen = cx.judged.as_ref().map(|judged| judged.seen.as_slice()).unwrap_or_default();
    if seen.is_empty() {
        return Ok(());
    }
    let paths: Vec<PathBuf> = seen.iter().map(|file| PathBuf::from(&file.path)).collect();
    let now = place.ask(LookInto { paths }).await.map_err(refused)?;
    let is_same = |(file, now): (&SeenFile, &Content)| file.content == word(now);
    let changed = seen.iter().zip(&now).find(|pair| !is_same(*pair)).map(|(file, _)| file);
    let Some(changed) = changed.or_else(|| seen.get(now.len())) else { return Ok(()) };
    let name = shown(&relative(Path::new(&changed.path), &place.facts().root), MAX_PATH);
    Err(Error::conflict(format!("`{name}` has changed since this call was decided about"))
        .hint("nothing was run; call again, and it is decided about the file as it is now"))
}

/// What is at a path, in a word that is another one for everything else.
fn word(content: &Content) -> String {
    match content {
        Content::File { digest, .. } => digest.clone(),
        Content::Missing => "missing".into(),
        Content::Folder { .. } => "folder".into(),
        Content::Unknown => "unknown".into(),
    }
}

async fn contents(place: &Place, wanted: &Wanted) -> BTreeMap<PathBuf, Content> {
    if wanted.paths.is_empty() {
        return BTreeMap::new();
    }
    match place.ask(LookInto { paths: wanted.paths.clone() }).await {
        Ok(contents) => wanted.paths.iter().cloned().zip(contents).collect(),
        Err(error) => {
            tracing::warn!(%error, "the files that a line runs could not be looked at");
            BTreeMap::new()
        }
    }
}

/// Where a line runs, as far as it decides which files its words name.
struct Around {
    root: PathBuf,
    home: Option<PathBuf>,
    /// Folders whose files agents can change.
    agents: Vec<PathBuf>,
    /// Folders that the line may be in when it names a file.
    folders: Vec<PathBuf>,
    /// It may be in others too.
    is_elsewhere: bool,
}

/// Files that a line may run.
#[derive(Default)]
struct Wanted {
    /// Of each part, which and as what; nothing stands for what is not known.
    parts: Vec<Vec<(Option<PathBuf>, Changeable)>>,
    /// All of them, once each.
    paths: Vec<PathBuf>,
}

impl Around {
    async fn of(state: &OpenSpace, place: &Place, intent: &Intent, judged: &Judged) -> Self {
        let root = place.facts().root.clone();
        let begins = match (&intent.folder, &intent.thing) {
            (Some(folder), _) => {
                place.facts().resolve(folder).ok().map(|folder| root.join(folder.as_str()))
            }
            (None, Some(terminal)) => folder_of(state, terminal).await,
            (None, None) => Some(root.clone()),
        };
        let mut is_elsewhere = begins.is_none();
        let mut folders: Vec<PathBuf> = begins.into_iter().collect();
        for folder in &judged.folders {
            let Some(folder) = folder.as_ref().filter(|_| folders.len() < MOST_FOLDERS) else {
                is_elsewhere = true;
                continue;
            };
            // Whether it was there before or after, a bracket may decide.
            for before in folders.clone() {
                let folder = plain(&before.join(folder));
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
        }
        let (home, mut agents) = match &state.workspaces().hosting().agents {
            AgentsPlaces::Confined(confining) => {
                (confining.home.clone(), confining.writable.clone())
            }
            AgentsPlaces::Shared => (None, Vec::new()),
        };
        agents.extend([root.clone(), place.facts().given.clone()]);
        Self { root, home, agents, folders, is_elsewhere }
    }

    fn candidates(&self, judged: &Judged) -> Wanted {
        let mut wanted = Wanted::default();
        for part in &judged.parts {
            let mut files = Vec::new();
            for source in &part.sources {
                let (names, kind): (&[&str], _) = match source {
                    Source::Script(name) => (&[name.as_str()], Changeable::Script),
                    Source::Named(name) => (&[name.as_str()], Changeable::Files),
                    Source::Project(names) => (names, Changeable::Files),
                    Source::Unknown => {
                        files.push((None, Changeable::Script));
                        continue;
                    }
                };
                for name in names {
                    self.add(name, kind, &mut files);
                }
            }
            for path in files.iter().filter_map(|(path, _)| path.as_ref()) {
                if !wanted.paths.contains(path) && wanted.paths.len() < MOST_FILES {
                    wanted.paths.push(path.clone());
                }
            }
            wanted.parts.push(files);
        }
        wanted
    }

    /// The files that a name may mean.
    fn add(&self, name: &str, kind: Changeable, files: &mut Vec<(Option<PathBuf>, Changeable)>) {
        if let Some(rest) = name.strip_prefix('~') {
            let home = self.home.as_ref();
            let path = home.map(|home| plain(&home.join(rest.trim_start_matches('/'))));
            // What is only named may as well be no file.
            if path.is_some() || kind == Changeable::Script {
                files.push((path, kind));
            }
        } else if name.starts_with('/') {
            files.push((Some(plain(Path::new(name))), kind));
        } else {
            files.extend(self.folders.iter().map(|folder| (Some(plain(&folder.join(name))), kind)));
            if self.is_elsewhere && kind == Changeable::Script {
                files.push((None, kind));
            }
        }
    }

    fn is_agents(&self, path: &Path) -> bool {
        self.agents.iter().any(|folder| path.starts_with(folder))
    }
}

/// A path without `.` and `..`, by its words.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// A path as a person knows it.
fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// What there is to say about the files of a line.
fn told(
    judged: &Judged,
    around: &Around,
    wanted: &Wanted,
    contents: &BTreeMap<PathBuf, Content>,
) -> Found {
    let mut found = Found { is_open: !judged.doubts.is_empty(), ..Found::default() };
    let (mut scripts, mut files) = (Vec::new(), Vec::new());
    for (part, candidates) in judged.parts.iter().zip(&wanted.parts) {
        let mut changeable = Changeable::No;
        let (mut missing, mut is_found) = (Vec::new(), false);
        for (path, kind) in candidates {
            let looked = path.as_ref().and_then(|path| Some((path, contents.get(path)?)));
            let Some((path, content)) = looked else {
                found.is_open |= *kind == Changeable::Script || path.is_some();
                changeable = changeable.max(*kind);
                continue;
            };
            let real = match content {
                Content::File { real, .. } | Content::Folder { real } => Some(real),
                Content::Missing | Content::Unknown => None,
            };
            if !around.is_agents(path) && !real.is_some_and(|real| around.is_agents(real)) {
                continue;
            }
            let is_script = *kind == Changeable::Script;
            match content {
                Content::File { digest, .. } => {
                    let all = if is_script { &mut scripts } else { &mut files };
                    let name = relative(path, &around.root);
                    let start = digest.get(..SHOWN_DIGEST).unwrap_or(digest);
                    let told = format!("`{}` ({start}…)", shown(&name, MAX_PATH));
                    if !all.contains(&told) {
                        all.push(told);
                    }
                    is_found = true;
                    changeable = changeable.max(*kind);
                }
                Content::Missing if is_script => {
                    let name = shown(&relative(path, &around.root), MAX_PATH);
                    missing.push(format!("`{name}` (not there yet)"));
                    changeable = changeable.max(*kind);
                }
                // A word that names nothing is a word; it is another call when it names something by then.
                Content::Missing => {}
                // `python folder` runs what is in it; for others it is a folder to work on.
                Content::Folder { .. } if !is_script => continue,
                Content::Folder { .. } | Content::Unknown => {
                    found.is_open = true;
                    changeable = changeable.max(*kind);
                }
            }
            let seen = SeenFile { path: path.display().to_string(), content: word(content) };
            if !found.seen.contains(&seen) {
                found.seen.push(seen);
            }
        }
        // A word that took the place of a script is of no use to a person who sees the script.
        if !is_found {
            scripts.append(&mut missing);
        }
        let is_project = part.sources.iter().any(|source| matches!(source, Source::Project(_)));
        if is_project
            && (around.is_elsewhere || around.folders.iter().any(|it| around.is_agents(it)))
        {
            changeable = changeable.max(Changeable::Files);
        }
        found.changeable.push(changeable);
    }
    found.seen.sort();
    found.words = words(judged, &found, &scripts, &files);
    found
}

/// What a person should know who decides about it.
fn words(judged: &Judged, found: &Found, scripts: &[String], files: &[String]) -> String {
    let mut sentences = Vec::new();
    if !scripts.is_empty() {
        sentences.push(format!(
            "It runs {}, which the agent can change: a yes is for what is in it now, and not for what it loads.",
            list(scripts)
        ));
    }
    let sources = || judged.parts.iter().flat_map(|part| &part.sources);
    if sources().any(|source| matches!(source, Source::Project(_)))
        && found.changeable.contains(&Changeable::Files)
    {
        let bound = if files.is_empty() {
            "none of them is looked at".into()
        } else {
            format!("of them only {} must be as it is now", list(files))
        };
        sentences.push(format!(
            "It does what files of the project say, which the agent can change: {bound}."
        ));
    } else if !files.is_empty() {
        sentences.push(format!(
            "It is given {}, which the agent can change: a yes is for what is in it now.",
            list(files)
        ));
    }
    if found.is_open {
        sentences.push("Not all that it runs can be told before, so a yes counts once.".into());
    }
    sentences.join(" ")
}

fn list(names: &[String]) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    let named = names[..names.len() - more].join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

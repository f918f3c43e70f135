//! Which server a file gets here, and where its program is: as a person set it, in the project, or in the `PATH`.
//!
//! A function of what is asked of [`Surroundings`]. Nothing is downloaded, and a program of the project, which is
//! code of whoever wrote that, is found only where a person has said that it may run.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::table::{KnownServer, NeededPackage, Table};

#[cfg(test)]
mod tests;

/// What can be seen of a place. Paths are those inside it.
pub trait Surroundings {
    /// Whether a file is there that can be started.
    fn is_program(&self, path: &Path) -> bool;
    /// Names of what is in a folder; nothing if there is none.
    fn names(&self, folder: &Path) -> Vec<String>;
    /// The text of a file.
    fn text(&self, path: &Path) -> Option<String>;
}

/// Where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The root of the workspace.
    pub workspace: PathBuf,
    /// The folders of the `PATH`.
    pub path: Vec<PathBuf>,
    /// The environment of Python that is active, if one is.
    pub virtual_environment: Option<PathBuf>,
    /// A folder outside the project for what servers keep; each has one of its own in it.
    pub state: PathBuf,
    /// Programs of the project may run: the place is a sandbox, or a person said yes.
    pub trusted: bool,
}

/// Where a program was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundIn {
    /// It is named by its whole path.
    Settings,
    Project,
    Path,
}

/// A server that can be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// Which.
    pub server: String,
    /// Its program.
    pub program: PathBuf,
    /// With these.
    pub arguments: Vec<String>,
    /// The folder that it works on.
    pub root: PathBuf,
    /// Where the program was found.
    pub found_in: FoundIn,
}

/// What a file gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// Servers to start: the first that was found, and those beside it.
    pub servers: Vec<Found>,
    /// Programs of the project that a person has not said yes to. One of them would have been preferred.
    pub untrusted: Vec<Found>,
    /// Servers that were looked for in vain, none of which is needed if another was found.
    pub absent: Vec<Absent>,
}

/// A server that is not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Absent {
    /// Which.
    pub server: String,
    /// The program that was looked for.
    pub program: String,
    /// How a person installs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
}

/// The servers for a file. It must be beneath the workspace, and its language one of the table.
pub fn choose(table: &Table, file: &Path, place: &Place, around: &dyn Surroundings) -> Choice {
    let mut choice = Choice::default();
    let Some(language) = table.language_of(file) else { return choice };
    if !file.starts_with(&place.workspace) {
        return choice;
    }
    let mut has_first = false;
    for server in table.servers_for(&language.id) {
        if has_first && !server.beside {
            continue;
        }
        let look = Look { server, file, place, around };
        let Some(root) = look.root() else { continue };
        match look.program(&root) {
            Program::None => choice.absent.push(Absent {
                server: server.id.clone(),
                program: server.command[0].clone(),
                install: server.install.clone(),
            }),
            Program::Untrusted(program) => {
                choice.untrusted.push(look.found(program, root, FoundIn::Project));
            }
            Program::Found(program, found_in) => {
                has_first |= !server.beside;
                choice.servers.push(look.found(program, root, found_in));
            }
        }
    }
    choice
}

enum Program {
    Found(PathBuf, FoundIn),
    Untrusted(PathBuf),
    None,
}

struct Look<'a> {
    server: &'a KnownServer,
    file: &'a Path,
    place: &'a Place,
    around: &'a dyn Surroundings,
}

impl Look<'_> {
    fn found(&self, program: PathBuf, root: PathBuf, found_in: FoundIn) -> Found {
        let state = self.place.state.join(&self.server.id);
        let filled = |word: &String| word.replace("{state}", &state.to_string_lossy());
        let arguments = self.server.command[1..].iter().map(filled).collect();
        let root = if self.server.anywhere { self.place.workspace.clone() } else { root };
        Found { server: self.server.id.clone(), program, arguments, root, found_in }
    }

    /// Folders from a path outwards to the workspace.
    fn outwards(&self, from: &Path) -> impl Iterator<Item = PathBuf> + use<'_> {
        let all: Vec<PathBuf> = from.ancestors().map(Path::to_owned).collect();
        all.into_iter().take_while(|folder| folder.starts_with(&self.place.workspace))
    }

    /// Where the project of the file begins; nothing if the server is not for this project.
    fn root(&self) -> Option<PathBuf> {
        let folder = self.file.parent()?;
        let has = |folder: &PathBuf, names: &[String]| {
            !names.is_empty()
                && self
                    .around
                    .names(folder)
                    .iter()
                    .any(|there| names.iter().any(|it| is_like(it, there)))
        };
        if self.outwards(folder).any(|folder| has(&folder, &self.server.not_under)) {
            return None;
        }
        let outermost = self.server.outermost.as_ref().and_then(|wanted| {
            let holds = |folder: &PathBuf| {
                let text = self.around.text(&folder.join(&wanted.name));
                text.is_some_and(|text| text.contains(&wanted.holds))
            };
            self.outwards(folder).filter(holds).last()
        });
        let nearest = || self.outwards(folder).find(|folder| has(folder, &self.server.roots));
        let root = outermost.or_else(nearest).unwrap_or_else(|| self.place.workspace.clone());
        let fits = self.server.package.as_ref().is_none_or(|needed| self.fits(needed, &root));
        fits.then_some(root)
    }

    fn fits(&self, needed: &NeededPackage, root: &Path) -> bool {
        let version = self.outwards(root).find_map(|folder| {
            let manifest = folder.join("node_modules").join(&needed.name).join("package.json");
            let manifest: Value = serde_json::from_str(&self.around.text(&manifest)?).ok()?;
            manifest["version"].as_str()?.split('.').next()?.parse::<u64>().ok()
        });
        needed.from.is_none_or(|from| version.is_some_and(|version| version >= from))
            && needed.below.is_none_or(|below| version.is_none_or(|version| version < below))
    }

    fn program(&self, root: &Path) -> Program {
        let name = Path::new(&self.server.command[0]);
        if name.is_absolute() {
            return if self.around.is_program(name) {
                Program::Found(name.to_owned(), FoundIn::Settings)
            } else {
                Program::None
            };
        }
        let mut folders: Vec<PathBuf> = Vec::new();
        for outer in self.outwards(root) {
            folders.extend(self.server.folders.iter().map(|folder| outer.join(folder)));
        }
        // The active environment is the project's if it lies in it, and then no more trusted.
        let is_python = self.server.folders.iter().any(|folder| folder == ".venv/bin");
        let active = self.place.virtual_environment.as_ref().filter(|_| is_python);
        let active = active.map(|folder| folder.join("bin"));
        let is_program = |folder: &PathBuf| {
            let program = folder.join(name);
            self.around.is_program(&program).then_some(program)
        };
        let in_project = folders.iter().find_map(is_program);
        if let Some(program) = &in_project
            && self.place.trusted
        {
            return Program::Found(program.clone(), FoundIn::Project);
        }
        if !self.server.only_project {
            // What lies in the workspace is the project's, whatever the `PATH` says of it.
            let is_outside = |folder: &&PathBuf| {
                self.place.trusted
                    || (folder.is_absolute() && !folder.starts_with(&self.place.workspace))
            };
            let outside = active.iter().chain(&self.place.path).filter(is_outside);
            if let Some(program) = outside.into_iter().find_map(is_program) {
                return Program::Found(program, FoundIn::Path);
            }
        }
        in_project.map_or(Program::None, Program::Untrusted)
    }
}

/// Whether a name is like a pattern, in which `*` stands for any letters.
fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len()
                && name.starts_with(before)
                && name.ends_with(after)
        }
        None => pattern == name,
    }
}

//! Which language servers there are, for which files, and what each has to be told.
//!
//! Ours are in `table.toml`; a person's own are entries of the same form and replace ours with the same id. An entry
//! that is wrong is named with the reason and leaves the others alone. Nothing is looked for, started or installed
//! here.

use std::{collections::HashSet, path::Path};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{life::Limits, readiness::ReadyBy};

#[cfg(test)]
mod tests;

const OURS: &str = include_str!("table.toml");
/// The most entries of a kind that are read.
const MOST: usize = 500;

/// Files of one language.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// Its name in the protocol.
    pub id: String,
    /// How names of its files end, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whole names of files.
    #[serde(default)]
    pub names: Vec<String>,
}

/// A language server.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a line that an entry has or has not")]
pub struct KnownServer {
    /// A short word of `a-z`, `0-9` and `-`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// For which languages.
    pub languages: Vec<String>,
    /// The program and its arguments that speak the protocol on their standard streams. `{state}` is a folder for
    /// what it keeps.
    pub command: Vec<String>,
    /// It is started with the first one, not in its place.
    #[serde(default)]
    pub beside: bool,
    /// It is used only when a person says so.
    #[serde(default)]
    pub off: bool,
    /// Folders of the project in which its program is looked for, before the `PATH`.
    #[serde(default)]
    pub folders: Vec<String>,
    /// The one of the project or none.
    #[serde(default)]
    pub only_project: bool,
    /// A package of the project that decides whether it can be used.
    #[serde(default)]
    pub package: Option<NeededPackage>,
    /// Files that say where a project begins; `*` stands for any letters.
    #[serde(default)]
    pub roots: Vec<String>,
    /// A file that says so from further out.
    #[serde(default)]
    pub outermost: Option<OutermostRoot>,
    /// It looks for the project of each file itself, so one process does for all of the workspace.
    #[serde(default)]
    pub anywhere: bool,
    /// Files under which it is not used.
    #[serde(default)]
    pub not_under: Vec<String>,
    /// How it says that it is ready.
    #[serde(default)]
    pub ready: ReadyBy,
    /// Options for its beginning.
    #[serde(default)]
    pub initialization: Value,
    /// Settings that it may ask for; `a.b` is `b` in `a`.
    #[serde(default)]
    pub settings: Value,
    /// How a person installs it.
    #[serde(default)]
    pub install: Option<String>,
}

/// A package of npm in the project, by the first number of its version.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NeededPackage {
    /// Its name.
    pub name: String,
    /// It must be there, and no older.
    #[serde(default)]
    pub from: Option<u64>,
    /// If it is there, it must be older.
    #[serde(default)]
    pub below: Option<u64>,
}

/// A file with a text in it: the outermost one is where a project begins.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OutermostRoot {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub holds: String,
}

/// What is told with an edit of what it did to what is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterEdit {
    /// Whatever is new.
    #[default]
    New,
    /// New errors alone.
    Errors,
    /// Nothing; nobody waits for it.
    Off,
}

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    #[error("the list of language servers is not TOML: {0}")]
    NotToml(String),
    #[error(
        "the list of language servers has `{0}`, which is not known; there are `[[server]]`, `[[language]]`, \
         `[limits]` and `after_edit`"
    )]
    UnknownKey(String),
    #[error("the list of language servers has more than {MOST} `[[{0}]]`")]
    TooMany(&'static str),
    #[error("`{name}` of the list of language servers: {why}")]
    Choice {
        /// `limits` or `after_edit`.
        name: &'static str,
        why: String,
    },
    #[error("{kind} {entry}: {why}")]
    Entry {
        /// `server` or `language`.
        kind: &'static str,
        /// Its id, or its number when it has none.
        entry: String,
        why: String,
    },
}

/// All language servers, and what is wrong with the entries that are not among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub languages: Vec<Language>,
    pub servers: Vec<KnownServer>,
    /// What servers may use, if a person said so.
    pub limits: Option<Limits>,
    pub after_edit: AfterEdit,
    pub errors: Vec<EntryError>,
}

impl Table {
    /// Ours and a person's own, which may be an empty text. A person's new servers come before ours.
    pub fn with(own: &str) -> Self {
        let (mut all, own) = (Self::read(OURS), Self::read(own));
        for language in own.languages {
            match all.languages.iter_mut().find(|ours| ours.id == language.id) {
                Some(ours) => *ours = language,
                None => all.languages.push(language),
            }
        }
        let mut first = Vec::new();
        for server in own.servers {
            match all.servers.iter_mut().find(|ours| ours.id == server.id) {
                Some(ours) => *ours = server,
                None => first.push(server),
            }
        }
        all.servers.splice(..0, first);
        (all.limits, all.after_edit) = (own.limits, own.after_edit);
        all.errors.extend(own.errors);
        all
    }

    /// The language of a file, by its name. Whole names come before endings.
    pub fn language_of(&self, path: &Path) -> Option<&Language> {
        let name = path.file_name()?.to_str()?;
        let is_named = |language: &&Language| language.names.iter().any(|known| known == name);
        let named = self.languages.iter().find(is_named);
        named.or_else(|| {
            let ending = path.extension()?.to_str()?;
            let ends = |known: &String| known.eq_ignore_ascii_case(ending);
            self.languages.iter().find(|language| language.extensions.iter().any(ends))
        })
    }

    /// The server with this id.
    pub fn server(&self, id: &str) -> Option<&KnownServer> {
        self.servers.iter().find(|server| server.id == id)
    }

    /// Servers for a language that are not off, the preferred ones first.
    pub fn servers_for<'a>(&'a self, language: &'a str) -> impl Iterator<Item = &'a KnownServer> {
        self.servers
            .iter()
            .filter(move |it| !it.off && it.languages.iter().any(|of| of == language))
    }

    fn read(text: &str) -> Self {
        let mut table = Self::default();
        let mut document = match text.parse::<toml::Table>() {
            Ok(document) => document,
            Err(error) => {
                table.errors.push(EntryError::NotToml(error.to_string()));
                return table;
            }
        };
        let (languages, servers) = (document.remove("language"), document.remove("server"));
        table.languages = entries("language", languages, &mut table.errors, language);
        table.servers = entries("server", servers, &mut table.errors, server);
        table.limits = choice("limits", &mut document, &mut table.errors);
        let after_edit = choice("after_edit", &mut document, &mut table.errors);
        table.after_edit = after_edit.unwrap_or_default();
        table.errors.extend(document.into_iter().map(|(key, _)| EntryError::UnknownKey(key)));
        table
    }
}

/// Entries of a kind that are right, each id once.
fn entries<T>(
    kind: &'static str,
    said: Option<toml::Value>,
    errors: &mut Vec<EntryError>,
    checked: fn(toml::Value) -> Result<T, String>,
) -> Vec<T> {
    let said = match said {
        Some(toml::Value::Array(said)) => said,
        Some(_) => {
            errors.push(EntryError::UnknownKey(kind.to_owned()));
            return Vec::new();
        }
        None => return Vec::new(),
    };
    if said.len() > MOST {
        errors.push(EntryError::TooMany(kind));
    }
    let (mut read, mut ids) = (Vec::new(), HashSet::new());
    for (index, entry) in said.into_iter().take(MOST).enumerate() {
        let id = entry.get("id").and_then(toml::Value::as_str).map(str::to_owned);
        let name =
            id.as_ref().map_or_else(|| format!("number {}", index + 1), |id| format!("`{id}`"));
        match checked(entry) {
            Ok(entry) if ids.insert(id) => read.push(entry),
            Ok(_) => {
                let why = "there is another with this id".to_owned();
                errors.push(EntryError::Entry { kind, entry: name, why });
            }
            Err(why) => errors.push(EntryError::Entry { kind, entry: name, why }),
        }
    }
    read
}

fn language(entry: toml::Value) -> Result<Language, String> {
    let language: Language = entry.try_into().map_err(|error| error.message().to_owned())?;
    if language.id.is_empty() {
        return Err("`id` is empty".to_owned());
    }
    if language.extensions.is_empty() && language.names.is_empty() {
        return Err("it has neither `extensions` nor `names`, so no file is in it".to_owned());
    }
    if let Some(wrong) = language.extensions.iter().find(|it| it.starts_with('.') || it.is_empty())
    {
        return Err(format!("`extensions` has `{wrong}`; endings are written without the dot"));
    }
    Ok(language)
}

fn server(entry: toml::Value) -> Result<KnownServer, String> {
    let server: KnownServer = entry.try_into().map_err(|error| error.message().to_owned())?;
    if !is_id(&server.id) {
        return Err("`id` must be a word of a-z, 0-9 and -".to_owned());
    }
    if server.name.trim().is_empty() {
        return Err("`name` is empty".to_owned());
    }
    if server.languages.is_empty() {
        return Err("`languages` is empty, so it is for nothing".to_owned());
    }
    if server.command.first().is_none_or(String::is_empty) {
        return Err("`command` names no program".to_owned());
    }
    if server.command.iter().any(|word| word.contains('\0')) {
        return Err("`command` holds a null character".to_owned());
    }
    for folder in &server.folders {
        if !is_beneath(folder) {
            return Err(format!(
                "`folders` has `{folder}`, which is not a path beneath the project"
            ));
        }
    }
    for name in server.roots.iter().chain(&server.not_under) {
        if name.is_empty() || name.contains('/') {
            return Err(format!("`{name}` is not the name of a file"));
        }
    }
    Ok(server)
}

/// What a person chose beside the entries; one that is wrong is as if it was not said.
fn choice<T: DeserializeOwned>(
    name: &'static str,
    document: &mut toml::Table,
    errors: &mut Vec<EntryError>,
) -> Option<T> {
    let said = document.remove(name)?;
    let wrong =
        |error: toml::de::Error| EntryError::Choice { name, why: error.message().to_owned() };
    said.try_into().map_err(|error| errors.push(wrong(error))).ok()
}

fn is_id(id: &str) -> bool {
    let inner = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=40).contains(&id.len())
        && id.bytes().all(inner)
        && !id.starts_with('-')
        && !id.ends_with('-')
}

/// Whether a path stays beneath the project and is not all of it.
fn is_beneath(path: &str) -> bool {
    path.split('/').all(|name| !matches!(name, "" | "." | "..") && !name.contains('\0'))
}

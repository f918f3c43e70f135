//! Tasks that nobody wrote down as such: the scripts of packages. A package that cannot be read has none; it says so
//! itself, to whoever runs it.

use openspace_command::Result;
use openspace_files::glob::GlobQuery;
use openspace_host::operation::Glob;
use openspace_protocol::RelPath;
use serde_json::Value;

use super::{
    definition::{Definition, Group, MAX_LABEL, Runs, Shown},
    line::Word,
    sources::text,
};
use crate::{Cx, open_space::ask, refusal::refused};

/// Packages that are looked into.
const MAX_PACKAGES: u32 = 50;
/// Scripts of one package.
const MAX_SCRIPTS: usize = 100;
/// Files that say which program runs the scripts.
const LOCKS: [(&str, &str); 4] =
    [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun")];

/// The scripts of all packages.
pub(super) async fn scripts(cx: &Cx) -> Result<Vec<Definition>> {
    let mut packages = find(cx, "package.json").await?;
    if packages.is_empty() {
        return Ok(Vec::new());
    }
    packages.sort_by_key(|path| (path.as_str().matches('/').count(), path.to_string()));
    let locks = find(cx, "{pnpm-lock.yaml,yarn.lock,bun.lock,bun.lockb}").await?;
    let mut tasks = Vec::new();
    for package in packages {
        let Ok(Some(content)) = text(cx, package.as_str()).await else { continue };
        let Ok(content) = serde_json::from_str::<Value>(&content) else { continue };
        let Some(scripts) = content.get("scripts").and_then(Value::as_object) else { continue };
        let folder = package.parent().filter(|folder| !folder.is_root());
        let program = manager(&locks, folder.as_ref());
        for (name, line) in scripts.iter().take(MAX_SCRIPTS) {
            if let Some(line) = line.as_str() {
                tasks.extend(script(program, folder.as_ref(), name, line));
            }
        }
    }
    Ok(tasks)
}

async fn find(cx: &Cx, pattern: &str) -> Result<Vec<RelPath>> {
    let query = GlobQuery { limit: Some(MAX_PACKAGES), ..GlobQuery::new(pattern) };
    let found = ask(cx, Glob { query }).await.map_err(refused)?;
    let paths = found.paths.into_iter().filter(|hit| !hit.bad_name).map(|hit| hit.path);
    Ok(paths.filter(|path| !path.as_str().split('/').any(|part| part == "node_modules")).collect())
}

/// The program of the nearest folder that says one.
fn manager(locks: &[RelPath], folder: Option<&RelPath>) -> &'static str {
    let mut at = folder.cloned();
    loop {
        let here = |lock: &&RelPath| lock.parent().filter(|parent| !parent.is_root()) == at;
        let named = |lock: &RelPath| LOCKS.iter().find(|(name, _)| lock.name() == Some(*name));
        if let Some((_, program)) = locks.iter().filter(here).find_map(named) {
            return program;
        }
        match at {
            Some(folder) => at = folder.parent().filter(|parent| !parent.is_root()),
            None => return "npm",
        }
    }
}

fn script(program: &str, folder: Option<&RelPath>, name: &str, line: &str) -> Option<Definition> {
    let label = match folder {
        Some(folder) => format!("{program}: {name} - {folder}"),
        None => format!("{program}: {name}"),
    };
    // npm runs what is before and after a script with it.
    let is_label = label.chars().count() <= MAX_LABEL && !label.contains(char::is_control);
    let group = match name {
        "build" | "compile" => Some(Group::Build),
        "test" | "tst" => Some(Group::Test),
        _ => None,
    };
    is_label.then(|| Definition {
        label,
        detail: Some(line.chars().take(MAX_LABEL).collect()),
        group,
        is_default: false,
        hidden: false,
        is_written: false,
        depends_on: Vec::new(),
        in_sequence: false,
        runs: Some(Runs {
            command: Word::Plain(program.to_owned()),
            args: ["run".to_owned(), name.to_owned()].map(Word::Plain).to_vec(),
            by_shell: false,
            env: std::collections::BTreeMap::new(),
            cwd: folder.map(ToString::to_string),
            in_background: false,
            matchers: Value::Null,
            shown: Shown::default(),
        }),
        unusable: None,
        notes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn the_nearest_lock_says_which_program_runs_the_scripts() {
        let path = |text: &str| RelPath::parse(text).unwrap();
        let locks = [path("yarn.lock"), path("apps/a/pnpm-lock.yaml")];
        for (folder, program) in
            [(None, "yarn"), (Some("apps"), "yarn"), (Some("apps/a/b"), "pnpm")]
        {
            assert_eq!(manager(&locks, folder.map(path).as_ref()), program);
        }
        assert_eq!(manager(&[], Some(&path("a"))), "npm");
    }
}

//! The environment in a confined place: what is harmless of the given one, made to fit.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::credentials;
use super::shown::{MOVED, PATH, PATHS, PLAIN, SERVERS};
use super::view::View;
use crate::bubblewrap::TEMPORARY;
use crate::{ConfinedSpec, IsolationError};

const PROGRAMS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

pub(super) fn inside(
    spec: &ConfinedSpec,
    view: &View,
    user: Option<&str>,
) -> Result<BTreeMap<OsString, OsString>, IsolationError> {
    let root = &spec.place.root;
    let shows = |path: &Path| path.starts_with(root) || view.shows(path) || shows_part(view, path);
    let mut inside = BTreeMap::new();
    for (name, value) in &spec.place.environment {
        let is_wrong = name.is_empty()
            || name.as_bytes().iter().any(|byte| matches!(byte, 0 | b'='))
            || value.as_bytes().contains(&0);
        if is_wrong {
            return Err(IsolationError::Environment(name.to_string_lossy().into_owned()));
        }
        // What is not UTF-8 has no place on any list, and as a value it cannot be judged.
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
        if let Some(value) = harmless(name, value, &shows) {
            inside.insert(name.into(), value);
        }
    }
    let mut set = |name: &str, value: OsString| inside.insert(name.into(), value);
    set("HOME", view.home.clone().into());
    set("PWD", root.clone().into());
    set("TMPDIR", TEMPORARY.into());
    if let Some(user) = user {
        set("USER", user.into());
        set("LOGNAME", user.into());
    }
    let has = |name: &str| inside.get(OsStr::new(name)).is_some_and(|value| !value.is_empty());
    let missing: Vec<(&str, &str)> = [("LANG", "C.UTF-8"), ("PATH", PROGRAMS), ("SHELL", shell())]
        .into_iter()
        .filter(|(name, _)| !has(name))
        .collect();
    inside.extend(missing.into_iter().map(|(name, value)| (name.into(), value.into())));
    Ok(inside)
}

/// The value as it may be known inside.
fn harmless(name: &str, value: &str, shows: &dyn Fn(&Path) -> bool) -> Option<OsString> {
    let has = |list: &[&str]| list.contains(&name);
    if has(PLAIN) || name.starts_with("LC_") {
        let plain = credentials::without_users(&credentials::without_tokens(value));
        return (plain == value).then(|| value.into());
    }
    if has(SERVERS) {
        return Some(credentials::without_tokens(&credentials::without_users(value)).into());
    }
    if has(PATH) || MOVED.iter().any(|(moved, _)| *moved == name) {
        return shows(Path::new(value)).then(|| value.into());
    }
    if has(PATHS) {
        let kept: Vec<PathBuf> = std::env::split_paths(value).filter(|path| shows(path)).collect();
        return std::env::join_paths(kept).ok().filter(|paths| !paths.is_empty());
    }
    None
}

/// Whether something in this folder is shown: a tool's folder of which only some parts are.
fn shows_part(view: &View, path: &Path) -> bool {
    let copied = view.copied.iter().map(|copied| &copied.path);
    let bound = view.bound.iter().map(|bound| &bound.path);
    path.is_absolute()
        && path.parent().is_some()
        && copied.chain(bound).any(|it| it.starts_with(path))
}

fn shell() -> &'static str {
    if Path::new("/usr/bin/bash").exists() { "/usr/bin/bash" } else { "/bin/sh" }
}

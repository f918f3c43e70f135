//! The environment inside a sandbox: what was given, without the places that are not there.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{HOME, SYSTEM, TEMPORARY, WORKSPACE};
use crate::{IsolationError, Spec};

const PROGRAMS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// They name sockets and folders of the machine, which are not inside.
const DROPPED: [&str; 8] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "OLDPWD",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "TEMP",
    "TMP",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
];

pub(super) fn inside(spec: &Spec) -> Result<BTreeMap<OsString, OsString>, IsolationError> {
    let mut inside = BTreeMap::new();
    for (name, value) in &spec.environment {
        let is_wrong = name.is_empty()
            || name.as_bytes().iter().any(|byte| matches!(byte, 0 | b'='))
            || value.as_bytes().contains(&0);
        if is_wrong {
            return Err(IsolationError::Environment(name.to_string_lossy().into_owned()));
        }
        if !DROPPED.iter().any(|dropped| name == dropped) {
            inside.insert(name.clone(), value.clone());
        }
    }
    let path = inside.get(OsStr::new("PATH")).map(|path| visible(path, spec));
    let path = path.filter(|path| !path.is_empty()).unwrap_or_else(|| PROGRAMS.into());
    let own = [
        ("HOME", HOME.into()),
        ("LOGNAME", "agent".into()),
        ("PATH", path),
        ("PWD", WORKSPACE.into()),
        ("SHELL", shell().into()),
        ("TMPDIR", TEMPORARY.into()),
        ("USER", "agent".into()),
    ];
    inside.extend(own.map(|(name, value)| (OsString::from(name), value)));
    inside.entry("LANG".into()).or_insert_with(|| "C.UTF-8".into());
    Ok(inside)
}

/// What is in `/usr` here is in `/usr` inside.
fn shell() -> &'static str {
    if Path::new("/usr/bin/bash").exists() { "/usr/bin/bash" } else { "/bin/sh" }
}

/// The folders of a search path that are there inside.
fn visible(path: &OsStr, spec: &Spec) -> OsString {
    let is_visible = |folder: &PathBuf| {
        let system = SYSTEM.iter().chain(["/usr", WORKSPACE].iter()).map(Path::new);
        let mut shown = system.chain(spec.readable.iter().map(PathBuf::as_path));
        shown.any(|shown| folder.starts_with(shown))
    };
    let kept = std::env::split_paths(path).filter(is_visible);
    // Joining fails only for a path with a colon in it, which splitting does not give.
    std::env::join_paths(kept).unwrap_or_default()
}

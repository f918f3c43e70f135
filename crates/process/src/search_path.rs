//! Where programs are looked for by those who must not find one that lies in the workspace.
//!
//! A shell that was prepared for a project has folders of it in its search path (`node_modules/.bin`, `.venv/bin`, `.`), and
//! what lies there may be an agent's. Terminals keep the path as it is: what a person types is theirs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Used where nothing else is left.
const USUAL: &str = "/usr/local/bin:/usr/bin:/bin";

/// A search path without folders that lie in `root`, whichever way they are named, or nowhere in particular.
#[must_use]
pub fn outside(path: Option<&OsStr>, root: &Path) -> OsString {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let is_outside = |folder: &Path| {
        let found = where_it_is(folder);
        let is_in = |folder: &Path| folder.starts_with(root) || folder.starts_with(&real);
        let is_plain = folder.components().all(|part| part.as_os_str() != "..");
        folder.is_absolute() && is_plain && !is_in(folder) && !is_in(&found)
    };
    let folders = std::env::split_paths(path.unwrap_or(OsStr::new(USUAL)));
    match std::env::join_paths(folders.filter(|folder| is_outside(folder))) {
        Ok(path) if !path.is_empty() => path,
        _ => USUAL.into(),
    }
}

/// Where a folder lies behind all links. One that is not there yet may be made.
fn where_it_is(folder: &Path) -> PathBuf {
    let above = folder.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match above {
        Some((above, real)) => real.join(folder.strip_prefix(above).unwrap_or(Path::new(""))),
        None => folder.to_path_buf(),
    }
}

/// The same for the search path in an environment.
pub fn outside_in(environment: &mut Vec<(OsString, OsString)>, root: &Path) {
    // The last one counts, as for the program that gets them.
    let path = environment.iter().rev().find(|(name, _)| name == "PATH");
    let path = outside(path.map(|(_, path)| path.as_os_str()), root);
    environment.retain(|(name, _)| name != "PATH");
    environment.push(("PATH".into(), path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_workspace_are_left_out_whichever_way_they_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        std::fs::create_dir_all(root.join("node_modules/.bin")).unwrap();
        std::os::unix::fs::symlink(&root, folder.path().join("link")).unwrap();
        let at = folder.path().display();
        let path = format!(
            "{at}/work/node_modules/.bin:.::node_modules/.bin:/usr/bin:{at}/link/bin:{at}/link:{at}/x/../work:{at}/work:{at}/workshop"
        );
        let left = outside(Some(OsStr::new(&path)), &root);
        assert_eq!(left.to_str().unwrap(), format!("/usr/bin:{at}/workshop"));
        assert_eq!(outside(Some(OsStr::new(".")), &root), USUAL);
        assert_eq!(outside(None, &root), USUAL);
    }
}

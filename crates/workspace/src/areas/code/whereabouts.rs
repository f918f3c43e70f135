//! Paths of the workspace, of the place where a server runs, and as servers name them.

use std::path::Path;

use openspace_languages::Uri;
use openspace_protocol::RelPath;

/// Where a file is that a server named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Where {
    /// In the workspace.
    Inside(RelPath),
    /// Elsewhere, such as in a standard library: its path in the place, or its name if it is no file.
    Outside(String),
}

impl Where {
    pub(super) fn of(uri: &Uri, root: &Path) -> Self {
        match uri.path() {
            Some(path) => match relative(root, &path) {
                Some(path) => Self::Inside(path),
                None => Self::Outside(path.to_string_lossy().into_owned()),
            },
            None => Self::Outside(uri.as_str().to_owned()),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Inside(path) => path.to_string(),
            Self::Outside(path) => path.clone(),
        }
    }
}

/// A path of the place relative to its root, if it is beneath it.
pub(super) fn relative(root: &Path, path: &Path) -> Option<RelPath> {
    RelPath::parse(path.strip_prefix(root).ok()?.to_str()?).ok()
}

/// A file of the workspace as a server knows it.
pub(super) fn uri(root: &Path, path: &RelPath) -> Uri {
    if path.is_root() { Uri::of_path(root) } else { Uri::of_path(&root.join(path.as_path())) }
}

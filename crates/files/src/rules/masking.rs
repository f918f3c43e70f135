//! Which names of a workspace are hidden from programs in a confined place.
//!
//! They are the secret names of [`Rules`], with three differences. Names under which editors keep the
//! same text for a while are hidden too. `.git` is not: programs need it, and what was committed is
//! no secret to them. And in folders that tools fill with published packages the built-in names do not
//! count: what is called `cacert.pem` there is no secret of the person, and without it nothing can be
//! installed.

use super::{Rules, RulesError};

#[cfg(test)]
mod tests;

/// Folders that tools fill with what others published, and can fill again.
pub(super) const PACKAGES: &[&str] = &[
    "node_modules",
    "bower_components",
    "site-packages",
    "dist-packages",
    ".tox",
    ".nox",
    ".yarn",
    ".pnpm-store",
    ".cargo",
    ".gradle",
    ".terraform",
    ".build",
    "_deps",
];

/// What editors put behind the name of a file.
const BEHIND: &[&str] = &[
    "~",
    "#",
    ".swp",
    ".swo",
    ".swn",
    ".swx",
    ".bak",
    ".old",
    ".orig",
    ".save",
    ".tmp",
    ".kate-swp",
    "___jb_tmp___",
    "___jb_old___",
];

/// What they put before it.
const BEFORE: &[&str] = &[".#", "#", "."];

/// The names that are hidden.
#[derive(Debug)]
pub struct Masking {
    all: Rules,
    /// What a person named counts everywhere.
    of_person: Rules,
    person_named_some: bool,
}

impl Masking {
    /// The built-in names and those that a person added.
    pub fn new(secret_extra: &[String]) -> Result<Self, RulesError> {
        let all = Rules::new(secret_extra, &[])?;
        let of_person =
            Rules { built_in_secret: Vec::new(), also_secret: Vec::new(), ..all.clone() };
        Ok(Self { all, of_person, person_named_some: !secret_extra.is_empty() })
    }

    /// Whether this very path is hidden; the folders above it are not asked. `published` says that it
    /// lies in a folder of packages.
    pub fn hides(&self, path: &str, published: bool) -> bool {
        let (folder, name) =
            path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
        if name.eq_ignore_ascii_case(".git") {
            return false;
        }
        let rules = if published { &self.of_person } else { &self.all };
        if rules.hides(path) {
            return true;
        }
        let beside = |name: &str| {
            if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
        };
        plain_names(name).any(|name| rules.hides(&beside(name)))
    }

    /// Whether a folder of this name holds packages.
    pub fn is_of_packages(name: &str) -> bool {
        PACKAGES.contains(&name)
    }

    /// Whether anything in a folder of packages could be hidden.
    pub fn looks_into_packages(&self) -> bool {
        self.person_named_some
    }
}

/// The names of files for which an editor may use this one.
fn plain_names(name: &str) -> impl Iterator<Item = &str> {
    let behind = BEHIND.iter().filter_map(move |mark| name.strip_suffix(mark));
    let both = behind.flat_map(|rest| {
        let before = BEFORE.iter().filter_map(move |mark| rest.strip_prefix(mark));
        std::iter::once(rest).chain(before)
    });
    // A lock of Emacs has a mark before the name only.
    both.chain(name.strip_prefix(".#")).filter(|name| !name.is_empty())
}

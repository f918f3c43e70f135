//! Links with the name of a secret: what they lead to is one.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use openspace_protocol::keeping::Opened;

use super::{KeepError, Keeper, MOST_SECRETS, text};

/// Public by custom, so a link may lead there.
const EXAMPLE: &str = ".env.example";

impl Keeper {
    /// Hides what a link leads to, over any number of further links, if that lies in the workspace. It
    /// stays secret when it is replaced. What lies elsewhere is not shown in the place anyway.
    pub(super) fn hide_target(&mut self, link: &OsStr) -> Result<(), KeepError> {
        let Some(target) = self.target(link) else { return Ok(()) };
        self.watching.targets.insert(target.clone());
        if self.watching.targets.len() > MOST_SECRETS {
            return Err(KeepError::TooManySecrets);
        }
        let failed = |source| KeepError::Hide { path: text(&target), source };
        let outcome = self.mounts.hide(&target).map_err(failed)?;
        self.tell_hidden(&target, outcome, Opened::Unknown)
    }

    /// Where a link leads to, as the place sees it, which has the same files under the same names.
    fn target(&self, link: &OsStr) -> Option<OsString> {
        let inside = self.keep.inside.canonicalize().ok()?;
        let target = inside.join(link).canonicalize().ok()?;
        let target = target.strip_prefix(&inside).ok()?;
        let is_example = target.file_name()?.eq_ignore_ascii_case(EXAMPLE);
        // Who is in a folder cannot hide it: the whole workspace could be gone.
        let is_above = Path::new(link).starts_with(target);
        (!is_example && !is_above).then(|| target.as_os_str().to_owned())
    }
}

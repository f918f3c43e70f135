//! Hiding secrets, and telling under which names they are hidden.

use std::ffi::OsStr;

use openspace_protocol::keeping::{News, Opened};
use rustix::fs::FileType;

use super::look::Found;
use super::mounts::{Outcome, identity};
use super::{KeepError, Keeper, MOST_SECRETS, tell, text};

impl Keeper {
    /// Hides what was found, links and other names of the same files included.
    pub(super) fn hide_all(&mut self, found: &Found, opened: Opened) -> Result<(), KeepError> {
        let mut has_other_names = false;
        for path in &found.secrets {
            has_other_names |= self.hide_and_tell(path, opened)?;
        }
        for path in &found.links {
            self.hide_target(path)?;
        }
        if has_other_names {
            for path in self.watching.look_for_other_names()? {
                self.hide_and_tell(&path, opened)?;
            }
        }
        self.tell_unwatched()
    }

    /// Hides one secret. Says whether its file has other names.
    pub(super) fn hide_and_tell(
        &mut self,
        path: &OsStr,
        opened: Opened,
    ) -> Result<bool, KeepError> {
        let (outcome, has_other_names) = self.hide(path)?;
        self.tell_hidden(path, outcome, opened)?;
        Ok(has_other_names)
    }

    /// Tells of a secret that is hidden since now, or under a name that was not told.
    pub(super) fn tell_hidden(
        &mut self,
        path: &OsStr,
        outcome: Outcome,
        opened: Opened,
    ) -> Result<(), KeepError> {
        let is_hidden = matches!(outcome, Outcome::Done | Outcome::Already);
        let is_new = is_hidden && self.watching.told_hidden.insert(path.to_owned());
        if is_new || outcome == Outcome::Done {
            tell(News::Hidden { path: text(path), opened })?;
        }
        Ok(())
    }

    /// Tells the names that hidden secrets have now, if they have others than were told.
    pub(super) fn tell_where_hidden(&mut self) -> Result<(), KeepError> {
        let hidden = self.mounts.hidden();
        for path in hidden.map_err(|error| KeepError::system("list what is hidden", error))? {
            self.tell_hidden(&path, Outcome::Already, Opened::Unknown)?;
        }
        Ok(())
    }

    pub(super) fn hide(&mut self, path: &OsStr) -> Result<(Outcome, bool), KeepError> {
        let failed = |source| KeepError::Hide { path: text(path), source };
        let Some(status) = self.watching.status(path).map_err(failed)? else {
            return Ok((Outcome::Gone, false));
        };
        let outcome = self.mounts.hide(path).map_err(failed)?;
        match outcome {
            Outcome::Done | Outcome::Already => {
                self.watching.secrets.insert(identity(&status));
                if self.watching.secrets.len() > MOST_SECRETS {
                    return Err(KeepError::TooManySecrets);
                }
            }
            Outcome::Link => self.hide_target(path)?,
            Outcome::Gone => {}
        }
        if FileType::from_raw_mode(status.st_mode) == FileType::Directory {
            return Ok((outcome, self.watching.note_other_names(path)?));
        }
        Ok((outcome, status.st_nlink > 1))
    }
}

//! Taking in what happened in the workspace.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::time::Instant;

use openspace_protocol::keeping::{News, Opened};
use rustix::fs::FileType;

use super::folders::{Event, Role, join};
use super::mounts::{Outcome, identity};
use super::repositories::{CONFIGURATION, REPLACEMENT};
use super::{KeepError, Keeper, OWN_FOLDER, tell, text};

/// Where the kernel says how many events wait at most for one who does not read them.
const QUEUED: &str = "/proc/sys/fs/inotify/max_queued_events";

/// How often a folder is looked for that was moved to where nobody watches.
const MOST_TRIES: u8 = 3;

/// How many events are read before any is looked at: at least as many as can wait at once, so that a
/// program which makes events without end cannot hold up an answer.
#[expect(clippy::disallowed_methods, reason = "a setting of the kernel is no file of a workspace")]
pub(super) fn most() -> usize {
    let queued = std::fs::read_to_string(QUEUED).ok().and_then(|text| text.trim().parse().ok());
    queued.unwrap_or(16_384_usize).clamp(1024, 1_000_000)
}

impl Keeper {
    /// Takes in all that has happened so far.
    pub(super) fn take_in(&mut self) -> Result<(), KeepError> {
        let mut events: VecDeque<Event> = self.read()?.into();
        while let Some(event) = events.pop_front() {
            match event {
                Event::Appeared { folder, ref name, renamed } => {
                    self.appeared(folder, name, renamed, &mut events)?;
                }
                Event::Left { folder, ref name, is_folder: true, .. } => self.left(folder, name),
                Event::Left { .. } => {}
                Event::Ended { folder } => self.watching.folders.ended(folder),
                Event::Missed => self.look_again()?,
                Event::Opened { folder, ref name } => self.opened(folder, name)?,
            }
            self.watching.sightings.note(event, &self.watching.folders);
        }
        self.find_moved()
    }

    /// A folder is not where it was.
    fn left(&mut self, folder: i32, name: &OsStr) {
        self.watching.has_moved = true;
        if let Some(parent) = self.watching.folders.path(folder) {
            let path = join(&parent, name);
            // What was protected is elsewhere now; what comes in its place is its maker's own.
            let stays = |it: &OsString| !Path::new(it).starts_with(&path);
            self.watching.repositories.retain(stays);
        }
        if let Some(identity) = self.watching.folders.forget(folder, name) {
            self.watching.moved.insert(identity, 0);
        }
    }

    /// Folders that left and did not appear where somebody watches may be where nobody does. One that is
    /// moved again meanwhile may be missed, and is looked for some more times.
    fn find_moved(&mut self) -> Result<(), KeepError> {
        for (identity, tries) in std::mem::take(&mut self.watching.moved) {
            let Some(found) = self.watching.look_for_moved(identity)? else {
                if tries + 1 < MOST_TRIES {
                    self.watching.moved.insert(identity, tries + 1);
                }
                continue;
            };
            self.tell_repositories(&found.repositories)?;
            self.hide_all(&found, Opened::Unknown)?;
        }
        // What is hidden went along.
        if std::mem::take(&mut self.watching.has_moved) {
            self.tell_where_hidden()?;
        }
        self.look_at_trails()
    }

    fn read(&mut self) -> Result<Vec<Event>, KeepError> {
        let most = self.watching.most_events;
        let events = self.watching.folders.read(most);
        events.map_err(|error| KeepError::system("read what happened", error))
    }

    fn look_again(&mut self) -> Result<(), KeepError> {
        let found = self.watching.look_at_all()?;
        self.hide_all(&found, Opened::Unknown)?;
        self.tell_repositories(&found.repositories)?;
        self.protect_own_folder(false)?;
        for repository in self.watching.repositories.clone() {
            self.protect_repository(&repository)?;
        }
        Ok(())
    }

    /// Folders that cannot be watched are looked at when somebody asks.
    pub(super) fn look_where_nobody_watches(&mut self) -> Result<(), KeepError> {
        if self.watching.is_remote {
            return self.look_again();
        }
        for path in self.watching.unwatched.clone() {
            let found = self.watching.look_unwatched(path)?;
            self.hide_all(&found, Opened::Unknown)?;
        }
        Ok(())
    }

    fn tell_repositories(&mut self, found: &[OsString]) -> Result<(), KeepError> {
        for path in found.iter().filter(|path| !self.watching.repositories.contains(*path)) {
            tell(News::Repository { path: text(path) })?;
        }
        Ok(())
    }

    /// Whoever looked for a file before it was hidden may open it after.
    fn opened(&mut self, folder: i32, name: &OsStr) -> Result<(), KeepError> {
        match self.watching.sightings.hidden_just_now(folder, name) {
            Some(path) => tell(News::Hidden { path: text(&path), opened: Opened::Seen }),
            None => Ok(()),
        }
    }

    fn appeared(
        &mut self,
        folder: i32,
        name: &OsStr,
        renamed: Option<u32>,
        events: &mut VecDeque<Event>,
    ) -> Result<(), KeepError> {
        let Some(role) = self.watching.folders.role(folder) else { return Ok(()) };
        let Some(parent) = self.watching.folders.path(folder) else { return Ok(()) };
        let path = join(&parent, name);
        let published = match role {
            Role::Repository => return self.appeared_in_repository(&parent, name),
            Role::Ordinary { published } => published,
        };
        if name.eq_ignore_ascii_case(".git") {
            if self.watching.repositories.contains(&path) {
                return self.protect_repository(&path);
            }
            return tell(News::Repository { path: text(&path) });
        }
        if path == OWN_FOLDER {
            // It is looked at like any folder then: the trash in it is secret.
            self.protect_own_folder(false)?;
        }
        let failed = |source| KeepError::Hide { path: text(&path), source };
        let Some(status) = self.watching.status(&path).map_err(failed)? else { return Ok(()) };
        // By what it is, not by the number of its renaming: it may have been moved on before this was told.
        let counted = self.watching.moved.remove(&identity(&status)).is_some();
        let hides = self.watching.hides(&path, published);
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Symlink if hides => return self.hide_target(&path),
            FileType::Symlink => return Ok(()),
            FileType::Directory if !hides => {
                let found = self.watching.look_at(path, folder, name, counted)?;
                self.tell_repositories(&found.repositories)?;
                return self.hide_all(&found, Opened::Unknown);
            }
            _ => {}
        }
        let is_other_name =
            status.st_nlink > 1 && self.watching.secrets.contains(&identity(&status));
        if !hides && !is_other_name {
            return Ok(());
        }
        let (outcome, has_other_names) = self.hide(&path)?;
        if outcome == Outcome::Done {
            let was_close = match self.watching.open_folder(&parent) {
                Ok(opened) => self.watching.folders.watch_closely(folder, opened.as_fd()),
                Err(_) => Ok(false),
            };
            let now = Instant::now();
            // What was opened before it was hidden has been told by now.
            events.extend(self.read()?);
            let is_it = |event: &&Event| matches!(event, Event::Opened { folder: of, name: it } if *of == folder && it == name);
            let after = events.iter().filter(is_it).count();
            let before = self.watching.sightings.opened_before(folder, name, renamed);
            let was_close = was_close.unwrap_or(false);
            let opened = opened(renamed.is_some(), was_close, before + after);
            // What is still to be read of it is counted already.
            if opened != Opened::Seen && after == 0 {
                self.watching.sightings.hid(now, folder, name, &path);
            }
            self.tell_hidden(&path, outcome, opened)?;
        } else {
            self.tell_hidden(&path, outcome, Opened::Unknown)?;
        }
        if has_other_names && hides {
            for path in self.watching.look_for_other_names()? {
                self.hide_and_tell(&path, Opened::Unknown)?;
            }
        }
        Ok(())
    }

    fn appeared_in_repository(&mut self, git: &OsStr, name: &OsStr) -> Result<(), KeepError> {
        let path = join(git, name);
        if name == REPLACEMENT {
            return self.remove_replacement(&path);
        }
        if CONFIGURATION.iter().any(|known| name == *known) {
            return self.protect_folder_of_repository(git);
        }
        Ok(())
    }
}

/// Whoever makes a file opens it once; the kernel tells two openings in a row as one.
fn opened(renamed: bool, told: bool, count: usize) -> Opened {
    match (told, renamed, count) {
        (true, true, 1..) | (true, false, 2..) => Opened::Seen,
        (true, true, 0) => Opened::NotSeen,
        _ => Opened::Unknown,
    }
}

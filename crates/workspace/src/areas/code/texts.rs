//! What a language server is told of texts: as the person sees them, saved or not.
//!
//! Files with unsaved text are always open, because what is wrong elsewhere may depend on them. Others are opened when
//! somebody asks about them, as they are on disk, and closed when nobody did for a while. Before each question all of
//! them are looked at again, so an answer is about the texts as they are.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use openspace_command::{Error, ErrorKind, Result};
use openspace_files::{FileError, LineRange};
use openspace_host::{
    HostError,
    operation::{MayRead, ReadText, StatPath},
};
use openspace_languages::{LARGEST_TEXT, MOST_DOCUMENTS, Uri};
use openspace_protocol::RelPath;
use openspace_text::merge::with_line_feeds;
use tokio::{task::JoinSet, time::Instant};

use super::{running::Running, servers::CodeServers, whereabouts::uri};
use crate::{OpenSpace, paths::explained, places::Place};

/// Files that are open as they are on disk; those that were not asked about for longest are closed for others. The rest
/// of what a server may have open is for unsaved texts.
const MOST_FROM_DISK: usize = MOST_DOCUMENTS * 3 / 4;

/// The texts that one server was told.
#[derive(Default)]
pub(super) struct Texts {
    open: BTreeMap<RelPath, Open>,
}

struct Open {
    uri: Uri,
    used: Instant,
    /// What the disk had when it was read; nothing for unsaved text.
    disk: Option<Stamp>,
}

/// By what it is noticed that a file is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: i64,
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    fn count_of_disk(&self) -> usize {
        self.open.values().filter(|open| open.disk.is_some()).count()
    }
}

/// A text as it is on disk.
enum OnDisk {
    Text(String),
    Gone,
}

impl Running {
    /// Whether a file is one for this server.
    fn takes(&self, servers: &CodeServers, path: &RelPath) -> bool {
        let language = servers.table().language_of(path.as_path());
        let speaks = language.is_some_and(|language| self.languages.contains(&language.id));
        speaks && self.depth_of(path).is_some()
    }

    /// What a file is called when this server is spoken to.
    pub(super) fn uri(&self, path: &RelPath) -> Uri {
        uri(&self.place.facts().root, path)
    }

    /// Tell the server all texts as they are now, and open these files.
    pub(super) async fn tell_texts(
        &self,
        state: &OpenSpace,
        servers: &CodeServers,
        asked: &[RelPath],
    ) -> Result<()> {
        let mut texts = self.texts.lock().await;
        let unsaved: BTreeSet<RelPath> = state
            .buffers()
            .unsaved_paths()
            .into_iter()
            .filter(|path| !path.is_untitled() && self.takes(servers, path))
            .collect();
        let changed = self.changed_on_disk(&texts, state.place(), &unsaved).await;
        let mut look: BTreeSet<RelPath> = unsaved;
        look.extend(changed);
        look.extend(asked.iter().cloned());
        for path in look {
            let told = self.tell_text(&mut texts, state, servers, &path).await;
            if let Err(error) = told {
                if asked.contains(&path) {
                    return Err(error);
                }
                tracing::debug!(%path, %error, "a language server is not told of a file");
            }
        }
        Ok(())
    }

    /// The same for one file that changed, if the server has to know of it.
    pub(super) async fn follow(&self, state: &OpenSpace, servers: &CodeServers, path: &RelPath) {
        if !self.takes(servers, path) || path.is_untitled() {
            return;
        }
        let mut texts = self.texts.lock().await;
        let is_wanted = texts.open.contains_key(path) || state.buffers().is_unsaved(path);
        if is_wanted && let Err(error) = self.tell_text(&mut texts, state, servers, path).await {
            tracing::debug!(%path, %error, "a language server is not told of a file");
        }
    }

    /// Open files that the disk has another text of, or that are not unsaved any more.
    async fn changed_on_disk(
        &self,
        texts: &Texts,
        place: &Arc<Place>,
        unsaved: &BTreeSet<RelPath>,
    ) -> Vec<RelPath> {
        let mut looks = JoinSet::new();
        for (path, open) in texts.open.iter().filter(|(path, _)| !unsaved.contains(*path)) {
            let (place, path, known) = (Arc::clone(place), path.clone(), open.disk);
            looks.spawn(async move {
                let stamp = stamp(&place, &path).await;
                (known.is_none() || stamp != known).then_some(path)
            });
        }
        let mut changed = Vec::new();
        while let Some(looked) = looks.join_next().await {
            changed.extend(looked.ok().flatten());
        }
        changed
    }

    async fn tell_text(
        &self,
        texts: &mut Texts,
        state: &OpenSpace,
        servers: &CodeServers,
        path: &RelPath,
    ) -> Result<()> {
        let Some(language) = servers.table().language_of(path.as_path()) else { return Ok(()) };
        let (place, uri) = (state.place(), self.uri(path));
        // What a rule calls secret is told to no program.
        if let Some(text) = state.buffers().unsaved_text(path) {
            if !texts.open.contains_key(path) {
                match place.ask(MayRead { path: path.clone(), person: false }).await {
                    Ok(()) | Err(HostError::File(FileError::NotFound { .. })) => {}
                    Err(error) => return Err(explained(place, error).await),
                }
            }
            self.put(&uri, &language.id, &text, false)?;
            texts.open.insert(path.clone(), Open { uri, used: Instant::now(), disk: None });
            return Ok(());
        }
        // Before it is read: what changes meanwhile is noticed the next time.
        let stamp = stamp(place, path).await;
        let read = read(place, path).await;
        if !matches!(read, Ok(OnDisk::Text(_))) && texts.open.remove(path).is_some() {
            self.server.close(&uri);
        }
        match read? {
            OnDisk::Gone => {
                let gone = HostError::File(FileError::NotFound { path: path.clone() });
                Err(explained(place, gone).await)
            }
            OnDisk::Text(text) => {
                self.make_room(texts, path);
                self.put(&uri, &language.id, &text, true)?;
                let disk = Some(stamp.unwrap_or(Stamp { size: 0, modified: i64::MIN }));
                texts.open.insert(path.clone(), Open { uri, used: Instant::now(), disk });
                Ok(())
            }
        }
    }

    /// Tell one text, if the server has another.
    fn put(&self, uri: &Uri, language: &str, text: &str, saved: bool) -> Result<()> {
        let known = self
            .server
            .see(|server| server.document(uri).map(|known| (Arc::clone(&known.text), known.saved)));
        if known.as_ref().is_none_or(|(known, _)| **known != *text) {
            self.server
                .open(uri, language, text.into(), saved)
                .map_err(|error| Error::new(ErrorKind::Unsupported, error.to_string()))?;
            self.changed.notify_one();
        }
        let is_saved = self.server.see(|server| server.document(uri).is_some_and(|it| it.saved));
        if saved && !is_saved {
            self.server.saved(uri).map_err(|error| Error::internal(error.to_string()))?;
        }
        Ok(())
    }

    fn make_room(&self, texts: &mut Texts, path: &RelPath) {
        while !texts.open.contains_key(path) && texts.count_of_disk() >= MOST_FROM_DISK {
            let from_disk = texts.open.iter().filter(|(_, open)| open.disk.is_some());
            let Some((oldest, _)) = from_disk.min_by_key(|(_, open)| open.used) else { return };
            let oldest = oldest.clone();
            self.close(texts, &oldest);
        }
    }

    fn close(&self, texts: &mut Texts, path: &RelPath) {
        if let Some(open) = texts.open.remove(path) {
            self.server.close(&open.uri);
        }
    }

    /// Have the server know a file from now on, if it does not yet.
    pub(super) async fn keep_open(
        &self,
        state: &OpenSpace,
        servers: &CodeServers,
        path: &RelPath,
    ) -> Result<()> {
        if self.texts.lock().await.open.contains_key(path) {
            return Ok(());
        }
        self.tell_texts(state, servers, std::slice::from_ref(path)).await
    }

    /// Close files that nobody asked about for so long and that no page shows.
    pub(super) async fn close_unused(&self, after: std::time::Duration, shown: &BTreeSet<RelPath>) {
        let mut texts = self.texts.lock().await;
        let unused = texts
            .open
            .iter()
            .filter(|(_, open)| open.disk.is_some() && open.used.elapsed() >= after)
            .filter(|(path, _)| !shown.contains(*path));
        let unused: Vec<RelPath> = unused.map(|(path, _)| path.clone()).collect();
        for path in unused {
            self.close(&mut texts, &path);
        }
    }
}

async fn stamp(place: &Place, path: &RelPath) -> Option<Stamp> {
    let stat = place.ask(StatPath { path: path.clone() }).await.ok()?;
    Some(Stamp { size: stat.size, modified: stat.modified })
}

async fn read(place: &Place, path: &RelPath) -> Result<OnDisk> {
    let whole = ReadText { path: path.clone(), range: LineRange::default(), person: false };
    let read = match place.ask(whole).await {
        Ok(read) => read,
        Err(HostError::File(FileError::NotFound { .. })) => return Ok(OnDisk::Gone),
        Err(error) => return Err(explained(place, error).await),
    };
    if read.truncated || read.size > LARGEST_TEXT as u64 {
        let message = format!(
            "`{path}` has {} bytes; language servers are told texts of {LARGEST_TEXT} at most",
            read.size
        );
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    let text = read.content.strip_prefix('\u{feff}').unwrap_or(&read.content);
    Ok(OnDisk::Text(with_line_feeds(text)))
}

/// A file as the person sees it, and by what a change names it.
pub(super) struct Current {
    /// With line feeds.
    pub(super) text: String,
    pub(super) hash: String,
}

/// Read a file that a server asks to be changed.
pub(super) async fn current(state: &OpenSpace, path: &RelPath) -> Result<Current> {
    let place = state.place();
    if let Some(live) = state.buffers().live(path) {
        if let Err(error) = place.ask(MayRead { path: path.clone(), person: false }).await {
            return Err(explained(place, error).await);
        }
        return Ok(Current { text: live.text.to_string(), hash: live.hash });
    }
    let whole = ReadText { path: path.clone(), range: LineRange::default(), person: false };
    let read = match place.ask(whole).await {
        Ok(read) => read,
        Err(error) => return Err(explained(place, error).await),
    };
    let Some(hash) = read.hash.filter(|_| !read.truncated && !read.lossy) else {
        let message = format!("`{path}` is too large to be changed, or not all of it is text");
        return Err(Error::new(ErrorKind::Unsupported, message));
    };
    let text = read.content.strip_prefix('\u{feff}').unwrap_or(&read.content);
    Ok(Current { text: with_line_feeds(text), hash })
}

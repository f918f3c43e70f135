//! What pages do: open, attach, edit, detach.

use std::sync::Arc;

use openspace_command::{Error, Result};
use openspace_protocol::{ErrorKind, RelPath};
use openspace_text::{
    merge,
    offsets::{self, Edit, EditedLines},
};

use super::{
    Inner, MAX_EDITS, MAX_TEXT, Step,
    authors::EditId,
    buffer::{Buffer, Shared, TextGuard},
    disk::{Absorbed, Disk, IfApart},
    lock,
    pages::{FromPage, Outbox, Reason, ToPage},
    stopping, too_large, turns, work,
};

/// Who another page is, to a page.
const ANOTHER: &str = "another browser";
/// Bytes that the name of a page may have.
const MAX_PAGE_NAME: usize = 64;

fn parsed(path: &str) -> Result<RelPath> {
    RelPath::parse(path).map_err(|error| Error::invalid(format!("`{path}`: {error}")))
}

/// Texts have one form, or offsets would mean different places on the two sides.
fn check_text(name: &str, text: &str) -> Result<()> {
    if text.contains('\r') {
        return Err(Error::invalid(format!("`{name}` has a carriage return"))
            .hint("lines end in a line feed alone here, whatever they end in on disk"));
    }
    Ok(())
}

impl Inner {
    /// Do what a page asks for. The answer, also of a failure, goes to its inbox.
    pub(super) async fn answer(self: &Arc<Self>, page: &Arc<Outbox>, message: FromPage) {
        let (text, done) = match message {
            FromPage::Open { path, base, text, edit } => {
                let done = self.open(page, &path, base, text, edit).await;
                (path, done)
            }
            FromPage::Attach { path, unsure } => {
                let done = self.attach(page, &path, unsure).await;
                (path, done)
            }
            FromPage::Edit { path, version, edits, edit } => {
                let done = self.edit(page, &path, version, edits, edit).await;
                (path, done)
            }
            FromPage::Detach { path } => {
                let done = parsed(&path).map(|path| {
                    let leave = |buffer: &mut Buffer| {
                        buffer.pages.retain(|known| known.id() != page.id());
                    };
                    self.texts.with(&path, leave);
                });
                (path, done)
            }
        };
        if let Err(error) = done {
            let moved = || self.went(&RelPath::parse(&text).ok()?);
            let to = (error.kind == ErrorKind::NotFound).then(moved).flatten();
            page.send(Arc::new(match to {
                Some(to) => ToPage::elsewhere(text, &to),
                None => ToPage::failure(Some(text), &error),
            }));
        }
    }

    async fn open(
        self: &Arc<Self>,
        page: &Arc<Outbox>,
        path: &str,
        base: String,
        text: String,
        edit: Option<EditId>,
    ) -> Result<()> {
        let path = parsed(path)?;
        check_page(edit.as_ref())?;
        check_text("base", &base)?;
        check_text("text", &text)?;
        if text.len() > MAX_TEXT || base.len() > MAX_TEXT {
            return Err(too_large(&path));
        }
        let (base, text) = (Shared::from(base), Shared::from(text));
        let guard = self.texts.guard(&path).await;
        let disk = self.read_disk(&path).await?;
        // What another program wrote comes first: the page may have read it already.
        let has_buffer = self.absorb(&guard, &disk, IfApart::Wait).await? != Absorbed::NoBuffer;
        let typed = self.lines_between(&base, &text).await?;
        if has_buffer {
            self.join_texts(&guard, page, base, text, edit).await?;
        } else {
            // What is typed into a file in the moment of its move is not the text of a missing file.
            if matches!(disk, Disk::Missing) && self.went(&path).is_some() {
                return Err(no_buffer(&path));
            }
            let mut buffer = begin(&path, base, text, &disk).await?;
            if let Some(edit) = &edit {
                buffer.authors.made(edit);
            }
            self.create(&guard, buffer)?;
        }
        self.tell_typed(&path, &typed);
        self.attach_page(&guard, page, None);
        // What turned out not to differ is not unsaved.
        let is_saved = guard.known().as_ref().is_some_and(|buffer| buffer.text == buffer.base);
        if is_saved {
            self.close(&guard, Reason::Saved, None);
        }
        Ok(())
    }

    /// Where a file without unsaved text went, if it was moved of late.
    fn went(&self, path: &RelPath) -> Option<RelPath> {
        let has_text = self.texts.with(path, |_| ()).is_some();
        if has_text { None } else { lock(&self.moved).went(path) }
    }

    /// A second page typed into the same file before it heard of the first one.
    async fn join_texts(
        self: &Arc<Self>,
        guard: &TextGuard,
        page: &Outbox,
        base: Shared,
        text: Shared,
        edit: Option<EditId>,
    ) -> Result<()> {
        let known = guard.known().as_ref().map(|buffer| buffer.text.clone());
        let Some(known) = known else { return Ok(()) };
        let old = known.clone();
        let (both, edits) = work(move || {
            let both = merge::keep_both(&base, &known, &text);
            let edits = offsets::between(&known, &both);
            (both, edits)
        })
        .await?;
        if both.len() > MAX_TEXT {
            return Err(too_large(guard.path()));
        }
        // The page is told by `opened`, not as somebody who edited.
        if let Some(buffer) = guard.known().as_mut() {
            buffer.pages.retain(|known| known.id() != page.id());
        }
        let text = (both != *old).then(|| (both.into(), edits));
        let step = Step { text, base: None, by: ANOTHER.to_owned(), edit };
        if self.commit(guard, step, None) { Ok(()) } else { Err(stopping()) }
    }

    async fn attach(&self, page: &Arc<Outbox>, path: &str, unsure: Option<EditId>) -> Result<()> {
        let path = parsed(path)?;
        check_page(unsure.as_ref())?;
        let guard = self.texts.guard(&path).await;
        let is_there = self.attach_page(&guard, page, unsure.as_ref());
        if is_there { Ok(()) } else { Err(no_buffer(&path)) }
    }

    /// Attach a page and tell it the text; false when there is none.
    fn attach_page(&self, guard: &TextGuard, page: &Arc<Outbox>, unsure: Option<&EditId>) -> bool {
        // With the guard held, all that was changed before is handed over.
        let kept = self.store.flush();
        let mut slot = guard.known();
        let Some(buffer) = slot.as_mut() else { return false };
        if !buffer.is_attached(page) {
            buffer.pages.push(Arc::clone(page));
        }
        let opened = ToPage::Opened {
            path: guard.path().to_string(),
            version: buffer.version,
            text: buffer.text.clone(),
            base: buffer.base.clone(),
            conflicted: buffer.conflicted,
            made: unsure.is_some_and(|edit| buffer.authors.settle(edit)),
        };
        page.send_when_kept(Arc::new(opened), kept);
        true
    }

    async fn edit(
        self: &Arc<Self>,
        page: &Outbox,
        path: &str,
        version: u64,
        edits: Vec<Edit>,
        edit: Option<EditId>,
    ) -> Result<()> {
        let path = parsed(path)?;
        check_page(edit.as_ref())?;
        if edits.len() > MAX_EDITS {
            return Err(Error::invalid(format!("more than {MAX_EDITS} edits in one message"))
                .hint("send one edit that spans them"));
        }
        for edit in &edits {
            check_text("text", &edit.text)?;
        }
        let guard = self.texts.guard(&path).await;
        let text = {
            let slot = guard.known();
            let Some(buffer) = slot.as_ref() else { return Err(no_buffer(&path)) };
            if !buffer.is_attached(page) {
                // It may be another buffer than the one the page speaks of.
                return Err(Error::conflict(format!("you are not attached to `{path}`"))
                    .hint("send `attach` or `open` first"));
            }
            // An edit that its page has asked after comes too late.
            let is_late = edit.as_ref().is_some_and(|edit| buffer.authors.is_decided(edit));
            let stale = buffer.version != version || is_late;
            if stale { Err(buffer.version) } else { Ok(buffer.text.clone()) }
        };
        let text = match text {
            Ok(text) => text,
            Err(version) => {
                turns::expect_again(&guard);
                page.send(Arc::new(ToPage::Stale { path: path.to_string(), version }));
                return Ok(());
            }
        };
        let edited =
            offsets::apply(&text, &edits).map_err(|error| Error::invalid(error.to_string()))?;
        if edited.len() > MAX_TEXT {
            return Err(too_large(&path));
        }
        // The offsets were looked at just now.
        let lines = || offsets::edited_lines(&text, &edits).unwrap_or_default();
        let typed = if self.is_heard() { lines() } else { Vec::new() };
        let step =
            Step { text: Some((edited.into(), edits)), base: None, by: ANOTHER.to_owned(), edit };
        if !self.commit(&guard, step, Some(page)) {
            return Err(stopping());
        }
        self.came_again(&guard);
        self.tell_typed(&path, &typed);
        Ok(())
    }

    fn is_heard(&self) -> bool {
        self.hears.get().is_some_and(|hears| hears.is_wanted())
    }

    /// The lines that differ between two texts, if anybody hears what is typed.
    async fn lines_between(&self, base: &Shared, text: &Shared) -> Result<Vec<EditedLines>> {
        if !self.is_heard() {
            return Ok(Vec::new());
        }
        let (base, text) = (base.clone(), text.clone());
        let lines = work(move || {
            let edits = offsets::between(&base, &text);
            offsets::edited_lines(&base, &edits).unwrap_or_default()
        });
        lines.await
    }

    fn tell_typed(&self, path: &RelPath, lines: &[EditedLines]) {
        if let Some(hears) = self.hears.get().filter(|_| !lines.is_empty()) {
            hears.typed(path, lines);
        }
    }
}

/// The name of a page is kept with the text, so it has to be short.
fn check_page(edit: Option<&EditId>) -> Result<()> {
    match edit {
        Some(edit) if edit.page.len() > MAX_PAGE_NAME => {
            Err(Error::invalid(format!("a page has a name of at most {MAX_PAGE_NAME} bytes")))
        }
        _ => Ok(()),
    }
}

fn no_buffer(path: &RelPath) -> Error {
    Error::not_found(format!("`{path}` has no unsaved text here"))
        .hint("send `open` with the text on disk and the text that differs from it")
}

/// The first buffer of a file.
async fn begin(path: &RelPath, base: Shared, text: Shared, disk: &Disk) -> Result<Buffer> {
    let found = match disk {
        Disk::Text(found) => found,
        // Nothing is there to be overwritten, and what was typed is worth keeping.
        Disk::Missing => {
            let mut buffer = Buffer::new(base, None, text);
            buffer.deleted = true;
            return Ok(buffer);
        }
        Disk::NoFile if !base.is_empty() => {
            return Err(Error::invalid(format!("`{path}` has no file, so its `base` is empty")));
        }
        Disk::NoFile => {
            let mut buffer = Buffer::new(base, None, text);
            buffer.conflicted = false;
            return Ok(buffer);
        }
        Disk::Unusable(reason) => return Err(reason.again()),
    };
    let mut buffer = if found.text == base {
        Buffer::new(base, Some(found.hash.clone()), text)
    } else {
        let (known, theirs, mine) = (base.clone(), found.text.clone(), text.clone());
        match work(move || merge::merge(&known, &theirs, &mine)).await? {
            Ok(merged) if merged.text.len() > MAX_TEXT => return Err(too_large(path)),
            Ok(merged) => {
                Buffer::new(found.text.clone(), Some(found.hash.clone()), merged.text.into())
            }
            Err(_) => Buffer::new(base, None, text),
        }
    };
    buffer.encoding = found.encoding;
    Ok(buffer)
}

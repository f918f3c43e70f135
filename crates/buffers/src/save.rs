//! Saving what is not saved, in the server.
//!
//! A page that writes a text itself has to have what is on disk first, and where others write without a pause it
//! never has. Here nobody gets in between: what came to the disk is merged in and the whole is written, under the
//! file's guard. A program that does not ask the server can still be faster; then the merge is made anew. One that has
//! just emptied the file, because it writes in place, is given its time once before that counts.
//!
//! As with an agent's change, all of it is done in a task of its own, so that a page that goes away leaves no half.

use std::sync::Arc;

use openspace_command::{Error, Result};
use openspace_files::{
    FileError,
    change::{ChangeError, Expected, Saved},
};
use openspace_host::{
    HostError,
    operation::{InspectPath, WriteBytes},
};
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Buffers, Inner, Step,
    agents::apart,
    buffer::TextGuard,
    disk::{Absorbed, Disk, IfApart, WRITE_TIME, is_emptied},
};

/// How often a save starts again because another program changed the file meanwhile.
const ATTEMPTS: usize = 5;

/// The form in which unsaved text is written, which only the page that shows it knows.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TextForm {
    /// How its lines end.
    pub line_end: LineEnd,
    /// Whether it begins with a byte order mark.
    #[serde(default)]
    pub byte_order_mark: bool,
}

/// How lines end.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineEnd {
    /// With a line feed.
    Lf,
    /// With a carriage return and a line feed.
    Crlf,
}

impl TextForm {
    fn bytes(self, text: &str) -> Vec<u8> {
        let mark = if self.byte_order_mark { "\u{feff}" } else { "" };
        match self.line_end {
            LineEnd::Lf => format!("{mark}{text}"),
            LineEnd::Crlf => format!("{mark}{}", text.replace('\n', "\r\n")),
        }
        .into_bytes()
    }
}

/// What it means that a program has emptied the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfEmptied {
    /// It may be about to write it anew: nothing is saved yet.
    Wait,
    /// That nothing is in it.
    Count,
}

impl Buffers {
    /// Write the unsaved text of a file, with what came to the disk meanwhile. Where nothing is unsaved any more
    /// nothing is written, and the answer is about what is there.
    pub async fn save(&self, path: &RelPath, form: TextForm, person: bool) -> Result<Saved> {
        let (inner, path) = (Arc::clone(&self.inner), path.clone());
        let saving = tokio::spawn(async move {
            let guard = inner.texts.guard(&path).await;
            if let Some(saved) = inner.save(&guard, form, person, IfEmptied::Wait).await? {
                return Ok(saved);
            }
            // What is typed meanwhile is not held up.
            drop(guard);
            tokio::time::sleep(WRITE_TIME).await;
            let guard = inner.texts.guard(&path).await;
            let saved = inner.save(&guard, form, person, IfEmptied::Count).await?;
            saved.ok_or_else(|| Error::internal("a save waited twice"))
        });
        saving.await.map_err(|error| Error::internal("the save broke off").because(error))?
    }
}

impl Inner {
    async fn save(
        self: &Arc<Self>,
        guard: &TextGuard,
        form: TextForm,
        person: bool,
        if_emptied: IfEmptied,
    ) -> Result<Option<Saved>> {
        let path = guard.path();
        for _ in 0..ATTEMPTS {
            // Looked at before it is read: whatever comes between makes the write one that is refused.
            let inspect = InspectPath { path: path.clone(), person };
            let there = self.host.ask(inspect).await.map_err(|error| match error {
                HostError::File(FileError::NotFound { .. }) => gone(path),
                error => (self.refused)(error),
            })?;
            let disk = self.read_disk(path).await?;
            if matches!(disk, Disk::Missing) {
                return Err(gone(path));
            }
            if if_emptied == IfEmptied::Wait && is_emptied(guard, &disk) {
                return Ok(None);
            }
            let absorbed = self.absorb(guard, &disk, IfApart::Conflict).await?;
            let Disk::Text(found) = &disk else { return Err(apart(path, &disk)) };
            let text = guard.known().as_ref().map(|buffer| buffer.text.clone());
            let text = match (absorbed, text) {
                (Absorbed::Apart, _) => return Err(apart(path, &disk)),
                (Absorbed::InStep, Some(text)) => text,
                (Absorbed::InStep | Absorbed::NoBuffer, _) => {
                    let (size, token, modified) = (there.size, there.token, there.modified);
                    let hash = found.hash.clone();
                    return Ok(Some(Saved { created: false, size, token, modified, hash }));
                }
            };
            let write = WriteBytes {
                path: path.clone(),
                content: form.bytes(&text),
                expected: Expected::Token(there.token),
                person,
            };
            let saved = match self.host.ask(write).await {
                Ok(saved) => saved,
                Err(HostError::Change(ChangeError::Stale { .. })) => continue,
                Err(error) => return Err((self.refused)(error)),
            };
            let base = Some((text, Some(saved.hash.clone())));
            self.commit(guard, Step { text: None, base, by: String::new(), edit: None }, None);
            return Ok(Some(saved));
        }
        Err(Error::conflict(format!("`{path}` is changed by another program all the time"))
            .hint("try again"))
    }
}

fn gone(path: &RelPath) -> Error {
    Error::not_found(format!("`{path}` is not on disk any more"))
        .hint("save it with its content and `createOnly`")
}

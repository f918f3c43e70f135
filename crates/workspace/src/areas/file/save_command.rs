//! `file.save`: an editor's save, byte for byte.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use openspace_buffers::save::TextForm;
use openspace_command::{CallerKind, Command, Error, Meta, Result, Set, Shown};
use openspace_files::change::{self, ChangeError, Expected};
use openspace_host::{HostError, operation::WriteBytes};
use openspace_protocol::{Access, RelPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::whereabouts::restored;
use crate::{
    Cx, content::writing::no_file, open_space::ask, paths::is_person, refusal::refused,
    workspaces::MAIN,
};

/// Save a file exactly as given.
///
/// Writes the bytes as they are: no line ending, byte order mark or encoding is changed. With
/// `expectedToken` nothing is written when the file has changed since it was read. The write is
/// atomic and creates missing folders. With `unsaved` the person's unsaved text is written, merged
/// with what came to the disk meanwhile.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Save {
    /// Path relative to the workspace root.
    path: String,
    /// The whole new content, as text; this, `base64` or `unsaved`.
    content: Option<String>,
    /// The whole new content, as bytes in base64.
    base64: Option<String>,
    /// The new content is the unsaved text that the server has, in this form.
    unsaved: Option<TextForm>,
    /// The token that the file must have, as a read, a look or a save told it.
    expected_token: Option<String>,
    /// Write only if there is no file yet.
    #[serde(default)]
    create_only: bool,
}

/// What was saved.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Saved {
    /// The file, relative to the root.
    path: String,
    /// Differs whenever the file has changed; the `expectedToken` of the next save.
    token: String,
    /// When it was written, in milliseconds since 1970.
    mtime_ms: i64,
    /// The size of the file now.
    size: u64,
    /// XXH3 hash (128 bits, hexadecimal) of the file's bytes now.
    hash: String,
    /// True when there was no file before.
    created: bool,
}

impl Saved {
    /// What the caller knows the file by from now on.
    fn noted(cx: &Cx, path: RelPath, saved: change::Saved) -> Self {
        cx.state.seen().note(&cx.caller, MAIN, &path, &saved.hash);
        Self {
            path: path.into(),
            token: saved.token,
            mtime_ms: saved.modified,
            size: saved.size,
            hash: saved.hash,
            created: saved.created,
        }
    }
}

fn bytes(content: Option<String>, base64: Option<String>) -> Result<Vec<u8>> {
    match (content, base64) {
        (Some(text), None) => Ok(text.into_bytes()),
        (None, Some(encoded)) => STANDARD
            .decode(encoded)
            .map_err(|error| Error::invalid(format!("argument `base64`: {error}"))),
        _ => Err(one_content()),
    }
}

fn one_content() -> Error {
    Error::invalid("give one of `content`, `base64` and `unsaved`")
}

impl Command<crate::OpenSpace> for Save {
    const META: Meta = Meta::new("file.save", "File: Save", Access::Edit)
        .set(Set::Workspace)
        .shown(Shown::Hidden)
        .whole_files();
    type Output = Saved;

    fn summary(&self) -> String {
        format!("save {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn check(&self) -> Result<()> {
        let given = [self.content.is_some(), self.base64.is_some(), self.unsaved.is_some()];
        if given.into_iter().filter(|given| *given).count() != 1 {
            return Err(one_content());
        }
        if self.unsaved.is_some() && (self.create_only || self.expected_token.is_some()) {
            return Err(Error::invalid(
                "what is unsaved is merged with the disk: leave `expectedToken` and `createOnly` out",
            ));
        }
        if self.create_only && self.expected_token.is_some() {
            return Err(Error::invalid("give `expectedToken` or `createOnly`, and not both"));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Saved> {
        let path = cx.state.path(&self.path)?;
        if path.is_untitled() {
            return Err(no_file(&path));
        }
        if let Some(form) = self.unsaved {
            if cx.caller.kind == CallerKind::Agent {
                let whose = format!("what is unsaved in `{path}` is the person's to save");
                return Err(Error::denied(whose).hint("ask the person to save it"));
            }
            let person = is_person(&cx.caller);
            let saved = cx.state.buffers().save(&path, form, person).await?;
            return Ok(Saved::noted(&cx, path, saved));
        }
        let content = bytes(self.content, self.base64)?;
        let expected = match self.expected_token {
            Some(token) => Expected::Token(token),
            None if self.create_only => Expected::Nothing,
            None => Expected::Anything,
        };
        let person = is_person(&cx.caller);
        // What is typed while the file is written has its turn afterwards.
        let saved_bytes = cx.state.buffers().is_unsaved(&path).then(|| content.clone());
        let write = WriteBytes { path: path.clone(), content, expected, person };
        let saved = ask(&cx, write).await.map_err(|error| match error {
            HostError::Change(stale @ ChangeError::Stale { .. }) => {
                Error::conflict(stale.to_string())
                    .hint("read it again; a save without expectedToken replaces what is there")
            }
            other => refused(other),
        })?;
        if saved.created {
            cx.state.space().change(|state| restored(state, &path)).await?;
        }
        if let Some(bytes) = saved_bytes {
            cx.state.buffers().saved(&path, &bytes).await?;
        }
        Ok(Saved::noted(&cx, path, saved))
    }
}

//! The one way to change a file: whole, or not at all.
//!
//! Nobody overwrites what they have not seen: a change names the hash that the caller saw last, and if
//! the file holds something else, it is a conflict. What the person has not saved is kept. Bytes are
//! saved as they are by `file.save`, which is an editor's and has a token of its own.
//!
//! Agents read files with secrets masked. What stands in a secret's place is never written back: it would
//! take the place of the secret.

use openspace_buffers::agents::{Request, Wanted};
use openspace_command::{CallerKind, Error, Masks as _, Result};
use openspace_files::{
    LineRange,
    change::{ChangeError, Changed, EditRequest, WriteRequest},
};
use openspace_host::{
    HostError,
    operation::{ChangeFile, EditFile, ReadText},
};
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::Serialize;

use super::reading;
use crate::{
    Cx,
    areas::chat::reviews::{self, Missed, Now, Reviews},
    paths::explained,
    places::Place,
    workspaces::MAIN,
};

/// A change as it was asked for.
pub(crate) struct Change {
    pub(crate) wanted: Wanted,
    /// The hash that the file must have; the one the caller saw last when left out.
    pub(crate) expected_hash: Option<String>,
    /// Only say what would change.
    pub(crate) dry_run: bool,
}

impl Change {
    /// A whole new content, over what the caller saw last.
    pub(crate) fn whole(content: String) -> Self {
        Self { wanted: Wanted::Write(content), expected_hash: None, dry_run: false }
    }
}

/// What a change did, or would do.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Made {
    #[serde(flatten)]
    pub(crate) changed: Changed,
    /// True when the person has unsaved changes in the file. They are kept: the file on disk has
    /// your change alone, the person sees both.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unsaved: bool,
}

/// Make a change. The guard of the file is held all the while, so that nobody begins to type into it
/// in the middle.
pub(crate) async fn change(cx: &Cx, place: &Place, path: &RelPath, change: Change) -> Result<Made> {
    let seen = cx.state.seen();
    let Change { wanted, expected_hash: given, dry_run } = change;
    check_masks(cx, place, path, &wanted).await?;
    let is_given = given.is_some();
    let expected = given.or_else(|| seen.hash(&cx.caller, place.id(), path));
    let request = Request { wanted, expected, dry_run, by: cx.caller.id.clone() };
    if path.is_untitled() && !cx.state.buffers().is_unsaved(path) {
        return Err(no_file(path));
    }
    let mut guard = None;
    let mut made = None;
    let mut reviewed = None;
    if place.id() == MAIN {
        let buffers = cx.state.buffers();
        let merged;
        let held = buffers.guard_after_pages(path).await;
        if !dry_run {
            reviewed = Reviewed::begin(cx, place, path).await;
        }
        (guard, merged) = buffers.change(held, request.clone()).await;
        made = merged?.map(|changed| Made { changed, unsaved: true });
    }
    let made = match made {
        Some(made) => made,
        None => match on_disk(cx, place, path, request, is_given).await {
            Ok(changed) => Made { changed, unsaved: false },
            Err(error) => return Err(explained(place, error).await),
        },
    };
    if !made.changed.dry_run {
        seen.note(&cx.caller, place.id(), &made.changed.path, &made.changed.hash);
    }
    if let Some(reviewed) = reviewed {
        reviewed.end(cx, place, path).await;
    }
    drop(guard);
    Ok(made)
}

/// A change that a person may want to review: a chat session makes it.
struct Reviewed {
    address: String,
    before: Result<Now, Missed>,
}

impl Reviewed {
    /// Look at the file before the change. Its guard is held.
    async fn begin(cx: &Cx, place: &Place, path: &RelPath) -> Option<Self> {
        let address = Reviews::session_of(&cx.state, &cx.caller).await?;
        let before = reviews::read(&cx.state, place, path).await;
        Some(Self { address, before })
    }

    /// Look at it after the change. The change is made, whatever comes of this.
    async fn end(self, cx: &Cx, place: &Place, path: &RelPath) {
        let Self { address, before } = self;
        let reviews = cx.state.service::<Reviews>();
        let after = reviews::read(&cx.state, place, path).await;
        let noted = match (before, after) {
            (Ok(before), Ok(after)) => {
                reviews.changed(&cx.state, &address, path, before.text(), after.text()).await
            }
            (Err(why), _) | (_, Err(why)) => reviews.missed(&cx.state, &address, path, why).await,
        };
        if let Err(error) = noted {
            tracing::error!(%error, address, "a change of a session is not kept for review");
        }
    }
}

/// Whether an agent takes for the file's own text what stood in the place of a secret when it was read.
async fn check_masks(cx: &Cx, place: &Place, path: &RelPath, wanted: &Wanted) -> Result<()> {
    if cx.caller.kind != CallerKind::Agent {
        return Ok(());
    }
    let masker = cx.state.secrets().masker();
    let texts: Vec<&String> = match wanted {
        Wanted::Write(content) => vec![content],
        Wanted::Edit(edits) => {
            edits.iter().flat_map(|edit| [&edit.old_string, &edit.new_string]).collect()
        }
    };
    let Some(mask) = texts.into_iter().find_map(|text| masker.find_mask(text)) else {
        return Ok(());
    };
    // A file about masks may hold these very words.
    let whole = ReadText { path: path.clone(), range: LineRange::default(), person: false };
    if let Ok(read) = reading::look(cx, place, whole).await
        && read.content.content.contains(mask)
    {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "`{mask}` is not in `{path}`: it stands for a secret there that you are not shown; nothing was changed"
    ))
    .hint(
        "change the lines around it with workspace_edit, without the part that is masked; a new file \
         should take the value from the environment; ask the person for what needs the secret itself",
    ))
}

/// Names of texts without a file are the pages' to give, and are never written to a disk.
pub(crate) fn no_file(path: &RelPath) -> Error {
    Error::invalid(format!("`{path}` is the name of a text that has no file"))
        .hint("give a name that does not begin with `untitled:`")
}

/// Change a file that has no unsaved text.
async fn on_disk(
    cx: &Cx,
    place: &Place,
    path: &RelPath,
    request: Request,
    is_given: bool,
) -> Result<Changed, HostError> {
    let seen_before = !is_given && request.expected.is_some();
    let again = seen_before.then(|| Request { expected: None, ..request.clone() });
    match (ask(place, path, request).await, again) {
        // What was seen is not there any more, so nothing can be lost.
        (Err(HostError::Change(ChangeError::Stale { found: None, .. })), Some(again)) => {
            cx.state.seen().forget(&cx.caller, place.id(), path);
            ask(place, path, again).await
        }
        (changed, _) => changed,
    }
}

async fn ask(place: &Place, path: &RelPath, request: Request) -> Result<Changed, HostError> {
    let Request { wanted, expected: expected_hash, dry_run, .. } = request;
    let path = path.clone();
    match wanted {
        Wanted::Write(content) => {
            let request = WriteRequest { path, content, expected_hash, dry_run };
            place.ask(ChangeFile { request }).await
        }
        Wanted::Edit(edits) => {
            let request = EditRequest { path, edits, expected_hash, dry_run };
            place.ask(EditFile { request }).await
        }
    }
}

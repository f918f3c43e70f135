//! The one way to read a file: as the person sees it, so with what is not saved.
//!
//! Commands differ in the form they ask for, exact text or numbered lines. A form is an operation of
//! the host; of unsaved text the host's own code makes the same.

use openspace_buffers::Live;
use openspace_command::Result;
use openspace_files::{
    FileError, TextRead, read_text,
    view::{TextView, View, ViewRequest, view_text},
};
use openspace_host::{
    HostError, Location,
    operation::{MayRead, Operation, ReadText, ViewPath},
};
use openspace_protocol::RelPath;

use crate::{Cx, paths::explained, places::Place, workspaces::MAIN};

/// What readers are told beside a text that is not saved.
pub(crate) const UNSAVED: &str = "with unsaved changes of the person";

/// A form in which a file is read.
pub(crate) trait Form: Operation {
    /// The file of the workspace; none when something is read that is not one.
    fn file(&self) -> Option<&RelPath>;

    /// Whether a person asks.
    fn person(&self) -> bool;

    /// The same of a text that is not saved.
    fn of_text(&self, live: &Live) -> Result<Self::Output, FileError>;

    /// The hash of all that the file holds, by which it has been seen.
    fn hash(read: &Self::Output) -> Option<&str>;
}

impl Form for ReadText {
    fn file(&self) -> Option<&RelPath> {
        Some(&self.path)
    }

    fn person(&self) -> bool {
        self.person
    }

    fn of_text(&self, live: &Live) -> Result<TextRead, FileError> {
        let read = read_text(&live.text, &self.path, self.range)?;
        Ok(TextRead { encoding: live.encoding, ..read })
    }

    fn hash(read: &TextRead) -> Option<&str> {
        read.hash.as_deref()
    }
}

impl Form for ViewPath {
    fn file(&self) -> Option<&RelPath> {
        match &self.location {
            Location::Workspace(path) => Some(path),
            Location::Output(_) => None,
        }
    }

    fn person(&self) -> bool {
        false
    }

    fn of_text(&self, live: &Live) -> Result<View, FileError> {
        let (Location::Workspace(path) | Location::Output(path)) = &self.location;
        let request = ViewRequest { path: path.clone(), offset: self.offset, limit: self.limit };
        let view = view_text(&live.text, &request)?;
        Ok(View::Text(TextView { encoding: live.encoding, ..view }))
    }

    fn hash(view: &View) -> Option<&str> {
        match view {
            View::Text(text) => text.hash.as_deref(),
            View::Folder(_) | View::Binary(_) | View::Image(_) => None,
        }
    }
}

/// What was read.
pub(crate) struct Read<T> {
    pub(crate) content: T,
    /// The content has changes of the person that are not on disk.
    pub(crate) unsaved: bool,
}

/// Look at a file for something that its reader is not shown, such as how many lines it has.
pub(crate) async fn look<F: Form>(
    cx: &Cx,
    place: &Place,
    form: F,
) -> Result<Read<F::Output>, HostError> {
    // Only the workspace of the space has unsaved text.
    let file = form.file().filter(|_| place.id() == MAIN).cloned();
    let live = file.and_then(|path| Some((cx.state.buffers().live(&path)?, path)));
    let Some((live, path)) = live else {
        return Ok(Read { content: place.ask(form).await?, unsaved: false });
    };
    if !path.is_untitled() {
        // Whether the file may be read is the host's to say, unsaved or not. One that was deleted has
        // passed the rules by then, and its text is all that is left of it.
        match place.ask(MayRead { path, person: form.person() }).await {
            Ok(()) | Err(HostError::File(FileError::NotFound { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Read { content: form.of_text(&live)?, unsaved: true })
}

/// Read a file for a caller, who has seen it then.
pub(crate) async fn read<F: Form>(cx: &Cx, place: &Place, form: F) -> Result<Read<F::Output>> {
    let file = form.file().cloned();
    let read = match look(cx, place, form).await {
        Ok(read) => read,
        Err(error) => return Err(explained(place, error).await),
    };
    if let (Some(path), Some(hash)) = (&file, F::hash(&read.content)) {
        cx.state.seen().note(&cx.caller, place.id(), path, hash);
    }
    Ok(read)
}

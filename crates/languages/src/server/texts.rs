//! What a server is told: texts, files, settings and folders.

use std::sync::Arc;

use openspace_text::offsets::Edit;
use serde_json::{Value, json};

use super::{Event, Folder, Server};
use crate::{
    Moment,
    documents::{Document, DocumentError, Message},
    settings::Settings,
    uri::Uri,
    watch::FileChange,
};

impl Server {
    /// Open a document; one that is open already gets this text. `saved` says that the disk has the same.
    pub fn open(
        &mut self,
        uri: &Uri,
        language: &str,
        text: Arc<str>,
        saved: bool,
        now: Moment,
    ) -> Result<(), DocumentError> {
        let sync = self.abilities.sync();
        // Servers know one language for a document as long as it is open.
        if self.documents.get(uri).is_some_and(|open| open.language != language) {
            self.close(uri, now);
        }
        let message = self.documents.open(uri, language, text, saved, sync)?;
        self.told_text(uri, message, now);
        Ok(())
    }

    /// Edits of the text that it was told last, in order, all of them about that text.
    pub fn change(&mut self, uri: &Uri, edits: &[Edit], now: Moment) -> Result<(), DocumentError> {
        let message = self.documents.change(uri, edits, self.abilities.sync())?;
        self.told_text(uri, message, now);
        Ok(())
    }

    /// The whole text, when nobody knows what changed in it.
    pub fn replace(&mut self, uri: &Uri, text: &str, now: Moment) -> Result<(), DocumentError> {
        let message = self.documents.replace(uri, text, self.abilities.sync())?;
        self.told_text(uri, message, now);
        Ok(())
    }

    fn told_text(&mut self, uri: &Uri, message: Option<Message>, now: Moment) {
        self.used = now;
        self.drop_pulls(uri);
        self.tell_if_running(message);
        self.events.push_back(Event::Diagnostics { uri: uri.clone() });
        self.settle(now);
    }

    /// The disk has the text now.
    pub fn saved(&mut self, uri: &Uri, now: Moment) -> Result<(), DocumentError> {
        let message = self.documents.saved(uri, self.abilities.sync())?;
        self.tell_if_running(message);
        self.settle(now);
        Ok(())
    }

    /// Close a document: from now on the disk counts.
    pub fn close(&mut self, uri: &Uri, now: Moment) {
        self.drop_pulls(uri);
        self.wanted.remove(uri);
        self.pull_again.remove(uri);
        let message = self.documents.close(uri, self.abilities.sync());
        self.tell_if_running(message);
        self.book.closed(uri);
        self.used = now;
        self.events.push_back(Event::Diagnostics { uri: uri.clone() });
        self.settle(now);
    }

    /// An open document.
    pub fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri)
    }

    /// All open documents.
    pub fn documents(&self) -> impl Iterator<Item = (&Uri, &Document)> {
        self.documents.iter()
    }

    /// A file changed on the disk. It is told if the server wants to hear of it.
    pub fn file_changed(&mut self, uri: Uri, change: FileChange, now: Moment) {
        if self.is_running() && self.watchers.wants(&uri, change) {
            self.gathered.note(uri, change, now);
            self.settle(now);
        }
    }

    /// Anything may have changed on the disk, and nobody knows what: each root is told as changed.
    pub fn all_files_changed(&mut self, now: Moment) {
        if self.is_running() && self.watches() {
            self.gathered.note_all(now);
            self.settle(now);
        }
    }

    /// Patterns of the files that it wants to hear of, as it wrote them.
    pub fn watched(&self) -> Vec<&str> {
        self.watchers.patterns()
    }

    /// Whether it wants to hear of any file.
    pub fn watches(&self) -> bool {
        !self.watchers.is_empty()
    }

    pub(super) fn tell_changed_files(&mut self, now: Moment) {
        if self.gathered.due().is_some_and(|due| due <= now) {
            self.flush_changed_files();
        }
    }

    /// What is asked next must be answered with the files as they are.
    pub(super) fn flush_changed_files(&mut self) {
        let roots: Vec<Uri> = self.setup.folders.iter().map(|folder| folder.uri.clone()).collect();
        let changes = self.gathered.take(&roots);
        if !changes.is_empty() {
            self.tell("workspace/didChangeWatchedFiles", &json!({"changes": changes}));
            self.documents.touch();
        }
    }

    /// Other settings hold from now on.
    pub fn configure(&mut self, settings: Settings, now: Moment) {
        if self.setup.settings == settings {
            return;
        }
        self.setup.settings = settings;
        self.documents.touch();
        self.book.refresh();
        if self.is_running() {
            self.tell_settings();
        }
        self.settle(now);
    }

    pub(super) fn tell_settings(&mut self) {
        let params = json!({"settings": self.setup.settings.all()});
        self.tell("workspace/didChangeConfiguration", &params);
    }

    /// Have it work on one more folder. Says whether it can; if not, the folder needs a server of its own.
    pub fn add_folder(&mut self, folder: Folder, now: Moment) -> bool {
        if self.setup.folders.contains(&folder) {
            return true;
        }
        if !self.is_running() || !self.abilities.takes_folders() {
            return false;
        }
        let added: Value = json!([{"uri": folder.uri, "name": folder.name}]);
        let params = json!({"event": {"added": added, "removed": []}});
        self.tell("workspace/didChangeWorkspaceFolders", &params);
        self.setup.folders.push(folder);
        self.documents.touch();
        self.settle(now);
        true
    }

    fn tell_if_running(&mut self, message: Option<Message>) {
        if let Some((method, params)) = message.filter(|_| self.is_running()) {
            self.tell(method, &params);
        }
    }
}

//! Edits of files that go to a page: those that a server asks for while it does a command of the page, and which texts
//! those are about that an answer has.
//!
//! A page makes them as if they were typed, so they are only worth something for the very text that the server knows.

use std::{collections::BTreeSet, path::Path, sync::Arc, time::Duration};

use openspace_protocol::RelPath;
use serde_json::Value;
use tokio::time::timeout;

use super::{
    addresses::in_workspace,
    edits::{Edits, MOST_FILES},
    page_asking::Asks,
    pages::{KnownText, PageChange, PageEdit, ShownText, TextVersion, ToLanguagePage},
    running::Running,
    texts::current,
};

/// How long a page may take to make edits. Servers are told no a little later by themselves.
const MADE_WITHIN: Duration = Duration::from_secs(9);
/// How much is told of what a server calls an edit.
const LONGEST_LABEL: usize = 200;

/// Have the page make edits. What is said is for the server.
pub(super) async fn apply(
    asks: &Asks,
    running: &Arc<Running>,
    changes: &Value,
) -> Result<(), String> {
    let edits = Edits::of_workspace(changes, running).map_err(|error| error.message)?;
    let mut told = Vec::new();
    for (path, edits) in edits.by_file() {
        let text = known(asks, running, path).await?;
        let edits = edits
            .iter()
            .map(|edit| PageEdit { range: edit.range.into(), new_text: edit.new_text.clone() })
            .collect();
        told.push(PageChange { path: path.clone(), text, edits });
    }
    let (edit, made) = asks.edits.begin();
    let label = changes["label"].as_str().map(|it| it.chars().take(LONGEST_LABEL).collect());
    asks.outbox.send(&ToLanguagePage::Apply { edit, label, changes: told });
    match timeout(MADE_WITHIN, made).await {
        Ok(Ok(made)) => made,
        Ok(Err(_)) => Err("the page is gone".to_owned()),
        Err(_) => Err("the page did not make it in time".to_owned()),
    }
}

/// The text of a file that a server's edits are about; or why they are about none.
async fn known(asks: &Asks, running: &Running, path: &RelPath) -> Result<ShownText, String> {
    let uri = running.uri(path);
    let open = running.server.see(|server| server.document(&uri).map(|it| Arc::clone(&it.text)));
    let current = current(&asks.state, path).await.map_err(|error| error.message)?.text;
    if open.is_some_and(|open| *open != *current) {
        return Err(format!("`{path}` changed while {} looked at it", running.name));
    }
    let buffer = asks.state.buffers().versioned(path);
    Ok(match buffer {
        Some((version, text)) if *text == *current => ShownText::Version(TextVersion { version }),
        _ => ShownText::hashed(&current),
    })
}

/// The files of edits in an answer: one edit, or one in each of several actions.
pub(super) fn files(value: &Value, root: &Path) -> BTreeSet<RelPath> {
    let mut files = BTreeSet::new();
    let mut of_edit = |edit: &Value| {
        let changes = edit["changes"].as_object();
        let named = changes.into_iter().flat_map(|changes| changes.keys().map(String::as_str));
        let documents = edit["documentChanges"].as_array().into_iter().flatten();
        let documents = documents.filter_map(|it| it["textDocument"]["uri"].as_str());
        for uri in named.chain(documents) {
            if files.len() < MOST_FILES {
                files.extend(in_workspace(root, uri));
            }
        }
    };
    match value {
        Value::Array(actions) => actions.iter().for_each(|action| of_edit(&action["edit"])),
        value if value.get("edit").is_some() => of_edit(&value["edit"]),
        value => of_edit(value),
    }
    files
}

/// Which texts these are. One that cannot be told, such as of a secret file, is nothing.
pub(super) async fn texts(
    asks: &Asks,
    running: &Running,
    files: BTreeSet<RelPath>,
) -> Vec<KnownText> {
    let mut texts = Vec::new();
    for path in files {
        let text = known(asks, running, &path).await.ok();
        texts.push(KnownText { path, text });
    }
    texts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn edits_of_an_answer_name_their_files() {
        let root = Path::new("/p");
        let named = |value: Value| {
            let files = files(&value, root);
            files.into_iter().map(String::from).collect::<Vec<_>>()
        };
        let changes = json!({"changes": {"file:///p/a": [], "file:///else": []}});
        let documents = json!({"documentChanges": [
            {"textDocument": {"uri": "file:///p/b%20c"}, "edits": []}, {"kind": "create", "uri": "file:///p/d"},
        ]});
        assert_eq!(named(changes.clone()), ["a"]);
        assert_eq!(named(documents.clone()), ["b c"]);
        assert_eq!(named(json!({"title": "x", "edit": documents})), ["b c"]);
        assert_eq!(named(json!([{"edit": changes}, {"command": "x"}])), ["a"]);
        assert_eq!(named(Value::Null), Vec::<String>::new());
    }
}

//! The events as they are on the wire.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::*;
use crate::{Caller, CallerKind, ErrorKind, Outcome, PaneId, Range, RevealMode};

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn agent() -> Caller {
    Caller::new(CallerKind::Agent, "opencode", None)
}

#[test]
fn views_are_told_this() {
    let by = json!({"kind": "agent", "id": "opencode", "session": null});
    let range = Range { start_line: 3, end_line: 5, start_column: Some(1), end_column: None };
    let events = [
        (
            Event::Changed {
                patches: BTreeMap::from([(
                    "editors".to_owned(),
                    Patch {
                        put: BTreeMap::from([("a.rs".to_owned(), json!({"reveal": null}))]),
                        removed: BTreeSet::from(["b.rs".to_owned()]),
                    },
                )]),
            },
            json!({"type": "changed", "patches": {
                "editors": {"put": {"a.rs": {"reveal": null}}, "removed": ["b.rs"]},
            }}),
        ),
        (
            Event::FilesChanged {
                changes: vec![FileChange { path: path("a"), change: ChangeKind::Deleted }],
                rescan: false,
            },
            json!({
                "type": "files_changed", "rescan": false,
                "changes": [{"path": "a", "change": "deleted"}],
            }),
        ),
        (
            Event::FileMoved { from: path("a"), to: path("b/c") },
            json!({"type": "file_moved", "from": "a", "to": "b/c"}),
        ),
        (
            Event::UserDataChanged { name: "settings.json".into() },
            json!({"type": "user_data_changed", "name": "settings.json"}),
        ),
        (
            Event::Reveal {
                target: RevealTarget {
                    path: path("src/a.rs"),
                    pane: Some(PaneId(2)),
                    range: Some(range),
                    mode: Some(RevealMode::SuggestOnly),
                    by: agent(),
                },
            },
            json!({"type": "reveal", "target": {
                "path": "src/a.rs", "pane": "p2", "mode": "suggest-only", "by": by,
                "range": {"startLine": 3, "endLine": 5, "startColumn": 1, "endColumn": null},
            }}),
        ),
        (
            Event::CatalogueChanged { version: 2 },
            json!({"type": "catalogue_changed", "version": 2}),
        ),
        (
            Event::CallEnded {
                record: CallRecord {
                    at: 1,
                    caller: agent(),
                    command: "openspace.file.read".into(),
                    workspace: None,
                    summary: "read a".into(),
                    paths: vec!["a".into()],
                    let_in: None,
                    outcome: Outcome::Failed(ErrorKind::NotFound),
                    error: Some("there is no a".into()),
                    micros: 9,
                },
            },
            json!({"type": "call_ended", "record": {
                "at": 1, "caller": by, "command": "openspace.file.read", "workspace": null,
                "summary": "read a", "paths": ["a"], "let_in": null, "outcome": {"failed": "not_found"},
                "error": "there is no a", "micros": 9,
            }}),
        ),
    ];
    for (event, mut told) in events {
        let sequenced = Sequenced { seq: 7, revision: 4, event };
        let map = told.as_object_mut().unwrap();
        map.extend([("seq".to_owned(), json!(7)), ("revision".to_owned(), json!(4))]);
        assert_eq!(json!(sequenced), told);
        assert_eq!(serde_json::from_value::<Sequenced>(told).unwrap(), sequenced);
    }
}

//! Cases that run, and what a failure says.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{content, make};
use crate::conformance::cases::Put;

#[test]
fn what_is_put_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (path, put, found) in [
        ("a/b.txt", json!("text"), json!("text")),
        ("bytes", json!({"hex": "61ff"}), json!("a\\xff")),
        ("link", json!({"symlink": "../x"}), json!("-> ../x")),
        ("folder", json!({"folder": true}), json!("a folder")),
    ] {
        let put: Put = serde_json::from_value(put).unwrap();
        make(&folder.path().join(path), &put).unwrap();
        assert_eq!(content(&folder.path().join(path)).unwrap(), Some(found));
    }
    assert_eq!(content(&folder.path().join("none")).unwrap(), None);
}

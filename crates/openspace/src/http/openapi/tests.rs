//! What the document says about a command.

use pretty_assertions::assert_eq;

use super::*;
use crate::sample;

#[test]
fn a_deprecated_command_is_marked() {
    let document = openapi(&sample::deprecated());
    let post = &document["paths"]["/api/v1/commands/openspace.bell.ring"]["post"];
    assert_eq!(
        (&post["deprecated"], &post["summary"], &post["description"]),
        (&json!(true), &json!(sample::LINE), &json!("It is heard by all."))
    );
    let real = openapi(&openspace_workspace::registry());
    let paths = real["paths"].as_object().unwrap().values();
    let marked = paths.filter(|item| item["post"].get("deprecated").is_some()).count();
    assert_eq!(marked, 0, "no command is deprecated now");
}

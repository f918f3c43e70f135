//! What a page says about a command.

use pretty_assertions::assert_eq;

use super::*;
use crate::sample;

#[test]
fn the_page_and_the_catalogue_say_that_a_command_is_deprecated() {
    let registry = sample::deprecated();
    let definition = registry.find("bell.ring").unwrap();
    let mut page = String::new();
    describe(&mut page, &definition);
    let start = format!("\n## openspace.bell.ring\n\n{}\n\nIt is heard by all.\n", sample::LINE);
    assert!(page.starts_with(&start), "{page}");
    let entry = serde_json::to_value(Full::of(&definition)).unwrap();
    assert_eq!(entry["deprecated"], "since 0.3, use `bell.sound`");
    assert_eq!(entry["description"], format!("{}\n\nIt is heard by all.", sample::LINE));
}

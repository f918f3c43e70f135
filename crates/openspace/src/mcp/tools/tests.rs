//! What a tool says about its command.

use pretty_assertions::assert_eq;

use super::*;
use crate::sample;

#[test]
fn the_tool_of_a_deprecated_command_says_so_first() {
    let tools = Tools::new(false).list(&sample::deprecated(), ToolSet::All);
    let told: Vec<Option<&str>> = tools.iter().map(|tool| tool.description.as_deref()).collect();
    let description = format!("{} It is heard by all.", sample::LINE);
    assert_eq!(told, [Some(description.as_str())]);
}

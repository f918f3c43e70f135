//! What the help says about a command.

use super::*;
use crate::sample;

#[test]
fn the_help_of_a_deprecated_command_says_so() {
    let mut root = add_to(Clap::new("openspace"), &sample::deprecated());
    let area = root.find_subcommand_mut("bell").unwrap();
    let list = area.render_help().to_string();
    assert!(list.contains(&format!("ring  {}", sample::LINE)), "{list}");
    let help = area.find_subcommand_mut("ring").unwrap().render_long_help().to_string();
    assert!(help.starts_with(&format!("{}\n\nIt is heard by all.\n", sample::LINE)), "{help}");
}

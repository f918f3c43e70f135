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

#[test]
fn an_argument_that_takes_json_shows_its_form() {
    let mut root = add_to(Clap::new("openspace"), &openspace_workspace::registry());
    let area = root.find_subcommand_mut("editor").unwrap();
    let help = area.find_subcommand_mut("highlight").unwrap().render_long_help().to_string();
    let form =
        "JSON: [{\"startLine\": N, \"endLine\": N, \"startColumn\"?: N, \"endColumn\"?: N}, …]";
    assert!(help.contains(form), "{help}");
}

#[test]
fn every_argument_that_takes_json_has_a_form_that_can_be_typed() {
    for definition in openspace_workspace::registry().all() {
        for argument in arguments(&definition).iter().filter(|one| !one.texts) {
            if ["array", "object"].contains(&argument.kind.as_str()) {
                let vague = ["[…, …]", "{}"].contains(&argument.form.as_str());
                // These two pass on whatever another command or program takes.
                let open = ["arguments", "state"].contains(&argument.name.as_str());
                assert!(!vague || open, "{}: {} {}", definition.id, argument.name, argument.form);
            }
        }
    }
}

#[test]
fn hints_name_commands_as_they_are_typed() {
    let registry = openspace_workspace::registry();
    for (told, typed) in [
        (
            "Error (conflict): file_read is new\nHint: read it again with file_read, then `terminal_read_output`.",
            "Error (conflict): file_read is new\nHint: read it again with openspace file read, then `openspace terminal read-output`.",
        ),
        ("Error (busy): wait", "Error (busy): wait"),
        (
            "Error (x): y\nHint: my_file_read and path stay",
            "Error (x): y\nHint: my_file_read and path stay",
        ),
    ] {
        assert_eq!(with_typed_names(told, &registry), typed);
    }
}

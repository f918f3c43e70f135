//! Commands that are written but not offered, and the reverse.

use super::*;

const AREAS_TEXT: &str = "
/// Everything in file::AREA is here.
pub const AREAS: &[Area] = &[
    file::AREA,
    // gone::AREA,
];
";

fn errors_of(files: &[(&str, &str)]) -> Vec<String> {
    let mut report = Report::default();
    let areas = [(AREAS, AREAS_TEXT)];
    check(&Tree::of(&[files, &areas].concat()), &mut report);
    report.errors
}

const COMMANDS: &str = "crates/workspace/src/areas/file/commands.rs";
const MORE: &str = "crates/workspace/src/areas/file/more.rs";

#[test]
fn written_listed_and_registered_is_tidy() {
    let listed =
        "pub const COMMANDS: &[Entry] =\n    &[Entry::of::<Read>(), Entry::of::<more::Write>()];
impl Command<crate::OpenSpace> for Read {}\n";
    let more = "impl Command<OpenSpace> for Write {}\nimpl<C: Command<W>> Other<C> for Thing {}\n";
    let test = ("crates/workspace/src/areas/file/tests.rs", "impl Command<Bench> for Made {}\n");
    assert_eq!(errors_of(&[(COMMANDS, listed), (MORE, more), test]), [""; 0]);
}

#[test]
fn a_command_that_is_not_listed_is_named() {
    let listed = "pub const COMMANDS: &[Entry] = &[
    Entry::of::<Read>(),
    // Entry::of::<Write>(),
];
impl Command<OpenSpace> for Read {}\n";
    let more = "impl\n    openspace_command::Command<OpenSpace>\n    for Write\n{\n}\n";
    assert_eq!(
        errors_of(&[(COMMANDS, listed), (MORE, more)]),
        ["command `Write` of area `file` is not in its COMMANDS"]
    );
}

#[test]
fn what_a_wrapper_makes_a_command_is_listed_in_it() {
    let listed = "pub const COMMANDS: &[Entry] = &[Entry::of::<ByPerson<Read>>()];\n";
    let more = "impl<C: PersonsCommand> Command<OpenSpace> for ByPerson<C> {}
impl PersonsCommand for Read {}\nimpl super::PersonsCommand for Write {}\n";
    assert_eq!(
        errors_of(&[(COMMANDS, listed), (MORE, more)]),
        ["command `Write` of area `file` is not in its COMMANDS"]
    );
}

#[test]
fn two_commands_of_one_name_need_two_entries() {
    let listed = "pub const COMMANDS: &[Entry] = &[Entry::of::<Read>()];
impl Command<OpenSpace> for Read {}\n";
    let more = "impl Command<OpenSpace> for Read {}\n";
    assert_eq!(
        errors_of(&[(COMMANDS, listed), (MORE, more)]),
        ["command `Read` of area `file` is not in its COMMANDS"]
    );
}

#[test]
fn an_entry_without_a_command_is_named() {
    let listed = "pub const COMMANDS: &[Entry] = &[Entry::of::<Read>()];\n";
    let elsewhere =
        ("crates/workspace/src/areas/editor.rs", "impl Command<OpenSpace> for Read {}\n");
    assert_eq!(
        errors_of(&[(COMMANDS, listed), elsewhere]),
        [
            "command `Read` of area `editor` is not in its COMMANDS",
            "COMMANDS of area `file` lists `Read`, which is not there",
        ]
    );
}

#[test]
fn the_areas_there_are_and_their_list_agree() {
    let view = ("crates/workspace/src/areas/view/commands.rs", "const COMMANDS: &[Entry] = &[];\n");
    let agents = ("crates/workspace/src/agents.rs", "pub const AREA: Area = Area {};\n");
    assert_eq!(
        errors_of(&[view, agents]),
        [
            "`agents::AREA` is not in AREAS of crates/workspace/src/areas.rs",
            "`view::AREA` is not in AREAS of crates/workspace/src/areas.rs",
            "AREAS of crates/workspace/src/areas.rs names `file::AREA`, which is not there",
        ]
    );
}

//! Commands that are written but not offered, and the reverse.

use super::*;

const REGISTRY_TEXT: &str = "
/// Everything in file::commands::COMMANDS is here.
pub fn registry() -> Registry {
    Registry::new(&[
        file::commands::COMMANDS,
        // gone::commands::COMMANDS,
    ])
}
";

fn errors_of(files: &[(&str, &str)]) -> Vec<String> {
    let mut report = Report::default();
    let registry = [(REGISTRY, REGISTRY_TEXT)];
    check(&Tree::of(&[files, &registry].concat()), &mut report);
    report.errors
}

const COMMANDS: &str = "crates/workspace/src/file/commands.rs";
const MORE: &str = "crates/workspace/src/file/more.rs";

#[test]
fn written_listed_and_registered_is_tidy() {
    let listed =
        "pub const COMMANDS: &[Entry] =\n    &[Entry::of::<Read>(), Entry::of::<more::Write>()];
impl Command<crate::Workspace> for Read {}\n";
    let more = "impl Command<Workspace> for Write {}\nimpl<C: Command<W>> Other<C> for Thing {}\n";
    let test = ("crates/workspace/src/file/tests.rs", "impl Command<Bench> for Made {}\n");
    assert_eq!(errors_of(&[(COMMANDS, listed), (MORE, more), test]), [""; 0]);
}

#[test]
fn a_command_that_is_not_listed_is_named() {
    let listed = "pub const COMMANDS: &[Entry] = &[
    Entry::of::<Read>(),
    // Entry::of::<Write>(),
];
impl Command<Workspace> for Read {}\n";
    let more = "impl\n    openspace_command::Command<Workspace>\n    for Write\n{\n}\n";
    assert_eq!(
        errors_of(&[(COMMANDS, listed), (MORE, more)]),
        ["command `Write` of area `file` is not in its COMMANDS"]
    );
}

#[test]
fn two_commands_of_one_name_need_two_entries() {
    let listed = "pub const COMMANDS: &[Entry] = &[Entry::of::<Read>()];
impl Command<Workspace> for Read {}\n";
    let more = "impl Command<Workspace> for Read {}\n";
    assert_eq!(
        errors_of(&[(COMMANDS, listed), (MORE, more)]),
        ["command `Read` of area `file` is not in its COMMANDS"]
    );
}

#[test]
fn an_entry_without_a_command_is_named() {
    let listed = "pub const COMMANDS: &[Entry] = &[Entry::of::<Read>()];\n";
    let elsewhere = ("crates/workspace/src/editor.rs", "impl Command<Workspace> for Read {}\n");
    assert_eq!(
        errors_of(&[(COMMANDS, listed), elsewhere]),
        [
            "command `Read` of area `editor` is not in its COMMANDS",
            "COMMANDS of area `file` lists `Read`, which is not there",
        ]
    );
}

#[test]
fn registry_and_lists_agree() {
    let other = ("crates/workspace/src/view/commands.rs", "const COMMANDS: &[Entry] = &[];\n");
    assert_eq!(
        errors_of(&[other]),
        [
            "`view::commands::COMMANDS` is not in registry() of crates/workspace/src/lib.rs",
            "registry() of crates/workspace/src/lib.rs names `file::commands::COMMANDS`, which is \
             not there",
        ]
    );
}

//! Which paths call a command.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn a_command_is_called_under_both_prefixes() {
    for (path, command) in [
        ("/api/commands/file.save", Some("file.save")),
        ("/api/v1/commands/file.save", Some("file.save")),
        ("/api/v1/commands", None),
        ("/api/v2/commands/file.save", None),
        ("/commands/file.save", None),
        ("/api/v1/workspaces/main/write", None),
    ] {
        assert_eq!(command_of(path), command, "{path}");
    }
}

//! Files of a package that are made from the command line itself: man pages and completions.
//!
//! They are written where they lie below `share`, so that who packs them needs no list of his own.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap_complete::Shell;

use crate::reference::write_file;

const PROGRAM: &str = "openspace";
const MAN_PAGES: &str = "man/man1";
const COMPLETIONS: [(Shell, &str, &str); 3] = [
    (Shell::Bash, "bash-completion/completions", "openspace"),
    (Shell::Zsh, "zsh/site-functions", "_openspace"),
    (Shell::Fish, "fish/vendor_completions.d", "openspace.fish"),
];

/// Write all of them below a folder.
pub(super) fn write(folder: &Path, command: &clap::Command) -> Result<()> {
    let pages = made(&folder.join(MAN_PAGES))?;
    clap_mangen::generate_to(in_full(command.clone()), &pages)
        .with_context(|| format!("man pages cannot be written into {}", pages.display()))?;
    for (shell, place, name) in COMPLETIONS {
        let file = made(&folder.join(place))?.join(name);
        write_file(&file, &completions(shell, command.clone()))?;
    }
    Ok(())
}

/// A page has room for what `-h` leaves out; the generator leaves out its description too.
fn in_full(command: clap::Command) -> clap::Command {
    command.mut_args(|argument| argument.hide_short_help(false)).mut_subcommands(in_full)
}

/// The script that completes words of this command line.
pub(super) fn completions(shell: Shell, mut command: clap::Command) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, PROGRAM, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

fn made(folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be created", folder.display()))?;
    Ok(folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_completions_lie_where_systems_look_for_them() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &super::super::clap()).unwrap();
        #[expect(clippy::disallowed_methods, reason = "what was generated is not in a workspace")]
        let page = std::fs::read_to_string(folder.path().join("man/man1/openspace.1"));
        assert!(page.unwrap().contains("Where state is kept"));
        assert!(folder.path().join("man/man1/openspace-serve.1").is_file());
        assert!(!folder.path().join("man/man1/openspace-reference.1").exists());
        for (_, place, name) in COMPLETIONS {
            assert!(folder.path().join(place).join(name).is_file(), "{name}");
        }
    }
}

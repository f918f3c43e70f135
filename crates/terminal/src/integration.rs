//! Makes shells tell where their prompts, commands and exit codes are.
//!
//! A script of ours is read by bash, zsh or fish beside the user's own files, never instead of
//! them. It prints marks (operating system command 633, as known from VS Code's terminal), each
//! with a nonce that only the shell and the terminal know, so that no program can forge one. Other
//! shells are left alone. Nothing here reads marks: that is `marks`.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::types::{Integration, Spawn};

const BASH: &str = include_str!("integration/bash.sh");
const ZSH: &str = include_str!("integration/zshenv.zsh");
const FISH: &str = include_str!("integration/fish.fish");
const NONCE_FILE: &str = "nonce";
const NONCE_LENGTHS: std::ops::RangeInclusive<usize> = 16..=64;

/// A shell that can tell of its commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Shell {
    pub(super) fn of(shell: &Path) -> Option<Self> {
        match shell.file_name()?.to_str()? {
            "bash" => Some(Self::Bash),
            "zsh" => Some(Self::Zsh),
            "fish" => Some(Self::Fish),
            _ => None,
        }
    }

    /// What makes several lines one command.
    pub(super) fn group(self) -> (&'static str, &'static str) {
        match self {
            Self::Bash | Self::Zsh => ("{", "}"),
            Self::Fish => ("begin", "end"),
        }
    }
}

/// How to start a shell so that it reads our script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Injection {
    /// All arguments of the shell, those of the caller included.
    pub(crate) args: Vec<OsString>,
    /// Set on top of the environment of the caller.
    pub(crate) env: Vec<(OsString, OsString)>,
}

/// Writes the script and the nonce into the folder of the terminal, which is made when missing.
/// The shell empties the nonce's file when it has read it. Nothing is prepared for a shell without
/// integration or for one that is to run something else than a prompt.
pub(crate) fn prepare(spawn: &Spawn, integration: &Integration) -> io::Result<Option<Injection>> {
    let Integration { folder, nonce } = integration;
    let plain = |argument: &String| matches!(argument.as_str(), "-i" | "-l" | "--login");
    let Some(shell) = Shell::of(&spawn.shell).filter(|_| spawn.args.iter().all(plain)) else {
        return Ok(None);
    };
    if !NONCE_LENGTHS.contains(&nonce.len()) || !nonce.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a nonce is 16 to 64 letters and digits",
        ));
    }
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    write(&folder.join(NONCE_FILE), &format!("{nonce}\n"))?;

    let mut args: Vec<OsString> = spawn.args.iter().map(OsString::from).collect();
    let mut env = Vec::new();
    match shell {
        Shell::Bash => {
            let script = folder.join("bash.sh");
            write(&script, BASH)?;
            // A login shell reads no rc file, so the script does what a login shell would.
            let login = |argument: &OsString| argument == "-l" || argument == "--login";
            if args.iter().any(login) {
                args.retain(|argument| !login(argument));
                env.push(("OPENSPACE_LOGIN".into(), "1".into()));
            }
            args.splice(..0, ["--rcfile".into(), script.into()]);
        }
        Shell::Zsh => {
            write(&folder.join(".zshenv"), ZSH)?;
            if let Some(own) = variable(spawn, "ZDOTDIR") {
                env.push(("OPENSPACE_ZDOTDIR".into(), own));
            }
            env.push(("ZDOTDIR".into(), folder.into()));
        }
        Shell::Fish => {
            let script = folder.join("fish.fish");
            write(&script, FISH)?;
            let mut source = OsString::from("source '");
            for part in
                script.as_os_str().as_bytes().split_inclusive(|b| matches!(b, b'\\' | b'\''))
            {
                let (text, special) = match part.split_last() {
                    Some((last @ (b'\\' | b'\''), text)) => (text, Some(last)),
                    _ => (part, None),
                };
                source.push(std::ffi::OsStr::from_bytes(text));
                if let Some(&special) = special {
                    source.push(std::ffi::OsStr::from_bytes(&[b'\\', special]));
                }
            }
            source.push("'");
            args.extend(["--init-command".into(), source]);
        }
    }
    Ok(Some(Injection { args, env }))
}

/// The value a variable will have in the shell, unless we change it.
fn variable(spawn: &Spawn, name: &str) -> Option<OsString> {
    let set = spawn.env.iter().rev().find(|(set, _)| set == name).map(|(_, value)| value.into());
    let inherited = || spawn.base_env.iter().rev().find(|(set, _)| set == name);
    set.or_else(|| inherited().map(|(_, value)| value.clone()))
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests;

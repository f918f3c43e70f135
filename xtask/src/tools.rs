//! Programs from outside: finding them, installing what may be installed, running them to success.
//!
//! Installs Debian packages only as root; otherwise it says what is missing.

use std::{
    borrow::BorrowMut,
    iter,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// A Debian package and a command that works only when it is there.
pub(crate) struct Package {
    name: &'static str,
    probe: &'static [&'static str],
    needed_for: &'static str,
}

const BASH: Package =
    Package { name: "bash", probe: &["bash", "--version"], needed_for: "shells and commands" };
const BUBBLEWRAP: Package =
    Package { name: "bubblewrap", probe: &["bwrap", "--version"], needed_for: "the sandbox" };
const CHROMIUM: Package = Package {
    name: "chromium",
    probe: &["chromium", "--version"],
    needed_for: "what happens in a browser",
};

/// What the tests use.
pub(crate) const FOR_TESTS: &[Package] = &[
    BASH,
    BUBBLEWRAP,
    Package { name: "git", probe: &["git", "--version"], needed_for: "the tests of git" },
    Package { name: "zsh", probe: &["zsh", "--version"], needed_for: "shell integration" },
    Package { name: "fish", probe: &["fish", "--version"], needed_for: "shell integration" },
    Package { name: "less", probe: &["less", "--version"], needed_for: "full-screen programs" },
    CHROMIUM,
    Package { name: "passt", probe: &["pasta", "--version"], needed_for: "networks of places" },
    Package { name: "strace", probe: &["strace", "--version"], needed_for: "explained refusals" },
    Package { name: "python3", probe: &["python3", "--version"], needed_for: "waiting for a port" },
];

/// What the description of the API is checked with.
pub(crate) const FOR_API: &[Package] = &[
    BUBBLEWRAP,
    Package {
        name: "python3-venv",
        probe: &["python3", "-c", "import venv, ensurepip"],
        needed_for: "what checks the API",
    },
];

/// What is measured beside ours, and what ours needs for it.
pub(crate) const FOR_BENCH: &[Package] = &[
    BASH,
    BUBBLEWRAP,
    Package { name: "ripgrep", probe: &["rg", "--version"], needed_for: "searches beside ours" },
];

/// What a release is made and tried with.
pub(crate) const FOR_DIST: &[Package] = &[
    BUBBLEWRAP,
    Package { name: "tar", probe: &["tar", "--version"], needed_for: "archives" },
    Package { name: "gzip", probe: &["gzip", "--version"], needed_for: "archives" },
];

/// What the page is measured in.
pub(crate) const FOR_PAGE: &[Package] = &[CHROMIUM];

/// Makes sure that these programs are installed.
pub(crate) fn ensure_packages(packages: &[Package]) -> Result<()> {
    let missing: Vec<&Package> = packages.iter().filter(|package| !works(package.probe)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    if !(is_root() && works(&["apt-get", "--version"])) {
        let list: Vec<String> = missing
            .iter()
            .map(|package| format!("{} (for {})", package.name, package.needed_for))
            .collect();
        bail!("please install {}", list.join(", "));
    }
    eprintln!("installing {}", names.join(", "));
    succeed(apt_get(&["update"]))?;
    succeed(apt_get(&["install", "--yes", "--no-install-recommends"]).args(names))?;
    match missing.iter().find(|package| !works(package.probe)) {
        Some(package) => {
            bail!("{} is installed but `{}` fails", package.name, package.probe.join(" "))
        }
        None => Ok(()),
    }
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// npm, which comes with Node.
pub(crate) fn npm(arguments: &[&str]) -> Result<Command> {
    if !works(&["npm", "--version"]) {
        bail!("npm is missing: install Node 20 or newer, for example with `apt-get install npm`");
    }
    let mut command = Command::new("npm");
    command.args(arguments);
    Ok(command)
}

/// Whether a command can be started and succeeds, without showing what it prints.
pub(crate) fn works(command: &[&str]) -> bool {
    let [program, arguments @ ..] = command else { return false };
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs a command with our stdin, stdout and stderr; anything but success is an error.
pub(crate) fn succeed(mut command: impl BorrowMut<Command>) -> Result<()> {
    let command = command.borrow_mut();
    let line = line_of(command);
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if status.success() { Ok(()) } else { bail!("`{line}` failed: {status}") }
}

/// The command as one would type it, to name it in messages.
fn line_of(command: &Command) -> String {
    iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

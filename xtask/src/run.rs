//! `cargo xtask run`: from a fresh checkout to a running OpenSpace.
//!
//! Becomes the server by `exec`, so that signals, terminal and exit code are the server's own.

use std::{
    env,
    ffi::{OsStr, OsString},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Instant,
};

use anyhow::{Result, anyhow};

use crate::{repository::Repository, runner, web};

#[cfg(test)]
mod tests;

pub(crate) fn run(repository: &Repository, path: &Path, arguments: &[OsString]) -> Result<()> {
    let binary = build(repository)?;
    eprintln!("starting {}", binary.display());
    let mut server = Command::new(&binary);
    server.arg("serve").arg(path).args(arguments);
    forget_cargo(&mut server, &repository.root);
    let error = server.exec();
    Err(anyhow!(error).context(format!("cannot start {}", binary.display())))
}

/// Builds all that people use and says where the program lies.
///
/// The page goes into the program; the runner needs neither and lies in a folder of its own, so that
/// cargo builds it meanwhile.
pub(crate) fn build(repository: &Repository) -> Result<PathBuf> {
    let started = Instant::now();
    eprintln!("building the page, openspace and openspace-runner; the first time takes minutes");
    let (program, runner) = thread::scope(|scope| {
        let runner = scope.spawn(|| runner::build(repository));
        let program = web::build(&repository.root.join("web")).and_then(|()| {
            eprintln!("building openspace");
            repository.release_binary()
        });
        (program, runner.join())
    });
    let program = program?;
    let runner = runner.map_err(|_| anyhow!("the build of the runner panicked"))??;
    runner::place_beside(&runner, &program)?;
    eprintln!("built after {} s", started.elapsed().as_secs());
    Ok(program)
}

/// Takes away what cargo and rustup put into our environment. The server hands its environment to
/// people's shells, where a pinned toolchain or a foreign library path would mislead their builds.
fn forget_cargo(server: &mut Command, root: &Path) {
    for (name, value) in env::vars_os() {
        if name == "LD_LIBRARY_PATH" {
            match without_cargo(&value, root) {
                Some(rest) => server.env(&name, rest),
                None => server.env_remove(&name),
            };
        } else if name.to_str().is_some_and(set_by_cargo) {
            server.env_remove(&name);
        }
    }
}

fn set_by_cargo(name: &str) -> bool {
    name.starts_with("CARGO_PKG_")
        || ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH"].contains(&name)
        || ["RUSTUP_TOOLCHAIN", "RUST_RECURSION_COUNT"].contains(&name)
}

/// A library path without the folders of this build and of the toolchain.
fn without_cargo(value: &OsStr, root: &Path) -> Option<OsString> {
    let own = |path: &Path| {
        path.starts_with(root)
            || path
                .components()
                .any(|part| ["rustlib", "toolchains"].iter().any(|name| part.as_os_str() == *name))
    };
    let rest: Vec<_> =
        env::split_paths(value).filter(|path| !path.as_os_str().is_empty() && !own(path)).collect();
    if rest.is_empty() { None } else { env::join_paths(rest).ok() }
}

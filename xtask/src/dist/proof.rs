//! Tries what was unpacked: the programs run in a root of their own, with the system's libraries to
//! read and nothing else of this machine but its loopback.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, bail};

use super::{
    Product,
    files::{EXPECTED, PROGRAMS},
};
use crate::{scratch::Scratch, server::Server};

/// Where dynamic programs look for libraries.
const LIBRARIES: [&str; 4] = ["usr/lib", "usr/lib64", "lib", "lib64"];
/// The runner's code for "I could not", which no loader uses.
const RUNNER_FAILED: i32 = 125;
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// Fails unless the programs below `root/prefix` do what they are for.
pub(super) fn prove(product: &Product, root: &Path, prefix: &str, scratch: &Scratch) -> Result<()> {
    let place = root.join(prefix);
    for name in EXPECTED {
        let packed = format!("{name}.gz");
        if ![*name, &packed].iter().any(|name| place.join(name).is_file()) {
            bail!("{name} is missing in what was unpacked");
        }
    }
    let [program, runner] = PROGRAMS.map(|name| format!("/{prefix}/bin/{name}"));

    let output = inside(root, scratch)?.arg(&program).arg("--version").output();
    let output = output.context("cannot start bwrap")?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if said != format!("openspace {}", product.version) {
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("`{program} --version` says `{said}`: {}", error.trim());
    }
    runner_is_static(&place.join("bin").join(PROGRAMS[1]))?;

    let mut server = inside(root, scratch)?;
    server.args([&program, "serve", "/space", "--port", "0", "--json", "--runner", &runner]);
    let server = Server::start(server, &scratch.path().join("server.log"))?;
    answers(&server, "/healthz")?;
    if product.has_page {
        answers(&server, "/")?;
    }
    eprintln!("{program} runs out of an empty root");
    Ok(())
}

/// A root with what was unpacked and a folder to serve. It is gone with the process.
fn inside(root: &Path, scratch: &Scratch) -> Result<Command> {
    let mut command = Command::new("bwrap");
    command.args(["--unshare-all", "--share-net", "--die-with-parent", "--new-session"]);
    command.args(["--clearenv", "--setenv", "HOME", "/space", "--setenv", "PATH", "/usr/bin"]);
    // Folders to put the libraries at: the root itself is not to be written.
    for name in LIBRARIES {
        if !Path::new("/").join(name).is_symlink() {
            fs::create_dir_all(root.join(name))?;
        }
    }
    command.arg("--ro-bind").arg(root.join("usr")).arg("/usr");
    for name in LIBRARIES {
        let path = Path::new("/").join(name);
        if let Ok(target) = fs::read_link(&path) {
            command.arg("--symlink").arg(target).arg(&path);
        } else if path.is_dir() {
            command.arg("--ro-bind").arg(&path).arg(&path);
        }
    }
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
    command.arg("--bind").arg(scratch.folder("space")?).arg("/space").args(["--chdir", "/space"]);
    Ok(command)
}

/// In a root with this file alone a program that needs a library cannot even begin.
fn runner_is_static(runner: &Path) -> Result<()> {
    let mut command = Command::new("bwrap");
    command.args(["--unshare-all", "--die-with-parent"]);
    command.arg("--ro-bind").arg(runner).arg("/runner").args(["/runner", "--no-such-option"]);
    let output = command.output().context("cannot start bwrap")?;
    if output.status.code() != Some(RUNNER_FAILED) {
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("openspace-runner does not run alone: {}: {}", output.status, error.trim());
    }
    Ok(())
}

fn answers(server: &Server, path: &str) -> Result<()> {
    let address = server.address.url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream =
        TcpStream::connect(address).with_context(|| format!("cannot connect to {address}"))?;
    stream.set_read_timeout(Some(ANSWER_WITHIN))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        server.address.token
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).with_context(|| format!("no answer to GET {path}"))?;
    if answer.starts_with(b"HTTP/1.1 200 ") {
        return Ok(());
    }
    let first = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
    bail!("GET {path}: {}", String::from_utf8_lossy(first))
}

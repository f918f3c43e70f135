//! Files outside of the workspace that a language server named in an answer: sources of libraries that people look into.
//!
//! They are read where servers run, so that a page sees no more than those do, and never what goes by the name of a
//! secret, wherever a link leads. Nobody reads a path that no server named.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use openspace_command::{Error, ErrorKind, Result};
use openspace_files::rules::Masking;
use openspace_host::{PipedHandle, operation::PipedProgram};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

use super::{page_hub::CodePages, whereabouts::relative};
use crate::{OpenSpace, places::Place, refusal::refused};

/// The largest file that is read.
pub const MOST_BYTES: usize = 5 * 1024 * 1024;
/// How long reading may take.
const READ_WITHIN: Duration = Duration::from_secs(10);
/// The longest path that a link may lead to.
const LONGEST_PATH: usize = 8 * 1024;

/// Read one.
pub async fn read(state: &OpenSpace, path: &str) -> Result<Vec<u8>> {
    let wanted = PathBuf::from(path);
    if !state.service::<CodePages>().named.has(&wanted) {
        let shown: String = path.chars().take(200).collect();
        return Err(Error::not_found(format!("no language server named `{shown}`"))
            .hint("go to it from a file of the workspace once more"));
    }
    let place = state.workspaces().languages_place().await?;
    let real = run(&place, &["readlink", "-e", "--"], &wanted, LONGEST_PATH).await?;
    let real = real.strip_suffix(b"\n").unwrap_or(&real);
    let Some(real) = std::str::from_utf8(real).ok().filter(|real| real.starts_with('/')) else {
        return Err(Error::not_found(format!("`{path}` is not there")));
    };
    let real = Path::new(real);
    if relative(&place.facts().root, real).is_some() || is_secret(real)? {
        let message = format!("`{path}` is not told: it is a file of the workspace or a secret");
        return Err(Error::denied(message));
    }
    let count = (MOST_BYTES + 1).to_string();
    let bytes = run(&place, &["head", "-c", &count, "--"], real, MOST_BYTES + 1).await?;
    if bytes.len() > MOST_BYTES {
        let message = format!("`{path}` is larger than {MOST_BYTES} bytes");
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    Ok(bytes)
}

/// Whether a path goes by the name of a secret, or lies in a folder that does.
fn is_secret(path: &Path) -> Result<bool> {
    let masking = Masking::new(&[]).map_err(|error| Error::internal("no rules").because(error))?;
    let mut published = false;
    let mut above = String::new();
    for name in path.iter().filter_map(|name| name.to_str()).filter(|name| *name != "/") {
        above = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
        if masking.hides(&above, published) {
            return Ok(true);
        }
        published |= Masking::is_of_packages(name);
    }
    Ok(false)
}

/// What a program prints about a file, at most so much.
async fn run(place: &Place, program: &[&str], file: &Path, most: usize) -> Result<Vec<u8>> {
    let Some(file) = file.to_str() else { return Err(Error::invalid("the path is no text")) };
    let arguments = program.iter().skip(1).copied().chain([file]);
    let program = PipedProgram::new(*program.first().unwrap_or(&"")).with(arguments);
    let host = place.host().await.map_err(refused)?;
    let handle = PipedHandle::start(host, program).await.map_err(refused)?;
    let PipedHandle { mut stdin, stdout, program } = handle;
    // It reads nothing.
    stdin.shutdown().await.ok();
    let mut bytes = Vec::new();
    let reading = async {
        stdout.take(most as u64).read_to_end(&mut bytes).await?;
        Ok::<_, std::io::Error>(())
    };
    let read = timeout(READ_WITHIN, reading).await;
    program.stop(Duration::ZERO);
    match read {
        Ok(Ok(())) => Ok(bytes),
        Ok(Err(error)) => {
            Err(Error::new(ErrorKind::Lost, format!("`{file}` was not read")).because(error))
        }
        Err(_) => Err(Error::new(ErrorKind::TimedOut, format!("`{file}` was not read in time"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_like_a_secret_is_one_wherever_it_lies() {
        let secret = |path: &str| is_secret(Path::new(path)).unwrap();
        for path in ["/x/.ssh/id_ed25519", "/x/.env", "/x/.aws/credentials"] {
            assert!(secret(path), "{path}");
        }
        for path in [
            "/usr/lib/python3/typing.pyi",
            "/x/.cargo/registry/src/x/lib.rs",
            "/usr/lib/node_modules/x/cacert.pem",
        ] {
            assert!(!secret(path), "{path}");
        }
    }
}

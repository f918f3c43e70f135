//! Finding bubblewrap and making sure that it knows what is asked of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{IsolationError, launch};

/// The search path of the server is not used: a project may have changed it.
const FOLDERS: [&str; 6] = [
    "/usr/bin",
    "/usr/local/bin",
    "/bin",
    "/usr/sbin",
    "/run/wrappers/bin",
    "/run/current-system/sw/bin",
];

/// The newest of the options that are used. Distributions have given them to older versions, so
/// the number of the version does not tell.
const NEEDED: [&str; 5] = ["--bind-fd", "--ro-bind-fd", "--disable-userns", "--size", "--perms"];

/// How long it may take to tell its options.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the program is, once it is known to be usable.
pub(crate) async fn find(name: &Path) -> Result<PathBuf, IsolationError> {
    let found = if name.is_absolute() {
        Some(name.to_path_buf())
    } else {
        FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.is_file())
    };
    let Some(program) = found.filter(|path| path.is_file()) else {
        let hint = "install bubblewrap, for example with `apt-get install bubblewrap`";
        return Err(IsolationError::Missing { program: name.to_path_buf(), hint });
    };
    let asking = launch::command(&program).arg("--help").output();
    let Ok(output) = tokio::time::timeout(PATIENCE, asking).await else {
        return Err(IsolationError::Silent { after: PATIENCE });
    };
    let output = output.map_err(IsolationError::system(format!("run {}", program.display())))?;
    let mut help = String::from_utf8_lossy(&output.stdout).into_owned();
    help.push_str(&String::from_utf8_lossy(&output.stderr));
    let knows = |option: &str| help.split_whitespace().any(|word| word == option);
    let missing: Vec<&str> = NEEDED.into_iter().filter(|option| !knows(option)).collect();
    if missing.is_empty() {
        return Ok(program);
    }
    Err(IsolationError::TooOld { program, missing: missing.join(", ") })
}

//! Reads and replaces the configuration file of another program.
//!
//! A file is replaced whole or not at all. Links stay links: what they point to is replaced.

use std::{
    fs::{File, OpenOptions, Permissions},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

/// A configuration is never larger; a file that is was named by mistake.
const MAX_SIZE: u64 = 8 * 1024 * 1024;

/// A file as it was found.
pub(super) struct Found {
    pub text: String,
    /// The permission bits.
    pub mode: u32,
}

/// The file's text, or none when there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<Found>> {
    let unreadable = || format!("{} cannot be read", path.display());
    // Whatever is not a file could block for ever when opened.
    let about = match path.metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if path.is_symlink() {
                bail!("{} is a link to a file that does not exist", path.display());
            }
            return Ok(None);
        }
        Err(error) => return Err(error).with_context(unreadable),
    };
    if !about.is_file() {
        bail!("{} is not a file", path.display());
    }
    let mut text = String::new();
    let file = OpenOptions::new().read(true).open(path).with_context(unreadable)?;
    file.take(MAX_SIZE + 1).read_to_string(&mut text).with_context(unreadable)?;
    if text.len() as u64 > MAX_SIZE {
        bail!("{} is larger than {} MiB", path.display(), MAX_SIZE / 1024 / 1024);
    }
    Ok(Some(Found { text, mode: about.permissions().mode() & 0o7777 }))
}

/// What of a mode lets others than the owner in.
pub(super) const OTHERS: u32 = 0o077;

/// Replace the file, keeping its `mode`; one that is `private` is for its owner only.
pub(super) fn write(path: &Path, text: &str, mode: Option<u32>, private: bool) -> Result<()> {
    let unwritable = || format!("{} cannot be written", path.display());
    let real = if mode.is_some() {
        path.canonicalize().with_context(unwritable)?
    } else {
        path.to_owned()
    };
    let folder = real.parent().with_context(unwritable)?;
    std::fs::create_dir_all(folder).with_context(unwritable)?;
    let open_mode = if mode.is_some() || private { 0o600 } else { 0o644 };
    let (temporary, mut file) = beside(&real, open_mode).with_context(unwritable)?;
    let mut replace = || -> std::io::Result<()> {
        if let Some(mode) = mode {
            let mode = if private { mode & !OTHERS } else { mode };
            file.set_permissions(Permissions::from_mode(mode))?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        #[expect(clippy::disallowed_methods, reason = "the file belongs to another program")]
        std::fs::rename(&temporary, &real)
    };
    replace().or_else(|error| {
        #[expect(clippy::disallowed_methods, reason = "the file belongs to another program")]
        let removed = std::fs::remove_file(&temporary);
        Err(error).with_context(|| match removed {
            Ok(()) => unwritable(),
            Err(_) => format!("{}, and {} is left over", unwritable(), temporary.display()),
        })
    })
}

/// A new file in the same folder, so that it can take the other's place in one step.
fn beside(path: &Path, mode: u32) -> std::io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut attempt = 0;
    loop {
        let temporary = path.with_file_name(format!(".{name}.{}-{attempt}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary) {
            // A process that died may have left one behind.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
            Err(error) => return Err(error),
            Ok(file) => return Ok((temporary, file)),
        }
    }
}

//! What would be seen in folders of the system and must not be: homes, other names of the workspace,
//! and settings that not everybody may read.

use std::path::{Path, PathBuf};

use rustix::fs::Uid;

/// The most that is looked at of any of them.
const MOST: usize = 20_000;
/// How deep settings lie.
const DEEPEST: usize = 8;

/// Looked at from the last on.
const SETTINGS: [&str; 3] = ["/opt", "/usr/local/etc", "/etc"];
/// How deep what programs of their own folder keep is looked for.
const DEEPEST_PROGRAM: usize = 3;

/// The name of a user, if this machine's own list has it.
pub(super) fn name_of(user: Uid) -> Option<String> {
    let users = read("/etc/passwd")?;
    let mut found = users.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number.parse() == Ok(user.as_raw())).then(|| name.to_owned())
    });
    found.next()
}

/// Homes of people, wherever they are.
pub(super) fn homes() -> Vec<PathBuf> {
    let users = read("/etc/passwd").unwrap_or_default();
    let homes = users.lines().take(MOST).filter_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let number: u32 = fields.get(2)?.parse().ok()?;
        let is_person = number == 0 || (1000..65534).contains(&number);
        let home = PathBuf::from(fields.get(5)?);
        // A folder right beneath the root is a part of the system, or is not shown anyway; root's own
        // is one, too.
        let is_deep = home.components().count() > 2 || home == Path::new("/root");
        (is_person && is_deep).then_some(home)
    });
    homes.filter(|home| home.is_dir()).collect()
}

/// Other paths of this machine under which the workspace, or a part of it, is found: the same folder
/// mounted twice.
pub(super) fn other_names(root: &Path) -> Vec<PathBuf> {
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    let table = read("/proc/self/mountinfo").unwrap_or_default();
    other_names_in(&table, &root)
}

/// One line of the kernel's table of mounts.
struct Mounted {
    device: String,
    /// Which folder of the file system is mounted.
    folder: PathBuf,
    at: PathBuf,
}

pub(super) fn other_names_in(table: &str, root: &Path) -> Vec<PathBuf> {
    let mounts: Vec<Mounted> = table
        .lines()
        .take(MOST)
        .filter_map(|line| {
            let mut fields = line.split(' ').skip(2);
            let (device, folder, at) = (fields.next()?, fields.next()?, fields.next()?);
            Some(Mounted { device: device.to_owned(), folder: plain(folder), at: plain(at) })
        })
        .collect();
    // The last of those on the longest way is the one that is seen.
    let above = mounts.iter().filter(|mount| root.starts_with(&mount.at));
    let Some(own) = above.max_by_key(|mount| mount.at.components().count()) else {
        return Vec::new();
    };
    let Ok(rest) = root.strip_prefix(&own.at) else { return Vec::new() };
    let folder = joined(&own.folder, rest);
    let others = mounts.iter().filter(|mount| mount.device == own.device);
    let names = others.filter_map(|mount| {
        if let Ok(rest) = folder.strip_prefix(&mount.folder) {
            return Some(joined(&mount.at, rest));
        }
        mount.folder.starts_with(&folder).then(|| mount.at.clone())
    });
    names.filter(|name| !name.starts_with(root) && !root.starts_with(name)).collect()
}

fn joined(folder: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { folder.to_path_buf() } else { folder.join(rest) }
}

/// The kernel writes a few characters as numbers.
fn plain(field: &str) -> PathBuf {
    let known = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    known.into_iter().fold(field.to_owned(), |text, (code, it)| text.replace(code, it)).into()
}

/// What in folders of settings, and right beneath those of programs, not everybody may read. Programs could that run as root, without any capability, or
/// with a group of the person's.
pub(super) fn closed_settings() -> Vec<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut closed = Vec::new();
    let mut waiting: Vec<(PathBuf, usize)> = SETTINGS.map(|folder| (folder.into(), 0)).into();
    let mut seen = 0;
    while let Some((folder, depth)) = waiting.pop() {
        let is_settings = folder.starts_with("/etc");
        if is_settings && (seen > MOST || depth > DEEPEST) {
            closed.push(folder);
            continue;
        }
        // Programs lie deep, and so many that not all can be looked at.
        if !is_settings && (seen > MOST || depth > DEEPEST_PROGRAM) {
            continue;
        }
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            let Ok(status) = entry.metadata() else { continue };
            if status.is_symlink() {
                continue;
            }
            let needed = if status.is_dir() { 0o005 } else { 0o004 };
            if status.permissions().mode() & needed != needed {
                closed.push(entry.path());
            } else if status.is_dir() {
                waiting.push((entry.path(), depth + 1));
            }
        }
    }
    closed
}

#[expect(clippy::disallowed_methods, reason = "facts of the machine are no files of a workspace")]
fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

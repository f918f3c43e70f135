//! What a configuration of git says about further files that decide what runs. Only what matters here is
//! read of it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The longest name of a user in an address; a longer one is a token.
const LONGEST_USER: usize = 24;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) hooks: Vec<String>,
    pub(super) included: Vec<String>,
    pub(super) has_one_for_each_tree: bool,
    pub(super) has_credential: bool,
}

impl Configuration {
    pub(super) fn of(text: &str) -> Self {
        let mut configuration = Self::default();
        let mut section = String::new();
        let text = text.replace("\\\r\n", "").replace("\\\n", "");
        for line in text.lines().map(str::trim) {
            let line = match line.strip_prefix('[').and_then(|line| line.split_once(']')) {
                Some((head, rest)) => {
                    configuration.has_credential |= is_credential(head);
                    let name = head.split([' ', '"', '\t']).next().unwrap_or_default();
                    section = name.to_ascii_lowercase();
                    rest.trim()
                }
                None => line,
            };
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            let (key, value) = (key.trim().to_ascii_lowercase(), plain(value));
            configuration.has_credential |= is_credential(&value) || key == "extraheader";
            match (section.as_str(), key.as_str()) {
                ("core", "hookspath") => configuration.hooks.push(value),
                ("include" | "includeif", "path") => configuration.included.push(value),
                ("extensions", "worktreeconfig") => {
                    configuration.has_one_for_each_tree = !value.eq_ignore_ascii_case("false");
                }
                _ => {}
            }
        }
        configuration
    }
}

/// A value without quotes and without the comment behind it.
fn plain(written: &str) -> String {
    let mut value = String::new();
    let mut quoted = false;
    let mut letters = written.trim().chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => value.extend(letters.next()),
            '#' | ';' if !quoted => break,
            letter => value.push(letter),
        }
    }
    value.trim_end().to_owned()
}

/// Whether an address in it has a password, or a name that is too long to be one.
fn is_credential(text: &str) -> bool {
    text.match_indices("://").any(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let host = rest.split(['/', '"', ' ']).next().unwrap_or_default();
        let user = host.rsplit_once('@').map(|(user, _)| user);
        user.is_some_and(|user| user.contains(':') || user.len() > LONGEST_USER)
    })
}

/// A path from a folder, relative to the workspace, if it is beneath it. `roots` are all absolute paths of
/// the workspace.
pub(super) fn beneath(folder: &OsStr, path: &str, roots: &[PathBuf]) -> Option<OsString> {
    let path = Path::new(path);
    let absolute = path.is_absolute();
    let path =
        if absolute { roots.iter().find_map(|root| path.strip_prefix(root).ok())? } else { path };
    let start = if absolute { OsStr::new("") } else { folder };
    if path.starts_with("~") {
        return None;
    }
    let mut names: Vec<&[u8]> =
        start.as_bytes().split(|byte| *byte == b'/').filter(|name| !name.is_empty()).collect();
    for name in path.as_os_str().as_bytes().split(|byte| *byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    if names.is_empty() {
        return None;
    }
    Some(OsStr::from_bytes(&names.join(&b'/')).to_owned())
}

/// Whether a path that is not beneath the workspace is no part of it: the workspace itself is none.
pub(super) fn is_elsewhere(path: &str, roots: &[PathBuf]) -> bool {
    let path = Path::new(path);
    if path.is_absolute() {
        return !roots.iter().any(|root| root.starts_with(path));
    }
    path.starts_with("~") || path.starts_with("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_names_what_else_decides() {
        let text = "[core]\n\tbare = false\n\tHooksPath = .husky/_ # ours\n[include]\n\tpath = ../sha\\\nred\n\
                    [includeIf \"onbranch:x\"] path = \"o#ther\" ; more\n[extensions]\n\tworktreeConfig\n";
        let expected = Configuration {
            hooks: vec![".husky/_".into()],
            included: vec!["../shared".into(), "o#ther".into()],
            has_one_for_each_tree: true,
            has_credential: false,
        };
        assert_eq!(Configuration::of(text), expected);
        let off = "[extensions]\nworktreeconfig = false\n[user]\npath = x\nhookspath = y";
        assert_eq!(Configuration::of(off), Configuration::default());
    }

    #[test]
    fn credentials_in_a_configuration_are_noticed() {
        let has = |text: &str| Configuration::of(text).has_credential;
        assert!(has("[remote \"origin\"]\nurl = https://me:word@example.org/x"));
        assert!(has(
            "[url \"https://0123456789012345678901234567890@example.org/\"]\ninsteadOf = x"
        ));
        assert!(has("[http \"https://example.org/\"]\n\textraHeader = AUTHORIZATION: basic eA=="));
        assert!(!has(
            "[remote \"origin\"]\nurl = ssh://git@example.org:22/x\nurl = https://me@example.org/x"
        ));
    }

    #[test]
    fn only_paths_of_the_workspace_are_followed() {
        let inside = ["/workspace", "/h/me/app"].map(PathBuf::from);
        let beneath = |folder: &str, path: &str| {
            let found = beneath(OsStr::new(folder), path, &inside);
            found.map(|path| path.to_string_lossy().into_owned())
        };
        assert_eq!(beneath("", ".husky/_"), Some(".husky/_".to_owned()));
        assert_eq!(beneath("a/.git", "../x/./y"), Some("a/x/y".to_owned()));
        assert_eq!(beneath("a", "/h/me/app/hooks"), Some("hooks".to_owned()));
        assert_eq!(beneath("a", "/workspace/hooks"), Some("hooks".to_owned()));
        assert_eq!(beneath(".git", "../../x"), None);
        assert_eq!(beneath(".git", ".."), None);
        assert_eq!((beneath("", "/etc/hooks"), beneath("", "~/hooks")), (None, None));
        let elsewhere = ["/etc/hooks", "~/hooks", "../x", ".", "/h/me/app", "/h"];
        let expected = [true, true, true, false, false, false];
        assert_eq!(elsewhere.map(|path| is_elsewhere(path, &inside)), expected);
    }
}

//! Which files are found, and what of them is told.

use super::*;
use crate::files::tests::{Stage, rel};

fn shown(found: &SecretFiles) -> Vec<(&str, &str)> {
    let text = |content| std::str::from_utf8(content).unwrap();
    found.files.iter().map(|file| (file.path.as_str(), text(&file.content))).collect()
}

#[test]
fn all_secret_files_are_found_those_that_git_ignores_too() {
    let stage = Stage::new();
    for (path, content) in [
        (".gitignore", ".env\nlocal/\n"),
        (".env", "1"),
        (".env.example", "2"),
        ("local/deep/tls.pem", "3"),
        ("src/main.rs", "4"),
        ("node_modules/x/.env", "5"),
        (".git/config", "6"),
        (".openspace/trash/1/.env", "7"),
        (".openspace/trash/1/notes.txt", "8"),
        ("a/.ENV", "9"),
    ] {
        stage.put(path, content);
    }
    std::os::unix::fs::symlink("src/main.rs", stage.path("secrets.rs")).unwrap();
    std::os::unix::fs::symlink(stage.outside("x"), stage.path("gone.pem")).unwrap();
    let found = read(&stage.files, None, &|| false).unwrap();
    assert_eq!(
        (shown(&found), found.left_out),
        (
            vec![
                (".env", "1"),
                ("secrets.rs", "4"),
                ("a/.ENV", "9"),
                ("local/deep/tls.pem", "3"),
                (".openspace/trash/1/.env", "7"),
            ],
            1
        )
    );
    assert_eq!(format!("{:?}", found.files[0]), "SecretFile { path: RelPath(\".env\"), .. }");
}

#[test]
fn among_some_paths_only_secret_files_that_are_there_are_read() {
    let stage = Stage::new();
    stage.put("a/.env", "1");
    stage.put("b.txt", "2");
    stage.put("secrets.d/x", "3");
    let among = ["a/.env", "b.txt", "c/.env", "secrets.d", "secrets.d/x", ".git/config"].map(rel);
    let found = read(&stage.files, Some(among.to_vec()), &|| false).unwrap();
    assert_eq!((shown(&found), found.left_out), (vec![("a/.env", "1"), ("secrets.d/x", "3")], 0));
}

#[test]
fn settings_into_which_people_write_tokens_are_told_after_the_secrets() {
    let stage = Stage::new();
    for (path, content) in [
        (".npmrc", "1"),
        ("app/.yarnrc.yml", "2"),
        ("android/gradle.properties", "3"),
        (".cargo/config.toml", "4"),
        ("config.toml", "5"),
        ("deep/er/.env", "6"),
        ("node_modules/x/.npmrc", "7"),
    ] {
        stage.put(path, content);
    }
    let all = [
        ("deep/er/.env", "6"),
        (".npmrc", "1"),
        (".cargo/config.toml", "4"),
        ("android/gradle.properties", "3"),
        ("app/.yarnrc.yml", "2"),
    ];
    let found = read(&stage.files, None, &|| false).unwrap();
    let are_of_settings: Vec<bool> = found.files.iter().map(|file| file.is_of_settings).collect();
    assert_eq!(
        (shown(&found), are_of_settings),
        (all.to_vec(), vec![false, true, true, true, true])
    );
    let among = ["config.toml", "app/.yarnrc.yml", "node_modules/x/.npmrc"].map(rel);
    let found = read(&stage.files, Some(among.to_vec()), &|| false).unwrap();
    assert_eq!(shown(&found), all[4..]);
    assert_eq!(find(&stage.files, &|| false).unwrap(), [rel("deep/er/.env")]);
}

#[test]
fn what_is_too_large_or_too_many_is_left_out_and_counted() {
    let stage = Stage::new();
    stage.put("secrets.txt", "x".repeat(usize::try_from(MAX_SECRET_FILE).unwrap() + 1));
    for number in 0..=MAX_SECRET_FILES {
        stage.put(&format!("{number:04}/.env"), "1");
    }
    let found = read(&stage.files, None, &|| false).unwrap();
    assert_eq!((found.files.len(), found.left_out), (MAX_SECRET_FILES, 2));
    assert!(matches!(read(&stage.files, None, &|| true), Err(FileError::Cancelled)));
}

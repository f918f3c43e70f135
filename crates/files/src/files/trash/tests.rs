//! What is deleted can be had back, for a while.

use super::*;
use crate::files::tests::{Stage, rel};

fn delete(files: &Files, path: &str, at: u64) -> Result<Trashed, String> {
    files.delete(&rel(path), at).map_err(|error| error.to_string())
}

fn restore(files: &Files, trashed: &RelPath) -> Result<String, String> {
    files.restore(trashed).map(String::from).map_err(|error| error.to_string())
}

fn names(stage: &Stage, path: &str) -> Vec<String> {
    let names = stage.files.names(&rel(path), 1000, &|| false).unwrap();
    names.entries.into_iter().map(|entry| entry.name).collect()
}

#[test]
fn what_is_deleted_is_restored_as_it_was() {
    let stage = Stage::new();
    stage.put("src/deep/a.txt", "a");
    stage.put("b.bin", [0, 255]);
    stage.link("../outside", "link");
    let deleted = ["src", "b.bin", "link"].map(|path| delete(&stage.files, path, 9).unwrap());
    assert_eq!(
        deleted.clone().map(|deleted| deleted.kind),
        [Kind::Folder, Kind::File, Kind::Symlink]
    );
    assert_eq!(names(&stage, ""), [".openspace"]);
    let words: Vec<&str> = deleted[0].trashed.as_str().split('/').collect();
    let [".openspace", "trash", id, "src"] = words.as_slice() else { panic!("{words:?}") };
    assert_eq!(
        stage.content(&format!(".openspace/trash/{id}.json")),
        r#"{"path":"src","deletedAt":9}"#
    );
    let restored = deleted.map(|deleted| restore(&stage.files, &deleted.trashed).unwrap());
    assert_eq!(restored, ["src", "b.bin", "link"]);
    assert_eq!(stage.content("src/deep/a.txt"), "a");
    assert_eq!(names(&stage, ".openspace/trash"), Vec::<String>::new());
}

#[test]
fn a_folder_with_a_secret_in_it_is_the_persons_to_delete() {
    let stage = Stage::new();
    stage.put("app/config/.env", "KEY=1");
    stage.put("app/a.txt", "a");
    stage.put("lib/node_modules/x/cert.pem", "public");
    stage.put("lib/.env.example", "KEY=");
    let holds = |path: &str| Err(format!("`{path}` holds the secret `app/config/.env`"));
    for path in ["app", "app/config"] {
        assert_eq!(delete(&stage.files, path, 1).map(drop), holds(path));
    }
    // What is moved to its place would throw it away as well.
    let moved = stage.files.relocate(&rel("lib"), &rel("app"), true, 2, &|| false);
    assert_eq!(moved.map(drop).map_err(|error| error.to_string()), holds("app"));
    assert_eq!(names(&stage, ""), ["app", "lib"]);
    let deleted = ["app/a.txt", "lib"].map(|path| delete(&stage.files, path, 3).map(drop));
    assert_eq!(deleted, [Ok(()), Ok(())]);
    assert!(stage.files.for_a_person().delete(&rel("app"), 4).is_ok());
}

#[test]
fn a_restored_thing_replaces_nothing_and_makes_its_folders_again() {
    let stage = Stage::new();
    stage.put("src/a", "old");
    let trashed = delete(&stage.files, "src/a", 1).unwrap().trashed;
    stage.put("src/a", "new");
    assert_eq!(restore(&stage.files, &trashed), Err("`src/a` exists already".to_owned()));
    delete(&stage.files, "src", 2).unwrap();
    assert_eq!(restore(&stage.files, &trashed), Ok("src/a".to_owned()));
    assert_eq!(stage.content("src/a"), "old");
    let gone = format!("there is nothing at `{trashed}` in the trash that can be restored");
    assert_eq!(restore(&stage.files, &trashed), Err(gone));
    for path in ["src/a", ".openspace/trash", ".openspace/trash/x/y", ".openspace/trash/x"] {
        assert!(restore(&stage.files, &rel(path)).is_err(), "{path}");
    }
}

#[test]
fn only_the_trash_is_kept_out_of_git_and_nobodys_file_is_changed() {
    let stage = Stage::new();
    stage.put("a", "");
    stage.put("b", "");
    delete(&stage.files, "a", 1).unwrap();
    assert_eq!(stage.content(".openspace/.gitignore"), "/trash/\n/.gitignore\n");
    let other = Stage::new();
    other.put("a", "");
    other.put(".openspace/.gitignore", "mine\n");
    delete(&other.files, "a", 1).unwrap();
    assert_eq!(other.content(".openspace/.gitignore"), "mine\n");
    // An empty one may be there because a place of agents was opened.
    let made = Stage::new();
    made.put("a", "");
    std::fs::create_dir_all(made.path(".openspace/trash")).unwrap();
    delete(&made.files, "a", 1).unwrap();
    assert_eq!(made.content(".openspace/.gitignore"), "/trash/\n/.gitignore\n");
}

#[test]
fn the_trash_keeps_the_newest_items() {
    let stage = Stage::new();
    for at in 0..=MOST_ITEMS as u64 {
        stage.put("a/b", at.to_string());
        delete(&stage.files, "a", at).unwrap();
    }
    let kept = names(&stage, ".openspace/trash");
    assert_eq!(kept.len(), 2 * MOST_ITEMS);
    assert!(kept[0].starts_with("000000000001-"), "{}", kept[0]);
}

#[test]
fn the_trash_is_beneath_the_root_and_closed_to_all_else() {
    let stage = Stage::new();
    stage.put("a", "A");
    stage.link("../outside", ".openspace");
    let before = stage.everything();
    assert!(delete(&stage.files, "a", 1).is_err());
    assert_eq!(stage.everything(), before);

    let stage = Stage::new();
    stage.put("secrets.d/plain.txt", "KEY");
    let person = stage.files.for_a_person();
    let trashed = delete(&person, "secrets.d/plain.txt", 1).unwrap().trashed;
    let refusal = format!("reading `{trashed}` is not allowed by the rule `.openspace/trash`");
    assert_eq!(stage.read_whole(trashed.as_str()), Err(refusal));
    let refusal = "writing `secrets.d/plain.txt` is not allowed by the rule `secrets.*`";
    assert_eq!(restore(&stage.files, &trashed), Err(refusal.to_owned()));
    assert_eq!(restore(&person, &trashed), Ok("secrets.d/plain.txt".to_owned()));
}

#[test]
fn what_may_not_be_written_may_not_be_deleted() {
    let stage = Stage::new();
    for path in [".env", "node_modules/x", ".git/config", ".openspace/config.toml"] {
        stage.put(path, "");
    }
    stage.link("node_modules", "modules");
    stage.link("../outside", "out");
    stage.put_outside("x", "");
    let before = stage.everything();
    let all = [".env", "node_modules", "modules/x", ".git", ".openspace", "out/x", "", "missing"];
    for path in all {
        assert!(delete(&stage.files, path, 1).is_err(), "{path}");
    }
    for path in &all[1..] {
        assert!(delete(&stage.files.for_a_person(), path, 1).is_err(), "{path}");
    }
    assert_eq!(stage.everything(), before);
}

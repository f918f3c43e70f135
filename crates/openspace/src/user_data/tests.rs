//! The files of a person, with one and with several servers at them.

use std::{os::unix::fs::symlink, sync::Arc};

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

fn store(person: &TempDir) -> UserData {
    UserData::new(person.path().join("config/openspace"), person.path().join("ui-state.json"))
}

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

fn put(store: &UserData, text: &str, content: &str) {
    store.write(&name(text), content.as_bytes(), &Expected::Anything).unwrap();
}

fn text(store: &UserData, text: &str) -> Option<String> {
    let stored = store.read(&name(text)).unwrap();
    stored.map(|stored| String::from_utf8(stored.content).unwrap())
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn only_known_names_are_names() {
    for text in [
        "settings.json",
        "snippets/rust.json",
        "snippets/objective-c++.json",
        "snippets/mine.code-snippets",
    ] {
        assert_eq!(name(text).as_str(), text);
    }
    let long = format!("snippets/{}.json", "a".repeat(MAX_STEM + 1));
    for text in [
        "",
        "other.json",
        "Settings.json",
        "settings.json/",
        "../settings.json",
        "snippets/",
        "snippets/.json",
        "snippets/..json",
        "snippets/../settings.json",
        "snippets/a/b.json",
        "snippets/rust.txt",
        "snippets/a b.json",
        "snippets\\a.json",
        ".lock",
        "ui-state/profile.json",
        &long,
    ] {
        assert!(Name::parse(text).is_err(), "{text}");
    }
}

#[test]
fn files_are_for_their_owner_only_and_replaced_whole() {
    let person = tempfile::tempdir().unwrap();
    let store = store(&person);
    assert_eq!((store.names().unwrap(), text(&store, "settings.json")), (vec![], None));
    assert!(!store.folder.exists(), "looking creates nothing");
    let first = store.write(&name("settings.json"), b"{}", &Expected::Anything).unwrap();
    assert_eq!(first, Written { tag: hash(b"{}"), created: true });
    let second = store.write(&name("settings.json"), b"{ }", &Expected::Anything).unwrap();
    assert_eq!(second, Written { tag: hash(b"{ }"), created: false });
    put(&store, "snippets/rust.json", "[]");
    assert_eq!(text(&store, "settings.json").unwrap(), "{ }");
    assert_eq!(store.names().unwrap(), ["settings.json", "snippets/rust.json"]);
    let at = |path: &str| mode(&store.folder.join(path));
    assert_eq!((at(""), at("snippets"), at("settings.json")), (0o700, 0o700, 0o600));
    assert!(store.remove(&name("settings.json"), &Expected::Anything).unwrap());
    assert!(!store.remove(&name("settings.json"), &Expected::Anything).unwrap());
    let left: Vec<_> = std::fs::read_dir(&store.folder).unwrap().map(|e| e.unwrap()).collect();
    assert_eq!(left.len(), 2, "the lock and the snippets: {left:?}");
}

#[test]
fn a_change_is_made_only_to_what_it_was_made_for() {
    let person = tempfile::tempdir().unwrap();
    let (one, two) = (store(&person), store(&person));
    let settings = name("settings.json");
    let tags = |content: &str| Expected::Tags(vec!["other".into(), hash(content.as_bytes())]);
    let refused = |outcome: Result<Written>| outcome.unwrap_err().kind == Kind::Conflict;
    assert!(refused(one.write(&settings, b"x", &Expected::There)));
    assert!(refused(one.write(&settings, b"x", &tags("a"))));
    one.write(&settings, b"a", &Expected::Missing).unwrap();
    assert!(refused(two.write(&settings, b"x", &Expected::Missing)));
    two.write(&settings, b"b", &tags("a")).unwrap();
    assert!(refused(one.write(&settings, b"x", &tags("a"))), "the other server changed it");
    assert_eq!(one.remove(&settings, &tags("a")).unwrap_err().kind, Kind::Conflict);
    assert_eq!(text(&one, "settings.json").unwrap(), "b");
    assert!(one.remove(&settings, &tags("b")).unwrap());
}

#[test]
fn of_many_changes_made_for_the_same_content_one_is_made() {
    let person = Arc::new(tempfile::tempdir().unwrap());
    put(&store(&person), "settings.json", "0");
    let expected = Expected::Tags(vec![hash(b"0")]);
    let changes = (1..=8).map(|number| {
        let (person, expected) = (Arc::clone(&person), expected.clone());
        std::thread::spawn(move || {
            let content = number.to_string();
            let outcome =
                store(&person).write(&name("settings.json"), content.as_bytes(), &expected);
            outcome.is_ok().then_some(content)
        })
    });
    let changes: Vec<_> = changes.collect();
    let made: Vec<String> =
        changes.into_iter().filter_map(|change| change.join().unwrap()).collect();
    assert_eq!(made.len(), 1, "{made:?}");
    assert_eq!(text(&store(&person), "settings.json").unwrap(), made[0]);
}

#[test]
fn files_and_their_number_have_limits() {
    let person = tempfile::tempdir().unwrap();
    let store = store(&person);
    let large = vec![b' '; MAX_FILE];
    store.write(&name("tasks.json"), &large, &Expected::Anything).unwrap();
    let error =
        store.write(&name("tasks.json"), &[large, vec![b' ']].concat(), &Expected::Anything);
    assert_eq!(
        error.unwrap_err().message,
        "tasks.json would have 1048577 bytes, more than 1048576"
    );
    for number in 0..MAX_SNIPPETS {
        put(&store, &format!("snippets/{number}.json"), "{}");
    }
    let error = store.write(&name("snippets/more.json"), b"{}", &Expected::Anything).unwrap_err();
    assert_eq!(error.message, "there are 200 snippet files already");
    put(&store, "snippets/7.json", "{ }");
    state_folder::write(&store.folder.join("settings.json"), vec![0; MAX_FILE + 1]).unwrap();
    let error = store.read(&name("settings.json")).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (Kind::Unsupported, "settings.json is larger than 1048576 bytes")
    );
}

#[test]
fn a_full_disk_is_told_apart_from_a_fault_of_ours() {
    let kind = |kind: ErrorKind| {
        let error = anyhow::Error::from(std::io::Error::from(kind)).context("cannot be written");
        not_written(Path::new("/state/ui-state.json"), error).kind
    };
    assert_eq!(kind(ErrorKind::StorageFull), Kind::NotSaved);
    assert_eq!(kind(ErrorKind::QuotaExceeded), Kind::NotSaved);
    assert_eq!(kind(ErrorKind::PermissionDenied), Kind::Internal);
}

#[test]
fn a_link_to_a_file_elsewhere_stays_a_link() {
    let person = tempfile::tempdir().unwrap();
    let store = store(&person);
    put(&store, "settings.json", "{}");
    let elsewhere = person.path().join("dotfiles.json");
    std::fs::copy(store.folder.join("settings.json"), &elsewhere).unwrap();
    symlink(&elsewhere, store.folder.join("keybindings.json")).unwrap();
    put(&store, "keybindings.json", "[1]");
    assert!(store.folder.join("keybindings.json").is_symlink());
    assert_eq!(read(&elsewhere, 100).unwrap().unwrap(), b"[1]");
    assert_eq!(text(&store, "keybindings.json").unwrap(), "[1]");
}

#[test]
fn every_change_is_news_once_to_every_server() {
    let person = tempfile::tempdir().unwrap();
    put(&store(&person), "tasks.json", "{}");
    let (one, two) = (store(&person), store(&person));
    assert_eq!((one.news(), two.news()), (vec![], vec![]));
    put(&one, "settings.json", "{}");
    put(&one, "snippets/rust.json", "{}");
    two.remove(&name("tasks.json"), &Expected::There).unwrap();
    let expected = ["settings.json", "snippets/rust.json", "tasks.json"];
    assert_eq!(
        (one.news(), two.news()),
        (expected.map(Into::into).to_vec(), expected.map(Into::into).to_vec())
    );
    assert_eq!((one.news(), two.news()), (vec![], vec![]));
    put(&two, "settings.json", "{}");
    assert_eq!(one.news(), ["settings.json"], "written again, by whomever");
}

//! The space by itself, with parts of its own: changes are told as changes, and nothing saved is
//! lost.

use std::path::{Path, PathBuf};

use openspace_command::Error;
use openspace_protocol::part::{Content, Visit};
use pretty_assertions::assert_eq;
use proptest::{collection::vec, prelude::*};
use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::{
    entries::{Counter, Entries},
    part::Part,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Note {
    text: String,
}

struct Notes;
impl Part for Notes {
    const NAME: &'static str = "notes";
    type Content = Entries<Note>;
}

struct NoteCounter;
impl Part for NoteCounter {
    const NAME: &'static str = "note-counter";
    const PUBLISHED: bool = false;
    type Content = Counter;
}

struct Seen;
impl Part for Seen {
    const NAME: &'static str = "seen";
    const SAVED: bool = false;
    const ANNOUNCED: bool = false;
    type Content = Entries<u32>;
}

const PARTS: &[Declared] =
    &[Declared::of::<Notes>(), Declared::of::<NoteCounter>(), Declared::of::<Seen>()];

/// What was seen of a note goes with the note.
#[expect(clippy::unnecessary_wraps, reason = "it has the form of a rule")]
fn forget_gone(before: &State, now: &mut State) -> Result<()> {
    if !now.shares::<Notes>(before) {
        let notes = now.part::<Notes>().clone();
        now.part_mut::<Seen>().retain(|key, _| notes.contains_key(key));
    }
    Ok(())
}

struct Stage {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("space.db");
        Self { _folder: folder, path }
    }

    fn open(&self, boot: &str, parts: &[Declared]) -> Space {
        let store = Arc::new(Store::open(&self.path).unwrap());
        Space::restore(store, boot.into(), parts, vec![forget_gone]).unwrap()
    }

    fn sql(&self, statement: &str) {
        #[expect(clippy::disallowed_methods, reason = "the test plays another program")]
        rusqlite::Connection::open(&self.path).unwrap().execute_batch(statement).unwrap();
    }

    fn value(&self, part: &str, key: &str) -> Option<String> {
        let path: &Path = &self.path;
        Store::open(path).unwrap().entries().unwrap().get(part)?.get(key).cloned()
    }
}

fn put(space: &Space, key: &str, text: &str) {
    let note = Note { text: text.into() };
    space
        .change_now(|state| {
            state.part_mut::<NoteCounter>().advance();
            state.part_mut::<Notes>().insert(key, note);
            Ok(())
        })
        .unwrap();
}

#[derive(Clone, Debug)]
enum Step {
    Put(u8, u8),
    Remove(u8),
    See(u8, u32),
    Refused(u8),
    Tell,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..8_u8, 0..3_u8).prop_map(|(key, text)| Step::Put(key, text)),
        2 => (0..8_u8).prop_map(Step::Remove),
        2 => (0..8_u8, 0..3_u32).prop_map(|(key, count)| Step::See(key, count)),
        1 => (0..8_u8).prop_map(Step::Refused),
        1 => Just(Step::Tell),
    ]
}

impl Step {
    fn take(&self, space: &Space) {
        let done = match *self {
            Self::Put(key, text) => {
                put(space, &format!("n{key}"), &format!("text {text}"));
                Ok(())
            }
            Self::Remove(key) => space
                .change_now(|state| {
                    state.part_mut::<Notes>().remove(format!("n{key}").as_str());
                    Ok(())
                })
                .map(drop),
            Self::See(key, count) => space.observe(|state| {
                state.part_mut::<Seen>().insert(format!("n{key}"), count);
                Ok(())
            }),
            Self::Refused(key) => {
                let refused = space.change_now(|state| {
                    state.part_mut::<Notes>().remove(format!("n{key}").as_str());
                    Err::<(), _>(Error::invalid("no"))
                });
                assert!(refused.is_err());
                Ok(())
            }
            Self::Tell => {
                space.tell(Event::CatalogueChanged { version: 1 });
                Ok(())
            }
        };
        done.unwrap();
    }
}

/// Bring a snapshot up to date, as a view does.
fn fold(snapshot: &mut Snapshot, mut listener: Listener) {
    for told in listener.now().unwrap() {
        let event = told.read().unwrap();
        assert_eq!(event.seq, snapshot.seq + 1, "no event is missing");
        (snapshot.seq, snapshot.revision) = (event.seq, event.revision);
        if let Event::Changed { patches } = event.event {
            for (part, patch) in patches {
                patch.apply(snapshot.parts.get_mut(&part).unwrap());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_snapshot_with_the_patches_since_is_the_state_wherever_it_was_taken(
        steps in vec(any_step(), 1..40),
        stop in 0..40_usize,
    ) {
        let stage = Stage::new();
        let space = stage.open("boot1", PARTS);
        let mut view = None;
        for (index, step) in steps.iter().enumerate() {
            if index == stop.min(steps.len() - 1) {
                view = Some(space.snapshot());
            }
            step.take(&space);
        }
        let mut view = view.unwrap();
        let Attached::Resumed(listener) = space.attach(Some(("boot1", view.seq))) else {
            panic!("nothing is forgotten yet")
        };
        fold(&mut view, listener);
        let now = space.snapshot();
        prop_assert_eq!((&view.parts, view.seq, view.revision), (&now.parts, now.seq, now.revision));
        drop(space);
        let again = stage.open("boot2", PARTS).snapshot();
        prop_assert_eq!(&again.parts["notes"], &now.parts["notes"]);
        prop_assert_eq!(again.parts["seen"].len(), 0);
        prop_assert_eq!(again.revision, now.revision);
    }
}

#[test]
fn one_change_is_one_event_that_holds_what_differs() {
    let stage = Stage::new();
    let space = stage.open("boot1", PARTS);
    put(&space, "a", "one");
    put(&space, "b", "two");
    let mut listener = space.events().listen();
    put(&space, "b", "three");
    put(&space, "b", "three");
    let told = listener.now().unwrap();
    let texts: Vec<Value> =
        told.iter().map(|event| serde_json::from_str(&event.text).unwrap()).collect();
    let expected = json!({
        "seq": 3, "revision": 3, "type": "changed",
        "patches": {"notes": {"put": {"b": {"text": "three"}}}},
    });
    assert_eq!(texts, [expected], "the counter is nobody's business");
    let news = News::Changed { parts: vec!["notes"], announced: true };
    assert_eq!(told[0].news, news);
}

#[test]
fn what_is_only_observed_makes_no_revision_and_reaches_no_disk() {
    let stage = Stage::new();
    let space = stage.open("boot1", PARTS);
    put(&space, "a", "one");
    let (before, mut listener) = (space.events().revision(), space.events().listen());
    Step::See(1, 7).take(&space);
    let told = listener.now().unwrap();
    assert_eq!(told[0].news, News::Changed { parts: vec!["seen"], announced: false });
    assert_eq!(told[0].read().unwrap().revision, before);
    drop(space);
    assert_eq!(stage.value("seen", "n1"), None);
    assert_eq!(stage.value("space", "revision"), Some("1".into()));
}

#[test]
fn an_entry_that_cannot_be_read_is_kept_aside_and_told() {
    let stage = Stage::new();
    let space = stage.open("boot1", PARTS);
    put(&space, "a", "one");
    put(&space, "b", "two");
    drop(space);
    stage.sql(r#"UPDATE entry SET value = '{"text": 5}' WHERE key = 'a'"#);
    let space = stage.open("boot2", PARTS);
    let why = "invalid type: integer `5`, expected a string".to_owned();
    let aside = Aside { part: "notes".into(), key: "a".into(), why };
    assert_eq!(space.snapshot().aside, std::slice::from_ref(&aside));
    assert_eq!(json!(space.snapshot().parts["notes"]), json!({"b": {"text": "two"}}));
    put(&space, "a", "new");
    drop(space);
    let store = Store::open(&stage.path).unwrap();
    assert_eq!(store.aside().unwrap(), [aside], "also after the next start");
    #[expect(clippy::disallowed_methods, reason = "the test looks from outside")]
    let kept: String = rusqlite::Connection::open(&stage.path)
        .unwrap()
        .query_row("SELECT value FROM aside", [], |row| row.get(0))
        .unwrap();
    assert_eq!(kept, r#"{"text": 5}"#);
}

/// What is there before anybody changed it, and was saved as one number once.
#[derive(Clone, Default)]
struct Size {
    width: u32,
    height: u32,
}

impl Content for Size {
    type Entry = u32;

    fn tell(&self, to: &mut dyn Visit<u32>) {
        to.put("width", &self.width);
        to.put("height", &self.height);
    }

    fn tell_since(&self, before: &Self, to: &mut dyn Visit<u32>) {
        if self.width != before.width {
            to.put("width", &self.width);
        }
        if self.height != before.height {
            to.put("height", &self.height);
        }
    }

    fn from_entries(mut entries: BTreeMap<String, u32>) -> Result<Self, String> {
        let mut take = |key: &str| entries.remove(key);
        match (take("side"), take("width"), take("height")) {
            (Some(side), None, None) => Ok(Self { width: side, height: side }),
            (None, Some(width), Some(height)) => Ok(Self { width, height }),
            (None, None, None) => Ok(Self::default()),
            _ => Err("these make no size".into()),
        }
    }
}

impl Part for Size {
    const NAME: &'static str = "size";
    type Content = Self;
}

#[test]
fn what_nobody_changed_and_what_was_saved_in_other_pieces_is_saved_as_it_is_told() {
    let stage = Stage::new();
    let widen = |boot: &str, by: u32| {
        let parts = [Declared::of::<Notes>(), Declared::of::<Seen>(), Declared::of::<Size>()];
        let space = stage.open(boot, &parts);
        let before = json!(space.snapshot().parts["size"]);
        let widened = space.change_now(|state| {
            state.part_mut::<Size>().width += by;
            Ok(())
        });
        assert!(widened.is_ok());
        assert_eq!(space.aside(), [] as [Aside; 0]);
        before
    };
    assert_eq!(widen("boot1", 5), json!({"width": 0, "height": 0}));
    assert_eq!(widen("boot2", 1), json!({"width": 5, "height": 0}));
    stage.sql("DELETE FROM entry WHERE part = 'size'");
    stage.sql("INSERT INTO entry VALUES ('size', 'side', '7')");
    assert_eq!(widen("boot3", 2), json!({"width": 7, "height": 7}));
    assert_eq!(widen("boot4", 0), json!({"width": 9, "height": 7}));
    assert_eq!(stage.value("size", "side"), None);
}

struct NewerNotes;
impl Part for NewerNotes {
    const NAME: &'static str = "notes";
    const VERSION: u32 = 2;
    type Content = Entries<Note>;
}

#[test]
fn a_part_in_a_form_that_is_not_known_yet_is_kept_aside() {
    let stage = Stage::new();
    let newer =
        [Declared::of::<NewerNotes>(), Declared::of::<NoteCounter>(), Declared::of::<Seen>()];
    let space = stage.open("boot1", &newer);
    put(&space, "a", "one");
    drop(space);
    let space = stage.open("boot2", PARTS);
    let why = "it was saved in form 2; this program knows 1".to_owned();
    assert_eq!(space.aside(), [Aside { part: "notes".into(), key: "a".into(), why }]);
    put(&space, "a", "other");
    drop(space);
    assert_eq!(stage.value("notes", "a"), Some(r#"{"text":"other"}"#.into()));
}

#[test]
fn a_field_of_a_newer_program_survives_an_older_one() {
    let stage = Stage::new();
    let space = stage.open("boot1", PARTS);
    put(&space, "a", "one");
    put(&space, "b", "two");
    drop(space);
    stage.sql(r#"UPDATE entry SET value = '{"text": "one", "colour": "red"}' WHERE key = 'a'"#);
    let space = stage.open("boot2", PARTS);
    put(&space, "a", "changed");
    drop(space);
    let kept: Value = serde_json::from_str(&stage.value("notes", "a").unwrap()).unwrap();
    assert_eq!(kept, json!({"colour": "red", "text": "changed"}));
    let space = stage.open("boot3", PARTS);
    let removed = space.change_now(|state| {
        state.part_mut::<Notes>().remove("a");
        Ok(())
    });
    assert!(removed.is_ok());
    put(&space, "a", "another");
    drop(space);
    assert_eq!(
        stage.value("notes", "a"),
        Some(r#"{"text":"another"}"#.into()),
        "not the same entry"
    );
}

#[tokio::test]
async fn a_change_for_good_that_cannot_be_saved_is_taken_back() {
    let stage = Stage::new();
    let space = stage.open("one", PARTS);
    let insert = |state: &mut State| {
        state.part_mut::<Notes>().insert("a", Note { text: "kept".into() });
        Ok(())
    };
    let remove = |state: &mut State| {
        state.part_mut::<Notes>().remove("a");
        Ok(())
    };
    stage.sql("ALTER TABLE entry RENAME TO away");
    // The first is made and taken back, the second is refused because the store is known to fail.
    for _ in 0..2 {
        let error = space.change_for_good(insert, remove).await.unwrap_err();
        assert_eq!(error.kind, openspace_command::ErrorKind::NotSaved);
        assert_eq!(space.state().part::<Notes>().len(), 0);
    }
    stage.sql("ALTER TABLE away RENAME TO entry");
    space.change_for_good(insert, remove).await.unwrap();
    drop(space);
    assert_eq!(stage.value("notes", "a").as_deref(), Some(r#"{"text":"kept"}"#));
}

//! Changes at the same time: none is lost, and another program's is not overwritten unseen.

use std::{cell::Cell, thread};

use super::*;

#[test]
fn edits_of_one_file_at_the_same_time_are_all_made() {
    const THREADS: usize = 8;
    const EDITS: usize = 50;
    let stage = Stage::new();
    let line = |thread: usize, number: usize, word: &str| format!("{thread}-{number:02} {word};\n");
    let content = |word: &str| -> String {
        (0..THREADS)
            .flat_map(|thread| (0..EDITS).map(move |number| line(thread, number, word)))
            .collect()
    };
    stage.put("folder/file", content("old"));
    stage.link("folder/file", "link");
    stage.link("folder", "way");
    let changes = Changes::default();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (stage, changes) = (&stage, &changes);
            scope.spawn(move || {
                let path = ["folder/file", "link", "way/file"][thread % 3];
                for number in 0..EDITS {
                    let (old, new) = (line(thread, number, "old"), line(thread, number, "new"));
                    let request = edit_request(path, &[(old.as_str(), new.as_str())]);
                    changes.edit(&stage.files, &request, &|| false).unwrap();
                }
            });
        }
    });
    assert_eq!(stage.content("folder/file"), content("new"));
}

#[test]
fn of_writes_that_expect_the_same_content_one_wins() {
    let stage = Stage::new();
    stage.put("a", "start");
    let changes = Changes::default();
    let outcomes = thread::scope(|scope| {
        let writes: Vec<_> = (0..8)
            .map(|number| {
                let request = WriteRequest {
                    expected_hash: Some(hash(b"start")),
                    ..write_request("a", &format!("{number}"))
                };
                let (stage, changes) = (&stage, &changes);
                scope.spawn(move || changes.write(&stage.files, &request, &|| false))
            })
            .collect();
        writes.into_iter().map(|write| write.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for outcome in outcomes {
        match outcome {
            Ok(changed) => assert_eq!(changed.hash, hash(stage.content("a").as_bytes())),
            Err(error) => assert!(matches!(error, ChangeError::Stale { .. }), "{error:?}"),
        }
    }
}

/// Asked before every step, it does something else to the file at one of them.
fn meddle<'a>(at: u32, act: impl Fn() + 'a) -> impl Fn() -> bool + 'a {
    let asked = Cell::new(0);
    move || {
        asked.set(asked.get() + 1);
        if asked.get() == at {
            act();
        }
        false
    }
}

#[test]
fn what_another_program_writes_meanwhile_is_not_lost() {
    for at in 1..5 {
        let stage = Stage::new();
        stage.put("a", "one\ntwo\n");
        let cancel = meddle(at, || stage.put("a", "one\nTWO\n"));
        let request = edit_request("a", &[("one", "ONE")]);
        Changes::default().edit(&stage.files, &request, &cancel).unwrap();
        assert_eq!(stage.content("a"), "ONE\nTWO\n", "meddled at {at}");
    }
}

#[test]
fn an_expected_hash_holds_until_the_file_is_replaced() {
    let mut refused = 0;
    for at in 1..5 {
        let stage = Stage::new();
        stage.put("a", "seen");
        let cancel = meddle(at, || stage.put("a", "theirs"));
        let request =
            WriteRequest { expected_hash: Some(hash(b"seen")), ..write_request("a", "mine") };
        let error = Changes::default().write(&stage.files, &request, &cancel).unwrap_err();
        assert!(matches!(error, ChangeError::Stale { .. }), "{error:?}");
        assert_eq!(stage.content("a"), "theirs");
        refused += 1;
    }
    assert_eq!(refused, 4);
}

#[test]
fn a_file_that_changes_all_the_time_is_busy() {
    let stage = Stage::new();
    stage.put("a", "x");
    let round = Cell::new(0);
    let cancel = || {
        round.set(round.get() + 1);
        stage.put("a", format!("x{}", round.get()));
        false
    };
    let error = Changes::default().write(&stage.files, &write_request("a", "y"), &cancel);
    assert_eq!(error.unwrap_err().to_string(), "`a` is in use or kept changing during the call");
    assert_eq!(stage.everything(), ["outside", "root", "root/a"]);
}

#[test]
fn a_file_that_appears_meanwhile_is_not_overwritten_unseen() {
    let stage = Stage::new();
    let cancel = meddle(2, || stage.put("a", "theirs\r\n"));
    let changed =
        Changes::default().write(&stage.files, &write_request("a", "mine\n"), &cancel).unwrap();
    assert_eq!(
        (changed.created, changed.previous_hash, changed.line_endings_kept),
        (false, Some(hash(b"theirs\r\n")), true)
    );
    assert_eq!(stage.content("a"), "mine\r\n");
}

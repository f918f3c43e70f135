//! A person types while agents edit the same file: every key arrives, every edit too.
//!
//! `Typist` is a page as strict as one can be: it shows what is typed at once, has one edit under
//! way, and brings its own keys along with what others change. It checks each message against its
//! own idea of the text.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

use openspace_text::offsets::{self, Edit};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    buffers::{Page, live},
    support::{Bench, in_time, on_disk},
};

const FILE: &str = "a.txt";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Confirmed,
    Sent,
    Typed,
}

struct Typist {
    page: Page,
    version: u64,
    /// What it shows: each letter, and what the server knows of it. All of the first plane.
    shown: Vec<(char, Letter)>,
    keys: u32,
    /// Whether an edit is not answered yet.
    waiting: bool,
}

impl Typist {
    fn confirmed(&self) -> String {
        let confirmed = self.shown.iter().filter(|(_, how)| *how == Letter::Confirmed);
        confirmed.map(|(letter, _)| *letter).collect()
    }

    /// Type a letter that nobody types again, somewhere.
    fn type_key(&mut self, at: usize) {
        let letter = char::from_u32(0x4e00 + self.keys).unwrap();
        self.keys += 1;
        self.shown.insert(at % (self.shown.len() + 1), (letter, Letter::Typed));
    }

    /// Send what was typed, as edits of what the server has confirmed.
    async fn send(&mut self) {
        if self.waiting || !self.shown.iter().any(|(_, how)| *how == Letter::Typed) {
            return;
        }
        let mut edits: Vec<Edit> = Vec::new();
        let mut at = 0;
        for (letter, how) in &mut self.shown {
            if *how == Letter::Confirmed {
                at += 1;
                continue;
            }
            *how = Letter::Sent;
            match edits.last_mut().filter(|last| last.start == at) {
                Some(last) => last.text.push(*letter),
                None => edits.push(Edit { start: at, end: at, text: letter.to_string() }),
            }
        }
        self.waiting = true;
        let message =
            json!({"type": "edit", "path": FILE, "version": self.version, "edits": edits});
        self.page.send(message).await;
    }

    fn answered(&mut self, becomes: Letter) {
        assert!(self.waiting, "an answer to nothing");
        self.waiting = false;
        for (_, how) in &mut self.shown {
            if *how == Letter::Sent {
                *how = becomes;
            }
        }
    }

    fn hear(&mut self, message: &Value) {
        let version = message["version"].as_u64().unwrap_or_default();
        match message["type"].as_str().unwrap() {
            "accepted" => {
                assert_eq!(version, self.version + 1);
                self.version = version;
                self.answered(Letter::Confirmed);
            }
            "stale" => {
                assert_eq!(version, self.version, "all that happened before was told");
                self.answered(Letter::Typed);
            }
            "changed" => {
                assert_eq!(version, self.version + 1);
                self.version = version;
                let edits: Vec<Edit> = serde_json::from_value(message["edits"].clone()).unwrap();
                let expected = offsets::apply(&self.confirmed(), &edits).unwrap();
                for edit in edits.iter().rev() {
                    self.bring_in(edit);
                }
                assert_eq!(self.confirmed(), expected);
            }
            other => panic!("{other}: {message}"),
        }
    }

    /// Change what is confirmed; keys of its own stay where they are.
    fn bring_in(&mut self, edit: &Edit) {
        let mut at = 0;
        let mut place = None;
        let mut shown = Vec::with_capacity(self.shown.len() + edit.text.len());
        for &(letter, how) in &self.shown {
            let is_confirmed = how == Letter::Confirmed;
            if is_confirmed && at >= edit.start && place.is_none() {
                place = Some(shown.len());
            }
            let goes = is_confirmed && (edit.start..edit.end).contains(&at);
            at += usize::from(is_confirmed);
            if !goes {
                shown.push((letter, how));
            }
        }
        let place = place.unwrap_or(shown.len());
        let new = edit.text.chars().map(|letter| (letter, Letter::Confirmed));
        shown.splice(place..place, new);
        self.shown = shown;
    }
}

fn lines(count: usize) -> String {
    let lines: Vec<String> =
        (0..count).map(|number| format!("line {number} has 0 marks\n")).collect();
    lines.concat()
}

/// Type until the agent is done and everything is confirmed.
async fn type_on(typist: &mut Typist, is_done: &AtomicBool) {
    let mut seed = 7_usize;
    loop {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let done = is_done.load(Ordering::SeqCst);
        if !done || typist.keys < 300 {
            // Mostly in a few lines, sometimes anywhere.
            let at = if seed.is_multiple_of(37) { seed >> 8 } else { (seed >> 8) % 120 };
            typist.type_key(at);
        } else if !typist.waiting && !typist.shown.iter().any(|(_, how)| *how == Letter::Typed) {
            return;
        }
        typist.send().await;
        if typist.waiting {
            let message = typist.page.next().await;
            typist.hear(&message);
        }
        tokio::task::yield_now().await;
    }
}

/// Edit one line after the other; the lines that could be edited.
async fn edit_on(bench: &Bench, name: &str, count: usize) -> BTreeSet<usize> {
    let mut made = BTreeSet::new();
    let caller = openspace_command::Caller::new(openspace_command::CallerKind::Agent, name, None);
    for number in 0..count {
        let old = format!("line {number} has 0 marks\n");
        let new = format!("line {number} has 1 mark\nmade by {name}\n");
        let args = json!({"file_path": FILE, "old_string": old, "new_string": new});
        let answer = bench.reply(caller.clone(), "workspace.edit", args).await.to_value();
        if answer["success"] == json!(true) {
            made.insert(number);
        } else {
            assert_eq!(answer["kind"], "conflict", "{answer}");
        }
    }
    made
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_key_is_lost_while_an_agent_makes_two_hundred_edits() {
    let disk = lines(200);
    let bench = Bench::open(&[(FILE, &disk)]).await;
    let mut page = Page::join(&bench);
    let first = format!("typed {disk}");
    let opened = page.open(FILE, &disk, &first).await;
    let shown = first.chars().map(|letter| (letter, Letter::Confirmed)).collect();
    let version = opened["version"].as_u64().unwrap();
    let mut typist = Typist { page, version, shown, keys: 0, waiting: false };

    let is_done = AtomicBool::new(false);
    let agent = async {
        let made = edit_on(&bench, "one", 200).await;
        is_done.store(true, Ordering::SeqCst);
        made
    };
    let (made, ()) = tokio::join!(agent, type_on(&mut typist, &is_done));
    let text = live(&bench, FILE).unwrap();
    in_time(async {
        while typist.confirmed() != text {
            let message = typist.page.next().await;
            typist.hear(&message);
        }
    })
    .await;

    let keys: BTreeSet<char> = text.chars().filter(|letter| *letter >= '\u{4e00}').collect();
    assert_eq!(keys.len(), typist.keys as usize, "every key is there");
    assert!(typist.keys >= 300);
    assert!(made.len() > 100, "most lines are free: {}", made.len());
    let disk = on_disk(&bench.place(FILE));
    assert!(!disk.contains(|letter: char| letter >= '\u{4e00}'), "nothing unsaved is on disk");
    for number in 0..200 {
        let is_made = disk.contains(&format!("line {number} has 1 mark\nmade by one\n"));
        assert_eq!(is_made, made.contains(&number), "line {number}");
    }
    let without_keys = text.replace(|letter: char| letter >= '\u{4e00}', "");
    assert_eq!(without_keys, format!("typed {disk}"), "and nothing else is there");
}

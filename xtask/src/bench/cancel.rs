//! How soon a search ends that nobody waits for any more.
//!
//! The connection is closed in the middle of a slow search. Then either the server's threads are
//! watched until none of them works, or a small search by the same caller is timed.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::{
    Setup,
    api::Api,
    report::{Figure, Report, Row, Target},
    threads::{at_work, wait_for_rest, wait_for_work},
    times,
    tree::{SMALL_FILE, Tree},
};

const ROUNDS: usize = 15;
const WITHIN: Target = Target::TimeUpTo(Duration::from_millis(100));
/// No text can be looked for first, and every line is read letter by letter.
const SLOW: &str = r"(?i)(\p{L}+\P{L}+){6}\p{Lu}\d\p{L}{9}$";

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    let tree = Tree::ready(&setup.logs)?;
    let mut api = Api::open(&setup.server.address)?;
    let (_, id) = api.create(&tree.root, "local")?;
    let slow = json!({"pattern": SLOW});
    let (whole, _) = api.tool(&id, "grep", &slow)?;
    let abandoned = Abandoned { setup, id: &id, call: &slow, after: whole / 4 };

    let mut rested = Vec::new();
    for _ in 0..ROUNDS {
        let closed = abandoned.begin_and_close()?;
        rested.push(wait_for_rest(setup.server.process())?.duration_since(closed));
    }
    let row = Row::new("a search taken back: the server rests", times(rested)?);
    report.add(row.beside("the whole search", Figure::Time(whole)).target(WITHIN));

    let small = json!({"pattern": "the", "path": SMALL_FILE});
    let mut answered = Vec::new();
    for _ in 0..ROUNDS {
        let closed = abandoned.begin_and_close()?;
        api.tool(&id, "grep", &small)?;
        answered.push(closed.elapsed());
        wait_for_rest(setup.server.process())?;
    }
    let row = Row::new("a search taken back: the next one answers", times(answered)?);
    report.add(row.target(WITHIN));
    api.destroy(&id).map(drop)
}

/// A call that is taken back in the middle.
struct Abandoned<'a> {
    setup: &'a Setup,
    id: &'a str,
    call: &'a Value,
    after: Duration,
}

impl Abandoned<'_> {
    /// Gives the moment of closing.
    fn begin_and_close(&self) -> Result<Instant> {
        let server = &self.setup.server;
        wait_for_rest(server.process())?;
        let mut api = Api::open(&server.address)?;
        api.start_tool(self.id, "grep", self.call)?;
        wait_for_work(server.process())?;
        thread::sleep(self.after);
        ensure!(at_work(server.process())? > 0, "the search ended before it was taken back");
        drop(api);
        Ok(Instant::now())
    }
}

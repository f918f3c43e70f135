//! Lines from the middle of a very large file, and a change in a large one.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
    thread,
    time::{Duration, SystemTime},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{
    Setup,
    api::Api,
    report::{Report, Row, Target},
    times,
};

#[cfg(test)]
mod tests;

const HUGE: &str = "huge.txt";
const HUGE_BYTES: u64 = 1_000_000_000;
const HUGE_LINES: u64 = HUGE_BYTES / LINE_BYTES;
/// All lines have this length, so that the middle one is known.
const LINE_BYTES: u64 = 80;
/// The huge file stays for the next run where it takes no more than this share of what is free.
const KEPT_PER_FREE: u64 = 4;
const FIRST_READS: usize = 5;
const LATER_READS: usize = 100;
const LINES_READ: u64 = 100;
/// What changed a moment ago is not remembered by readers that look at clocks.
const SETTLED_AFTER: Duration = Duration::from_millis(200);

const LARGE: &str = "large.txt";
const LARGE_LINES: u64 = 10_000_000 / LINE_BYTES;
const EDITS: usize = 40;
const WITHIN: Target = Target::TimeUpTo(Duration::from_millis(50));

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    let root = setup.logs.join("files");
    fs::create_dir_all(&root).with_context(|| format!("cannot create {}", root.display()))?;
    let huge = root.join(HUGE);
    if fs::metadata(&huge).map_or(0, |metadata| metadata.len()) != HUGE_LINES * LINE_BYTES {
        ensure!(
            free_space(&root)? > 2 * HUGE_BYTES,
            "{} has no room for a file of 1 GB",
            root.display()
        );
        fill(&huge, HUGE_LINES)?;
    }
    fill(&root.join(LARGE), LARGE_LINES)?;
    let mut api = Api::open(&setup.server.address)?;
    let (_, id) = api.create(&root, "local")?;
    read(&mut api, &id, &huge, report)?;
    edit(&mut api, &id, report)?;
    api.destroy(&id)?;
    if free_space(&root)? / KEPT_PER_FREE < HUGE_BYTES {
        fs::remove_file(&huge)?;
    }
    Ok(())
}

fn read(api: &mut Api, id: &str, huge: &Path, report: &mut Report) -> Result<()> {
    let middle = HUGE_LINES / 2;
    let wanted = json!({"file_path": HUGE, "offset": middle, "limit": LINES_READ});
    let mut look = || -> Result<Duration> {
        let (elapsed, shown) = api.tool(id, "read", &wanted)?;
        let content = shown["content"].as_str().unwrap_or_default();
        let lines = content.lines().count();
        let first = format!("{middle}: {}", line(middle).trim_end());
        ensure!(
            content.starts_with(&first) && lines == usize::try_from(LINES_READ)?,
            "reading gave {lines} lines that begin with {:?}",
            content.lines().next()
        );
        Ok(elapsed)
    };
    look().context("the middle of the huge file")?;
    let mut first = Vec::new();
    for _ in 0..FIRST_READS {
        // A new time makes it a new state of the file, which nobody has seen yet.
        File::options().append(true).open(huge)?.set_modified(SystemTime::now())?;
        thread::sleep(SETTLED_AFTER);
        first.push(look()?);
    }
    report.add(Row::new("read 100 lines amid 1 GB, first", times(first)?));
    let later = (0..LATER_READS).map(|_| look()).collect::<Result<_>>()?;
    report.add(Row::new("read 100 lines amid 1 GB, after", times(later)?).target(WITHIN));
    Ok(())
}

/// There and back again, so that the file is in the end as it was.
fn edit(api: &mut Api, id: &str, report: &mut Report) -> Result<()> {
    let there = line(LARGE_LINES / 2);
    let back = there.replace("line", "LINE");
    let mut change = |from: &str, to: &str| -> Result<Duration> {
        let wanted: Value = json!({"file_path": LARGE, "old_string": from, "new_string": to});
        Ok(api.tool(id, "edit", &wanted)?.0)
    };
    let mut measured = Vec::new();
    for round in 0..=EDITS / 2 {
        let pair = [change(&there, &back)?, change(&back, &there)?];
        if round > 0 {
            measured.extend(pair);
        }
    }
    report.add(Row::new("edit a file of 10 MB", times(measured)?).target(WITHIN));
    Ok(())
}

/// Line `number`, counting from 1, with its end.
fn line(number: u64) -> String {
    format!("{number:>10} line of a text with words, (brackets), \"quotes\" and some = 12345678;\n")
}

fn fill(path: &Path, lines: u64) -> Result<()> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    let mut writer = BufWriter::new(file);
    for number in 1..=lines {
        writer.write_all(line(number).as_bytes())?;
    }
    Ok(writer.flush()?)
}

/// Bytes that can still be written where a folder is.
fn free_space(folder: &Path) -> Result<u64> {
    let stat = rustix::fs::statvfs(folder)
        .with_context(|| format!("cannot look at the disk of {}", folder.display()))?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

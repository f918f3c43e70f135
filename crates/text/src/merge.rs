//! Three texts into one, by lines: what two sides made of the same text.
//!
//! A line is what stands between line feeds, so a text always has one more line than it has line
//! feeds and any row of lines is a text again. Changes of different lines go together, changes of
//! the same lines clash unless they are the same. Nothing here decides for one side against the
//! other, and nothing is read or written.

use std::{cmp::Ordering, ops::Range};

use similar::{Algorithm, DiffOp, capture_diff_slices};

#[cfg(test)]
mod tests;

/// The lines of a text; at least one.
pub fn lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// Lines of an old text and the lines that stand there in the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the old text.
    pub old: Range<usize>,
    /// Lines of the new text.
    pub new: Range<usize>,
}

impl Hunk {
    /// By how many lines the text grows here.
    pub fn growth(&self) -> isize {
        self.new.len().cast_signed() - self.old.len().cast_signed()
    }
}

/// Where two texts differ, in order; between two hunks there is at least one line in common.
pub fn hunks(old: &[&str], new: &[&str]) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let hunk = Hunk { old: op.old_range(), new: op.new_range() };
        match hunks.last_mut() {
            Some(last) if last.old.end == hunk.old.start && last.new.end == hunk.new.start => {
                last.old.end = hunk.old.end;
                last.new.end = hunk.new.end;
            }
            _ => hunks.push(hunk),
        }
    }
    hunks
}

/// Lines to put in the place of some lines of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The lines that go.
    pub old: Range<usize>,
    /// The lines that come.
    pub new: Vec<String>,
}

/// Lines that both sides changed, and not in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Lines of the first side.
    pub one: Range<usize>,
    /// Lines of the second side.
    pub two: Range<usize>,
}

/// What two sides make of a text together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The text with the changes of both.
    pub text: String,
    /// What only the first side changed, as changes of the base.
    pub own: Vec<Splice>,
}

/// Put the changes of two sides together, or say where they clash.
pub fn merge(base: &str, one: &str, two: &str) -> Result<Merged, Vec<Clash>> {
    let (base, one, two) = (lines(base), lines(one), lines(two));
    let mut text: Vec<&str> = Vec::with_capacity(two.len());
    let mut own = Vec::new();
    let mut clashes = Vec::new();
    for part in parts(&base, &one, &two) {
        match part {
            Part::Same(range) => text.extend(&base[range]),
            Part::One { old, new } => {
                text.extend(&one[new.clone()]);
                own.push(Splice { old, new: owned(&one[new]) });
            }
            Part::Two(new) => text.extend(&two[new]),
            Part::Clash(clash) => clashes.push(clash),
        }
    }
    if clashes.is_empty() { Ok(Merged { text: text.join("\n"), own }) } else { Err(clashes) }
}

/// Put the changes of two sides together; where they clash, the lines of the first side stand
/// before those of the second, so that nothing that somebody wrote is left out.
pub fn keep_both(base: &str, one: &str, two: &str) -> String {
    let (base, one, two) = (lines(base), lines(one), lines(two));
    let mut text: Vec<&str> = Vec::with_capacity(two.len());
    for part in parts(&base, &one, &two) {
        match part {
            Part::Same(range) => text.extend(&base[range]),
            Part::One { new, .. } => text.extend(&one[new]),
            Part::Two(new) => text.extend(&two[new]),
            Part::Clash(clash) => {
                text.extend(&one[clash.one]);
                text.extend(&two[clash.two]);
            }
        }
    }
    text.join("\n")
}

/// Changes made to `text`, which itself is `base` with changes, as changes of `base`. They clash
/// when they touch a line in which `text` differs from `base`: of a clash, side one is `changed`
/// and side two is `text`.
pub fn carry_over(base: &str, text: &str, changed: &str) -> Result<Vec<Splice>, Vec<Clash>> {
    let (splices, clashes) = carry_over_apart(base, text, changed);
    if clashes.is_empty() { Ok(splices) } else { Err(clashes) }
}

/// The same, for somebody who goes on with the changes that do not clash.
pub fn carry_over_apart(base: &str, text: &str, changed: &str) -> (Vec<Splice>, Vec<Clash>) {
    let (base, text, changed) = (lines(base), lines(text), lines(changed));
    let theirs = hunks(&base, &text);
    let mut splices = Vec::new();
    let mut clashes = Vec::new();
    let mut passed = theirs.iter().peekable();
    let mut growth = 0;
    for hunk in hunks(&text, &changed) {
        while let Some(before) = passed.next_if(|their| their.new.end <= hunk.old.start) {
            growth += before.growth();
        }
        let touched = passed.peek().filter(|their| overlap(&their.new, &hunk.old));
        if let Some(their) = touched {
            clashes.push(Clash { one: hunk.new, two: their.new.clone() });
            continue;
        }
        let start = hunk.old.start.saturating_add_signed(-growth);
        let old = start..start + hunk.old.len();
        splices.push(Splice { old, new: owned(&changed[hunk.new]) });
    }
    (splices, clashes)
}

/// A text with changes, which are in order and do not overlap.
pub fn apply(text: &str, splices: &[Splice]) -> String {
    let text = lines(text);
    let mut changed: Vec<&str> = Vec::with_capacity(text.len());
    let mut done = 0;
    for splice in splices {
        changed.extend(&text[done..splice.old.start]);
        changed.extend(splice.new.iter().map(String::as_str));
        done = splice.old.end;
    }
    changed.extend(&text[done..]);
    changed.join("\n")
}

/// The text with a line feed at each line's end, whatever stood there.
pub fn with_line_feeds(raw: &str) -> String {
    if !raw.contains('\r') {
        return raw.to_owned();
    }
    let lines: Vec<&str> = raw_lines(raw).map(|(line, _)| line).collect();
    lines.join("\n")
}

/// The same as [`apply`] for a text whose lines end in various ways: those that stay keep their
/// end, new ones get a line feed.
pub fn apply_raw(raw: &str, splices: &[Splice]) -> String {
    let raw: Vec<(&str, &str)> = raw_lines(raw).collect();
    let mut changed: Vec<(&str, &str)> = Vec::with_capacity(raw.len());
    let mut done = 0;
    for splice in splices {
        changed.extend(&raw[done..splice.old.start]);
        changed.extend(splice.new.iter().map(|line| (line.as_str(), "\n")));
        done = splice.old.end;
    }
    changed.extend(&raw[done..]);
    let last = changed.len().saturating_sub(1);
    let mut text = String::new();
    for (at, (line, end)) in changed.into_iter().enumerate() {
        // A line feed right after a lone carriage return would end no line of its own.
        let is_joined = line.is_empty() && text.ends_with('\r');
        text.push_str(line);
        if at < last {
            text.push_str(match end {
                "" | "\n" if is_joined => "\r",
                "" => "\n",
                end => end,
            });
        }
    }
    text
}

/// Lines with their ends; only the last has none.
fn raw_lines(raw: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = Some(raw);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(at) = text.find(['\r', '\n']) else {
            rest = None;
            return Some((text, ""));
        };
        let width = if text[at..].starts_with("\r\n") { 2 } else { 1 };
        rest = Some(&text[at + width..]);
        Some((&text[..at], &text[at..at + width]))
    })
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Whether two changes of one text touch the same lines, or put lines at the same place.
pub fn overlap(one: &Range<usize>, two: &Range<usize>) -> bool {
    match (one.is_empty(), two.is_empty()) {
        (true, true) => one.start == two.start,
        _ => one.start < two.end && two.start < one.end,
    }
}

enum Part {
    /// Lines of the base that nobody changed.
    Same(Range<usize>),
    One {
        old: Range<usize>,
        new: Range<usize>,
    },
    /// Lines of the second side, which the first side may have changed in the same way.
    Two(Range<usize>),
    Clash(Clash),
}

/// The base and the changes of both sides as one row of parts.
fn parts(base: &[&str], one: &[&str], two: &[&str]) -> Vec<Part> {
    let (ones, twos) = (hunks(base, one), hunks(base, two));
    let (mut ones, mut twos) = (ones.into_iter().peekable(), twos.into_iter().peekable());
    let mut parts = Vec::new();
    // How far the base is done, and how the sides have grown until there.
    let (mut done, mut grown_one, mut grown_two) = (0, 0, 0);
    loop {
        let (mut hers, mut his) = (Vec::new(), Vec::new());
        let first_is_one = match (ones.peek(), twos.peek()) {
            (None, None) => break,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => order(&a.old, &b.old) != Ordering::Greater,
        };
        if first_is_one {
            hers.extend(ones.next());
        } else {
            his.extend(twos.next());
        }
        // Whatever overlaps with something of the other side belongs to it.
        loop {
            if let Some(next) =
                ones.next_if(|next| his.iter().any(|hunk: &Hunk| overlap(&hunk.old, &next.old)))
            {
                hers.push(next);
            } else if let Some(next) =
                twos.next_if(|next| hers.iter().any(|hunk: &Hunk| overlap(&hunk.old, &next.old)))
            {
                his.push(next);
            } else {
                break;
            }
        }
        let all = || hers.iter().chain(&his).map(|hunk| &hunk.old);
        let start = all().map(|old| old.start).min().unwrap_or(done);
        let end = all().map(|old| old.end).max().unwrap_or(done);
        parts.push(Part::Same(done..start));
        let side = |grown: &mut isize, hunks: &[Hunk]| {
            let from = start.saturating_add_signed(*grown);
            *grown += hunks.iter().map(Hunk::growth).sum::<isize>();
            from..end.saturating_add_signed(*grown)
        };
        let (in_one, in_two) = (side(&mut grown_one, &hers), side(&mut grown_two, &his));
        parts.push(if his.is_empty() {
            Part::One { old: start..end, new: in_one }
        } else if hers.is_empty() || one[in_one.clone()] == two[in_two.clone()] {
            Part::Two(in_two)
        } else {
            Part::Clash(Clash { one: in_one, two: in_two })
        });
        done = end;
    }
    parts.push(Part::Same(done..base.len()));
    parts
}

/// What is put before a line comes before what becomes of the line.
fn order(one: &Range<usize>, two: &Range<usize>) -> Ordering {
    (one.start, one.end).cmp(&(two.start, two.end))
}

//! Unified diffs taken back: the text before a change, from the text after it and the diff.
//!
//! A diff that others made is never trusted: every line of it that should be in the text has to be there, at one
//! place that is its own. The diff may have lost the indentation that all its lines share, as some programs show it.

/// Lines that a diff puts in the place of others.
struct Hunk<'a> {
    /// The first of the new lines in the new text, counted from zero.
    at: usize,
    rows: Vec<Row<'a>>,
}

/// A line of a diff.
struct Row<'a> {
    /// ` `, `-` or `+`.
    sign: char,
    text: &'a str,
    /// Whether a line feed follows it.
    ends: bool,
}

impl Row<'_> {
    fn is_new(&self) -> bool {
        self.sign != '-'
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// The text before a change that this diff tells, if the text is one after it. Lines end in line feeds on both sides.
pub fn take_back(text: &str, diff: &str) -> Option<String> {
    let hunks = parse(diff)?;
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    // From the end, so that the places of those before stay.
    for hunk in hunks.iter().rev() {
        let (at, margins) = place(&lines, hunk)?;
        let count = hunk.rows.iter().filter(|row| row.is_new()).count();
        lines.splice(at..at + count, old_rows(hunk, &margins));
    }
    Some(lines.concat())
}

/// Nothing when the diff has no hunk or is no diff.
fn parse(diff: &str) -> Option<Vec<Hunk<'_>>> {
    let mut hunks = Vec::new();
    let mut rows = diff.split('\n').map(|row| row.strip_suffix('\r').unwrap_or(row)).peekable();
    while let Some(row) = rows.next() {
        let Some(head) = row.strip_prefix("@@ -") else { continue };
        let (old, rest) = head.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let ((_, mut old), (first, mut new)) = (span(old)?, span(new)?);
        // A side without lines is placed after the line before it, any other at its first line.
        let mut hunk = Hunk { at: first.saturating_sub(usize::from(new > 0)), rows: Vec::new() };
        while old > 0 || new > 0 {
            let row = rows.next()?;
            let mut letters = row.chars();
            // A line that is empty on both sides may have lost its blank.
            let sign = letters.next().unwrap_or(' ');
            match sign {
                ' ' => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
                '-' => old = old.checked_sub(1)?,
                '+' => new = new.checked_sub(1)?,
                _ => return None,
            }
            let ends = !rows.peek().is_some_and(|next| next.starts_with('\\'));
            if !ends {
                rows.next();
            }
            hunk.rows.push(Row { sign, text: letters.as_str(), ends });
        }
        hunks.push(hunk);
    }
    (!hunks.is_empty()).then_some(hunks)
}

/// `12` or `12,3`: the first line and how many.
fn span(written: &str) -> Option<(usize, usize)> {
    match written.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((written.parse().ok()?, 1)),
    }
}

/// Where the new lines of a hunk are, and what stands there before each of them that is not in the diff.
fn place<'a>(lines: &'a [String], hunk: &Hunk<'_>) -> Option<(usize, Vec<&'a str>)> {
    if let Some(margins) = margins(lines, hunk.at, hunk) {
        return Some((hunk.at, margins));
    }
    // Other lines were put in before it since.
    let mut found = (0..=lines.len()).filter_map(|at| Some((at, margins(lines, at, hunk)?)));
    let first = found.next()?;
    let is_only = hunk.rows.iter().any(|row| row.is_new() && !row.is_blank());
    (is_only && found.next().is_none()).then_some(first)
}

/// What stands before each new line if they are here.
fn margins<'a>(lines: &'a [String], at: usize, hunk: &Hunk<'_>) -> Option<Vec<&'a str>> {
    let mut width = None;
    let mut margins = Vec::new();
    let mut here = lines.get(at..)?.iter();
    for row in hunk.rows.iter().filter(|row| row.is_new()) {
        let line = here.next()?;
        let (line, ends) =
            line.strip_suffix('\n').map_or((line.as_str(), false), |line| (line, true));
        if ends != row.ends {
            return None;
        }
        if row.is_blank() {
            if !line.trim().is_empty() {
                return None;
            }
            margins.push("");
            continue;
        }
        let margin = line.strip_suffix(row.text)?;
        let is_margin =
            margin.trim().is_empty() && *width.get_or_insert(margin.len()) == margin.len();
        if !is_margin {
            return None;
        }
        margins.push(margin);
    }
    Some(margins)
}

/// The old lines of a hunk, with what the diff left out before them.
fn old_rows(hunk: &Hunk<'_>, margins: &[&str]) -> Vec<String> {
    let mut known = margins.iter().copied().filter(|margin| !margin.is_empty());
    let mut margin = known.next().unwrap_or_default();
    let mut rows = Vec::new();
    let mut index = 0;
    for row in &hunk.rows {
        let mut own = margin;
        if row.is_new() {
            if !margins[index].is_empty() {
                margin = margins[index];
            }
            own = margins[index];
            index += 1;
        }
        if row.sign != '+' {
            let end = if row.ends { "\n" } else { "" };
            let own = if row.is_blank() { "" } else { own };
            rows.push(format!("{own}{}{end}", row.text));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::{edit, merge};

    fn back(text: &str, diff: &str) -> Option<String> {
        take_back(text, diff)
    }

    #[test]
    fn what_a_diff_did_is_taken_back() {
        let (old, new) = ("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk");
        let diff = edit::compare("x", old, new).diff;
        assert_eq!(back(new, &diff).as_deref(), Some(old));
        let diff = edit::compare("x", "", new).diff;
        assert_eq!(back(new, &diff).as_deref(), Some(""));
        let diff = edit::compare("x", old, "").diff;
        assert_eq!(back("", &diff).as_deref(), Some(old));
    }

    #[test]
    fn lines_that_moved_are_found_and_lines_that_are_not_there_are_not() {
        let diff = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
        assert_eq!(
            back("zero\none\nTWO\nthree\n", diff).as_deref(),
            Some("zero\none\ntwo\nthree\n")
        );
        assert_eq!(back("one\ntwo\nthree\n", diff), None);
        assert_eq!(back("x\none\nTWO\nthree\none\nTWO\nthree\n", diff), None);
        assert_eq!(back("one\n", "no diff at all"), None);
        assert_eq!(back("one\n", "@@ -1,9 +1,9 @@\n one\n"), None);
    }

    #[test]
    fn a_diff_that_lost_its_indentation_is_taken_back_with_it() {
        let diff = "@@ -1,3 +1,3 @@\n if x {\n-    two();\n+    three();\n }\n";
        let after = "    if x {\n        three();\n    }\n";
        assert_eq!(back(after, diff).as_deref(), Some("    if x {\n        two();\n    }\n"));
        // Indented in another way in the middle, it is not what the diff tells.
        assert_eq!(back("    if x {\n    three();\n    }\n", diff), None);
    }

    /// Two texts and a diff.
    const SEEDS: &[&[u8]] = &[
        b"a\nb\nc\n\xffa\nB\nc\n\xff@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        b"\xff\n\n\na\xff@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n",
        b"    x\n  \n    y\n\xff    x\n\n    z\n\xff@@ -1 +1,2 @@\n-x\n+y\n+\n",
    ];

    #[test]
    fn whatever_differs_is_taken_back_and_no_diff_is_too_odd() {
        openspace_fuzz::hold(SEEDS, |data| {
            let [old, new, odd] = openspace_fuzz::texts(data);
            let (old, new) = (merge::with_line_feeds(&old), merge::with_line_feeds(&new));
            let compared = edit::compare("x", &old, &new);
            if old != new && !compared.truncated {
                assert_eq!(take_back(&new, &compared.diff), Some(old));
            }
            drop(take_back(&new, &odd));
        });
    }
}

//! Unsaved text as readers get it: in the same forms as a file on disk.

use std::fmt::Write as _;

use openspace_files::{
    FileError, LineEnding, LineRange, TextRead,
    view::{DEFAULT_LIMIT, MAX_CONTENT_BYTES, MAX_LINE_CHARACTERS, TextView},
};
use openspace_protocol::RelPath;

use super::Live;

/// What readers are told beside the text.
pub const NOTE: &str = "with unsaved changes of the person";

/// How many lines a text has, as a reader counts them: what follows the last line feed is none
/// when it is empty.
pub fn count_lines(text: &str) -> u64 {
    text.split_inclusive('\n').count() as u64
}

/// Lines of the text, as `file.read` gives them.
pub fn read(path: &RelPath, live: &Live, range: LineRange) -> Result<TextRead, FileError> {
    let LineRange { start_line, end_line } = range;
    let first = u64::from(start_line.unwrap_or(1));
    let last = end_line.map_or(u64::MAX, u64::from);
    if first == 0 || first > last {
        return Err(FileError::BadRange { start_line, end_line });
    }
    let total = count_lines(&live.text);
    if total < first && first > 1 {
        return Err(FileError::LineBeyondEnd { path: path.clone(), lines: total });
    }
    let (skipped, wanted) = (position(first - 1), position(last - (first - 1)));
    let content: String = live.text.split_inclusive('\n').skip(skipped).take(wanted).collect();
    Ok(TextRead {
        start_line: first,
        end_line: last.min(total),
        total_lines: Some(total),
        size: live.text.len() as u64,
        hash: Some(live.hash.clone()),
        encoding: live.encoding,
        lossy: false,
        truncated: false,
        content,
    })
}

/// Numbered lines of the text, as `workspace.read` gives them.
pub fn view(
    path: &RelPath,
    live: &Live,
    offset: Option<u64>,
    limit: Option<u64>,
) -> Result<TextView, FileError> {
    let (first, limit) = (offset.unwrap_or(1).max(1), limit.unwrap_or(DEFAULT_LIMIT).max(1));
    let total = count_lines(&live.text);
    if total < first && first > 1 {
        return Err(FileError::LineBeyondEnd { path: path.clone(), lines: total });
    }
    let mut content = String::new();
    let (mut end_line, mut cut, mut full) = (first - 1, false, false);
    for line in live.text.split_inclusive('\n').skip(position(first - 1)).take(position(limit)) {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let mut numbered = format!("{}: ", end_line + 1);
        match line.char_indices().nth(MAX_LINE_CHARACTERS) {
            Some((end, _)) => {
                cut = true;
                let left_out = line[end..].chars().count();
                // Writing into a string cannot fail.
                _ = writeln!(numbered, "{}… [{left_out} more characters]", &line[..end]);
            }
            None => _ = writeln!(numbered, "{line}"),
        }
        if content.len() + numbered.len() > MAX_CONTENT_BYTES {
            full = true;
            break;
        }
        content += &numbered;
        end_line += 1;
    }
    let more = end_line < total;
    let mut hints = Vec::new();
    if total == 0 {
        hints.push("the file is empty".to_owned());
    }
    if more {
        let why =
            if full { format!(", cut at {} KB", MAX_CONTENT_BYTES / 1024) } else { String::new() };
        let next = end_line + 1;
        hints.push(format!("lines {first}-{end_line} of {total}{why}; offset={next} goes on"));
    }
    if cut {
        hints.push(format!("lines are cut after {MAX_LINE_CHARACTERS} characters"));
    }
    Ok(TextView {
        start_line: first,
        end_line,
        total_lines: Some(total),
        size: live.text.len() as u64,
        hash: Some(live.hash.clone()),
        encoding: live.encoding,
        line_ending: if live.text.contains('\n') { LineEnding::Lf } else { LineEnding::None },
        final_newline: live.text.ends_with('\n'),
        lossy: false,
        truncated: more || cut,
        hint: (!hints.is_empty()).then(|| hints.join("; ")),
        content,
    })
}

fn position(line: u64) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX)
}

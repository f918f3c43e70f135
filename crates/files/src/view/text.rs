//! The numbered lines of a text, in a file or in memory.

use std::{
    fmt::Write as _,
    fs::{File, Metadata},
    sync::Arc,
};

use super::{
    LineIndex, MAX_CONTENT_BYTES, MAX_LINE_CHARACTERS, Page, Source, TextView, ViewRequest,
    index::Identity, lines::Reader, scan::Scan, units::Units,
};
use crate::files::{Encoding, FileError, MAX_COUNT_BYTES};

/// How far a file is read that says it has no size: such files are made up as they are read.
const MAX_UNSIZED_BYTES: u64 = 1024 * 1024;

/// The lines of a file that begins as text does; none when what follows shows that it is none.
pub(super) fn view(
    source: &Source<'_>,
    file: &File,
    metadata: &Metadata,
    index: &LineIndex,
    encoding: Encoding,
    page: Page,
) -> Result<Option<TextView>, FileError> {
    let end = if metadata.len() == 0 { MAX_UNSIZED_BYTES } else { metadata.len() };
    let scan = scanned(source, file, metadata, index, encoding, end, page.first)?;
    // Of a file that is too large to be read whole, only what was wanted is judged: its first bytes.
    if end <= MAX_COUNT_BYTES && scan.is_binary() {
        return Ok(None);
    }
    show(source, &scan, Whole { encoding, end, size: metadata.len() }, page).map(Some)
}

/// Lines of a text in memory, as those of a file that holds it in UTF-8. The path is for errors alone.
pub fn view_text(text: &str, request: &ViewRequest) -> Result<TextView, FileError> {
    let page = Page::of(request)?;
    let source = Source { file: &text.as_bytes(), path: &request.path, cancel: &|| false };
    let (encoding, size) = (Encoding::Utf8, text.len() as u64);
    let mut scan = Scan::new(encoding, size <= MAX_COUNT_BYTES);
    scan.read_on(&source, size, u64::MAX)?;
    show(&source, &scan, Whole { encoding, end: size, size }, page)
}

/// What is known of a text before its lines are.
struct Whole {
    encoding: Encoding,
    /// How far it is read.
    end: u64,
    /// How large it says it is.
    size: u64,
}

/// Show the lines of a page that a scan has reached.
fn show(
    source: &Source<'_>,
    scan: &Scan,
    Whole { encoding, end, size }: Whole,
    page: Page,
) -> Result<TextView, FileError> {
    let total = scan.total();
    if let Some(lines) = total
        && lines < page.first
        && page.first > 1
    {
        return Err(FileError::LineBeyondEnd { path: source.path.clone(), lines });
    }

    let from = scan.find(source, page.first - 1)?;
    let mut reader = Reader::new(source, encoding, from, end);
    let mut shown = Shown { content: String::new(), end_line: page.first - 1, ..Shown::default() };
    while shown.end_line < page.last() && !shown.endless {
        let Some(line) = reader.next()? else { break };
        let mut numbered = String::new();
        // Writing into a string cannot fail.
        _ = writeln!(numbered, "{}: {}", shown.end_line + 1, line.text);
        if shown.content.len() + numbered.len() > MAX_CONTENT_BYTES {
            shown.full = true;
            break;
        }
        shown.content += &numbered;
        shown.end_line += 1;
        shown.lossy |= line.lossy;
        shown.cut_lines += u64::from(line.cut);
        shown.endless = line.endless;
    }

    let size = if total.is_some() { scan.seen() } else { size.max(scan.seen()) };
    let more = match total {
        Some(total) => shown.end_line < total,
        None => shown.endless || shown.full || reader.place() < size,
    };
    Ok(TextView {
        start_line: page.first,
        end_line: shown.end_line,
        total_lines: total,
        size,
        hash: scan.hash(),
        encoding,
        line_ending: scan.endings(),
        final_newline: match total {
            Some(_) => scan.ends_in_newline(),
            None => ends_in_newline(source, encoding, size)?,
        },
        lossy: shown.lossy,
        truncated: more || shown.cut_lines > 0,
        hint: shown.hint(page.first, total, more),
        content: shown.content,
    })
}

/// A scan that has seen the wanted line begin; of a file that is not large, one of all its lines.
fn scanned(
    source: &Source<'_>,
    file: &File,
    metadata: &Metadata,
    index: &LineIndex,
    encoding: Encoding,
    end: u64,
    first: u64,
) -> Result<Arc<Scan>, FileError> {
    let whole = end <= MAX_COUNT_BYTES;
    // One more than begin before it, so that the line is known to be there.
    let lines = match first {
        _ if whole => u64::MAX,
        1 => 0,
        first => first,
    };
    let identity = Identity::of(metadata);
    let settled = index.is_settled(&identity);
    let mut scan =
        index.find(&identity, encoding).unwrap_or_else(|| Arc::new(Scan::new(encoding, whole)));
    if scan.has(lines) {
        return Ok(scan);
    }
    Arc::make_mut(&mut scan).read_on(source, end, lines)?;
    if metadata.len() == 0 && scan.seen() >= end {
        let (path, size, limit) = (source.path.clone(), scan.seen(), MAX_UNSIZED_BYTES);
        return Err(FileError::TooLarge { path, size, limit });
    }
    let now = file.metadata().map_err(|error| source.fail(error))?;
    if settled && Identity::of(&now) == identity {
        index.remember(identity, encoding, Arc::clone(&scan));
    }
    Ok(scan)
}

fn ends_in_newline(source: &Source<'_>, encoding: Encoding, size: u64) -> Result<bool, FileError> {
    let units = Units::of(encoding);
    let mut last = vec![0; units.width()];
    let width = units.width() as u64;
    if !size.is_multiple_of(width) {
        return Ok(false);
    }
    let filled = source.fill(&mut last, size.saturating_sub(width))?;
    Ok(units.ends_in(&last[..filled], b'\n'))
}

#[derive(Default)]
struct Shown {
    content: String,
    end_line: u64,
    lossy: bool,
    cut_lines: u64,
    /// The answer has no room for the next line.
    full: bool,
    /// The last line is so long that its end was not looked for.
    endless: bool,
}

impl Shown {
    fn hint(&self, first: u64, total: Option<u64>, more: bool) -> Option<String> {
        if total == Some(0) {
            return Some("the file is empty".to_owned());
        }
        let mut parts = Vec::new();
        if more {
            let of = total.map_or_else(String::new, |total| format!(" of {total}"));
            let why = if self.full {
                format!(", cut at {} KB", MAX_CONTENT_BYTES / 1024)
            } else {
                String::new()
            };
            let next = self.end_line + 1;
            parts.push(format!("lines {first}-{}{of}{why}; offset={next} goes on", self.end_line));
        }
        if self.endless {
            parts.push(format!("the end of line {} was not looked for", self.end_line));
        }
        if self.cut_lines > 0 {
            parts.push(format!("lines are cut after {MAX_LINE_CHARACTERS} characters"));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

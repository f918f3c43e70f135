//! Problem matchers: how problems are read from what a task prints. Those with names, and those that a file of
//! tasks writes down itself.
//!
//! Expressions are of Rust's `regex`, which takes time in proportion to the text whatever they are; what it has
//! not (looking ahead or behind, references back) is said to be so.

use openspace_command::{Error, Result};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::areas::problems::Severity;

/// Matchers of one task.
const MAX_MATCHERS: usize = 10;
/// Lines that one problem may take.
const MAX_PATTERNS: usize = 10;
/// Bytes of a compiled expression.
const MAX_COMPILED: usize = 1024 * 1024;

/// How problems are read.
#[derive(Debug)]
pub(super) struct Matcher {
    pub(super) patterns: Vec<Pattern>,
    /// What a problem is whose line does not say.
    pub(super) severity: Severity,
    /// The folder that files are relative to; that of the task when there is none.
    pub(super) base: Option<String>,
    /// Of a task that goes on: what begins and ends a cycle.
    pub(super) cycle: Option<Cycle>,
}

/// What one line of a problem says, each as the number of a group.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) regex: Regex,
    pub(super) file: Option<usize>,
    pub(super) location: Option<usize>,
    pub(super) line: Option<usize>,
    pub(super) column: Option<usize>,
    pub(super) end_line: Option<usize>,
    pub(super) end_column: Option<usize>,
    pub(super) severity: Option<usize>,
    pub(super) code: Option<usize>,
    pub(super) message: Option<usize>,
    /// The problem is about the file as a whole.
    pub(super) whole_file: bool,
    /// The lines after it may be like it, each a problem of its own.
    pub(super) repeats: bool,
}

/// What a task that goes on prints when it begins to look, and when it has looked.
#[derive(Debug)]
pub(super) struct Cycle {
    pub(super) begins: Regex,
    pub(super) ends: Regex,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    base: Option<String>,
    severity: Option<String>,
    file_location: Option<Value>,
    pattern: Option<Value>,
    background: Option<WrittenCycle>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenCycle {
    begins_pattern: WrittenLine,
    ends_pattern: WrittenLine,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenLine {
    Plain(String),
    Full { regexp: String },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenPattern {
    regexp: String,
    kind: Option<String>,
    file: Option<usize>,
    location: Option<usize>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    severity: Option<usize>,
    code: Option<usize>,
    message: Option<usize>,
    #[serde(default, rename = "loop")]
    repeats: bool,
}

/// The matchers of a task as it writes them, and what of them is not known here.
pub(super) fn read(written: &Value) -> Result<(Vec<Matcher>, Vec<String>)> {
    let list = match written {
        Value::Null => &[],
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    if list.len() > MAX_MATCHERS {
        return Err(Error::invalid(format!("`problemMatcher`: at most {MAX_MATCHERS}")));
    }
    let (mut matchers, mut notes) = (Vec::new(), Vec::new());
    for one in list {
        if let Some(name) = one.as_str() {
            match named(name) {
                Some(known) => matchers.push(matcher(&known, &mut notes)?),
                None => notes.push(format!(
                    "the problem matcher `{name}` is not known here; known are {}",
                    NAMES.join(", ")
                )),
            }
        } else {
            matchers.push(matcher(one, &mut notes)?);
        }
    }
    Ok((matchers, notes))
}

fn bad(why: impl std::fmt::Display) -> Error {
    Error::invalid(format!("`problemMatcher`: {why}"))
}

fn matcher(value: &Value, notes: &mut Vec<String>) -> Result<Matcher> {
    let written: Written = Deserialize::deserialize(value).map_err(bad)?;
    // What one does not say is as the one says that it stands on.
    let known = match &written.base {
        None => None,
        Some(base) => Some(named(base).ok_or_else(|| {
            bad(format!("`base` is `{base}`, and known are {}", NAMES.join(", ")))
        })?),
    };
    let base: Option<Written> =
        known.as_ref().map(Deserialize::deserialize).transpose().map_err(bad)?;
    let (base_severity, base_place, base_pattern, base_cycle) = base
        .map_or_else(Default::default, |base| {
            (base.severity, base.file_location, base.pattern, base.background)
        });
    let severity = written.severity.or(base_severity);
    let pattern = written.pattern.or(base_pattern).ok_or_else(|| bad("has no `pattern`"))?;
    let cycle = written.background.or(base_cycle);
    Ok(Matcher {
        patterns: patterns(&pattern)?,
        severity: severity.as_deref().and_then(severity_of).unwrap_or(Severity::Error),
        base: folder_of_files(written.file_location.or(base_place).as_ref(), notes)?,
        cycle: cycle.map(Cycle::read).transpose()?,
    })
}

impl Cycle {
    fn read(written: WrittenCycle) -> Result<Self> {
        let line = |line| match line {
            WrittenLine::Plain(text) | WrittenLine::Full { regexp: text } => expression(&text),
        };
        Ok(Self { begins: line(written.begins_pattern)?, ends: line(written.ends_pattern)? })
    }
}

/// The folder that is named by where files are.
fn folder_of_files(place: Option<&Value>, notes: &mut Vec<String>) -> Result<Option<String>> {
    let (kind, folder) = match place {
        None => return Ok(None),
        Some(Value::String(kind)) => (kind.as_str(), None),
        Some(Value::Array(pair)) => {
            let kind = pair.first().and_then(Value::as_str).unwrap_or_default();
            (kind, pair.get(1).and_then(Value::as_str))
        }
        Some(_) => return Err(bad("`fileLocation` is neither a word nor a list")),
    };
    match kind.to_ascii_lowercase().as_str() {
        "relative" => Ok(Some(folder.unwrap_or("${workspaceFolder}").to_owned())),
        "autodetect" => Ok(folder.map(str::to_owned)),
        "absolute" => Ok(None),
        "search" => {
            notes.push(
                "files of problems are not searched for; they are taken from the task's folder"
                    .into(),
            );
            Ok(None)
        }
        other => Err(bad(format!(
            "`fileLocation` is `{other}`; known are absolute, relative and autoDetect"
        ))),
    }
}

fn patterns(value: &Value) -> Result<Vec<Pattern>> {
    let list = match value {
        Value::String(name) => {
            let known = named(name).and_then(|known| known.get("pattern").cloned());
            return match known {
                Some(pattern) => patterns(&pattern),
                None => Err(bad(format!(
                    "the pattern `{name}` is not known here; known are {}",
                    NAMES.join(", ")
                ))),
            };
        }
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    if list.is_empty() || list.len() > MAX_PATTERNS {
        return Err(bad(format!("`pattern` has 1 to {MAX_PATTERNS} lines")));
    }
    let is_single = list.len() == 1;
    let last = list.len() - 1;
    let read = |(index, one): (usize, &Value)| {
        let written: WrittenPattern = Deserialize::deserialize(one).map_err(bad)?;
        if written.repeats && (index < last || is_single) {
            return Err(bad("only the last of several lines can have `loop`"));
        }
        Pattern::read(&written, is_single)
    };
    let patterns: Vec<Pattern> = list.iter().enumerate().map(read).collect::<Result<_>>()?;
    let is_whole = patterns.iter().any(|pattern| pattern.whole_file);
    let says = |what: fn(&Pattern) -> Option<usize>| patterns.iter().any(|it| what(it).is_some());
    if !says(|it| it.file) || !says(|it| it.message) {
        return Err(bad("a problem needs a `file` and a `message`"));
    }
    if !is_whole && !says(|it| it.line) && !says(|it| it.location) {
        return Err(bad("a problem needs a `line` or a `location`, or the kind `file`"));
    }
    Ok(patterns)
}

impl Pattern {
    fn read(written: &WrittenPattern, is_single: bool) -> Result<Self> {
        let whole_file = match written.kind.as_deref() {
            None | Some("location") => false,
            Some("file") => true,
            Some(other) => return Err(bad(format!("`kind` is `{other}`, not location or file"))),
        };
        // A single line that says nothing of its groups has them in this order.
        let has_place = written.line.is_some() || written.location.is_some() || whole_file;
        let usual = |given: Option<usize>, group| given.or_else(|| is_single.then_some(group));
        let pattern = Self {
            regex: expression(&written.regexp)?,
            file: usual(written.file, 1),
            location: written.location,
            line: if has_place { written.line } else { usual(None, 2) },
            column: if has_place { written.column } else { usual(written.column, 3) },
            end_line: written.end_line,
            end_column: written.end_column,
            severity: written.severity,
            code: written.code,
            message: usual(written.message, 0),
            whole_file,
            repeats: written.repeats,
        };
        let groups = pattern.regex.captures_len();
        let mut named = [
            pattern.file,
            pattern.location,
            pattern.line,
            pattern.column,
            pattern.end_line,
            pattern.end_column,
            pattern.severity,
            pattern.code,
            pattern.message,
        ]
        .into_iter()
        .flatten();
        match named.find(|group| *group >= groups) {
            Some(group) => Err(bad(format!("`{}` has no group {group}", short(&written.regexp)))),
            None => Ok(pattern),
        }
    }
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

fn expression(text: &str) -> Result<Regex> {
    RegexBuilder::new(text).size_limit(MAX_COMPILED).build().map_err(|error| {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default().trim().to_owned();
        bad(format!("`{}` cannot be used: {why}", short(text)))
    })
}

/// What a word says of how bad it is.
pub(super) fn severity_of(word: &str) -> Option<Severity> {
    Some(match word.to_ascii_lowercase().as_str() {
        "error" | "fatal" | "fatal error" | "e" | "err" => Severity::Error,
        "warning" | "warn" | "w" => Severity::Warning,
        "info" | "information" | "note" | "message" | "i" | "suggestion" => Severity::Info,
        "hint" | "help" => Severity::Hint,
        _ => return None,
    })
}

/// The matchers that have names.
pub(super) const NAMES: [&str; 9] = [
    "$tsc",
    "$tsc-watch",
    "$eslint-stylish",
    "$eslint-compact",
    "$gcc",
    "$go",
    "$msCompile",
    "$rustc",
    "$rustc-watch",
];

fn named(name: &str) -> Option<Value> {
    let tsc = json!({
        "regexp": r"^(\S.*?)[(:](\d+)[,:](\d+)(?:\):| -) (error|warning|info|message) TS(\d+): (.*)$",
        "file": 1, "line": 2, "column": 3, "severity": 4, "code": 5, "message": 6,
    });
    let rustc = json!([
        {"regexp": r"^(error|warning)(?:\[(\w+)\])?: (.+)$",
            "severity": 1, "code": 2, "message": 3},
        {"regexp": r"^\s*--> (.+):(\d+):(\d+)$", "file": 1, "line": 2, "column": 3},
    ]);
    Some(match name {
        "$tsc" => json!({"pattern": tsc}),
        "$tsc-watch" => json!({"pattern": tsc, "background": {
            "beginsPattern": r"Starting compilation in watch mode|Starting incremental compilation",
            "endsPattern": r"Found \d+ errors?\. Watching for file changes",
        }}),
        "$eslint-stylish" => json!({"pattern": [
            {"regexp": r"^((?:/|\.{1,2}/|[A-Za-z]:).*)$", "file": 1},
            {"regexp": r"^\s+(\d+):(\d+)\s+(error|warning|info)\s+(.+?)(?:\s\s+(\S+))?\s*$",
                "line": 1, "column": 2, "severity": 3, "message": 4, "code": 5, "loop": true},
        ]}),
        "$eslint-compact" => json!({"pattern": {
            "regexp": r"^(.+?): line (\d+), col (\d+), (Error|Warning|Info) - (.+?)(?: \(([^()]+)\))?$",
            "file": 1, "line": 2, "column": 3, "severity": 4, "message": 5, "code": 6,
        }}),
        "$gcc" => json!({"pattern": {
            "regexp": r"^(.+?):(\d+):(?:(\d+):)?\s+(?:fatal )?(error|warning): (.*)$",
            "file": 1, "line": 2, "column": 3, "severity": 4, "message": 5,
        }}),
        "$go" => json!({"pattern": {
            "regexp": r"^(?:vet: )?([^:\s]+\.go):(\d+):(?:(\d+):)? (.+)$",
            "file": 1, "line": 2, "column": 3, "message": 4,
        }}),
        "$msCompile" => json!({"pattern": {
            "regexp":
                r"^\s*(\S.*?)\((\d+)(?:,(\d+))?(?:,\d+,\d+)?\)\s*: (error|warning|info) +(\w+)\s*: (.*?)(?: \[[^\]]+\])?$",
            "file": 1, "line": 2, "column": 3, "severity": 4, "code": 5, "message": 6,
        }}),
        "$rustc" => json!({"pattern": rustc}),
        "$rustc-watch" => json!({"pattern": rustc, "background": {
            "beginsPattern": r"^\[Running\b",
            "endsPattern": r"^\[Finished running\b",
        }}),
        _ => return None,
    })
}

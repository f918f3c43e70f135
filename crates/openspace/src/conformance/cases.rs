//! The cases: data in files of this crate, one file for each area, read strictly.
//!
//! A key that is not known, a name that stands twice, a matcher that makes no sense: each is an
//! error that names the file and the case. No case is passed over.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value};

use super::matcher::Matcher;

#[cfg(test)]
mod tests;

/// The files that come with the program, by area.
const BUILT_IN: &[(&str, &str)] = &[
    ("bash", include_str!("../../conformance/bash.json")),
    ("runs", include_str!("../../conformance/runs.json")),
    ("read", include_str!("../../conformance/read.json")),
    ("write", include_str!("../../conformance/write.json")),
    ("edit", include_str!("../../conformance/edit.json")),
    ("glob", include_str!("../../conformance/glob.json")),
    ("grep", include_str!("../../conformance/grep.json")),
    ("git", include_str!("../../conformance/git.json")),
    ("remotes", include_str!("../../conformance/remotes.json")),
    ("names", include_str!("../../conformance/names.json")),
    ("errors", include_str!("../../conformance/errors.json")),
    ("log", include_str!("../../conformance/log.json")),
];

/// One thing that must hold in every workspace.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file it comes from.
    pub area: String,
    /// Says what holds.
    pub name: String,
    /// The requirement it shows.
    pub spec: String,
    /// What the workspace holds at first, by path.
    pub files: BTreeMap<String, Put>,
    /// What is done before; each must succeed.
    pub setup: Vec<ToolCall>,
    /// What is done, and what must come of each.
    pub calls: Vec<Checked>,
    /// How files must be afterwards, by path: their text, or absent.
    pub then: BTreeMap<String, Matcher>,
}

/// A call of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// `bash` for `workspace.bash`; with a dot, the id of any command.
    pub tool: String,
    /// Its arguments.
    pub args: Map<String, Value>,
}

/// A call of a tool with what must come of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    /// As of a call.
    pub tool: String,
    /// As of a call.
    pub args: Map<String, Value>,
    /// What the answer must be like.
    #[serde(deserialize_with = "matcher")]
    pub expect: Matcher,
    /// What the answer for readers must be like.
    #[serde(default, deserialize_with = "some_matcher")]
    pub text: Option<Matcher>,
    /// Names under which parts of the answer are used later as `{name}`, by JSON pointer.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
}

/// What is put at a path.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Put {
    /// A text.
    Text(String),
    /// Something else.
    Made(Made),
}

/// A file, folder, link or pipe that is not just a text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The content as text.
    pub text: Option<String>,
    /// The content as hexadecimal digits; blanks between bytes are passed over.
    pub hex: Option<String>,
    /// How often the content stands there; 1 when left out.
    pub repeat: Option<usize>,
    /// Lines `line 1` to `line N`.
    pub lines: Option<usize>,
    /// Line feeds become carriage return and line feed.
    #[serde(default)]
    pub crlf: bool,
    /// The mode, as octal digits.
    pub mode: Option<String>,
    /// A symbolic link to this.
    pub symlink: Option<String>,
    /// A pipe.
    #[serde(default)]
    pub fifo: bool,
    /// An empty folder.
    #[serde(default)]
    pub folder: bool,
}

impl Made {
    /// The bytes of a file.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let once = match (&self.text, &self.hex, self.lines) {
            (Some(text), None, None) => text.clone().into_bytes(),
            (None, Some(digits), None) => unhex(digits)?,
            (None, None, Some(count)) => {
                (1..=count).flat_map(|line| format!("line {line}\n").into_bytes()).collect()
            }
            _ => bail!("give one of `text`, `hex`, `lines`, `symlink`, `fifo`, `folder`"),
        };
        let bytes = once.repeat(self.repeat.unwrap_or(1));
        if !self.crlf {
            return Ok(bytes);
        }
        let with_return = |byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] };
        Ok(bytes.into_iter().flat_map(with_return).collect())
    }

    /// The mode, if one is given.
    pub fn mode(&self) -> Result<Option<u32>> {
        let parse = |digits: &String| u32::from_str_radix(digits, 8);
        self.mode.as_ref().map(parse).transpose().context("`mode` is not octal")
    }

    fn check(&self) -> Result<()> {
        self.mode()?;
        let special =
            usize::from(self.symlink.is_some()) + usize::from(self.fifo) + usize::from(self.folder);
        let has_content = self.text.is_some() || self.hex.is_some() || self.lines.is_some();
        match special {
            0 => self.bytes().map(drop),
            1 if !has_content => Ok(()),
            _ => bail!("a link, a pipe or a folder is nothing else"),
        }
    }
}

fn unhex(digits: &str) -> Result<Vec<u8>> {
    let digits: Vec<u8> = digits.bytes().filter(|byte| *byte != b' ').collect();
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    };
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    bytes.context("`hex` is not made of pairs of hexadecimal digits")
}

/// A case as it is written: one call, or several.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    spec: String,
    #[serde(default)]
    files: BTreeMap<String, Put>,
    #[serde(default)]
    setup: Vec<ToolCall>,
    call: Option<ToolCall>,
    #[serde(default, deserialize_with = "some_matcher")]
    expect: Option<Matcher>,
    #[serde(default, deserialize_with = "some_matcher")]
    text: Option<Matcher>,
    calls: Option<Vec<Checked>>,
    #[serde(default, deserialize_with = "matchers")]
    then: BTreeMap<String, Matcher>,
}

fn matcher<'de, D: Deserializer<'de>>(value: D) -> Result<Matcher, D::Error> {
    Matcher::parse(&Value::deserialize(value)?).map_err(D::Error::custom)
}

fn some_matcher<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Matcher>, D::Error> {
    matcher(value).map(Some)
}

fn matchers<'de, D: Deserializer<'de>>(value: D) -> Result<BTreeMap<String, Matcher>, D::Error> {
    let values = BTreeMap::<String, Value>::deserialize(value)?;
    let parse = |(path, value): (String, Value)| Ok((path, Matcher::parse(&value)?));
    values
        .into_iter()
        .map(parse)
        .collect::<Result<_, super::matcher::BadMatcher>>()
        .map_err(D::Error::custom)
}

impl Written {
    fn into_case(self, area: &str) -> Result<Case> {
        let calls = match (self.call, self.expect, self.calls) {
            (Some(ToolCall { tool, args }), Some(expect), None) => {
                vec![Checked { tool, args, expect, text: self.text, save: BTreeMap::new() }]
            }
            (None, None, Some(calls)) if self.text.is_none() && !calls.is_empty() => calls,
            _ => bail!("give `call` and `expect`, or `calls`"),
        };
        for (path, put) in &self.files {
            if let Put::Made(made) = put {
                made.check().with_context(|| format!("file `{path}`"))?;
            }
        }
        let (name, spec, files, setup, then) =
            (self.name, self.spec, self.files, self.setup, self.then);
        Ok(Case { area: area.to_owned(), name, spec, files, setup, calls, then })
    }
}

/// The cases that come with the program.
pub fn built_in() -> Result<Vec<Case>> {
    read_all(BUILT_IN.iter().copied())
}

/// Read files of cases; no name may stand twice in all of them.
pub fn read_all<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut names = BTreeSet::new();
    for (area, text) in files {
        let written: Vec<Value> =
            serde_json::from_str(text).with_context(|| format!("the cases of `{area}`"))?;
        for value in written {
            let name = value["name"].as_str().unwrap_or("?").to_owned();
            let case = serde_json::from_value::<Written>(value)
                .map_err(anyhow::Error::from)
                .and_then(|written| written.into_case(area))
                .with_context(|| format!("the case `{name}` of `{area}`"))?;
            if !names.insert(case.name.clone()) {
                bail!("two cases are called `{name}`");
            }
            cases.push(case);
        }
    }
    Ok(cases)
}

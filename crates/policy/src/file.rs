//! The policy file: `[[rule]]` tables in TOML, read strictly and written back with everything else as it was.

use std::collections::BTreeSet;

use openspace_judge::{Pattern, PatternError};
use openspace_protocol::{Access, CallerKind};
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value, value};

use crate::{Decision, Place, Rule, Rules, is_asked_each_time};

/// The largest policy file.
pub const MAX_FILE_BYTES: usize = 256 * 1024;
/// How many rules a file may hold.
pub const MAX_RULES: usize = 1_000;
/// How long a name is that is made for a rule.
const MAX_ID: usize = 60;

/// A policy file that cannot be used. Nothing of it holds then: half a policy is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It is no TOML, or has fields that no rule has.
    #[error("the policy cannot be read: {0}")]
    Form(String),
    /// It is too large.
    #[error("a policy file has at most {MAX_FILE_BYTES} bytes and {MAX_RULES} rules")]
    TooLarge,
    /// A project wants to allow something.
    #[error(
        "line {line}: a project's policy cannot allow anything, it can only make yours stricter; put the rule into your own policy file, or make it `ask` or `deny`"
    )]
    Allows {
        /// Where it says so.
        line: usize,
    },
    /// A rule allows everything.
    #[error(
        "line {line}: this rule allows everything; say for which `line`, `command` or `access`"
    )]
    TooWide {
        /// Where it says so.
        line: usize,
    },
    /// A rule allows what is asked about each time.
    #[error(
        "line {line}: `{command}` is asked about each time, so no rule allows it; make the rule `deny`, or take it out"
    )]
    EachTime {
        /// The command.
        command: String,
        /// Where it says so.
        line: usize,
    },
    /// Two rules with one name.
    #[error("line {line}: there is another rule with the id `{id}`; give this one its own")]
    SameId {
        /// The id.
        id: String,
        /// Where the second rule is.
        line: usize,
    },
    /// The line of a rule is no pattern.
    #[error("line {line}: {error}")]
    Pattern {
        /// What is wrong with it.
        error: PatternError,
        /// Where the rule is.
        line: usize,
    },
    /// The command of a rule is no id.
    #[error(
        "line {line}: `{command}` names no command; write an id such as `openspace.terminal.run`, or its beginning and `*`"
    )]
    Command {
        /// As it is written.
        command: String,
        /// Where the rule is.
        line: usize,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForm {
    #[serde(default)]
    rule: Vec<RuleForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleForm {
    id: Option<String>,
    decision: Spanned<Decision>,
    caller: Option<CallerKind>,
    client: Option<String>,
    access: Option<Access>,
    command: Option<String>,
    place: Option<Place>,
    line: Option<String>,
    #[serde(default)]
    even_changed: bool,
    reason: Option<String>,
}

impl Rules {
    /// The rules of a person's own policy file.
    pub fn of_user(text: &str) -> Result<Self, FileError> {
        read(text, false)
    }

    /// The rules of a project's file, which may only ask and deny.
    pub fn of_project(text: &str) -> Result<Self, FileError> {
        read(text, true)
    }
}

fn read(text: &str, stricter_only: bool) -> Result<Rules, FileError> {
    if text.len() > MAX_FILE_BYTES {
        return Err(FileError::TooLarge);
    }
    let form: FileForm = toml::from_str(text)
        .map_err(|error| FileError::Form(error.to_string().trim().to_owned()))?;
    if form.rule.len() > MAX_RULES {
        return Err(FileError::TooLarge);
    }
    let mut ids = BTreeSet::new();
    let mut rules = Vec::with_capacity(form.rule.len());
    for (number, form) in (1..).zip(form.rule) {
        let line = line_of(text, form.decision.span().start);
        let rule = rule(form, number, line)?;
        if stricter_only && rule.decision == Decision::Allow {
            return Err(FileError::Allows { line });
        }
        let is_wide = rule.line.is_none() && rule.command.is_none() && rule.access.is_none();
        if rule.decision == Decision::Allow && is_wide {
            return Err(FileError::TooWide { line });
        }
        if rule.decision == Decision::Allow
            && let Some(command) = rule.command.as_deref().filter(|id| is_asked_each_time(id))
        {
            return Err(FileError::EachTime { command: command.to_owned(), line });
        }
        if !ids.insert(rule.id.clone()) {
            return Err(FileError::SameId { id: rule.id, line });
        }
        rules.push(rule);
    }
    Ok(Rules::new(rules))
}

fn rule(form: RuleForm, number: usize, line: usize) -> Result<Rule, FileError> {
    let pattern = form.line.as_deref().map(Pattern::parse).transpose();
    let pattern = pattern.map_err(|error| FileError::Pattern { error, line })?;
    if let Some(command) = form.command.as_deref().filter(|command| !is_command(command)) {
        return Err(FileError::Command { command: command.to_owned(), line });
    }
    Ok(Rule {
        id: form.id.unwrap_or_else(|| format!("rule {number}, line {line}")),
        decision: form.decision.into_inner(),
        caller: form.caller,
        client: form.client,
        access: form.access,
        command: form.command,
        place: form.place,
        line: pattern,
        even_changed: form.even_changed,
        reason: form.reason,
    })
}

/// `openspace.area.verb`, or its beginning and `*`.
fn is_command(command: &str) -> bool {
    let name = command.strip_suffix('*').unwrap_or(command);
    name.starts_with("openspace.")
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// The text of a person's policy file with one more rule at its end, and the name that the rule got. All else
/// stays as it was written, comments too.
pub fn save(text: &str, rule: &Rule) -> Result<(String, String), FileError> {
    let rules = Rules::of_user(text)?;
    let id = free_id(&rules, rule);
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| FileError::Form(error.to_string()))?;
    let table = table(rule, &id);
    let text = match document.get_mut("rule") {
        // Behind all that is there: what a person wrote stays as and where it is.
        None | Some(Item::ArrayOfTables(_)) => {
            let mut added = DocumentMut::new();
            added.insert("rule", Item::ArrayOfTables(ArrayOfTables::from_iter([table])));
            let gap = match text {
                "" => "",
                text if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            format!("{text}{gap}{added}")
        }
        Some(Item::Value(Value::Array(array))) => {
            array.push(table.into_inline_table());
            document.to_string()
        }
        Some(_) => return Err(FileError::Form("`rule` is not a list of tables".into())),
    };
    // What is saved must be read again, or the next start would fail.
    Rules::of_user(&text)?;
    Ok((text, id))
}

fn table(rule: &Rule, id: &str) -> Table {
    let fields = [
        ("id", Some(id.to_owned())),
        ("decision", word(rule.decision)),
        ("caller", rule.caller.and_then(word)),
        ("client", rule.client.clone()),
        ("access", rule.access.and_then(word)),
        ("command", rule.command.clone()),
        ("place", rule.place.and_then(word)),
        ("line", rule.line.as_ref().map(ToString::to_string)),
        ("reason", rule.reason.clone()),
    ];
    let mut table = Table::new();
    for (name, text) in fields {
        if let Some(text) = text {
            table.insert(name, value(text));
        }
    }
    if rule.even_changed {
        table.insert("even_changed", value(true));
    }
    table
}

/// The word that stands for something in a file.
fn word<T: Serialize>(thing: T) -> Option<String> {
    toml::Value::try_from(thing).ok()?.as_str().map(str::to_owned)
}

/// A name for a rule that no other has, made of what it is about.
fn free_id(rules: &Rules, rule: &Rule) -> String {
    let about = match (&rule.line, &rule.command) {
        (Some(line), _) => line.to_string(),
        (None, Some(command)) => command.clone(),
        (None, None) => rule.id.clone(),
    };
    let words: Vec<&str> =
        about.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").to_ascii_lowercase().chars().take(MAX_ID).collect();
    let name = if name.is_empty() { "rule".to_owned() } else { name };
    let is_free = |id: &String| rules.iter().all(|rule| rule.id != *id);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    // There are fewer rules than numbers.
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}

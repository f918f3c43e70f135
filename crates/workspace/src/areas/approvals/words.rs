//! Questions as text, for a shell and for clients that ask their own person.
//!
//! Who decides by a text must see what is decided: a line stands there as a shell would get it, with its
//! options, and so does what would be typed. What is cut is said to be cut, and what a terminal would act on or
//! not show has a sign. Nothing is masked here; that was done when the question was made.

use std::fmt::Write as _;

use openspace_command::{Caller, CallerKind, Site};
use openspace_protocol::ApprovalId;

use super::{Approval, MAX_LINE, Question, ShownArgument};

/// Most characters of a question in a list.
const MAX_LISTED: usize = 2_000;
/// Most characters of an argument where a question is shown in full.
const MAX_ARGUMENT: usize = 200;
/// More blanks in a row than these are told by their number: they would push the rest out of sight.
const MAX_BLANKS: usize = 16;

/// A question in one line: who asks for what, whole.
pub fn one_line(id: ApprovalId, one: &Approval) -> String {
    let state =
        if one.is_open() && !one.waiting { "open, its call left".into() } else { one.outcome() };
    let what = visible(&(what(&one.question) + &beside(&one.question)), true);
    let what = cut(&what, MAX_LISTED, &format!("`openspace approve {id}` shows more"));
    format!("{id}  {state}  {}: {what}", who(&one.question.caller))
}

/// Who asks: the kind first, for an agent chooses its name.
fn who(caller: &Caller) -> String {
    let (kind, id) = (caller.kind.word(), visible(&caller.id, true));
    // One whose name would pass for somebody else's has it already.
    if id.starts_with("agent ") && caller.kind == CallerKind::Agent {
        id
    } else {
        format!("{kind} {id}")
    }
}

/// What is asked for. The summary goes into the record and leaves things out: options of git, typed text.
fn what(question: &Question) -> String {
    let Question { summary, arguments, line, .. } = question;
    match line {
        Some(line) if summary.contains(&line.text) => summary.clone(),
        Some(line) => format!("{summary}  $ {}", line.text),
        None => arguments.iter().filter(|one| !summary.contains(&one.value)).fold(
            summary.clone(),
            |mut all, ShownArgument { name, value }| {
                // Writing to a String cannot fail.
                let _ = write!(all, "  {name}={value}");
                all
            },
        ),
    }
}

/// What else tells a line from the same line: where it would run, in which folder, and how.
fn beside(question: &Question) -> String {
    if question.line.is_none() {
        return String::new();
    }
    let given =
        |names: &[&str]| question.arguments.iter().find(|one| names.contains(&one.name.as_str()));
    let background = given(&["run_in_background", "isBackground", "is_background", "background"]);
    let workspace = given(&["workspace_id", "workspaceId", "workspace"]);
    let parts = [
        (question.site == Site::Outside).then(|| "outside".to_owned()),
        question.folder.as_ref().filter(|folder| *folder != ".").map(|it| format!("in {it}")),
        workspace.map(|workspace| format!("workspace {}", workspace.value)),
        background.filter(|it| it.value == "true").map(|_| "in the background".to_owned()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!("  ({})", parts.join(", ")) }
}

/// A question with everything that a person decides by.
pub fn in_full(id: ApprovalId, one: &Approval) -> String {
    let Question { command, summary, arguments, line, folder, caller, site, .. } = &one.question;
    let command = command.strip_prefix("openspace.").unwrap_or(command);
    let caller = who(caller);
    let mut lines = vec![format!("{id}  {command}  by {caller}  ({})", one.outcome())];
    if let Some(line) = line {
        lines.extend(visible(&line.text, false).lines().map(|line| format!("  $ {line}")));
        if line.text.chars().count() > MAX_LINE {
            lines.push(format!("  ⟨cut: only the first {MAX_LINE} characters are shown⟩"));
        }
        for part in &line.parts {
            let text = visible(&part.text, true);
            lines.push(format!("    {:<5}  {text}  ({})", part.decision, part.rule));
            lines.extend(part.dangers.iter().map(|danger| format!("           {danger}")));
        }
        lines.extend(line.doubts.iter().map(|doubt| format!("    {}", visible(doubt, true))));
    } else {
        lines.push(format!("  {}", visible(summary, true)));
        for ShownArgument { name, value } in arguments {
            let value = visible(&cut(value, MAX_ARGUMENT, "the call has more"), false);
            lines.push(format!("    {name}: {}", value.replace('\n', "\n      ")));
        }
    }
    let facts = [
        ("where", Some(site.words().to_owned())),
        ("folder", folder.clone()),
        ("acts in", one.question.theirs.clone()),
        ("reason", one.question.reason.clone()),
        ("asked by", Some(format!("{}: {}", one.question.rule, one.question.why))),
        (
            "always",
            one.question.always.as_ref().map(|rule| format!("{}\n{}", rule.about, rule.text)),
        ),
    ];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            let fact = visible(fact.trim(), false);
            lines.push(format!("  {name}: {}", fact.replace('\n', "\n    ")));
        }
    }
    lines.join("\n")
}

/// The text, or its beginning and that it was cut.
fn cut(text: &str, most: usize, more: &str) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            let left = text[end..].chars().count();
            format!("{}⟨cut: {left} more characters; {more}⟩", &text[..end])
        }
        None => text.to_owned(),
    }
}

/// The text with a sign for whatever a terminal acts on or a reader would not see; ends of lines too, where it
/// has to stay one.
pub fn visible(text: &str, is_line: bool) -> String {
    let mut all = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut count = 1;
        if matches!(letter, ' ' | '\n') {
            while letters.next_if_eq(&letter).is_some() {
                count += 1;
            }
        }
        let sign = match letter {
            '\n' if is_line => '⏎',
            '\t' if is_line => '⇥',
            letter => letter,
        };
        // Writing to a String cannot fail.
        let _ = match letter {
            ' ' if count > MAX_BLANKS => write!(all, "⟨{count} blanks⟩"),
            '\n' if count > MAX_BLANKS => write!(all, "⟨{} empty lines⟩{sign}", count - 1),
            '\n' | '\t' => write!(all, "{}", String::from(sign).repeat(count)),
            _ if is_unseen(letter) => write!(all, "⟨U+{:04X}⟩", u32::from(letter)),
            _ => write!(all, "{}", String::from(sign).repeat(count)),
        };
    }
    all
}

/// The text with a sign for whatever a terminal acts on or a reader would not see, and else as it is: lines, tabs and
/// blanks stay.
pub fn seen(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_unseen(letter) && !matches!(letter, '\n' | '\t') {
            // Writing to a String cannot fail.
            let _ = write!(all, "⟨U+{:04X}⟩", u32::from(letter));
        } else {
            all.push(letter);
        }
    }
    all
}

/// Control characters, those that turn the order of others, and those without a shape.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{10ffff}')
}

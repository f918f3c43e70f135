//! What the policy says about a call, with everything that a person is shown of it.

use openspace_command::{Caller, Intent, Line, Site};
use openspace_judge::{Judged, Shell, read};
use openspace_policy::{Changeable, Decision, Place, Policy, Question, Rule, Ruling, save};
use openspace_protocol::Access;

use crate::areas::approvals::{MAX_LINE, ShownLine, ShownPart, SuggestedRule, shown::shown};

/// Parts of a line that are shown.
const MAX_PARTS: usize = 50;
/// Longest part shown, in characters.
const MAX_PART: usize = 400;

/// What the policy says about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruled {
    /// Whether it may be done.
    pub decision: Decision,
    /// The rule that decided.
    pub rule: String,
    /// Why, in words for a person.
    pub why: String,
    /// The line with its parts.
    pub line: Option<ShownLine>,
    /// The rule that would allow it for good.
    pub always: Option<SuggestedRule>,
}

/// What a policy says about a call that would do this. `changeable` tells of each part of its line whether it runs
/// what an agent can change.
pub fn rule_on(
    policy: &Policy,
    caller: &Caller,
    command: &str,
    access: Access,
    intent: &Intent,
    changeable: &[Changeable],
) -> Ruled {
    let judged = intent.line.as_ref().map(|line| (line, read(&line.text, shell(line))));
    let question = Question {
        caller: caller.kind,
        client: &caller.id,
        command,
        access,
        place: place(intent.site),
        line: judged.as_ref().map(|(_, judged)| judged),
        changeable,
        each_time: intent.each_time,
    };
    let ruling = policy.decide(&question);
    let line = judged.as_ref().map(|(line, judged)| shown_line(line, judged, &ruling));
    let always = ruling.always.as_ref().and_then(suggested);
    Ruled {
        decision: ruling.decision,
        rule: ruling.rule.to_string(),
        why: ruling.why,
        line,
        always,
    }
}

pub(super) fn shell(line: &Line) -> Shell {
    match (line.is_typed, line.shell.as_str()) {
        (true, shell) => Shell::typed_into(shell),
        (false, "bash" | "sh" | "dash") => Shell::Bash,
        (false, _) => Shell::Other,
    }
}

/// Where a call takes effect, in the words of the policy.
fn place(site: Site) -> Place {
    match site {
        Site::Space => Place::Space,
        Site::Confined => Place::Confined,
        Site::Outside => Place::Outside,
        Site::Unconfined => Place::Unconfined,
    }
}

fn shown_line(line: &Line, judged: &Judged, ruling: &Ruling) -> ShownLine {
    let parts = judged.parts.iter().zip(&ruling.parts).take(MAX_PARTS);
    let parts = parts.map(|(part, got)| ShownPart {
        text: shown(&part.text, MAX_PART),
        decision: word(got.decision).into(),
        rule: got.rule.to_string(),
        dangers: part.findings.iter().map(|finding| finding.sentence().to_owned()).collect(),
    });
    ShownLine {
        text: shown(&line.text, MAX_LINE),
        parts: parts.collect(),
        doubts: judged
            .doubts
            .iter()
            .take(MAX_PARTS)
            .map(|doubt| shown(&doubt.sentence(), MAX_PART))
            .collect(),
    }
}

/// The word of a decision.
pub(super) const fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}

/// A rule as a person is shown it before it is saved, and as it would be saved.
fn suggested(rule: &Rule) -> Option<SuggestedRule> {
    let (text, _) = save("", rule).ok()?;
    let what = match (&rule.line, &rule.command) {
        (Some(line), _) => format!("`{line}`"),
        (None, Some(command)) => command.strip_prefix("openspace.").unwrap_or(command).to_owned(),
        (None, None) => return None,
    };
    let place = match rule.place? {
        Place::Space => "",
        Place::Confined => " in the confined place",
        Place::Outside => " outside of the confined place",
        Place::Unconfined => " on this machine, not confined",
    };
    let files = if rule.even_changed { ", whatever its files say by then" } else { "" };
    Some(SuggestedRule { about: format!("{what}{place}{files}"), text })
}

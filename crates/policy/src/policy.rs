//! The one table, and what it says about a call.

use std::fmt::Write as _;

use openspace_judge::{Danger, Finding, Judged, Part, suggest};
use openspace_protocol::{Access, CallerKind};

use crate::{
    Changeable, Decision, Place, Profile, Rule, RuleName, Rules, Source, profile::Verdict,
    rule::Speaks,
};

/// What is asked of the table.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Who calls.
    pub caller: CallerKind,
    /// The name of the caller's client.
    pub client: &'a str,
    /// The canonical id of the command.
    pub command: &'a str,
    /// What the command can do.
    pub access: Access,
    /// Where it is done.
    pub place: Place,
    /// The line that it runs or types.
    pub line: Option<&'a Judged>,
    /// For each part of the line, whether it runs what an agent can change; none does where this ends.
    pub changeable: &'a [Changeable],
    /// This very call is asked about each time, although others of its command may not be.
    pub each_time: bool,
}

/// What the table says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// Whether it may be done.
    pub decision: Decision,
    /// What decided.
    pub rule: RuleName,
    /// Why, in words for a person.
    pub why: String,
    /// What each part of the line got, in its order.
    pub parts: Vec<PartRuling>,
    /// The rule that would answer this question for good, if there is a narrow one.
    pub always: Option<Rule>,
}

/// What one part of a line got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRuling {
    /// The part as it stands in the line.
    pub text: String,
    /// Whether it may be done.
    pub decision: Decision,
    /// What decided.
    pub rule: RuleName,
    /// Why, in words for a person.
    pub why: String,
}

/// Commands of agents that a person is asked about each time: no rule and no session allows them.
const EACH_TIME: &[&str] = &["openspace.file.read_secret"];

/// Commands that destroy and can be taken back: what they take is in the trash.
const RESTORABLE: &[&str] = &["openspace.file.delete"];

/// Whether what a command destroys can be had back. Rules about what destroys are about it all the same.
pub fn is_restorable(command: &str) -> bool {
    RESTORABLE.contains(&command)
}

/// Whether an agent's call of a command is asked about each time, whatever a rule allows.
pub fn is_asked_each_time(command: &str) -> bool {
    EACH_TIME.contains(&command)
}

/// The table: a profile, and the rules of the person and of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    profile: Profile,
    user: Rules,
    project: Rules,
}

impl Policy {
    /// The table of a profile and two files.
    pub fn new(profile: Profile, user: Rules, project: Rules) -> Self {
        Self { profile, user, project }
    }

    /// The profile that holds where no rule speaks.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The person's rules.
    pub fn user(&self) -> &Rules {
        &self.user
    }

    /// The person's rules, to add one that an approval made.
    pub fn user_mut(&mut self) -> &mut Rules {
        &mut self.user
    }

    /// What the table says about a call.
    pub fn decide(&self, question: &Question<'_>) -> Ruling {
        let mut ruling = self.judge(question);
        if ruling.decision == Decision::Ask {
            ruling.always = self.always(question, &ruling);
        }
        ruling
    }

    fn judge(&self, question: &Question<'_>) -> Ruling {
        let Some(line) = question.line else {
            let one = self.one(question, None, Changeable::No, self.profile.call(question));
            return Ruling {
                decision: one.decision,
                rule: one.rule,
                why: one.why,
                parts: Vec::new(),
                always: None,
            };
        };
        let parts: Vec<PartRuling> = line
            .parts
            .iter()
            .enumerate()
            .map(|(at, part)| {
                let changeable = question.changeable.get(at).copied().unwrap_or_default();
                self.one(question, Some(part), changeable, self.profile.part(question, part))
            })
            .collect();
        let whole = self.whole(question, line, &parts);
        // The strictest decides, and the first of those that are as strict.
        let decisive =
            parts.iter().chain(&whole).fold(None, |best: Option<&PartRuling>, next| match best {
                Some(best) if best.decision >= next.decision => Some(best),
                _ => Some(next),
            });
        let decisive = decisive.cloned().unwrap_or_else(|| {
            // A line without a command, such as a comment.
            self.one(question, None, Changeable::No, self.profile.call(question))
        });
        Ruling {
            decision: decisive.decision,
            rule: decisive.rule,
            why: decisive.why,
            parts,
            always: None,
        }
    }

    /// What holds for a line as a whole: what is not known about it, and that it leaves the confined place.
    fn whole(
        &self,
        question: &Question<'_>,
        line: &Judged,
        parts: &[PartRuling],
    ) -> Vec<PartRuling> {
        let mut whole = Vec::new();
        if let Some(verdict) = self.profile.doubts(question, line) {
            // A rule that speaks of no line speaks of every one, also of those that nobody can read.
            whole.push(self.one(question, None, Changeable::No, verdict));
        }
        let allowed = parts
            .iter()
            .any(|part| part.rule.source == Source::User && part.decision == Decision::Allow);
        if let Some(verdict) = self.profile.leaving(question).filter(|_| !allowed) {
            whole.push(self.one(question, None, Changeable::No, verdict));
        }
        whole
    }

    /// One question, about a call or a part of its line, with what the profile says of it.
    fn one(
        &self,
        question: &Question<'_>,
        part: Option<&Part>,
        changeable: Changeable,
        default: Verdict,
    ) -> PartRuling {
        let mut profile = PartRuling {
            text: part.map(|part| part.text.clone()).unwrap_or_default(),
            decision: default.decision,
            rule: RuleName {
                source: Source::Profile,
                id: format!("{}: {}", self.profile.word(), default.row),
            },
            why: default.why,
        };
        if let Some(part) = part
            && changeable != Changeable::No
            && default.decision == Decision::Ask
            && let Some(rule) = self.user.iter().find(|rule| rule.would_allow(question, part))
        {
            // Writing to a String cannot fail.
            let _ = write!(
                profile.why,
                " Your rule `{}` would allow it, but not what the agent can change in a file.",
                rule.id
            );
        }
        let named = |source, (decision, rule, speaks): (Decision, &Rule, Speaks)| PartRuling {
            text: profile.text.clone(),
            decision,
            rule: RuleName { source, id: rule.id.clone() },
            why: why(rule, speaks),
        };
        let user =
            self.user.decides(question, part, changeable).map(|found| named(Source::User, found));
        let base = match (user, self.profile.forbids(question)) {
            (Some(user), None) => user,
            (Some(user), Some(_)) if user.decision == Decision::Deny => user,
            _ => profile.clone(),
        };
        let project = self
            .project
            .decides(question, part, changeable)
            .map(|found| named(Source::Project, found));
        let stricter = |a: PartRuling, b: Option<PartRuling>| match b {
            Some(b) if b.decision > a.decision => b,
            _ => a,
        };
        let base = stricter(base, project);
        let each_time = question.each_time || is_asked_each_time(question.command);
        let asks = question.caller == CallerKind::Agent && each_time;
        if asks && base.decision == Decision::Allow {
            return PartRuling {
                text: base.text,
                decision: Decision::Ask,
                rule: RuleName { source: Source::Floor, id: "each-time".into() },
                why: "This is asked about each time, and no rule allows it.".into(),
            };
        }
        match floor(question, part) {
            Some((decision, id, why)) if decision >= base.decision => PartRuling {
                text: base.text,
                decision,
                rule: RuleName { source: Source::Floor, id: id.into() },
                why: why.into(),
            },
            _ => base,
        }
    }

    /// The rule that would allow this for good. It is offered only if it does.
    fn always(&self, question: &Question<'_>, ruling: &Ruling) -> Option<Rule> {
        let mut rule = Rule::new("always", Decision::Allow);
        rule.caller = Some(question.caller);
        rule.place = Some(question.place);
        match question.line {
            None => rule.command = Some(question.command.to_owned()),
            Some(line) => {
                let asked = line
                    .parts
                    .iter()
                    .zip(&ruling.parts)
                    .filter(|(_, ruling)| ruling.decision == Decision::Ask);
                // Where only leaving asks, the last command says best what the line is for.
                let asked: Vec<&Part> = asked.map(|(part, _)| part).collect();
                let asked =
                    if asked.is_empty() { line.parts.last().into_iter().collect() } else { asked };
                let (first, rest) = asked.split_first()?;
                let pattern = suggest(first)?;
                if !rest.iter().all(|part| pattern.covers(part)) {
                    return None;
                }
                rule.line = Some(pattern);
                // Where nothing confines agents each build asks, so this can be allowed for good. Outside of their place it
                // would be a door for whatever they write. A script is never allowed unseen.
                rule.even_changed = question.place == Place::Unconfined
                    && question.changeable.iter().max() == Some(&Changeable::Files);
            }
        }
        let mut with_it = self.clone();
        with_it.user.push(rule.clone());
        let allows = with_it.judge(question).decision == Decision::Allow;
        allows.then_some(rule)
    }
}

/// What nobody lifts, with its name and why: an agent that deletes everything, or that answers for the person.
/// Confined it can only lose what is there, and names settings that are not there, so it may be asked for.
fn floor(
    question: &Question<'_>,
    part: Option<&Part>,
) -> Option<(Decision, &'static str, &'static str)> {
    let part = part.filter(|_| question.caller == CallerKind::Agent)?;
    let there = if question.place == Place::Confined { Decision::Ask } else { Decision::Deny };
    if part.findings.contains(&Finding::RunsOpenSpace) {
        let why = "OpenSpace's own program is for the person: with it an agent would answer its own questions.";
        return Some((Decision::Deny, "answers-itself", why));
    }
    if part.has(Danger::AnswersItself) {
        let why = "OpenSpace's settings, rules and token are the person's: no agent reads or writes them.";
        return Some((there, "answers-itself", why));
    }
    let why = "This deletes the whole system, a home, or the folder it runs in.";
    part.has(Danger::Floor).then_some((there, "delete-everything", why))
}

fn why(rule: &Rule, speaks: Speaks) -> String {
    let said = rule.reason.clone().unwrap_or_else(|| match rule.decision {
        Decision::Allow => "A rule allows it.".into(),
        Decision::Ask => "A rule wants this to be asked.".into(),
        Decision::Deny => "A rule forbids it.".into(),
    });
    match speaks {
        Speaks::Surely => said,
        Speaks::Perhaps => format!("This may turn out to be what a rule is about. {said}"),
    }
}

//! A rule: what it is about, and what it says.

use std::fmt;

use openspace_judge::{Part, Pattern};
use openspace_protocol::{Access, CallerKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Question;

/// What the table says about a call, from the mildest to the strictest.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Do it.
    Allow,
    /// Somebody has to say yes first.
    Ask,
    /// Never.
    Deny,
}

/// Where something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the space itself: no program is started.
    Space,
    /// In the confined place of agents.
    Confined,
    /// Outside of the confined place, on the person's machine.
    Outside,
    /// On a machine where no confined place can be had.
    Unconfined,
}

/// Whether a part of a line runs what an agent can change: then the line does not say all that is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Changeable {
    /// The line says it all, or what it runs is not the agent's to change.
    #[default]
    No,
    /// It does what files of the project say, or may run one that it is given.
    Files,
    /// It runs a script or a program that the agent can change.
    Script,
}

/// One rule. What is not said matches everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name in the file, unique there.
    pub id: String,
    /// What it says.
    pub decision: Decision,
    /// For this kind of caller.
    pub caller: Option<CallerKind>,
    /// For the client of this name. Clients choose their names: this keeps order, it is no wall.
    pub client: Option<String>,
    /// For commands of this class.
    pub access: Option<Access>,
    /// For the command with this id, or for all that begin so when it ends with `*`.
    pub command: Option<String>,
    /// For what is done there.
    pub place: Option<Place>,
    /// For lines that run this.
    pub line: Option<Pattern>,
    /// An allowance counts also where what runs lies in files that an agent can change.
    pub even_changed: bool,
    /// Why, for whoever is told of it.
    pub reason: Option<String>,
}

impl Rule {
    /// A rule that matches everything.
    pub fn new(id: &str, decision: Decision) -> Self {
        Self {
            id: id.to_owned(),
            decision,
            caller: None,
            client: None,
            access: None,
            command: None,
            place: None,
            line: None,
            even_changed: false,
            reason: None,
        }
    }

    /// Whether it would allow a part if an agent could not change what that runs.
    pub(crate) fn would_allow(&self, question: &Question<'_>, part: &Part) -> bool {
        self.decision == Decision::Allow
            && !self.even_changed
            && self.line.is_some()
            && self.speaks(question, Some(part), Changeable::No).is_some()
    }

    /// What it says of a question, or of one part of its line: what it decides, or that it only may be meant. A rule about
    /// lines allows none that runs what the agent can change, unless it says so.
    pub(crate) fn speaks(
        &self,
        question: &Question<'_>,
        part: Option<&Part>,
        changeable: Changeable,
    ) -> Option<Speaks> {
        let about = self.caller.is_none_or(|caller| caller == question.caller)
            && self.client.as_deref().is_none_or(|client| client == question.client)
            && self.access.is_none_or(|access| access == question.access)
            && self.place.is_none_or(|place| place == question.place)
            && self.command.as_deref().is_none_or(|command| names(command, question.command));
        if !about {
            return None;
        }
        let (Some(pattern), part) = (&self.line, part) else { return Some(Speaks::Surely) };
        let part = part?;
        if self.decision == Decision::Allow {
            if changeable != Changeable::No && !self.even_changed {
                return None;
            }
            return pattern.covers(part).then_some(Speaks::Surely);
        }
        if pattern.names(part) {
            Some(Speaks::Surely)
        } else {
            pattern.may_match(part).then_some(Speaks::Perhaps)
        }
    }
}

/// How certainly a rule is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaks {
    Surely,
    /// Words that are not known decide.
    Perhaps,
}

/// Whether an id is one that a rule names.
fn names(rule: &str, id: &str) -> bool {
    match rule.strip_suffix('*') {
        Some(beginning) => id.starts_with(beginning),
        None => rule == id,
    }
}

/// The rules of one file, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        Self(rules)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }

    /// Adds one, as an approval for a session does that is kept in no file.
    pub fn push(&mut self, rule: Rule) {
        self.0.push(rule);
    }

    /// The rule that decides: the strictest that is surely meant. A stricter one that only may be meant
    /// turns an allowance into a question.
    pub(crate) fn decides(
        &self,
        question: &Question<'_>,
        part: Option<&Part>,
        changeable: Changeable,
    ) -> Option<(Decision, &Rule, Speaks)> {
        let spoken = self.0.iter().filter_map(|rule| {
            let speaks = rule.speaks(question, part, changeable)?;
            let decision = match speaks {
                Speaks::Surely => rule.decision,
                Speaks::Perhaps => Decision::Ask,
            };
            Some((decision, rule, speaks))
        });
        // The first of the strictest: `max_by_key` would give the last.
        spoken.fold(None, |best: Option<(Decision, &Rule, Speaks)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
    }
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// What nobody lifts.
    Floor,
    /// The project's file.
    Project,
    /// The person's own file.
    User,
    /// The profile that was chosen.
    Profile,
}

/// The rule that decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct RuleName {
    /// Where it comes from.
    pub source: Source,
    /// Its name there.
    pub id: String,
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = &self.id;
        match self.source {
            Source::Floor => write!(f, "the floor `{id}`"),
            Source::Project => write!(f, "the project's rule `{id}`"),
            Source::User => write!(f, "your rule `{id}`"),
            Source::Profile => write!(f, "the profile `{id}`"),
        }
    }
}

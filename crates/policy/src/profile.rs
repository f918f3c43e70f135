//! The profiles: what holds where no rule speaks. This is the whole table.

use openspace_judge::{Danger, Judged, Part};
use openspace_protocol::{Access, CallerKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Decision, Place, Question, is_restorable};

/// How much agents may do unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Work in the confined place, and ask before something is lost, sent or done outside.
    #[default]
    Careful,
    /// Ask only before what is dangerous outside.
    Trusting,
    /// Look, and nothing else. No rule allows more.
    ReadOnly,
}

/// What a profile says, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) decision: Decision,
    /// The row of the table.
    pub(crate) row: &'static str,
    pub(crate) why: String,
}

fn says(decision: Decision, row: &'static str, why: &str) -> Verdict {
    Verdict { decision, row, why: why.to_owned() }
}

impl Profile {
    /// Every profile, the default first.
    pub const ALL: [Self; 3] = [Self::Careful, Self::Trusting, Self::ReadOnly];

    /// The word that chooses it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Careful => "careful",
            Self::Trusting => "trusting",
            Self::ReadOnly => "read-only",
        }
    }

    /// What nobody but the profile decides: a person who chose to let agents only look has saved no rule
    /// against it.
    pub(crate) fn forbids(self, question: &Question<'_>) -> Option<Verdict> {
        // What is shown is the person's too: an agent that only looks moves nothing of it.
        let looks = question.access == Access::Read;
        (self == Self::ReadOnly && question.caller == CallerKind::Agent && !looks)
            .then(|| says(Decision::Deny, "looks-only", "With this profile agents only look."))
    }

    /// For a call without a line.
    pub(crate) fn call(self, question: &Question<'_>) -> Verdict {
        use Decision::{Allow, Ask};
        if question.caller != CallerKind::Agent {
            return says(Allow, "callers", "Only agents are asked about.");
        }
        if let Some(forbidden) = self.forbids(question) {
            return forbidden;
        }
        match (question.access, question.place) {
            (_, Place::Outside) => says(Ask, "outside", "This leaves the confined place."),
            (Access::View | Access::Read | Access::Edit, _) => {
                says(Allow, "in-the-space", "Agents may look and edit.")
            }
            (Access::Reach, _) => says(Ask, "reach", "This reaches beyond the workspace."),
            (Access::Destroy, _) if is_restorable(question.command) => {
                says(Allow, "restorable", "What this deletes is in the trash and can be restored.")
            }
            (Access::Destroy, _) if self == Self::Careful => {
                says(Ask, "destroy", "This removes something for good.")
            }
            (Access::Execute, Place::Unconfined) if self == Self::Careful => {
                says(Ask, "unconfined", "Programs are not confined on this machine.")
            }
            (Access::Destroy | Access::Execute, _) => {
                says(Allow, "work", "Agents may work where they are.")
            }
        }
    }

    /// For one command of a line that an agent runs.
    pub(crate) fn part(self, question: &Question<'_>, part: &Part) -> Verdict {
        use Decision::{Allow, Ask};
        if question.caller != CallerKind::Agent {
            return says(Allow, "callers", "Only agents are asked about.");
        }
        if let Some(forbidden) = self.forbids(question) {
            return forbidden;
        }
        let mut sentences: Vec<&str> = Vec::new();
        let matters = |danger: Danger| match (self, question.place) {
            (Self::Careful, Place::Confined) => asks_confined(danger),
            (_, Place::Confined) => false,
            _ => true,
        };
        for finding in part.findings.iter().filter(|finding| matters(finding.danger())) {
            sentences.push(finding.sentence());
        }
        if !sentences.is_empty() {
            return Verdict { decision: Ask, row: "dangerous", why: sentences.join(" ") };
        }
        match (self, question.place) {
            (_, Place::Confined) => {
                says(Allow, "confined", "Agents may work in the confined place.")
            }
            _ if part.is_harmless => says(Allow, "only-looks", "This only looks."),
            (Self::Trusting, _) => {
                says(Allow, "not-dangerous", "Nothing dangerous is known of this.")
            }
            (_, Place::Outside) => says(Ask, "outside", "This leaves the confined place."),
            (_, Place::Unconfined | Place::Space) => {
                says(Ask, "unconfined", "Programs are not confined on this machine.")
            }
        }
    }

    /// For what is not known about a line.
    pub(crate) fn doubts(self, question: &Question<'_>, line: &Judged) -> Option<Verdict> {
        let asks = question.caller == CallerKind::Agent
            && !line.doubts.is_empty()
            && !(self == Self::Trusting && question.place == Place::Confined);
        let why = || line.doubts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        asks.then(|| Verdict { decision: Decision::Ask, row: "doubtful", why: why() })
    }

    /// For a line that leaves the confined place, however harmless.
    pub(crate) fn leaving(self, question: &Question<'_>) -> Option<Verdict> {
        let asks = self == Self::Careful
            && question.caller == CallerKind::Agent
            && question.place == Place::Outside;
        asks.then(|| says(Decision::Ask, "outside", "This leaves the confined place."))
    }
}

/// What the walls of the confined place do not hold: the workspace itself, the network, and the machine's
/// patience. More rights, other people's programs and files that run later are not to be had there. What
/// daily work discards is not asked about: `rm file`, `> file` and `mv` are not either, and a person who is
/// asked about each `rm -rf build` stops reading the questions.
const fn asks_confined(danger: Danger) -> bool {
    match danger {
        Danger::Floor
        | Danger::AnswersItself
        | Danger::Destroys
        | Danger::ReachesOut
        | Danger::Loosens
        | Danger::ForkBomb
        | Danger::RunsDownload => true,
        Danger::Discards | Danger::Escalates | Danger::RunsLater | Danger::Ends => false,
    }
}

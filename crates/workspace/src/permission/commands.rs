//! `policy.check`: what the policy that holds says about a line of an agent, without anything being run.
//!
//! For people, and for scripts that stand for them. An agent gets no answer: it would be the way to look for
//! a line that nobody is asked about.

use openspace_command::{
    Caller, CallerKind, Command, Error, Intent, Line, Meta, Result, Set, Shown, Site,
};
use openspace_policy::{Decision, Policy};
use openspace_process::LONGEST_COMMAND;
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ruled, rule_on,
    ruling::word,
    sources::{self, Found},
};
use crate::{
    Cx, Entry, OpenSpace,
    areas::approvals::{ShownLine, SuggestedRule},
    walls,
};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[Entry::of::<Check>()];

/// The command for which a line is judged.
const BASH: &str = "openspace.workspace.bash";

/// What the policy says about a line in one place.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceRuling {
    /// Where it would run.
    place: Site,
    /// `allow`, `ask` or `deny`.
    decision: String,
    /// The rule that decided.
    rule: String,
    /// Why, in words for a person.
    why: String,
    /// The line with its parts; none where nobody reads it.
    line: Option<ShownLine>,
    /// The rule that would allow it for good, where there is one.
    always: Option<SuggestedRule>,
}

/// What the policy says about a line.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyChecked {
    /// The profile that holds; nobody is asked about anything if null.
    profile: Option<String>,
    /// In each place where an agent's line can run here, its own first.
    rulings: Vec<PlaceRuling>,
}

/// Say what becomes of a line that an agent wants to run in a shell, and which rule decides. Nothing is run.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Check {
    /// The line, as it would be typed.
    line: String,
    /// The client that would run it, for rules about one client.
    client: Option<String>,
}

impl Command<OpenSpace> for Check {
    const META: Meta = Meta::new("policy.check", "Policy: Check a Line", Access::Read)
        .set(Set::Ide)
        .shown(Shown::Hidden);
    type Output = PolicyChecked;

    // Not the line: it is what somebody typed, and nobody ran it.
    fn summary(&self) -> String {
        "say what the policy says about a line".into()
    }

    fn check(&self) -> Result<()> {
        if self.line.trim().is_empty() {
            return Err(Error::invalid("argument `line`: is empty"));
        }
        if self.line.len() > LONGEST_COMMAND {
            return Err(Error::invalid(format!(
                "argument `line`: has {} bytes, and {LONGEST_COMMAND} are possible",
                self.line.len()
            )));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<PolicyChecked> {
        check_looks(&cx.caller)?;
        let agent = Caller::new(CallerKind::Agent, self.client.as_deref().unwrap_or("agent"), None);
        let policy = cx.state.permission().policy();
        let mut rulings = Vec::new();
        for site in sites(&cx.state, &agent) {
            let intent = intent(site, &self.line);
            let found = sources::look(&cx.state, agent.kind, None, &intent).await;
            rulings.push(told(site, rule(policy.as_deref(), &agent, &intent, &found)));
        }
        let profile = policy.map(|policy| policy.profile().word().to_owned());
        Ok(PolicyChecked { profile, rulings })
    }

    fn text(checked: &PolicyChecked) -> Option<String> {
        let lines = checked.rulings.iter().map(|ruling| {
            let PlaceRuling { place, decision, rule, why, .. } = ruling;
            format!("{decision:<5}  {}  by {rule}\n       {why}", place.words())
        });
        Some(lines.collect::<Vec<_>>().join("\n"))
    }
}

fn check_looks(caller: &Caller) -> Result<()> {
    match caller.kind {
        CallerKind::Person | CallerKind::Script => Ok(()),
        CallerKind::Agent | CallerKind::Bridge => {
            Err(Error::denied("what a policy would say is not told to agents")
                .hint("make the call: it is let in, asked about or refused with the reason"))
        }
    }
}

/// Where programs of an agent can run here. Nobody leaves a sandbox, and nothing is left where there are no walls.
fn sites(state: &OpenSpace, agent: &Caller) -> Vec<Site> {
    let own = walls::site(state, agent, None, false);
    if own == Site::Confined && !walls::is_sandbox(state) {
        vec![own, Site::Outside]
    } else {
        vec![own]
    }
}

fn intent(site: Site, line: &str) -> Intent {
    let line = Line { text: line.to_owned(), shell: "bash".into(), is_typed: false };
    Intent { site, line: Some(line), folder: Some(".".into()), ..Intent::default() }
}

fn rule(policy: Option<&Policy>, agent: &Caller, intent: &Intent, found: &Found) -> Ruled {
    let Some(policy) = policy else {
        return Ruled {
            decision: Decision::Allow,
            rule: "the profile off".into(),
            why: "Nobody is asked about anything.".into(),
            line: None,
            always: None,
        };
    };
    let ruled = rule_on(policy, agent, BASH, Access::Execute, intent, &found.changeable);
    let files = Some(&found.words).filter(|words| !words.is_empty());
    match (ruled.decision, files) {
        (Decision::Ask, Some(files)) => Ruled { why: format!("{} {files}", ruled.why), ..ruled },
        _ => ruled,
    }
}

fn told(place: Site, ruled: Ruled) -> PlaceRuling {
    let Ruled { decision, rule, why, line, always } = ruled;
    PlaceRuling { place, decision: word(decision).to_owned(), rule, why, line, always }
}

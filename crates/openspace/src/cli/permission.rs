//! Who may do what: options of `serve` and `mcp`, and `openspace policy`, which says what the rules come to.
//!
//! The profile is set on the command line only: nothing that an agent can call or write changes it.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::Result;
use clap::{Args, Subcommand};
use openspace_command::{Caller, CallerKind, ErrorKind, Intent, Line, Site};
use openspace_policy::{Decision, Policy, Rule, Rules};
use openspace_protocol::Access;
use openspace_workspace::permission::{
    ANSWER_WITHIN, PROJECT_POLICY, PolicyError, PolicyFile as _, Profile, Ruled, by_name, rule_on,
    rules, user_rules,
};
use serde_json::json;

use crate::{
    environment::Environment,
    output::{complain, print},
    policy_file::{self, UserPolicy},
    server::PermissionChoice,
    status::exit_code,
};

/// The word for no profile at all.
const OFF: &str = "off";

/// Who may do what.
#[derive(Debug, Args)]
pub(super) struct PermissionArgs {
    /// How much agents may do unasked: `careful`, `trusting`, `read-only`, or `off`, with which nobody is
    /// asked about anything.
    #[arg(long, value_name = "PROFILE", default_value = "careful", value_parser = ["careful", "trusting", "read-only", "off"])]
    profile: String,
    /// Seconds that a call waits for your answer, 1 to 86400.
    #[arg(long, value_name = "S", default_value_t = ANSWER_WITHIN.as_secs(), value_parser = clap::value_parser!(u64).range(1..=86_400), hide_short_help = true)]
    approval_timeout: u64,
}

impl PermissionArgs {
    /// What the server is given.
    pub(super) fn options(&self) -> PermissionChoice {
        PermissionChoice {
            profile: Profile::ALL.into_iter().find(|profile| profile.word() == self.profile),
            answer_within: Duration::from_secs(self.approval_timeout),
        }
    }
}

/// A profile, or none with `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chosen(Option<Profile>);

fn profile(word: &str) -> Result<Chosen, String> {
    if word == OFF {
        return Ok(Chosen(None));
    }
    let found = Profile::ALL.into_iter().find(|profile| profile.word() == word);
    let all = || Profile::ALL.map(Profile::word).join(", ");
    found.map(|found| Chosen(Some(found))).ok_or_else(|| format!("use {} or {OFF}", all()))
}

fn site(word: &str) -> Result<Site, String> {
    match word {
        "confined" => Ok(Site::Confined),
        "outside" => Ok(Site::Outside),
        "unconfined" => Ok(Site::Unconfined),
        _ => Err("use confined, outside or unconfined".into()),
    }
}

/// Show what the rules come to, and where they are kept.
#[derive(Debug, Args)]
pub(super) struct ShowPolicy {
    /// With this profile: `careful`, `trusting`, `read-only` or `off`, with which nobody is asked about anything.
    #[arg(long, value_name = "PROFILE", value_parser = profile, global = true, default_value = "careful")]
    profile: Chosen,
    /// The workspace whose own file counts too.
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = ".",
        global = true,
        hide_default_value = true
    )]
    workspace: PathBuf,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Option<PolicyVerb>,
}

#[derive(Debug, Subcommand)]
enum PolicyVerb {
    /// Say what an agent gets that wants to run a line, part by part, and which rule decides.
    ///
    /// The exit code is 0 where it is allowed, 6 where a person is asked and 13 where it is refused, as for a call
    /// that ends so. Without --place it is that of the strictest of the three.
    Check(Check),
}

#[derive(Debug, Args)]
struct Check {
    /// The line, as it would be typed.
    line: String,
    /// Where it would run: `confined`, `outside` or `unconfined`; each of them when left out.
    #[arg(long, value_name = "PLACE", value_parser = site)]
    place: Option<Site>,
}

/// Show it.
pub(super) fn show(wanted: &ShowPolicy, environment: &Environment) -> Result<ExitCode> {
    if let Some(PolicyVerb::Check(check)) = &wanted.verb
        && check.line.trim().is_empty()
    {
        complain("Error (invalid_args): the line is empty, so there is nothing to check");
        complain(
            "Hint: give what an agent would run, such as `openspace policy check 'git push origin main'`",
        );
        return Ok(ExitCode::from(exit_code(ErrorKind::InvalidArgs)));
    }
    let Chosen(Some(profile)) = wanted.profile else { return off(wanted) };
    let read = Read::of(profile, wanted, environment)?;
    match &wanted.verb {
        Some(PolicyVerb::Check(check)) => {
            let ruled = check.rule(&read.policy, &wanted.workspace);
            print(&if wanted.json { as_json(&ruled) } else { told(&ruled) })?;
            return Ok(ExitCode::from(exit(&ruled)));
        }
        None if wanted.json => print(&serde_json::to_string(&read.as_json())?)?,
        None => print(&read.table())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// With this profile there are no rules and no questions.
fn off(wanted: &ShowPolicy) -> Result<ExitCode> {
    let why = "With this profile nobody is asked about anything, and no rule counts.";
    match (&wanted.verb, wanted.json) {
        (Some(PolicyVerb::Check(check)), is_json) => {
            let ruled = |site| {
                let ruled = Ruled {
                    decision: Decision::Allow,
                    rule: "the profile `off`".into(),
                    why: why.into(),
                    line: None,
                    always: None,
                };
                (site, ruled)
            };
            let ruled: Vec<_> = check.sites().into_iter().map(ruled).collect();
            print(&if is_json { as_json(&ruled) } else { told(&ruled) })?;
        }
        (None, true) => print(&json!({"profile": OFF}).to_string())?,
        (None, false) => print(&format!("profile  {OFF}\n{why}"))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The policy, and where it comes from.
struct Read {
    policy: Policy,
    user: UserPolicy,
    project: PathBuf,
    project_rules: Rules,
}

impl Read {
    fn of(profile: Profile, wanted: &ShowPolicy, environment: &Environment) -> Result<Self> {
        let user = UserPolicy::of(&environment.config);
        let project = wanted.workspace.join(PROJECT_POLICY);
        let name = project.display().to_string();
        let text = policy_file::read(&project)
            .map_err(|error| PolicyError::Unreadable { file: name.clone(), error })?;
        let project_rules = rules(&name, Rules::of_project(&text.unwrap_or_default()))?;
        let policy = Policy::new(profile, user_rules(&user)?, project_rules.clone());
        Ok(Self { policy, user, project, project_rules })
    }

    /// What agents may do without a line, by class of access and place, then the rules.
    fn table(&self) -> String {
        let mut lines = vec![
            format!("profile  {}", self.policy.profile().word()),
            format!("yours    {}  ({} rules)", self.user.name(), self.policy.user().iter().count()),
            format!(
                "project  {}  ({} rules, which only make it stricter)",
                self.project.display(),
                self.project_rules.iter().count()
            ),
            String::new(),
            format!(
                "{:<9}  {:<6}  {:<8}  {:<7}  unconfined",
                "agents", "space", "confined", "outside"
            ),
        ];
        for (word, access) in ACCESS {
            let [space, confined, outside, unconfined] =
                SITES.map(|site| word_of(self.without_line(access, site).decision));
            lines.push(format!("{word:<9}  {space:<6}  {confined:<8}  {outside:<7}  {unconfined}"));
        }
        let trash = self.without_line_of(TRASHES, Access::Destroy, Site::Space);
        lines.push(format!(
            "{:<9}  {:<6}  file.delete: it goes to the trash and can be restored; a secret, or a folder with one, is never deleted",
            "", word_of(trash.decision)
        ));
        lines.push(String::new());
        let named = |whose: &'static str, rules: &Rules| {
            let told = rules.iter().map(|rule| {
                let decision = word_of(rule.decision);
                format!("{decision:<5}  {whose:<7}  {}: {}", rule.id, about(rule))
            });
            told.collect::<Vec<_>>()
        };
        lines.extend(named("project", &self.project_rules));
        lines.extend(named("yours", self.policy.user()));
        lines.push("`openspace policy check 'LINE'` says what becomes of a command line.".into());
        lines.join("\n")
    }

    fn as_json(&self) -> serde_json::Value {
        let rules = |rules: &Rules| -> Vec<serde_json::Value> {
            let told = |rule: &Rule| json!({"id": rule.id, "decision": rule.decision, "about": about(rule)});
            rules.iter().map(told).collect()
        };
        json!({
            "profile": self.policy.profile(),
            "userFile": self.user.name(),
            "projectFile": self.project.display().to_string(),
            "user": rules(self.policy.user()),
            "project": rules(&self.project_rules),
        })
    }

    fn without_line(&self, access: Access, site: Site) -> Ruled {
        self.without_line_of("openspace.any.command", access, site)
    }

    fn without_line_of(&self, command: &str, access: Access, site: Site) -> Ruled {
        let intent = Intent { site, ..Intent::default() };
        rule_on(&self.policy, &agent(), command, access, &intent, &[])
    }
}

const ACCESS: [(&str, Access); 6] = [
    ("read", Access::Read),
    ("view", Access::View),
    ("edit", Access::Edit),
    ("destroy", Access::Destroy),
    ("execute", Access::Execute),
    ("reach", Access::Reach),
];
/// The command that destroys and can be taken back.
const TRASHES: &str = "openspace.file.delete";
const SITES: [Site; 4] = [Site::Space, Site::Confined, Site::Outside, Site::Unconfined];

fn agent() -> Caller {
    Caller::new(CallerKind::Agent, "agent", None)
}

fn word_of(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}

/// What a rule is about, in one line.
fn about(rule: &Rule) -> String {
    let word = |name: &str, value: serde_json::Value| {
        value.as_str().map(|value| format!("{name} {value}"))
    };
    let parts = [
        rule.line.as_ref().map(|line| format!("`{line}`")),
        rule.command.clone(),
        rule.access.and_then(|access| word("access", json!(access))),
        rule.place.and_then(|place| word("place", json!(place))),
        rule.caller.and_then(|caller| word("caller", json!(caller))),
        rule.client.as_ref().map(|client| format!("client {client}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "everything".into() } else { parts.join(", ") }
}

impl Check {
    fn sites(&self) -> Vec<Site> {
        self.place.map_or_else(|| SITES[1..].to_vec(), |site| vec![site])
    }

    /// What becomes of the line, in each place that is looked at.
    fn rule(&self, policy: &Policy, root: &Path) -> Vec<(Site, Ruled)> {
        let rule = |site| {
            let line = Line { text: self.line.clone(), shell: "bash".into(), is_typed: false };
            let intent = Intent { site, line: Some(line), ..Intent::default() };
            let command = "openspace.workspace.bash";
            let changeable = by_name(CallerKind::Agent, &intent, root);
            (site, rule_on(policy, &agent(), command, Access::Execute, &intent, &changeable))
        };
        self.sites().into_iter().map(rule).collect()
    }
}

/// How a call ends that is allowed, that nobody answers for, or that is refused: the strictest of these.
fn exit(ruled: &[(Site, Ruled)]) -> u8 {
    match ruled.iter().map(|(_, ruled)| ruled.decision).max() {
        None | Some(Decision::Allow) => 0,
        Some(Decision::Ask) => exit_code(ErrorKind::Unanswered),
        Some(Decision::Deny) => exit_code(ErrorKind::Policy),
    }
}

fn as_json(ruled: &[(Site, Ruled)]) -> String {
    let told = ruled.iter().map(|(site, ruled)| {
        json!({
            "place": site, "decision": word_of(ruled.decision), "rule": ruled.rule, "why": ruled.why,
            "line": ruled.line, "always": ruled.always,
        })
    });
    json!(told.collect::<Vec<_>>()).to_string()
}

fn told(ruled: &[(Site, Ruled)]) -> String {
    let mut lines = Vec::new();
    for (site, ruled) in ruled {
        let decision = word_of(ruled.decision);
        lines.push(format!("{decision:<5}  {}  by {}", site.words(), ruled.rule));
        lines.push(format!("       {}", ruled.why));
        for part in ruled.line.iter().flat_map(|line| &line.parts) {
            lines.push(format!("       {:<5}  {}  ({})", part.decision, part.text, part.rule));
        }
        for doubt in ruled.line.iter().flat_map(|line| &line.doubts) {
            lines.push(format!("       doubt  {doubt}"));
        }
        if let Some(rule) = &ruled.always {
            lines.push(format!("       always would save: {}", rule.about));
        }
    }
    lines.join("\n")
}

//! Who may do what in this product: the guard that the dispatcher asks, made of a policy, of what people
//! answered, and of where programs would run.
//!
//! The policy is read when the server starts: the profile from its command line, rules from the person's own
//! file, and what the project's file makes stricter. A file that cannot be read stops the start: half a
//! policy is none. Nothing that an agent can call changes any of it; a rule is added only by a person's
//! answer to a question that showed it.

use std::{
    io,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use openspace_command::{Error, Result};
use openspace_files::{FileError, LineRange};
use openspace_host::{Host, HostError, operation::ReadText};
use openspace_policy::{FileError as PolicyFileError, Policy, Rule, Rules};
use openspace_protocol::RelPath;

use crate::areas::Area;

pub mod commands;
mod guard;
mod ruling;
pub(crate) mod sources;
#[cfg(test)]
mod tests;

pub use openspace_policy::Profile;
pub use ruling::{Ruled, rule_on};
pub use sources::by_name;

/// What this area brings.
pub const AREA: Area = Area { commands: commands::COMMANDS, ..Area::EMPTY };

/// The project's own file, relative to the root.
pub const PROJECT_POLICY: &str = ".openspace/policy.toml";
/// How long a call is held for an answer when nobody says otherwise.
pub const ANSWER_WITHIN: Duration = Duration::from_mins(5);

/// The person's own policy file, wherever it is kept.
pub trait PolicyFile: Send + Sync + 'static {
    /// What it is called where a person looks for it.
    fn name(&self) -> String;

    /// Its text; `None` when there is no such file.
    fn read(&self) -> io::Result<Option<String>>;

    /// Replace it whole: a reader never sees a part.
    fn write(&self, text: &str) -> io::Result<()>;
}

/// No file: there are no rules, and none can be saved.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPolicyFile;

impl PolicyFile for NoPolicyFile {
    fn name(&self) -> String {
        "(no policy file)".into()
    }

    fn read(&self) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn write(&self, _text: &str) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "rules are kept nowhere"))
    }
}

/// What permission is made of.
#[derive(Clone)]
pub struct PermissionOptions {
    /// The profile. Without one nobody decides about calls: every one is let in.
    pub profile: Option<Profile>,
    /// The person's rules.
    pub file: Arc<dyn PolicyFile>,
    /// How long a call is held for an answer.
    pub answer_within: Duration,
}

impl Default for PermissionOptions {
    fn default() -> Self {
        Self { profile: None, file: Arc::new(NoPolicyFile), answer_within: ANSWER_WITHIN }
    }
}

/// A policy file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// It cannot be read from the disk.
    #[error("{file} cannot be read: {error}")]
    Unreadable {
        /// Which one.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// It cannot be understood.
    #[error("{file}: {error}")]
    Wrong {
        /// Which one.
        file: String,
        /// Where, and why.
        error: PolicyFileError,
    },
    /// The project's file cannot be asked for.
    #[error("{PROJECT_POLICY} cannot be read: {0}")]
    Project(Box<HostError>),
}

/// Who may do what.
pub struct Permission {
    policy: RwLock<Option<Arc<Policy>>>,
    file: Arc<dyn PolicyFile>,
    answer_within: Duration,
}

impl Permission {
    /// Read the policy of a person and of a project.
    pub(crate) async fn open(
        options: PermissionOptions,
        host: &dyn Host,
    ) -> Result<Self, PolicyError> {
        let PermissionOptions { profile, file, answer_within } = options;
        let policy = match profile {
            Some(profile) => {
                let user = user_rules(&*file)?;
                let project = project_text(host).await?.unwrap_or_default();
                let project = rules(PROJECT_POLICY, Rules::of_project(&project))?;
                Some(Arc::new(Policy::new(profile, user, project)))
            }
            None => None,
        };
        Ok(Self { policy: RwLock::new(policy), file, answer_within })
    }

    /// The policy that holds now; none where nobody decides.
    pub fn policy(&self) -> Option<Arc<Policy>> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Save a rule that a person was shown, and act by it from now on.
    pub(crate) async fn save_rule(&self, text: &str) -> Result<()> {
        let rule = read_rule(text)?;
        let file = Arc::clone(&self.file);
        let saved = tokio::task::spawn_blocking(move || save(&*file, &rule)).await;
        let user =
            saved.map_err(|join| Error::internal("the rule was not saved").because(join))??;
        let mut policy = self.policy.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = policy.as_mut() {
            *Arc::make_mut(policy).user_mut() = user;
        }
        Ok(())
    }
}

/// Add a rule to the person's file, as it is on the disk now: it may have been edited by hand.
fn save(file: &dyn PolicyFile, rule: &Rule) -> Result<Rules> {
    let unsaved = |error: String| {
        Error::conflict(format!("the rule cannot be saved to {}: {error}", file.name()))
            .hint("mend the file, or answer `once` or `session`")
    };
    let text = file.read().map_err(|error| unsaved(error.to_string()))?.unwrap_or_default();
    let (text, id) =
        openspace_policy::save(&text, rule).map_err(|error| unsaved(error.to_string()))?;
    file.write(&text).map_err(|error| unsaved(error.to_string()))?;
    tracing::info!(id, file = file.name(), "a rule was saved");
    Rules::of_user(&text).map_err(|error| unsaved(error.to_string()))
}

/// A rule as it stands in a file, by itself.
fn read_rule(text: &str) -> Result<Rule> {
    let rules = Rules::of_user(text).ok();
    let rule = rules.as_ref().and_then(|rules| rules.iter().next()).cloned();
    rule.ok_or_else(|| Error::internal("the rule that was shown cannot be read"))
}

/// The rules of the person's own file.
pub fn user_rules(file: &dyn PolicyFile) -> Result<Rules, PolicyError> {
    let name = file.name();
    let text = file
        .read()
        .map_err(|error| PolicyError::Unreadable { file: name.clone(), error })?
        .unwrap_or_default();
    rules(&name, Rules::of_user(&text))
}

/// Rules, or which file is wrong.
pub fn rules(file: &str, read: Result<Rules, PolicyFileError>) -> Result<Rules, PolicyError> {
    read.map_err(|error| PolicyError::Wrong { file: file.to_owned(), error })
}

/// The text of the project's file, if it has one.
async fn project_text(host: &dyn Host) -> Result<Option<String>, PolicyError> {
    let path = RelPath::parse(PROJECT_POLICY).unwrap_or_default();
    match host.ask(ReadText { path, range: LineRange::default(), person: false }).await {
        Ok(text) => Ok(Some(text.content)),
        Err(HostError::File(FileError::NotFound { .. })) => Ok(None),
        // One that exists and cannot be read must not be taken for none.
        Err(error) => Err(PolicyError::Project(Box::new(error))),
    }
}

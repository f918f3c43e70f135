//! What the command line chooses about agents, and what becomes of it on this machine.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::Result;
use openspace_isolation::{Caches, Reach};
use openspace_workspace::{
    permission::{ANSWER_WITHIN, PermissionOptions, Profile},
    workspaces::{AgentsPlaces, Confining},
};

use crate::{environment::Environment, policy_file::UserPolicy, state_folder::StateFolder};

/// Who may do what, as chosen on the command line.
#[derive(Clone, Copy, Debug)]
pub struct PermissionChoice {
    /// The profile. Without one nobody is asked about anything.
    pub profile: Option<Profile>,
    /// How long a call is held for an answer.
    pub answer_within: Duration,
}

impl Default for PermissionChoice {
    fn default() -> Self {
        Self { profile: None, answer_within: ANSWER_WITHIN }
    }
}

impl PermissionChoice {
    /// With the rules in the person's own file.
    pub(super) fn with_file_of(self, environment: &Environment) -> PermissionOptions {
        PermissionOptions {
            profile: self.profile,
            file: Arc::new(UserPolicy::of(&environment.config)),
            answer_within: self.answer_within,
        }
    }
}

/// Where agents' programs run in workspaces without walls of their own, as chosen on the command line.
#[derive(Clone, Debug)]
pub struct AgentsChoice {
    /// In a confined place, or where everybody's do.
    pub confined: bool,
    /// How much network a confined place has.
    pub reach: Reach,
    /// Whether tools in it have caches of their own.
    pub own_caches: bool,
    /// Further folders and files that can be read in it.
    pub readable: Vec<PathBuf>,
    /// Further folders and files that can be changed in it.
    pub writable: Vec<PathBuf>,
}

impl AgentsChoice {
    /// Where everybody's do.
    pub const SHARED: Self = Self {
        confined: false,
        reach: Reach::Machine,
        own_caches: false,
        readable: Vec::new(),
        writable: Vec::new(),
    };

    /// The same, with what only this machine and this server know.
    pub(super) fn places(
        &self,
        state_folder: &StateFolder,
        environment: &Environment,
    ) -> Result<AgentsPlaces> {
        if !self.confined {
            return Ok(AgentsPlaces::Shared);
        }
        Ok(AgentsPlaces::Confined(Confining {
            reach: self.reach,
            home: environment.home.clone(),
            readable: self.readable.clone(),
            writable: self.writable.clone(),
            caches: if self.own_caches {
                Caches::Own(state_folder.private_folder("agents-caches")?)
            } else {
                Caches::Shared
            },
            // Tokens, databases, rules and settings of this and every other server.
            hidden: vec![environment.state.clone(), environment.config.clone()],
        }))
    }
}

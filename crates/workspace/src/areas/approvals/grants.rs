//! What callers were allowed for the rest of their session. It is kept in memory, and has a bound.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use openspace_command::Caller;

/// Grants of all callers together; the oldest are forgotten.
const MAX_GRANTS: usize = 1_000;

/// What was allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grant {
    /// The same call: its command and the digest of its arguments.
    Call { command: String, digest: String },
    /// To act in a thing of somebody else's.
    Thing(String),
    /// What a rule says, in the form in which it would be saved.
    Rule(String),
}

/// A grant, and who said so.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    caller: String,
    grant: Grant,
    by: String,
}

/// What callers were allowed.
#[derive(Debug, Default)]
pub struct Grants(Mutex<VecDeque<Given>>);

impl Grants {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Given>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allow something for the rest of a caller's session.
    pub fn give(&self, caller: &Caller, grant: Grant, by: &str) {
        let mut given = self.lock();
        let caller = caller.key();
        given.retain(|known| !(known.caller == caller && known.grant == grant));
        if given.len() == MAX_GRANTS {
            given.pop_front();
        }
        given.push_back(Given { caller, grant, by: by.to_owned() });
    }

    /// Who allowed just that, if anybody did.
    pub fn by(&self, caller: &Caller, grant: &Grant) -> Option<String> {
        let (given, caller) = (self.lock(), caller.key());
        let known = given.iter().find(|known| known.caller == caller && known.grant == *grant);
        known.map(|known| known.by.clone())
    }

    /// The rules that a caller was allowed to act by, with who said so.
    pub fn rules(&self, caller: &Caller) -> Vec<(String, String)> {
        let (given, caller) = (self.lock(), caller.key());
        let own = given.iter().filter(|known| known.caller == caller);
        let rules = own.filter_map(|known| match &known.grant {
            Grant::Rule(rule) => Some((rule.clone(), known.by.clone())),
            Grant::Call { .. } | Grant::Thing(_) => None,
        });
        rules.collect()
    }

    /// Forget what a caller was allowed: its session is over.
    pub fn forget(&self, caller: &Caller) {
        let key = caller.key();
        self.lock().retain(|known| known.caller != key);
    }
}

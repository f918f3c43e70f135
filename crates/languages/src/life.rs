//! When a server is started again, when it is ended, and which of several: rules over plain numbers.

use std::{collections::VecDeque, time::Duration};

use serde::{Deserialize, Serialize};

use crate::Moment;

/// How long a server may take to greet.
pub const GREETING: Duration = Duration::from_mins(1);
/// How long it may take to get ready to end, and then to end.
pub const FAREWELL: Duration = Duration::from_secs(2);
/// Starts in [`CRASHES_WITHIN`] that may end in a crash.
pub(crate) const MOST_CRASHES: usize = 5;
/// Crashes that are older are forgotten.
pub(crate) const CRASHES_WITHIN: Duration = Duration::from_mins(3);
/// How long to wait after the first crash, the second and so on.
const BACK_OFF: [Duration; 4] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];

/// Crashes of a server.
#[derive(Debug, Default)]
pub(crate) struct Crashes(VecDeque<Moment>);

impl Crashes {
    /// It crashed. When to start it again, if at all.
    pub(crate) fn note(&mut self, now: Moment) -> Option<Moment> {
        self.0.retain(|crash| *crash + CRASHES_WITHIN > now);
        self.0.push_back(now);
        if self.0.len() >= MOST_CRASHES {
            return None;
        }
        let wait = BACK_OFF.get(self.0.len() - 1).or(BACK_OFF.last());
        wait.map(|wait| now + *wait)
    }

    /// Somebody wants it in spite of them.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}

/// What servers may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// After so many seconds without a document and a question a server is ended.
    pub idle_s: u64,
    /// Mebibytes of memory of one server with all its processes.
    pub memory_mib: u64,
    /// Mebibytes of memory of all servers together.
    pub memory_of_all_mib: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { idle_s: 600, memory_mib: 2048, memory_of_all_mib: 4096 }
    }
}

/// Bytes of a mebibyte.
pub const MIB: u64 = 1024 * 1024;

/// What a server uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage<Name> {
    /// Which one.
    pub server: Name,
    /// Bytes of memory of all its processes.
    pub memory: u64,
    /// How long ago it was asked something, or told a text.
    pub unused: Duration,
}

/// Why a server must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMuch {
    /// It uses more than one may.
    ByItself,
    /// All together use more than they may, and this one was not used for the longest time.
    Together,
}

/// Which servers must end, so that the rest keeps to the limits.
pub fn over_limits<Name: Clone>(limits: &Limits, usages: &[Usage<Name>]) -> Vec<(Name, TooMuch)> {
    let (too_large, mut rest): (Vec<&Usage<Name>>, Vec<&Usage<Name>>) =
        usages.iter().partition(|usage| usage.memory > limits.memory_mib.saturating_mul(MIB));
    let mut end: Vec<(Name, TooMuch)> =
        too_large.into_iter().map(|usage| (usage.server.clone(), TooMuch::ByItself)).collect();
    rest.sort_by_key(|usage| std::cmp::Reverse(usage.unused));
    let most = limits.memory_of_all_mib.saturating_mul(MIB);
    let mut together = rest.iter().fold(0_u64, |sum, usage| sum.saturating_add(usage.memory));
    for usage in rest {
        if together <= most {
            break;
        }
        together = together.saturating_sub(usage.memory);
        end.push((usage.server.clone(), TooMuch::Together));
    }
    end
}

#[cfg(test)]
mod tests;

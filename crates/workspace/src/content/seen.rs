//! What each caller has seen of each file, by hash: a change of something else is a conflict.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use openspace_command::Caller;
use openspace_protocol::RelPath;

/// Files that are remembered, of all callers together; the oldest are forgotten first.
const MAX_SEEN: usize = 20_000;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    caller: String,
    workspace: String,
    path: RelPath,
}

#[derive(Default)]
struct Memory {
    hashes: HashMap<Key, String>,
    order: VecDeque<Key>,
}

/// What callers have seen.
#[derive(Default)]
pub struct Seen(Mutex<Memory>);

impl Seen {
    /// A caller has seen a file as it is with this hash.
    pub fn note(&self, caller: &Caller, workspace: &str, path: &RelPath, hash: &str) {
        let key = key(caller, workspace, path);
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.hashes.insert(key.clone(), hash.to_owned()).is_none() {
            memory.order.push_back(key);
            if memory.order.len() > MAX_SEEN
                && let Some(oldest) = memory.order.pop_front()
            {
                memory.hashes.remove(&oldest);
            }
        }
    }

    /// A caller has learnt that there is no such file.
    pub fn forget(&self, caller: &Caller, workspace: &str, path: &RelPath) {
        let key = key(caller, workspace, path);
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.hashes.remove(&key).is_some() {
            memory.order.retain(|known| *known != key);
        }
    }

    /// The hash a caller saw last, if it has seen the file.
    pub fn hash(&self, caller: &Caller, workspace: &str, path: &RelPath) -> Option<String> {
        let memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memory.hashes.get(&key(caller, workspace, path)).cloned()
    }
}

fn key(caller: &Caller, workspace: &str, path: &RelPath) -> Key {
    Key { caller: caller.key(), workspace: workspace.to_owned(), path: path.clone() }
}

#[cfg(test)]
mod tests {
    use openspace_command::CallerKind;

    use super::*;

    #[test]
    fn each_caller_has_seen_what_it_has_seen_and_the_memory_is_bounded() {
        let seen = Seen::default();
        let one = Caller::new(CallerKind::Agent, "one", None);
        let two = Caller::new(CallerKind::Agent, "two", None);
        let path = |number: usize| RelPath::parse(&format!("f{number}")).unwrap();
        seen.note(&one, "main", &path(0), "old");
        seen.note(&one, "main", &path(0), "new");
        assert_eq!(seen.hash(&one, "main", &path(0)).as_deref(), Some("new"));
        assert_eq!(seen.hash(&two, "main", &path(0)), None);
        assert_eq!(seen.hash(&one, "w1", &path(0)), None);
        for number in 1..=MAX_SEEN {
            seen.note(&two, "main", &path(number), "x");
        }
        assert_eq!(seen.hash(&one, "main", &path(0)), None);
        let memory = seen.0.lock().unwrap();
        assert_eq!((memory.hashes.len(), memory.order.len()), (MAX_SEEN, MAX_SEEN));
    }
}

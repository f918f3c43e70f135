//! What was seen lately: a map that forgets its oldest entry for a new one.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

#[derive(Debug)]
pub(super) struct Recent<K, V> {
    entries: HashMap<K, V>,
    order: VecDeque<K>,
    most: usize,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    pub(super) fn new(most: usize) -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new(), most }
    }

    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key)
    }

    /// What stood there before.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let before = self.entries.insert(key.clone(), value);
        if before.is_none() {
            if self.order.len() == self.most
                && let Some(oldest) = self.order.pop_front()
            {
                self.entries.remove(&oldest);
            }
            self.order.push_back(key);
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn the_oldest_entry_is_forgotten_for_a_new_one() {
        let mut recent = Recent::new(2);
        assert_eq!(recent.insert(1, 'a'), None);
        assert_eq!(recent.insert(2, 'b'), None);
        assert_eq!(recent.insert(1, 'c'), Some('a'));
        assert_eq!(recent.insert(3, 'd'), None);
        let kept = [1, 2, 3].map(|key| recent.get_mut(&key).copied());
        assert_eq!(kept, [None, Some('b'), Some('d')]);
    }
}

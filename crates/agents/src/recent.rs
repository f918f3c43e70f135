//! What was seen lately: a map that forgets its oldest entry for a new one.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    entries: HashMap<K, V>,
    order: VecDeque<K>,
    most: usize,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new(), most }
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key)
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key)
    }

    /// What is there under a key, put there now if it was not.
    pub(crate) fn or_insert_with(&mut self, key: &K, value: impl Fn() -> V) -> &mut V {
        if !self.entries.contains_key(key) {
            self.insert(key.clone(), value());
        }
        self.entries.entry(key.clone()).or_insert_with(value)
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let removed = self.entries.remove(key)?;
        self.order.retain(|known| known != key);
        Some(removed)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.entries.iter_mut()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.values()
    }

    /// Forget what is not wanted.
    pub(crate) fn retain(&mut self, wanted: impl Fn(&K, &V) -> bool) {
        self.entries.retain(|key, value| wanted(key, value));
        self.order.retain(|key| self.entries.contains_key(key));
    }

    /// What stood there before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
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
        assert_eq!(recent.remove(&2), Some('b'));
        assert_eq!(
            (recent.insert(4, 'e'), recent.get(&3)),
            (None, Some(&'d')),
            "there is room again"
        );
    }
}

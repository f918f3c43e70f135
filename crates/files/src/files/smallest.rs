//! The smallest few of many values, in memory for the few only.

use std::collections::BinaryHeap;

pub(crate) struct Smallest<T> {
    kept: BinaryHeap<T>,
    limit: usize,
    seen: u64,
}

impl<T: Ord> Smallest<T> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: BinaryHeap::new(), limit, seen: 0 }
    }

    pub(crate) fn push(&mut self, value: T) {
        self.seen += 1;
        if self.kept.len() < self.limit {
            self.kept.push(value);
        } else if let Some(mut largest) = self.kept.peek_mut()
            && value < *largest
        {
            *largest = value;
        }
    }

    /// How many values were offered.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    pub(crate) fn into_sorted(self) -> Vec<T> {
        self.kept.into_sorted_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_are_kept_in_order_and_all_are_counted() {
        let mut smallest = Smallest::new(3);
        for value in [5, 1, 4, 2, 3, 1] {
            smallest.push(value);
        }
        assert_eq!((smallest.seen(), smallest.into_sorted()), (6, vec![1, 1, 2]));
    }

    #[test]
    fn a_limit_of_nothing_keeps_nothing() {
        let mut smallest = Smallest::new(0);
        smallest.push(1);
        assert_eq!((smallest.seen(), smallest.into_sorted()), (1, vec![]));
    }
}

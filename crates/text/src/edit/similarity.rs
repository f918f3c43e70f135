//! How alike two lines or two blocks of lines are, in thousandths.

use super::lines::differences;

/// Lines that differ in more characters than this on both sides count as wholly different there.
const MAX_CHARACTERS: usize = 256;

/// What may be spent on comparing, so that no input takes long. One unit is about a nanosecond.
pub(super) struct Budget(u64);

impl Budget {
    pub(super) const fn new() -> Self {
        Self(50_000_000)
    }

    /// Pay for a piece of work; none if it cannot be afforded.
    pub(super) fn spend(&mut self, cost: usize) -> Option<()> {
        self.0 = self.0.checked_sub(cost as u64)?;
        Some(())
    }
}

/// How alike two blocks are: lines that belong together by their order are compared with one
/// another, a line without a partner is worth nothing. None if it costs too much to say.
pub(super) fn blocks(old: &[&str], new: &[&str], budget: &mut Budget) -> Option<u64> {
    budget.spend(old.len().saturating_mul(new.len()))?;
    let mut equal = old.len();
    let mut similar = 0;
    for (gone, come) in differences(old, new) {
        equal -= gone.len();
        for (left, right) in old[gone].iter().zip(&new[come]) {
            similar += lines(left, right, budget)?;
        }
    }
    let both = (old.len() + new.len()).max(1) as u64;
    Some((equal as u64 * 1000 + similar) * 2 / both)
}

/// How alike two lines are: the share of characters that need not be changed.
fn lines(left: &str, right: &str, budget: &mut Budget) -> Option<u64> {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let longer = left.len().max(right.len()) as u64;
    budget.spend(left.len() + right.len())?;
    if longer == 0 {
        return Some(1000);
    }
    let head = left.iter().zip(&right).take_while(|(l, r)| l == r).count();
    let (left, right) = (&left[head..], &right[head..]);
    let tail = left.iter().rev().zip(right.iter().rev()).take_while(|(l, r)| l == r).count();
    let (left, right) = (&left[..left.len() - tail], &right[..right.len() - tail]);
    let changed = if left.len().min(right.len()) > MAX_CHARACTERS {
        left.len().max(right.len())
    } else {
        budget.spend(left.len() * right.len())?;
        distance(left, right)
    };
    Some((longer - changed as u64) * 1000 / longer)
}

/// How many characters must be put in, taken out or changed to make one of the other.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, to) in right.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

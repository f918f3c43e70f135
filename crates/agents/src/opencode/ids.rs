//! Ids of messages that we make.
//!
//! opencode takes the id of a prompt from who sends it, so that the message is known before it is told. It compares ids to
//! see whether a prompt was answered, so an id must follow the newest message, and one that is ahead of opencode's own
//! clock may count as not answered for as long. So none is made of a clock here: each is the next after the newest that
//! there is.

use std::{collections::hash_map::RandomState, hash::BuildHasher, sync::Mutex};

use crate::model::MessageId;

#[cfg(test)]
mod tests;

const PREFIX: &str = "msg_";
/// Digits of time and counter, in hexadecimal.
const TIME: usize = 12;
/// Letters that make it unique.
const REST: usize = 14;
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Makes ids that follow each other.
#[derive(Debug, Default)]
pub(super) struct Ids {
    last: Mutex<u64>,
}

impl Ids {
    /// The next id after the newest message of a session, or after the beginning of a session without any; never the same
    /// again, also when two are asked for at the same time.
    pub(super) fn following(&self, newest: Option<&MessageId>, began: i64) -> MessageId {
        let newest = newest.and_then(|id| time_of(&id.0));
        let newest = newest.unwrap_or_else(|| of_milliseconds(began));
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *last = newest.max(*last) + 1;
        MessageId(format!("{PREFIX}{:0TIME$x}{}", *last, rest()))
    }
}

/// The 48 bits that order an id.
pub(super) fn time_of(id: &str) -> Option<u64> {
    let digits = id.strip_prefix(PREFIX)?.get(..TIME)?;
    u64::from_str_radix(digits, 16).ok()
}

/// opencode counts up to 4096 ids in a millisecond, and keeps 48 bits.
fn of_milliseconds(time: i64) -> u64 {
    u64::try_from(time).unwrap_or_default().wrapping_mul(4096) & ((1 << 48) - 1)
}

fn rest() -> String {
    // Each has other keys, made of what the system gives as random.
    let mut random = RandomState::new().hash_one(0);
    let mut letters = String::with_capacity(REST);
    for position in 0..REST {
        if position == REST / 2 {
            random = RandomState::new().hash_one(1);
        }
        let index = usize::try_from(random % 62).unwrap_or_default();
        letters.push(char::from(LETTERS[index]));
        random /= 62;
    }
    letters
}

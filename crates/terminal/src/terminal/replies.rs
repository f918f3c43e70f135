//! What a terminal itself answers to its program, such as where the cursor is, until it is taken.
//!
//! The program may read slowly or only a part, and somebody may be typing: an answer is then sent later
//! and whole, never between two halves of what is typed. A program that asks on and on and reads nothing
//! gets no more answers.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use super::Device;

/// Bytes that wait for a program at most.
const MOST: usize = 64 * 1024;

#[derive(Default)]
struct Waiting {
    bytes: VecDeque<u8>,
    /// Something was left out, and that was said.
    overflowed: bool,
}

#[derive(Default)]
pub(super) struct Replies(Mutex<Waiting>);

impl Replies {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().bytes.is_empty()
    }

    /// One more answer, whole or not at all.
    pub(super) fn add(&self, reply: &[u8]) {
        let mut waiting = self.lock();
        if waiting.bytes.len() + reply.len() <= MOST {
            waiting.bytes.extend(reply);
        } else if !std::mem::replace(&mut waiting.overflowed, true) {
            tracing::warn!(
                "a program asks its terminal and does not read the answers; more are left out"
            );
        }
    }

    /// Writes as much as is taken; whether nothing waits any more. Only for who may write now.
    pub(super) fn offer(&self, device: &Device) -> Result<bool, Errno> {
        let mut waiting = self.lock();
        while !waiting.bytes.is_empty() {
            match rustix::io::write(device.get_ref(), waiting.bytes.as_slices().0) {
                Ok(count) => drop(waiting.bytes.drain(..count)),
                Err(Errno::AGAIN) => return Ok(false),
                Err(errno) => return Err(errno),
            }
        }
        waiting.overflowed = false;
        Ok(true)
    }
}

//! What one side has said and the other has not yet acknowledged, in order.
//!
//! The outbox numbers frames and knows which of them are written to the present stream. Senders
//! pay for room with the budget of the session before they push; frames without a price are few,
//! and a peer that lets them pile up breaks the rules.

use std::collections::VecDeque;
use std::sync::Arc;

use super::frame::{Frame, Kind};
use super::{REPLAY, Violation};

/// Frames without a price that may be unacknowledged. An honest peer stays far below.
const MOST_FREE_FRAMES: usize = 64 * 1024;
/// What each frame costs besides its payload.
const OVERHEAD: usize = 64;

/// What a payload costs of the budget.
pub(super) fn price(payload: usize) -> u32 {
    u32::try_from((payload + OVERHEAD).min(REPLAY)).unwrap_or(u32::MAX)
}

#[derive(Debug)]
struct Kept {
    frame: Frame,
    price: u32,
}

#[derive(Debug, Default)]
pub(super) struct Outbox {
    frames: VecDeque<Kept>,
    /// How many of them, from the front, are written to the present stream.
    written: usize,
    /// The number of the last frame that the other side acknowledged.
    acknowledged: u64,
    /// How many of them have no price.
    free: usize,
}

impl Outbox {
    /// `price` is 0 for a frame that did not wait for the budget.
    pub(super) fn push(&mut self, kind: Kind, call: u64, payload: Vec<u8>, price: u32) {
        let sequence = self.acknowledged + self.frames.len() as u64 + 1;
        self.free += usize::from(price == 0);
        let frame = Frame { kind, sequence, call, payload: Arc::new(payload) };
        self.frames.push_back(Kept { frame, price });
    }

    /// Moves on to frames not yet written, at least one and until `bytes` are together.
    pub(super) fn take(&mut self, batch: &mut Vec<Frame>, bytes: usize) {
        let mut taken = 0;
        for kept in self.frames.range(self.written..) {
            if taken >= bytes {
                break;
            }
            taken += kept.frame.payload.len() + OVERHEAD;
            batch.push(kept.frame.clone());
        }
        self.written += batch.len();
    }

    /// Forgets what arrived and tells how much of the budget that frees.
    pub(super) fn acknowledge(&mut self, found: u64) -> Result<usize, Violation> {
        let sent = self.acknowledged + self.written as u64;
        if found > sent {
            return Err(Violation::Acknowledgement { sent, found });
        }
        if self.free > MOST_FREE_FRAMES {
            return Err(Violation::NeverAcknowledges);
        }
        let mut freed = 0;
        while self.acknowledged < found {
            if let Some(kept) = self.frames.pop_front() {
                freed += kept.price as usize;
                self.free -= usize::from(kept.price == 0);
            }
            self.acknowledged += 1;
            self.written -= 1;
        }
        Ok(freed)
    }

    /// A new stream begins behind `received`, the last frame that the other side has.
    pub(super) fn rewind(&mut self, received: u64) -> Result<usize, Violation> {
        if received < self.acknowledged {
            let sent = self.acknowledged + self.written as u64;
            return Err(Violation::Acknowledgement { sent, found: received });
        }
        let freed = self.acknowledge(received)?;
        self.written = 0;
        Ok(freed)
    }

    pub(super) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

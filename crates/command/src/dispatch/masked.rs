//! Where the dispatcher masks: what it answers, and what agents get beside calls.

use std::sync::atomic::Ordering;

use serde_json::Value;

use super::{Call, Dispatcher, Reply};
use crate::masking;

impl<S: Send + Sync + 'static> Dispatcher<S> {
    /// A text that reaches an agent in another way than by a call, with secrets hidden in it.
    pub fn mask_text(&self, text: String) -> String {
        let masker = self.0.masks.masker();
        let masked = masker.mask(&text);
        self.count_masked(masked.count);
        if masked.count > 0 { masked.text.into_owned() } else { text }
    }

    /// The same of a value; names in it stay as they are.
    pub fn mask_value(&self, value: &mut Value) {
        let count = masking::mask_value(&self.0.masks.masker(), value);
        self.count_masked(count);
    }

    /// Wait until it is known what has to be hidden.
    pub async fn masks_ready(&self) {
        self.0.masks.ready().await;
    }

    /// How many secrets were masked so far.
    pub fn masked(&self) -> u64 {
        self.0.masked.load(Ordering::Relaxed)
    }

    /// Hide secrets in what an agent gets. A part of a call is masked with the whole.
    pub(super) fn mask(&self, call: &Call, reply: &mut Reply) {
        if masking::is_masked_for(&call.caller) && !call.nested && !call.unmask.is_allowed() {
            masking::mask_reply(&self.0.masks.masker(), reply);
            self.count_masked(reply.masked);
        }
    }

    fn count_masked(&self, count: usize) {
        self.0.masked.fetch_add(count as u64, Ordering::Relaxed);
    }
}

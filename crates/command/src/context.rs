//! What a running command may use: the state, who called, progress, and whether to stop.

use std::sync::Arc;

use openspace_secrets::Stream;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{Call, Caller, Dispatcher, Hold, Intent, Masks, Reply, Unmask};

/// One report of progress.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressUpdate {
    /// How much is done; grows with every report.
    pub done: f64,
    /// How much there is, if known.
    pub total: Option<f64>,
    /// What is happening, for readers.
    pub message: String,
}

/// Where progress goes. Reports are dropped when nobody listens or the listener is slow: progress
/// never holds up the work.
#[derive(Clone, Default)]
pub struct Progress {
    listener: Option<mpsc::Sender<ProgressUpdate>>,
    /// What hides secrets from the listener, unless that was lifted.
    masks: Option<(Arc<dyn Masks>, Unmask)>,
}

impl Progress {
    /// Progress that somebody listens to.
    pub fn to(sender: mpsc::Sender<ProgressUpdate>) -> Self {
        Self { listener: Some(sender), masks: None }
    }

    /// The same with secrets hidden in it.
    pub(crate) fn masked(self, masks: Arc<dyn Masks>, unmask: Unmask) -> Self {
        Self { masks: Some((masks, unmask)), ..self }
    }

    /// What masks text that comes in pieces, such as a program's output, before it is reported; `None` when
    /// nothing is hidden from the listener.
    pub fn stream(&self) -> Option<Stream> {
        let (masks, _) = self.masks.as_ref().filter(|(_, unmask)| !unmask.is_allowed())?;
        Some(Stream::new(masks.masker()))
    }

    /// Report how far the work is.
    pub fn report(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let Some(sender) = &self.listener {
            let mut message = message.into();
            if let Some((masks, unmask)) = &self.masks
                && !unmask.is_allowed()
            {
                message = masks.masker().mask(&message).text.into_owned();
            }
            let update = ProgressUpdate { done, total, message };
            if sender.try_send(update).is_err() {
                tracing::trace!("a progress report found no free listener");
            }
        }
    }
}

/// What a running command may use.
pub struct Cx<S: 'static> {
    /// The state that commands work on.
    pub state: Arc<S>,
    /// Who called.
    pub caller: Caller,
    /// Where to report progress.
    pub progress: Progress,
    /// Set when the caller has taken the call back; the run is dropped at its next await point, so
    /// only work on blocking threads needs to look.
    pub cancelled: CancellationToken,
    /// Lifts the masking of this call's answer, for who is allowed to see it.
    pub unmask: Unmask,
    /// What the guard was told at its first look that the call would do; `None` where it did not look. It may be long
    /// ago: what has changed since then was not decided about.
    pub judged: Option<Intent>,
    pub(crate) hold: Hold,
    pub(crate) wants_text: bool,
    /// The command only passes calls on.
    pub(crate) passes_on: bool,
    pub(crate) dispatcher: Dispatcher<S>,
}

impl<S: Send + Sync + 'static> Cx<S> {
    /// Run another command for the same caller, as part of this call.
    pub async fn dispatch(&self, command: &str, args: Value) -> Reply {
        let call = Call {
            progress: self.progress.clone(),
            cancel: self.cancelled.clone(),
            hold: self.hold.clone(),
            wants_text: self.wants_text,
            nested: true,
            unmask: self.unmask.clone(),
            passed_on: self.passes_on,
            ..Call::new(self.caller.clone(), command, args)
        };
        Box::pin(self.dispatcher.dispatch(call)).await
    }

    /// The dispatcher, for commands about commands.
    pub fn dispatcher(&self) -> &Dispatcher<S> {
        &self.dispatcher
    }
}

//! What a running command may use: the state, who called, progress, and whether to stop.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{Call, Caller, Dispatcher, Hold, Reply};

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
#[derive(Clone, Debug, Default)]
pub struct Progress(Option<mpsc::Sender<ProgressUpdate>>);

impl Progress {
    /// Progress that somebody listens to.
    pub fn to(sender: mpsc::Sender<ProgressUpdate>) -> Self {
        Self(Some(sender))
    }

    /// Report how far the work is.
    pub fn report(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let Some(sender) = &self.0 {
            let update = ProgressUpdate { done, total, message: message.into() };
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

//! Commands that an agent writes into its text: run as that agent in that session, one after the other, and what
//! became of each is told to it with the next prompt.
//!
//! They are calls like all others: by the same names, rules, limits and record. One that a person has to decide about
//! leaves its question and does not wait, so it holds up no other; written again, it takes the answer. Nothing is
//! sent to the agent by itself.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use openspace_agents::{
    Agent,
    written::{Found, Outcome, Written},
};
use openspace_command::{Call, Caller, CallerKind, Hold, Reply};
use serde_json::Value;
use tokio::sync::mpsc;

use super::Conversations;

/// How an agent is told to write commands.
const INTRODUCTION: &str = "\
You can run commands of this workspace by writing them into your text, each in one line of its own: \
%%OS{\"cmd\":\"editor.open\",\"args\":{\"path\":\"src/main.rs\",\"line\":42}}%% \
They are taken out of what the person reads and are run while you write; what became of them is told to you \
with the next prompt. `command.search` with a `query` finds commands, `command.help` explains one.";
/// How long a command may take; then it is taken back.
const PATIENCE: Duration = Duration::from_mins(2);
/// Bytes of an answer that are kept.
const LONGEST: usize = 16 * 1024;
/// What is told of a command that a person has to decide about.
const WRITE_AGAIN: &str = "write the command again once the person has answered";

impl Conversations {
    /// The same agent, with the commands in its text taken out and run.
    pub(super) fn with_commands_in_text(
        self: &Arc<Self>,
        id: &str,
        agent: Arc<dyn Agent>,
    ) -> Arc<dyn Agent> {
        let (written, found) = Written::around(agent, INTRODUCTION);
        let conversations = Arc::downgrade(self);
        tokio::spawn(run_all(id.to_owned(), conversations, Arc::downgrade(&written), found));
        written
    }

    /// Run what an agent wrote.
    async fn run_written(&self, id: &str, found: &Found) -> Option<Outcome> {
        let dispatcher = self.dispatcher().ok()?;
        let session = self.root_of(id, &found.session).await;
        let caller = Caller::new(CallerKind::Agent, id, Some(&session.0));
        let args = Value::Object(found.command.args.clone());
        let call =
            Call::new(caller, &found.command.cmd, args).with_text(true).with_hold(Hold::leaving());
        let cancel = call.cancel.clone();
        let running = dispatcher.dispatch(call);
        tokio::pin!(running);
        let in_time = tokio::time::timeout(PATIENCE, &mut running).await;
        let reply = if let Ok(reply) = in_time {
            reply
        } else {
            cancel.cancel();
            running.await
        };
        Some(outcome(&reply))
    }
}

/// Run what is found, one after the other, as long as the agent is there.
async fn run_all(
    id: String,
    conversations: Weak<Conversations>,
    written: Weak<Written>,
    mut found: mpsc::Receiver<Found>,
) {
    while let Some(found) = found.recv().await {
        let Some(conversations) = conversations.upgrade() else { return };
        tracing::debug!(agent = id, command = found.command.cmd, "a command was written");
        let Some(outcome) = conversations.run_written(&id, &found).await else { return };
        drop(conversations);
        let Some(written) = written.upgrade() else { return };
        written.ran(&found, &outcome);
    }
}

fn outcome(reply: &Reply) -> Outcome {
    let mut text = reply.to_text();
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
    if reply.result.as_ref().is_err_and(|error| error.approval.is_some()) {
        text.push('\n');
        text.push_str(WRITE_AGAIN);
    }
    Outcome { is_done: reply.result.is_ok(), text }
}

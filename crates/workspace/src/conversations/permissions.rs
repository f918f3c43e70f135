//! Requests of agents for leave: judged by the policy, asked about in the one list of questions, and answered.
//!
//! A yes is told as one for this time, whatever it was for the person: what is allowed for longer is a rule of
//! the policy, by which the next request is judged. A no goes with its reason, so that the agent can go on.
//! Where nobody judges calls, what an agent asks waits for the person in its conversation.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
};

use openspace_agents::{
    Ability, Agent, Event,
    model::{PermissionAnswer, PermissionId, PermissionRequest, SessionId, SessionStatus},
};
use openspace_command::{Call, Caller, CallerKind, Command, ErrorKind, Site, WeakDispatcher};
use serde_json::json;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{Conversations, calls::Calls, use_tool::UseTool};
use crate::{
    OpenSpace,
    agents::{Why, agent_id, cleanup::server},
};

/// Requests of one agent that are judged at once; the agent keeps the others until some are answered.
const MOST_AT_ONCE: usize = 50;

/// Ends what an agent brought.
const CLEAN_UP: &str = "agent.clean_up";

/// What an agent asks for, as long as it waits.
pub(super) struct Asked {
    pub(super) agent: String,
    pub(super) site: Site,
    pub(super) what: UseTool,
}

impl Conversations {
    /// Where a tool would be used that an agent asks for; nothing if it does not ask.
    pub(super) fn site_of(&self, what: &UseTool, caller: &Caller) -> Option<Site> {
        let asked = self.asked();
        let found = asked.get(&what.request)?;
        let is_its = found.agent == caller.id && caller.kind == CallerKind::Agent;
        (is_its && found.what == *what).then_some(found.site)
    }
}

/// Requests that are judged: of which session, what takes them back, and who judges.
type Waiting = BTreeMap<PermissionId, (SessionId, CancellationToken, AbortOnDropHandle<()>)>;

/// Answers the requests of one agent, for as long as it runs.
pub(super) struct Answering {
    pub(super) conversations: Weak<Conversations>,
    pub(super) dispatcher: WeakDispatcher<OpenSpace>,
    pub(super) id: String,
    pub(super) agent: Weak<dyn Agent>,
    pub(super) is_confined: bool,
    /// Which sessions make which calls.
    pub(super) calls: Arc<Calls>,
}

impl Answering {
    /// Answer until no more events come.
    pub(super) async fn answer(self) {
        let Some(agent) = self.agent.upgrade() else { return };
        let mut events = agent.subscribe();
        drop(agent);
        let this = Arc::new(self);
        let mut waiting = Waiting::new();
        this.look_who_works().await;
        this.begin_all(&mut waiting).await;
        while let Some(event) = events.next().await {
            waiting.retain(|_, (.., task)| !task.is_finished());
            if let Some(session) = this.calls.hear(&event) {
                this.begin_turn(&session).await;
            }
            match &*event {
                Event::PermissionAsked { request } => this.begin(&mut waiting, request.clone()),
                Event::PermissionAnswered { permission_id, .. } => {
                    if let Some((_, cancel, _)) = waiting.get(permission_id) {
                        cancel.cancel();
                    }
                }
                // A turn that is over waits for nothing, however it ended.
                Event::Status { session_id, status: SessionStatus::Idle {} } => {
                    for (_, cancel, _) in waiting.values().filter(|(of, ..)| of == session_id) {
                        cancel.cancel();
                    }
                }
                // Who is not there waits for nothing; when it is back it asks again.
                Event::Connection { connected: false, .. } => {
                    for (_, cancel, _) in std::mem::take(&mut waiting).into_values() {
                        cancel.cancel();
                    }
                }
                Event::SessionDeleted { session_id } => this.clean_up(session_id).await,
                // What was missed is asked for; what is not there any more was answered by somebody.
                Event::Gap { .. } => {
                    this.look_who_works().await;
                    this.begin_all(&mut waiting).await;
                }
                _ => {}
            }
        }
        for (_, cancel, _) in waiting.values() {
            cancel.cancel();
        }
    }

    async fn look_who_works(&self) {
        let Some(agent) = self.agent.upgrade() else { return };
        match agent.statuses().await {
            Ok(busy) => self.calls.begin_anew(busy),
            Err(error) => {
                self.calls.begin_anew(Vec::new());
                tracing::debug!(agent = self.id, %error, "which sessions work is not known");
            }
        }
    }

    /// A prompt was taken up: what its session may do is counted anew.
    async fn begin_turn(&self, session: &SessionId) {
        let Some(conversations) = self.conversations.upgrade() else { return };
        let root = conversations.root_of(&self.id, session).await;
        // A sub-agent works within the turn of who called it.
        if root == *session
            && let Some(dispatcher) = self.dispatcher.upgrade()
        {
            dispatcher.new_turn(&Caller::new(CallerKind::Agent, &self.id, Some(&session.0)));
        }
    }

    /// A session is deleted: what it brought goes with it.
    async fn clean_up(&self, session: &SessionId) {
        let Some(dispatcher) = self.dispatcher.upgrade() else { return };
        let caller = Caller::new(CallerKind::Agent, &self.id, Some(&session.0));
        let args = json!({ "agentId": agent_id(&caller), "why": Why::SessionEnded });
        let reply = dispatcher.dispatch(Call::new(server(), CLEAN_UP, args)).await;
        match reply.result {
            // It did nothing here.
            Err(error) if error.kind == ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(agent = self.id, %error, "what a session left could not all be ended");
            }
            Ok(_) => {}
        }
    }

    async fn begin_all(self: &Arc<Self>, waiting: &mut Waiting) {
        let Some(agent) = self.agent.upgrade() else { return };
        let requests = match agent.permissions().await {
            Ok(requests) => requests,
            Err(error) => {
                tracing::debug!(agent = self.id, %error, "what an agent asks for is not known");
                return;
            }
        };
        for (id, (_, cancel, _)) in &*waiting {
            if !requests.iter().any(|request| request.id == *id) {
                cancel.cancel();
            }
        }
        for request in requests {
            self.begin(waiting, request);
        }
    }

    fn begin(self: &Arc<Self>, waiting: &mut Waiting, request: PermissionRequest) {
        if waiting.contains_key(&request.id) || waiting.len() >= MOST_AT_ONCE {
            return;
        }
        let (cancel, id) = (CancellationToken::new(), request.id.clone());
        let session = request.session_id.clone();
        let task = tokio::spawn(Arc::clone(self).judge(request, cancel.clone()));
        waiting.insert(id, (session, cancel, AbortOnDropHandle::new(task)));
    }

    /// Have a request judged, and tell the agent.
    async fn judge(self: Arc<Self>, request: PermissionRequest, cancel: CancellationToken) {
        let Some(conversations) = self.conversations.upgrade() else { return };
        let site = if self.is_confined { Site::Confined } else { Site::Unconfined };
        let what = UseTool::of(&request);
        let asked = Asked { agent: self.id.clone(), site, what: what.clone() };
        let _known = conversations.ask(request.id.to_string(), asked);
        let session = conversations.root_of(&self.id, &request.session_id).await;
        let Some(answer) = self.decided(&what, &session, &cancel).await else { return };
        let Some(agent) = self.agent.upgrade() else { return };
        let takes_words = agent.capabilities().has(Ability::RejectWithMessage);
        let answer = match answer {
            PermissionAnswer::Reject { .. } if !takes_words => {
                PermissionAnswer::Reject { message: None }
            }
            answer => answer,
        };
        if let Err(error) = agent.answer_permission(&request.id, answer).await {
            tracing::warn!(agent = self.id, %error, "an agent was not told what was decided");
        }
    }

    /// What is decided; nothing if nobody has to any more.
    async fn decided(
        &self,
        what: &UseTool,
        session: &SessionId,
        cancel: &CancellationToken,
    ) -> Option<PermissionAnswer> {
        let args = json!(what);
        loop {
            let dispatcher = self.dispatcher.upgrade()?;
            // Where nobody judges, the person answers in the conversation.
            dispatcher.state().permission().policy()?;
            let caller = Caller::new(CallerKind::Agent, &self.id, Some(&session.0));
            let mut call = Call::new(caller, UseTool::META.id, args.clone()).unseen();
            call.cancel = cancel.clone();
            let reply = dispatcher.dispatch(call).await;
            drop(dispatcher);
            let Err(error) = reply.result else { return Some(PermissionAnswer::Once {}) };
            match error.kind {
                // Nobody has answered for long: the question is still there, and is waited for again.
                ErrorKind::Unanswered if !cancel.is_cancelled() => {}
                ErrorKind::Unanswered | ErrorKind::Cancelled | ErrorKind::Lost => return None,
                _ => {
                    let message = match error.hint {
                        Some(hint) => format!("{}. {hint}", error.message.trim_end_matches('.')),
                        None => error.message,
                    };
                    return Some(PermissionAnswer::Reject { message: Some(message) });
                }
            }
        }
    }
}

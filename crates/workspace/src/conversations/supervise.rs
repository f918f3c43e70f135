//! Looking after agents that run: one that ends by itself is started again, a little later each time, and after some
//! times in a row no more.

use std::{sync::Arc, time::Duration};

use openspace_agents::{Agent, Event, Subscription, known::KnownAgent};
use openspace_command::Result;
use openspace_host::BoxFuture;
use tokio::time::{Instant, sleep};

use super::{
    ATTACHED, Attached, Conversations, Running,
    choices::{Choices, Way},
    opencode,
    permissions::Answering,
    slot::{Current, Slot},
    start::{self, Started, Starting},
};

/// How long to wait before the first new start, the second and so on; after the last there is none.
const WAITS: [Duration; 5] = [
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(15),
    Duration::from_secs(30),
];
/// Who ran for so long counts as well again.
const WELL_AFTER: Duration = Duration::from_mins(2);

impl Conversations {
    /// The agent, started unless somebody else has done so meanwhile.
    pub(super) async fn started(
        self: &Arc<Self>,
        known: &KnownAgent,
        way: Way,
        slot: &Arc<Slot>,
    ) -> Result<Arc<dyn Agent>> {
        let _alone = slot.alone.lock().await;
        if let Some(agent) = slot.agent() {
            return Ok(agent);
        }
        let current = self.start(known, way, slot, 0).await?;
        Ok(Arc::clone(&current.started.agent))
    }

    /// Start it, and look after it. Called with the slot's `alone` held; `tries` is how often it ended before.
    // Boxed, because whoever attends to an agent may start it again.
    fn start<'a>(
        self: &'a Arc<Self>,
        known: &'a KnownAgent,
        way: Way,
        slot: &'a Arc<Slot>,
        tries: usize,
    ) -> BoxFuture<'a, Result<Current>> {
        Box::pin(self.try_start(known, way, slot, tries))
    }

    async fn try_start(
        self: &Arc<Self>,
        known: &KnownAgent,
        way: Way,
        slot: &Arc<Slot>,
        tries: usize,
    ) -> Result<Current> {
        if let Some(attached) = self.attached(&known.id, &way) {
            return self.attach(&attached, way);
        }
        slot.set(Running::Starting, None, None);
        self.tell(known, &way);
        let outcome = match self.dispatcher() {
            Ok(dispatcher) => {
                let outside = slot.now().outside;
                let (url, keys) = (self.options.url.as_deref(), &self.options.keys);
                let starting =
                    Starting { dispatcher: &dispatcher, known, way: &way, outside, url, keys };
                starting.start().await
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(started) => {
                let current = self.runs(&known.id, slot, started, way.clone());
                self.tell(known, &way);
                tracing::info!(agent = known.id, "an agent runs");
                tokio::spawn(Arc::clone(self).attend(
                    known.clone(),
                    way,
                    Arc::clone(slot),
                    current.clone(),
                    tries,
                ));
                Ok(current)
            }
            Err(error) => {
                let state = match start::is_missing(&error) {
                    false => Running::Failed,
                    true if self.is_on_machine(known).await => Running::Hidden,
                    true => Running::Missing,
                };
                slot.set(state, Some(error.message.clone()), error.hint.clone());
                self.tell(known, &way);
                Err(error)
            }
        }
    }

    /// It runs from now on.
    pub(super) fn runs(
        self: &Arc<Self>,
        id: &str,
        slot: &Slot,
        mut started: Started,
        way: Way,
    ) -> Current {
        if way.commands_in_text {
            started.agent = self.with_commands_in_text(id, started.agent);
        }
        let mut start = 0;
        self.starts.send_modify(|starts| {
            *starts += 1;
            start = *starts;
        });
        let current = Current { start, started: Arc::new(started), way };
        slot.set(Running::Running, current.started.note.clone(), None);
        slot.now().current = Some(current.clone());
        // Who listens looks again who runs.
        self.starts.send_modify(|_| {});
        self.answer_requests(id, &current.started);
        current
    }

    /// Answer what it asks leave for, as long as it runs.
    fn answer_requests(self: &Arc<Self>, id: &str, started: &Started) {
        let Ok(dispatcher) = self.dispatcher() else { return };
        let answering = Answering {
            conversations: Arc::downgrade(self),
            dispatcher: dispatcher.downgrade(),
            id: id.to_owned(),
            agent: Arc::downgrade(&started.agent),
            is_confined: started.confined.is,
            calls: Arc::clone(&started.calls),
        };
        tokio::spawn(answering.answer());
    }

    /// Wait until it ends, and start it again unless it was stopped.
    async fn attend(
        self: Arc<Self>,
        known: KnownAgent,
        way: Way,
        slot: Arc<Slot>,
        current: Current,
        tries: usize,
    ) {
        let Some(program) = current.started.program.clone() else { return };
        let began = Instant::now();
        drop(program.ended().await);
        let is_current = |slot: &Slot| slot.current().is_some_and(|it| it.start == current.start);
        let why = {
            let _alone = slot.alone.lock().await;
            // Whoever stopped it, or started another, has said how it is.
            if !is_current(&slot) {
                return;
            }
            let Ok(dispatcher) = self.dispatcher() else { return };
            let said = start::last_words(&dispatcher, &program);
            let why = match said.as_str() {
                "" => format!("{} ended by itself", known.name),
                said => format!("{} ended by itself; it said: {said}", known.name),
            };
            (current.started.silence)(&why);
            tracing::warn!(agent = known.id, "an agent ended by itself");
            slot.set(Running::Starting, Some(why.clone()), None);
            self.tell(&known, &way);
            why
        };
        drop(current);
        let tries = if began.elapsed() >= WELL_AFTER { 0 } else { tries };
        self.start_again(&known, &slot, why, tries).await;
    }

    /// Start an agent again that ended, a few times.
    async fn start_again(
        self: &Arc<Self>,
        known: &KnownAgent,
        slot: &Arc<Slot>,
        why: String,
        tries: usize,
    ) {
        let Some(wait) = WAITS.get(tries) else {
            let _alone = slot.alone.lock().await;
            if slot.now().state == Some(Running::Starting) && slot.current().is_none() {
                let hint = "start it again when that is mended".to_owned();
                slot.set(Running::Failed, Some(why), Some(hint));
                self.tell(known, &self.way(&known.id));
            }
            return;
        };
        sleep(*wait).await;
        let _alone = slot.alone.lock().await;
        // Somebody may have started or stopped it meanwhile.
        if slot.now().state != Some(Running::Starting) || slot.current().is_some() {
            return;
        }
        if let Err(error) = self.start(known, self.way(&known.id), slot, tries + 1).await {
            tracing::warn!(agent = known.id, %error, "an agent could not be started again");
        }
    }

    /// Stop it.
    pub(super) async fn stopped(&self, id: &str, slot: &Slot) -> Result<()> {
        let _alone = slot.alone.lock().await;
        let current = slot.current();
        slot.set(Running::Stopped, None, None);
        let ended = match &current {
            Some(current) => current.started.end("it was stopped").await,
            None => Ok(()),
        };
        drop(current);
        let Ok(dispatcher) = self.dispatcher() else { return ended };
        dispatcher.state().workspaces().close_own_place(id).await?;
        self.tell_of(id);
        ended
    }

    /// The one that somebody else started, if one is talked to instead of one that is started here: what the server was
    /// told counts before what the person's file says.
    pub(super) fn attached(&self, id: &str, way: &Way) -> Option<Attached> {
        if id != ATTACHED {
            return None;
        }
        let in_file = || {
            let url = way.address.clone()?;
            Some(Attached { url, user: None, password: self.options.password.clone() })
        };
        self.options.attached.clone().or_else(in_file)
    }

    /// Follow an opencode that somebody else started.
    pub(super) fn attach(self: &Arc<Self>, attached: &Attached, way: Way) -> Result<Current> {
        let dispatcher = self.dispatcher()?;
        let slot = self.slot(ATTACHED);
        let started = match opencode::attached(attached, dispatcher.state().folder()) {
            Ok(started) => started,
            Err(error) => {
                tracing::error!(%error, "the opencode of that address cannot be used");
                slot.set(Running::Failed, Some(error.message.clone()), error.hint.clone());
                self.tell_of(ATTACHED);
                return Err(error);
            }
        };
        let current = self.runs(ATTACHED, &slot, started, way);
        let why = format!("nobody has answered at {} yet", attached.url);
        slot.set(Running::Unreachable, Some(why), None);
        self.tell_of(ATTACHED);
        let events = current.started.agent.subscribe();
        (current.started.silence)("");
        let url = attached.url.clone();
        tokio::spawn(Arc::clone(self).follow_attached(slot, current.clone(), events, url));
        Ok(current)
    }

    /// Whether it answers, whenever that changes, until it is left.
    async fn follow_attached(
        self: Arc<Self>,
        slot: Arc<Slot>,
        current: Current,
        mut events: Subscription,
        url: String,
    ) {
        while let Some(event) = events.next().await {
            let Event::Connection { connected, why } = &*event else { continue };
            if slot.current().is_none_or(|it| it.start != current.start) {
                return;
            }
            if *connected {
                slot.set(Running::Running, None, None);
            } else {
                let why = why.clone().unwrap_or_else(|| "it does not answer".to_owned());
                let hint = format!(
                    "start it, or look whether it is at {url}; it is tried again and again"
                );
                slot.set(Running::Unreachable, Some(why), Some(hint));
            }
            self.tell_of(ATTACHED);
        }
    }

    pub(super) fn way(&self, id: &str) -> Way {
        Choices::read(&*self.options.file).way(id)
    }

    /// Tell who listens how an agent is.
    fn tell(&self, known: &KnownAgent, way: &Way) {
        // Nobody has to listen.
        drop(self.changes.send(self.state(known, way)));
    }

    /// The same for the agent with this id, if there is one.
    pub(super) fn tell_of(&self, id: &str) {
        let choices = Choices::read(&*self.options.file);
        if let Some(known) = choices.known.find(id) {
            self.tell(known, &choices.way(id));
        }
    }
}

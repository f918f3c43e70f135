//! From the greeting to the farewell, and what an end means for those who wait.

use serde_json::{Value, json, value::RawValue};

use super::{Event, Next, Phase, Server, asking::Purpose};
use crate::{
    Moment,
    abilities::{self, Abilities},
    frame::Frames,
    life::{FAREWELL, GREETING},
    message::Refusal,
    question::AskError,
    readiness::Readiness,
    watch::{Gathered, Watchers},
};

impl Server {
    /// Somebody starts a process of it: from now on questions wait for it.
    pub fn prepare(&mut self, now: Moment) {
        if matches!(self.phase, Phase::Failed { .. } | Phase::Stopped) {
            self.crashes.forget();
            self.phase = Phase::Prepared;
            self.settle(now);
        }
    }

    /// No process of it could be started, and none would be if it was tried again.
    pub fn not_started(&mut self, why: &str, now: Moment) {
        if matches!(self.phase, Phase::Prepared | Phase::Waiting { .. }) {
            self.phase = Phase::Failed { why: why.to_owned() };
            self.lose(why, now);
        }
    }

    /// A process of it runs, and its streams are there: greet it.
    pub fn begin(&mut self, now: Moment) {
        if matches!(self.phase, Phase::Failed { .. } | Phase::Stopped) {
            self.crashes.forget();
        }
        if !self.sent.is_empty() {
            self.lose("another process took its place", now);
        }
        self.generation += 1;
        self.frames = Frames::default();
        self.output.clear();
        self.abilities = Abilities::default();
        self.watchers = Watchers::default();
        self.gathered = Gathered::default();
        self.readiness = Readiness::new(self.setup.ready.clone(), now);
        self.nonsense = 0;
        self.probed = false;
        self.used = now;
        self.phase = Phase::Starting { until: now + GREETING };
        let params = self.greeting();
        self.call("initialize", &params, Purpose::Greeting, now);
        self.settle(now);
    }

    fn greeting(&self) -> Value {
        let folders: Vec<Value> =
            self.setup.folders.iter().map(|it| json!({"uri": it.uri, "name": it.name})).collect();
        let mut params = json!({
            // It may be in another place, where our number means another process.
            "processId": null,
            "clientInfo": {"name": self.setup.client, "version": self.setup.version},
            "rootUri": self.setup.folders.first().map(|it| &it.uri),
            "workspaceFolders": folders,
            "capabilities": abilities::ours(),
            "trace": "off",
        });
        if !self.setup.initialization.is_null() {
            params["initializationOptions"] = self.setup.initialization.clone();
        }
        params
    }

    pub(super) fn greeted(&mut self, answer: Result<Box<RawValue>, Refusal>, now: Moment) {
        if !matches!(self.phase, Phase::Starting { .. }) {
            return;
        }
        let result = answer
            .map_err(|refusal| format!("it refused to begin: {}", refusal.message))
            .and_then(|result| {
                serde_json::from_str(result.get()).map_err(|error| format!("its greeting: {error}"))
            })
            .and_then(Abilities::greeted);
        match result {
            Ok(abilities) => self.abilities = abilities,
            Err(why) => return self.fail(&why, now),
        }
        self.phase = Phase::Running;
        self.readiness = Readiness::new(self.setup.ready.clone(), now);
        self.tell("initialized", &json!({}));
        if self.setup.settings.all().as_object().is_some_and(|all| !all.is_empty()) {
            self.tell_settings();
        }
        for (method, params) in self.documents.all_opened(self.abilities.sync()) {
            self.tell(method, &params);
        }
        self.events.push_back(Event::Abilities);
    }

    /// It is of no use, and would not be after another start.
    pub(super) fn fail(&mut self, why: &str, now: Moment) {
        self.phase = Phase::Failed { why: why.to_owned() };
        self.events.push_back(Event::Over);
        self.lose(why, now);
    }

    /// It may not run any longer, such as one that uses too much. It does again when somebody wants that.
    pub fn give_up(&mut self, why: &str, now: Moment) {
        if matches!(self.phase, Phase::Starting { .. } | Phase::Running) {
            self.fail(why, now);
            self.settle(now);
        }
    }

    /// Its process or one of its streams ended. What was under way is lost.
    pub fn ended(&mut self, why: &str, now: Moment) -> Next {
        self.output.clear();
        let next = match std::mem::replace(&mut self.phase, Phase::Stopped) {
            Phase::Stopped | Phase::Ending { .. } => Next::Stopped,
            Phase::Failed { why } => Next::Failed { why },
            Phase::Prepared | Phase::Starting { .. } | Phase::Running | Phase::Waiting { .. } => {
                match self.crashes.note(now) {
                    Some(at) => Next::Again { at },
                    None => Next::Failed { why: why.to_owned() },
                }
            }
        };
        self.phase = match &next {
            Next::Stopped => Phase::Stopped,
            Next::Again { .. } => Phase::Waiting { why: why.to_owned() },
            Next::Failed { why } => Phase::Failed { why: why.clone() },
        };
        self.lose(why, now);
        next
    }

    /// Nobody answers what was asked.
    fn lose(&mut self, why: &str, now: Moment) {
        let lost = AskError::Lost { server: self.setup.server.clone(), why: why.to_owned() };
        for sent in std::mem::take(&mut self.sent).into_values() {
            for waiter in sent.waiters() {
                self.events.push_back(Event::Answered {
                    ticket: waiter.ticket,
                    answer: Err(lost.clone()),
                });
            }
        }
        if !matches!(self.phase, Phase::Waiting { .. }) {
            self.refuse_held(now);
        }
        self.edits.clear();
        self.pull_again.clear();
        self.abilities = Abilities::default();
        self.watchers = Watchers::default();
        self.gathered = Gathered::default();
        self.book.forget_process();
        for uri in self.book.files() {
            self.events.push_back(Event::Diagnostics { uri: uri.clone() });
        }
        self.tell_state(now);
    }

    /// What waits to be asked is not asked any more.
    fn refuse_held(&mut self, now: Moment) {
        let (server, state) = (self.setup.server.clone(), self.state(now));
        for held in std::mem::take(&mut self.held) {
            let none = AskError::NotRunning { server: server.clone(), state: state.clone() };
            self.answer(held.waiter.ticket, Err(none));
        }
    }

    /// Ask it to end. It is given a moment to say that it is ready to, and another to do it.
    pub fn stop(&mut self, now: Moment) {
        match self.phase {
            Phase::Running => {
                self.phase = Phase::Ending { told: false, until: now + FAREWELL };
                self.refuse_held(now);
                self.call("shutdown", &Value::Null, Purpose::Farewell, now);
            }
            Phase::Starting { .. } => {
                self.phase = Phase::Ending { told: true, until: Moment::MAX };
                self.events.push_back(Event::Over);
            }
            Phase::Prepared | Phase::Waiting { .. } => {
                self.phase = Phase::Stopped;
                self.lose("it is not wanted any more", now);
            }
            Phase::Stopped | Phase::Failed { .. } | Phase::Ending { .. } => {}
        }
        self.settle(now);
    }

    pub(super) fn say_farewell(&mut self, now: Moment) {
        if let Phase::Ending { told: told @ false, until } = &mut self.phase {
            (*told, *until) = (true, now + FAREWELL);
            self.tell("exit", &Value::Null);
        }
    }
}

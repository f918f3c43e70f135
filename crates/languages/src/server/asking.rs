//! Questions of many callers over one server: ids of our own, one question for those who ask the same, and an answer or
//! the reason why there is none for everybody.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json, value::RawValue};

use super::{Event, Phase, Server};
use crate::{
    Moment,
    diagnostics::Text,
    frame,
    message::{self, CONTENT_MODIFIED, Refusal, SERVER_CANCELLED},
    question::{
        AskError, Asker, LARGEST_QUESTION, MOST_OF_ASKER, MOST_OF_SERVER, MOST_TOGETHER, Question,
        Reply, Ticket, WhileLoading, says_nothing,
    },
    uri::Uri,
};

/// When to ask again a server that gave up.
pub(super) const AGAIN_AFTER: Duration = Duration::from_millis(200);
/// How long questions of our own may take. Nobody waits for them that long.
const OUR_PATIENCE: Duration = Duration::from_mins(1);

/// A question that waits to be asked.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) waiter: Waiter,
    asked: Arc<Asked>,
    not_before: Moment,
}

/// Somebody who waits.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    pub(super) ticket: Ticket,
    asker: Asker,
    since: Moment,
    deadline: Moment,
    /// How long it may wait for the server to have read everything.
    ready_until: Moment,
    needs_ready: bool,
    again: bool,
}

#[derive(Debug)]
struct Asked {
    method: String,
    params: Value,
    may_edit: bool,
    generation: Option<u64>,
}

/// A question that was sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) purpose: Purpose,
    at: Moment,
    was_ready: bool,
}

#[derive(Debug)]
pub(super) enum Purpose {
    Greeting,
    Farewell,
    Pull {
        uri: Uri,
        identifier: String,
        text: Text,
    },
    Barrier {
        uri: Uri,
        version: i32,
    },
    /// To see whether it answers at all.
    Probe,
    Questions(Together),
}

/// Those who ask the same.
#[derive(Debug)]
pub(super) struct Together {
    asked: Arc<Asked>,
    /// What all texts were when it was sent.
    texts: (u64, i32),
    waiters: Vec<Waiter>,
}

impl Held {
    /// When something happens to it by itself.
    pub(super) fn looked_at(&self, now: Moment) -> Moment {
        let waits = [self.not_before, self.waiter.ready_until, self.waiter.deadline];
        waits.into_iter().filter(|at| *at > now).min().unwrap_or(self.waiter.deadline)
    }
}

impl Sent {
    pub(super) fn waiters(self) -> Vec<Waiter> {
        match self.purpose {
            Purpose::Questions(together) => together.waiters,
            _ => Vec::new(),
        }
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        match &self.purpose {
            // Those of the phase.
            Purpose::Greeting | Purpose::Farewell => None,
            Purpose::Pull { .. } | Purpose::Barrier { .. } | Purpose::Probe => {
                Some(self.at + OUR_PATIENCE)
            }
            Purpose::Questions(together) => together.waiters.iter().map(|it| it.deadline).min(),
        }
    }

    fn questions(&self) -> Option<&Together> {
        match &self.purpose {
            Purpose::Questions(together) => Some(together),
            _ => None,
        }
    }
}

impl Server {
    /// Ask something. The answer is an event, for every ticket exactly one, unless it is cancelled.
    pub fn ask(&mut self, question: Question, now: Moment) -> Result<Ticket, AskError> {
        let server = || self.setup.server.clone();
        if matches!(self.phase, Phase::Stopped | Phase::Ending { .. } | Phase::Failed { .. }) {
            return Err(AskError::NotRunning { server: server(), state: self.state(now) });
        }
        let sent = || self.sent.values().filter_map(Sent::questions);
        let waiters =
            sent().flat_map(|it| &it.waiters).chain(self.held.iter().map(|it| &it.waiter));
        if waiters.filter(|it| it.asker == question.asker).count() >= MOST_OF_ASKER {
            return Err(AskError::TooMany { server: server(), most: MOST_OF_ASKER });
        }
        if sent().count() + self.held.len() >= MOST_OF_SERVER {
            return Err(AskError::TooMany { server: server(), most: MOST_OF_SERVER });
        }
        self.used = now;
        self.flush_changed_files();
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        let (ready_until, needs_ready) = match question.while_loading {
            WhileLoading::Ask => (now, false),
            WhileLoading::Wait(long) => (now.saturating_add(long), false),
            WhileLoading::Require(long) => (now.saturating_add(long), true),
        };
        let waiter = Waiter {
            ticket,
            asker: question.asker,
            since: now,
            deadline: now.saturating_add(question.patience),
            ready_until,
            needs_ready,
            again: question.again,
        };
        let Question { method, params, may_edit, generation, .. } = question;
        let asked = Arc::new(Asked { method, params, may_edit, generation });
        self.held.push(Held { waiter, asked, not_before: now });
        self.settle(now);
        Ok(ticket)
    }

    /// Nobody waits any more. The server hears of it when the last one left who asked the same.
    pub fn cancel(&mut self, ticket: Ticket, now: Moment) {
        self.held.retain(|held| held.waiter.ticket != ticket);
        for sent in self.sent.values_mut() {
            if let Purpose::Questions(together) = &mut sent.purpose {
                together.waiters.retain(|waiter| waiter.ticket != ticket);
            }
        }
        self.drop_unwanted();
        self.settle(now);
    }

    /// Questions for which nobody waits. A late answer to one is known by its number and ignored.
    fn drop_unwanted(&mut self) {
        let is_unwanted = |sent: &Sent| sent.questions().is_some_and(|it| it.waiters.is_empty());
        let ids: Vec<u64> =
            self.sent.iter().filter(|(_, it)| is_unwanted(it)).map(|(id, _)| *id).collect();
        for id in ids {
            self.abandon(id);
        }
    }

    pub(super) fn abandon(&mut self, id: u64) {
        self.sent.remove(&id);
        self.tell("$/cancelRequest", &json!({"id": id}));
    }

    pub(super) fn has_questions(&self) -> bool {
        self.sent.values().any(|sent| sent.questions().is_some())
    }

    /// The question in whose course the server may have files edited, if it is known which one.
    pub(super) fn editing(&self) -> Option<Ticket> {
        let mut editing =
            self.sent.values().filter_map(Sent::questions).filter(|it| it.asked.may_edit);
        let only = editing.next().filter(|_| editing.next().is_none())?;
        only.waiters.first().map(|waiter| waiter.ticket)
    }

    /// Send a question with a number of its own.
    pub(super) fn call(&mut self, method: &str, params: &Value, purpose: Purpose, now: Moment) {
        let body = message::call(self.next_id, method, params);
        self.send_call(&body, purpose, now);
    }

    fn send_call(&mut self, body: &[u8], purpose: Purpose, now: Moment) {
        frame::write(body, &mut self.output);
        let was_ready = self.is_ready(now);
        self.sent.insert(self.next_id, Sent { purpose, at: now, was_ready });
        self.next_id += 1;
    }

    pub(super) fn answer(&mut self, ticket: Ticket, answer: Result<Reply, AskError>) {
        self.events.push_back(Event::Answered { ticket, answer });
    }

    /// Give up what took too long.
    pub(super) fn expire(&mut self, now: Moment) {
        let mut late = Vec::new();
        let mut ours = Vec::new();
        for (id, sent) in &mut self.sent {
            match &mut sent.purpose {
                Purpose::Questions(together) => together.waiters.retain(|waiter| {
                    let is_late = waiter.deadline <= now;
                    if is_late {
                        late.push((waiter.ticket, waiter.deadline.saturating_sub(waiter.since)));
                    }
                    !is_late
                }),
                _ => ours.extend(sent.deadline().filter(|at| *at <= now).map(|_| *id)),
            }
        }
        for (ticket, after) in late {
            let server = self.setup.server.clone();
            self.answer(ticket, Err(AskError::TimedOut { server, after }));
        }
        for id in ours {
            if let Some(Sent { purpose, .. }) = self.sent.remove(&id) {
                self.tell("$/cancelRequest", &json!({"id": id}));
                self.unanswered(purpose, "it did not answer");
            }
        }
        self.drop_unwanted();
    }

    /// Send what waited for the server, or for its time.
    pub(super) fn send_held(&mut self, now: Moment) {
        for held in std::mem::take(&mut self.held) {
            let server = || self.setup.server.clone();
            let is_ready = self.is_ready(now);
            let waiter = &held.waiter;
            let not_ready = || AskError::NotReady { server: server(), state: self.state(now) };
            if waiter.deadline <= now {
                let after = waiter.deadline.saturating_sub(waiter.since);
                let error = if is_ready {
                    AskError::TimedOut { server: server(), after }
                } else {
                    not_ready()
                };
                self.answer(held.waiter.ticket, Err(error));
            } else if !self.is_running() || held.not_before > now {
                self.held.push(held);
            } else if held.asked.generation.is_some_and(|it| it != self.generation) {
                let error = AskError::OtherProcess { server: server() };
                self.answer(held.waiter.ticket, Err(error));
            } else if !self.can(&held.asked) {
                let method = held.asked.method.clone();
                let error = AskError::Unable { server: server(), method };
                self.answer(held.waiter.ticket, Err(error));
            } else if is_ready || (waiter.ready_until <= now && !waiter.needs_ready) {
                self.send(held, now);
            } else if waiter.ready_until <= now {
                let error = not_ready();
                self.answer(held.waiter.ticket, Err(error));
            } else {
                self.held.push(held);
            }
        }
    }

    fn can(&self, asked: &Asked) -> bool {
        let uri = asked.params["textDocument"]["uri"].as_str().map(Uri::read);
        let document = uri.as_ref().map(|uri| (uri, self.language(uri)));
        self.abilities.can(&asked.method, document)
    }

    fn send(&mut self, held: Held, now: Moment) {
        let Held { waiter, asked, .. } = held;
        let texts = (self.documents.edition(), self.documents.last_version());
        let is_ready = self.is_ready(now);
        let same = self.sent.values_mut().find_map(|sent| match &mut sent.purpose {
            Purpose::Questions(together)
                if together.texts == texts
                    && sent.was_ready == is_ready
                    && !asked.may_edit
                    && !together.asked.may_edit
                    && together.waiters.len() < MOST_TOGETHER
                    && together.asked.method == asked.method
                    && together.asked.params == asked.params =>
            {
                Some(together)
            }
            _ => None,
        });
        if let Some(together) = same {
            together.waiters.push(waiter);
            return;
        }
        let body = message::call(self.next_id, &asked.method, &asked.params);
        if body.len() > LARGEST_QUESTION {
            return self.answer(waiter.ticket, Err(AskError::TooLarge { bytes: body.len() }));
        }
        let together = Together { asked, texts, waiters: vec![waiter] };
        self.send_call(&body, Purpose::Questions(together), now);
    }

    /// The server answered.
    pub(super) fn answered(
        &mut self,
        id: &Value,
        answer: Result<Box<RawValue>, Refusal>,
        now: Moment,
    ) {
        let number = id.as_u64();
        let Some(sent) = number.and_then(|number| self.sent.remove(&number)) else {
            // One that nobody waits for any more is no fault of the server.
            if number.is_none_or(|number| number >= self.next_id) {
                self.complain(format!("it answered {id}, which nobody asked"));
            }
            return;
        };
        match sent.purpose {
            Purpose::Greeting => self.greeted(answer, now),
            Purpose::Farewell => self.say_farewell(now),
            Purpose::Barrier { uri, version } => {
                self.book.barrier_answered(&uri, version, now);
                if answer.is_ok() {
                    self.readiness.answered();
                }
            }
            Purpose::Probe => self.readiness.answered(),
            Purpose::Pull { uri, identifier, text } => {
                self.pulled(&uri, &identifier, text, sent.was_ready, answer, now);
            }
            Purpose::Questions(together) => match answer {
                Ok(value) => self.replied(together, &value, sent.was_ready, now),
                Err(refusal) => self.refused(together, &refusal, now),
            },
        }
    }

    fn replied(&mut self, together: Together, value: &RawValue, was_ready: bool, now: Moment) {
        let Together { asked, waiters, .. } = together;
        if asked.method.starts_with("textDocument/") {
            self.readiness.answered();
        }
        let is_ready = self.is_ready(now);
        let complete = was_ready && is_ready;
        let is_no_answer = !complete && says_nothing(value);
        for waiter in waiters {
            if !is_no_answer {
                let generation = self.generation;
                let value = value.to_owned();
                self.answer(waiter.ticket, Ok(Reply { value, complete, generation }));
            } else if is_ready || waiter.ready_until > now {
                // It is worth another question: when it is ready, or now if it has become so.
                self.held.push(Held { waiter, asked: Arc::clone(&asked), not_before: now });
            } else {
                let server = self.setup.server.clone();
                let error = AskError::NotReady { server, state: self.state(now) };
                self.answer(waiter.ticket, Err(error));
            }
        }
    }

    fn refused(&mut self, together: Together, refusal: &Refusal, now: Moment) {
        let Together { asked, waiters, .. } = together;
        for mut waiter in waiters {
            let server = self.setup.server.clone();
            match refusal.code {
                CONTENT_MODIFIED if waiter.again => {
                    waiter.again = false;
                    self.held.push(Held { waiter, asked: Arc::clone(&asked), not_before: now });
                }
                CONTENT_MODIFIED => self.answer(waiter.ticket, Err(AskError::Changed { server })),
                SERVER_CANCELLED => {
                    let not_before = now + AGAIN_AFTER;
                    self.held.push(Held { waiter, asked: Arc::clone(&asked), not_before });
                }
                code => {
                    let message = refusal.message.clone();
                    let error = AskError::Refused { server, code, message };
                    self.answer(waiter.ticket, Err(error));
                }
            }
        }
    }
}

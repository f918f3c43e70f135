//! The open questions: raised by calls, settled by whoever answers first, taken back with their calls.
//!
//! A question is written before it is waited for, and an answer is written before a call acts by it: what
//! counts once counts once, whatever happens to the server in between. What no call waits for any more is
//! answerable for a while; the same call again then takes the answer, or waits on in its place.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use openspace_command::{Error, ErrorKind, Now, Result};
use openspace_host::BoxFuture;
use openspace_protocol::ApprovalId;
use openspace_space::{Space, State};
use tokio::{sync::watch, task::AbortHandle};

use super::{
    Answered, Approval, ApprovalCounter, ApprovalRecords, ApprovalState, ApprovalsPart, Grants,
    LATE_FOR, MAX_OPEN, MAX_OPEN_OF_ONE, MAX_SETTLED, Question, Scope, grants::Grant,
};
use crate::services::{Base, Service};

/// How often questions are looked at that nobody answers.
const SWEEP_EVERY: Duration = Duration::from_secs(30);
/// How long calls that wait may take to hear that the server stops.
const LET_GO_WITHIN: Duration = Duration::from_millis(500);

/// The questions of a server.
pub struct Approvals {
    space: Arc<Space>,
    now: Now,
    grants: Grants,
    /// Moves whenever a question is settled, and when the server stops.
    moved: watch::Sender<u64>,
    held: watch::Sender<usize>,
    stopping: AtomicBool,
    sweeping: AbortHandle,
    /// Answers are given one after the other: a rule is saved for the answer that counts.
    pub(super) answering: tokio::sync::Mutex<()>,
}

/// What a call finds that somebody has to decide about.
pub enum Entered {
    /// An answer that came too late for an earlier call like it.
    Late(Outcome),
    /// Nothing yet: the call waits.
    Held(Held),
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Yes.
    Approved(ApprovalId, Scope, Answered),
    /// No.
    Denied(ApprovalId, Answered),
    /// The server stops; the question stays open.
    Stopping(ApprovalId),
}

impl Service for Approvals {
    fn start(base: &Base) -> Self {
        let (space, now) = (Arc::clone(&base.space), Arc::clone(&base.now));
        leave_all(&space, now());
        let sweeping = tokio::spawn({
            let (space, now) = (Arc::downgrade(&space), Arc::clone(&now));
            async move {
                loop {
                    tokio::time::sleep(SWEEP_EVERY).await;
                    let Some(space) = space.upgrade() else { return };
                    change(&space, |records| sweep(records, now()));
                }
            }
        });
        Self {
            space,
            now,
            grants: Grants::default(),
            moved: watch::Sender::new(0),
            held: watch::Sender::new(0),
            stopping: AtomicBool::new(false),
            sweeping: sweeping.abort_handle(),
            answering: tokio::sync::Mutex::default(),
        }
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        self.sweeping.abort();
        Box::pin(self.let_go())
    }
}

impl Approvals {
    /// What callers were allowed for their sessions.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// A question as it is now.
    pub fn get(&self, id: ApprovalId) -> Result<Approval> {
        let state = self.space.state();
        let records = state.part::<ApprovalsPart>();
        records.get(&id).cloned().ok_or_else(|| missing(records, id))
    }

    /// Take the answer to an earlier call like this one, or ask and wait in line for one.
    pub async fn enter(self: &Arc<Self>, question: Question) -> Result<Entered> {
        if let Some(late) = self.take_late(&question).await? {
            return Ok(Entered::Late(late));
        }
        if self.stopping.load(Ordering::Acquire) {
            return Err(Error::new(ErrorKind::Lost, "the server stops").hint("call again"));
        }
        let now = (self.now)();
        self.held.send_modify(|held| *held += 1);
        // Made before anything is written: a call that is taken back meanwhile takes its question along.
        let held = Held { approvals: Arc::clone(self), id: OnceLock::new(), is_over: false };
        let raise = |state: &mut State| {
            let id = raise(state, question, now)?;
            held.id.get_or_init(|| id);
            Ok(())
        };
        // What cannot be saved is not asked: dropping what is held takes the question back.
        self.space.change_for_good(raise, |_| Ok(())).await?;
        tracing::info!(id = %held.id(), "a call waits for somebody's answer");
        Ok(Entered::Held(held))
    }

    /// The answer that came too late for an earlier call like this one, taken by this one.
    async fn take_late(&self, question: &Question) -> Result<Option<Outcome>> {
        let now = (self.now)();
        let late = |_: &ApprovalId, one: &Approval| {
            one.is_about(question)
                && !one.waiting
                && answered(&one.state).is_some_and(|answered| answered.used_at.is_none())
                && one.until.is_some_and(|until| now < until)
        };
        let state = self.space.state();
        let records = state.part::<ApprovalsPart>();
        let Some((id, _)) = records.iter().find(|(id, one)| late(id, one)) else { return Ok(None) };
        self.take(*id).await
    }

    /// Take the answer to a question, unless somebody has taken it already.
    async fn take(&self, id: ApprovalId) -> Result<Option<Outcome>> {
        let now = (self.now)();
        let taken = self.space.change_for_good(
            |state| {
                let records = state.part_mut::<ApprovalsPart>();
                let Some(one) = records.get_mut(&id) else { return Ok(None) };
                one.waiting = false;
                Ok(match &mut one.state {
                    ApprovalState::Approved { scope, answered } if answered.used_at.is_none() => {
                        answered.used_at = Some(now);
                        Some(Outcome::Approved(id, *scope, answered.clone()))
                    }
                    ApprovalState::Denied { answered } if answered.used_at.is_none() => {
                        answered.used_at = Some(now);
                        Some(Outcome::Denied(id, answered.clone()))
                    }
                    _ => None,
                })
            },
            |state| {
                if let Some(one) = state.part_mut::<ApprovalsPart>().get_mut(&id)
                    && let Some(answered) = answered_mut(&mut one.state)
                    && answered.used_at == Some(now)
                {
                    answered.used_at = None;
                }
                Ok(())
            },
        );
        taken.await
    }

    /// Settle a question. The first answer counts; whoever comes later is told what it was. Called with
    /// `answering` held.
    pub(super) async fn settle(&self, id: ApprovalId, answer: ApprovalState) -> Result<Approval> {
        let now = (self.now)();
        let settled = self.space.change_for_good(
            |state| {
                let records = state.part_mut::<ApprovalsPart>();
                sweep(records, now);
                let Some(one) = records.get_mut(&id) else { return Err(missing(records, id)) };
                check_open(id, one)?;
                one.state = answer.clone();
                one.until = Some(now + LATE_FOR);
                Ok(one.clone())
            },
            |state| {
                if let Some(one) = state.part_mut::<ApprovalsPart>().get_mut(&id)
                    && one.state == answer
                {
                    one.state = ApprovalState::Open;
                }
                Ok(())
            },
        );
        let settled = settled.await?;
        self.remember(&settled);
        self.moved.send_modify(|moved| *moved += 1);
        Ok(settled)
    }

    /// What a yes allows for the rest of the caller's session.
    fn remember(&self, settled: &Approval) {
        let ApprovalState::Approved { scope, answered } = &settled.state else { return };
        let Question { caller, command, digest, theirs, always, .. } = &settled.question;
        let by = answered.who();
        if let Some(thing) = theirs {
            self.grants.give(caller, Grant::Thing(thing.clone()), &by);
        }
        if *scope == Scope::Session {
            let call = || Grant::Call { command: command.clone(), digest: digest.clone() };
            let grant = always.as_ref().map_or_else(call, |rule| Grant::Rule(rule.text.clone()));
            self.grants.give(caller, grant, &by);
        }
    }

    /// A call waits no more: take its question back, or leave it open for the same call again.
    fn leave(&self, id: ApprovalId, takes_back: bool) {
        let now = (self.now)();
        change(&self.space, |records| {
            let Some(one) = records.get_mut(&id) else { return };
            one.waiting = false;
            if !one.is_open() {
                return;
            }
            if takes_back {
                one.state = ApprovalState::TakenBack { at: now };
            } else {
                one.until = Some(now + LATE_FOR);
            }
        });
    }

    /// Whether somebody has answered a question.
    pub fn is_answered(&self, id: ApprovalId) -> bool {
        self.get(id).is_ok_and(|one| answered(&one.state).is_some())
    }

    /// The server stops: calls that wait are told so, and their questions stay open.
    pub async fn let_go(&self) {
        self.stopping.store(true, Ordering::Release);
        self.moved.send_modify(|moved| *moved += 1);
        let mut held = self.held.subscribe();
        let nobody = held.wait_for(|held| *held == 0);
        if tokio::time::timeout(LET_GO_WITHIN, nobody).await.is_err() {
            tracing::warn!("calls that wait for an answer did not end in time");
        }
    }
}

/// A call that waits for the answer to its question. Dropping it takes the question back.
pub struct Held {
    approvals: Arc<Approvals>,
    /// Its question, as soon as it was raised.
    id: OnceLock<ApprovalId>,
    is_over: bool,
}

impl Held {
    /// Its question.
    pub fn id(&self) -> ApprovalId {
        self.id.get().copied().unwrap_or(ApprovalId(0))
    }

    /// Wait for the answer and take it.
    pub async fn decided(&mut self) -> Result<Outcome> {
        let mut moved = self.approvals.moved.subscribe();
        loop {
            if self.approvals.stopping.load(Ordering::Acquire) {
                self.leave_open();
                return Ok(Outcome::Stopping(self.id()));
            }
            let one = self.approvals.get(self.id())?;
            if answered(&one.state).is_some() {
                let taken = self.approvals.take(self.id()).await?;
                self.is_over = true;
                let other =
                    || Error::conflict(format!("the answer to {} was used already", self.id()));
                return taken.ok_or_else(other);
            }
            // The approvals are there as long as this is.
            drop(moved.changed().await);
        }
    }

    /// Stop waiting, and leave the question open for the same call again.
    pub fn leave_open(&mut self) {
        self.is_over = true;
        self.approvals.leave(self.id(), false);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(id) = self.id.get().filter(|_| !self.is_over) {
            let takes_back = !self.approvals.stopping.load(Ordering::Acquire);
            self.approvals.leave(*id, takes_back);
        }
        self.approvals.held.send_modify(|held| *held -= 1);
    }
}

/// Put a question into the list, or wait on with one like it that no call waits for.
fn raise(state: &mut State, question: Question, now: u64) -> Result<ApprovalId> {
    let records = state.part_mut::<ApprovalsPart>();
    sweep(records, now);
    let left = |one: &Approval| one.is_open() && !one.waiting && one.is_about(&question);
    let left = records.iter().find(|(_, one)| left(one)).map(|(id, _)| *id);
    if let Some(id) = left
        && let Some(one) = records.get_mut(&id)
    {
        // The caller may have come back in another session, and rules may have changed.
        one.question = question;
        (one.waiting, one.until) = (true, None);
        return Ok(id);
    }
    let open = || records.values().filter(|one| one.is_open());
    let own = open().filter(|one| one.question.caller.id == question.caller.id).count();
    if own >= MAX_OPEN_OF_ONE || open().count() >= MAX_OPEN {
        let how_many = if own >= MAX_OPEN_OF_ONE {
            format!("{own} questions of `{}`", question.caller.id)
        } else {
            format!("{MAX_OPEN} questions")
        };
        return Err(Error::new(ErrorKind::Busy, format!("{how_many} wait for an answer already"))
            .hint("wait until a person has answered some of them"));
    }
    let id = ApprovalId(state.part_mut::<ApprovalCounter>().advance());
    let one = Approval {
        question,
        asked_at: now,
        waiting: true,
        until: None,
        state: ApprovalState::Open,
    };
    state.part_mut::<ApprovalsPart>().insert(id, one);
    Ok(id)
}

/// Note what nobody answered in time, and forget the oldest of what is settled. An answer that a call may
/// still take is forgotten last.
fn sweep(records: &mut ApprovalRecords, now: u64) {
    let is_over = |one: &Approval| one.until.is_some_and(|until| until <= now);
    let expired = |one: &Approval| one.is_open() && !one.waiting && is_over(one);
    let expired: Vec<ApprovalId> =
        records.iter().filter(|(_, one)| expired(one)).map(|(id, _)| *id).collect();
    for id in expired {
        if let Some(one) = records.get_mut(&id) {
            one.state = ApprovalState::Expired { at: one.until.unwrap_or(now) };
        }
    }
    let settled: Vec<(bool, ApprovalId)> = {
        let settled = records.iter().filter(|(_, one)| !one.is_open());
        let may_be_taken = |one: &Approval| {
            !is_over(one) && answered(&one.state).is_some_and(|answered| answered.used_at.is_none())
        };
        settled.map(|(id, one)| (may_be_taken(one), *id)).collect()
    };
    if settled.len() > MAX_SETTLED {
        let mut oldest = settled;
        oldest.sort_unstable();
        let too_many = oldest.len() - MAX_SETTLED;
        for (_, id) in oldest.into_iter().take(too_many) {
            records.remove(&id);
        }
    }
}

/// No call of an earlier run waits any more.
fn leave_all(space: &Space, now: u64) {
    change(space, |records| {
        let waiting = records.iter().filter(|(_, one)| one.waiting).map(|(id, _)| *id);
        for id in waiting.collect::<Vec<_>>() {
            if let Some(one) = records.get_mut(&id) {
                one.waiting = false;
                one.until.get_or_insert(now + LATE_FOR);
            }
        }
        sweep(records, now);
    });
}

/// Change the questions without waiting for the disk.
fn change(space: &Space, change: impl FnOnce(&mut ApprovalRecords)) {
    let changed = space.change_now(|state| {
        change(state.part_mut::<ApprovalsPart>());
        Ok(())
    });
    if let Err(error) = changed {
        tracing::error!(%error, "what became of a question could not be noted");
    }
}

fn answered(state: &ApprovalState) -> Option<&Answered> {
    match state {
        ApprovalState::Approved { answered, .. } | ApprovalState::Denied { answered } => {
            Some(answered)
        }
        _ => None,
    }
}

fn answered_mut(state: &mut ApprovalState) -> Option<&mut Answered> {
    match state {
        ApprovalState::Approved { answered, .. } | ApprovalState::Denied { answered } => {
            Some(answered)
        }
        _ => None,
    }
}

/// Whether an answer still counts; else what became of the question.
pub(super) fn check_open(id: ApprovalId, one: &Approval) -> Result<()> {
    if one.is_open() {
        return Ok(());
    }
    Err(Error::conflict(format!("{id} is settled: {}", one.outcome()))
        .hint("only the first answer counts; `openspace approve` lists what is open"))
}

fn missing(records: &ApprovalRecords, id: ApprovalId) -> Error {
    let open = records.iter().filter(|(_, one)| one.is_open()).map(|(id, _)| id.to_string());
    let open: Vec<String> = open.take(20).collect();
    let open = if open.is_empty() { "none are open".into() } else { open.join(", ") };
    Error::not_found(format!("there is no question {id}")).hint(format!("open questions: {open}"))
}

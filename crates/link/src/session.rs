//! What both sides of a link remember beyond any one stream: frames on their way, open calls, and
//! whether it is over. It decides nothing about streams and runs no handler.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, SemaphorePermit, watch};
use tokio_util::sync::CancellationToken;

use super::frame::{Frame, Kind, Received};
use super::lane::{Event, Lane, charge};
use super::outbox::{Outbox, price};
use super::{LinkError, MOST_CALLS, REPLAY, Violation};

/// After so many frames or bytes an acknowledgement does not wait for a frame to travel with.
const ACKNOWLEDGE_FRAMES: usize = 64;
const ACKNOWLEDGE_BYTES: usize = 512 * 1024;
/// About how much is written at once.
const BATCH: usize = 256 * 1024;

/// The link was lost, or the call has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Closed;

#[derive(Debug)]
enum Owner {
    /// The place that the call takes among the open ones.
    Caller {
        _place: OwnedSemaphorePermit,
        asked_to_stop: bool,
    },
    Handler {
        cancelled: CancellationToken,
    },
}

#[derive(Debug)]
struct Open {
    lane: Lane,
    owner: Owner,
}

#[derive(Debug, Default)]
struct State {
    outbox: Outbox,
    /// The last sequence number received.
    received: u64,
    owed_frames: usize,
    owed_bytes: usize,
    due: Due,
    goodbye: bool,
    calls: HashMap<u64, Open>,
    last_call: u64,
}

/// Frames outside of the sequence that are to be written.
#[derive(Debug, Default)]
struct Due {
    acknowledgement: bool,
    ping: bool,
    pong: bool,
}

#[derive(Debug)]
pub(super) struct Session {
    state: Mutex<State>,
    budget: Semaphore,
    /// There is something to write.
    ready: Notify,
    /// An acknowledgement became due, but not at once.
    owing: Notify,
    ended: watch::Sender<Option<LinkError>>,
}

/// What the writer is to write.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) acknowledged: u64,
    pub(super) goodbye: bool,
}

impl Session {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::default(),
            budget: Semaphore::new(REPLAY),
            ready: Notify::new(),
            owing: Notify::new(),
            ended: watch::Sender::new(None),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, state: &mut State, kind: Kind, call: u64, payload: Vec<u8>, price: u32) {
        state.outbox.push(kind, call, payload, price);
        self.ready.notify_one();
    }

    // The caller's calls.

    pub(super) fn try_budget(&self, payload: usize) -> Option<SemaphorePermit<'_>> {
        self.budget.try_acquire_many(price(payload)).ok()
    }

    pub(super) async fn budget(&self, payload: usize) -> Result<SemaphorePermit<'_>, Closed> {
        self.budget.acquire_many(price(payload)).await.map_err(|_| Closed)
    }

    pub(super) fn open(
        &self,
        place: OwnedSemaphorePermit,
        budget: SemaphorePermit<'_>,
        request: Vec<u8>,
        inbox: UnboundedSender<Event>,
        credit: Arc<Semaphore>,
    ) -> Result<u64, Closed> {
        let mut state = self.state();
        // `end` closes the budget before it empties the table.
        if self.budget.is_closed() {
            return Err(Closed);
        }
        state.last_call += 1;
        let call = state.last_call;
        let owner = Owner::Caller { _place: place, asked_to_stop: false };
        state.calls.insert(call, Open { lane: Lane::new(inbox, credit), owner });
        let price = price(request.len());
        budget.forget();
        self.push(&mut state, Kind::Open, call, request, price);
        Ok(call)
    }

    /// Asks the handler of a call to stop, once. Nothing more is read if the call is `abandoned`.
    pub(super) fn ask_to_stop(&self, call: u64, abandoned: bool) {
        let mut state = self.state();
        let Some(open) = state.calls.get_mut(&call) else { return };
        if abandoned {
            open.lane.close_inbox();
            open.lane.close_credit();
        }
        let Owner::Caller { asked_to_stop, .. } = &mut open.owner else { return };
        if !std::mem::replace(asked_to_stop, true) {
            self.push(&mut state, Kind::Cancel, call, Vec::new(), 0);
        }
    }

    pub(super) fn say_goodbye(&self) {
        let mut state = self.state();
        if !std::mem::replace(&mut state.goodbye, true) {
            self.push(&mut state, Kind::Goodbye, 0, Vec::new(), 0);
        }
    }

    pub(super) fn said_goodbye(&self) -> bool {
        self.state().goodbye
    }

    /// The handler of a call is done with it.
    pub(super) fn finish(
        &self,
        call: u64,
        outcome: Result<Vec<u8>, LinkError>,
    ) -> Result<(), Violation> {
        let open = self.state().calls.remove(&call).ok_or(Violation::UnknownCall { call })?;
        open.lane.end(outcome);
        Ok(())
    }

    // The server's calls.

    pub(super) fn admit(
        &self,
        call: u64,
        inbox: UnboundedSender<Event>,
        credit: Arc<Semaphore>,
        cancelled: CancellationToken,
    ) -> Result<(), Violation> {
        let mut state = self.state();
        if call <= state.last_call {
            return Err(Violation::CallOrder { call });
        }
        if state.calls.len() >= MOST_CALLS {
            return Err(Violation::Calls);
        }
        state.last_call = call;
        let owner = Owner::Handler { cancelled };
        state.calls.insert(call, Open { lane: Lane::new(inbox, credit), owner });
        Ok(())
    }

    /// The caller asks a handler to stop.
    pub(super) fn cancel(&self, call: u64) -> Result<(), Violation> {
        let mut state = self.state();
        let Some(open) = state.find(call)? else { return Ok(()) };
        open.lane.close_inbox();
        open.lane.close_credit();
        if let Owner::Handler { cancelled } = &open.owner {
            cancelled.cancel();
        }
        Ok(())
    }

    pub(super) async fn reply(&self, call: u64, kind: Kind, payload: Vec<u8>) {
        let Ok(budget) = self.budget(payload.len()).await else { return };
        let mut state = self.state();
        let Some(open) = state.calls.remove(&call) else { return };
        open.lane.close_credit();
        let price = price(payload.len());
        budget.forget();
        self.push(&mut state, kind, call, payload, price);
    }

    // Both directions.

    /// Waits for the credit of the call, then for the budget of the link. Cancel safe.
    pub(super) async fn send(
        &self,
        call: u64,
        credit: &Semaphore,
        kind: Kind,
        payload: Vec<u8>,
    ) -> Result<(), Closed> {
        let charge = charge(payload.len());
        let permits = u32::try_from(charge).unwrap_or(u32::MAX);
        let credit = credit.acquire_many(permits).await.map_err(|_| Closed)?;
        let budget = self.budget(payload.len()).await?;
        let mut state = self.state();
        let open = state.calls.get_mut(&call).ok_or(Closed)?;
        if open.lane.is_sending_closed() {
            return Err(Closed);
        }
        open.lane.pay(charge);
        credit.forget();
        budget.forget();
        let price = price(payload.len());
        self.push(&mut state, kind, call, payload, price);
        Ok(())
    }

    /// A message for a call. One for a call that has ended crossed its reply and is dropped.
    pub(super) fn receive(&self, call: u64, payload: Vec<u8>) -> Result<(), Violation> {
        self.state().find(call)?.map_or(Ok(()), |open| open.lane.receive(call, payload))
    }

    /// A message for a call that cannot have ended, because its reply is still to come.
    pub(super) fn receive_open(&self, call: u64, payload: Vec<u8>) -> Result<(), Violation> {
        let mut state = self.state();
        let open = state.calls.get_mut(&call).ok_or(Violation::UnknownCall { call })?;
        open.lane.receive(call, payload)
    }

    pub(super) fn regain(&self, call: u64, payload: &[u8]) -> Result<(), Violation> {
        let Ok(bytes) = payload.try_into().map(u64::from_be_bytes) else {
            return Err(Violation::Credit { call });
        };
        self.state().find(call)?.map_or(Ok(()), |open| open.lane.regain(call, bytes))
    }

    pub(super) fn give_back(&self, call: u64, bytes: usize) {
        let mut state = self.state();
        let Some(open) = state.calls.get_mut(&call) else { return };
        open.lane.give_back(bytes);
        let payload = (bytes as u64).to_be_bytes().to_vec();
        self.push(&mut state, Kind::Credit, call, payload, 0);
    }

    // Streams.

    /// The sequence and the acknowledgement of a frame.
    pub(super) fn note(&self, frame: &Received) -> Result<(), Violation> {
        let mut state = self.state();
        let freed = state.outbox.acknowledge(frame.acknowledged)?;
        if freed > 0 {
            self.budget.add_permits(freed);
        }
        let expected = if frame.kind.is_sequenced() { state.received + 1 } else { 0 };
        if frame.sequence != expected {
            return Err(Violation::Sequence { expected, found: frame.sequence });
        }
        match frame.kind {
            Kind::Ping => {
                state.due.pong = true;
                self.ready.notify_one();
            }
            Kind::Acknowledge | Kind::Pong => {}
            _ => {
                state.received = expected;
                state.owed_frames += 1;
                state.owed_bytes += frame.payload.len();
                if state.owed_frames >= ACKNOWLEDGE_FRAMES || state.owed_bytes >= ACKNOWLEDGE_BYTES
                {
                    state.due.acknowledgement = true;
                    self.ready.notify_one();
                } else if state.owed_frames == 1 {
                    self.owing.notify_one();
                }
            }
        }
        Ok(())
    }

    /// Collects what is to be written now; an empty batch means nothing is.
    pub(super) fn take(&self, batch: &mut Vec<Frame>) -> Ready {
        let mut state = self.state();
        state.outbox.take(batch, BATCH);
        let goodbye = batch.last().is_some_and(|frame| frame.kind == Kind::Goodbye);
        if std::mem::take(&mut state.due.pong) {
            batch.push(Frame::unsequenced(Kind::Pong));
        }
        if std::mem::take(&mut state.due.ping) {
            batch.push(Frame::unsequenced(Kind::Ping));
        }
        if state.due.acknowledgement && batch.is_empty() {
            batch.push(Frame::unsequenced(Kind::Acknowledge));
        }
        if !batch.is_empty() {
            state.owed_frames = 0;
            state.owed_bytes = 0;
            state.due.acknowledgement = false;
        }
        Ready { acknowledged: state.received, goodbye }
    }

    pub(super) async fn ready(&self) {
        self.ready.notified().await;
    }

    pub(super) async fn owing(&self) {
        self.owing.notified().await;
    }

    /// Acknowledges what no frame acknowledged in passing.
    pub(super) fn acknowledge_owed(&self) {
        let mut state = self.state();
        if state.owed_frames > 0 {
            state.due.acknowledgement = true;
            self.ready.notify_one();
        }
    }

    pub(super) fn ping(&self) {
        self.state().due.ping = true;
        self.ready.notify_one();
    }

    pub(super) fn received(&self) -> u64 {
        self.state().received
    }

    /// Grows with every frame that arrives on either side.
    pub(super) fn progress(&self) -> u64 {
        let state = self.state();
        state.received + state.outbox.acknowledged()
    }

    /// Prepares for a new stream, whose other side has everything up to `received`.
    pub(super) fn rewind(&self, received: u64) -> Result<(), Violation> {
        let mut state = self.state();
        let freed = state.outbox.rewind(received)?;
        self.budget.add_permits(freed);
        // The greeting told the other side what arrived.
        state.owed_frames = 0;
        state.owed_bytes = 0;
        state.due = Due::default();
        self.ready.notify_one();
        Ok(())
    }

    // The end.

    /// Ends every call and lets nothing more begin. The first reason stays.
    pub(super) fn end(&self, error: &LinkError) {
        self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            if first {
                *ended = Some(error.clone());
            }
            first
        });
        let error = self.reason();
        self.budget.close();
        let mut state = self.state();
        state.outbox.clear();
        let calls = std::mem::take(&mut state.calls);
        drop(state);
        for (_, open) in calls {
            if let Owner::Handler { cancelled } = &open.owner {
                cancelled.cancel();
            }
            open.lane.end(Err(error.clone()));
        }
    }

    /// Why the link is over.
    pub(super) fn reason(&self) -> LinkError {
        self.ended.borrow().clone().unwrap_or(LinkError::Ended)
    }

    pub(super) fn ended(&self) -> watch::Receiver<Option<LinkError>> {
        self.ended.subscribe()
    }
}

impl State {
    /// The open call, or none if it has ended.
    fn find(&mut self, call: u64) -> Result<Option<&mut Open>, Violation> {
        if call == 0 || call > self.last_call {
            return Err(Violation::UnknownCall { call });
        }
        Ok(self.calls.get_mut(&call))
    }
}

//! The calling side: a link, its calls, and dialing again. It never repeats a request on its own:
//! after a break the same session goes on, or every call ends.

mod attach;

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use self::attach::{Keeper, Never};
use super::frame::Kind;
use super::lane::{self, Event, Inbox, Lane};
use super::session::{Closed, Session};
use super::{Dial, LARGEST_HELLO, LARGEST_PAYLOAD, LinkError, MOST_CALLS, Options, Stream};

/// The calling side of a link. It says goodbye when the last clone and the last call are gone.
#[derive(Clone, Debug)]
pub struct Link {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    session: Arc<Session>,
    places: Arc<Semaphore>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.session.say_goodbye();
    }
}

impl Link {
    /// Greets with `hello` and returns the link with the other side's welcome. When the stream
    /// breaks, the link is lost.
    pub async fn connect(
        stream: impl Stream + 'static,
        hello: Vec<u8>,
        options: Options,
    ) -> Result<(Self, Vec<u8>), LinkError> {
        check_hello(&hello)?;
        let keeper = Keeper::new(None::<Never>, options)?;
        let (stream, welcome) = keeper.begin_on(Box::new(stream), hello).await?;
        Ok((Self::keep(keeper, stream), welcome))
    }

    /// The same with a way to get another stream, on which the session goes on after a break.
    pub async fn connect_again(
        dial: impl Dial,
        hello: Vec<u8>,
        options: Options,
    ) -> Result<(Self, Vec<u8>), LinkError> {
        check_hello(&hello)?;
        let keeper = Keeper::new(Some(dial), options)?;
        let (stream, welcome) = keeper.begin(hello).await?;
        Ok((Self::keep(keeper, stream), welcome))
    }

    fn keep(keeper: Keeper<impl Dial>, stream: super::BoxStream) -> Self {
        let session = Arc::clone(keeper.session());
        tokio::spawn(keeper.keep(stream));
        Self { inner: Arc::new(Inner { session, places: Arc::new(Semaphore::new(MOST_CALLS)) }) }
    }

    /// Starts a call. Its request leaves at once if there is room for it, otherwise as soon as there
    /// is while the call is awaited.
    pub fn call(&self, request: Vec<u8>) -> Call {
        let (sender, inbox) = lane::channel();
        let sending = Sending {
            link: Arc::clone(&self.inner),
            pending: Mutex::new(Pending::Waiting { request, inbox: sender, cancelled: false }),
            opened: OnceCell::new(),
        };
        let call = Call { sending: Arc::new(sending), inbox, outcome: None };
        call.sending.try_open();
        call
    }

    /// Waits until the link is gone for good and says why.
    pub fn lost(&self) -> impl Future<Output = LinkError> + Send + use<> {
        let mut ended = self.inner.session.ended();
        async move {
            let reason = ended.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
            reason.unwrap_or_else(|| LinkError::lost("the link was dropped"))
        }
    }
}

fn check_hello(hello: &[u8]) -> Result<(), LinkError> {
    if hello.len() > LARGEST_HELLO {
        return Err(LinkError::TooLarge { size: hello.len(), limit: LARGEST_HELLO });
    }
    Ok(())
}

/// An open call. Dropping it asks the other side to stop and forgets the reply.
#[derive(Debug)]
pub struct Call {
    sending: Arc<Sending>,
    inbox: Inbox,
    outcome: Option<Result<Vec<u8>, LinkError>>,
}

impl Call {
    /// The next item of the handler, or none when the reply is there. Cancel safe.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, LinkError> {
        if self.outcome.is_none() {
            let opened = self.sending.opened().await?;
            match self.inbox.next(&self.sending.link.session, opened.call).await {
                Some(Event::Message(item)) => return Ok(Some(item)),
                Some(Event::End(outcome)) => self.outcome = Some(outcome),
                None => self.outcome = Some(Err(self.sending.link.session.reason())),
            }
        }
        match &self.outcome {
            Some(Err(error)) => Err(error.clone()),
            _ => Ok(None),
        }
    }

    /// Sends an input to the handler, once there is room for it.
    pub async fn send(&self, input: Vec<u8>) -> Result<(), LinkError> {
        self.sending.send(input).await
    }

    /// Sends inputs while somebody else awaits the items.
    pub fn sender(&self) -> Sender {
        Sender { sending: Arc::clone(&self.sending) }
    }

    /// The reply. Items not yet taken are dropped.
    pub async fn reply(mut self) -> Result<Vec<u8>, LinkError> {
        while self.next().await?.is_some() {}
        self.outcome.take().unwrap_or(Err(LinkError::Ended))
    }

    /// Asks the handler to stop. It still replies.
    pub fn cancel(&self) {
        self.sending.cancel(false);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.sending.cancel(true);
    }
}

/// The input side of a [`Call`]; useless once the call is dropped.
#[derive(Clone, Debug)]
pub struct Sender {
    sending: Arc<Sending>,
}

impl Sender {
    /// Sends an input to the handler, once there is room for it.
    pub async fn send(&self, input: Vec<u8>) -> Result<(), LinkError> {
        self.sending.send(input).await
    }
}

/// What a call and its senders share.
#[derive(Debug)]
struct Sending {
    link: Arc<Inner>,
    pending: Mutex<Pending>,
    opened: OnceCell<Opened>,
}

#[derive(Debug)]
enum Pending {
    Waiting {
        request: Vec<u8>,
        inbox: UnboundedSender<Event>,
        cancelled: bool,
    },
    Opened {
        call: u64,
    },
    /// Dropped before there was room for it, or refused.
    Never,
}

#[derive(Debug)]
struct Opened {
    call: u64,
    credit: Arc<Semaphore>,
}

impl Sending {
    fn request_size(&self) -> usize {
        match &*self.pending.lock().unwrap_or_else(PoisonError::into_inner) {
            Pending::Waiting { request, .. } => request.len(),
            Pending::Opened { .. } | Pending::Never => 0,
        }
    }

    fn try_open(&self) {
        let size = self.request_size();
        if size > LARGEST_PAYLOAD {
            return;
        }
        let Ok(place) = Arc::clone(&self.link.places).try_acquire_owned() else { return };
        let Some(budget) = self.link.session.try_budget(size) else { return };
        if let Ok(opened) = self.open(place, budget) {
            // The cell is empty: nobody else has this call yet.
            drop(self.opened.set(opened));
        }
    }

    async fn opened(&self) -> Result<&Opened, LinkError> {
        let session = &self.link.session;
        self.opened
            .get_or_try_init(|| async {
                let size = self.request_size();
                if size > LARGEST_PAYLOAD {
                    return Err(LinkError::TooLarge { size, limit: LARGEST_PAYLOAD });
                }
                let mut ended = session.ended();
                let place = tokio::select! {
                    place = Arc::clone(&self.link.places).acquire_owned() => place,
                    _ = ended.wait_for(Option::is_some) => return Err(session.reason()),
                };
                let place = place.map_err(|_| session.reason())?;
                let budget = session.budget(size).await.map_err(|Closed| session.reason())?;
                self.open(place, budget)
            })
            .await
    }

    fn open(
        &self,
        place: OwnedSemaphorePermit,
        budget: SemaphorePermit<'_>,
    ) -> Result<Opened, LinkError> {
        let session = &self.link.session;
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let Pending::Waiting { request, inbox, cancelled } =
            std::mem::replace(&mut *pending, Pending::Never)
        else {
            return Err(LinkError::Ended);
        };
        let credit = Lane::credit();
        let call = session
            .open(place, budget, request, inbox, Arc::clone(&credit))
            .map_err(|Closed| session.reason())?;
        *pending = Pending::Opened { call };
        if cancelled {
            session.ask_to_stop(call, false);
        }
        Ok(Opened { call, credit })
    }

    async fn send(&self, input: Vec<u8>) -> Result<(), LinkError> {
        if input.len() > LARGEST_PAYLOAD {
            return Err(LinkError::TooLarge { size: input.len(), limit: LARGEST_PAYLOAD });
        }
        let Opened { call, credit } = self.opened().await?;
        let session = &self.link.session;
        session.send(*call, credit, Kind::Input, input).await.map_err(|Closed| session.reason())
    }

    fn cancel(&self, abandoned: bool) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *pending {
            Pending::Opened { call } => self.link.session.ask_to_stop(*call, abandoned),
            Pending::Waiting { .. } if abandoned => *pending = Pending::Never,
            Pending::Waiting { cancelled, .. } => *cancelled = true,
            Pending::Never => {}
        }
    }
}

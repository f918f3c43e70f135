//! The serving side: each call's handler runs in a task of its own, and a handler that panics fails
//! its call, not the link. A session that is over is never revived.

mod attach;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::attach::{serve, serve_again};
use super::frame::{Kind, Received};
use super::lane::{self, Event, Inbox, Lane};
use super::pump::{Flow, Side};
use super::session::Session;
use super::{LARGEST_PAYLOAD, LinkError, Violation};

/// What the serving side does with greetings and requests.
pub trait Handler: Send + Sync + 'static {
    /// Answers a hello. An error refuses the link, and its text reaches the caller.
    fn welcome(&self, hello: &[u8]) -> Result<Vec<u8>, String>;

    /// Answers a request. A handler that is cancelled should stop soon and still reply.
    fn handle(
        self: Arc<Self>,
        request: Vec<u8>,
        exchange: Exchange,
    ) -> impl Future<Output = Vec<u8>> + Send;
}

/// What a handler has besides the request.
#[derive(Debug)]
pub struct Exchange {
    pub items: Items,
    pub inputs: Inputs,
    /// The caller wants no more, or the session is over.
    pub cancelled: CancellationToken,
}

/// Why an item was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsent {
    #[error("the call was cancelled or has ended, or the link is lost")]
    Gone,
    #[error("an item of {size} bytes exceeds the limit of {LARGEST_PAYLOAD}")]
    TooLarge { size: usize },
}

/// The way of items to the caller.
#[derive(Clone, Debug)]
pub struct Items {
    session: Arc<Session>,
    call: u64,
    credit: Arc<Semaphore>,
}

impl Items {
    /// Sends an item, once the caller has read enough of those before it.
    pub async fn send(&self, item: Vec<u8>) -> Result<(), Unsent> {
        if item.len() > LARGEST_PAYLOAD {
            return Err(Unsent::TooLarge { size: item.len() });
        }
        let sent = self.session.send(self.call, &self.credit, Kind::Item, item).await;
        sent.map_err(|_| Unsent::Gone)
    }
}

/// The inputs of the caller.
#[derive(Debug)]
pub struct Inputs {
    session: Arc<Session>,
    call: u64,
    inbox: Inbox,
}

impl Inputs {
    /// The next input; none when the call is cancelled or the session is over. Cancel safe.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        match self.inbox.next(&self.session, self.call).await? {
            Event::Message(input) => Some(input),
            Event::End(_) => None,
        }
    }
}

/// Runs the handlers of one session.
struct Serving<H> {
    handler: Arc<H>,
    tasks: TaskTracker,
    /// Handlers that are still there must be dropped now.
    abort: CancellationToken,
    session: Arc<Session>,
}

impl<H> Drop for Serving<H> {
    fn drop(&mut self) {
        self.session.end(&LinkError::lost("nobody serves it any more"));
        self.abort.cancel();
    }
}

impl<H: Handler> Serving<H> {
    fn new(handler: Arc<H>) -> Self {
        Self {
            handler,
            tasks: TaskTracker::new(),
            abort: CancellationToken::new(),
            session: Arc::new(Session::new()),
        }
    }

    /// Cancels every call and waits for the handlers to stop.
    async fn finish(self, reason: &LinkError, grace: Duration) {
        self.session.end(reason);
        self.tasks.close();
        if timeout(grace, self.tasks.wait()).await.is_err() {
            tracing::warn!(
                handlers = self.tasks.len(),
                "handlers ignored the end of their session"
            );
        }
    }

    fn start(&self, call: u64, request: Vec<u8>) -> Result<(), Violation> {
        let (sender, inbox) = lane::channel();
        let credit = Lane::credit();
        let cancelled = CancellationToken::new();
        self.session.admit(call, sender, Arc::clone(&credit), cancelled.clone())?;
        let session = Arc::clone(&self.session);
        let exchange = Exchange {
            items: Items { session: Arc::clone(&session), call, credit },
            inputs: Inputs { session: Arc::clone(&session), call, inbox },
            cancelled,
        };
        let handler = Arc::clone(&self.handler);
        let abort = self.abort.clone();
        self.tasks.spawn(async move {
            let answer = async {
                let handled = async move { handler.handle(request, exchange).await };
                let (kind, payload) = match (Unpanicking { future: Box::pin(handled) }).await {
                    Ok(reply) if reply.len() <= LARGEST_PAYLOAD => (Kind::Reply, reply),
                    Ok(reply) => {
                        let size = reply.len();
                        let error = LinkError::TooLarge { size, limit: LARGEST_PAYLOAD };
                        (Kind::Failed, error.to_string().into_bytes())
                    }
                    Err(message) => (Kind::Failed, message.into_bytes()),
                };
                session.reply(call, kind, payload).await;
            };
            tokio::select! {
                () = answer => {}
                () = abort.cancelled() => {}
            }
        });
        Ok(())
    }
}

impl<H: Handler> Side for Serving<H> {
    fn dispatch(&self, session: &Arc<Session>, frame: Received) -> Result<Flow, Violation> {
        let Received { kind, call, payload, .. } = frame;
        match kind {
            Kind::Open => self.start(call, payload)?,
            Kind::Input => session.receive(call, payload)?,
            Kind::Cancel => session.cancel(call)?,
            Kind::Credit => session.regain(call, &payload)?,
            Kind::Goodbye => return Ok(Flow::Goodbye),
            _ => return Err(Violation::Direction),
        }
        Ok(Flow::On)
    }
}

/// A future whose panic becomes its result.
struct Unpanicking<F> {
    future: Pin<Box<F>>,
}

impl<F: Future> Future for Unpanicking<F> {
    type Output = Result<F::Output, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The future is not polled again after a panic, so nobody sees what the panic left behind.
        match catch_unwind(AssertUnwindSafe(|| self.future.as_mut().poll(context))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic_text(panic.as_ref()))),
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the handler panicked: {}", text.unwrap_or("no message"))
}

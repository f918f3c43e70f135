//! What the tests of the link share: a handler that does what its request says, streams that break
//! where they are told to, and both ends of a link.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, duplex};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::super::{
    Accept, BoxStream, Dial, Exchange, Handler, Link, LinkError, Options, Redial, serve,
    serve_again,
};

/// Requests are words: `echo …`, `count N`, `flood SIZE`, `inputs N`, `hold`, `ignore`,
/// `large`. Any other word panics.
#[derive(Default)]
pub(super) struct Script {
    /// Items that `flood` has got rid of.
    pub(super) flooded: AtomicUsize,
    /// Calls that were opened.
    pub(super) handled: AtomicUsize,
    /// Handlers of `hold` that have seen their cancellation.
    pub(super) cancelled: AtomicUsize,
    pub(super) changed: Notify,
}

impl Script {
    pub(super) async fn until(&self, counter: &AtomicUsize, value: usize) {
        loop {
            let changed = self.changed.notified();
            if counter.load(Ordering::SeqCst) >= value {
                return;
            }
            changed.await;
        }
    }

    fn count(&self, counter: &AtomicUsize) {
        counter.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_waiters();
    }
}

impl Handler for Script {
    fn welcome(&self, hello: &[u8]) -> Result<Vec<u8>, String> {
        if hello == b"nonsense" {
            return Err("nonsense is not served here".to_owned());
        }
        Ok([b"welcome ", hello].concat())
    }

    async fn handle(self: Arc<Self>, request: Vec<u8>, mut exchange: Exchange) -> Vec<u8> {
        self.count(&self.handled);
        let text = String::from_utf8(request).unwrap();
        let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match word {
            "echo" => rest.as_bytes().to_vec(),
            "count" => {
                for number in 0..rest.parse::<u32>().unwrap() {
                    exchange.items.send(number.to_string().into_bytes()).await.unwrap();
                }
                b"counted".to_vec()
            }
            "flood" => {
                let item = vec![7; rest.parse().unwrap()];
                while exchange.items.send(item.clone()).await.is_ok() {
                    self.count(&self.flooded);
                }
                b"drained".to_vec()
            }
            "inputs" => {
                let mut all = Vec::new();
                for _ in 0..rest.parse::<u32>().unwrap() {
                    let input = exchange.inputs.next().await.unwrap();
                    exchange.items.send(input.clone()).await.unwrap();
                    all.extend_from_slice(&input);
                }
                all
            }
            "hold" => {
                exchange.cancelled.cancelled().await;
                assert_eq!(exchange.inputs.next().await, None);
                self.count(&self.cancelled);
                b"stopped".to_vec()
            }
            "ignore" => std::future::pending().await,
            "large" => vec![0; super::super::LARGEST_PAYLOAD + 1],
            _ => panic!("no such word: {word}"),
        }
    }
}

pub(super) type Served = JoinHandle<Result<(), LinkError>>;

/// Both ends over a stream in memory, without a way to dial again.
pub(super) async fn pair() -> (Link, Arc<Script>, Served) {
    let (ours, theirs) = duplex(64 * 1024);
    let script = Arc::new(Script::default());
    let served = tokio::spawn(serve(theirs, Arc::clone(&script), Options::default()));
    let (link, welcome) = Link::connect(ours, b"hello".to_vec(), Options::default()).await.unwrap();
    assert_eq!(welcome, b"welcome hello");
    (link, script, served)
}

/// Quick enough for a test that breaks many streams.
pub(super) fn eager() -> Options {
    Options {
        redial: Redial {
            attempts: 5,
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(2),
        },
        ..Options::default()
    }
}

/// Lets `left` bytes pass in total, both ways together, then breaks for good.
pub(super) struct Cut<S> {
    stream: S,
    left: usize,
    broken: Arc<AtomicBool>,
}

impl<S> Cut<S> {
    pub(super) fn after(stream: S, left: usize) -> Self {
        Self { stream, left, broken: Arc::default() }
    }

    pub(super) fn switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.broken)
    }

    fn check(&self) -> io::Result<()> {
        if self.left == 0 || self.broken.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Ok(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Cut<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check()?;
        let mut part = buffer.take(self.left);
        let polled = Pin::new(&mut self.stream).poll_read(context, &mut part);
        let read = part.filled().len();
        // The part is the front of the buffer's free space, and was filled from its front.
        let bytes = part.filled().to_vec();
        buffer.put_slice(&bytes);
        self.left -= read;
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Cut<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        let part = bytes.len().min(self.left);
        let polled = Pin::new(&mut self.stream).poll_write(context, &bytes[..part]);
        if let Poll::Ready(Ok(written)) = &polled {
            self.left -= written;
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// After how many bytes the streams of each side break, one after another. The streams behind the
/// last number never do.
#[derive(Clone, Debug, Default)]
pub(super) struct Cuts {
    pub(super) caller: Vec<usize>,
    pub(super) server: Vec<usize>,
}

/// A place to dial.
pub(super) struct Switchboard {
    cuts: Cuts,
    dialed: Arc<AtomicU32>,
    ends: mpsc::UnboundedSender<BoxStream>,
}

impl Dial for Switchboard {
    async fn dial(&self) -> io::Result<BoxStream> {
        let number = self.dialed.fetch_add(1, Ordering::SeqCst) as usize;
        let (ours, theirs) = duplex(1024);
        let cut = |cuts: &[usize]| cuts.get(number).copied().unwrap_or(usize::MAX);
        let theirs = Cut::after(theirs, cut(&self.cuts.server));
        self.ends.send(Box::new(theirs)).map_err(|_| io::ErrorKind::ConnectionRefused)?;
        Ok(Box::new(Cut::after(ours, cut(&self.cuts.caller))))
    }
}

pub(super) struct Arrivals {
    ends: mpsc::UnboundedReceiver<BoxStream>,
}

impl Accept for Arrivals {
    async fn accept(&mut self) -> io::Result<BoxStream> {
        Ok(self.ends.recv().await.ok_or(io::ErrorKind::BrokenPipe)?)
    }
}

pub(super) fn board(cuts: Cuts) -> (Switchboard, Arrivals, Arc<AtomicU32>) {
    let (sender, ends) = mpsc::unbounded_channel();
    let dialed = Arc::new(AtomicU32::new(0));
    (Switchboard { cuts, dialed: Arc::clone(&dialed), ends: sender }, Arrivals { ends }, dialed)
}

/// Both ends with a way to dial again; also how often the caller has dialed.
pub(super) async fn pair_again(
    cuts: Cuts,
    options: Options,
) -> (Result<Link, LinkError>, Arc<Script>, Served, Arc<AtomicU32>) {
    let (dial, accept, dialed) = board(cuts);
    let script = Arc::new(Script::default());
    let served = tokio::spawn(serve_again(accept, Arc::clone(&script), options));
    let link = Link::connect_again(dial, b"hello".to_vec(), options).await;
    let link = link.map(|(link, welcome)| {
        assert_eq!(welcome, b"welcome hello");
        link
    });
    (link, script, served, dialed)
}

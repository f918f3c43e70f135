//! Following opencode's stream of events: as long as it is there, and again when it comes back.
//!
//! The stream repeats nothing. So whenever it begins, also for the first time, [`Event::Gap`] is told: what was read before
//! may be old.

use std::{sync::Arc, time::Duration};

use http_body_util::BodyExt;

use super::{
    Inner,
    frames::{Frame, Frames},
    http::{Ask, Stream},
    operations,
    sieve::{Sieve, Sifted},
};
use crate::{AgentError, Event};

/// How long the stream may take to begin. opencode may accept a connection that it never answers.
const BEGINS_WITHIN: Duration = Duration::from_secs(5);
/// opencode says something every ten seconds.
const QUIET: Duration = Duration::from_secs(30);
/// How long to wait before the first try, the second and so on; the last counts for all others.
pub(super) const WAITS: [Duration; 6] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
];

/// Follows until the task ends.
pub(super) async fn follow(inner: Arc<Inner>) {
    let mut follower = Follower { inner, tries: 0, is_first: true };
    loop {
        let Err(why) = follower.once().await;
        follower.inner.feed.tell(Event::Connection { connected: false, why: Some(why) }, 0);
        let wait = WAITS[follower.tries.min(WAITS.len() - 1)];
        follower.tries += 1;
        follower.inner.clock.sleep(wait).await;
    }
}

struct Follower {
    inner: Arc<Inner>,
    /// Since it last worked.
    tries: usize,
    is_first: bool,
}

enum Never {}

impl Follower {
    /// One stream from its beginning to its end, which is always a reason.
    async fn once(&mut self) -> Result<Never, String> {
        let mut stream =
            self.begun().await.map_err(|error| self.inner.keys.hide_error(error).to_string())?;
        let mut sieve = Sieve::new(self.inner.http.address.directory());
        let mut frames = Frames::default();
        loop {
            let chunk = self.chunk(&mut stream, QUIET).await?;
            for frame in frames.push(&chunk) {
                match frame {
                    Frame::Data(data) => {
                        self.tell(sieve.sift(&data, &self.inner.keys), data.len()).await;
                    }
                    Frame::TooLong => self.lost("an event was too long"),
                }
            }
        }
    }

    /// The stream is open, and keys are known before anything of it is told.
    async fn begun(&mut self) -> Result<Stream, AgentError> {
        let stream = self.inner.http.open(Ask::new(operations::EVENTS), BEGINS_WITHIN).await?;
        self.inner.learn_again().await?;
        self.tries = 0;
        self.inner.feed.tell(Event::Connection { connected: true, why: None }, 0);
        let is_first = std::mem::take(&mut self.is_first);
        self.lost(if is_first { "events begin here" } else { "events were not heard for a while" });
        Ok(stream)
    }

    async fn chunk(&self, stream: &mut Stream, quiet: Duration) -> Result<Vec<u8>, String> {
        let frame = tokio::select! {
            frame = stream.body.frame() => frame,
            () = self.inner.clock.sleep(quiet) => {
                return Err(format!("it said nothing for {} s", quiet.as_secs()));
            }
        };
        match frame {
            Some(Ok(frame)) => Ok(frame.into_data().map(|data| data.to_vec()).unwrap_or_default()),
            Some(Err(error)) => Err(format!("the stream broke off: {error}")),
            None => Err("the stream ended".to_owned()),
        }
    }

    async fn tell(&self, sifted: Sifted, bytes: usize) {
        match sifted {
            Sifted::Nothing => {}
            Sifted::Tell(event) => {
                if matches!(*event, Event::CatalogueChanged { .. }) {
                    // There may be other keys. What cannot be asked now is asked before the next request.
                    let _asked_later = self.inner.learn_again().await;
                }
                self.inner.feed.tell(*event, bytes);
            }
            Sifted::Lost(why) => {
                tracing::warn!(%why, "an event of opencode is not understood");
                self.lost(&why);
            }
        }
    }

    fn lost(&self, why: &str) {
        self.inner.feed.tell(Event::Gap { why: why.to_owned() }, 0);
    }
}

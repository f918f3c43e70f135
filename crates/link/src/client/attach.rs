//! Keeps a session attached to a stream: the greeting, and another stream after a break.

use std::io;
use std::sync::Arc;

use tokio::time::{Instant, sleep, timeout};

use super::super::frame::{Kind as FrameKind, Received};
use super::super::greeting::{self, Greeting, Kind, SessionId, Ungreeted};
use super::super::pump::{self, End, Flow, Side};
use super::super::session::Session;
use super::super::{BoxStream, Dial, LinkError, Options, Violation};

/// No way to dial.
pub(super) struct Never;

impl Dial for Never {
    async fn dial(&self) -> io::Result<BoxStream> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

struct Caller;

impl Side for Caller {
    fn dispatch(&self, session: &Arc<Session>, frame: Received) -> Result<Flow, Violation> {
        let Received { kind, call, payload, .. } = frame;
        match kind {
            FrameKind::Item => session.receive_open(call, payload)?,
            FrameKind::Reply => session.finish(call, Ok(payload))?,
            FrameKind::Failed => {
                let message = String::from_utf8_lossy(&payload).into_owned();
                session.finish(call, Err(LinkError::Failed { message }))?;
            }
            FrameKind::Credit => session.regain(call, &payload)?,
            _ => return Err(Violation::Direction),
        }
        Ok(Flow::On)
    }
}

/// Ends the session when the task that keeps it is gone, however that happens.
pub(super) struct Keeper<D> {
    session: Arc<Session>,
    id: SessionId,
    dial: Option<D>,
    options: Options,
}

impl<D> Drop for Keeper<D> {
    fn drop(&mut self) {
        self.session.end(&LinkError::lost("the task of the link was dropped"));
    }
}

impl<D: Dial> Keeper<D> {
    pub(super) fn new(dial: Option<D>, options: Options) -> Result<Self, LinkError> {
        let session = Arc::new(Session::new());
        Ok(Self { session, id: SessionId::random()?, dial, options })
    }

    pub(super) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The first greeting, on the only stream there is.
    pub(super) async fn begin_on(
        &self,
        stream: BoxStream,
        hello: Vec<u8>,
    ) -> Result<(BoxStream, Vec<u8>), LinkError> {
        let greeting = self.greeting(Kind::New, hello);
        self.greet(stream, &greeting).await.map_err(|error| match error {
            Ungreeted::Broken(reason) => LinkError::Lost { reason },
            Ungreeted::Final(error) => error,
        })
    }

    /// The first greeting, on a stream of its own.
    pub(super) async fn begin(&self, hello: Vec<u8>) -> Result<(BoxStream, Vec<u8>), LinkError> {
        let greeting = self.greeting(Kind::New, hello);
        self.dial(&greeting, &mut 0, "it could not be opened").await
    }

    pub(super) async fn keep(self, mut stream: BoxStream) {
        let mut failures = 0;
        let mut progress = 0;
        let error = loop {
            let began = Instant::now();
            let end = pump::run(stream, &self.session, &Caller, self.options.heartbeat).await;
            if self.session.said_goodbye() {
                break LinkError::lost("it was closed");
            }
            let reason = match end {
                End::Violation(violation) => break violation.into(),
                End::Goodbye | End::Closed => "the other side closed the stream".to_owned(),
                End::Broken(reason) => reason,
            };
            if self.dial.is_none() {
                break LinkError::Lost { reason };
            }
            // A stream that broke soon and got nothing across counts as a failed attempt, or two
            // sides could go on like that for ever. What a stream got across may become known only
            // by the greeting on the next one.
            let before = std::mem::replace(&mut progress, self.session.progress());
            if progress > before || began.elapsed() > self.options.redial.longest_pause {
                failures = 0;
            } else {
                failures += 1;
            }
            let greeting = self.greeting(Kind::Resume, Vec::new());
            match self.dial(&greeting, &mut failures, &reason).await {
                Ok((next, _)) => stream = next,
                Err(error) => break error,
            }
        };
        self.session.end(&error);
    }

    fn greeting(&self, kind: Kind, payload: Vec<u8>) -> Greeting {
        Greeting { kind, session: self.id, received: self.session.received(), payload }
    }

    async fn dial(
        &self,
        greeting: &Greeting,
        failures: &mut u32,
        why: &str,
    ) -> Result<(BoxStream, Vec<u8>), LinkError> {
        let redial = self.options.redial;
        let mut last = why.to_owned();
        loop {
            if *failures >= redial.attempts || self.session.said_goodbye() {
                return Err(LinkError::Lost { reason: last });
            }
            if *failures > 0 {
                let doublings = (*failures - 1).min(16);
                sleep((redial.first_pause * (1 << doublings)).min(redial.longest_pause)).await;
            }
            last = match self.attempt(greeting).await {
                Ok(attached) => return Ok(attached),
                Err(Ungreeted::Final(error)) => return Err(error),
                Err(Ungreeted::Broken(reason)) => {
                    tracing::debug!(reason, attempt = *failures, "dialing failed");
                    format!("{why}, and dialing again failed: {reason}")
                }
            };
            *failures += 1;
        }
    }

    async fn attempt(&self, greeting: &Greeting) -> Result<(BoxStream, Vec<u8>), Ungreeted> {
        let Some(dial) = &self.dial else {
            return Err(Ungreeted::Broken("there is no way to dial".to_owned()));
        };
        let stream = timeout(self.options.handshake, dial.dial())
            .await
            .map_err(|_| Ungreeted::Broken("no stream in time".to_owned()))?
            .map_err(|error| Ungreeted::Broken(format!("no stream: {error}")))?;
        self.greet(stream, greeting).await
    }

    async fn greet(
        &self,
        mut stream: BoxStream,
        greeting: &Greeting,
    ) -> Result<(BoxStream, Vec<u8>), Ungreeted> {
        let answer = timeout(self.options.handshake, async {
            // A refusal may be waiting although the other side has stopped to read.
            let written = greeting::write(&mut stream, greeting).await;
            match greeting::read(&mut stream).await {
                Err(Ungreeted::Broken(_)) if written.is_err() => {
                    Err(written.err().map_or_else(|| Violation::Greeting.into(), Into::into))
                }
                answer => answer,
            }
        })
        .await
        .map_err(|_| Ungreeted::Broken("no greeting in time".to_owned()))??;
        match (greeting.kind, answer.kind) {
            (_, Kind::Refused) => Err(Ungreeted::Final(LinkError::Refused {
                reason: String::from_utf8_lossy(&answer.payload).into_owned(),
            })),
            (_, Kind::Unknown) => Err(Ungreeted::Final(LinkError::lost(
                "the other side no longer knows this session",
            ))),
            (Kind::New, Kind::Welcome) | (Kind::Resume, Kind::Resumed)
                if answer.session == self.id =>
            {
                self.session.rewind(answer.received)?;
                Ok((stream, answer.payload))
            }
            _ => Err(Violation::Greeting.into()),
        }
    }
}

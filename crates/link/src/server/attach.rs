//! Streams of a session on the serving side: the answer to a greeting, and what happens while the
//! caller is away.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};

use super::super::greeting::{self, Greeting, Kind, SessionId, Ungreeted};
use super::super::pump::{self, End};
use super::super::{Accept, BoxStream, LARGEST_HELLO, LinkError, Options, Stream, Violation};
use super::{Handler, Serving};

/// How long a refused stream may take to hear it; the session waits meanwhile.
const REFUSAL: Duration = Duration::from_secs(1);

/// Serves one session on one stream, until the caller says goodbye or the stream ends. Then every
/// call is cancelled and its handler awaited, within the grace of the options.
pub async fn serve<H: Handler>(
    stream: impl Stream + 'static,
    handler: Arc<H>,
    options: Options,
) -> Result<(), LinkError> {
    let mut stream: BoxStream = Box::new(stream);
    let greeting = match read_greeting(&mut stream, options).await {
        Ok(greeting) => greeting,
        Err(Ungreeted::Broken(reason)) => return Err(LinkError::Lost { reason }),
        Err(Ungreeted::Final(error)) => return Err(error),
    };
    let welcome = match open(&*handler, &greeting) {
        Ok(welcome) => welcome,
        Err(refusal) => return Err(refuse(&mut stream, greeting.session, refusal).await),
    };
    let serving = Serving::new(handler);
    let answer = Greeting { kind: Kind::Welcome, payload: welcome, ..greeting };
    let result = match attached(stream, answer, &serving, options).await {
        End::Goodbye | End::Closed => Ok(()),
        End::Broken(reason) => Err(LinkError::Lost { reason }),
        End::Violation(violation) => Err(violation.into()),
    };
    let reason = result.clone().err().unwrap_or_else(|| LinkError::lost("the caller has left"));
    serving.finish(&reason, options.grace).await;
    result
}

/// Serves one session on one stream after another. A stream that continues the session replaces the
/// one before it. The session ends when the caller says goodbye, breaks a rule or stays away too
/// long, or when its stream has ended and there can be no other.
///
/// Streams that fit nothing here (another version, a second session, a session of an earlier run)
/// are told so and closed; they do not disturb the session.
pub async fn serve_again<H: Handler>(
    accept: impl Accept,
    handler: Arc<H>,
    options: Options,
) -> Result<(), LinkError> {
    let mut newcomer = Box::pin(next_newcomer(accept, options));
    let mut deadline = Instant::now() + options.away;
    // The first stream.
    let (greeting, welcome, stream) = loop {
        let (mut stream, greeting) = tokio::select! {
            (accept, arrived) = &mut newcomer => {
                newcomer.set(next_newcomer(accept, options));
                arrived.map_err(|error| no_more_streams(&error))?
            }
            () = sleep_until(deadline) => return Err(LinkError::lost("nobody came")),
        };
        match open(&*handler, &greeting) {
            Ok(welcome) => break (greeting, welcome, stream),
            Err(refusal) => {
                let error = refuse(&mut stream, greeting.session, refusal).await;
                tracing::warn!(%error, "a stream was refused");
            }
        }
    };
    let id = greeting.session;
    let serving = Serving::new(handler);
    let answer = Greeting { kind: Kind::Welcome, payload: welcome.clone(), ..greeting };
    let mut present = Some(Box::pin(attached(stream, answer, &serving, options)));
    let mut exhausted = None;
    let result = loop {
        if present.is_none()
            && let Some(error) = exhausted
        {
            break Err(no_more_streams(&error));
        }
        tokio::select! {
            end = async { match &mut present {
                Some(present) => present.await,
                None => std::future::pending().await,
            }} => {
                present = None;
                deadline = Instant::now() + options.away;
                match end {
                    End::Goodbye => break Ok(()),
                    End::Violation(violation) => break Err(violation.into()),
                    End::Closed => {}
                    End::Broken(reason) => tracing::debug!(reason, "the caller is away"),
                }
            }
            (accept, arrived) = &mut newcomer, if exhausted.is_none() => {
                newcomer.set(next_newcomer(accept, options));
                let (mut stream, greeting) = match arrived {
                    Ok(arrived) => arrived,
                    Err(error) => {
                        exhausted = Some(error);
                        continue;
                    }
                };
                if greeting.session == id {
                    // The stream before must be gone when the answer says what arrived; what it
                    // has already brought need not come again.
                    if let Some(before) = present.take() {
                        match timeout(pump::DRAIN, before).await {
                            Ok(End::Goodbye) => break Ok(()),
                            Ok(End::Violation(violation)) => break Err(violation.into()),
                            Ok(End::Closed | End::Broken(_)) | Err(_) => {}
                        }
                    }
                    let answer = match answer_again(&serving, &greeting, &welcome) {
                        Ok(answer) => answer,
                        Err(violation) => break Err(violation.into()),
                    };
                    present = Some(Box::pin(attached(stream, answer, &serving, options)));
                } else {
                    let refusal = match greeting.kind {
                        Kind::New => Refusal::Refused("a session is already under way".to_owned()),
                        _ => Refusal::Unknown,
                    };
                    let error = refuse(&mut stream, greeting.session, refusal).await;
                    tracing::warn!(%error, "a stream was refused");
                }
            }
            () = sleep_until(deadline), if present.is_none() => {
                break Err(LinkError::lost(format!("the caller stayed away for {:?}", options.away)));
            }
        }
    };
    drop(present);
    let reason = result.clone().err().unwrap_or_else(|| LinkError::lost("the caller has left"));
    serving.finish(&reason, options.grace).await;
    result
}

fn no_more_streams(error: &io::Error) -> LinkError {
    LinkError::lost(format!("there can be no more streams: {error}"))
}

/// The answer to the session's own caller on a new stream.
fn answer_again<H: Handler>(
    serving: &Serving<H>,
    greeting: &Greeting,
    welcome: &[u8],
) -> Result<Greeting, Violation> {
    let received = serving.session.received();
    let (kind, payload) = match greeting.kind {
        Kind::Resume => (Kind::Resumed, Vec::new()),
        // The caller never saw the welcome: whoever did sends frames first.
        Kind::New if received == 0 => (Kind::Welcome, welcome.to_vec()),
        _ => return Err(Violation::Greeting),
    };
    serving.session.rewind(greeting.received)?;
    Ok(Greeting { kind, session: greeting.session, received, payload })
}

/// Answers a greeting, then runs the stream to its end.
async fn attached<H: Handler>(
    mut stream: BoxStream,
    answer: Greeting,
    serving: &Serving<H>,
    options: Options,
) -> End {
    match timeout(options.handshake, greeting::write(&mut stream, &answer)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return End::Broken(format!("the greeting was not sent: {error}")),
        Err(_) => return End::Broken("the greeting was not taken in time".to_owned()),
    }
    pump::run(stream, &serving.session, serving, options.heartbeat).await
}

/// Waits for a stream that greets well. Others are told what is wrong, if that can be told.
async fn next_newcomer<A: Accept>(
    mut accept: A,
    options: Options,
) -> (A, io::Result<(BoxStream, Greeting)>) {
    loop {
        let mut stream = match accept.accept().await {
            Ok(stream) => stream,
            Err(error) => return (accept, Err(error)),
        };
        match read_greeting(&mut stream, options).await {
            Ok(greeting) => return (accept, Ok((stream, greeting))),
            Err(Ungreeted::Broken(reason)) => tracing::debug!(reason, "a stream did not greet"),
            Err(Ungreeted::Final(error)) => tracing::warn!(%error, "a stream did not greet"),
        }
    }
}

async fn read_greeting(stream: &mut BoxStream, options: Options) -> Result<Greeting, Ungreeted> {
    let greeted = timeout(options.handshake, async {
        let greeted = greeting::read(stream).await;
        if let Err(Ungreeted::Final(LinkError::Version { .. })) = &greeted
            && let Err(error) = greeting::write_version(stream).await
        {
            tracing::debug!(%error, "the other side could not be told our version");
        }
        greeted
    })
    .await;
    greeted.map_err(|_| Ungreeted::Broken("no greeting in time".to_owned()))?
}

enum Refusal {
    Refused(String),
    Unknown,
    Violation,
}

fn open(handler: &impl Handler, greeting: &Greeting) -> Result<Vec<u8>, Refusal> {
    match greeting.kind {
        Kind::New if greeting.received == 0 => {}
        Kind::Resume => return Err(Refusal::Unknown),
        _ => return Err(Refusal::Violation),
    }
    let welcome = handler.welcome(&greeting.payload).map_err(Refusal::Refused)?;
    if welcome.len() > LARGEST_HELLO {
        let size = welcome.len();
        return Err(Refusal::Refused(format!("a welcome of {size} bytes is too large")));
    }
    Ok(welcome)
}

/// Tells the caller no, and says it as an error of this side.
async fn refuse(stream: &mut BoxStream, session: SessionId, refusal: Refusal) -> LinkError {
    let (kind, text, error) = match refusal {
        Refusal::Refused(mut reason) => {
            reason.truncate(reason.floor_char_boundary(LARGEST_HELLO));
            (Kind::Refused, reason.clone(), LinkError::Refused { reason })
        }
        Refusal::Unknown => {
            let error = LinkError::lost("a caller wanted to continue a session unknown here");
            (Kind::Unknown, String::new(), error)
        }
        Refusal::Violation => {
            let error = LinkError::from(Violation::Greeting);
            (Kind::Refused, error.to_string(), error)
        }
    };
    let answer = Greeting { kind, session, received: 0, payload: text.into_bytes() };
    if !matches!(timeout(REFUSAL, greeting::write(stream, &answer)).await, Ok(Ok(()))) {
        tracing::debug!("the other side could not be told of a refusal");
    }
    error
}

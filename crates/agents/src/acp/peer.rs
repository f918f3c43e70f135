//! JSON-RPC over lines, for two who both ask: what waits is bounded, and nothing waits for somebody who is gone.
//!
//! One task reads and writes until one of the two ends; then every call fails with the reason. What the other side
//! says is handed to a [`Hearer`] in its order, and no queue is between: whoever floods us is slowed down. What is no
//! message is told as a complaint and skipped. What methods mean is not known here.

use std::{
    collections::HashMap,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agent_client_protocol_schema::v1::Error as Refusal;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};

use super::{
    line::{LONGEST_LINE, Line, Lines},
    message::{self, Incoming},
};

/// Lines that may wait to be written.
const MOST_OUTGOING: usize = 64;
/// Calls that may wait for an answer, those that nobody waits for any more among them.
const MOST_WAITING: usize = 256;
/// How long the other side may take to read a line.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// Lines in a row that are no messages, after which nobody listens any more.
const MOST_GARBAGE: usize = 1000;

/// Who is told what the other side says. Nothing here may block.
pub(super) trait Hearer: Send + Sync + 'static {
    /// It tells something.
    fn told(&self, method: &str, params: &RawValue);
    /// It asks. Without an answer now, one is given later with [`Peer::answer`].
    fn asked(&self, id: &Value, method: &str, params: &RawValue) -> Option<Result<Value, Refusal>>;
    /// It said something that makes no sense.
    fn complain(&self, why: String);
    /// It is gone.
    fn ended(&self, why: &str);
}

/// Why a call has no answer.
#[derive(Debug, PartialEq)]
pub(super) enum CallError {
    /// The other side is gone, or went before it answered.
    Over(String),
    Refused(Refusal),
    TimedOut(Duration),
    NotUnderstood(String),
    TooLarge,
    /// So many calls are without an answer.
    TooMany,
}

/// This end of a connection. Dropped, the connection ends.
pub(super) struct Peer {
    outgoing: mpsc::Sender<Vec<u8>>,
    calls: Arc<Mutex<Calls>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Calls {
    next: u64,
    /// Missing where nobody waits any more, so that a late answer is known as one.
    waiting: HashMap<u64, Option<oneshot::Sender<Answer>>>,
    over: Option<String>,
}

type Answer = Result<Result<Box<RawValue>, Refusal>, CallError>;

impl Peer {
    /// Speak over these streams. Must be called in a tokio runtime.
    pub(super) fn start(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        hearer: Arc<dyn Hearer>,
    ) -> Self {
        let (outgoing, lines) = mpsc::channel(MOST_OUTGOING);
        let calls = Arc::new(Mutex::new(Calls::default()));
        let listener =
            Listener { hearer, calls: Arc::clone(&calls), outgoing: outgoing.clone(), garbage: 0 };
        let task = tokio::spawn(run(listener, reader, writer, lines));
        Self { outgoing, calls, task }
    }

    /// Ask, and wait for so long or as long as it takes.
    pub(super) async fn call<R: DeserializeOwned>(
        &self,
        method: &str,
        params: &impl Serialize,
        patience: Option<Duration>,
    ) -> Result<R, CallError> {
        let (id, answer) = self.note()?;
        let _noted = Noted { calls: &self.calls, id };
        let mut answer = pin!(async {
            self.write(message::call(id, method, params)).await?;
            answer.await.unwrap_or_else(|_| Err(CallError::Over("it was dropped".to_owned())))
        });
        let answer = match patience {
            None => answer.await,
            Some(patience) => match timeout(patience, &mut answer).await {
                Ok(answer) => answer,
                Err(_) => Err(CallError::TimedOut(patience)),
            },
        };
        let result = answer?.map_err(CallError::Refused)?;
        serde_json::from_str(result.get())
            .map_err(|error| CallError::NotUnderstood(error.to_string()))
    }

    /// Tell something.
    pub(super) async fn tell(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<(), CallError> {
        self.write(message::notification(method, params)).await
    }

    /// Answer what was asked.
    pub(super) async fn answer(
        &self,
        id: &Value,
        answer: Result<Value, Refusal>,
    ) -> Result<(), CallError> {
        self.write(message::answer(id, answer)).await
    }

    async fn write(&self, line: Result<Vec<u8>, serde_json::Error>) -> Result<(), CallError> {
        let line = line.map_err(|error| CallError::NotUnderstood(error.to_string()))?;
        if line.len() > LONGEST_LINE {
            return Err(CallError::TooLarge);
        }
        // The task is over, and says why; the moment between the two is as good as over.
        self.outgoing.send(line).await.map_err(|_| {
            CallError::Over(
                locked(&self.calls).over.clone().unwrap_or_else(|| "it ended".to_owned()),
            )
        })
    }

    fn note(&self) -> Result<(u64, oneshot::Receiver<Answer>), CallError> {
        let mut calls = locked(&self.calls);
        if let Some(why) = &calls.over {
            return Err(CallError::Over(why.clone()));
        }
        if calls.waiting.len() >= MOST_WAITING {
            return Err(CallError::TooMany);
        }
        let id = calls.next;
        calls.next += 1;
        let (sender, receiver) = oneshot::channel();
        calls.waiting.insert(id, Some(sender));
        Ok((id, receiver))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A call that somebody waits for.
struct Noted<'a> {
    calls: &'a Mutex<Calls>,
    id: u64,
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        if let Some(waiting) = locked(self.calls).waiting.get_mut(&self.id) {
            *waiting = None;
        }
    }
}

async fn run(
    mut listener: Listener,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    lines: mpsc::Receiver<Vec<u8>>,
) {
    let (calls, hearer) = (Arc::clone(&listener.calls), Arc::clone(&listener.hearer));
    let why = tokio::select! {
        why = listener.listen(Lines::new(reader)) => why,
        why = write_all(writer, lines) => why,
    };
    let waiting = {
        let mut calls = locked(&calls);
        calls.over = Some(why.clone());
        std::mem::take(&mut calls.waiting)
    };
    for caller in waiting.into_values().flatten() {
        // Nobody may wait any more.
        drop(caller.send(Err(CallError::Over(why.clone()))));
    }
    hearer.ended(&why);
}

async fn write_all(
    mut writer: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Vec<u8>>,
) -> String {
    while let Some(line) = lines.recv().await {
        let written = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        match timeout(WRITE_PATIENCE, written).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return format!("it cannot be written to: {error}"),
            Err(_) => return format!("it read nothing for {} s", WRITE_PATIENCE.as_secs()),
        }
    }
    "nobody speaks to it any more".to_owned()
}

/// Reads what the other side says.
struct Listener {
    hearer: Arc<dyn Hearer>,
    calls: Arc<Mutex<Calls>>,
    outgoing: mpsc::Sender<Vec<u8>>,
    garbage: usize,
}

impl Listener {
    /// Until no more comes; says why.
    async fn listen(&mut self, mut lines: Lines<impl AsyncRead + Unpin>) -> String {
        loop {
            let heard = match lines.next().await {
                Ok(Some(Line::Whole(line))) if line.trim_ascii().is_empty() => continue,
                Ok(Some(Line::Whole(line))) => self.hear(line).await,
                Ok(Some(Line::TooLong { bytes })) => {
                    Err(format!("a line of {bytes} bytes; {LONGEST_LINE} are read"))
                }
                Ok(None) => return "it closed its output".to_owned(),
                Err(error) => return format!("it cannot be read: {error}"),
            };
            match heard {
                Ok(()) => self.garbage = 0,
                Err(_) if self.garbage >= MOST_GARBAGE => {
                    return format!("it said {MOST_GARBAGE} lines that are no messages");
                }
                Err(why) => {
                    self.garbage += 1;
                    self.hearer.complain(why);
                }
            }
        }
    }

    async fn hear(&mut self, line: &[u8]) -> Result<(), String> {
        match Incoming::read(line)? {
            Incoming::Told { method, params } => self.hearer.told(&method, params),
            Incoming::Asked { id, method, params } => {
                if let Some(answer) = self.hearer.asked(&id, &method, params) {
                    let line = message::answer(&id, answer).map_err(|error| error.to_string())?;
                    // Whoever cannot be written to is told by the other half of the task.
                    drop(self.outgoing.send(line).await);
                }
            }
            Incoming::Answered { id, answer } => {
                let answer = answer.map(RawValue::to_owned);
                let waiting = id.as_u64().and_then(|id| locked(&self.calls).waiting.remove(&id));
                match waiting {
                    Some(Some(caller)) => drop(caller.send(Ok(answer))),
                    Some(None) => {}
                    None => return Err(format!("an answer to `{id}`, which nobody asked")),
                }
            }
        }
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! A host behind a byte stream: the same operations, asked of a runner.
//!
//! [`RemoteHost`] is the asking side, [`Served`] the answering one. Neither adds or changes
//! anything: what a local host would say is what is said. Only a break is new, and it is told as
//! [`HostError::Lost`].

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use openspace_link::{self as link, Exchange, Handler, Inputs, Items, Link, LinkError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    build::{self, BUILD},
    conversation::{AnyConversation, Listener, Speaker, Told},
    host::{BoxFuture, Facts, Host, HostError},
    local::{LocalHost, Settings},
    operation::{EndAll, Input, Item, Reply, Request},
};

#[cfg(test)]
mod tests;

/// A program can halt the runner it was started by. Long enough for a machine that is very busy.
const HEARTBEAT: link::Heartbeat =
    link::Heartbeat { interval: Duration::from_secs(10), patience: Duration::from_secs(20) };

/// Items and inputs that may wait between a call and its handler, besides those in the link.
const WAITING: usize = 16;

/// A host behind a byte stream.
pub struct RemoteHost {
    link: Link,
    facts: Facts,
    /// What has to live as long as the stream, such as the process at its other end.
    _keep: Box<dyn Send + Sync>,
}

impl RemoteHost {
    /// Greet a runner and tell it what to serve. One that falls silent is lost.
    pub async fn connect(
        stream: impl link::Stream + 'static,
        settings: &Settings,
        keep: impl Send + Sync + 'static,
    ) -> Result<Self, HostError> {
        Self::connect_with(stream, settings, HEARTBEAT, keep).await
    }

    /// The same; `heartbeat` says how long it may be silent.
    pub async fn connect_with(
        stream: impl link::Stream + 'static,
        settings: &Settings,
        heartbeat: link::Heartbeat,
        keep: impl Send + Sync + 'static,
    ) -> Result<Self, HostError> {
        let options = link::Options { heartbeat: Some(heartbeat), ..link::Options::default() };
        let greeted = Link::connect(stream, hello(settings)?, options).await;
        Self::greeted(greeted, keep)
    }

    /// The same, with a way to go on after the stream breaks.
    pub async fn connect_again(
        dial: impl link::Dial,
        settings: &Settings,
        options: link::Options,
        keep: impl Send + Sync + 'static,
    ) -> Result<Self, HostError> {
        let greeted = Link::connect_again(dial, hello(settings)?, options).await;
        Self::greeted(greeted, keep)
    }

    fn greeted(
        greeted: Result<(Link, Vec<u8>), LinkError>,
        keep: impl Send + Sync + 'static,
    ) -> Result<Self, HostError> {
        let (link, welcome) = greeted.map_err(|error| HostError::Unreachable(error.to_string()))?;
        let facts: Facts = decode(&welcome)?;
        if facts.build != BUILD {
            return Err(HostError::Unreachable(format!(
                "the runner is of build {}, this program of build {BUILD}: use both of one build",
                facts.build
            )));
        }
        Ok(Self { link, facts, _keep: Box::new(keep) })
    }

    async fn exchange(
        &self,
        request: Request,
        conversation: AnyConversation,
    ) -> Result<Reply, HostError> {
        let AnyConversation { items, inputs, cancel } = conversation;
        let asked = Asked { request, listens: items.is_some(), speaks: inputs.is_some() };
        let mut call = self.link.call(encode(&asked)?);
        let speak = speak(call.sender(), inputs, items.as_deref());
        tokio::pin!(speak);
        let (mut spoken, mut stopping) = (false, false);
        loop {
            tokio::select! {
                item = call.next() => {
                    let Some(item) = item.map_err(broken)? else { break };
                    let unasked = || HostError::Protocol("it told what nobody asked for".into());
                    let items = items.as_ref().ok_or_else(unasked)?;
                    tokio::select! {
                        told = items.tell(decode(&item)?) => match told {
                            // The other side is told of a listener that is gone.
                            Told::Taken | Told::Unheard => {}
                            Told::Foreign => return Err(unasked()),
                        },
                        () = cancel.cancelled() => {}
                    }
                }
                () = &mut speak, if !spoken => spoken = true,
                () = cancel.cancelled(), if !stopping => {
                    stopping = true;
                    call.cancel();
                }
            }
        }
        let reply: Result<Reply, HostError> = decode(&call.reply().await.map_err(broken)?)?;
        reply
    }
}

/// The first words to a runner: which build speaks, then what to serve.
fn hello(settings: &Settings) -> Result<Vec<u8>, HostError> {
    Ok(build::named(BUILD, &encode(settings)?))
}

/// What the asking side sends first in a call.
#[derive(Serialize, Deserialize)]
struct Asked {
    request: Request,
    /// Whether anybody takes items.
    listens: bool,
    /// Whether there may be inputs.
    speaks: bool,
}

/// What the asking side sends while a call runs: all that a local host would see of its conversation.
#[derive(Serialize, Deserialize)]
enum Said {
    Input(Input),
    NoMoreInputs,
    NobodyListens,
}

/// Tell the other side what the caller says and whether it still listens.
async fn speak(
    sender: link::Sender,
    inputs: Option<Box<dyn Speaker>>,
    items: Option<&dyn Listener>,
) {
    let say = async |said: Said| {
        let sent = match encode(&said) {
            Ok(said) => sender.send(said).await.map_err(broken),
            Err(error) => Err(error),
        };
        // Whoever awaits the reply learns how the call ended.
        if let Err(error) = sent {
            tracing::debug!(%error, "something said in a call did not arrive");
        }
    };
    let speak = async {
        let Some(mut inputs) = inputs else { return };
        while let Some(input) = inputs.next().await {
            say(Said::Input(input)).await;
        }
        say(Said::NoMoreInputs).await;
    };
    let listen = async {
        let Some(items) = items else { return };
        items.gone().await;
        say(Said::NobodyListens).await;
    };
    tokio::join!(speak, listen);
}

impl Host for RemoteHost {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn perform(
        &self,
        request: Request,
        conversation: AnyConversation,
    ) -> BoxFuture<'_, Result<Reply, HostError>> {
        Box::pin(self.exchange(request, conversation))
    }

    fn lost(&self) -> BoxFuture<'_, String> {
        let lost = self.link.lost();
        Box::pin(async move { lost.await.to_string() })
    }
}

/// What the end of a link means for a call that was under way.
fn broken(error: LinkError) -> HostError {
    match error {
        LinkError::Failed { message } => HostError::Internal(message),
        LinkError::TooLarge { .. } => HostError::Internal(error.to_string()),
        other => HostError::Lost(other.to_string()),
    }
}

/// The answering side: a local host for whoever greets first.
#[derive(Default)]
pub struct Served {
    host: OnceLock<Arc<LocalHost>>,
}

impl Served {
    /// Whoever asked is gone: end what still runs.
    pub async fn end(&self) {
        let Some(host) = self.host.get() else { return };
        let host: &dyn Host = &**host;
        if let Err(error) = host.ask(EndAll {}).await {
            tracing::error!(%error, "not everything could be ended");
        }
    }

    async fn answer(&self, request: &[u8], exchange: Exchange) -> Result<Reply, HostError> {
        let host = self.host.get().ok_or_else(|| HostError::Internal("nobody greeted".into()))?;
        let Asked { request, listens, speaks } = decode(request)?;
        let Exchange { items, inputs, cancelled } = exchange;
        let (item_sender, told) = mpsc::channel(WAITING);
        let (input_sender, input_receiver) = mpsc::channel(WAITING);
        let unheard = CancellationToken::new();
        let hears = request.hears();
        let conversation = AnyConversation {
            items: listens.then(|| Arc::new(item_sender) as _),
            inputs: speaks.then(|| Box::new(input_receiver) as _),
            cancel: cancelled,
        };
        let tell = tell(told, items, &unheard);
        let work = async {
            let (reply, told) = tokio::join!(host.perform(request, conversation), tell);
            told?;
            reply
        };
        tokio::select! {
            reply = work => reply,
            error = hear(inputs, input_sender, hears, &unheard) => Err(error),
        }
    }
}

/// Items of any operation, on their way to whoever knows which it is.
impl Listener for mpsc::Sender<Item> {
    fn tell(&self, item: Item) -> BoxFuture<'_, Told> {
        Box::pin(async {
            match self.send(item).await {
                Ok(()) => Told::Taken,
                Err(_) => Told::Unheard,
            }
        })
    }

    fn gone(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.closed())
    }
}

/// Inputs that were compared with the operation when they came.
impl Speaker for mpsc::Receiver<Input> {
    fn next(&mut self) -> BoxFuture<'_, Option<Input>> {
        Box::pin(self.recv())
    }
}

/// Pass items on. The host sees a listener that is gone when this returns.
async fn tell(
    mut told: mpsc::Receiver<Item>,
    items: Items,
    unheard: &CancellationToken,
) -> Result<(), HostError> {
    let pass = async {
        while let Some(item) = told.recv().await {
            if items.send(encode(&item)?).await.is_err() {
                break;
            }
        }
        Ok(())
    };
    tokio::select! {
        passed = pass => passed,
        () = unheard.cancelled() => Ok(()),
    }
}

/// Hear what the caller says. Returns only what cannot be understood: the work itself ends a call.
async fn hear(
    mut inputs: Inputs,
    sender: mpsc::Sender<Input>,
    hears: fn(&Input) -> bool,
    unheard: &CancellationToken,
) -> HostError {
    let mut sender = Some(sender);
    while let Some(said) = inputs.next().await {
        match (decode(&said), &sender) {
            (Err(error), _) => return error,
            (Ok(Said::NobodyListens), _) => unheard.cancel(),
            (Ok(Said::NoMoreInputs), _) => sender = None,
            (Ok(Said::Input(input)), _) if !hears(&input) => {
                return HostError::Protocol("the caller said what nobody asked for".into());
            }
            (Ok(Said::Input(input)), Some(open)) => {
                if open.send(input).await.is_err() {
                    sender = None;
                }
            }
            (Ok(Said::Input(_)), None) => {}
        }
    }
    drop(sender);
    std::future::pending().await
}

impl Handler for Served {
    fn welcome(&self, hello: &[u8]) -> Result<Vec<u8>, String> {
        // First of all: another build may mean something else by the same bytes.
        let settings = build::checked(hello)?;
        let open = || -> Result<Vec<u8>, HostError> {
            let taken = || HostError::Internal("this runner is taken".into());
            // A host that opens ends what carries its mark, so it must not open for nothing.
            if self.host.get().is_some() {
                return Err(taken());
            }
            let host = LocalHost::open(decode(settings)?)?;
            let welcome = encode(host.facts())?;
            self.host.set(Arc::new(host)).map_err(|_| taken())?;
            Ok(welcome)
        };
        open().map_err(|error| error.to_string())
    }

    async fn handle(self: Arc<Self>, request: Vec<u8>, exchange: Exchange) -> Vec<u8> {
        let answer = self.answer(&request, exchange).await;
        encode(&answer).unwrap_or_else(|error| {
            // An error is small and plain, so it can be encoded if anything can.
            encode(&Err::<Reply, _>(error)).unwrap_or_default()
        })
    }
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>, HostError> {
    rmp_serde::to_vec_named(value).map_err(|error| HostError::Internal(error.to_string()))
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, HostError> {
    rmp_serde::from_slice(bytes).map_err(|error| HostError::Internal(error.to_string()))
}

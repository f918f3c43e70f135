//! `openspace mcp`: one client over standard input and output, for as long as that client is there.
//!
//! Servers come and go under it. It joins the one of the workspace, joins the next when that one has
//! gone, and stands in for it when there is none. What a message means is the server's affair: here only
//! is known what another server has to be told anew, and which requests have no answer yet.

use std::{
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result};
use clap::Args;
use tokio::io::AsyncWriteExt as _;

use self::{
    conversation::Conversation,
    lines::Lines,
    link::Link,
    seeker::{Found, Gone, Seeker},
};
use super::{LimitArgs, hosting::HostingArgs, permission::PermissionArgs};
use crate::{
    environment::Environment,
    mcp::ToolSet,
    server::{ServeOptions, Server, Signals},
};

mod conversation;
mod lines;
mod link;
mod seeker;
mod stdio;

/// How long a request that changes nothing waits for the next server.
const HELD_FOR: Duration = Duration::from_secs(10);

/// Which workspace, and what is shown of it.
#[derive(Debug, Args)]
pub(super) struct Mcp {
    /// The folder to work in [default: the current folder].
    #[arg(value_name = "FOLDER", conflicts_with = "workspace")]
    path: Option<PathBuf>,
    /// The same as FOLDER.
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<PathBuf>,
    /// Which tools to show: `all`, `ide` (for agents with file tools of their own) or `workspace`.
    #[arg(long, value_name = "SET", default_value = "all")]
    set: ToolSet,
    #[command(flatten)]
    permission: PermissionArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    hosting: HostingArgs,
}

impl Mcp {
    fn folder(&self) -> PathBuf {
        let given = self.path.as_ref().or(self.workspace.as_ref());
        given.cloned().unwrap_or_else(|| ".".into())
    }

    /// How the workspace is served while no other process does.
    fn serve(&self) -> Result<ServeOptions> {
        Ok(ServeOptions {
            root: self.folder(),
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: Some(0),
            allow_hosts: Vec::new(),
            no_auth: false,
            // Who asked for walls around the programs does not get them from the next server.
            stand_in: !self.hosting.isolates(),
            limits: self.limits.limits(),
            max_bridge_streams: self.limits.max_bridge_streams,
            bridge_timeout: Duration::from_secs(self.limits.bridge_timeout),
            audit_days: self.limits.audit_days,
            agents: self.limits.agents(),
            opencode: None,
            mcp: self.limits.mcp(),
            permission: self.permission.options(),
            hosting: self.hosting.options()?,
        })
    }
}

/// Serve the client of this process until it leaves.
pub(super) async fn run(options: Mcp, environment: Environment) -> Result<ExitCode> {
    let mut signals = Signals::take()?;
    let serve_alone = options.serve()?;
    let seeker = Seeker::new(serve_alone, options.set, options.hosting, environment);
    // A task wakes where its input is awaited; the main thread would be woken from there each time.
    let serving = tokio::spawn(async move {
        let mut desk = Desk {
            client: Lines::new(stdio::input()),
            out: stdio::output(),
            talk: Mutex::default(),
        };
        let mut own = None;
        tokio::select! {
            biased;
            signal = signals.next() => {
                tracing::info!(signal, "stopping");
                stop(&mut own).await;
                Ok(())
            }
            served = serve(&mut desk, &seeker, &mut own) => {
                stop(&mut own).await;
                served
            }
        }
    });
    serving.await.context("serving the client failed")??;
    Ok(ExitCode::SUCCESS)
}

async fn stop(own: &mut Option<Server>) {
    if let Some(server) = own.take() {
        server.stop().await;
    }
}

/// One server after the other. `own` is the one in this process, while there is one.
async fn serve(desk: &mut Desk, seeker: &Seeker, own: &mut Option<Server>) -> Result<()> {
    let mut found = seeker.first().await?;
    loop {
        let was_stand_in = found.is_stand_in;
        *own = found.own.take();
        let handed_over = match desk.converse(found.link, own).await? {
            Ended::ClientLeft => return Ok(()),
            Ended::ServerGone { handed_over } => handed_over,
        };
        stop(own).await;
        desk.answer_lost().await?;
        let gone = match (handed_over, was_stand_in) {
            (false, true) => Gone::StandIn,
            _ => Gone::Server,
        };
        tracing::warn!(handed_over, "the server has gone; looking for the next");
        let Some(next) = desk.meanwhile(seeker, gone).await? else { return Ok(()) };
        found = next;
    }
}

/// How a conversation with one server ended.
enum Ended {
    ClientLeft,
    ServerGone { handed_over: bool },
}

/// The client's side: its messages, its answers and what is remembered of both.
struct Desk {
    client: Lines<stdio::Input>,
    out: stdio::Output,
    talk: Mutex<Conversation>,
}

impl Desk {
    /// Pass messages between the client and a server until one of them leaves.
    async fn converse(&mut self, link: Link, own: &mut Option<Server>) -> Result<Ended> {
        let Self { client, out, talk } = self;
        let Link { mut read, mut write } = link;
        let talk = &*talk;
        let sending = async {
            loop {
                match client.next().await {
                    Ok(Some(line)) => {
                        // Noted first: the answer may be there before this goes on.
                        note(talk).hear(&line);
                        if write.write_all(&line).await.is_err() {
                            // What the server said before it went is still to be read.
                            return false;
                        }
                    }
                    Ok(None) => break,
                    Err(error) => {
                        tracing::error!(%error, "the client cannot be understood any more");
                        break;
                    }
                }
            }
            // The client is done; what the server still has to say is passed on.
            drop(write.shutdown().await);
            true
        };
        let passing = async {
            loop {
                match read.next().await {
                    Ok(Some(line)) => {
                        if note(talk).pass(&line) {
                            out.write_all(&line).await?;
                            out.flush().await?;
                        }
                    }
                    Ok(None) => return Ok(()),
                    Err(error) => {
                        tracing::debug!(%error, "the server's side broke off");
                        return Ok::<(), std::io::Error>(());
                    }
                }
            }
        };
        let mut passing = std::pin::pin!(passing);
        let mut sending = std::pin::pin!(sending);
        let (mut client_left, mut all_sent, mut leaving) = (false, false, None);
        loop {
            tokio::select! {
                passed = &mut passing => {
                    passed.context("the client does not take its answers")?;
                    break;
                }
                left = &mut sending, if !all_sent => (client_left, all_sent) = (left, true),
                () = given_away(own.as_ref()), if own.is_some() => {
                    leaving = own.take().map(|server| tokio::spawn(server.stop()));
                }
            }
        }
        let handed_over = leaving.is_some();
        if let Some(leaving) = leaving {
            leaving.await.context("making way for the other server failed")?;
        }
        Ok(if client_left { Ended::ClientLeft } else { Ended::ServerGone { handed_over } })
    }

    /// Answer the calls that a server took with it.
    async fn answer_lost(&mut self) -> Result<()> {
        let answers = note(&self.talk).lost();
        self.say(answers).await
    }

    /// Answer for the missing server until the next one is there and knows this client. `None` when
    /// the client has left.
    async fn meanwhile(&mut self, seeker: &Seeker, mut gone: Gone) -> Result<Option<Found>> {
        let mut give_up = std::pin::pin!(tokio::time::sleep(HELD_FOR));
        let mut given_up = false;
        loop {
            let mut seeking = std::pin::pin!(seeker.next(gone));
            let mut found = loop {
                tokio::select! {
                    found = &mut seeking => break found,
                    line = self.client.next() => {
                        let Some(line) = line.context("the client cannot be understood any more")?
                        else { return Ok(None) };
                        let answer = note(&self.talk).answer_for_nobody(&line, given_up, seeker.why());
                        self.say(answer).await?;
                    }
                    () = &mut give_up, if !given_up => {
                        given_up = true;
                        let answers = note(&self.talk).give_up(seeker.why());
                        self.say(answers).await?;
                    }
                }
            };
            match greet(&self.talk, &mut found.link).await {
                Ok(()) => {
                    tracing::info!(alone = found.own.is_some(), "a server is there again");
                    return Ok(Some(found));
                }
                Err(error) => {
                    seeker.failed(&error);
                    stop(&mut found.own).await;
                    // The next try is not at once.
                    gone = Gone::Server;
                }
            }
        }
    }

    async fn say(&mut self, lines: Vec<Vec<u8>>) -> Result<()> {
        let said = async {
            for line in lines {
                self.out.write_all(&line).await?;
            }
            self.out.flush().await
        };
        said.await.context("the client does not take its answers")
    }
}

/// Tell a new server what the one before it was told.
async fn greet(talk: &Mutex<Conversation>, link: &mut Link) -> Result<()> {
    let hello = note(talk).hello();
    if let Some(hello) = hello {
        link.write.write_all(&hello).await.context("the server hung up")?;
        let answer = tokio::time::timeout(HELD_FOR, link.read.next());
        let answer = answer.await.context("the server does not answer")?;
        let answer = answer.context("the server hung up")?.context("the server hung up")?;
        note(talk).welcomed(&answer)?;
    }
    let rest = note(talk).rest();
    for line in rest {
        link.write.write_all(&line).await.context("the server hung up")?;
    }
    Ok(())
}

/// A panic elsewhere leaves notes that are whole: each is made in one step.
fn note(talk: &Mutex<Conversation>) -> MutexGuard<'_, Conversation> {
    talk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Until another process wants to serve the workspace.
async fn given_away(own: Option<&Server>) {
    match own {
        Some(server) => server.given_away().await,
        None => std::future::pending().await,
    }
}

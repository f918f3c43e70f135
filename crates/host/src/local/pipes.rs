//! Programs with a pipe of a local host: started by path and arguments, spoken with, and ended with
//! the place.
//!
//! Bytes pass and are not kept: what is on its way is bounded by a window for each stream, and a
//! program waits for whoever does not take what it writes.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use openspace_files::{FileError, Files, Kind};
use openspace_process::{
    Patience, ProcessError, Stream, Tree, find,
    pipe::{self, Connected, Ended, Outflow, Piped, Stop},
    resident, search_path,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::watch,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{LocalHost, lock};
use crate::{
    conversation::{HostConversation, HostInputs},
    host::HostError,
    operation::{FindProgram, Pipe, PipeInput, PipeMemory, PipeOutput, PipedProgram, WINDOW},
    pipe::window::{WORTH_SAYING, Window},
};

/// Programs with a pipe that run at once.
const MAX_PIPES: usize = 64;
/// The most bytes that are passed at once.
const PIECE: usize = 64 * 1024;

/// The programs with a pipe that run.
#[derive(Default)]
pub(super) struct Pipes(Mutex<Known>);

#[derive(Default)]
struct Known {
    last: u64,
    running: BTreeMap<u64, Running>,
}

/// A program that runs, for whoever ends the place.
#[derive(Clone)]
pub(super) struct Running {
    stop: Stop,
    /// Its process and what that started, once it runs.
    tree: Option<(u32, Tree)>,
    /// The processes that could not be ended, once it is over.
    over: watch::Receiver<Option<Vec<u32>>>,
}

impl Running {
    /// Stop it and wait until its processes are gone, whether or not anybody takes what it wrote.
    pub(super) async fn end(mut self) -> Result<(), HostError> {
        self.stop.within(Patience::default().term_grace);
        let over = self.over.wait_for(Option::is_some).await;
        // A call that was given up has ended its program already.
        let survivors = over.ok().and_then(|survivors| survivors.clone()).unwrap_or_default();
        if survivors.is_empty() {
            return Ok(());
        }
        Err(ProcessError::StillRunning(survivors).into())
    }
}

impl Pipes {
    pub(super) fn all(&self) -> Vec<Running> {
        lock(&self.0).running.values().cloned().collect()
    }

    fn enter(self: &Arc<Self>) -> Result<Entered, HostError> {
        let mut known = lock(&self.0);
        if known.running.len() >= MAX_PIPES {
            let what = "programs with a pipe".into();
            return Err(HostError::TooMany { what, count: MAX_PIPES });
        }
        known.last += 1;
        let number = known.last;
        let (sender, over) = watch::channel(None);
        let stop = Stop::default();
        known.running.insert(number, Running { stop: stop.clone(), tree: None, over });
        Ok(Entered { pipes: Arc::clone(self), number, stop, over: sender })
    }
}

/// A place among those that run, until it is dropped.
struct Entered {
    pipes: Arc<Pipes>,
    number: u64,
    stop: Stop,
    over: watch::Sender<Option<Vec<u32>>>,
}

impl Entered {
    fn started(&self, pid: u32, tree: Tree) {
        if let Some(running) = lock(&self.pipes.0).running.get_mut(&self.number) {
            running.tree = Some((pid, tree));
        }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        lock(&self.pipes.0).running.remove(&self.number);
    }
}

impl LocalHost {
    pub(super) async fn find_program(
        &self,
        FindProgram { program, folders }: FindProgram,
        cancel: &CancellationToken,
    ) -> Result<Option<PathBuf>, HostError> {
        let path = value_of("PATH", &self.environment);
        let find = move |files: &Files, _: &dyn Fn() -> bool| {
            let path = path.map(|path| search_path::outside(Some(&path), files.root()));
            find::find(&program, &find::places(&folders, path.as_deref())?)
        };
        self.blocking(cancel, find).await
    }

    pub(super) async fn pipe_memory(
        &self,
        wanted: &PipeMemory,
        cancel: &CancellationToken,
    ) -> Result<Vec<Option<u64>>, HostError> {
        let running: BTreeMap<u32, Tree> =
            self.pipes.all().into_iter().filter_map(|running| running.tree).collect();
        let trees: Vec<Option<Tree>> =
            wanted.pids.iter().map(|pid| running.get(pid).cloned()).collect();
        let look = move |_: &Files, is_cancelled: &dyn Fn() -> bool| {
            trees
                .iter()
                .map(|tree| match tree {
                    _ if is_cancelled() => Err(HostError::Cancelled),
                    Some(tree) => Ok(Some(resident(tree))),
                    None => Ok(None),
                })
                .collect()
        };
        self.blocking(cancel, look).await
    }

    pub(super) async fn pipe(
        &self,
        wanted: Pipe,
        conversation: HostConversation<Pipe>,
    ) -> Result<Ended, HostError> {
        if !conversation.is_listened_to() {
            return Err(HostError::Internal("nobody listens to a program with a pipe".into()));
        }
        self.cleared().await;
        let entered = self.pipes.enter()?;
        let piped = self.piped(wanted.program, conversation.cancel()).await?;
        if conversation.cancel().is_cancelled() {
            return Err(HostError::Cancelled);
        }
        let connected = pipe::connect(&piped)?;
        entered.started(connected.pid, connected.tree());
        // A task of its own: whoever ends the place does not wait for a caller that looks away.
        let talk = AbortOnDropHandle::new(tokio::spawn(talk(connected, conversation, entered)));
        talk.await.map_err(|join| HostError::Internal(join.to_string()))?
    }

    /// What to start, looked for on a thread that may block.
    async fn piped(
        &self,
        program: PipedProgram,
        cancel: &CancellationToken,
    ) -> Result<Piped, HostError> {
        let PipedProgram { program, arguments, folder, folders, without, environment } = program;
        let environment = pipe::environment(&self.environment, &without, &environment)?;
        let path = value_of("PATH", &environment);
        let marker = self.new_marker("pipe");
        let look = move |files: &Files, _: &dyn Fn() -> bool| {
            if files.stat(&folder)?.kind != Kind::Folder {
                return Err(HostError::from(FileError::NotAFolder { path: folder }));
            }
            let path = path.map(|path| search_path::outside(Some(&path), files.root()));
            let places = find::places(&folders, path.as_deref())?;
            Ok(Piped {
                program: find::require(&program, &places)?,
                arguments: arguments.into_iter().map(Into::into).collect(),
                cwd: files.real_path(&folder)?,
                environment,
                marker,
            })
        };
        self.blocking(cancel, look).await
    }
}

fn value_of(name: &str, environment: &[(OsString, OsString)]) -> Option<OsString> {
    // The last one counts, as for the program that gets them.
    environment.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}

/// Speak with a program until it has ended and all that it wrote is told.
async fn talk(
    connected: Connected,
    conversation: HostConversation<Pipe>,
    entered: Entered,
) -> Result<Ended, HostError> {
    let Connected { pid, stdin, stdout, stderr, leader, over } = connected;
    let (conversation, inputs) = conversation.split();
    let (to_stdin, from_caller) = tokio::io::duplex(WINDOW);
    let windows = Windows::default();
    let silent = CancellationToken::new();
    let end = async {
        let ended = leader.ended(&entered.stop, Patience::default(), silent.cancelled()).await;
        let survivors = ended.as_ref().map_or_else(|_| Vec::new(), |ended| ended.survivors.clone());
        entered.over.send_replace(Some(survivors));
        ended
    };
    let flow = async {
        // Were nobody there to hear it, the program would be stopped.
        conversation.tell(PipeOutput::Started { pid }).await;
        let read = async {
            tokio::join!(
                pass(stdout, Stream::Stdout, &windows.stdout, &over, &conversation),
                pass(stderr, Stream::Stderr, &windows.stderr, &over, &conversation),
            );
            silent.cancel();
        };
        tokio::join!(read, feed(stdin, from_caller, &over, &conversation));
    };
    tokio::select! {
        (ended, ()) = async { tokio::join!(end, flow) } => Ok(ended?),
        never = hear(inputs, to_stdin, &windows, &entered.stop) => match never {},
        never = leave(&conversation, &entered.stop) => match never {},
    }
}

#[derive(Default)]
struct Windows {
    stdout: Window,
    stderr: Window,
}

/// Pass on what a program writes, to its end. What nobody listens to any more is read and thrown away,
/// so that a program that is asked to end can say its last words.
async fn pass(
    mut outflow: Outflow,
    stream: Stream,
    window: &Window,
    over: &CancellationToken,
    conversation: &HostConversation<Pipe>,
) {
    let mut buffer = vec![0; PIECE];
    let mut heard = true;
    loop {
        let room = tokio::select! {
            biased;
            // What lies in a pipe at the end is little, and the answer comes after it.
            () = over.cancelled() => PIECE,
            () = std::future::ready(()), if !heard => PIECE,
            room = window.room() => room.min(PIECE),
            () = conversation.stopped() => PIECE,
        };
        let count = outflow.read(&mut buffer[..room]).await;
        if count == 0 {
            break;
        }
        if heard {
            window.sent(count);
            let bytes = buffer[..count].to_vec();
            heard = conversation.tell(PipeOutput::Bytes { stream, bytes }).await;
        }
    }
    if heard {
        conversation.tell(PipeOutput::Closed(stream)).await;
    }
}

/// Give a program its input, until the caller closes it or nobody takes it.
async fn feed(
    mut stdin: impl AsyncWrite + Unpin,
    mut from_caller: impl AsyncRead + Unpin,
    over: &CancellationToken,
    conversation: &HostConversation<Pipe>,
) {
    let feed = async {
        let mut buffer = vec![0; PIECE];
        let mut unsaid = 0;
        loop {
            let count = from_caller.read(&mut buffer).await.unwrap_or(0);
            if count == 0 {
                return true;
            }
            if stdin.write_all(&buffer[..count]).await.is_err() {
                return false;
            }
            unsaid += count;
            if unsaid >= WORTH_SAYING {
                conversation.tell(PipeOutput::Took(unsaid as u64)).await;
                unsaid = 0;
            }
        }
    };
    let to_the_end = tokio::select! {
        to_the_end = feed => to_the_end,
        () = over.cancelled() => true,
    };
    drop((stdin, from_caller));
    if !to_the_end {
        conversation.tell(PipeOutput::Deaf).await;
    }
}

/// Hear what the caller says. It is always taken at once from who keeps to the window.
async fn hear(
    mut inputs: HostInputs<Pipe>,
    stdin: impl AsyncWrite + Unpin,
    windows: &Windows,
    stop: &Stop,
) -> Infallible {
    let mut stdin = Some(stdin);
    while let Some(input) = inputs.next().await {
        match input {
            PipeInput::Bytes(bytes) => {
                if let Some(open) = &mut stdin
                    && open.write_all(&bytes).await.is_err()
                {
                    stdin = None;
                }
            }
            PipeInput::Close => stdin = None,
            PipeInput::Took { stream: Stream::Stdout, bytes } => windows.stdout.regain(bytes),
            PipeInput::Took { stream: Stream::Stderr, bytes } => windows.stderr.regain(bytes),
            PipeInput::Stop { patience_ms } => stop.within(Duration::from_millis(patience_ms)),
        }
    }
    drop(stdin);
    // Who says nothing more cannot say what it takes; the conversation holds up the program then.
    windows.stdout.lift();
    windows.stderr.lift();
    std::future::pending().await
}

/// Stop the program when nobody wants it any more.
async fn leave(conversation: &HostConversation<Pipe>, stop: &Stop) -> Infallible {
    conversation.stopped().await;
    stop.within(Patience::default().term_grace);
    std::future::pending().await
}

//! Terminals of a local host.

use std::{convert::Infallible, path::PathBuf};

use openspace_files::{FileError, Kind};
use openspace_protocol::TerminalId;
use openspace_terminal::{Integration, RunOutcome, Spawn, Status, Terminal};
use tokio::{runtime::Handle, sync::oneshot};

use super::{LocalHost, lock};
use crate::{
    conversation::HostConversation,
    host::HostError,
    operation::{
        AttachTerminal, CloseTerminal, FollowTerminal, OpenTerminal, RunInTerminal, Typed,
        WriteTerminal,
    },
};

impl LocalHost {
    pub(super) fn terminal(&self, id: TerminalId) -> Result<Terminal, HostError> {
        lock(&self.terminals)
            .get(&id)
            .cloned()
            .ok_or_else(|| HostError::Unknown { what: "terminal".into(), name: id.to_string() })
    }

    pub(super) async fn write_terminal(&self, wanted: WriteTerminal) -> Result<(), HostError> {
        let terminal = self.terminal(wanted.id)?;
        match wanted.view {
            Some(view) => terminal.worked_in(view),
            // Who types without looking cannot see whether there is a prompt.
            None => terminal.first_prompt().await,
        }
        Ok(terminal.write(&wanted.bytes).await?)
    }

    pub(super) async fn run_in_terminal(
        &self,
        wanted: RunInTerminal,
        conversation: &HostConversation<RunInTerminal>,
    ) -> Result<RunOutcome, HostError> {
        let terminal = self.terminal(wanted.id)?;
        let (typed, is_typed) = oneshot::channel();
        // Whoever has gone meanwhile needs not be told.
        let typed = || _ = typed.send(());
        let tell = async {
            if is_typed.await.is_ok() {
                conversation.tell(Typed).await;
            }
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            outcome = terminal.run(wanted.request, typed, conversation.cancel()) => Ok(outcome?),
            never = tell => match never {},
        }
    }

    /// Tell whenever the terminal changes. Changes that nobody has been told of yet become one.
    pub(super) async fn follow_terminal(
        &self,
        wanted: &FollowTerminal,
        conversation: &HostConversation<FollowTerminal>,
    ) -> Result<(), HostError> {
        // The terminal itself is not held: when it is forgotten, its changes end.
        let mut changed = self.terminal(wanted.id)?.changed();
        loop {
            let version = *changed.borrow_and_update();
            if !conversation.tell(version).await {
                return Ok(());
            }
            tokio::select! {
                moved = changed.changed() => if moved.is_err() { return Ok(()) },
                () = conversation.stopped() => return Ok(()),
            }
        }
    }

    /// Tell everything that a view of the terminal needs.
    pub(super) async fn attach_terminal(
        &self,
        wanted: &AttachTerminal,
        conversation: &HostConversation<AttachTerminal>,
    ) -> Result<(), HostError> {
        let mut attachment = self.terminal(wanted.id)?.attach(wanted.view);
        loop {
            tokio::select! {
                chunk = attachment.next() => {
                    let Some(chunk) = chunk else { return Ok(()) };
                    if !conversation.tell(chunk).await {
                        return Ok(());
                    }
                }
                () = conversation.stopped() => return Ok(()),
            }
        }
    }

    pub(super) async fn close_terminal(&self, wanted: &CloseTerminal) -> Result<(), HostError> {
        let terminal = self.terminal(wanted.id)?;
        // What cannot be ended stays known, so that it can be tried again.
        terminal.kill().await?;
        lock(&self.terminals).remove(&wanted.id);
        self.remove_marks(wanted.id);
        Ok(())
    }

    /// Where the shell of a terminal finds what makes it tell of its commands.
    fn marks_folder(&self, id: TerminalId) -> PathBuf {
        self.settings.scratch.join(format!("terminal-{id}"))
    }

    fn remove_marks(&self, id: TerminalId) {
        match std::fs::remove_dir_all(self.marks_folder(id)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%id, %error, "a terminal's private folder stays");
            }
            _ => {}
        }
    }

    fn take_terminals(&self) -> Vec<Terminal> {
        let terminals = std::mem::take(&mut *lock(&self.terminals));
        let forget = |(id, terminal)| {
            self.remove_marks(id);
            terminal
        };
        terminals.into_iter().map(forget).collect()
    }

    pub(super) async fn end_all(&self) -> Result<(), HostError> {
        let mut ends = tokio::task::JoinSet::new();
        for run in self.runs.take_all().into_values() {
            ends.spawn(async move { run.kill().await.map(drop).map_err(HostError::from) });
        }
        for pipe in self.pipes.all() {
            ends.spawn(pipe.end());
        }
        for terminal in self.take_terminals() {
            ends.spawn(async move { terminal.kill().await.map_err(HostError::from) });
        }
        let mut all = Ok(());
        while let Some(ended) = ends.join_next().await {
            match ended {
                Ok(Ok(())) => {}
                Ok(Err(error)) => all = Err(error),
                Err(join) => all = Err(HostError::Internal(join.to_string())),
            }
        }
        all
    }

    pub(super) async fn open_terminal(&self, wanted: OpenTerminal) -> Result<Status, HostError> {
        self.cleared().await;
        let OpenTerminal { id, shell, folder, size } = wanted;
        if lock(&self.terminals).contains_key(&id) {
            return Err(HostError::Internal(format!("there is a terminal {id} already")));
        }
        let files = self.files();
        if files.stat(&folder)?.kind != Kind::Folder {
            return Err(FileError::NotAFolder { path: folder }.into());
        }
        let spawn = Spawn {
            shell: shell.unwrap_or_else(|| self.facts.shell.clone()),
            args: Vec::new(),
            // The shell is started by path, so every link is resolved and must lead beneath the root.
            cwd: files.real_path(&folder)?,
            base_env: self.environment.clone(),
            env: Vec::new(),
            size,
            marker: format!("{}:{id}", self.settings.marker),
            integration: Some(Integration { folder: self.marks_folder(id), nonce: nonce()? }),
        };
        let terminal = Terminal::spawn(&spawn)?;
        let status = terminal.status();
        lock(&self.terminals).insert(id, terminal);
        Ok(status)
    }
}

/// Terminals live on without a handle, so whoever knew their names ends them.
impl Drop for LocalHost {
    fn drop(&mut self) {
        let terminals = self.take_terminals();
        let Ok(runtime) = Handle::try_current() else {
            // Their shells end with the runtime that they belong to.
            return;
        };
        for terminal in terminals {
            runtime.spawn(async move {
                if let Err(error) = terminal.kill().await {
                    tracing::warn!(%error, "a terminal of a host that is gone was not ended");
                }
            });
        }
    }
}

/// Letters that nobody can guess.
fn nonce() -> Result<String, HostError> {
    let mut bytes = [0; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|errno| HostError::Internal(format!("no random numbers: {errno}")))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

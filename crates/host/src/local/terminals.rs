//! Terminals of a local host.

use std::path::PathBuf;

use openspace_files::{FileError, Kind};
use openspace_protocol::TerminalId;
use openspace_terminal::{Integration, Spawn, Status, Terminal};
use tokio::{runtime::Handle, sync::watch};

use super::{LocalHost, lock, stopped};
use crate::{
    host::{HostError, Item, Talk},
    operation::{OpenTerminal, Reply, Request},
};

impl LocalHost {
    fn terminal(&self, id: TerminalId) -> Result<Terminal, HostError> {
        lock(&self.terminals)
            .get(&id)
            .cloned()
            .ok_or_else(|| HostError::Unknown { what: "terminal".into(), name: id.to_string() })
    }

    pub(super) async fn terminal_work(
        &self,
        request: Request,
        talk: Talk,
    ) -> Result<Reply, HostError> {
        Ok(match request {
            Request::OpenTerminal(wanted) => Reply::OpenTerminal(self.open_terminal(wanted).await?),
            Request::TerminalStatus(wanted) => {
                Reply::TerminalStatus(self.terminal(wanted.id)?.status())
            }
            Request::ReadTerminal(wanted) => {
                Reply::ReadTerminal(self.terminal(wanted.id)?.read(wanted.request)?)
            }
            Request::WriteTerminal(wanted) => {
                let terminal = self.terminal(wanted.id)?;
                if let Some(view) = wanted.view {
                    terminal.worked_in(view);
                }
                Reply::WriteTerminal(terminal.write(&wanted.bytes).await?)
            }
            Request::ResizeTerminal(wanted) => {
                Reply::ResizeTerminal(self.terminal(wanted.id)?.resize(wanted.size)?)
            }
            Request::RunInTerminal(wanted) => {
                let terminal = self.terminal(wanted.id)?;
                Reply::RunInTerminal(terminal.run(wanted.request, &talk.cancel).await?)
            }
            Request::InterruptTerminal(wanted) => {
                Reply::InterruptTerminal(self.terminal(wanted.id)?.interrupt().await?)
            }
            Request::FollowTerminal(wanted) => {
                // The terminal itself is not held: when it is forgotten, its changes end.
                let changed = self.terminal(wanted.id)?.changed();
                follow(changed, &talk).await;
                Reply::FollowTerminal(())
            }
            Request::AttachTerminal(wanted) => {
                attach(&self.terminal(wanted.id)?, wanted.view, &talk).await;
                Reply::AttachTerminal(())
            }
            Request::CloseTerminal(wanted) => {
                let terminal = self.terminal(wanted.id)?;
                // What cannot be ended stays known, so that it can be tried again.
                terminal.kill().await?;
                lock(&self.terminals).remove(&wanted.id);
                self.remove_marks(wanted.id);
                Reply::CloseTerminal(())
            }
            Request::EndAll(_) => Reply::EndAll(self.end_all().await?),
            other => return Err(HostError::Internal(format!("nobody does {other:?}"))),
        })
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

    async fn end_all(&self) -> Result<(), HostError> {
        let mut ends = tokio::task::JoinSet::new();
        for run in self.runs.take_all().into_values() {
            ends.spawn(async move { run.kill().await.map(drop).map_err(HostError::from) });
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

    async fn open_terminal(&self, wanted: OpenTerminal) -> Result<Status, HostError> {
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

/// Tell whenever the terminal changes. Changes that nobody has been told of yet become one.
async fn follow(mut changed: watch::Receiver<u64>, talk: &Talk) {
    loop {
        let version = *changed.borrow_and_update();
        if !talk.tell(Item::Changed(version)).await {
            return;
        }
        tokio::select! {
            moved = changed.changed() => if moved.is_err() { return },
            () = stopped(&talk.cancel, talk) => return,
        }
    }
}

async fn attach(terminal: &Terminal, view: u64, talk: &Talk) {
    let mut attachment = terminal.attach(view);
    loop {
        tokio::select! {
            chunk = attachment.next() => {
                let Some(chunk) = chunk else { return };
                if !talk.tell(Item::Terminal(chunk)).await {
                    return;
                }
            }
            () = stopped(&talk.cancel, talk) => return,
        }
    }
}

//! Interrupting what runs in a terminal, as a person does with control and C.
//!
//! The shell itself is never signalled, and no group is unless it belongs to its session: a group
//! number that the kernel made up would end the whole machine.

use std::time::Duration;

use rustix::termios::{LocalModes, SpecialCodeIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{Shared, Terminal};
use crate::types::{Life, TerminalError};

const PROMPT_PATIENCE: Duration = Duration::from_secs(2);
const KEY_PATIENCE: Duration = Duration::from_millis(500);
/// Control and C, for a line editor that has switched the key's meaning off.
const USUAL_KEY: u8 = 0x03;

/// How a program was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterruptWay {
    /// Nothing was sent: the shell waits at its prompt, and nothing is typed there.
    Nothing,
    /// The interrupt key was typed.
    Key,
    /// A signal was sent to the programs in the foreground, which do not look at the key.
    Signal,
}

/// What an interrupt did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Interrupted {
    pub how: InterruptWay,
    /// Whether the shell showed its prompt again soon. A shell that tells nothing is never seen
    /// to.
    pub prompt_back: bool,
}

impl Terminal {
    /// Interrupts the program in the foreground, or clears the line at the prompt.
    pub async fn interrupt(&self) -> Result<Interrupted, TerminalError> {
        let (before, was_at_prompt, was_typing) = {
            let mut state = self.shared.state();
            let typing = state.model.typing();
            let marks = state.model.marks();
            (marks.prompts, marks.at_prompt(), typing)
        };
        if was_at_prompt && !was_typing {
            // The key would reach the shell some time later, and take what is typed next with it.
            return Ok(Interrupted { how: InterruptWay::Nothing, prompt_back: true });
        }
        let how = self.send_interrupt().await?;
        if !self.shared.state().model.marks().heard() {
            return Ok(Interrupted { how, prompt_back: false });
        }
        let back = |shared: &Shared| {
            let mut state = shared.state();
            // fish clears its line without a new prompt.
            let cleared = was_at_prompt && !state.model.typing();
            let marks = state.model.marks();
            let prompt = marks.at_prompt() && (marks.prompts > before || cleared);
            let ended = matches!(state.life, Life::Exited(_));
            (prompt || ended).then_some(prompt)
        };
        let deadline = Instant::now() + PROMPT_PATIENCE;
        // A line editor that is just about to read overlooks the key until the next one comes. A
        // program is told once only: twice may mean something else to it.
        while was_at_prompt && Instant::now() + KEY_PATIENCE < deadline {
            if let Some(prompt_back) = self.find(Instant::now() + KEY_PATIENCE, back).await {
                return Ok(Interrupted { how, prompt_back });
            }
            self.interrupt_key().await?;
        }
        let prompt_back = self.find(deadline, back).await.unwrap_or(false);
        Ok(Interrupted { how, prompt_back })
    }

    async fn send_interrupt(&self) -> Result<InterruptWay, TerminalError> {
        match self.foreground() {
            // A kernel that does not tell the foreground does not look at the key either.
            None => {
                if openspace_process::interrupt(&self.shared.tree, None).await? > 0 {
                    return Ok(InterruptWay::Signal);
                }
            }
            Some(group) if !self.key_has_meaning()? && Some(group) != self.leader() => {
                if openspace_process::interrupt(&self.shared.tree, Some(group)).await? > 0 {
                    return Ok(InterruptWay::Signal);
                }
            }
            Some(_) => {}
        }
        self.interrupt_key().await?;
        Ok(InterruptWay::Key)
    }

    pub(super) async fn interrupt_key(&self) -> Result<(), TerminalError> {
        let key = self.termios()?.special_codes[SpecialCodeIndex::VINTR];
        self.write(&[if key == 0 { USUAL_KEY } else { key }]).await
    }

    fn key_has_meaning(&self) -> Result<bool, TerminalError> {
        let termios = self.termios()?;
        let key = termios.special_codes[SpecialCodeIndex::VINTR];
        Ok(termios.local_modes.contains(LocalModes::ISIG) && key != 0)
    }

    fn termios(&self) -> Result<rustix::termios::Termios, TerminalError> {
        let device = self.shared.state().device.clone().ok_or(TerminalError::Ended)?;
        rustix::termios::tcgetattr(device.get_ref())
            .map_err(|errno| TerminalError::Device(errno.into()))
    }

    /// The process group that has the keyboard, if the kernel tells a real one.
    pub(super) fn foreground(&self) -> Option<i32> {
        let device = self.shared.state().device.clone()?;
        let group = rustix::termios::tcgetpgrp(device.get_ref()).ok()?.as_raw_pid();
        (group > 1).then_some(group)
    }

    /// The process group of the shell.
    pub(super) fn leader(&self) -> Option<i32> {
        match self.shared.state().life {
            Life::Running { pid } => i32::try_from(pid).ok(),
            Life::Exited(_) => None,
        }
    }
}

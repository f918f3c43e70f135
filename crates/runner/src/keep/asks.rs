//! What a keeper is asked, line by line.

use std::io;

use openspace_protocol::keeping::{Ask, LONGEST_LINE};
use rustix::io::Errno;

use super::KeepError;

/// What is asked, line by line.
#[derive(Default)]
pub(super) struct Asks {
    read: Vec<u8>,
    pub(super) ended: bool,
}

impl Asks {
    /// The first thing to be asked; nothing if nobody asks any more.
    pub(super) fn join(&mut self) -> Result<Option<u32>, KeepError> {
        match self.next()? {
            Some(Ask::Join { pid }) => Ok(Some(pid)),
            Some(Ask::Drain { .. } | Ask::Hold { .. } | Ask::Release { .. }) => {
                Err(KeepError::Ask("it has not joined yet"))
            }
            None => Ok(None),
        }
    }

    /// Waits for the next question.
    pub(super) fn next(&mut self) -> Result<Option<Ask>, KeepError> {
        loop {
            if let Some(ask) = self.waiting()? {
                return Ok(Some(ask));
            }
            if self.ended {
                return Ok(None);
            }
            self.read()?;
        }
    }

    /// A question that was read already.
    pub(super) fn waiting(&mut self) -> Result<Option<Ask>, KeepError> {
        let Some(end) = self.read.iter().position(|byte| *byte == b'\n') else {
            if self.read.len() > LONGEST_LINE {
                return Err(KeepError::LongLine(self.read.len()));
            }
            return Ok(None);
        };
        let line: Vec<u8> = self.read.drain(..=end).collect();
        serde_json::from_slice(&line).map(Some).map_err(KeepError::Argument)
    }

    pub(super) fn read(&mut self) -> Result<(), KeepError> {
        let mut buffer = [0; 4096];
        match rustix::io::read(io::stdin(), &mut buffer) {
            Ok(0) => self.ended = true,
            Ok(count) => self.read.extend_from_slice(&buffer[..count]),
            Err(Errno::INTR) => {}
            Err(error) => return Err(KeepError::system("read what is asked", error)),
        }
        Ok(())
    }
}

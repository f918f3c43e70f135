//! A secret of the person's, read from standard input: an argument would be seen by everybody on this machine, and kept by
//! the shell. What is typed at a terminal is not shown.

use std::io::{Read as _, Write as _};

use anyhow::{Context, Result, bail};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcsetattr,
};

/// Bytes that are read; a longer line is no secret of this kind.
const LONGEST: usize = 64 * 1024;
/// Ctrl-C, which ends the line while nothing is shown.
const GIVEN_UP: u8 = 3;

/// The first line of standard input.
pub(super) fn read(name: &str) -> Result<String> {
    let hidden = Hidden::begin(name)?;
    let line = line(hidden.is_some());
    drop(hidden);
    let text = String::from_utf8(line?).context("standard input is no text")?;
    let text = text.trim();
    if text.is_empty() {
        bail!("no {name} was given\n  hint: type it, or hand it in: `openspace … < file`");
    }
    Ok(text.to_owned())
}

/// A line, without its end.
fn line(is_typed: bool) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    for byte in std::io::stdin().lock().bytes().take(LONGEST) {
        match byte.context("standard input")? {
            b'\n' => break,
            GIVEN_UP if is_typed => bail!("given up"),
            byte => line.push(byte),
        }
    }
    Ok(line)
}

/// A terminal that shows nothing of what is typed, until this is dropped.
struct Hidden(Termios);

impl Hidden {
    /// Nothing where nobody types.
    fn begin(name: &str) -> Result<Option<Self>> {
        let input = std::io::stdin();
        if !isatty(&input) {
            return Ok(None);
        }
        let before = tcgetattr(&input).context("the terminal")?;
        let mut quiet = before.clone();
        quiet.local_modes &= !(LocalModes::ECHO | LocalModes::ISIG);
        quiet.local_modes |= LocalModes::ECHONL;
        quiet.special_codes[SpecialCodeIndex::VEOL] = GIVEN_UP;
        let mut errors = std::io::stderr().lock();
        // Somebody has to know what is waited for; whether they can read it is theirs.
        drop(write!(errors, "{name} (not shown): ").and_then(|()| errors.flush()));
        tcsetattr(&input, OptionalActions::Flush, &quiet).context("the terminal")?;
        Ok(Some(Self(before)))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0) {
            tracing::error!(%error, "the terminal may show nothing of what is typed now; `stty sane` mends it");
        }
    }
}

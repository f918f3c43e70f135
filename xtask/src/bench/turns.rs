//! Measuring several things in turn, so that what disturbs one disturbs all of them.

use std::time::Duration;

use anyhow::Result;

#[cfg(test)]
mod tests;

/// Does something once and says how long it took.
pub(super) type Measure<'a> = &'a mut dyn FnMut() -> Result<Duration>;

/// Each is done `warm` times unmeasured and then `rounds` times, one after the other.
pub(super) fn in_turns<const N: usize>(
    warm: usize,
    rounds: usize,
    mut contenders: [Measure<'_>; N],
) -> Result<[Vec<Duration>; N]> {
    for contender in &mut contenders {
        for _ in 0..warm {
            contender()?;
        }
    }
    let mut measured = [const { Vec::new() }; N];
    for _ in 0..rounds {
        for (contender, measured) in contenders.iter_mut().zip(&mut measured) {
            measured.push(contender()?);
        }
    }
    Ok(measured)
}

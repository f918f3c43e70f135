//! What many measured times come to.

use std::time::Duration;

use anyhow::{Context, Result};

#[cfg(test)]
mod tests;

/// Measured times, at least one, in ascending order.
#[derive(Debug)]
pub(super) struct Samples(Vec<Duration>);

impl Samples {
    pub(super) fn of(mut times: Vec<Duration>) -> Result<Self> {
        times.first().context("nothing was measured")?;
        times.sort_unstable();
        Ok(Self(times))
    }

    /// The smallest measured time that this share of all times does not exceed.
    pub(super) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent.min(100)).div_ceil(100);
        self.0[rank.max(1) - 1]
    }

    pub(super) fn median(&self) -> Duration {
        self.percentile(50)
    }
}

//! Time that passes, so that tests can have it pass.

use std::{fmt, time::Duration};

use crate::BoxFuture;

/// Waits.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Ends after so long.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
}

/// The time of this machine.
#[derive(Debug)]
pub struct RealTime;

impl Clock for RealTime {
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

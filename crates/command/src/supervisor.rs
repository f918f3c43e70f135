//! The seam to whoever looks after callers: it hears of every call before the call begins, may keep it
//! from beginning, hold it for a while, and end it while it runs.
//!
//! It decides about callers (is this one paused, has anybody agreed to it), not about what a call does.
//! Nothing here knows who there is or why.

use futures::future::BoxFuture;

use openspace_protocol::Access;

use crate::{Caller, Error, Progress, Result};

/// A call that is about to begin.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// Who calls.
    pub caller: &'a Caller,
    /// Canonical id of the command.
    pub command: &'a str,
    /// What it can do to the world.
    pub access: Access,
    /// One line that names things.
    pub summary: &'a str,
    /// It is a part of another call, which has begun already and is ended with all its parts.
    pub nested: bool,
}

/// Looks after callers.
pub trait Supervisor: Send + Sync + 'static {
    /// Let a call begin and look after it as long as what is given is there; nothing for callers that
    /// nobody looks after. A refusal is final.
    fn begin(&self, beginning: &Beginning<'_>) -> Result<Option<Box<dyn Attendance>>>;
}

/// A call that is looked after.
pub trait Attendance: Send + Sync {
    /// Wait until the call may go on, or hear why it may not. It waits in no line meanwhile.
    fn let_go_on<'a>(&'a self, progress: &'a Progress) -> BoxFuture<'a, Result<()>>;

    /// Until somebody ends the call: what its caller is told then.
    fn ended(&self) -> BoxFuture<'_, Error>;
}

/// The end of a call that somebody may end.
pub(crate) async fn ended(attendance: Option<&dyn Attendance>) -> Error {
    match attendance {
        Some(attendance) => attendance.ended().await,
        None => std::future::pending().await,
    }
}

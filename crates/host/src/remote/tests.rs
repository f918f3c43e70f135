//! The same facts through a stream, and what only a stream can do: carry much, break, be refused.

mod breaks;
mod builds;
mod foreign;
mod loads;

use crate::local::tests::{script::script, stage::Stage};

mod there {
    crate::local::tests::every_fact!(remote);
}

#[tokio::test]
async fn every_operation_answers_as_a_local_host_does() {
    let (local, remote) = (Stage::local().await, Stage::remote().await);
    let (local, remote) = tokio::join!(script(&local), script(&remote));
    for (local, remote) in local.lines().zip(remote.lines()) {
        assert_eq!(remote, local);
    }
    assert_eq!(remote, local);
}

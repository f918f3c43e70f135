//! Who is at the other end of a connection, as far as the kernel tells: looked for once, when it first matters.

use std::{net::SocketAddr, sync::Arc};

use openspace_isolation::{Insiders, Whose};
use tokio::sync::OnceCell;

/// The other end of a connection.
#[derive(Clone)]
pub(crate) struct Peer(Arc<Ends>);

struct Ends {
    insiders: Insiders,
    peer: SocketAddr,
    /// Nothing when the connection had ended before it was looked at.
    here: Option<SocketAddr>,
    whose: OnceCell<Whose>,
}

impl Peer {
    pub(super) fn new(insiders: Insiders, peer: SocketAddr, here: Option<SocketAddr>) -> Self {
        Self(Arc::new(Ends { insiders, peer, here, whose: OnceCell::new() }))
    }

    /// Whether it is a program in a place, or may be one.
    pub(crate) async fn may_be_inside(&self) -> bool {
        let whose = self.0.whose.get_or_init(|| async {
            let (insiders, peer) = (self.0.insiders.clone(), self.0.peer);
            let Some(here) = self.0.here else { return Whose::Unknown };
            let looked = tokio::task::spawn_blocking(move || insiders.whose(peer, here)).await;
            looked.unwrap_or_else(|error| {
                tracing::error!(%error, "it cannot be told who calls");
                Whose::Unknown
            })
        });
        *whose.await != Whose::Outside
    }
}

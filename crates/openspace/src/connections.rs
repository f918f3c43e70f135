//! Connections over TCP: each speaks HTTP/1, has to say what it wants in time, and ends with the server.
//!
//! What is said is not known here, and nobody has been let in yet: whoever can reach the port can open
//! a connection, so one that says nothing must not cost anything for long, and many that say nothing must
//! not take the places of those that do.

use std::{
    collections::VecDeque,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{Router, body::Body, http::Response};
use futures::{StreamExt, stream};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use openspace_isolation::Insiders;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::{ServiceExt, service_fn};

mod peer;

pub(crate) use peer::Peer;

/// How long the other side may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// For the head of a request, and before it begins. Clients keep connections open for the next
    /// request, mostly for less than this.
    pub(crate) head: Duration,
    /// For each piece of a body.
    pub(crate) body: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { head: Duration::from_mins(1), body: Duration::from_secs(30) }
    }
}

/// Connections that may be open without having asked for anything; when there are more, the oldest of
/// them ends.
const MOST_SILENT: usize = 256;
/// How soon after a failure to accept it is tried again: there may be no descriptor left.
const AGAIN: Duration = Duration::from_millis(100);

/// Serve everybody who connects until `stop`, then let what is under way end. Each request goes with its [`Peer`].
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    patience: Patience,
    insiders: Insiders,
    stop: CancellationToken,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.head);
    let connections = TaskTracker::new();
    let mut silent = Silent::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, address)) => {
                let peer = Peer::new(insiders.clone(), address, stream.local_addr().ok());
                // Whoever comes faster than others leave would take the descriptors of all.
                silent.make_room().await;
                let (router, first) = (router.clone(), silent.add());
                let over = first.over.clone().drop_guard();
                let routes = Routes { router, peer };
                let talk =
                    converse(http.clone(), stream, routes, patience, first.clone(), stop.clone());
                connections.spawn(async move {
                    tokio::select! {
                        () = talk => {}
                        () = first.superfluous.cancelled() => {}
                    }
                    drop(over);
                });
            }
            // It is gone before it was here.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                tracing::error!(%error, "nobody can connect for the moment");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
    connections.close();
    connections.wait().await;
}

/// What answers the requests of one connection.
#[derive(Clone)]
struct Routes {
    router: Router,
    peer: Peer,
}

/// Whether a connection has asked for something yet, and its end if it waits too long with that.
#[derive(Clone, Default)]
struct FirstWords {
    said: Arc<AtomicBool>,
    superfluous: CancellationToken,
    /// Its descriptor is free again.
    over: CancellationToken,
}

/// The connections that have said nothing yet, the oldest first.
#[derive(Default)]
struct Silent(VecDeque<FirstWords>);

impl Silent {
    /// Ends the oldest when there are too many.
    async fn make_room(&mut self) {
        if self.0.len() >= MOST_SILENT {
            self.0.retain(|one| !one.said.load(Ordering::Relaxed) && !one.over.is_cancelled());
        }
        if self.0.len() >= MOST_SILENT
            && let Some(oldest) = self.0.pop_front()
        {
            oldest.superfluous.cancel();
            oldest.over.cancelled().await;
        }
    }

    fn add(&mut self) -> FirstWords {
        let first = FirstWords::default();
        self.0.push_back(first.clone());
        first
    }
}

async fn converse(
    http: http1::Builder,
    stream: TcpStream,
    routes: Routes,
    patience: Patience,
    first: FirstWords,
    stop: CancellationToken,
) {
    // Answers are small and written in several frames: with Nagle on, the second frame waits for
    // the acknowledgement of the first.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection stays slow");
    }
    let answer = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        first.said.store(true, Ordering::Relaxed);
        let mut request = request.map(|body| patient(Body::new(body), patience.body));
        let Routes { router, peer } = routes.clone();
        request.extensions_mut().insert(peer);
        async move { router.oneshot(request).await as Result<Response<Body>, _> }
    });
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(answer));
    let mut connection = std::pin::pin!(connection.with_upgrades());
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// The same body, which fails when nothing of it comes for so long.
fn patient(body: Body, patience: Duration) -> Body {
    if axum::body::HttpBody::is_end_stream(&body) {
        return body;
    }
    let pieces = stream::unfold(Some(body.into_data_stream()), move |pieces| async move {
        let mut pieces = pieces?;
        if let Ok(piece) = tokio::time::timeout(patience, pieces.next()).await {
            return piece.map(|piece| (piece.map_err(io::Error::other), Some(pieces)));
        }
        let silent = format!("nothing of the body came for {} s", patience.as_secs());
        Some((Err(io::Error::new(io::ErrorKind::TimedOut, silent)), None))
    });
    Body::from_stream(pieces)
}

#[cfg(test)]
mod tests;

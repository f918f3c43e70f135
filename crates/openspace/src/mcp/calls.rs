//! What every request needs to know about itself: its era, its HTTP origin, how to report
//! progress, and how to stop when the client no longer wants the answer.

use std::{future::Future, time::Duration};

use axum::http::request::Parts;
use openspace_command::{Error, ErrorKind, ProgressUpdate};
use rmcp::{RoleServer, model::ProgressNotificationParam, service::RequestContext};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// opencode gives up after 60 s without progress; the shortest known limit elsewhere is 30 s.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Whether the request speaks 2026-07-28 or newer (no session, no `initialize`).
pub(super) fn is_modern(cx: &RequestContext<RoleServer>) -> bool {
    cx.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// The HTTP request that carried this message; `None` on a raw stream (stdio, pipe, test).
pub(super) fn http_parts(cx: &RequestContext<RoleServer>) -> Option<&Parts> {
    cx.extensions.get::<Parts>()
}

/// One value of the endpoint's URL query, e.g. `set` in `/mcp?set=ide`.
pub(super) fn query_value(cx: &RequestContext<RoleServer>, key: &str) -> Option<String> {
    let query = http_parts(cx)?.uri.query()?;
    query.split('&').find_map(|pair| match pair.split_once('=') {
        Some((name, value)) if name == key => Some(value.to_owned()),
        _ => None,
    })
}

/// Why a request was not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aborted {
    /// Its client took it back.
    Cancelled,
    /// The server stops.
    Stopping,
}

/// What a caller is told whose call a server took with it: the truth, which is that nobody knows.
pub(crate) fn unknown_outcome() -> Error {
    let message = "the server stopped while this ran; whether it took effect is unknown";
    Error::new(ErrorKind::Lost, message).hint("look at what it was to change before doing it again")
}

/// Run `work`, passing on its progress, with a heartbeat while it says nothing, and drop it when
/// nobody wants it any more.
///
/// The library never aborts a handler: it only cancels `cx.ct`. For a legacy client that happens
/// on `notifications/cancelled` (a closed stream means nothing) and some time after the end of its
/// session, for a modern client when the response stream is closed. It does *not* happen for
/// legacy calls when the server stops, hence `stop`. Dropping `work` is what ends it, so `work`
/// must be drop-safe.
pub(super) async fn with_progress<T>(
    cx: &RequestContext<RoleServer>,
    stop: &CancellationToken,
    reports: &mut mpsc::Receiver<ProgressUpdate>,
    work: impl Future<Output = T>,
) -> Result<T, Aborted> {
    let mut work = std::pin::pin!(work);
    // Numbers must grow from one notice to the next, whatever the work reports.
    let mut last = 0.0_f64;
    loop {
        let (done, total, message) = tokio::select! {
            biased;
            done = &mut work => return Ok(done),
            // First: a server that stops cancels what runs on raw streams, too.
            () = stop.cancelled() => return Err(Aborted::Stopping),
            () = cx.ct.cancelled() => return Err(Aborted::Cancelled),
            Some(report) = reports.recv() => (report.done, report.total, report.message),
            () = tokio::time::sleep(HEARTBEAT) => (last, None, "still running".to_owned()),
        };
        last = if done > last { done } else { last + 0.001 };
        report_progress(cx, last, total, &message).await;
    }
}

/// Sends one progress notification on this request's own stream, if the client asked for them.
///
/// `progress` must grow from one call to the next within a request.
pub(super) async fn report_progress(
    cx: &RequestContext<RoleServer>,
    progress: f64,
    total: Option<f64>,
    message: &str,
) {
    let Some(token) = cx.meta.get_progress_token() else {
        return;
    };
    let mut params = ProgressNotificationParam::new(token, progress).with_message(message);
    params.total = total;
    // A client that cannot be reached any more will cancel the request by itself.
    drop(cx.peer.notify_progress(params).await);
}

//! What others build on: the routes under `/api/v1`, which keep their paths and their meaning.
//!
//! Those that were there before it answer under `/api` too, the same way. Every other route under
//! `/api` is the page's own and changes with it.

use axum::{
    Router,
    middleware::from_fn,
    routing::{get, post},
};

use super::{Edge, audit, chat, commands, events, openapi, packing::pack, terminals, workspaces};

#[cfg(test)]
mod tests;

/// The promised prefix, and the older one with the same routes.
const PREFIXES: [&str; 2] = ["/api/v1", "/api"];

/// The routes.
pub fn router() -> Router<Edge> {
    let mut router = Router::new()
        .route("/openapi.json", get(openapi::document).layer(from_fn(pack)))
        .route("/api/v1/openapi.json", get(openapi::document).layer(from_fn(pack)))
        .route("/api/v1/audit", get(audit::lines))
        .route("/api/v1/chat", get(chat::socket))
        .route("/api/v1/chat/lines", get(chat::lines))
        .merge(workspaces::router());
    for prefix in PREFIXES {
        router = router
            .route(&format!("{prefix}/commands"), get(commands::list).layer(from_fn(pack)))
            .route(&format!("{prefix}/commands/{{id}}"), post(commands::call))
            .route(&format!("{prefix}/state"), get(events::snapshot))
            .route(&format!("{prefix}/events"), get(events::stream))
            .route(&format!("{prefix}/socket"), get(events::socket))
            .route(&format!("{prefix}/terminals/{{id}}"), get(terminals::socket));
    }
    router
}

/// The command that a path calls.
pub fn command_of(path: &str) -> Option<&str> {
    let below = |prefix: &&str| path.strip_prefix(*prefix)?.strip_prefix("/commands/");
    PREFIXES.iter().find_map(below)
}

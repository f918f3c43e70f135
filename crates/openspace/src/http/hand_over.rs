//! A server that stands in for one makes way for the server that a person starts.

use axum::{
    Extension, Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{
    auth::Admitted,
    http::{Edge, failure},
};

/// Where it is asked for.
pub const PATH: &str = "/api/hand-over";

/// `POST /api/hand-over`: stop, so that the asking process can serve the workspace. Only who has the
/// token may ask, and only a server that nobody started on purpose does it.
pub async fn make_way(
    State(edge): State<Edge>,
    Extension(admitted): Extension<Admitted>,
) -> Response {
    if !matches!(admitted, Admitted::Token | Admitted::Person) {
        let hint = Some("send it as `Authorization: Bearer TOKEN`");
        return failure(StatusCode::FORBIDDEN, "denied", "taking over needs the token", hint);
    }
    let Some(hand_over) = edge.hand_over else {
        let error = "this server was started on purpose and stays";
        let hint = Some("stop it where it was started");
        return failure(StatusCode::CONFLICT, "conflict", error, hint);
    };
    hand_over.cancel();
    Json(json!({"success": true})).into_response()
}

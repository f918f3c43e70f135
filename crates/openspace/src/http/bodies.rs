//! How large a body may be, and how one that is too large is refused.
//!
//! What a body holds is not looked at here. Nobody gets this far who was not let in.

use std::time::Duration;

use axum::{
    extract::{DefaultBodyLimit, Request, State},
    http::{
        StatusCode,
        header::{CONTENT_LENGTH, EXPECT},
    },
    middleware::Next,
    response::Response,
};
use futures::StreamExt;
use openspace_command::ErrorKind;
use openspace_files::MAX_BYTES;
use openspace_workspace::Dispatcher;

use super::{failure, public::command_of};

/// Largest body of a request: a large file to write fits, a flood does not.
pub const MAX_BODY: usize = 32 * 1024 * 1024;
/// Largest body of a call that holds a whole file. Base64 makes a third more of it, and text has
/// twice its size in JSON when each letter is a quote or the end of a line.
const MAX_FILE_BODY: usize = 2 * MAX_FILE + 1024 * 1024;
/// Largest file that is saved over HTTP: what the page can read, it can save.
#[expect(clippy::cast_possible_truncation, reason = "64 MB are few on every machine")]
const MAX_FILE: usize = MAX_BYTES as usize;

/// How much of a body that is too large is taken in, by its limit, and for how long.
const DROPPED_LIMITS: usize = 4;
const DROP_WITHIN: Duration = Duration::from_secs(10);

/// Hold bodies to their limits, and tell which limit it is.
pub async fn limit(
    State(dispatcher): State<Dispatcher>,
    mut request: Request,
    next: Next,
) -> Response {
    // MCP holds its bodies to the same limit, and has words of its own for it.
    let is_mcp = request.uri().path() == "/mcp";
    let takes_files = takes_files(&dispatcher, request.uri().path());
    let limit = if takes_files { MAX_FILE_BODY } else { MAX_BODY };
    let headers = request.headers();
    let size = headers.get(CONTENT_LENGTH).and_then(|size| size.to_str().ok()?.parse::<u64>().ok());
    if size.is_some_and(|size| size > limit as u64) {
        // Who waits to be told to go on has sent nothing yet.
        if !headers.contains_key(EXPECT) {
            drop_body(request, limit).await;
        }
        return too_large(takes_files);
    }
    DefaultBodyLimit::max(limit).apply(&mut request);
    let response = next.run(request).await;
    if response.status() == StatusCode::PAYLOAD_TOO_LARGE && !is_mcp {
        return too_large(takes_files);
    }
    response
}

/// Whether a path is that of a command whose arguments may hold a whole file.
fn takes_files(dispatcher: &Dispatcher, path: &str) -> bool {
    command_of(path)
        .and_then(|id| dispatcher.registry().find(id))
        .is_some_and(|command| command.whole_files)
}

/// What is already on its way is taken and dropped: a connection that is closed on unread bytes
/// loses the answer with them.
async fn drop_body(request: Request, limit: usize) {
    let mut left = DROPPED_LIMITS * limit;
    let mut body = request.into_body().into_data_stream();
    let drain = async {
        while let Some(Ok(chunk)) = body.next().await
            && left > chunk.len()
        {
            left -= chunk.len();
        }
    };
    // Whether all of it came makes no difference to the answer.
    drop(tokio::time::timeout(DROP_WITHIN, drain).await);
}

fn too_large(takes_files: bool) -> Response {
    let status = StatusCode::PAYLOAD_TOO_LARGE;
    let kind = ErrorKind::InvalidArgs.word();
    if takes_files {
        let error = format!(
            "the body is larger than {MAX_FILE_BODY} bytes; a file has at most {MAX_FILE} bytes"
        );
        return failure(status, kind, &error, Some("write larger files in a terminal"));
    }
    let error = format!("the body is larger than {MAX_BODY} bytes");
    failure(status, kind, &error, Some("send less at once"))
}

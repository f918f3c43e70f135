//! Answers packed on their way, for a page that loads over a slow line.
//!
//! A packed answer tells by its length how alike its parts are. Who can put text beside a secret and
//! see the length can guess the secret letter by letter. So only routes that ask for it are packed,
//! and those whose answer repeats nothing of the request and holds no key, no token and no content of
//! a file: the catalogue, names of files, how git sees them, and what the workbench remembers of its
//! own looks. Nor does a browser send our cookie for the page of another site. Streams are never
//! packed, nor what is packed already.

use std::io::Write as _;

use axum::{
    body::{Body, Bytes, HttpBody as _, to_bytes},
    extract::Request,
    http::{
        HeaderMap, HeaderValue, Method, StatusCode,
        header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};
use openspace_command::ErrorKind;
use openspace_files::hash;

use super::{
    assets::{accepts, is_known},
    failure,
};
use crate::web::Coding;

#[cfg(test)]
mod tests;

/// What is smaller fits into one packet anyway.
const MIN_SIZE: u64 = 1024;
/// What is larger would be held in memory twice for too long; no answer of ours is.
const MAX_SIZE: usize = 64 * 1024 * 1024;

/// Pack the answer of a route, if it is worth it and the client takes it.
pub async fn pack(request: Request, next: Next) -> Response {
    let wanted = request.method() == Method::GET && accepts(request.headers(), Coding::Gzip);
    let mut response = next.run(request).await;
    if !is_worth_it(&response) {
        return response;
    }
    response.headers_mut().append(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    if !wanted {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let packed = match to_bytes(body, MAX_SIZE).await {
        Ok(plain) => gzip(plain).await,
        Err(error) => Err(std::io::Error::other(error)),
    };
    match packed {
        Ok(packed) => {
            parts.headers.remove(CONTENT_LENGTH);
            parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Response::from_parts(parts, Body::from(packed))
        }
        Err(error) => {
            tracing::error!(%error, "an answer could not be packed");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            failure(status, ErrorKind::Internal.word(), "the answer could not be packed", None)
        }
    }
}

/// Whole JSON of some size that is not packed yet.
fn is_worth_it(response: &Response) -> bool {
    let headers = response.headers();
    let size = response.body().size_hint().exact();
    response.status() == StatusCode::OK
        && headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
        && !headers.contains_key(CONTENT_ENCODING)
        && size.is_some_and(|size| (MIN_SIZE..=MAX_SIZE as u64).contains(&size))
}

async fn gzip(plain: Bytes) -> std::io::Result<Vec<u8>> {
    // The fastest level already makes an eighth of a catalogue, and more would keep the page waiting.
    let work = move || {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&plain)?;
        encoder.finish()
    };
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}

/// JSON with a tag made from it, or only word that the client has it already.
pub fn tagged(headers: &HeaderMap, json: Vec<u8>) -> Response {
    let tag = format!("\"{}\"", hash(&json));
    let mut response = if is_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(CONTENT_TYPE, "application/json")], json).into_response()
    };
    // Weak: packed or not, it is the same.
    if let Ok(tag) = format!("W/{tag}").parse() {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

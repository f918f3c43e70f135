//! `GET /` and everything the page loads: the files of the web app, packed as the browser likes.
//!
//! Which files there are is the business of [`crate::web`]. A debug build also tells pages when
//! the app in the folder was built anew.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri,
        header::{
            ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
            CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
        },
    },
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures::{Stream, StreamExt, stream};
use openspace_files::hash;

use crate::{
    http::{Edge, failure, pages},
    web::{Coding, Name, Web},
};

/// What the page may load and run. Workers take theirs from their own answer, so every file has it.
/// `wasm-unsafe-eval` is for the engine of the grammars, inline styles are the workbench's own.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; \
    font-src 'self' data:; worker-src 'self' blob:; frame-src 'self'; object-src 'none'; \
    base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/// A name that says which content it has never means another.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Kept, but asked for every time whether it is still so.
const ASK_AGAIN: &str = "no-cache";

/// How often a debug build looks whether the page was built anew.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// `GET /`: the page.
pub async fn index(State(edge): State<Edge>, headers: HeaderMap) -> Response {
    let found = answer(&edge.web, Name::index(), &headers).await;
    found.unwrap_or_else(|| pages::not_built(&headers))
}

/// Whatever no other route is for: a file of the web app, or nothing.
pub async fn file(
    State(edge): State<Edge>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let name =
        Name::of_path(uri.path()).filter(|_| method == Method::GET || method == Method::HEAD);
    let found = match name {
        Some(name) => answer(&edge.web, name, &headers).await,
        None => None,
    };
    found.unwrap_or_else(|| pages::not_found(&uri, &headers))
}

async fn answer(web: &Arc<Web>, name: Name, headers: &HeaderMap) -> Option<Response> {
    let accepted: Vec<Coding> =
        Coding::ALL.into_iter().filter(|coding| accepts(headers, *coding)).collect();
    let (web, wanted) = (Arc::clone(web), name.clone());
    let look = move || {
        for coding in accepted {
            if let Some(content) = web.read(&wanted, coding)? {
                return Ok(Some((coding, content)));
            }
        }
        Ok(None)
    };
    let found = tokio::task::spawn_blocking(look).await.map_err(std::io::Error::other).flatten();
    let (coding, content) = match found {
        Ok(found) => found?,
        Err(error) => {
            tracing::error!(%error, name = name.as_str(), "a file of the web app cannot be read");
            let message = format!("{} cannot be read", name.as_str());
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return Some(failure(status, "internal", &message, None));
        }
    };
    let tag = format!("\"{}\"", hash(&content));
    let cache = if name.is_of_one_content() { FOR_EVER } else { ASK_AGAIN };
    let mut response = if is_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(CONTENT_TYPE, kind(name.as_str()))], content).into_response()
    };
    let mut set = |header: HeaderName, value: &'static str| {
        response.headers_mut().insert(header, HeaderValue::from_static(value));
    };
    set(CACHE_CONTROL, cache);
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(VARY, "accept-encoding");
    if let Some(token) = coding.token() {
        set(CONTENT_ENCODING, token);
    }
    if let Ok(tag) = tag.parse() {
        response.headers_mut().insert(ETAG, tag);
    }
    Some(response)
}

/// Whether the client takes this coding. What is not packed is always taken: there is nothing else
/// to send when nothing else is liked.
pub fn accepts(headers: &HeaderMap, coding: Coding) -> bool {
    let Some(token) = coding.token() else { return true };
    let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut by_star = false;
    for word in lists.flat_map(|list| list.split(',')) {
        let mut parts = word.split(';').map(str::trim);
        let named = parts.next().unwrap_or_default();
        let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
        let liked = quality.is_none_or(|quality| quality > 0.0);
        if named.eq_ignore_ascii_case(token) {
            return liked;
        }
        by_star |= named == "*" && liked;
    }
    by_star
}

/// Whether the client has exactly this already.
pub fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim).any(|known| {
        // A proxy that packs answers anew marks the tag as weak.
        known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
    })
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" | "md" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "mp3" => "audio/mpeg",
        _ => "application/octet-stream",
    }
}

/// `GET /api/dev/reload`, in debug builds: an event each time the page was built anew.
pub async fn rebuilt(
    State(edge): State<Edge>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let shown = edge.web.built();
    let events = stream::unfold((edge.web, shown), |(web, shown)| async move {
        let mut before = shown;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let now = web.built();
            // A build is over when the page stays as it is.
            if now.is_some() && now == before && now != shown {
                return Some((Ok(Event::default().event("reload").data("{}")), (web, now)));
            }
            before = now;
        }
    });
    let events = events.take_until(edge.stop.cancelled_owned());
    Sse::new(events).keep_alive(KeepAlive::default())
}

#[cfg(test)]
mod tests;

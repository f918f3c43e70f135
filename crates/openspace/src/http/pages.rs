//! The pages that people see beside the web app: status, the link that lets a browser in, errors.

use axum::{
    Extension, Json,
    extract::{Query, State},
    http::{
        HeaderMap, StatusCode, Uri,
        header::{ACCEPT, SET_COOKIE, WWW_AUTHENTICATE},
    },
    response::{Html, IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    auth::{Admitted, Shut},
    http::{Edge, failure},
};

/// Only this page's own style and script, marked with a one-time word, may run.
const STYLE: &str = include_str!("pages/style.css");
const STATUS: &str = include_str!("pages/status.html");
const SCRIPT: &str = include_str!("pages/status.js");
/// Keeps what proves that a page of ours asks, and goes on.
const OPENING: &str = include_str!("pages/open.js");

/// Whether a page has a form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Forms {
    /// None.
    None,
    /// One that is sent to this server.
    ToUs,
}

/// A page of our own.
pub fn page(
    status: StatusCode,
    title: &str,
    body: &str,
    script: Option<&str>,
    forms: Forms,
) -> Response {
    let nonce = crate::state_folder::random_word(12);
    let script =
        script.map(|code| format!("<script nonce=\"{nonce}\">{code}</script>")).unwrap_or_default();
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\"><title>{title}</title><style nonce=\"{nonce}\">{STYLE}</style></head>\
         <body>{body}{script}</body></html>"
    );
    let forms = match forms {
        Forms::None => "'none'",
        Forms::ToUs => "'self'",
    };
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; \
         img-src 'self' data:; base-uri 'none'; form-action {forms}; frame-ancestors 'none'"
    );
    (status, [("content-security-policy", policy)], Html(html)).into_response()
}

/// A text as it stands in a page.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// `GET /status`: how the space is, without the web app.
pub async fn status(State(edge): State<Edge>) -> Response {
    let root = edge.dispatcher.state().folder();
    let name =
        root.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned());
    let body = STATUS
        .replace("{{name}}", &escape(&name))
        .replace("{{root}}", &escape(&root.display().to_string()))
        .replace("{{url}}", &escape(&edge.url))
        .replace("{{version}}", env!("CARGO_PKG_VERSION"));
    page(
        StatusCode::OK,
        &format!("{} - OpenSpace", escape(&name)),
        &body,
        Some(SCRIPT),
        Forms::None,
    )
}

/// The code of a link.
#[derive(Deserialize)]
pub struct Code {
    code: Option<String>,
}

/// `GET /open?code=…`: let a browser in, once. One that was let in before goes on, whatever the code.
///
/// The page goes on by itself instead of redirecting: a browser that came here from another site
/// would not send the new cookie along a redirect.
pub async fn open(
    State(edge): State<Edge>,
    headers: HeaderMap,
    Query(code): Query<Code>,
) -> Response {
    let cookie = code.code.and_then(|code| edge.gate.use_link(&code));
    if cookie.is_none() && !edge.gate.has_cookie(&headers) {
        // One answer whether the code was used, is of an earlier run or was never handed out: who
        // guesses learns nothing.
        let body = message(
            "This link is not valid",
            "A link opens the space once, while the server that made it runs. Run \
             <code>openspace link</code> in the workspace for a new one. A browser that was let in \
             before needs none: <a href=\"/\">open the space</a>.",
        );
        return page(StatusCode::FORBIDDEN, "Link not valid - OpenSpace", &body, None, Forms::None);
    }
    let body = message("Opening the space…", "<a href=\"/\">Go on</a> if nothing happens.");
    // Who has the cookie alone is not told what it lacks.
    let script = match cookie {
        Some(_) => OPENING.replace("{{key}}", edge.gate.page_key()),
        None => "location.replace('/')".to_owned(),
    };
    let mut response = page(StatusCode::OK, "OpenSpace", &body, Some(&script), Forms::None);
    if let Some(Ok(value)) = cookie.map(|cookie| cookie.parse()) {
        response.headers_mut().insert(SET_COOKIE, value);
    }
    response
}

/// `HEAD /open`: who only looks at a link, as previews and checkers do, does not use it up.
pub async fn look_at_link() -> StatusCode {
    StatusCode::NO_CONTENT
}

/// `POST /api/link`: a new link for a browser, which is a person then. So only a person may hand it out: the
/// token, which agents hold, is not enough.
pub async fn new_link(
    State(edge): State<Edge>,
    Extension(admitted): Extension<Admitted>,
) -> Response {
    if admitted != Admitted::Person {
        let hint = "`openspace link` in the workspace prints one";
        let error = "a link is handed out to the person only, at a shell";
        return failure(StatusCode::FORBIDDEN, "denied", error, Some(hint));
    }
    let link = format!("{}/open?code={}", edge.url, edge.gate.new_link());
    Json(json!({"success": true, "open": link})).into_response()
}

/// A page with a title and a sentence.
pub fn message(title: &str, text: &str) -> String {
    format!("<main class=\"message\"><h1>{title}</h1><p>{text}</p></main>")
}

fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"))
}

/// No or a wrong token, or a wrong proof of the person.
pub fn not_admitted(headers: &HeaderMap, shut: Shut) -> Response {
    if wants_html(headers) {
        let body = message(
            "This space needs a key",
            "Open the link that <code>openspace</code> printed when it started, or run \
             <code>openspace link</code> in the workspace for a new one.",
        );
        return page(StatusCode::UNAUTHORIZED, "Key needed - OpenSpace", &body, None, Forms::None);
    }
    let token = "send `Authorization: Bearer TOKEN`; `openspace token` in the workspace prints it";
    let (error, hint) = match shut {
        Shut::NoToken => ("a token is needed", token),
        Shut::WrongToken => ("the token is not this server's", token),
        Shut::AgentElsewhere => (
            "the key of an agent opens our tools and nothing else",
            "call tools at /mcp; what only a person does is asked of the person",
        ),
        Shut::WrongPerson => (
            "the token is right, but `x-openspace-person` does not hold this server's key of the person",
            "leave that header out to call as a script; what only a person does is done with `openspace approve` or \
             `openspace link`, which read the key themselves, or in the browser",
        ),
        Shut::NoPage => (
            "the cookie alone opens nothing here",
            "it goes to every server on this host; only a page that was opened by a link of this space has what goes with \
             it: `openspace link` in the workspace prints one",
        ),
    };
    let mut response = failure(StatusCode::UNAUTHORIZED, "denied", error, Some(hint));
    response.headers_mut().insert(WWW_AUTHENTICATE, axum::http::HeaderValue::from_static("Bearer"));
    response
}

/// A program in a place has what opens the door, which can only have leaked there.
pub fn from_inside(headers: &HeaderMap) -> Response {
    if wants_html(headers) {
        let body = message(
            "This space is closed to programs of agents",
            "Links and keys of this space do not work in a browser that an agent started.",
        );
        return page(StatusCode::FORBIDDEN, "Closed - OpenSpace", &body, None, Forms::None);
    }
    let error = "programs in the place of agents may not call this server, whatever key they have";
    let hint = "use the tools you have; what is only possible outside is asked for with `outside` and a reason";
    failure(StatusCode::FORBIDDEN, "denied", error, Some(hint))
}

/// The program has no web app. Everything else works.
pub fn not_built(headers: &HeaderMap) -> Response {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    if wants_html(headers) {
        let body = message(
            "The web app is not built",
            "<code>cargo xtask run</code> builds it and starts the server. Agents and the command \
             line work without it; <a href=\"/status\">the status page</a> shows what they do.",
        );
        return page(status, "Not built - OpenSpace", &body, None, Forms::None);
    }
    let hint = "`cargo xtask run` builds it; /status works without it";
    failure(status, "unsupported", "the web app is not built", Some(hint))
}

/// Nothing is at that path.
pub fn not_found(uri: &Uri, headers: &HeaderMap) -> Response {
    if wants_html(headers) {
        let body = message("There is nothing here", "<a href=\"/\">Back to the space</a>");
        return page(StatusCode::NOT_FOUND, "Not found - OpenSpace", &body, None, Forms::None);
    }
    let error = format!("there is nothing at {}", uri.path());
    failure(
        StatusCode::NOT_FOUND,
        "not_found",
        &error,
        Some("GET /openapi.json lists the endpoints"),
    )
}

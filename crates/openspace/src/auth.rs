//! Who may come in: `Host`, `Origin`, and a token or a cookie, before anything else is looked at.
//!
//! The page next door is taken for hostile: a name that is not ours in `Host` is a rebinding
//! attack, a foreign `Origin` is a forged request. There is no CORS header anywhere. And so is the server
//! next door: it gets the cookie as well, so a cookie alone is nobody.

use std::{
    collections::HashSet,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, Method, StatusCode, Uri,
        header::{AUTHORIZATION, COOKIE, HOST, ORIGIN},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use openspace_command::{Caller, CallerKind};
use openspace_workspace::conversations::{AgentKeys, KeyHolder};

use crate::{
    connections::Peer,
    http::{approve, pages},
    state_folder::random_word,
};

/// Links that were handed out and not used yet.
const MAX_LINKS: usize = 100;
/// Paths that need no token.
const OPEN_PATHS: &[&str] = &[HEALTH_PATH, "/open", approve::PATH];
/// Says that the server lives.
const HEALTH_PATH: &str = "/healthz";
/// What the key of an agent opens, besides the instructions: our tools.
const AGENTS_PATH: &str = "/mcp";
/// What agents are told of the space.
const INSTRUCTIONS_PATH: &str = "/openspace/instructions";
/// Proves, beside the token, that a person calls: agents hold the token, and only the state folder holds this.
pub const PERSON_HEADER: &str = "x-openspace-person";

/// Proves, beside the cookie, that a page of ours asks: browsers send a cookie to every port of a host, and
/// what a page keeps is for its own port alone.
pub const PAGE_HEADER: &str = "x-openspace-page";
/// The same in the address of a socket, to which browsers add no header.
const PAGE_QUERY: &str = "page";
/// Keys of pages that are looked at: a page knows one for each space that was served at its address.
const MAX_PAGE_KEYS: usize = 8;
/// Beginnings of the paths on which commands, files and streams are spoken.
const SPOKEN: &[&str] = &["/api/", "/mcp", "/openspace/"];
/// The rest of those paths.
const SPOKEN_PATHS: &[&str] = &[
    "/command-results",
    "/commands",
    "/events",
    "/instructions",
    "/manifest",
    "/metrics",
    "/openapi.json",
    "/register-bridge",
    "/state",
];
/// What pages have browsers ask for by themselves all the same: pictures, and whether the page was built anew.
const ASKED_BY_BROWSERS: &[&str] = &["/api/files/content", "/api/dev/reload"];

/// What opens the door.
pub struct Gate {
    token: String,
    cookie: String,
    page_key: String,
    cookie_name: String,
    instructions_key: String,
    person_key: String,
    agent_keys: AgentKeys,
    hosts: HashSet<String>,
    open_to_all: bool,
    links: Mutex<Vec<String>>,
}

/// What the gate is made of.
pub struct GateOptions {
    /// Opens every endpoint.
    pub token: String,
    /// What a browser's cookie holds.
    pub cookie: String,
    /// What a page of ours has beside it.
    pub page_key: String,
    /// Opens the instructions.
    pub instructions_key: String,
    /// Makes whoever has it, beside the token, the person.
    pub person_key: String,
    /// Open our tools and the instructions to agents that this server started, and nothing else.
    pub agent_keys: AgentKeys,
    /// Tells cookies of several servers on one machine apart.
    pub instance: String,
    /// Names other than localhost that this server is reached by.
    pub hosts: Vec<String>,
    /// Nobody needs a token. Only ever on loopback.
    pub no_auth: bool,
}

/// How a request got in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// With the token.
    Token,
    /// With the token, and with what only the person has.
    Person,
    /// With a browser's cookie, and what only pages of ours have.
    Browser,
    /// With the key of an agent that this server started.
    Agent,
    /// With the cookie alone, which every server on this host gets. It opens no more than the page, its files
    /// and pictures.
    Cookie,
    /// To a path that is open to all.
    Anyone,
}

/// Why a request did not get in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shut {
    /// It has no token and no cookie.
    NoToken,
    /// Its token is not this server's.
    WrongToken,
    /// Its token is right, and what should prove the person is not.
    WrongPerson,
    /// It has the key of an agent, which does not open this path.
    AgentElsewhere,
    /// It has the cookie, and not what a page of ours has beside it.
    NoPage,
}

impl Gate {
    /// A gate.
    pub fn new(options: GateOptions) -> Self {
        let short: String = options.instance.chars().take(8).collect();
        Self {
            token: options.token,
            cookie: options.cookie,
            page_key: options.page_key,
            cookie_name: format!("openspace_{short}"),
            instructions_key: options.instructions_key,
            person_key: options.person_key,
            agent_keys: options.agent_keys,
            hosts: options.hosts.into_iter().map(|host| host.to_lowercase()).collect(),
            open_to_all: options.no_auth,
            links: Mutex::default(),
        }
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The key to the instructions.
    pub fn instructions_key(&self) -> &str {
        &self.instructions_key
    }

    /// What a page of ours has beside the cookie. Only who has a link is told.
    pub fn page_key(&self) -> &str {
        &self.page_key
    }

    /// A code for a link that opens the space once.
    pub fn new_link(&self) -> String {
        let code = random_word(16);
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if links.len() == MAX_LINKS {
            links.remove(0);
        }
        links.push(code.clone());
        code
    }

    /// Use up a link. The header is the cookie that a browser gets for it.
    pub fn use_link(&self, code: &str) -> Option<String> {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let index = links.iter().position(|link| same_secret(link, code))?;
        links.remove(index);
        Some(format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000",
            self.cookie_name, self.cookie
        ))
    }

    fn addressed_to_us(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        host_of(uri, headers).is_some_and(|host| self.is_our_host(&host))
    }

    /// Rebinding needs a name that an attacker controls, so numbers are safe.
    fn is_our_host(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<axum::http::uri::Authority>() else { return false };
        let host = authority.host().to_lowercase();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || bare.parse::<IpAddr>().is_ok() || self.hosts.contains(&host)
    }

    fn admit(&self, request: &Request) -> Result<Admitted, Shut> {
        let (headers, path) = (request.headers(), request.uri().path());
        if OPEN_PATHS.contains(&path) {
            return Ok(Admitted::Anyone);
        }
        if let Some(sent) = headers.get(AUTHORIZATION) {
            // A wrong token is an error even where none is needed: the client is misconfigured.
            let sent = bearer(sent);
            if sent.is_some_and(|sent| same_secret(sent, &self.token)) {
                return self.with_token(headers);
            }
            return match sent.and_then(|sent| self.agent_of(sent)) {
                Some(_) if [AGENTS_PATH, INSTRUCTIONS_PATH].contains(&path) => Ok(Admitted::Agent),
                Some(_) => Err(Shut::AgentElsewhere),
                None => Err(Shut::WrongToken),
            };
        }
        let safe = matches!(*request.method(), Method::GET | Method::HEAD);
        let has_cookie = self.has_cookie(headers);
        if has_cookie && self.has_page_key(request) {
            // A browser sends `Origin` with everything that changes something.
            let is_browser = safe || headers.contains_key(ORIGIN);
            return is_browser.then_some(Admitted::Browser).ok_or(Shut::NoToken);
        }
        if self.open_to_all {
            return self.with_token(headers);
        }
        if has_cookie {
            let is_asked_for = safe && is_asked_by_browsers(path);
            return is_asked_for.then_some(Admitted::Cookie).ok_or(Shut::NoPage);
        }
        let is_instructions = path == INSTRUCTIONS_PATH;
        let opens =
            |key: &str| same_secret(key, &self.instructions_key) || self.agent_of(key).is_some();
        let key = query_value(request.uri(), "key");
        (is_instructions && key.is_some_and(opens)).then_some(Admitted::Anyone).ok_or(Shut::NoToken)
    }

    /// The agent whose key this is, as long as it runs.
    fn agent_of(&self, key: &str) -> Option<KeyHolder> {
        self.agent_keys.whose(|live| same_secret(key, live))
    }

    /// Who has the token, and perhaps what only the person has. A wrong key is an error: whoever sends one
    /// wants to be more than a script.
    fn with_token(&self, headers: &HeaderMap) -> Result<Admitted, Shut> {
        let Some(key) = headers.get(PERSON_HEADER) else { return Ok(Admitted::Token) };
        let is_person = !self.person_key.is_empty()
            && key.to_str().is_ok_and(|key| same_secret(key, &self.person_key));
        is_person.then_some(Admitted::Person).ok_or(Shut::WrongPerson)
    }

    fn has_page_key(&self, request: &Request) -> bool {
        let header = request.headers().get(PAGE_HEADER).and_then(|keys| keys.to_str().ok());
        let keys = header.or_else(|| query_value(request.uri(), PAGE_QUERY)).unwrap_or_default();
        let mut keys = keys.split('.').take(MAX_PAGE_KEYS);
        !self.page_key.is_empty() && keys.any(|key| same_secret(key, &self.page_key))
    }

    /// Whether the browser was let in before.
    pub fn has_cookie(&self, headers: &HeaderMap) -> bool {
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(name, value)| name == self.cookie_name && same_secret(value, &self.cookie))
    }
}

/// The token of a header.
fn bearer(sent: &HeaderValue) -> Option<&str> {
    let (scheme, token) = sent.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Whether a browser asks for it by itself, without a page that could prove anything: the page and its files, and
/// what those name.
fn is_asked_by_browsers(path: &str) -> bool {
    let is_spoken =
        SPOKEN.iter().any(|start| path.starts_with(start)) || SPOKEN_PATHS.contains(&path);
    !is_spoken || ASKED_BY_BROWSERS.contains(&path)
}

/// The raw value of a query parameter. Ours need no decoding.
pub fn query_value<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    uri.query()?
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

fn host_of(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let mut sent = headers.get_all(HOST).iter();
    match (sent.next(), sent.next()) {
        (Some(host), None) => host.to_str().ok().map(str::to_owned),
        (None, None) => uri.authority().map(ToString::to_string),
        // Two hosts: somebody tries to be seen as one and act as the other.
        (_, Some(_)) => None,
    }
}

/// A page of ours is served under the very host it then calls.
fn is_our_origin(uri: &Uri, headers: &HeaderMap) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return true };
    let origin = origin.to_str().ok().filter(|_| origins.next().is_none());
    let authority = origin.and_then(|origin| {
        origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
    });
    match (authority, host_of(uri, headers)) {
        (Some(authority), Some(host)) => authority.eq_ignore_ascii_case(&host),
        _ => false,
    }
}

/// What programs in a place may have: tools with an agent's own key, what agents are told, and whether the server lives.
fn is_for_insiders(admitted: Admitted, path: &str) -> bool {
    match admitted {
        Admitted::Agent => true,
        Admitted::Anyone => [HEALTH_PATH, INSTRUCTIONS_PATH].contains(&path),
        Admitted::Token | Admitted::Person | Admitted::Browser | Admitted::Cookie => false,
    }
}

/// Takes the same time wherever the first difference is.
pub fn same_secret(left: &str, right: &str) -> bool {
    let pairs = left.bytes().zip(right.bytes());
    left.len() == right.len() && pairs.fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}

/// Let a request through, or say why not.
pub async fn guard(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    if !gate.addressed_to_us(request.uri(), request.headers()) {
        return refuse(StatusCode::FORBIDDEN, "this server does not answer to that Host");
    }
    if !is_our_origin(request.uri(), request.headers()) {
        return refuse(StatusCode::FORBIDDEN, "pages of that Origin may not call this server");
    }
    let admitted = match gate.admit(&request) {
        Ok(admitted) => admitted,
        Err(shut) => return pages::not_admitted(request.headers(), shut),
    };
    if !is_for_insiders(admitted, request.uri().path())
        && let Some(peer) = request.extensions().get::<Peer>().cloned()
        && peer.may_be_inside().await
    {
        tracing::warn!(
            path = request.uri().path(),
            "a program in a place has what opens this server"
        );
        return pages::from_inside(request.headers());
    }
    let mut caller = caller(admitted, request.headers());
    if admitted == Admitted::Agent {
        let sent = request.headers().get(AUTHORIZATION).and_then(bearer);
        // It may have ended since it was let in.
        let Some(holder) = sent.and_then(|sent| gate.agent_of(sent)) else {
            return pages::not_admitted(request.headers(), Shut::WrongToken);
        };
        caller = Caller::new(CallerKind::Agent, &holder.agent, holder.session.as_deref());
        request.extensions_mut().insert(holder);
    }
    request.extensions_mut().insert(admitted);
    request.extensions_mut().insert(caller);
    next.run(request).await
}

fn refuse(status: StatusCode, error: &str) -> Response {
    let body = serde_json::json!({"success": false, "error": error, "kind": "denied", "hint": "use http://127.0.0.1 or localhost, or start the server with --allow-host NAME"});
    (status, axum::Json(body)).into_response()
}

/// Who calls over HTTP. A browser is a person, and so is who proves it; who holds the token may give itself a
/// name.
fn caller(admitted: Admitted, headers: &HeaderMap) -> Caller {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let session = text("x-openspace-session");
    match admitted {
        Admitted::Browser => Caller::new(CallerKind::Person, "browser", session),
        Admitted::Person => Caller::new(CallerKind::Person, "cli", session),
        Admitted::Token | Admitted::Agent | Admitted::Cookie | Admitted::Anyone => {
            let name = text("x-openspace-caller").unwrap_or("http");
            Caller::new(CallerKind::Script, name, session)
        }
    }
}

#[cfg(test)]
mod tests;

//! The one-time page: a person answers one question with the code of a link, on a phone for example.
//!
//! A code is bound to one question and used up by the answer; looking at the page does not use it up, because
//! previews look too. Whoever has the code has that one answer and nothing else: no cookie, no other page.
//! The page has no script. Where the server listens on loopback only, no other device reaches it.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::{
        HeaderMap, HeaderValue, StatusCode, Uri,
        header::{ORIGIN, REFERRER_POLICY},
    },
    response::{IntoResponse, Response},
    routing::{get, post},
};
use openspace_command::{Call, Caller, CallerKind, Error, Result};
use openspace_protocol::ApprovalId;
use openspace_workspace::areas::approvals::{
    Approval, Approvals, LATE_FOR, Question, commands::PAGE, words::visible,
};
use qrcode::{Color, QrCode};
use serde::Deserialize;
use serde_json::json;

use super::{
    Edge,
    pages::{Forms, escape, message, page},
    refusal,
};
use crate::{auth::same_secret, state_folder::random_word};

mod reached;

/// Codes that were handed out and not used yet; the oldest are forgotten.
const MAX_CODES: usize = 100;
/// Most bytes of an answer.
const MAX_BODY: usize = 16 * 1024;

/// Where the page is.
pub const PATH: &str = "/approve";

struct Code {
    code: String,
    question: ApprovalId,
    until: u64,
}

/// The codes of links that were handed out.
#[derive(Clone, Default)]
pub struct Codes(Arc<Mutex<VecDeque<Code>>>);

impl Codes {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Code>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, question: ApprovalId, now: u64) -> String {
        let code = random_word(16);
        let mut codes = self.lock();
        codes.retain(|known| now < known.until);
        if codes.len() == MAX_CODES {
            codes.pop_front();
        }
        codes.push_back(Code { code: code.clone(), question, until: now + LATE_FOR });
        code
    }

    /// The question of a code.
    fn look(&self, code: &str, now: u64) -> Option<ApprovalId> {
        let codes = self.lock();
        let found = codes.iter().find(|known| same_secret(&known.code, code) && now < known.until);
        found.map(|known| known.question)
    }

    /// The code was used.
    fn use_up(&self, code: &str) {
        self.lock().retain(|known| !same_secret(&known.code, code));
    }
}

/// The routes.
pub fn router() -> Router<Edge> {
    Router::new()
        .route(PATH, get(show).head(look).post(answer))
        .route("/api/approvals/{id}/link", post(new_link))
}

/// `POST /api/approvals/{id}/link`: a link to the one-time page of a question. Only a person hands one out.
pub async fn new_link(
    State(edge): State<Edge>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    match link(&edge, &caller, &id, &headers) {
        Ok(link) => Json(json!({
            "success": true, "link": link.link, "picture": link.picture, "reachable": link.reachable,
        }))
        .into_response(),
        Err(error) => refusal(&error),
    }
}

/// A link that was handed out.
struct Link {
    link: String,
    /// The same as a QR code: a row of `1` (dark) and `0` for each row of it.
    picture: Vec<String>,
    /// Whether another device may reach it: the server listens on more than loopback.
    reachable: bool,
}

/// The rows of a QR code.
fn picture(link: &str) -> Result<Vec<String>> {
    let code = QrCode::new(link)
        .map_err(|error| Error::internal(format!("a link cannot be a QR code: {error}")))?;
    let letter = |color: &Color| if *color == Color::Dark { '1' } else { '0' };
    Ok(code.to_colors().chunks(code.width()).map(|row| row.iter().map(letter).collect()).collect())
}

fn link(edge: &Edge, caller: &Caller, id: &str, headers: &HeaderMap) -> Result<Link> {
    if caller.kind != CallerKind::Person {
        return Err(Error::denied("only a person hands out a link to a question")
            .hint("use `openspace approve ID --link` at the person's own shell"));
    }
    let id: ApprovalId = id.to_owned().try_into().map_err(Error::invalid)?;
    let state = edge.dispatcher.state();
    let question = state.service::<Approvals>().get(id)?;
    if !question.is_open() {
        return Err(Error::conflict(format!("{id} is settled: {}", question.outcome())));
    }
    let from_elsewhere = reached::from_elsewhere(edge.listens_on, headers);
    let reachable = from_elsewhere.is_some();
    let origin = from_elsewhere.unwrap_or_else(|| edge.url.clone());
    let link = format!("{origin}{PATH}?code={}", edge.codes.add(id, state.now()));
    Ok(Link { picture: picture(&link)?, link, reachable })
}

/// The code of a link.
#[derive(Deserialize)]
pub struct Given {
    code: Option<String>,
}

/// `HEAD /approve`: who only looks whether the link leads somewhere.
pub async fn look() -> StatusCode {
    StatusCode::NO_CONTENT
}

/// `GET /approve?code=…`: the question, with a button for each answer.
pub async fn show(State(edge): State<Edge>, Query(given): Query<Given>) -> Response {
    let code = given.code.unwrap_or_default();
    let state = edge.dispatcher.state();
    let Some(id) = edge.codes.look(&code, state.now()) else { return not_valid() };
    match state.service::<Approvals>().get(id) {
        Ok(one) if one.is_open() => with_form(&asking(id, &one, &code)),
        Ok(one) => settled(id, &one),
        Err(_) => not_valid(),
    }
}

/// What the form sends.
#[derive(Deserialize)]
struct Form {
    code: String,
    answer: Answer,
    message: Option<String>,
}

/// What the page can answer: no more than what concerns this one call.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Once,
    No,
}

/// `POST /approve`: an answer. It comes from the page itself, or it does not count.
pub async fn answer(State(edge): State<Edge>, headers: HeaderMap, body: Bytes) -> Response {
    // The gate has seen that an origin is ours where one is told; here one must be told.
    if !headers.contains_key(ORIGIN) || body.len() > MAX_BODY {
        return not_valid();
    }
    let text = String::from_utf8_lossy(&body);
    let read = format!("/?{}", text.trim()).parse::<Uri>().ok();
    let read = read.and_then(|uri| Query::<Form>::try_from_uri(&uri).ok());
    let Some(Query(form)) = read else { return not_valid() };
    let state = edge.dispatcher.state();
    let Some(id) = edge.codes.look(&form.code, state.now()) else { return not_valid() };
    let word = match form.answer {
        Answer::Once => "once",
        Answer::No => "no",
    };
    let person = Caller::new(CallerKind::Person, PAGE, None);
    let args = json!({"approvalId": id, "answer": word, "message": form.message});
    let reply = edge.dispatcher.dispatch(Call::new(person, "approval.answer", args)).await;
    match (reply.result, state.service::<Approvals>().get(id)) {
        // Answered by this, or by somebody who was faster.
        (_, Ok(one)) if !one.is_open() => {
            edge.codes.use_up(&form.code);
            settled(id, &one)
        }
        (Ok(_), _) => not_valid(),
        // It can be tried again: the code is not used up by what did not happen.
        (Err(error), _) => {
            let body = message("This was not answered", &escape(&error.message));
            page(StatusCode::CONFLICT, "Not answered - OpenSpace", &body, None, Forms::None)
        }
    }
}

/// One answer whether a code was used, is too old or was never handed out: who guesses learns nothing.
fn not_valid() -> Response {
    let body = message(
        "This link is not valid",
        "A link to a question works for one answer, while the server that made it runs. Run \
         <code>openspace approve</code> in the workspace to see what is open.",
    );
    page(StatusCode::FORBIDDEN, "Link not valid - OpenSpace", &body, None, Forms::None)
}

fn settled(id: ApprovalId, one: &Approval) -> Response {
    let outcome = shown(&one.outcome());
    let body = message(&format!("{id}: {outcome}"), &shown(&one.question.summary));
    page(StatusCode::OK, "Answered - OpenSpace", &body, None, Forms::None)
}

/// With the usual policy browsers would not tell where a form was sent from.
fn with_form(body: &str) -> Response {
    let mut response = page(StatusCode::OK, "Approve - OpenSpace", body, None, Forms::ToUs);
    let policy = HeaderValue::from_static("same-origin");
    response.headers_mut().insert(REFERRER_POLICY, policy);
    response
}

/// A text of others as it stands in the page: nothing in it is hidden, and none of it is a word of the page.
fn shown(text: &str) -> String {
    escape(&visible(text, false))
}

/// The question as the page shows it. Every word of it was written by others.
fn asking(id: ApprovalId, one: &Approval, code: &str) -> String {
    let Question { command, summary, arguments, line, folder, caller, site, .. } = &one.question;
    let command = command.strip_prefix("openspace.").unwrap_or(command);
    let mut facts = String::new();
    // Writing to a String cannot fail.
    if let Some(line) = line {
        let _ = write!(facts, "<pre>{}</pre>", shown(&line.text));
        if line.parts.len() > 1 || line.parts.iter().any(|part| !part.dangers.is_empty()) {
            facts.push_str("<ul>");
            for part in &line.parts {
                let dangers = shown(&part.dangers.join(" "));
                let (text, decision) = (shown(&part.text), shown(&part.decision));
                let _ = write!(facts, "<li><code>{text}</code> <b>{decision}</b> {dangers}</li>");
            }
            facts.push_str("</ul>");
        }
        for doubt in &line.doubts {
            let _ = write!(facts, "<p>{}</p>", shown(doubt));
        }
    } else {
        let _ = write!(facts, "<pre>{}</pre>", shown(summary));
        for argument in arguments {
            let (name, value) = (shown(&argument.name), shown(&argument.value));
            let _ = write!(facts, "<p><b>{name}</b></p><pre>{value}</pre>");
        }
    }
    let told = [
        ("Who", Some(caller.id.as_str())),
        ("Where", Some(site.words())),
        ("Folder", folder.as_deref()),
        ("Acts in", one.question.theirs.as_deref()),
        ("Its reason", one.question.reason.as_deref()),
        ("Why you are asked", Some(one.question.why.as_str())),
    ];
    facts.push_str("<dl>");
    for (name, told) in told {
        if let Some(told) = told {
            let _ = write!(facts, "<dt>{name}</dt><dd>{}</dd>", shown(told));
        }
    }
    facts.push_str("</dl>");
    format!(
        "<main class=\"question\"><h1>{id}: may <code>{}</code> run?</h1>{facts}\
         <form method=\"post\" action=\"{PATH}\"><input type=\"hidden\" name=\"code\" value=\"{}\">\
         <label>A word to the agent<input name=\"message\" maxlength=\"1000\" autocomplete=\"off\"></label>\
         <div class=\"answers\"><button name=\"answer\" value=\"no\">No</button>\
         <button name=\"answer\" value=\"once\" class=\"yes\">Yes, once</button></div></form></main>",
        shown(command),
        escape(code),
    )
}

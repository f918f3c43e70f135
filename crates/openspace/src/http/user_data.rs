//! `/api/user-data` and `/api/ui-state`: what the person keeps for all workspaces.
//!
//! These are the person's own and no part of the space, so they are no commands and not on record.
//! Every view is told when a file changed, whichever server or hand changed it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{
        HeaderMap, HeaderName, StatusCode,
        header::{CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH},
    },
    middleware::from_fn,
    response::{IntoResponse, Response},
    routing::get,
};
use openspace_command::{Error, ErrorKind, Result};
use openspace_protocol::Event;
use openspace_workspace::OpenSpace;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    http::{Edge, packing::pack, refusal},
    language_settings,
    user_data::{
        Expected, Name, Stored, UserData,
        ui_state::{Scope, Texts},
    },
};

/// The files that there are.
#[derive(Serialize, JsonSchema)]
pub struct UserDataNames {
    /// `settings.json`, `snippets/rust.json`, …
    names: Vec<String>,
}

/// What pages remember by themselves.
#[derive(Serialize, JsonSchema)]
pub struct UiState {
    /// Texts by their keys, in each scope.
    #[schemars(with = "UiScopes")]
    scopes: BTreeMap<Scope, Texts>,
}

/// Every scope is there, also an empty one.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used: a map of an enum has no fields to name")]
struct UiScopes {
    application: Texts,
    profile: Texts,
    workspace: Texts,
}

/// How often files that others changed are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The routes.
pub fn router() -> Router<Edge> {
    Router::new()
        .route("/api/user-data", get(names))
        .route("/api/user-data/{*name}", get(read).put(write).delete(remove))
        .route("/api/ui-state", get(ui_state).layer(from_fn(pack)).post(change_ui_state))
}

/// Tell views about what other servers and people change, until the server stops.
pub fn follow(store: &Arc<UserData>, workspace: &Arc<OpenSpace>, stop: CancellationToken) {
    let (store, workspace) = (Arc::clone(store), Arc::clone(workspace));
    tokio::spawn(stop.run_until_cancelled_owned(async move {
        choose_languages(&store, &workspace).await;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            tell_news(&store, &workspace).await;
        }
    }));
}

async fn tell_news(store: &Arc<UserData>, workspace: &Arc<OpenSpace>) {
    let news = blocking(store, |store| Ok(store.news())).await;
    for name in news.unwrap_or_default() {
        let is_of_settings = name == language_settings::FILE;
        workspace.space().tell(Event::UserDataChanged { name });
        if is_of_settings {
            choose_languages(store, workspace).await;
        }
    }
}

async fn choose_languages(store: &Arc<UserData>, workspace: &Arc<OpenSpace>) {
    let choice = blocking(store, |store| Ok(language_settings::read(store))).await;
    let choice = choice.unwrap_or_else(|error| Err(error.to_string()));
    language_settings::apply(choice, workspace).await;
}

/// Files are waited for elsewhere than where requests are answered.
async fn blocking<T: Send + 'static>(
    store: &Arc<UserData>,
    work: impl FnOnce(&UserData) -> Result<T> + Send + 'static,
) -> Result<T> {
    let store = Arc::clone(store);
    let done = tokio::task::spawn_blocking(move || work(&store)).await;
    done.map_err(|error| Error::internal("user data could not be used").because(error)).flatten()
}

async fn names(State(edge): State<Edge>) -> Response {
    let names = blocking(&edge.user_data, UserData::names).await;
    answer(names.map(|names| Json(UserDataNames { names }).into_response()))
}

async fn read(State(edge): State<Edge>, Path(name): Path<String>) -> Response {
    let found = blocking(&edge.user_data, move |store| {
        let name = Name::parse(&name)?;
        store.read(&name)?.ok_or_else(|| missing(&name))
    });
    answer(found.await.map(|Stored { content, tag }| {
        let headers = [(CONTENT_TYPE, "application/octet-stream".into()), (ETAG, quoted(&tag))];
        (headers, content).into_response()
    }))
}

async fn write(
    State(edge): State<Edge>,
    Path(name): Path<String>,
    headers: HeaderMap,
    content: Bytes,
) -> Response {
    let done = blocking(&edge.user_data, move |store| {
        let name = Name::parse(&name)?;
        let written = store.write(&name, &content, &expected(&headers))?;
        Ok((name, written))
    });
    let done = done.await;
    tell_news(&edge.user_data, edge.dispatcher.state()).await;
    answer(done.map(|(name, written)| {
        let body = json!({"success": true, "name": name.as_str(), "created": written.created});
        ([(ETAG, quoted(&written.tag))], Json(body)).into_response()
    }))
}

async fn remove(
    State(edge): State<Edge>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let done = blocking(&edge.user_data, move |store| {
        let name = Name::parse(&name)?;
        if store.remove(&name, &expected(&headers))? { Ok(name) } else { Err(missing(&name)) }
    });
    let done = done.await;
    tell_news(&edge.user_data, edge.dispatcher.state()).await;
    answer(done.map(|name| Json(json!({"success": true, "name": name.as_str()})).into_response()))
}

async fn ui_state(State(edge): State<Edge>) -> Response {
    let _turn = edge.user_data.turns.lock().await;
    let scopes = blocking(&edge.user_data, UserData::ui_state).await;
    answer(scopes.map(|scopes| Json(UiState { scopes }).into_response()))
}

async fn change_ui_state(State(edge): State<Edge>, body: Bytes) -> Response {
    let _turn = edge.user_data.turns.lock().await;
    let done = blocking(&edge.user_data, move |store| {
        let change = serde_json::from_slice(&body).map_err(|error| {
            Error::invalid(format!("the body is not understood: {error}")).hint(
                "send {\"scope\": \"workspace\", \"set\": {\"key\": \"text\"}, \"remove\": []}",
            )
        })?;
        store.change_ui_state(change)
    });
    answer(done.await.map(|()| Json(json!({"success": true})).into_response()))
}

/// What a request says about the content it is meant for.
fn expected(headers: &HeaderMap) -> Expected {
    let list = |name: HeaderName| -> Vec<String> {
        let lists = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        let tags = lists.flat_map(|list| list.split(',')).map(|tag| tag.trim().trim_matches('"'));
        tags.map(str::to_owned).collect()
    };
    let is_star = |tags: &[String]| tags == ["*"];
    let (tags, others) = (list(IF_MATCH), list(IF_NONE_MATCH));
    match (tags.is_empty(), is_star(&tags), is_star(&others)) {
        (true, _, true) => Expected::Missing,
        (true, _, false) => Expected::Anything,
        (false, true, _) => Expected::There,
        (false, false, _) => Expected::Tags(tags),
    }
}

fn quoted(tag: &str) -> String {
    format!("\"{tag}\"")
}

fn missing(name: &Name) -> Error {
    Error::not_found(format!("there is no {name}"))
}

/// The answer, or the object of every failure. A change that was made for another content is told
/// with the status that HTTP has for it.
fn answer(outcome: Result<Response>) -> Response {
    outcome.unwrap_or_else(|error| {
        let mut told = refusal(&error);
        if error.kind == ErrorKind::Conflict {
            *told.status_mut() = StatusCode::PRECONDITION_FAILED;
        }
        told
    })
}

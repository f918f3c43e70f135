//! `GET /api/v1/audit`: the log as JSON lines, newest first, as long as it is.

use axum::{
    Extension,
    body::{Body, Bytes},
    extract::{Query, State},
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use futures::stream;
use openspace_command::{Caller, Result};
use openspace_workspace::{
    Dispatcher,
    audit::{Export, Logged},
};
use serde_json::{Map, Value};

use crate::http::commands::respond;

/// Arguments that are numbers; a query has only texts.
const NUMBERS: [&str; 2] = ["limit", "before"];

/// Every record that fits, one a line. A failure on the way breaks the answer off.
pub async fn lines(
    State(dispatcher): State<Dispatcher>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    let args: Map<String, Value> = query.into_iter().map(argument).collect();
    let export = match Export::start(&dispatcher, caller, args).await {
        Ok(export) => export,
        Err(reply) => return respond(&reply, false),
    };
    let pages = stream::unfold(export, |mut export| async {
        let page = export.next().await?;
        Some((page.and_then(|records| encode(&records)), export))
    });
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(pages)).into_response()
}

fn argument((name, text): (String, String)) -> (String, Value) {
    // What is no number goes on as text: the command then names the argument in its error.
    let number = text.parse::<u64>().ok().filter(|_| NUMBERS.contains(&name.as_str()));
    let value = number.map_or(Value::String(text), Value::from);
    (name, value)
}

fn encode(records: &[Logged]) -> Result<Bytes> {
    let mut lines = Vec::new();
    for record in records {
        serde_json::to_writer(&mut lines, record).map_err(|error| {
            openspace_command::Error::internal("a record could not be encoded").because(error)
        })?;
        lines.push(b'\n');
    }
    Ok(lines.into())
}

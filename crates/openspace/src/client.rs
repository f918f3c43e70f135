//! A small HTTP client for the command line: it talks to the running server of a workspace.

use std::path::Path;

use anyhow::{Context, Result, bail};
use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request, Response,
    body::{Bytes, Incoming},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_util::task::AbortOnDropHandle;

use crate::{auth::PERSON_HEADER, environment::Environment, state_folder::StateFolder};

/// The running server of a workspace.
#[derive(Clone, Debug)]
pub struct Client {
    authority: String,
    token: String,
    /// What proves to be the person, and whether it is shown.
    person: Option<String>,
    is_person: bool,
    /// Where it is reached.
    pub url: String,
}

/// An answer.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The kind of a failure.
    pub kind: Option<String>,
    /// How the program ended that a command ran.
    pub exit_code: Option<u8>,
    /// The body.
    pub body: Bytes,
}

impl Client {
    /// The server of the workspace that a folder is in: the folder's own or the nearest above it.
    pub fn find(environment: &Environment, folder: &Path) -> Result<Self> {
        let mut looked_at = folder
            .canonicalize()
            .with_context(|| format!("the folder {} cannot be opened", folder.display()))?;
        loop {
            let state_folder = StateFolder::of(&environment.state, &looked_at)?;
            if let Some(running) = state_folder.running()? {
                let token =
                    state_folder.existing_token()?.context("the server's token is missing")?;
                let authority = running.url.trim_start_matches("http://").to_owned();
                let person = state_folder.keys_if_any()?.map(|keys| keys.person);
                let person = person.filter(|key| !key.is_empty());
                return Ok(Self { authority, token, person, is_person: false, url: running.url });
            }
            if !looked_at.pop() {
                bail!(
                    "no OpenSpace server runs for {} or a folder above it\n  hint: start one with `openspace {}`, or pass --workspace FOLDER",
                    folder.display(),
                    folder.display()
                );
            }
        }
    }

    /// The same, as the person: what it asks for is no script's.
    pub fn as_person(self) -> Result<Self> {
        if self.person.is_none() {
            bail!(
                "the server at {} is of a version that knows no person's key\n  hint: restart it",
                self.url
            );
        }
        Ok(Self { is_person: true, ..self })
    }

    /// The bearer token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Connect to the server.
    pub async fn connect(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(&self.authority)
            .await
            .with_context(|| format!("the server at {} does not answer", self.url))?;
        stream.set_nodelay(true).context("the connection")?;
        Ok(stream)
    }

    /// Run a command; the answer comes as text or as JSON.
    pub async fn call(&self, command: &str, args: &Value, text: bool) -> Result<Answer> {
        let accept = if text { "text/plain" } else { "application/json" };
        self.send(Method::POST, &format!("/api/commands/{command}"), accept, args.to_string()).await
    }

    /// Send a request and read the whole answer.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        accept: &str,
        body: String,
    ) -> Result<Answer> {
        let mut streamed = self.open(method, path, accept, body).await?;
        let body = streamed.body.collect().await.context("the answer broke off")?.to_bytes();
        streamed.driver.abort();
        let Streamed { status, exit_code, .. } = streamed;
        Ok(Answer { status, kind: streamed.kind.take(), exit_code, body })
    }

    /// Send a request and read the answer as it comes.
    pub async fn open(
        &self,
        method: Method,
        path: &str,
        accept: &str,
        body: String,
    ) -> Result<Streamed> {
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(self.connect().await?)).await?;
        let driver = AbortOnDropHandle::new(tokio::spawn(connection));
        let person = self.person.iter().filter(|_| self.is_person);
        let request = person
            .fold(Request::builder(), |request, key| request.header(PERSON_HEADER, key))
            .method(method)
            .uri(path)
            .header("host", &self.authority)
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json")
            .header("accept", accept)
            .header("x-openspace-caller", "cli")
            .body(Full::new(Bytes::from(body)))?;
        let response: Response<_> =
            sender.send_request(request).await.context("the server hung up")?;
        let status = response.status().as_u16();
        let kind = response.headers().get(crate::http::commands::KIND_HEADER);
        let kind = kind.and_then(|value| value.to_str().ok()).map(str::to_owned);
        let exit_code = response.headers().get(crate::http::commands::EXIT_CODE_HEADER);
        let exit_code = exit_code.and_then(|code| code.to_str().ok()?.parse().ok());
        let (body, unread) = (response.into_body(), Vec::new());
        Ok(Streamed { status, kind, exit_code, body, unread, driver })
    }
}

/// An answer whose body is still coming.
pub struct Streamed {
    /// The HTTP status.
    pub status: u16,
    /// The kind of a failure.
    pub kind: Option<String>,
    /// How the program ended that a command ran.
    pub exit_code: Option<u8>,
    body: Incoming,
    unread: Vec<u8>,
    driver: AbortOnDropHandle<hyper::Result<()>>,
}

impl Streamed {
    /// What has come since, in whole lines; `None` when the body has ended.
    pub async fn lines(&mut self) -> Result<Option<String>> {
        loop {
            if let Some(end) = self.unread.iter().rposition(|byte| *byte == b'\n') {
                let rest = self.unread.split_off(end + 1);
                let lines = std::mem::replace(&mut self.unread, rest);
                return Ok(Some(String::from_utf8(lines).context("the answer is no text")?));
            }
            let Some(frame) = self.body.frame().await else {
                let rest = std::mem::take(&mut self.unread);
                let rest = String::from_utf8(rest).context("the answer is no text")?;
                return Ok((!rest.is_empty()).then_some(rest));
            };
            if let Ok(data) = frame.context("the answer broke off")?.into_data() {
                self.unread.extend_from_slice(&data);
            }
        }
    }
}

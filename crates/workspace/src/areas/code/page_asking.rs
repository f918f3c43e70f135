//! What a page asks of language servers: whom, about which text, and what it gets.
//!
//! Before anything is asked, the server knows all texts as they are, and the page's is compared with that: an answer about
//! another text than the page shows is worth nothing. What belongs to one process of a server goes to that one or to none.

use std::{sync::Arc, time::Duration};

use openspace_languages::{AskError, Asker, Diagnostic, Question, Range, Reply, State, Uri};
use openspace_protocol::RelPath;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use tokio::{task::JoinSet, time::timeout};

use super::{
    addresses::Addresses,
    asking::awake,
    page_edits,
    page_failure::Failure,
    page_hub::CodePages,
    page_list::{by_name, is_file},
    page_methods::{Method, Whom},
    page_queue::Outbox,
    page_session::Edits,
    pages::{NotAnswered, PageAnswer, ShownText, hash},
    running::Running,
    servers::{CodeServers, named},
};
use crate::OpenSpace;

/// How long it is waited for what is wrong with a text, for those who ask what can be done about it.
const DIAGNOSTICS_WITHIN: Duration = Duration::from_secs(2);

/// A question of a page.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) path: Option<RelPath>,
    pub(super) text: Option<ShownText>,
    pub(super) params: Map<String, Value>,
    pub(super) server: Option<String>,
    pub(super) generation: Option<u64>,
}

/// Who asks.
#[derive(Clone)]
pub(super) struct Asks {
    pub(super) state: Arc<OpenSpace>,
    pub(super) servers: Arc<CodeServers>,
    pages: Arc<CodePages>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) edits: Arc<Edits>,
    asker: Asker,
}

impl Asks {
    pub(super) fn new(
        state: &Arc<OpenSpace>,
        pages: &Arc<CodePages>,
        outbox: &Arc<Outbox>,
        edits: &Arc<Edits>,
    ) -> Self {
        Self {
            state: Arc::clone(state),
            servers: state.service::<CodeServers>(),
            pages: Arc::clone(pages),
            outbox: Arc::clone(outbox),
            edits: Arc::clone(edits),
            // Those of callers are hashes, which are anything; two that are the same would share a bound.
            asker: Asker(u64::MAX - outbox.id()),
        }
    }

    /// What servers say.
    pub(super) async fn answered(&self, asked: Asked) -> Result<Vec<PageAnswer>, Failure> {
        let Some(method) = Method::named(&asked.method) else {
            let shown: String = asked.method.chars().take(100).collect();
            return Err(Failure::invalid(format!("`{shown}` is nothing that pages ask")));
        };
        match method.whom {
            Whom::Origin => {
                let running = self.origin(&asked)?;
                Ok(vec![self.ask(method, &running, &asked).await?])
            }
            Whom::Everybody => {
                let all = self.servers.alive();
                self.all(method, &all, &asked).await
            }
            Whom::First => {
                let mut unable = None;
                for running in self.of_file(&asked).await? {
                    match self.ask(method, &running, &asked).await {
                        Err(failure) if failure.kind == NotAnswered::Unsupported => {
                            unable.get_or_insert(failure);
                        }
                        answer => return Ok(vec![answer?]),
                    }
                }
                Err(unable.unwrap_or_else(none))
            }
            Whom::All => {
                let all = self.of_file(&asked).await?;
                self.all(method, &all, &asked).await
            }
        }
    }

    /// Answers of all that can; a failure only if none of them answers.
    async fn all(
        &self,
        method: &'static Method,
        all: &[Arc<Running>],
        asked: &Asked,
    ) -> Result<Vec<PageAnswer>, Failure> {
        let mut asking = JoinSet::new();
        for (place, running) in all.iter().enumerate() {
            let (asks, running, asked) = (self.clone(), Arc::clone(running), asked.clone());
            asking.spawn(async move { (place, asks.ask(method, &running, &asked).await) });
        }
        let mut said = Vec::new();
        while let Some(answer) = asking.join_next().await {
            let lost = |error| Failure::new(NotAnswered::Internal, format!("{error}"));
            said.push(answer.map_err(lost)?);
        }
        // In the order of preference, not of haste.
        said.sort_by_key(|(place, _)| *place);
        let (mut answers, mut unable, mut failed) = (Vec::new(), None, None);
        for (_, answer) in said {
            match answer {
                Ok(answer) => answers.push(answer),
                Err(failure) if failure.kind == NotAnswered::Unsupported => {
                    unable.get_or_insert(failure);
                }
                Err(failure) => drop(failed.get_or_insert(failure)),
            }
        }
        if answers.is_empty() {
            return match failed.or(unable) {
                Some(failure) => Err(failure),
                // Nobody runs that could be asked about the workspace: that is no failure.
                None if method.whom == Whom::Everybody => Ok(answers),
                None => Err(none()),
            };
        }
        if failed.is_some() {
            // What another would have said is missing.
            for answer in &mut answers {
                answer.complete = false;
            }
        }
        Ok(answers)
    }

    /// The servers of the file that a question is about.
    async fn of_file(&self, asked: &Asked) -> Result<Vec<Arc<Running>>, Failure> {
        let Some(path) = asked.path.as_ref().filter(|path| is_file(path)) else {
            return Err(Failure::invalid("it has to be asked about a file: say its `path`"));
        };
        if let Some(name) = &asked.server {
            return Ok(vec![self.named(name)?]);
        }
        Ok(self.servers.of_shown(&self.state, path, false).await?)
    }

    fn named(&self, name: &str) -> Result<Arc<Running>, Failure> {
        by_name(&self.servers, name)
            .ok_or_else(|| Failure::stale("the language server of this is not there any more"))
    }

    /// The server that said what a question is about.
    fn origin(&self, asked: &Asked) -> Result<Arc<Running>, Failure> {
        match (&asked.server, asked.generation) {
            (Some(name), Some(_)) => self.named(name),
            _ => Err(Failure::invalid(
                "this belongs to one process of a server: say its `server` and `generation`",
            )),
        }
    }

    async fn ask(
        &self,
        method: &Method,
        running: &Arc<Running>,
        asked: &Asked,
    ) -> Result<PageAnswer, Failure> {
        let addresses = Addresses { root: &running.place.facts().root, named: &self.pages.named };
        let mut params = asked.params.clone();
        addresses.inward_fields(&mut params)?;
        let about: Vec<RelPath> = asked.path.iter().filter(|path| is_file(path)).cloned().collect();
        running.tell_texts(&self.state, &self.servers, &about).await?;
        if let Some(path) = about.first() {
            let uri = running.uri(path);
            self.check_text(running, path, &uri, asked.text.as_ref())?;
            params.insert("textDocument".to_owned(), json!({"uri": uri}));
            if method.name == "textDocument/codeAction" {
                with_diagnostics(running, &uri, &mut params).await;
            }
        }
        awake(running).await;
        let question = Question {
            patience: method.patience(),
            while_loading: method.while_loading(),
            may_edit: method.is_command(),
            generation: asked.generation,
            ..Question::new(self.asker, method.name, Value::Object(params))
        };
        let edition = running.server.see(openspace_languages::Server::edition);
        let reply = if method.is_command() {
            self.command(running, question).await
        } else {
            running.server.ask(question).await
        }
        .map_err(|error| failed(running, error))?;
        // It was JSON already.
        let mut value: Value = serde_json::from_str(reply.value.get()).unwrap_or_default();
        let mut texts = Vec::new();
        if method.gives_edits() {
            let files = page_edits::files(&value, &running.place.facts().root);
            let is_same = running.server.see(openspace_languages::Server::edition) == edition;
            if !files.is_empty() && !is_same {
                let error = format!("texts changed while {} looked at them", running.name);
                return Err(Failure::new(NotAnswered::Changed, error));
            }
            texts = page_edits::texts(self, running, files).await;
        }
        addresses.outward(&mut value);
        let (generation, complete) = (reply.generation, reply.complete);
        Ok(PageAnswer { server: named(running), generation, complete, value, texts })
    }

    /// Refuse what is about another text than the page shows.
    fn check_text(
        &self,
        running: &Running,
        path: &RelPath,
        uri: &Uri,
        shown: Option<&ShownText>,
    ) -> Result<(), Failure> {
        let Some(shown) = shown else { return Ok(()) };
        let known =
            running.server.see(|server| server.document(uri).map(|it| Arc::clone(&it.text)));
        let is_it = known.is_some_and(|known| match shown {
            ShownText::Version(wanted) => {
                let buffer = self.state.buffers().versioned(path);
                buffer.is_some_and(|(version, text)| version == wanted.version && *text == *known)
            }
            ShownText::Hash(wanted) => hash(&known) == wanted.hash,
        });
        if is_it {
            return Ok(());
        }
        Err(Failure::stale(format!("`{path}` has another text than this page shows")))
    }

    /// A command of a server's own. One at a time: edits that it asks for meanwhile belong to it.
    async fn command(&self, running: &Arc<Running>, question: Question) -> Result<Reply, AskError> {
        let after = question.patience;
        let late = |_| AskError::TimedOut { server: running.name.clone(), after };
        let _alone = timeout(after, running.commands.lock()).await.map_err(late)?;
        let mut events = running.server.subscribe();
        let asked = running.server.ask(question);
        tokio::pin!(asked);
        loop {
            let event = tokio::select! {
                // First the edits that it asked for before it answered.
                biased;
                event = events.recv() => event,
                reply = &mut asked => return reply,
            };
            if let Ok(event) = event
                && let openspace_languages::Event::EditAsked { edit, changes, .. } = &*event
            {
                let made = page_edits::apply(self, running, changes).await;
                running.server.answer_edit(*edit, made);
            }
        }
    }
}

fn none() -> Failure {
    Failure::new(NotAnswered::Unsupported, "no language server can be asked this")
}

fn failed(running: &Running, error: AskError) -> Failure {
    let hint = match &error {
        AskError::NotRunning { state: State::Failed { .. } | State::Stopped, .. } => {
            Some(format!("`openspace code restart {}` starts it again", running.id))
        }
        _ => None,
    };
    Failure { hint, ..error.into() }
}

/// What can be done is about what is wrong there; what that is the server has to hear in its own words.
async fn with_diagnostics(running: &Running, uri: &Uri, params: &mut Map<String, Value>) {
    let Some(range) = params.get("range").and_then(|range| Range::deserialize(range).ok()) else {
        return;
    };
    // Without an answer nothing is known to be wrong.
    let report = running.server.diagnostics(uri, DIAGNOSTICS_WITHIN).await;
    let all = report.map(|it| [it.items, it.beside].concat()).unwrap_or_default();
    let touches =
        |item: &&Diagnostic| item.range.start <= range.end && range.start <= item.range.end;
    let here: Vec<&Diagnostic> = all.iter().filter(touches).collect();
    let context = params.entry("context").or_insert_with(|| json!({}));
    if let Value::Object(context) = context {
        context.insert("diagnostics".to_owned(), json!(here));
    }
}

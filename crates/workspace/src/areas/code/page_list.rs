//! How all language servers are, and which are missing, as pages are told it.

use std::{collections::BTreeMap, sync::Arc};

use openspace_languages::{MIB, State, find::Choice};
use openspace_protocol::RelPath;
use serde_json::{Map, Value};

use super::{
    page_hub::CodePages,
    pages::{
        AbsentLanguage, AbsentServer, LanguageKind, PageServer, PageServerState, ToLanguagePage,
        WhyAbsent,
    },
    running::Running,
    servers::{CodeServers, check_may_run, found, named},
};
use crate::OpenSpace;

/// Files that are named for a language that has no server.
const MOST_EXAMPLES: usize = 5;
/// Files that it is found out for which servers they could get.
const MOST_LOOKED_AT: usize = 200;
/// Bytes of the options of what a server can; one that says more than that of itself is told as a bare `true`.
const MOST_OPTIONS: usize = 64 * 1024;

/// The whole list.
pub(super) async fn list(state: &OpenSpace, pages: &CodePages) -> ToLanguagePage {
    let servers = state.service::<CodeServers>();
    let mut all = Vec::new();
    for running in servers.all() {
        all.push(server(&running).await);
    }
    ToLanguagePage::Servers { servers: all, absent: absent(state, &servers, pages).await }
}

/// All languages of the table.
pub(super) fn kinds(servers: &CodeServers) -> ToLanguagePage {
    let kinds = servers.table().languages.iter().map(|language| LanguageKind {
        id: language.id.clone(),
        extensions: language.extensions.iter().map(|it| format!(".{it}")).collect(),
        names: language.names.clone(),
    });
    ToLanguagePage::Kinds { kinds: kinds.collect() }
}

async fn server(running: &Running) -> PageServer {
    let (mut percent, mut what, mut why) = (None, None, None);
    let state = match running.server.state() {
        State::Stopped => PageServerState::Stopped,
        State::Starting => PageServerState::Starting,
        State::Loading { percent: percent_of, what: with } => {
            (percent, what) = (percent_of, with);
            PageServerState::Loading
        }
        State::Ready => PageServerState::Ready,
        State::Ending => PageServerState::Ending,
        State::Waiting { why: ended } => {
            why = Some(ended);
            PageServerState::Waiting
        }
        State::Failed { why: failed } => {
            why = Some(failed);
            PageServerState::Failed
        }
    };
    let (generation, abilities) =
        running.server.see(|server| (server.generation(), server.abilities_by_method()));
    PageServer {
        id: running.id.clone(),
        server: named(running),
        name: running.name.clone(),
        root: running.root.as_str().to_owned(),
        languages: running.languages.clone(),
        state,
        percent,
        what,
        why,
        memory: running.memory().await.map(|bytes| bytes / MIB * MIB),
        found_in: found(running.found_in).to_owned(),
        generation,
        abilities: bounded(abilities),
    }
}

fn bounded(mut abilities: Map<String, Value>) -> Map<String, Value> {
    for options in abilities.values_mut() {
        if options.is_object() && options.to_string().len() > MOST_OPTIONS {
            *options = Value::Bool(true);
        }
    }
    abilities
}

async fn absent(
    state: &OpenSpace,
    servers: &CodeServers,
    pages: &CodePages,
) -> Vec<AbsentLanguage> {
    let may_run = check_may_run(state).is_ok();
    let mut absent: BTreeMap<String, AbsentLanguage> = BTreeMap::new();
    for path in pages.shown().into_iter().take(MOST_LOOKED_AT) {
        let Some(language) = servers.table().language_of(path.as_path()) else { continue };
        let Ok(choice) = servers.choice(state, &path).await else { continue };
        let missing = missing(servers, &choice, may_run);
        if missing.is_empty() {
            continue;
        }
        let language = language.id.clone();
        let known = absent.entry(language.clone());
        let known = known.or_insert(AbsentLanguage { language, servers: missing, paths: vec![] });
        if known.paths.len() < MOST_EXAMPLES {
            known.paths.push(path);
        }
    }
    absent.into_values().collect()
}

/// Nothing if a server is used.
fn missing(servers: &CodeServers, choice: &Choice, may_run: bool) -> Vec<AbsentServer> {
    if may_run && !choice.servers.is_empty() {
        return Vec::new();
    }
    let one = |id: &str, why: WhyAbsent, install: Option<&String>| {
        let name = servers.table().server(id).map_or(id, |server| &server.name);
        AbsentServer { id: id.to_owned(), name: name.to_owned(), why, install: install.cloned() }
    };
    let held = choice.servers.iter().map(|found| one(&found.server, WhyAbsent::NotConfined, None));
    let project = if may_run { WhyAbsent::NotTrusted } else { WhyAbsent::NotConfined };
    let untrusted = choice.untrusted.iter().map(|found| one(&found.server, project, None));
    let absent = choice.absent.iter();
    let absent =
        absent.map(|absent| one(&absent.server, WhyAbsent::NotInstalled, absent.install.as_ref()));
    held.chain(untrusted).chain(absent).collect()
}

/// The server that an answer named.
pub(super) fn by_name(servers: &CodeServers, name: &str) -> Option<Arc<Running>> {
    servers.all().into_iter().find(|running| named(running) == name)
}

/// Whether a file is one that servers can be told of.
pub(super) fn is_file(path: &RelPath) -> bool {
    !path.is_untitled() && !path.is_root()
}

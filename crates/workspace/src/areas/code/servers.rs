//! The language servers of the workspace of the space: which there are, who gets which, and whether they may run.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use openspace_command::{Error, ErrorKind, Result, WeakDispatcher};
use openspace_host::BoxFuture;
use openspace_languages::{
    Folder, GREETING, LanguageServer, Limits, Setup, State,
    find::{Absent, Choice, Found, FoundIn, Place as Whereabouts},
    table::{AfterEdit, KnownServer, Table},
};
use openspace_protocol::RelPath;
use tokio::{
    sync::broadcast,
    time::{Instant, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    CodeTrustPart, following, listing,
    looking::choose,
    page_hub,
    persons_choice::Choices,
    running::Running,
    whereabouts::{relative, uri},
};
use crate::{
    Dispatcher, OpenSpace,
    places::Place,
    services::{Base, Service},
    workspaces::MAIN,
};

/// Servers of the workspace at a time, whether they run or not.
pub const MOST_SERVERS: usize = 12;
/// Folders of which it is remembered which servers their files get.
const MOST_CHOICES: usize = 500;
/// How long that is remembered: a person may install one.
const REMEMBERED: Duration = Duration::from_secs(5);
/// How long a server may take for an answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);
/// What a server is told that we are.
const CLIENT: &str = "openspace";

/// What a person chose about language servers.
#[derive(Clone, Debug)]
pub struct LanguageOptions {
    /// Entries of the person's own, in the form of our table; empty when there are none.
    pub own: String,
    /// What servers may use.
    pub limits: Limits,
    /// How long a server may take for an answer, beyond the wait for it to be ready.
    pub answers_within: Duration,
    /// How long a file stays open that nobody asks about.
    pub document_idle: Duration,
    /// How often it is looked for what nobody uses any more.
    pub look_every: Duration,
}

impl Default for LanguageOptions {
    fn default() -> Self {
        Self {
            own: String::new(),
            limits: Limits::default(),
            answers_within: ANSWERS_WITHIN,
            document_idle: Duration::from_mins(10),
            look_every: Duration::from_secs(15),
        }
    }
}

struct Begun {
    table: Table,
    answers_within: Duration,
    dispatcher: WeakDispatcher<OpenSpace>,
    _following: AbortOnDropHandle<()>,
}

/// A server for a project, by its program: another program is another server. Several projects may share one.
type Key = (String, RelPath, PathBuf);

#[derive(Default)]
struct Known {
    servers: BTreeMap<Key, Arc<Running>>,
    choices: HashMap<(RelPath, String), (Instant, Choice)>,
    stopped: bool,
}

/// The language servers of the workspace of the space.
pub struct CodeServers {
    begun: OnceLock<Begun>,
    known: Mutex<Known>,
    /// What the person set.
    pub(super) choices: Choices,
    /// Servers that come to be known.
    news: broadcast::Sender<Arc<Running>>,
    stop: CancellationToken,
}

impl Service for CodeServers {
    fn start(_base: &Base) -> Self {
        Self {
            begun: OnceLock::new(),
            known: Mutex::default(),
            choices: Choices::default(),
            news: broadcast::Sender::new(MOST_SERVERS),
            stop: CancellationToken::new(),
        }
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.stop.cancel();
            let all = {
                let mut known = self.known();
                known.stopped = true;
                std::mem::take(&mut known.servers)
            };
            let mut ends = tokio::task::JoinSet::new();
            for running in all.into_values() {
                ends.spawn(async move { running.stop().await });
            }
            while ends.join_next().await.is_some() {}
        })
    }
}

/// Begin to follow texts. No server is started before somebody asks.
pub fn begin(dispatcher: &Dispatcher, options: LanguageOptions) {
    let servers = dispatcher.state().service::<CodeServers>();
    let table = Table::with(&options.own);
    let options = LanguageOptions { limits: table.limits.unwrap_or(options.limits), ..options };
    page_hub::begin(dispatcher, options.look_every);
    let answers_within = options.answers_within;
    let following = following::follow(dispatcher, servers.stop.clone(), options);
    let following = AbortOnDropHandle::new(tokio::spawn(following));
    for error in &table.errors {
        tracing::warn!(%error, "an entry of the list of language servers is left out");
    }
    if servers
        .begun
        .set(Begun {
            table,
            answers_within,
            dispatcher: dispatcher.downgrade(),
            _following: following,
        })
        .is_err()
    {
        tracing::error!("language servers have begun already");
    }
}

impl Known {
    /// Each once, whatever it works on.
    fn all(&self) -> Vec<Arc<Running>> {
        let mut all: Vec<Arc<Running>> = Vec::new();
        for running in self.servers.values() {
            if all.iter().all(|known| !Arc::ptr_eq(known, running)) {
                all.push(Arc::clone(running));
            }
        }
        all
    }
}

static NO_TABLE: OnceLock<Table> = OnceLock::new();

impl CodeServers {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What agents hear after an edit.
    pub(super) fn after_edit(&self) -> AfterEdit {
        self.choices.after_edit(self.table())
    }

    /// All servers that are known.
    pub(super) fn table(&self) -> &Table {
        let begun = self.begun.get();
        begun.map_or_else(|| NO_TABLE.get_or_init(Table::default), |begun| &begun.table)
    }

    /// How long a server may take for an answer, beyond the wait for it to be ready.
    pub(super) fn answers_within(&self) -> Duration {
        self.begun.get().map_or(ANSWERS_WITHIN, |begun| begun.answers_within)
    }

    /// Those of the workspace, whether they run or not.
    pub(super) fn all(&self) -> Vec<Arc<Running>> {
        self.known().all()
    }

    /// Tells of servers that come to be known.
    pub(super) fn news(&self) -> broadcast::Receiver<Arc<Running>> {
        self.news.subscribe()
    }

    /// Those that run or are about to.
    pub(super) fn alive(&self) -> Vec<Arc<Running>> {
        self.all().into_iter().filter(|running| running.lives()).collect()
    }

    /// What files that were asked about lately could get.
    pub(super) fn choices(&self) -> Vec<Choice> {
        let known = self.known();
        let fresh = known.choices.values().filter(|(at, _)| at.elapsed() < REMEMBERED);
        fresh.map(|(_, choice)| choice.clone()).collect()
    }

    /// Which servers a file gets, without starting any.
    pub(super) async fn choice(&self, state: &OpenSpace, path: &RelPath) -> Result<Choice> {
        let Some(language) = self.table().language_of(path.as_path()) else {
            return Ok(Choice::default());
        };
        let folder = path.parent().unwrap_or_default();
        let key = (folder, language.id.clone());
        if let Some((at, choice)) = self.known().choices.get(&key)
            && at.elapsed() < REMEMBERED
        {
            return Ok(choice.clone());
        }
        let place = state.workspaces().languages_place().await?;
        let root = place.facts().root.clone();
        let at = whereabouts(state, &place);
        let file = root.join(path.as_path());
        let table = self.choices.applied(self.table());
        let choice = choose(&table, &file, &at, state.place(), &place).await;
        let mut known = self.known();
        known.choices.retain(|_, (at, _)| at.elapsed() < REMEMBERED);
        if known.choices.len() < MOST_CHOICES {
            known.choices.insert(key, (Instant::now(), choice.clone()));
        }
        Ok(choice)
    }

    /// What the person said of programs of the project counts from now on.
    pub(super) fn forget_choices(&self) {
        self.known().choices.clear();
    }

    /// The servers of a file, started if they do not run.
    pub(super) async fn of_file(
        &self,
        state: &OpenSpace,
        path: &RelPath,
    ) -> Result<Vec<Arc<Running>>> {
        self.of_shown(state, path, true).await
    }

    /// The same; those that ran before and were stopped are started only if they are to run `again`.
    pub(super) async fn of_shown(
        &self,
        state: &OpenSpace,
        path: &RelPath,
        again: bool,
    ) -> Result<Vec<Arc<Running>>> {
        let Some(language) = self.table().language_of(path.as_path()) else {
            let message = format!("no language server is known for `{path}`");
            return Err(Error::new(ErrorKind::Unsupported, message).hint(
                "workspace_grep finds text in any file; `languages.toml` can add a language",
            ));
        };
        check_may_run(state)?;
        let choice = self.choice(state, path).await?;
        if choice.servers.is_empty() {
            return Err(none_found(self.table(), &language.id, path, &choice));
        }
        let place = state.workspaces().languages_place().await?;
        let mut servers = Vec::new();
        for found in choice.servers {
            self.wait_for_one_to_share(&place, &found).await;
            let running = self.known_or_new(&place, found)?;
            let is_new = || running.server.see(openspace_languages::Server::generation) == 0;
            if !matches!(running.server.state(), State::Failed { .. }) && (again || is_new()) {
                running.start();
            }
            servers.push(running);
        }
        Ok(servers)
    }

    /// The server of a file that runs already. Nothing is started.
    pub(super) fn running_for(&self, path: &RelPath) -> Vec<Arc<Running>> {
        let language = self.table().language_of(path.as_path());
        let Some(language) = language else { return Vec::new() };
        let mut all = self.alive();
        all.retain(|running| running.languages.contains(&language.id));
        // Of several projects of a server the innermost.
        let depths: Vec<Option<usize>> = all.iter().map(|running| running.depth_of(path)).collect();
        let is_innermost = |(running, depth): &(&Arc<Running>, &Option<usize>)| {
            let others = all.iter().zip(&depths).filter(|(other, _)| other.id == running.id);
            depth.is_some() && others.map(|(_, depth)| depth).max() == Some(*depth)
        };
        let meant = all.iter().zip(&depths).filter(is_innermost);
        meant.map(|(running, _)| Arc::clone(running)).collect()
    }

    /// The one with this id; of several the one in this folder.
    pub(super) fn named(&self, id: &str, root: Option<&RelPath>) -> Result<Arc<Running>> {
        let all = self.all();
        let is_meant = |running: &&Arc<Running>| {
            running.id == id && root.is_none_or(|root| running.roots().contains(root))
        };
        let meant: Vec<&Arc<Running>> = all.iter().filter(is_meant).collect();
        match meant.as_slice() {
            [one] => Ok(Arc::clone(one)),
            [] => {
                let known: Vec<String> = all.iter().map(|it| named(it)).collect();
                let known = match known.as_slice() {
                    [] => "none was asked yet".to_owned(),
                    known => format!("there are {}", known.join(", ")),
                };
                let shown: String = id.chars().take(100).collect();
                Err(Error::not_found(format!("no language server `{shown}` works here"))
                    .hint(known))
            }
            several => {
                let roots: Vec<String> = several.iter().map(|it| named(it)).collect();
                Err(Error::conflict(format!("several projects have a server `{id}`"))
                    .hint(format!("say whose with `root`: {}", roots.join(", "))))
            }
        }
    }

    /// Only when it has greeted is it known whether one works on several projects. A project that has one waits for none.
    async fn wait_for_one_to_share(&self, place: &Place, found: &Found) {
        if self.known().servers.contains_key(&key(place, found)) {
            return;
        }
        let alike = |running: &&Arc<Running>| {
            running.id == found.server && running.program == found.program
        };
        let Some(running) = self.alive().iter().find(alike).cloned() else { return };
        let mut events = running.server.subscribe();
        let until = Instant::now() + GREETING;
        while running.lives() && running.server.state() == State::Starting {
            if timeout_at(until, events.recv()).await.is_err() {
                return;
            }
        }
    }

    fn known_or_new(&self, place: &Arc<Place>, found: Found) -> Result<Arc<Running>> {
        let facts = place.facts();
        let key = key(place, &found);
        let root = key.1.clone();
        let mut known = self.known();
        if known.stopped {
            return Err(Error::new(ErrorKind::Busy, "the server is stopping"));
        }
        if let Some(running) = known.servers.get(&key) {
            // One in another place is another server.
            if Arc::ptr_eq(&running.place, place) || running.lives() {
                return Ok(Arc::clone(running));
            }
        }
        let shared = known.servers.values().find(|running| {
            running.id == found.server
                && running.program == found.program
                && Arc::ptr_eq(&running.place, place)
                && running.server.add_folder(folder(&facts.root, &root))
        });
        if let Some(shared) = shared.cloned() {
            shared.add_root(root);
            known.servers.insert(key, Arc::clone(&shared));
            return Ok(shared);
        }
        let entry = self.table().server(&found.server).cloned();
        let Some(entry) = entry else {
            return Err(Error::internal("a language server is not in the table that named it"));
        };
        let all = known.all();
        if all.len() >= MOST_SERVERS {
            let Some(resting) = all.iter().find(|running| !running.lives()) else {
                let message = format!("{MOST_SERVERS} language servers run already");
                return Err(Error::new(ErrorKind::Busy, message)
                    .hint("stop one with code_stop; code_servers lists them"));
            };
            known.servers.retain(|_, running| !Arc::ptr_eq(running, resting));
        }
        let server = LanguageServer::new(self.setup(&entry, &facts.root, &root));
        let KnownServer { name, languages, .. } = entry;
        let place = Arc::clone(place);
        let running = Arc::new(Running::new(found, name, languages, root, place, server));
        known.servers.insert(key, Arc::clone(&running));
        if let Some(begun) = self.begun.get() {
            running.listed_by(listing::list(begun.dispatcher.clone(), &running));
        }
        // Nobody may listen.
        self.news.send(Arc::clone(&running)).ok();
        Ok(running)
    }

    fn setup(&self, entry: &KnownServer, workspace: &Path, root: &RelPath) -> Setup {
        Setup {
            server: entry.name.clone(),
            folders: vec![folder(workspace, root)],
            initialization: entry.initialization.clone(),
            settings: self.choices.settings(entry),
            ready: entry.ready.clone(),
            client: CLIENT.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

fn key(place: &Place, found: &Found) -> Key {
    let root = relative(&place.facts().root, &found.root).unwrap_or_default();
    (found.server.clone(), root, found.program.clone())
}

/// A server with where it works, for people.
pub(super) fn named(running: &Running) -> String {
    match running.root.as_str() {
        "" => running.id.clone(),
        root => format!("{} in {root}", running.id),
    }
}

fn folder(workspace: &Path, root: &RelPath) -> Folder {
    let name = root.name().map(str::to_owned);
    let name = name.or_else(|| Some(workspace.file_name()?.to_string_lossy().into_owned()));
    Folder { uri: uri(workspace, root), name: name.unwrap_or_default() }
}

/// Whether the person let programs of the project run as language servers.
pub(super) fn is_trusted(state: &OpenSpace) -> bool {
    let said = state.space().state();
    let said = said.part::<CodeTrustPart>().get(MAIN).is_some_and(|trust| trust.allowed);
    said || state.workspaces().trusts_project()
}

/// Refuse where nothing would hold a server, unless the person said that it may run.
pub(super) fn check_may_run(state: &OpenSpace) -> Result<()> {
    if state.workspaces().holds_servers() || is_trusted(state) {
        return Ok(());
    }
    Err(Error::denied(
        "language servers run code of the project, which nothing confines on this machine, and the person has not said \
         that they may",
    )
    .hint("the person allows it once with `openspace code trust`; `openspace doctor` says what confining needs"))
}

/// Where to look for programs.
fn whereabouts(state: &OpenSpace, place: &Place) -> Whereabouts {
    let variables = &state.workspaces().hosting().environment;
    let value = |wanted: &str| {
        let found = variables.iter().rev().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    };
    let facts = place.facts();
    Whereabouts {
        workspace: facts.root.clone(),
        path: value("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default(),
        virtual_environment: value("VIRTUAL_ENV").map(PathBuf::from),
        state: facts.output.join("languages"),
        trusted: is_trusted(state),
    }
}

/// Why a file has no server, and what can be done about it.
fn none_found(table: &Table, language: &str, path: &RelPath, choice: &Choice) -> Error {
    if let Some(found) = choice.untrusted.first() {
        let name = table.server(&found.server).map_or(&found.server, |server| &server.name);
        return Error::denied(format!(
            "{name} for `{path}` is a program of the project, and the person has not said that those may run"
        ))
        .hint("the person allows it once with `openspace code trust`");
    }
    let names: Vec<&str> = choice.absent.iter().map(|absent| &*absent.server).collect();
    let message = match names.as_slice() {
        [] => format!("no language server for `{path}` ({language}) fits this project"),
        names => format!("no language server for `{path}` is installed: {}", names.join(", ")),
    };
    let error = Error::new(ErrorKind::Unsupported, message);
    match choice.absent.iter().find_map(install) {
        Some(install) => error.hint(install),
        None => error.hint("code_servers says more"),
    }
}

/// How a person installs one, as a sentence.
pub(super) fn install(absent: &Absent) -> Option<String> {
    let install = absent.install.as_ref()?;
    Some(format!("`{install}` installs {}", absent.server))
}

/// Where a program was found, in words.
pub(super) const fn found(found: FoundIn) -> &'static str {
    match found {
        FoundIn::Settings => "settings",
        FoundIn::Project => "project",
        FoundIn::Path => "PATH",
    }
}

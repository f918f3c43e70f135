//! `Bench`: a workspace to try commands on. Time and ids are given, files and shells are real.
//!
//! Every answer that passes through a bench is held against the output schema of its command.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use jsonschema::Validator;
use openspace_command::{Call, Caller, CallerKind, Limits, Record, Reply, Shown};
use openspace_git::{Broker, Identity};
use openspace_isolation::{Limits as PlaceLimits, Machine, Provider};
use openspace_process::reap_marked;
use openspace_protocol::{Event, Sequenced};
use openspace_space::{Attached, Entries, Listener, Snapshot, State, store::Filter};
use openspace_workspace::{
    Dispatcher, OpenError, Options,
    agents::{AgentsPart, settings::AgentSettings},
    areas::{
        code::LanguageOptions,
        terminal::{Terminals, TerminalsPart},
    },
    conversations::{AgentsFile, ConversationOptions},
    open,
    permission::{PermissionOptions, PolicyFile, Profile},
    registry,
    workspaces::{AgentsPlaces, Hosting, WorkspaceRecord},
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

/// When every bench starts, in milliseconds since 1970.
pub(crate) const START: u64 = 1_700_000_000_000;
/// No test waits longer for something that has to happen.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a bench is opened with.
pub(crate) struct Settings {
    pub(crate) limits: Limits,
    pub(crate) agents: AgentSettings,
    pub(crate) permission: PermissionOptions,
    pub(crate) bridge_timeout: Duration,
    pub(crate) max_bridge_streams: usize,
    pub(crate) provider: Provider,
    /// Whether there is a runner program to make places with.
    pub(crate) has_runner: bool,
    /// What the person chose about agents.
    pub(crate) agents_file: Arc<AgentsText>,
    /// What the person chose about language servers.
    pub(crate) languages: LanguageOptions,
}

impl Default for Settings {
    fn default() -> Self {
        let limits = Limits { per_turn: 1_000_000, ..Limits::default() };
        Self {
            limits,
            agents: AgentSettings::default(),
            permission: PermissionOptions::default(),
            bridge_timeout: PATIENCE,
            max_bridge_streams: 10,
            provider: Provider::Local,
            has_runner: true,
            agents_file: Arc::default(),
            languages: LanguageOptions::default(),
        }
    }
}

/// A person's policy file that is a text.
#[derive(Default)]
pub(crate) struct PolicyText(Mutex<Option<String>>);

impl PolicyText {
    pub(crate) fn of(text: &str) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(text.to_owned()))))
    }

    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap().clone().unwrap_or_default()
    }
}

impl PolicyFile for PolicyText {
    fn name(&self) -> String {
        "policy.toml of a test".into()
    }

    fn read(&self) -> std::io::Result<Option<String>> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        *self.0.lock().unwrap() = Some(text.to_owned());
        Ok(())
    }
}

/// A person's list of agents that is a text.
#[derive(Default)]
pub(crate) struct AgentsText(Mutex<Option<String>>);

impl AgentsText {
    pub(crate) fn of(text: &str) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(text.to_owned()))))
    }

    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap().clone().unwrap_or_default()
    }
}

impl AgentsFile for AgentsText {
    fn name(&self) -> String {
        "agents.toml of a test".into()
    }

    fn read(&self) -> std::io::Result<Option<String>> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        *self.0.lock().unwrap() = Some(text.to_owned());
        Ok(())
    }
}

/// What a bench is opened with whose agents are asked about.
pub(crate) fn asking(profile: Profile, file: Arc<PolicyText>) -> Settings {
    let permission =
        PermissionOptions { profile: Some(profile), file, ..PermissionOptions::default() };
    Settings { permission, ..Settings::default() }
}

/// A workspace on a folder of its own.
pub(crate) struct Bench {
    folder: TempDir,
    database: TempDir,
    settings: Settings,
    clock: Arc<AtomicU64>,
    boots: u32,
    dispatcher: Dispatcher,
}

impl Bench {
    /// A workspace with these files, by path and content.
    pub(crate) async fn open(files: &[(&str, &str)]) -> Self {
        Self::with(Settings::default(), files).await
    }

    pub(crate) async fn with(settings: Settings, files: &[(&str, &str)]) -> Self {
        Self::try_with(settings, files).await.unwrap()
    }

    pub(crate) async fn try_with(
        settings: Settings,
        files: &[(&str, &str)],
    ) -> Result<Self, OpenError> {
        let (folder, database) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        for (path, content) in files {
            put(&folder.path().join(path), content);
        }
        let clock = Arc::new(AtomicU64::new(START));
        let dispatcher = start(&settings, folder.path(), database.path(), &clock, 1).await?;
        Ok(Self { folder, database, settings, clock, boots: 1, dispatcher })
    }

    /// Stop, and open again on the same files and database.
    pub(crate) async fn restart(&mut self) {
        self.shut_down().await;
        self.boots += 1;
        let (folder, database) = (self.folder.path(), self.database.path());
        self.dispatcher =
            start(&self.settings, folder, database, &self.clock, self.boots).await.unwrap();
    }

    pub(crate) async fn shut_down(&self) {
        self.dispatcher.state().shut_down().await;
    }

    pub(crate) fn advance(&self, milliseconds: u64) {
        self.clock.fetch_add(milliseconds, Ordering::Relaxed);
    }

    pub(crate) fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// The state of the work; who is connected changes with every call and is left out.
    pub(crate) fn state(&self) -> State {
        let mut state = self.dispatcher.state().space().state();
        *state.part_mut::<AgentsPart>() = Entries::default();
        state
    }

    /// The real place of a path of the workspace.
    pub(crate) fn place(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Replace a file behind the back of the workspace, in one step.
    pub(crate) fn put(&self, path: &str, content: &str) {
        put(&self.place(path), content);
    }

    /// Take the database away from behind the store.
    pub(crate) fn break_database(&self) {
        remove(&self.database.path().join("space.db"));
    }

    pub(crate) fn remove(&self, path: &str) {
        remove(&self.place(path));
    }

    /// Run a command as an agent.
    pub(crate) async fn call(&self, command: &str, args: Value) -> Value {
        self.reply(agent(), command, args).await.to_value()
    }

    /// Run a command as a person.
    pub(crate) async fn as_person(&self, command: &str, args: Value) -> Value {
        self.reply(person(), command, args).await.to_value()
    }

    pub(crate) async fn reply(&self, caller: Caller, command: &str, args: Value) -> Reply {
        let call = Call::new(caller, command, args).with_text(true);
        let reply = self.dispatcher.dispatch(call).await;
        check_schema(&reply);
        // Tests act as the person and as agents in turn; what an answer says of that is tried in `doings`.
        Reply { since: None, ..reply }
    }

    /// What a reader is shown of the answer.
    pub(crate) async fn text(&self, command: &str, args: Value) -> String {
        self.reply(agent(), command, args).await.to_text()
    }

    /// A path in the private folder of the server.
    pub(crate) fn private(&self, path: &str) -> PathBuf {
        self.database.path().join("hosting").join(path)
    }

    /// Run a command that must succeed; the answer without `success`.
    pub(crate) async fn ok(&self, command: &str, args: Value) -> Value {
        let mut answer = self.call(command, args.clone()).await;
        assert_eq!(answer["success"], json!(true), "{command} {args}: {answer}");
        answer.as_object_mut().unwrap().shift_remove("success");
        answer
    }

    /// Run a command that must fail in this way.
    pub(crate) async fn fails(&self, command: &str, args: Value, kind: &str, message: &str) {
        let failure = self.failure(command, args.clone()).await;
        let found = (failure["kind"].as_str(), failure["error"].as_str());
        assert_eq!(found, (Some(kind), Some(message)), "{command}");
    }

    /// Run a command that must fail; the answer.
    pub(crate) async fn failure(&self, command: &str, args: Value) -> Value {
        let answer = self.call(command, args).await;
        assert_eq!(answer["success"], json!(false), "{command}: {answer}");
        answer
    }

    pub(crate) fn attach(&self) -> Follower {
        let space = self.dispatcher.state().space();
        let Attached::Fresh(snapshot, listener) = space.attach(None) else {
            panic!("there was nothing to resume from")
        };
        Follower { snapshot: *snapshot, listener }
    }

    /// Read a terminal from a cursor on until it shows a finished line.
    pub(crate) async fn read_until(&self, terminal: &str, since: u64, line: &str) -> Vec<String> {
        let id = terminal.parse().unwrap();
        let live = self.dispatcher.state().service::<Terminals>().get(id).unwrap();
        let mut changed = live.changed();
        let args = json!({"terminalId": terminal, "since": since, "lines": 10_000});
        in_time(async {
            loop {
                let read = self.ok("terminal.read_output", args.clone()).await;
                let lines: Vec<String> = serde_json::from_value(read["output"].clone()).unwrap();
                if lines.iter().any(|shown| shown == line) {
                    return lines;
                }
                assert!(changed.next().await, "the terminal is gone");
            }
        })
        .await
    }

    /// Wait until the shell asks for a command. What is typed before mixes with the prompt.
    async fn await_prompt(&self, terminal: &str) {
        let live =
            self.dispatcher.state().service::<Terminals>().get(terminal.parse().unwrap()).unwrap();
        let mut changed = live.changed();
        let args = json!({"terminalId": terminal, "lines": 1});
        in_time(async {
            loop {
                let read = self.ok("terminal.read_output", args.clone()).await;
                if read["partial"].as_str().is_some_and(|line| line.trim_end() == "$") {
                    return;
                }
                assert!(changed.next().await, "the terminal is gone");
            }
        })
        .await;
    }

    /// Type a command line into a terminal, and give the lines it shows up to a finished one.
    pub(crate) async fn type_until(&self, terminal: &str, text: &str, line: &str) -> Vec<String> {
        self.await_prompt(terminal).await;
        let sent = self.ok("terminal.send", json!({"terminalId": terminal, "text": text})).await;
        self.read_until(terminal, sent["cursor"].as_u64().unwrap(), line).await
    }

    /// Stop and give every audit record, oldest first.
    pub(crate) async fn audit(&self) -> Vec<Record> {
        self.shut_down().await;
        let reader = self.dispatcher.state().store().reader().unwrap();
        let page = reader.page(&Filter::default(), None, 100_000).unwrap();
        page.records.into_iter().rev().map(|(_, record)| record).collect()
    }

    /// Every byte that was written beside the workspace.
    pub(crate) fn kept(&self) -> Vec<u8> {
        let files = std::fs::read_dir(self.database.path()).unwrap();
        let paths = files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
        #[expect(clippy::disallowed_methods, reason = "files of the test itself")]
        paths.flat_map(|path| std::fs::read(path).unwrap()).collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if !self.state().part::<TerminalsPart>().is_empty() {
            let reaped = reap_marked(&instance(self.database.path()));
            assert!(std::thread::panicking() || reaped.is_ok(), "{reaped:?}");
        }
    }
}

/// A view that follows the events.
pub(crate) struct Follower {
    pub(crate) snapshot: Snapshot,
    pub(crate) listener: Listener,
}

impl Follower {
    pub(crate) async fn next(&mut self) -> Sequenced {
        let event = in_time(self.listener.next()).await.expect("the stream goes on");
        let event = event.read().unwrap();
        assert_eq!(event.seq, self.snapshot.seq + 1, "no event is missing");
        assert!(event.revision >= self.snapshot.revision);
        (self.snapshot.seq, self.snapshot.revision) = (event.seq, event.revision);
        if let Event::Changed { patches } = &event.event {
            for (part, patch) in patches {
                patch.apply(self.snapshot.parts.get_mut(part).unwrap());
            }
        }
        event
    }

    /// A part of the space, whole, after the next event that changes it.
    pub(crate) async fn changed(&mut self, wanted: &str) -> Value {
        loop {
            if let Event::Changed { patches } = self.next().await.event
                && patches.contains_key(wanted)
            {
                return json!(self.snapshot.parts[wanted]);
            }
        }
    }
}

pub(crate) async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("it happens in time")
}

/// The instructions for who is offered everything.
pub(crate) fn instructions(dispatcher: &Dispatcher) -> String {
    openspace_workspace::instructions::instructions(dispatcher, &|definition| {
        (definition.shown == Shown::Everywhere).then(|| definition.tool.clone())
    })
}

pub(crate) fn agent() -> Caller {
    Caller::new(CallerKind::Agent, "opencode", None)
}

pub(crate) fn person() -> Caller {
    Caller::new(CallerKind::Person, "browser", None)
}

/// The same value with what differs from run to run set to zero.
pub(crate) fn steady(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                let varies =
                    matches!(key.as_str(), "pid" | "modified" | "duration_ms" | "durationMs")
                        && !value.is_null();
                *value = if varies { json!(0) } else { steady(value.take()) };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = steady(item.take())),
        _ => {}
    }
    value
}

/// Whether a process runs; one that waits to be collected does not.
#[expect(clippy::disallowed_methods, reason = "the process table is no file of a workspace")]
pub(crate) fn is_running(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'))
}

#[expect(clippy::disallowed_methods, reason = "tests change files behind the workspace's back")]
fn put(place: &Path, content: &str) {
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    // A half-written file would be a change of its own.
    let draft = place.with_file_name("draft-of-a-test");
    std::fs::write(&draft, content).unwrap();
    std::fs::rename(draft, place).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "tests change files behind the workspace's back")]
fn remove(place: &Path) {
    std::fs::remove_file(place).unwrap();
}

/// A value with some of its fields replaced.
pub(crate) fn with(mut value: Value, differs: Value) -> Value {
    let Value::Object(differs) = differs else { panic!("{differs} has no fields") };
    value.as_object_mut().unwrap().extend(differs);
    value
}

/// The names in a folder, sorted; none when there is no such folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.unwrap().file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort_unstable();
    names
}

/// Wait for something that nobody tells of, such as the end of somebody else's process.
pub(crate) async fn until(holds: impl Fn() -> bool) {
    in_time(async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// The content of a file as it is on disk.
#[expect(clippy::disallowed_methods, reason = "tests look at files behind the workspace's back")]
pub(crate) fn on_disk(place: &Path) -> String {
    std::fs::read_to_string(place).unwrap()
}

/// A file that starts with text and has a size, most of which is a hole.
#[expect(clippy::disallowed_methods, reason = "tests change files behind the workspace's back")]
pub(crate) fn put_sparse(place: &Path, text: &str, size: u64) {
    use std::io::Write as _;

    let mut file = std::fs::File::create(place).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.set_len(size).unwrap();
}

async fn start(
    settings: &Settings,
    folder: &Path,
    database: &Path,
    clock: &Arc<AtomicU64>,
    boot: u32,
) -> Result<Dispatcher, OpenError> {
    let clock = Arc::clone(clock);
    let environment = [
        ("PATH", "/usr/bin:/bin"),
        ("PS1", "$ "),
        ("TERM", "xterm-256color"),
        ("SECRET_TOKEN", "of-the-server"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .to_vec();
    open(Options {
        main: WorkspaceRecord {
            name: None,
            root: folder.to_owned(),
            owns_root: false,
            provider: settings.provider,
            network: settings.provider != Provider::Sandbox,
            limits: PlaceLimits::default(),
            git_url: None,
            created_by: "bench".into(),
            created_as: Some(CallerKind::Script),
            created_at: START,
        },
        hosting: Hosting {
            state: database.join("hosting"),
            runner: settings.has_runner.then(runner),
            shell: "/bin/sh".into(),
            environment,
            instance: instance(database),
            identity: Identity::default(),
            co_author: None,
            machine: Machine::default(),
            agents: AgentsPlaces::Shared,
        },
        credentials: Broker::default(),
        secrets: Vec::new(),
        database: database.join("space.db"),
        boot: format!("boot{boot}"),
        limits: settings.limits,
        permission: settings.permission.clone(),
        max_bridge_streams: settings.max_bridge_streams,
        bridge_timeout: settings.bridge_timeout,
        audit_days: 90,
        agents: settings.agents,
        conversations: ConversationOptions {
            file: Arc::clone(&settings.agents_file) as _,
            ..ConversationOptions::none()
        },
        languages: settings.languages.clone(),
        now: Arc::new(move || clock.load(Ordering::Relaxed)),
    })
    .await
}

/// The runner that `cargo xtask test` built, else the one beside the tests.
#[expect(clippy::disallowed_methods, reason = "the one thing a test is told by its surroundings")]
pub(crate) fn runner() -> PathBuf {
    let given = std::env::var_os("OPENSPACE_RUNNER").map(PathBuf::from);
    given.unwrap_or_else(|| {
        let tests = std::env::current_exe().unwrap();
        tests.ancestors().nth(2).unwrap().join("openspace-runner")
    })
}

/// No two benches share one, also across runs: the name marks processes.
fn instance(database: &Path) -> String {
    let name = database.file_name().unwrap().to_string_lossy();
    format!("bench-{}", name.trim_start_matches('.'))
}

fn check_schema(reply: &Reply) {
    static SCHEMAS: OnceLock<HashMap<String, Validator>> = OnceLock::new();
    let schemas = SCHEMAS.get_or_init(|| {
        let compile = |schema: &Value| jsonschema::validator_for(schema).unwrap();
        registry().all().iter().map(|d| (d.id.clone(), compile(&d.output))).collect()
    });
    if let Some(schema) = schemas.get(&reply.command) {
        let answer = reply.to_value();
        let errors: Vec<String> = schema.iter_errors(&answer).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{}: {answer}", reply.command);
    }
}

/// Let a file be started.
pub(crate) fn executable(place: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755)).unwrap();
}

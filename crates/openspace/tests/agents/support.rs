//! A server in this process, a person with a home of their own, and an opencode that it starts for them.

use std::{
    ffi::OsString,
    net::{IpAddr, Ipv4Addr},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use openspace::{
    environment::Environment,
    mcp,
    server::{AgentsChoice, HostingOptions, PermissionChoice, ServeOptions, Server},
};
use openspace_agents::{
    Agent, Event, Subscription,
    model::{
        Message, MessageQuery, NewSession, PartContent, Prompt, SessionId, SessionStatus, ToolCall,
    },
};
use openspace_command::{Call, Caller, CallerKind, Limits};
use openspace_git::{Identity, Source};
use openspace_isolation::{Limits as PlaceLimits, Provider};
use openspace_scripted::Scripted;
use openspace_workspace::{
    Dispatcher,
    agents::settings::AgentSettings,
    areas::bridge,
    audit,
    conversations::{AgentState, Conversations, Running},
    permission::Profile,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

/// How long anything may take on a machine that is busy.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);
/// How often a condition is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The key that opencode has for the model.
pub(crate) const MODEL_KEY: &str = "Vr7-kQ2-mZ9x-0pLw-TnB4";
/// Without these opencode would look for its plugin in the registry for a minute and more.
pub(crate) const PACKAGE: &str = r#"{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}"#;
pub(crate) const LOCK: &str =
    r#"{"lockfileVersion":3,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}"#;

/// A person with a home and a project.
pub(crate) struct Person {
    folder: TempDir,
    pub(crate) model: Scripted,
}

impl Person {
    /// With this on top of their configuration of opencode.
    pub(crate) async fn with(more: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let model = Scripted::start().await.unwrap();
        let person = Self { folder, model };
        put(&person.root().join("a.txt"), "one\ntwo\nthree\n");
        let settings = person.home().join(".config/opencode");
        std::fs::create_dir_all(settings.join("node_modules")).unwrap();
        put(&settings.join("package.json"), PACKAGE);
        put(&settings.join("package-lock.json"), LOCK);
        put(&settings.join("opencode.json"), &person.config(&more).to_string());
        person.agents("");
        person
    }

    /// What they write into their `agents.toml`, before an opencode that looks for nothing in the network.
    pub(crate) fn agents(&self, more: &str) {
        let program = opencode();
        let switches = [
            "AUTOUPDATE",
            "MODELS_FETCH",
            "LSP_DOWNLOAD",
            "DEFAULT_PLUGINS",
            "EXTERNAL_SKILLS",
            "CLAUDE_CODE",
        ];
        let switches = switches.map(|switch| format!("OPENCODE_DISABLE_{switch} = '1'\n")).concat();
        let entry = |id: &str, api: &str| {
            format!(
                "[[agent]]\nid = '{id}'\nname = '{id}'\ncommand = ['{}', 'acp']\n{api}npm = 'opencode-ai'\n\
                 home = ['.cache/opencode/', '.local/share/opencode/', '.local/state/opencode/']\n\
                 home_read = ['.config/opencode/']\nhome_made = ['.config/opencode/.gitignore']\n\
                 [agent.set]\nNPM_CONFIG_FETCH_RETRIES = '0'\n{switches}",
                program.display(),
            )
        };
        let (own, acp) = (entry("opencode", "api = 'opencode'\n"), entry("by-acp", ""));
        let text = format!("{more}\n{own}\n{acp}");
        put(&self.path("config/agents.toml"), &text);
    }

    /// Their configuration names a provider and no key for it.
    pub(crate) fn forget_key(&self) {
        let mut config = self.config(&json!({}));
        let options = config["provider"]["scripted"]["options"].as_object_mut().unwrap();
        options.shift_remove("apiKey");
        let settings = self.home().join(".config/opencode/opencode.json");
        put(&settings, &config.to_string());
    }

    fn config(&self, more: &Value) -> Value {
        let mut config = json!({
            "autoupdate": false,
            "share": "disabled",
            "enabled_providers": ["scripted"],
            "provider": { "scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Scripted",
                "options": { "baseURL": self.model.base_url(), "apiKey": MODEL_KEY },
                "models": { "scripted": {
                    "name": "Scripted",
                    "tool_call": true,
                    "limit": { "context": 1_000_000, "output": 8000 },
                } },
            } },
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
        });
        for (name, value) in more.as_object().unwrap() {
            config[name] = value.clone();
        }
        config
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        // As programs name it: without links.
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.path("app")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// What a file of the project holds, once it is there.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        read(&self.root().join(name))
    }

    fn environment(&self) -> Environment {
        let variables = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME", self.home().into_os_string()),
            ("SHELL", "/bin/bash".into()),
        ];
        Environment {
            state: self.path("state"),
            config: self.path("config"),
            web: None,
            home: Some(self.home()),
            shell: "/bin/bash".into(),
            opencode_password: None,
            variables: variables
                .map(|(name, value): (&str, OsString)| (name.into(), value))
                .to_vec(),
        }
    }

    fn options(&self) -> ServeOptions {
        ServeOptions {
            root: self.root(),
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: Some(0),
            allow_hosts: Vec::new(),
            no_auth: false,
            stand_in: false,
            limits: Limits::default(),
            max_bridge_streams: bridge::MAX_STREAMS,
            bridge_timeout: bridge::ANSWER_WITHIN,
            audit_days: audit::DAYS,
            agents: AgentSettings::default(),
            opencode: None,
            mcp: mcp::Options::default(),
            permission: PermissionChoice {
                profile: Some(Profile::Careful),
                ..PermissionChoice::default()
            },
            hosting: HostingOptions {
                provider: Provider::Local,
                network: false,
                limits: PlaceLimits::default(),
                runner: Some(runner()),
                agents: AgentsChoice {
                    confined: true,
                    readable: vec![opencode().parent().unwrap().to_owned()],
                    ..AgentsChoice::SHARED
                },
                identity: Identity::default(),
                co_author: None,
                credentials: Source::Nobody,
            },
        }
    }

    /// Serve their project.
    pub(crate) async fn serve(self) -> Space {
        self.serve_with(|_| {}).await
    }

    pub(crate) async fn serve_with(self, change: impl FnOnce(&mut ServeOptions)) -> Space {
        let mut options = self.options();
        change(&mut options);
        let server = Server::start(options, &self.environment()).await.unwrap();
        Space { person: self, server }
    }
}

/// A server that runs.
pub(crate) struct Space {
    pub(crate) person: Person,
    pub(crate) server: Server,
}

impl Space {
    pub(crate) fn conversations(&self) -> &Arc<Conversations> {
        self.server.dispatcher().state().conversations()
    }

    /// How opencode is.
    pub(crate) async fn state(&self) -> AgentState {
        let states = self.conversations().agents().await;
        states.into_iter().find(|state| state.id == "opencode").unwrap()
    }

    /// Wait until it is so.
    pub(crate) async fn until(&self, running: Running) -> AgentState {
        eventually(&format!("{running:?}"), || async {
            let state = self.state().await;
            (state.state == running).then_some(state)
        })
        .await
    }

    /// A conversation with opencode, which is started if it was not.
    pub(crate) async fn talk(&self) -> Talk {
        let new = NewSession { title: Some("A talk".to_owned()), ..NewSession::default() };
        self.talk_with("opencode", new).await
    }

    pub(crate) async fn talk_with(&self, id: &str, new: NewSession) -> Talk {
        let agent = self.conversations().agent(id).await.unwrap();
        let events = tokio::sync::Mutex::new(agent.subscribe());
        let session = agent.create(new).await.unwrap().id;
        Talk { agent, events, session }
    }

    /// Run a command as the person.
    pub(crate) async fn person(&self, command: &str, arguments: Value) -> Value {
        as_person(self.server.dispatcher(), command, arguments).await
    }

    /// What an agent did, the oldest first.
    pub(crate) async fn record(&self, agent: &str) -> Vec<Value> {
        let listed = self.person("audit.list", json!({ "caller": agent })).await;
        let mut records = listed["records"].as_array().unwrap().clone();
        records.reverse();
        records
    }

    /// Stop the server; the person stays.
    pub(crate) async fn stop(self) -> Person {
        self.server.stop().await;
        self.person
    }
}

/// Run a command as the person.
pub(crate) async fn as_person(dispatcher: &Dispatcher, command: &str, arguments: Value) -> Value {
    let caller = Caller::new(CallerKind::Person, "browser", None);
    dispatcher.dispatch(Call::new(caller, command, arguments)).await.to_value()
}

/// A conversation.
pub(crate) struct Talk {
    pub(crate) agent: Arc<dyn Agent>,
    events: tokio::sync::Mutex<Subscription>,
    pub(crate) session: SessionId,
}

impl Talk {
    pub(crate) async fn say(&self, text: &str) {
        self.agent.send(&self.session, Prompt::text(text)).await.unwrap();
    }

    /// Wait until the turn is over.
    pub(crate) async fn idle(&self) {
        let idle =
            Event::Status { session_id: self.session.clone(), status: SessionStatus::Idle {} };
        self.until(|event| *event == idle).await;
    }

    pub(crate) async fn until(&self, is_it: impl Fn(&Event) -> bool) {
        let mut events = self.events.lock().await;
        let wait = async {
            while let Some(event) = events.next().await {
                if is_it(&event) {
                    return;
                }
            }
            panic!("no more events come");
        };
        timeout(PATIENCE, wait).await.expect("it is told");
    }

    /// Say something and wait until the turn is over; all calls of tools so far.
    pub(crate) async fn turn(&self, text: &str) -> Vec<ToolCall> {
        self.say(text).await;
        self.idle().await;
        self.calls().await
    }

    pub(crate) async fn messages(&self) -> Vec<Message> {
        let query = MessageQuery { session_id: self.session.clone(), limit: 100, before: None };
        self.agent.messages(query).await.unwrap().messages
    }

    pub(crate) async fn calls(&self) -> Vec<ToolCall> {
        let parts = self.messages().await.into_iter().flat_map(|message| message.parts);
        let call = |content| match content {
            PartContent::Tool { call } => Some(*call),
            _ => None,
        };
        parts.filter_map(|part| call(part.content)).collect()
    }
}

/// Wait for something to be there.
pub(crate) async fn eventually<T, F: Future<Output = Option<T>>>(
    what: &str,
    mut look: impl FnMut() -> F,
) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            sleep(LOOK_EVERY).await;
        }
    };
    timeout(PATIENCE, looking).await.unwrap_or_else(|_| panic!("not in time: {what}"))
}

pub(crate) fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "files of the test itself")]
    std::fs::write(path, text).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "files of the test itself")]
pub(crate) fn read(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Let nobody else see a file.
pub(crate) fn keep_private(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// Processes of this machine whose words hold this.
pub(crate) fn processes(words: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    let says = |pid: &u32| {
        let said = read(Path::new(&format!("/proc/{pid}/cmdline"))).unwrap_or_default();
        said.replace('\0', " ").contains(words)
    };
    entries.filter_map(number).filter(says).collect()
}

/// The opencode that `cargo xtask test` names.
pub(crate) fn opencode() -> PathBuf {
    named("OPENSPACE_OPENCODE")
        .expect("run it with `cargo xtask test`, which names an opencode in OPENSPACE_OPENCODE")
}

/// The runner that `cargo xtask test` built, else the one beside the binary.
fn runner() -> PathBuf {
    let beside = || Path::new(env!("CARGO_BIN_EXE_openspace")).with_file_name("openspace-runner");
    named("OPENSPACE_RUNNER").unwrap_or_else(beside)
}

#[expect(clippy::disallowed_methods, reason = "what a test is told by its surroundings")]
pub(crate) fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

//! A real agent in a home of its own, and what tests ask of it.

use std::{
    env,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use openspace_agents::{
    Agent as _, Event, Subscription,
    acp::{AcpAgent, McpEndpoint, Setup},
    model::{
        Message, MessageQuery, NewSession, PartContent, PermissionAnswer, PermissionRequest,
        Prompt, Session, SessionId, SessionStatus, ToolState,
    },
};
use openspace_scripted::Scripted;
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::{sleep, timeout},
};

/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_mins(2);

/// Where agents live: a home, a project, and a model.
pub(super) struct World {
    pub(super) model: Scripted,
    folder: TempDir,
}

/// An agent that runs. Dropped, it is ended.
pub(super) struct Running {
    pub(super) agent: AcpAgent,
    pub(super) child: Child,
}

impl World {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { model: Scripted::start().await.unwrap(), folder }
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    /// Waits until some file of the home has this text.
    #[expect(clippy::disallowed_methods, reason = "a look at what another program wrote")]
    pub(super) async fn written(&self, text: &str) {
        let is_written = || {
            let (mut folders, mut found) = (vec![self.folder.path().join("home")], false);
            while let Some(folder) = folders.pop() {
                for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                    let path = entry.path();
                    match entry.file_type() {
                        Ok(kind) if kind.is_dir() => folders.push(path),
                        _ => {
                            found |=
                                std::fs::read_to_string(path).is_ok_and(|it| it.contains(text));
                        }
                    }
                }
            }
            found
        };
        let wait = async {
            while !is_written() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, wait).await.expect("it is written");
    }

    /// Starts a program that speaks ACP, with these variables and none of ours but the path.
    #[expect(clippy::disallowed_methods, reason = "the crate starts no program, its tests must")]
    pub(super) async fn start(
        &self,
        name: &str,
        command: &[&str],
        variables: &[(&str, String)],
    ) -> Running {
        let home = self.folder.path().join("home");
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .current_dir(self.project())
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap())
            .env("HOME", &home)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let setup = Setup {
            agent: name.to_owned(),
            directory: self.project().to_str().unwrap().to_owned(),
            tools: Arc::new(McpEndpoint { name: "openspace".to_owned(), ..McpEndpoint::default() }),
            clock: Arc::new(|| {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
                i64::try_from(now.as_millis()).unwrap()
            }),
            client: "openspace".to_owned(),
            version: "0.0.0".to_owned(),
        };
        let agent = AcpAgent::connect(stdout, stdin, setup).await.unwrap();
        Running { agent, child }
    }
}

/// The program that a variable names.
#[expect(clippy::disallowed_methods, reason = "how `cargo xtask test` speaks to a test")]
pub(super) fn program(variable: &str) -> String {
    let named = env::var(variable);
    named.unwrap_or_else(|_| panic!("{variable} is not set: run this with `cargo xtask test`"))
}

impl Running {
    /// Ends its input, and waits until it has put away what it had in hand.
    pub(super) async fn end(self) {
        let Self { agent, mut child } = self;
        drop(agent);
        timeout(PATIENCE, child.wait()).await.expect("it ends").unwrap();
    }

    pub(super) async fn create(&self) -> Session {
        self.agent.create(NewSession::default()).await.unwrap()
    }

    pub(super) async fn say(&self, session: &SessionId, text: &str) {
        self.agent.send(session, Prompt::text(text)).await.unwrap();
    }

    pub(super) async fn messages(&self, session: &SessionId) -> Vec<Message> {
        let query = MessageQuery { session_id: session.clone(), limit: 100, before: None };
        self.agent.messages(query).await.unwrap().messages
    }

    /// What was said and done in the newest message.
    pub(super) async fn answer(&self, session: &SessionId) -> Answer {
        let newest = self.messages(session).await.pop().unwrap();
        let mut answer =
            Answer { failure: newest.info.failure.map(|it| it.message), ..Answer::default() };
        for part in newest.parts {
            match part.content {
                PartContent::Text { text, .. } => answer.said.push_str(&text.text),
                PartContent::Reasoning { text, .. } => answer.thought.push_str(&text.text),
                PartContent::Tool { call } => answer.tools.push(call.state),
                other => panic!("{other:?}"),
            }
        }
        answer
    }

    /// Answers the next request in this way.
    pub(super) async fn permit(
        &self,
        events: &mut Subscription,
        answer: PermissionAnswer,
    ) -> PermissionRequest {
        let asked = until(events, |event| match event {
            Event::PermissionAsked { request } => Some(request.clone()),
            _ => None,
        })
        .await;
        self.agent.answer_permission(&asked.id, answer).await.unwrap();
        asked
    }
}

/// A message in short.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) thought: String,
    pub(super) said: String,
    pub(super) tools: Vec<ToolState>,
    pub(super) failure: Option<String>,
}

/// The first event that is like this.
pub(super) async fn until<T>(events: &mut Subscription, like: impl Fn(&Event) -> Option<T>) -> T {
    let wait = async {
        loop {
            let event = events.next().await.expect("more will be told");
            if let Some(found) = like(&event) {
                return found;
            }
        }
    };
    timeout(PATIENCE, wait).await.expect("it is told")
}

pub(super) async fn idle(events: &mut Subscription) {
    let is_idle = |event: &Event| match event {
        Event::Status { status: SessionStatus::Idle {}, .. } => Some(()),
        _ => None,
    };
    until(events, is_idle).await;
}

/// Something was said, so a stream is under way.
pub(super) async fn speaking(events: &mut Subscription) {
    let is_text = |event: &Event| match event {
        Event::TextDelta { .. } => Some(()),
        Event::PartUpdated { part } if matches!(part.content, PartContent::Text { .. }) => {
            Some(()).filter(|()| !part.message_id.0.ends_with(":0"))
        }
        _ => None,
    };
    until(events, is_text).await;
}

pub(super) fn exists(folder: &Path, name: &str) -> bool {
    folder.join(name).exists()
}

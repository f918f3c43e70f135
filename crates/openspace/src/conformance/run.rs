//! One case on one provider: a folder of its own, a workspace on it, the calls, the comparison.
//!
//! The folder is filled and looked at from outside, on this machine's own file system: what a tool
//! says about a file is held against the file.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use openspace_command::{Call, Caller, CallerKind, Limits};
use openspace_git::{Broker, Identity};
use openspace_isolation::{Limits as PlaceLimits, Machine, Provider, folder};
use openspace_workspace::{
    Dispatcher, Options,
    agents::settings::AgentSettings,
    conversations::ConversationOptions,
    permission::PermissionOptions,
    workspaces::{AgentsPlaces, Hosting, MAIN, WorkspaceRecord},
};
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use super::{
    cases::{Case, Checked, Made, Put},
    matcher::{Matcher, Mismatch, shown},
};
use crate::{environment::clock, state_folder::random_word};

#[cfg(test)]
mod tests;

/// No case takes longer.
const CASE_WITHIN: Duration = Duration::from_mins(1);
/// Calls of one case.
const CALLS: u32 = 10_000;
/// A letter and how often it stands there.
const REPEATED: &str = r"\{(.)\*(\d{1,7})\}";
/// Whom the calls come from.
const CALLER: &str = "conformance";

/// A private folder of this run that goes with it.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new one among the temporary files of this machine.
    pub fn new() -> Result<Self> {
        let parent = std::env::temp_dir().canonicalize().context("the temporary folder")?;
        let path = parent.join(format!("openspace-conformance-{}", random_word(8)));
        folder::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = folder::remove(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "temporary files stay behind");
        }
    }
}

/// What is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which call, or which file.
    pub place: String,
    /// What differs there.
    pub mismatch: Mismatch,
}

/// Runs cases on one provider.
#[derive(Clone)]
pub struct Bench {
    provider: Provider,
    runner: Option<PathBuf>,
    path: OsString,
    scratch: PathBuf,
}

/// The folders of one case.
struct Folders {
    root: PathBuf,
    home: PathBuf,
    state: PathBuf,
}

impl Bench {
    /// A bench that keeps its folders in the scratch folder.
    pub fn new(
        provider: Provider,
        runner: Option<PathBuf>,
        path: OsString,
        scratch: &Scratch,
    ) -> Result<Self> {
        let scratch = scratch.0.join(provider.name());
        folder::create(&scratch).with_context(|| format!("{}", scratch.display()))?;
        Ok(Self { provider, runner, path, scratch })
    }

    /// Whether a workspace can be had at all.
    pub async fn try_to_open(&self) -> Result<()> {
        let folders = self.folders("probe")?;
        let dispatcher = self.open(&folders).await?;
        dispatcher.state().shut_down().await;
        Ok(())
    }

    fn folders(&self, name: &str) -> Result<Folders> {
        let all = self.scratch.join(name);
        let make = |name: &str| {
            let path = all.join(name);
            folder::create(&path).with_context(|| format!("{}", path.display()))?;
            Ok::<_, anyhow::Error>(path)
        };
        Ok(Folders { root: make("root")?, home: make("home")?, state: make("state")? })
    }

    async fn open(&self, folders: &Folders) -> Result<Dispatcher> {
        let environment = [
            ("PATH", self.path.clone()),
            ("HOME", folders.home.clone().into_os_string()),
            ("LANG", "C.UTF-8".into()),
        ];
        let now = clock();
        let options = Options {
            main: WorkspaceRecord {
                name: None,
                root: folders.root.clone(),
                owns_root: false,
                provider: self.provider,
                network: self.provider != Provider::Sandbox,
                limits: PlaceLimits::default(),
                git_url: None,
                created_by: CALLER.into(),
                created_as: Some(CallerKind::Script),
                created_at: now(),
            },
            hosting: Hosting {
                state: folders.state.join("hosting"),
                runner: self.runner.clone(),
                shell: "/bin/sh".into(),
                environment: environment
                    .map(|(name, value)| (OsString::from(name), value))
                    .to_vec(),
                instance: format!("conformance-{}", random_word(8)),
                identity: Identity::default(),
                co_author: None,
                machine: Machine::default(),
                agents: AgentsPlaces::Shared,
            },
            credentials: Broker::default(),
            secrets: Vec::new(),
            database: folders.state.join("space.db"),
            boot: random_word(8),
            limits: Limits { per_turn: CALLS, ..Limits::default() },
            permission: PermissionOptions::default(),
            max_bridge_streams: 1,
            bridge_timeout: CASE_WITHIN,
            audit_days: 1,
            agents: AgentSettings::default(),
            languages: openspace_workspace::areas::code::LanguageOptions::default(),
            conversations: ConversationOptions::none(),
            now,
        };
        Ok(openspace_workspace::open(options).await?)
    }

    /// Run a case; what is not as it should be.
    pub async fn run(&self, number: usize, case: &Case) -> Result<Vec<Failure>> {
        let name = format!("case{number}");
        let played = tokio::time::timeout(CASE_WITHIN, self.play(&name, case)).await;
        let Ok(outcome) = played else {
            bail!("it did not end within {} s", CASE_WITHIN.as_secs());
        };
        folder::remove(&self.scratch.join(&name))
            .context("the folder of the case cannot be removed")?;
        outcome
    }

    async fn play(&self, name: &str, case: &Case) -> Result<Vec<Failure>> {
        let folders = self.folders(name)?;
        for (path, put) in &case.files {
            make(&folders.root.join(path), put).with_context(|| format!("file `{path}`"))?;
        }
        let dispatcher = self.open(&folders).await?;
        let statement = dispatcher.state().workspaces().statement(MAIN);
        let inside = statement.context("the workspace is not open")?.root_inside;
        let mut scene = Scene {
            dispatcher: dispatcher.clone(),
            words: BTreeMap::from([("root".into(), inside.to_string_lossy().into_owned())]),
            repeated: Regex::new(REPEATED)?,
        };
        let played = scene.play(case).await;
        dispatcher.state().shut_down().await;
        let mut failures = played?;
        for (path, matcher) in &case.then {
            let text = content(&folders.root.join(path)).with_context(|| path.clone())?;
            let matcher = matcher.map_texts(&|text| scene.fill(text));
            failures.extend(
                matcher
                    .check(text.as_ref())
                    .into_iter()
                    .map(|mismatch| Failure { place: format!("then the file `{path}`"), mismatch }),
            );
        }
        Ok(failures)
    }
}

/// A workspace and the words that stand for values in it.
struct Scene {
    dispatcher: Dispatcher,
    words: BTreeMap<String, String>,
    repeated: Regex,
}

impl Scene {
    async fn play(&mut self, case: &Case) -> Result<Vec<Failure>> {
        for (index, call) in case.setup.iter().enumerate() {
            let (answer, text) = self.call(&call.tool, &call.args).await;
            let ended_well = answer["exit_code"].as_i64().is_none_or(|code| code == 0);
            ensure!(
                answer["success"] == true && ended_well,
                "setup {} ({}) failed: {text}",
                index + 1,
                call.tool
            );
        }
        let mut failures = Vec::new();
        for (index, checked) in case.calls.iter().enumerate() {
            let place = format!("call {} ({})", index + 1, checked.tool);
            failures.extend(self.check(&place, checked).await?);
        }
        Ok(failures)
    }

    async fn check(&mut self, place: &str, checked: &Checked) -> Result<Vec<Failure>> {
        let (answer, text) = self.call(&checked.tool, &checked.args).await;
        let compare = |place: String, matcher: &Matcher, found: &Value| {
            let wrong = matcher.map_texts(&|text| self.fill(text)).check(Some(found));
            wrong.into_iter().map(move |mismatch| Failure { place: place.clone(), mismatch })
        };
        let mut failures: Vec<Failure> =
            compare(place.to_owned(), &checked.expect, &answer).collect();
        if let Some(matcher) = &checked.text {
            failures.extend(compare(format!("{place}, as text"), matcher, &text.into()));
        }
        for (word, pointer) in &checked.save {
            match answer.pointer(pointer) {
                Some(Value::String(text)) => drop(self.words.insert(word.clone(), text.clone())),
                Some(Value::Number(number)) => {
                    drop(self.words.insert(word.clone(), number.to_string()));
                }
                _ => bail!("{place}: there is nothing to save at {pointer} of {}", shown(&answer)),
            }
        }
        Ok(failures)
    }

    /// The answer to a call, for programs and for readers.
    async fn call(&self, tool: &str, args: &Map<String, Value>) -> (Value, String) {
        let command =
            if tool.contains('.') { tool.to_owned() } else { format!("workspace.{tool}") };
        let caller = Caller::new(CallerKind::Script, CALLER, None);
        let args = self.fill_all(&Value::Object(args.clone()));
        let call = Call::new(caller, &command, args).with_text(true);
        let reply = self.dispatcher.dispatch(call).await;
        (reply.to_value(), reply.to_text())
    }

    fn fill_all(&self, value: &Value) -> Value {
        match value {
            // `{#word}` alone is the number itself.
            Value::String(text) => {
                match text.strip_prefix("{#").and_then(|t| t.strip_suffix('}')) {
                    Some(word) => self.number(word),
                    None => self.fill_argument(text).into(),
                }
            }
            Value::Array(items) => items.iter().map(|item| self.fill_all(item)).collect(),
            Value::Object(object) => {
                object.iter().map(|(key, value)| (key.clone(), self.fill_all(value))).collect()
            }
            other => other.clone(),
        }
    }

    fn number(&self, word: &str) -> Value {
        let number = self.words.get(word).and_then(|text| text.parse::<u64>().ok());
        number.map_or(Value::Null, Into::into)
    }

    /// Put values in the places of their words; other braces stay.
    fn fill(&self, text: &str) -> String {
        self.words.iter().fold(text.to_owned(), |text, (word, value)| {
            text.replace(&format!("{{{word}}}"), value)
        })
    }

    /// The same for an argument, where `{x*5000}` also stands for so many times that letter.
    fn fill_argument(&self, text: &str) -> String {
        let filled = self.fill(text);
        let many = |found: &Captures<'_>| found[1].repeat(found[2].parse().unwrap_or_default());
        self.repeated.replace_all(&filled, many).into_owned()
    }
}

/// Put something at a path of this machine.
fn make(path: &Path, put: &Put) -> Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o755).create(parent)?;
    }
    let made = match put {
        Put::Text(text) => &Made { text: Some(text.clone()), ..Made::default() },
        Put::Made(made) => made,
    };
    if let Some(target) = &made.symlink {
        return symlink(target, path).map_err(Into::into);
    }
    if made.fifo {
        let mode = rustix::fs::Mode::from_raw_mode(0o644);
        return rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0)
            .map_err(Into::into);
    }
    if made.folder {
        std::fs::DirBuilder::new().recursive(true).mode(0o755).create(path)?;
    } else {
        let mut file =
            std::fs::OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)?;
        std::io::Write::write_all(&mut file, &made.bytes()?)?;
    }
    if let Some(mode) = made.mode()? {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

/// What is at a path of this machine: a file as its text, with bytes that are not text escaped as
/// `\xNN`; nothing when nothing is there. Links are not followed.
fn content(path: &Path) -> Result<Option<Value>> {
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if metadata.is_symlink() {
        return Ok(Some(format!("-> {}", std::fs::read_link(path)?.display()).into()));
    }
    if metadata.is_dir() {
        return Ok(Some("a folder".into()));
    }
    #[expect(clippy::disallowed_methods, reason = "the folder is looked at from outside")]
    let bytes = std::fs::read(path)?;
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    Ok(Some(text.into()))
}

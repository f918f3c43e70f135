//! One workspace: a folder, its live space, and everything that runs in it.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use openspace_command::{Dispatcher, Error, Limits, Now, Policy, Record, Recorder, Result};
use openspace_host::{
    files::{FileError, Files, Kind, LineRange, Stat},
    rules::{Rules, RulesError},
};
use openspace_protocol::{Event, RelPath};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    Cx, Registry,
    bridge::Bridges,
    config::{CONFIG_PATH, Config, ConfigError},
    editor::follow::Follower,
    file,
    space::Space,
    store::{Store, StoreError},
    terminal::Terminals,
};

/// What a workspace is opened with.
pub struct Options {
    /// The folder.
    pub root: PathBuf,
    /// The database that keeps its space.
    pub database: PathBuf,
    /// Names this run of the server; no other run has the same.
    pub boot: String,
    /// Names this workspace for ever; marks the processes it starts.
    pub instance: String,
    /// How much one caller may do.
    pub limits: Limits,
    /// Who may do what.
    pub policy: Policy,
    /// The environment that shells start with.
    pub environment: Vec<(OsString, OsString)>,
    /// Streams of calls that bridges may have open at once.
    pub max_bridge_streams: usize,
    /// How long a bridge may take to answer.
    pub bridge_timeout: Duration,
    /// The shell to start when none is asked for.
    pub shell: PathBuf,
    /// The time.
    pub now: Now,
}

/// Why a workspace cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder cannot be used.
    #[error("{0}")]
    Folder(#[from] FileError),
    /// The configuration cannot be understood.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// A pattern in the configuration cannot be used.
    #[error("{CONFIG_PATH}: {0}")]
    Rules(#[from] RulesError),
    /// The store cannot be used.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Files cannot be watched.
    #[error("files cannot be watched: {0}")]
    Watch(String),
}

/// The state that every command works on.
pub struct Workspace {
    root: PathBuf,
    files: Arc<Files>,
    space: Arc<Space>,
    store: Arc<Store>,
    terminals: Terminals,
    bridges: Arc<Bridges>,
    follower: Follower,
    now: Now,
}

impl Workspace {
    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its files.
    pub fn files(&self) -> &Arc<Files> {
        &self.files
    }

    /// Its live space.
    pub fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// Its store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Its terminals.
    pub fn terminals(&self) -> &Terminals {
        &self.terminals
    }

    /// The outside programs that add commands.
    pub fn bridges(&self) -> &Arc<Bridges> {
        &self.bridges
    }

    /// What keeps highlights on their lines.
    pub fn follower(&self) -> &Follower {
        &self.follower
    }

    /// The time, in milliseconds since 1970.
    pub fn now(&self) -> u64 {
        (self.now)()
    }

    /// A path as a caller typed it.
    pub fn path(&self, text: &str) -> Result<RelPath> {
        self.files.resolve(text).map_err(file::refused)
    }

    /// End every process of the workspace and write what is left to write.
    pub async fn shut_down(&self) {
        self.terminals.kill_all(&self.space).await;
        let store = Arc::clone(&self.store);
        if tokio::task::spawn_blocking(move || store.close()).await.is_err() {
            tracing::error!("the store did not close");
        }
    }
}

/// Run file work on a thread that may block. The work is told when the caller takes the call back.
pub(crate) async fn blocking<T: Send + 'static>(
    cx: &Cx,
    work: impl FnOnce(&Files, &dyn Fn() -> bool) -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileOr> {
    let files = Arc::clone(cx.state.files());
    let cancelled: CancellationToken = cx.cancelled.clone();
    // The thread notices a dropped call too: this guard goes with the future.
    let guard = cancelled.child_token();
    let seen = guard.clone();
    let _stop = guard.drop_guard();
    let done = tokio::task::spawn_blocking(move || work(&files, &|| seen.is_cancelled())).await;
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(FileOr::File(error)),
        Err(join) => {
            Err(FileOr::Other(Error::internal("the file work failed unexpectedly").because(join)))
        }
    }
}

/// A file this small is read where the call runs: two changes of thread would cost more than the
/// read itself.
const SMALL_FILE: u64 = 64 * 1024;

/// Look at one file: at once when it is small, else on a thread that may block.
pub(crate) async fn reading<T: Send + 'static>(
    cx: &Cx,
    path: &RelPath,
    work: impl FnOnce(&Files) -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileOr> {
    let files = cx.state.files();
    let is_small = |stat: Stat| stat.kind == Kind::File && stat.size <= SMALL_FILE;
    if files.stat(path).is_ok_and(is_small) {
        return work(files).map_err(FileOr::File);
    }
    blocking(cx, move |files, _| work(files)).await
}

/// A failure of file work, before it is put into words for the caller.
pub(crate) enum FileOr {
    File(FileError),
    Other(Error),
}

impl From<FileOr> for Error {
    fn from(error: FileOr) -> Self {
        match error {
            FileOr::File(error) => file::refused(error),
            FileOr::Other(error) => error,
        }
    }
}

/// Sends the record of each call to the store and to the views.
struct Journal {
    store: Arc<Store>,
    space: Arc<Space>,
}

impl Recorder for Journal {
    fn record(&self, record: Record) {
        self.space.tell(Event::CallEnded { record: json!(record) });
        self.store.record(record);
    }
}

/// Open a workspace and everything in it, and give back the way to run commands in it.
pub fn open(options: Options) -> Result<crate::Dispatcher, OpenError> {
    let Options {
        root,
        database,
        boot,
        instance,
        limits,
        policy,
        environment,
        max_bridge_streams,
        bridge_timeout,
        shell,
        now,
    } = options;
    let files = Arc::new(open_files(&root)?);
    let store = Arc::new(Store::open(&database, now())?);
    let space = Arc::new(Space::restore(Arc::clone(&store), boot)?);
    let terminals = Terminals::new(instance, environment, shell);
    let registry = Arc::new(crate::registry());
    let bridges = Arc::new(Bridges::new(&registry, max_bridge_streams, bridge_timeout));
    let follower = Follower::start(Arc::clone(&files), &space)
        .map_err(|error| OpenError::Watch(error.to_string()))?;
    terminals.restore(&space);
    announce_catalogue(&registry, &space);
    let journal = Arc::new(Journal { store: Arc::clone(&store), space: Arc::clone(&space) });
    let workspace = Workspace {
        root: files.root().to_owned(),
        files,
        space,
        store,
        terminals,
        bridges,
        follower,
        now: Arc::clone(&now),
    };
    Ok(Dispatcher::new(Arc::new(workspace), registry, limits, policy, journal, now))
}

/// The folder with the rules that its configuration adds.
fn open_files(root: &Path) -> Result<Files, OpenError> {
    let built_in = Files::open(root, Rules::new(&[], &[])?)?;
    let config =
        match RelPath::parse(CONFIG_PATH).map(|path| built_in.read(&path, LineRange::default())) {
            Ok(Ok(text)) => Config::parse(&text.content)?,
            Ok(Err(FileError::NotFound { .. })) | Err(_) => return Ok(built_in),
            // A configuration that exists and cannot be read must not be taken for an empty one.
            Ok(Err(error)) => return Err(error.into()),
        };
    let rules = Rules::new(&config.files.secret, &config.files.protected)?;
    Ok(Files::open(root, rules)?)
}

/// Tell views whenever commands come or go.
fn announce_catalogue(registry: &Arc<Registry>, space: &Arc<Space>) {
    let mut version = registry.version();
    let space = Arc::downgrade(space);
    tokio::spawn(async move {
        while version.changed().await.is_ok() {
            let version = *version.borrow_and_update();
            let Some(space) = space.upgrade() else { return };
            space.tell(Event::CatalogueChanged { version });
        }
    });
}

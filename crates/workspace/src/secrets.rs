//! The secrets that agents must not see, and where they come from: the secret files of the main workspace, the
//! server's environment and its own token, credentials that were handed out.
//!
//! Files are read when the server starts and again when the tree says that they changed. A value that was known
//! once stays known while the server runs: it is still on screens and in histories. Everything is bounded, and
//! what does not fit is counted in the log. No value is ever logged.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::Duration,
};

use openspace_command::Masks;
use openspace_files::secrets::SecretFiles;
use openspace_host::{BoxFuture, HostError, operation::ReadSecrets};
use openspace_protocol::RelPath;
use openspace_secrets::{Masker, Value, value_of_variable, values_of, values_of_settings};
use tokio::{
    sync::{
        broadcast::{Receiver, error::RecvError},
        watch,
    },
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::{
    places::Place,
    tree::{TreeChange, TreeFollower},
};

/// Values that are known at once; those of files nearest to the root count first.
const MAX_VALUES: usize = 2_000;
/// Values that were in a file once, and credentials that were handed out; the oldest are forgotten.
const MAX_FORMER: usize = 500;
const MAX_CREDENTIALS: usize = 100;
/// Folders of secret files that are looked at although git ignores them.
const MAX_FOLDERS: usize = 100;
/// How often all files are read at most, and how soon again when they could not be.
const PAUSE: Duration = Duration::from_secs(1);
/// How long an agent's first call waits at most for files that cannot be read.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is known.
#[derive(Default)]
struct Known {
    /// Of the server itself.
    own: Vec<Value>,
    credentials: VecDeque<Value>,
    /// By how deep the file lies, then by path.
    files: BTreeMap<(usize, RelPath), Vec<Value>>,
    former: VecDeque<Value>,
    /// Texts that everybody may see: a word in them is no secret, whatever file it stands in.
    public: Vec<String>,
}

impl Known {
    /// The values that count, the most important first, and how many are left out.
    fn values(&self) -> (Vec<Value>, usize) {
        let all = self.own.iter().chain(&self.credentials);
        let all = all.chain(self.files.values().flatten()).chain(&self.former);
        let is_public = |value: &Value| self.public.iter().any(|text| text.contains(value.text()));
        let mut values: Vec<Value> = all.filter(|value| !is_public(value)).cloned().collect();
        let left_out = values.len().saturating_sub(MAX_VALUES);
        values.truncate(MAX_VALUES);
        (values, left_out)
    }

    /// Take what files hold now. Files that were not read keep what they had.
    fn take(&mut self, read: SecretFiles) {
        for file in read.files {
            let name = file.path.as_str();
            let values = if file.is_of_settings {
                values_of_settings(name, &file.content)
            } else {
                values_of(name, &file.content)
            };
            let depth = file.path.as_path().components().count();
            let before = self.files.insert((depth, file.path), values.clone());
            let gone = before.into_iter().flatten().filter(|value| !values.contains(value));
            self.former.extend(gone);
        }
        // Files that are gone keep their place until others need it.
        while self.files.len() > openspace_files::secrets::MAX_SECRET_FILES {
            self.files.pop_last();
        }
        let superfluous = self.former.len().saturating_sub(MAX_FORMER);
        self.former.drain(..superfluous);
    }
}

/// Knows the secrets, and hides them.
pub struct Secrets {
    masker: RwLock<Arc<Masker>>,
    known: Mutex<Known>,
    /// Held while a masker is made, so that an older one does not take the place of a newer.
    making: tokio::sync::Mutex<()>,
    /// Whether the files were read once.
    loaded: watch::Sender<bool>,
    stop: CancellationToken,
}

impl Masks for Secrets {
    fn masker(&self) -> Arc<Masker> {
        Arc::clone(&self.masker.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn ready(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let mut loaded = self.loaded.subscribe();
            if *loaded.borrow() {
                return;
            }
            let waited = tokio::time::timeout(PATIENCE, loaded.wait_for(|loaded| *loaded)).await;
            if waited.is_err() {
                tracing::error!("an agent is answered before the secret files could be read");
            }
        })
    }
}

impl Secrets {
    /// Know the secrets of the server and its environment, and follow the files of a place. `public` are
    /// texts in which nothing is secret.
    pub(crate) fn start(
        own: Vec<Value>,
        environment: &[(String, String)],
        public: Vec<String>,
        place: Arc<Place>,
        follower: Arc<TreeFollower>,
    ) -> Arc<Self> {
        let of_variables =
            environment.iter().flat_map(|(name, value)| value_of_variable(name, value));
        let own: Vec<Value> = own.into_iter().chain(of_variables).collect();
        let known = Known { own, public, ..Known::default() };
        let secrets = Arc::new(Self {
            masker: RwLock::new(Arc::new(Masker::new(&known.values().0))),
            known: Mutex::new(known),
            making: tokio::sync::Mutex::default(),
            loaded: watch::Sender::new(false),
            stop: CancellationToken::new(),
        });
        let news = follower.news();
        let follow = follow(Arc::downgrade(&secrets), place, follower, news);
        tokio::spawn(secrets.stop.clone().run_until_cancelled_owned(follow));
        secrets
    }

    /// A credential is about to be handed out. Returns when it is known.
    pub async fn learn(&self, credential: Value) {
        {
            let mut known = self.known();
            if known.credentials.contains(&credential) {
                return;
            }
            known.credentials.push_back(credential);
            if known.credentials.len() > MAX_CREDENTIALS {
                known.credentials.pop_front();
            }
        }
        self.make().await;
    }

    /// Read no more.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Make a masker of what is known by now.
    async fn make(&self) {
        let _alone = self.making.lock().await;
        let (values, left_out) = self.known().values();
        if left_out > 0 {
            tracing::warn!(left_out, "there are more secret values than can be masked");
        }
        match tokio::task::spawn_blocking(move || Masker::new(&values)).await {
            Ok(masker) => {
                *self.masker.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(masker);
            }
            Err(error) => tracing::error!(%error, "new secrets are not masked"),
        }
    }

    /// Read the secret files, or those among some that changed; the folders they are in.
    async fn read(
        &self,
        place: &Place,
        among: Option<Vec<RelPath>>,
    ) -> Result<Vec<RelPath>, HostError> {
        let is_all = among.is_none();
        let read = place.ask(ReadSecrets { among }).await?;
        if read.left_out > 0 {
            let left_out = read.left_out;
            tracing::warn!(
                left_out,
                "not every secret file could be read; what it holds is not masked"
            );
        }
        if read.files.is_empty() && !is_all {
            return Ok(Vec::new());
        }
        let folders = read.files.iter().filter_map(|file| file.path.parent());
        let folders = folders.take(MAX_FOLDERS).collect();
        self.known().take(read);
        self.make().await;
        Ok(folders)
    }
}

/// Read the files now and whenever they change, as long as somebody has the secrets.
async fn follow(
    secrets: std::sync::Weak<Secrets>,
    place: Arc<Place>,
    follower: Arc<TreeFollower>,
    mut news: Receiver<TreeChange>,
) {
    let mut among = None;
    let mut all_after = Instant::now();
    loop {
        if among.is_none() {
            tokio::time::sleep_until(all_after).await;
            all_after = Instant::now() + PAUSE;
        }
        let Some(here) = secrets.upgrade() else { return };
        match here.read(&place, among).await {
            Ok(folders) => {
                here.loaded.send_replace(true);
                for folder in folders {
                    follower.look_at(&folder).await;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the secret files cannot be read for the moment");
                among = None;
                continue;
            }
        }
        drop(here);
        among = match news.recv().await {
            Ok(TreeChange { rescan: false, changes }) => {
                Some(changes.iter().map(|change| change.path.clone()).collect())
            }
            Ok(_) | Err(RecvError::Lagged(_)) => None,
            Err(RecvError::Closed) => return,
        };
    }
}

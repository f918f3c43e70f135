//! The keeper of a place: it hides secret files of the workspace inside it and protects what lets code
//! run outside later.
//!
//! It is a process of its own, because only one with a single thread can join a place, and it stays
//! outside the place's processes: nobody inside can see, trace or signal it. It watches the workspace,
//! so that a secret that appears while programs run is hidden a moment later; asked to `drain`, it
//! first takes in all that happened, so that programs started after the answer find all of it hidden.
//!
//! What it cannot do: a program that already runs and waits for a secret to be replaced can open it in
//! that moment. It is told as [`News::Hidden`] with [`Opened::Seen`].
//!
//! It decides nothing about who may read what. When it cannot do its work it ends, and with it the
//! place.

mod asks;
mod configuration;
mod events;
mod folders;
mod hiding;
mod links;
mod look;
mod mounts;
mod repositories;
mod sightings;
mod still;
mod trails;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use openspace_files::rules::{Masking, RulesError};
use openspace_protocol::keeping::{Ask, Keep, News, Opened, Said};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use self::asks::Asks;
use self::folders::Folders;
use self::look::Found;
use self::mounts::{Identity, Joined, Mounts, Outcome, is_gone};
use self::sightings::Sightings;
use self::still::Still;
use self::trails::Link;

/// The workspace's own configuration and what belongs to it.
const OWN_FOLDER: &str = ".openspace";
/// Where deleted things go, secrets under another name too.
const TRASH: &str = "trash";

/// How long the end of a place is waited for.
const LEAVING: Duration = Duration::from_secs(8);

/// The most secrets that are hidden in one place.
const MOST_SECRETS: usize = 10_000;

#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    #[error("what to keep is not understood: {0}")]
    Argument(#[source] serde_json::Error),
    #[error(transparent)]
    Patterns(#[from] RulesError),
    #[error("cannot {0}: {1}")]
    System(String, #[source] io::Error),
    #[error("the process {0} is in no place of its own")]
    NoPlace(u32),
    #[error("{path} is another folder inside than outside", path = .0.display())]
    OtherFolder(PathBuf),
    #[error("the secret {path} cannot be hidden: {source}")]
    Hide { path: String, source: Errno },
    #[error("there are more than {MOST_SECRETS} secrets; put them into one folder that is secret")]
    TooManySecrets,
    #[error("the workspace has more than {0} entries, too many to look for secrets in it")]
    TooLarge(u64),
    #[error(
        "this user watches files in too many programs (`sysctl fs.inotify.max_user_instances`)"
    )]
    TooManyWatchers,
    #[error("a line of {0} bytes is too long")]
    LongLine(usize),
    #[error(
        "a program keeps making `{0}`, which would let git outside take its settings elsewhere"
    )]
    Redirected(String),
    #[error("what was asked is not understood: {0}")]
    Ask(&'static str),
}

impl KeepError {
    fn system(doing: impl Into<String>, error: Errno) -> Self {
        Self::System(doing.into(), error.into())
    }
}

/// Keeps until standard input ends. This process must have no other thread.
pub fn run(argument: &str) -> Result<(), KeepError> {
    let outcome = serde_json::from_str(argument).map_err(KeepError::Argument).and_then(serve);
    if let Err(error) = &outcome {
        // Nobody is left to tell when this fails too.
        drop(say(&Said::Failed { reason: error.to_string() }));
    }
    outcome
}

fn serve(keep: Keep) -> Result<(), KeepError> {
    let mut asks = Asks::default();
    let Some(number) = keep.folder else { return serve_nothing(&keep, &mut asks) };
    let outside = mounts::handed_over(number)?;
    let mut watching = Watching::new(outside, &keep)?;
    // While the place is being made, all there is outside is looked at.
    let found = watching.look_at_all()?;
    // A name for whoever lists processes; without one it works as well.
    _ = rustix::thread::set_name(c"openspace-keep");
    let Some(pid) = asks.join()? else { return Ok(()) };
    let joined = mounts::join(pid)?;
    let kept = keep_place(watching, &joined, keep, &found, &mut asks);
    if let Err(error) = &kept {
        fail(error, &joined);
    }
    kept
}

/// Says why, and ends the place: whoever made it may be slow to hear of it.
fn fail(error: &KeepError, joined: &Joined) {
    // Nobody is left to tell when this fails too.
    drop(say(&Said::Failed { reason: error.to_string() }));
    joined.end();
}

/// Keeps a place that was joined, until nobody asks any more.
fn keep_place(
    watching: Watching,
    joined: &Joined,
    keep: Keep,
    found: &Found,
    asks: &mut Asks,
) -> Result<(), KeepError> {
    let outside = rustix::io::fcntl_dupfd_cloexec(&watching.outside, 3)
        .map_err(|error| KeepError::system("keep the workspace open", error))?;
    let mounts = Mounts::new(outside, &keep, joined)?;
    let roots = [&keep.inside].into_iter().chain(&keep.outside).cloned().collect();
    let mut keeper =
        Keeper { watching, mounts, keep, roots, made: Vec::new(), still: Still::default() };
    keeper.begin(found)?;
    keeper.take_in()?;
    say(&Said::Ready { watched: keeper.watching.folders.len() as u64 })?;
    let kept = keeper.serve(asks, joined);
    match &kept {
        Ok(()) => joined.end(),
        Err(error) => fail(error, joined),
    }
    keeper.leave(joined);
    kept
}

/// Without a workspace, joining is all there is to try.
fn serve_nothing(keep: &Keep, asks: &mut Asks) -> Result<(), KeepError> {
    Masking::new(&keep.secret)?;
    let Some(pid) = asks.join()? else { return Ok(()) };
    mounts::join(pid)?;
    say(&Said::Ready { watched: 0 })?;
    while let Some(ask) = asks.next()? {
        match ask {
            Ask::Drain { id } => say(&Said::Drained { id })?,
            Ask::Hold { id, .. } => {
                let refused = Some("this place is only tried out".to_owned());
                say(&Said::Held { id, refused })?;
            }
            Ask::Release { .. } => {}
            Ask::Join { .. } => return Err(KeepError::Ask("it has joined already")),
        }
    }
    Ok(())
}

/// What is known of the workspace outside.
struct Watching {
    outside: OwnedFd,
    masking: Masking,
    folders: Folders,
    /// Secrets that are hidden, to know them again under another name.
    secrets: HashSet<Identity>,
    repositories: BTreeSet<OsString>,
    /// Work trees of repositories that lie elsewhere in the workspace.
    trees: BTreeMap<OsString, OsString>,
    /// Links over which git comes to what it obeys.
    trails: BTreeMap<OsString, Link>,
    /// What links with the name of a secret lead to: secret too, whatever its name.
    targets: BTreeSet<OsString>,
    /// Folders that left their place, until they are found again, with how often they were looked for.
    moved: HashMap<Identity, u8>,
    /// Whether a folder left its place, with what is hidden in it, since that was told.
    has_moved: bool,
    /// Names of secrets that were told.
    told_hidden: HashSet<OsString>,
    /// How often a file was taken away that would have redirected git.
    redirected: usize,
    /// Folders that could not be watched, with all beneath them.
    unwatched: BTreeSet<OsString>,
    told_unwatched: u64,
    /// Whether others can change files without the kernel's telling.
    is_remote: bool,
    told_unprotected: HashSet<OsString>,
    told_shown: HashSet<OsString>,
    most_events: usize,
    sightings: Sightings,
}

impl Watching {
    fn new(outside: OwnedFd, keep: &Keep) -> Result<Self, KeepError> {
        let folders = Folders::new().map_err(|error| match error {
            Errno::MFILE => KeepError::TooManyWatchers,
            error => KeepError::system("watch the workspace", error),
        })?;
        Ok(Self {
            is_remote: is_remote(&outside),
            outside,
            masking: Masking::new(&keep.secret)?,
            folders,
            secrets: HashSet::new(),
            repositories: BTreeSet::new(),
            trees: BTreeMap::new(),
            trails: BTreeMap::new(),
            targets: BTreeSet::new(),
            moved: HashMap::new(),
            has_moved: false,
            told_hidden: HashSet::new(),
            redirected: 0,
            unwatched: BTreeSet::new(),
            told_unwatched: 0,
            told_unprotected: HashSet::new(),
            told_shown: HashSet::new(),
            most_events: events::most(),
            sightings: Sightings::default(),
        })
    }

    /// What is at a path outside, without following a last link.
    fn status(&self, path: &OsStr) -> Result<Option<Stat>, Errno> {
        match self.open(path, OFlags::PATH | OFlags::NOFOLLOW) {
            Ok(opened) => rustix::fs::fstat(opened).map(Some),
            Err(error) if is_gone(error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open(&self, path: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
        let path = if path.is_empty() { OsStr::new(".") } else { path };
        let beneath =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let flags = flags | OFlags::CLOEXEC;
        rustix::fs::openat2(&self.outside, path, flags, Mode::empty(), beneath)
    }

    fn open_folder(&self, path: &OsStr) -> Result<OwnedFd, Errno> {
        self.open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW)
    }
}

struct Keeper {
    watching: Watching,
    mounts: Mounts,
    keep: Keep,
    /// All absolute paths of the workspace.
    roots: Vec<PathBuf>,
    /// What was made for the place alone, each after the folder it is in.
    made: Vec<OsString>,
    still: Still,
}

impl Keeper {
    /// Hides and protects what was found before anybody ran inside.
    fn begin(&mut self, found: &Found) -> Result<(), KeepError> {
        for path in self.keep.hidden.clone() {
            let failed = |source| KeepError::Hide { path: path.display().to_string(), source };
            self.mounts.hide_absolute(&path).map_err(failed)?;
            // It must be found again under the same name.
            if let Ok(path) = path.strip_prefix(&self.keep.inside) {
                self.pin_above(path.as_os_str())?;
            }
        }
        self.protect_own_folder(true)?;
        self.make_trash()?;
        for repository in &found.repositories {
            self.watching.repositories.insert(repository.clone());
            self.protect_repository(repository)?;
        }
        self.hide_all(found, Opened::NotSeen)
    }

    /// The workspace's own folder is there before anybody inside could make one of their own.
    fn protect_own_folder(&mut self, may_make: bool) -> Result<(), KeepError> {
        let path = OsStr::new(OWN_FOLDER);
        if may_make {
            let mode = Mode::from_raw_mode(0o755);
            match rustix::fs::mkdirat(&self.watching.outside, path, mode) {
                Ok(()) => self.made.push(path.to_owned()),
                Err(Errno::EXIST) => {}
                Err(error) => return self.tell_unprotected(path, &error.to_string()),
            }
        }
        self.protect(path)
    }

    /// The trash is there and hidden before anything is deleted: a hidden secret that is moved into one that
    /// appears later could be read under its new name until that is hidden. An empty folder is nothing to git.
    fn make_trash(&mut self) -> Result<(), KeepError> {
        let path = OsString::from(format!("{OWN_FOLDER}/{TRASH}"));
        let made = self
            .watching
            .open_folder(OsStr::new(OWN_FOLDER))
            .and_then(|folder| rustix::fs::mkdirat(folder, TRASH, Mode::from_raw_mode(0o700)));
        match made {
            Ok(()) => {
                self.hide(&path)?;
                // Nothing is in it that anybody should be told of.
                self.watching.told_hidden.insert(path.clone());
                self.made.push(path);
                Ok(())
            }
            // It is hidden with all that was found.
            Err(Errno::EXIST) => Ok(()),
            Err(error) => self.tell_unprotected(&path, &error.to_string()),
        }
    }

    /// Protects what is there and says what cannot be.
    fn protect(&mut self, path: &OsStr) -> Result<(), KeepError> {
        match self.mounts.protect(path) {
            Ok(Outcome::Done | Outcome::Already | Outcome::Gone) => Ok(()),
            Ok(Outcome::Link) => self.tell_unprotected(path, "it is a symbolic link"),
            Err(error) => self.tell_unprotected(path, &error.to_string()),
        }
    }

    fn pin(&mut self, path: &OsStr) -> Result<(), KeepError> {
        match self.mounts.pin(path) {
            Ok(Outcome::Done | Outcome::Already | Outcome::Gone) => Ok(()),
            Ok(Outcome::Link) => self.tell_unprotected(path, "it is a symbolic link"),
            Err(error) => self.tell_unprotected(path, &error.to_string()),
        }
    }

    fn tell_unprotected(&mut self, path: &OsStr, reason: &str) -> Result<(), KeepError> {
        if !self.watching.told_unprotected.insert(path.to_owned()) {
            return Ok(());
        }
        tell(News::Unprotected { path: text(path), reason: reason.to_owned() })
    }

    fn tell_unwatched(&mut self) -> Result<(), KeepError> {
        let full = self.watching.unwatched.len() as u64;
        let (folders, reason) = if self.watching.is_remote {
            (
                full.max(1),
                "files of the workspace lie elsewhere, where others can change them unseen",
            )
        } else {
            (full, "this user may watch no more folders (`sysctl fs.inotify.max_user_watches`)")
        };
        if folders == self.watching.told_unwatched {
            return Ok(());
        }
        self.watching.told_unwatched = folders;
        tell(News::Unwatched { folders, reason: reason.to_owned() })
    }

    fn serve(&mut self, asks: &mut Asks, joined: &Joined) -> Result<(), KeepError> {
        loop {
            self.still.take_care(Instant::now());
            while let Some(ask) = asks.waiting()? {
                match ask {
                    Ask::Drain { id } => {
                        self.take_in()?;
                        self.look_where_nobody_watches()?;
                        say(&Said::Drained { id })?;
                    }
                    Ask::Hold { id, at_most_seconds } => {
                        let refused =
                            self.hold(id, Duration::from_secs(at_most_seconds), joined)?;
                        say(&Said::Held { id, refused })?;
                    }
                    Ask::Release { id } => self.still.let_go(id),
                    Ask::Join { .. } => return Err(KeepError::Ask("it has joined already")),
                }
            }
            if asks.ended {
                return Ok(());
            }
            let until = self.still.until();
            let (asked, happened) = wait(self.watching.folders.as_fd(), until)?;
            if happened {
                self.take_in()?;
            }
            if asked {
                asks.read()?;
            }
        }
    }

    /// The place is over: what only it needed goes. While anybody may still be in it nothing does.
    fn leave(&mut self, joined: &Joined) {
        if !joined.has_ended(LEAVING) {
            return;
        }
        // What was moved at last has its name from now on. Nobody is left that could be told of what fails here.
        drop(self.take_in());
        drop(self.tell_where_hidden());
        for path in std::mem::take(&mut self.made).into_iter().rev() {
            self.mounts.uncover(&path);
            self.remove_if_empty(&path);
        }
    }
}

impl Keeper {
    /// Nobody is left that could be told why something stays.
    fn remove_if_empty(&self, path: &OsStr) {
        let Ok(Some(status)) = self.watching.status(path) else { return };
        let parent = Path::new(path).parent().unwrap_or(Path::new(""));
        let Ok(folder) = self.watching.open_folder(parent.as_os_str()) else { return };
        let Some(name) = Path::new(path).file_name() else { return };
        match FileType::from_raw_mode(status.st_mode) {
            // Only an empty one can be removed.
            FileType::Directory => _ = rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR),
            FileType::RegularFile if status.st_size == 0 => {
                _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
            }
            _ => {}
        }
    }
}

/// Whether a folder lies on another machine, or on what another program shows as files.
fn is_remote(folder: &OwnedFd) -> bool {
    /// NFS, SMB in its three versions, FUSE, 9P, `VirtualBox`, AFS, Ceph.
    const REMOTE: [i64; 9] = [
        0x6969,
        0x517b,
        0xff53_4d42,
        0xfe53_4d42,
        0x6573_5546,
        0x0102_1997,
        0x786f_4256,
        0x5346_414f,
        0x00c3_6400,
    ];
    #[expect(clippy::unnecessary_cast, reason = "the widths differ between machines")]
    let kind = rustix::fs::fstatfs(folder).map(|status| status.f_type as i64 & 0xffff_ffff);
    kind.is_ok_and(|kind| REMOTE.contains(&kind))
}

/// Waits for a question or an event, or until this moment; says which.
fn wait(events: BorrowedFd<'_>, until: Option<Instant>) -> Result<(bool, bool), KeepError> {
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    let left = left.and_then(|left| Timespec::try_from(left).ok());
    let input = io::stdin();
    let mut waiting =
        [PollFd::new(&input, PollFlags::IN), PollFd::from_borrowed_fd(events, PollFlags::IN)];
    match rustix::event::poll(&mut waiting, left.as_ref()) {
        Ok(_) => Ok((!waiting[0].revents().is_empty(), !waiting[1].revents().is_empty())),
        Err(Errno::INTR) => Ok((false, false)),
        Err(error) => Err(KeepError::system("wait", error)),
    }
}

fn tell(news: News) -> Result<(), KeepError> {
    say(&Said::News(news))
}

fn say(said: &Said) -> Result<(), KeepError> {
    let failed = |error| KeepError::System("say anything".to_owned(), error);
    let mut line = serde_json::to_vec(said).map_err(KeepError::Argument)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line).and_then(|()| output.flush()).map_err(failed)
}

fn text(path: &OsStr) -> String {
    path.to_string_lossy().into_owned()
}

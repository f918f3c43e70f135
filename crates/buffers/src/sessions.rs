//! Pages that are connected, and what they asked for and is not done yet.
//!
//! What a page asks for one file is done in its order and to its end, also when the page goes
//! meanwhile. Files do not wait for each other: each has a task of its own while something is undone.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};

use openspace_command::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::{
    Buffers, Inner,
    buffer::Texts,
    lock,
    pages::{FromPage, Inbox, Outbox, ToPage, queue},
};

/// Bytes that a page may have asked for and that are not done; more wait outside.
const MAX_UNDONE: u32 = 64 * 1024 * 1024;

/// A page that is connected: it is attached to buffers as long as this lives or anything it asked
/// for is undone.
pub struct PageSession {
    attached: Arc<Attached>,
    room: Arc<Semaphore>,
}

struct Attached {
    outbox: Arc<Outbox>,
    texts: Arc<Texts>,
    /// What is not done, by path. A path is in the map as long as its task lives.
    undone: Mutex<BTreeMap<String, VecDeque<Asked>>>,
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.texts.forget_page(&self.outbox);
    }
}

struct Asked {
    message: FromPage,
    done: oneshot::Sender<()>,
    _room: Option<OwnedSemaphorePermit>,
}

impl Buffers {
    /// A session for a page, and what it is told.
    pub fn join(&self) -> (PageSession, Inbox) {
        let (outbox, inbox) = queue();
        let texts = Arc::clone(&self.inner.texts);
        let attached = Arc::new(Attached { outbox, texts, undone: Mutex::default() });
        let room = Arc::new(Semaphore::new(MAX_UNDONE as usize));
        (PageSession { attached, room }, inbox)
    }

    /// Take in what a page asks for. The answer, also of a failure, goes to its inbox; what is given
    /// back says when it is done.
    pub async fn receive(&self, session: &PageSession, message: FromPage) -> oneshot::Receiver<()> {
        let weight = u32::try_from(message.weight()).unwrap_or(MAX_UNDONE).min(MAX_UNDONE);
        // Nobody closes it, so there is room sooner or later.
        let room = Arc::clone(&session.room).acquire_many_owned(weight).await.ok();
        let path = message.path().to_owned();
        let (done, when_done) = oneshot::channel();
        let asked = Asked { message, done, _room: room };
        let mut undone = lock(&session.attached.undone);
        if let Some(others) = undone.get_mut(&path) {
            others.push_back(asked);
            return when_done;
        }
        undone.insert(path.clone(), VecDeque::from([asked]));
        drop(undone);
        let attached = Arc::clone(&session.attached);
        let lane = Lane { inner: Arc::clone(&self.inner), attached, path, is_over: false };
        tokio::spawn(self.inner.stop.clone().run_until_cancelled_owned(lane.run()));
        when_done
    }

    /// Tell a page that what it sent cannot be understood.
    pub fn refuse(&self, session: &PageSession, error: &Error) {
        session.attached.outbox.send(Arc::new(ToPage::failure(None, error)));
    }
}

/// What a page asked for one file, one after the other.
struct Lane {
    inner: Arc<Inner>,
    attached: Arc<Attached>,
    path: String,
    is_over: bool,
}

impl Lane {
    async fn run(mut self) {
        while let Some(Asked { message, done, _room }) = self.next() {
            self.inner.answer(&self.attached.outbox, message).await;
            // Whoever asked need not care.
            _ = done.send(());
        }
    }

    /// What is to be done next; the lane is over when there is nothing.
    fn next(&mut self) -> Option<Asked> {
        let mut undone = lock(&self.attached.undone);
        let next = undone.get_mut(&self.path).and_then(VecDeque::pop_front);
        if next.is_none() {
            undone.remove(&self.path);
            self.is_over = true;
        }
        next
    }
}

/// A page whose questions are not answered any more has to start anew.
impl Drop for Lane {
    fn drop(&mut self) {
        if !self.is_over {
            self.attached.outbox.let_go();
        }
    }
}

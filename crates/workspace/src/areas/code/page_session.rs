//! A page that speaks about languages: what it asked and is not answered yet, and edits that it is to make.
//!
//! What it asks waits in tasks of its own, so many at most; they end with the page. What it says that cannot be read is
//! answered with why.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use openspace_command::Error;
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use super::{
    page_asking::{Asked, Asks},
    page_failure::Failure,
    page_hub::CodePages,
    page_list::is_file,
    page_queue::{Inbox, Outbox, queue},
    pages::{FromLanguagePage, MOST_ASKED, MOST_SHOWN, NotAnswered, ToLanguagePage},
};
use crate::OpenSpace;

/// A page that is connected. Dropped, nothing is asked for it any more.
pub struct PageSession {
    pages: Arc<CodePages>,
    state: Arc<OpenSpace>,
    outbox: Arc<Outbox>,
    asked: Arc<Mutex<HashMap<u64, AbortOnDropHandle<()>>>>,
    edits: Arc<Edits>,
}

impl Drop for PageSession {
    fn drop(&mut self) {
        self.pages.detach(&self.outbox);
        locked(&self.asked).clear();
    }
}

/// Edits that a page was told to make.
#[derive(Default)]
pub(super) struct Edits {
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<(), String>>>>,
}

impl Edits {
    /// A number for an edit, and what will be said of it.
    pub(super) fn begin(&self) -> (u64, oneshot::Receiver<Result<(), String>>) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (said, hears) = oneshot::channel();
        let mut waiting = locked(&self.waiting);
        // Nobody waits for these any more.
        waiting.retain(|_, said| !said.is_closed());
        waiting.insert(number, said);
        (number, hears)
    }

    fn end(&self, number: u64, made: Result<(), String>) {
        let waiting = locked(&self.waiting).remove(&number);
        // One that came too late was refused already.
        if let Some(said) = waiting {
            said.send(made).ok();
        }
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Let a page in. It is told how all servers are.
pub async fn join(state: &Arc<OpenSpace>) -> (PageSession, Inbox) {
    let pages = state.service::<CodePages>();
    let (outbox, inbox) = queue();
    let outbox = Arc::new(outbox);
    pages.attach(state, &outbox).await;
    let session = PageSession {
        pages,
        state: Arc::clone(state),
        outbox,
        asked: Arc::default(),
        edits: Arc::default(),
    };
    (session, inbox)
}

impl PageSession {
    /// Take in what the page says, as text. Nothing is waited for.
    pub fn take(&self, text: &str) {
        match serde_json::from_str::<FromLanguagePage>(text) {
            Ok(message) => self.receive(message),
            Err(error) => self.refuse(&Error::invalid(error.to_string())),
        }
    }

    /// Tell the page that what it sent cannot be understood.
    pub fn refuse(&self, error: &Error) {
        self.outbox.send(&ToLanguagePage::failure(error));
    }

    fn receive(&self, message: FromLanguagePage) {
        match message {
            FromLanguagePage::Shown { paths } if paths.len() > MOST_SHOWN => {
                let message = format!("at most {MOST_SHOWN} files are shown at once");
                self.refuse(&Error::invalid(message));
            }
            FromLanguagePage::Shown { paths } => {
                self.pages.show(&self.outbox, paths.into_iter().filter(is_file).collect());
            }
            FromLanguagePage::Ask { id, method, path, text, params, server, generation } => {
                let asked = Asked { method, path, text, params, server, generation };
                self.ask(id, asked);
            }
            FromLanguagePage::Cancel { id } => drop(locked(&self.asked).remove(&id)),
            FromLanguagePage::Applied { edit, done, why } => {
                let why = || why.unwrap_or_else(|| "the page did not make it".to_owned());
                self.edits.end(edit, if done { Ok(()) } else { Err(why()) });
            }
        }
    }

    fn ask(&self, id: u64, question: Asked) {
        let mut asked = locked(&self.asked);
        let refused = if asked.contains_key(&id) {
            Some(Failure::invalid(format!("question {id} is asked already")))
        } else if asked.len() >= MOST_ASKED {
            let error = format!("{MOST_ASKED} questions of this page wait already");
            Some(Failure::new(NotAnswered::Busy, error))
        } else {
            None
        };
        if let Some(refused) = refused {
            return self.outbox.send(&refused.told(id));
        }
        let asks = Asks::new(&self.state, &self.pages, &self.outbox, &self.edits);
        let (outbox, waiting) = (Arc::clone(&self.outbox), Arc::clone(&self.asked));
        let task = tokio::spawn(async move {
            let message = match asks.answered(question).await {
                Ok(answers) => ToLanguagePage::Answer { id, answers },
                Err(failure) => failure.told(id),
            };
            // From here on nothing is waited for, so nothing of it is lost when its handle goes.
            locked(&waiting).remove(&id);
            outbox.send(&message);
        });
        asked.insert(id, AbortOnDropHandle::new(task));
    }
}

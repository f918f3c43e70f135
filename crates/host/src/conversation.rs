//! What flows between caller and host while an operation runs, each side with its own types.
//!
//! A caller has a [`Conversation`] of its operation, so it can neither be told nor say what belongs to
//! another. Between caller and host the types are put aside ([`AnyConversation`]), because a host does any
//! operation, and the host takes them up again ([`HostConversation`]). Nothing is skipped: what does not
//! belong to the operation is told apart as [`Told::Foreign`].

use std::{marker::PhantomData, sync::Arc};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    host::BoxFuture,
    operation::{Input, Item, Operation},
};

/// The caller's side of an operation that runs.
pub struct Conversation<O: Operation> {
    /// Where items go. The host waits for a slow listener and stops telling one that is gone.
    pub items: Option<mpsc::Sender<O::Item>>,
    /// What the caller has to say meanwhile.
    pub inputs: Option<mpsc::Receiver<O::Input>>,
    /// The caller wants no more of it.
    pub cancel: CancellationToken,
}

impl<O: Operation> Default for Conversation<O> {
    fn default() -> Self {
        Self { items: None, inputs: None, cancel: CancellationToken::new() }
    }
}

impl<O: Operation> Conversation<O> {
    /// No items, but a way to stop.
    pub fn until(cancel: CancellationToken) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// The same, for a host that does any operation.
    pub(crate) fn of_any(self) -> AnyConversation {
        let Self { items, inputs, cancel } = self;
        let items = items.map(|items| Arc::new(Items::<O>(items)) as Arc<dyn Listener>);
        let inputs = inputs.map(|inputs| Box::new(Inputs::<O>(inputs)) as Box<dyn Speaker>);
        AnyConversation { items, inputs, cancel }
    }
}

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It was taken.
    Taken,
    /// Nobody listens any more.
    Unheard,
    /// It is no item of the operation.
    Foreign,
}

/// Takes the items of one operation.
pub trait Listener: Send + Sync {
    /// Take an item, when there is room for it.
    fn tell(&self, item: Item) -> BoxFuture<'_, Told>;

    /// Wait until nobody listens any more.
    fn gone(&self) -> BoxFuture<'_, ()>;
}

/// Has the inputs of one operation.
pub trait Speaker: Send + Sync {
    /// The next input; `None` when there will be no more. Losing the future loses no input.
    fn next(&mut self) -> BoxFuture<'_, Option<Input>>;
}

struct Items<O: Operation>(mpsc::Sender<O::Item>);

impl<O: Operation> Listener for Items<O> {
    fn tell(&self, item: Item) -> BoxFuture<'_, Told> {
        Box::pin(async {
            let Some(item) = O::item(item) else { return Told::Foreign };
            match self.0.send(item).await {
                Ok(()) => Told::Taken,
                Err(_) => Told::Unheard,
            }
        })
    }

    fn gone(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.closed())
    }
}

struct Inputs<O: Operation>(mpsc::Receiver<O::Input>);

impl<O: Operation> Speaker for Inputs<O> {
    fn next(&mut self) -> BoxFuture<'_, Option<Input>> {
        Box::pin(async { self.0.recv().await.map(O::any_input) })
    }
}

/// A talk of whichever operation it goes with.
#[derive(Default)]
pub struct AnyConversation {
    /// Who listens.
    pub items: Option<Arc<dyn Listener>>,
    /// Who speaks.
    pub inputs: Option<Box<dyn Speaker>>,
    /// The caller wants no more of it.
    pub cancel: CancellationToken,
}

impl AnyConversation {
    /// The host's side of the operation that this talk is of.
    pub(crate) fn of<O: Operation>(self) -> HostConversation<O> {
        HostConversation { any: self, operation: PhantomData }
    }
}

/// The host's side of an operation that runs: it tells the items of this operation and no others.
pub(crate) struct HostConversation<O> {
    any: AnyConversation,
    operation: PhantomData<fn() -> O>,
}

impl<O: Operation> HostConversation<O> {
    pub(crate) fn is_listened_to(&self) -> bool {
        self.any.items.is_some()
    }

    pub(crate) fn cancel(&self) -> &CancellationToken {
        &self.any.cancel
    }

    /// Tell an item; false when nobody listens any more, or the caller takes the call back meanwhile.
    pub(crate) async fn tell(&self, item: O::Item) -> bool {
        let Some(items) = &self.any.items else { return false };
        tokio::select! {
            told = items.tell(O::any_item(item)) => told == Told::Taken,
            () = self.any.cancel.cancelled() => false,
        }
    }

    /// The two directions, for work that tells and hears at once.
    pub(crate) fn split(mut self) -> (Self, HostInputs<O>) {
        let inputs = HostInputs { inputs: self.any.inputs.take(), operation: PhantomData };
        (self, inputs)
    }

    /// What the caller says next; `None` when there will be nothing more. A caller here has the right
    /// type, and one elsewhere was compared with the operation when its words came in.
    pub(crate) async fn input(&mut self) -> Option<O::Input> {
        O::input(self.any.inputs.as_mut()?.next().await?)
    }

    /// Wait until the caller wants no more, also while nothing happens.
    pub(crate) async fn stopped(&self) {
        let unheard = async {
            match &self.any.items {
                Some(items) => items.gone().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.any.cancel.cancelled() => {}
            () = unheard => {}
        }
    }
}

/// What the caller of an operation has to say, apart from what it is told.
pub(crate) struct HostInputs<O> {
    inputs: Option<Box<dyn Speaker>>,
    operation: PhantomData<fn() -> O>,
}

impl<O: Operation> HostInputs<O> {
    /// What the caller says next; `None` when there will be nothing more.
    pub(crate) async fn next(&mut self) -> Option<O::Input> {
        O::input(self.inputs.as_mut()?.next().await?)
    }
}

//! Whether what changes is saved: told to views while it is not, so that a person hears of a full disk
//! before something is lost. It only tells; what to do about it is the store's and the person's.

use std::sync::Arc;

use openspace_host::BoxFuture;
use openspace_space::{Declared, Entries, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::task::AbortHandle;

use crate::{
    areas::Area,
    services::{Base, Service, Starter},
};

/// What this area brings.
pub const AREA: Area = Area {
    parts: &[Declared::of::<StorePart>()],
    services: &[Starter::of::<StoreWatch>()],
    ..Area::EMPTY
};

/// The one entry of the part.
const NOW: &str = "now";

/// What is wrong with the store; empty while it is well.
pub struct StorePart;

impl Part for StorePart {
    const NAME: &'static str = "store";
    const SAVED: bool = false;
    type Content = Entries<StoreTrouble>;
}

/// Why nothing can be saved now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreTrouble {
    /// What the database says.
    pub why: String,
}

/// Tells views whenever the store begins to fail and when it is well again.
struct StoreWatch(AbortHandle);

impl Service for StoreWatch {
    fn start(base: &Base) -> Self {
        let (mut failing, space) = (base.store.failing(), Arc::downgrade(&base.space));
        let watching = tokio::spawn(async move {
            loop {
                let why = failing.borrow_and_update().clone();
                let Some(space) = space.upgrade() else { return };
                let told = space.observe(|state| {
                    let now = why.map(|why| StoreTrouble { why });
                    if state.part::<StorePart>().get(NOW) != now.as_ref() {
                        let part = state.part_mut::<StorePart>();
                        match now {
                            Some(now) => drop(part.insert(NOW.to_owned(), now)),
                            None => drop(part.remove(NOW)),
                        }
                    }
                    Ok(())
                });
                if let Err(error) = told {
                    tracing::error!(%error, "views are not told how the store is");
                }
                drop(space);
                if failing.changed().await.is_err() {
                    return;
                }
            }
        });
        Self(watching.abort_handle())
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        self.0.abort();
        Box::pin(async {})
    }
}

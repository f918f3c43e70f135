//! What areas keep running beside the space: shells, followers, connections.
//!
//! A service is one for each server, found by its type. It starts when somebody first asks for it, or
//! with the server when its area says so, and it stops with the server. Nothing here knows which
//! services there are.

use std::{
    any::{Any, TypeId},
    sync::{Arc, Mutex, PoisonError},
};

use openspace_command::Now;
use openspace_host::BoxFuture;
use openspace_space::{Space, Store};

use crate::{doings::Doings, places::Place};

/// What every service stands on.
#[derive(Clone)]
pub struct Base {
    /// Where the work of the space is done.
    pub place: Arc<Place>,
    /// The live space.
    pub space: Arc<Space>,
    /// What is kept.
    pub store: Arc<Store>,
    /// What people do, for agents.
    pub doings: Arc<Doings>,
    /// The time.
    pub now: Now,
}

/// Something of an area that runs as long as the server.
pub trait Service: Any + Send + Sync {
    /// Begin. May start tasks; must not wait, and must not ask for other services.
    fn start(base: &Base) -> Self
    where
        Self: Sized;

    /// End everything that was begun, before the places are closed.
    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// A service that starts with the server.
#[derive(Clone, Copy)]
pub struct Starter(fn(&Services));

impl Starter {
    /// The starter of a service.
    pub const fn of<S: Service>() -> Self {
        Self(|services| drop(services.get::<S>()))
    }

    pub(crate) fn start(self, services: &Services) {
        (self.0)(services);
    }
}

type Started = (TypeId, Arc<dyn Service>);

/// The services that were started, in that order.
pub struct Services {
    base: Base,
    started: Mutex<Vec<Started>>,
}

impl Services {
    pub(crate) fn new(base: Base) -> Self {
        Self { base, started: Mutex::default() }
    }

    /// The service of a type, started if it was not.
    pub fn get<S: Service>(&self) -> Arc<S> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let known = started.iter().find(|(id, _)| *id == TypeId::of::<S>());
        let known = known.map(|(_, service)| Arc::clone(service) as Arc<dyn Any + Send + Sync>);
        if let Some(Ok(service)) = known.map(Arc::downcast) {
            return service;
        }
        let service = Arc::new(S::start(&self.base));
        started.push((TypeId::of::<S>(), Arc::clone(&service) as _));
        service
    }

    /// Stop all of them, the last one first.
    pub(crate) async fn stop(&self) {
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (_, service) in started.into_iter().rev() {
            service.stop().await;
        }
    }
}

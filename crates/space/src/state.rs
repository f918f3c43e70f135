//! The state of a space: the contents of its parts, each found by what it is.

use std::{fmt, sync::Arc};

use crate::part::{Declared, Held, Part};

/// The state. A copy shares every part until it is changed.
#[derive(Clone)]
pub struct State {
    declared: Arc<[Declared]>,
    held: Vec<Arc<dyn Held>>,
}

impl State {
    pub(crate) fn new(declared: Arc<[Declared]>, held: Vec<Arc<dyn Held>>) -> Self {
        Self { declared, held }
    }

    /// A state in which all these parts are empty.
    pub fn empty(parts: &[Declared]) -> Self {
        Self::new(parts.into(), parts.iter().map(|part| (part.empty)()).collect())
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Declared, &Arc<dyn Held>)> {
        self.declared.iter().zip(&self.held)
    }

    /// The content of a part.
    ///
    /// # Panics
    ///
    /// If the part was not declared when the space was made, which no input can bring about.
    pub fn part<P: Part>(&self) -> &P::Content {
        let found = self.parts().find(|(declared, _)| declared.name == P::NAME);
        let content = found.and_then(|(_, held)| held.content().downcast_ref());
        content.unwrap_or_else(|| panic!("the part `{}` was not declared", P::NAME))
    }

    /// The content of a part, to be changed.
    ///
    /// # Panics
    ///
    /// If the part was not declared when the space was made, which no input can bring about.
    pub fn part_mut<P: Part>(&mut self) -> &mut P::Content {
        let found = self.declared.iter().position(|declared| declared.name == P::NAME);
        let content = found.and_then(|index| {
            let held = &mut self.held[index];
            if Arc::get_mut(held).is_none() {
                *held = held.copy();
            }
            Arc::get_mut(held)?.content_mut().downcast_mut()
        });
        content.unwrap_or_else(|| panic!("the part `{}` was not declared", P::NAME))
    }

    /// Whether a part is the very same as in another state; false where only a look could tell.
    pub fn shares<P: Part>(&self, other: &Self) -> bool {
        let held = |state: &Self| {
            let mut parts = state.parts();
            parts.find(|(part, _)| part.name == P::NAME).map(|(_, held)| Arc::clone(held))
        };
        held(self).zip(held(other)).is_some_and(|(one, other)| Arc::ptr_eq(&one, &other))
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        let names = |state: &Self| state.declared.iter().map(Declared::name).collect::<Vec<_>>();
        names(self) == names(other)
            && self
                .held
                .iter()
                .zip(&other.held)
                .all(|(one, other)| Arc::ptr_eq(one, other) || one.whole() == other.whole())
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.parts().map(|(part, held)| (part.name, held.whole()))).finish()
    }
}

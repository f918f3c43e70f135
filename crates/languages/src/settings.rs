//! Settings of a server, and which of them it asks for.

use serde_json::{Map, Value};

/// Sections of one request that are answered; the rest are null.
const MOST_SECTIONS: usize = 1000;

/// Settings: objects within objects, where `a.b` is `b` in `a`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(Value);

impl Settings {
    /// Names with dots in them, as people write settings, become objects within objects.
    pub fn new(settings: Value) -> Self {
        let mut all = Value::Object(Map::new());
        if let Value::Object(settings) = settings {
            for (name, value) in settings {
                put(&mut all, &name, value);
            }
        }
        Self(all)
    }

    /// The same with these on top.
    #[must_use]
    pub fn with(&self, settings: Value) -> Self {
        let mut all = self.0.clone();
        lay(&mut all, Self::new(settings).0);
        Self(all)
    }

    /// All of them.
    pub fn all(&self) -> &Value {
        &self.0
    }

    /// One section; null if there is none, which is how a server hears that nothing is set.
    pub fn section(&self, name: &str) -> Value {
        if name.is_empty() {
            return self.0.clone();
        }
        let found = name.split('.').try_fold(&self.0, |within, part| within.get(part));
        found.cloned().unwrap_or(Value::Null)
    }

    /// The answer to `workspace/configuration`: one value for each item.
    pub(crate) fn answer(&self, params: &Value) -> Value {
        let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
        let answers = items.iter().enumerate().map(|(index, item)| {
            if index >= MOST_SECTIONS {
                return Value::Null;
            }
            self.section(item["section"].as_str().unwrap_or_default())
        });
        answers.collect()
    }
}

fn put(into: &mut Value, name: &str, value: Value) {
    let nested = name
        .rsplit('.')
        .fold(value, |value, part| Value::Object(Map::from_iter([(part.to_owned(), value)])));
    lay(into, nested);
}

/// Objects are joined, all else is replaced.
fn lay(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (name, value) in above {
                match below.get_mut(&name) {
                    Some(known) => lay(known, value),
                    None => drop(below.insert(name, value)),
                }
            }
        }
        (below, above) => *below = above,
    }
}

#[cfg(test)]
mod tests;

//! What the person set about language servers among all other settings: which ones are used, what each is told when it
//! asks for its settings, and what agents hear after an edit. It holds at once, also for servers that run.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use openspace_languages::{
    Settings,
    table::{AfterEdit, KnownServer, Table},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::servers::CodeServers;

/// Servers that are named at most.
const MOST_NAMED: usize = 500;

/// What the person set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersonsChoice {
    /// Servers that are to be used, or not, by their ids.
    servers: BTreeMap<String, bool>,
    /// Settings that servers ask for, by their ids.
    settings: BTreeMap<String, Value>,
    after_edit: Option<AfterEdit>,
}

impl PersonsChoice {
    /// The keys of the settings that count.
    pub const KEYS: [&'static str; 3] =
        ["languages.servers", "languages.settings", "languages.afterEdit"];

    /// What their values say, and what is wrong with those that are left out.
    pub fn read(value: impl Fn(&str) -> Option<Value>) -> (Self, Vec<String>) {
        let mut wrong = Vec::new();
        let [servers, settings, after_edit] = Self::KEYS;
        let choice = Self {
            servers: named(servers, &value, &mut wrong),
            settings: named(settings, &value, &mut wrong),
            after_edit: one(after_edit, &value, &mut wrong),
        };
        (choice, wrong)
    }
}

fn one<T: DeserializeOwned>(
    key: &str,
    value: &impl Fn(&str) -> Option<Value>,
    wrong: &mut Vec<String>,
) -> Option<T> {
    let value = value(key)?;
    T::deserialize(value).inspect_err(|error| wrong.push(format!("`{key}`: {error}"))).ok()
}

fn named<T: DeserializeOwned>(
    key: &str,
    value: &impl Fn(&str) -> Option<Value>,
    wrong: &mut Vec<String>,
) -> BTreeMap<String, T> {
    let named: BTreeMap<String, T> = one(key, value, wrong).unwrap_or_default();
    if named.len() > MOST_NAMED {
        wrong.push(format!("`{key}`: it names more than {MOST_NAMED} servers"));
        return BTreeMap::new();
    }
    named
}

/// What holds now.
#[derive(Default)]
pub(super) struct Choices(RwLock<Arc<PersonsChoice>>);

impl Choices {
    fn get(&self) -> Arc<PersonsChoice> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a server may be used. The table knows which ones are off by themselves.
    pub(super) fn uses(&self, server: &KnownServer) -> bool {
        self.get().servers.get(&server.id).copied().unwrap_or(!server.off)
    }

    /// The table with these servers on and off.
    pub(super) fn applied(&self, table: &Table) -> Table {
        let mut table = table.clone();
        for server in &mut table.servers {
            server.off = !self.uses(server);
        }
        table
    }

    /// What a server gets that asks for its settings.
    pub(super) fn settings(&self, server: &KnownServer) -> Settings {
        let of_table = Settings::new(server.settings.clone());
        match self.get().settings.get(&server.id) {
            Some(more) => of_table.with(more.clone()),
            None => of_table,
        }
    }

    /// What agents hear after an edit.
    pub(super) fn after_edit(&self, table: &Table) -> AfterEdit {
        self.get().after_edit.unwrap_or(table.after_edit)
    }
}

impl CodeServers {
    /// From now on this holds. Says whether other servers are used.
    pub async fn choose(&self, choice: PersonsChoice) -> bool {
        let choice = Arc::new(choice);
        let before = {
            let mut known = self.choices.0.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *known, Arc::clone(&choice))
        };
        if before == choice {
            return false;
        }
        self.forget_choices();
        for running in self.all() {
            let Some(server) = self.table().server(&running.id) else { continue };
            running.server.configure(self.choices.settings(server));
            if !self.choices.uses(server) && running.lives() {
                running.stop_because("the person switched it off".to_owned()).await;
            }
        }
        before.servers != choice.servers
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_read_one_by_one_and_what_is_wrong_is_said() {
        let settings = json!({
            "languages.servers": {"ruff": false, "marksman": true},
            "languages.settings": {"ty": {"ty.inlayHints": false}},
            "languages.afterEdit": "sometimes",
        });
        let (choice, wrong) = PersonsChoice::read(|key| settings.get(key).cloned());
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].starts_with("`languages.afterEdit`: "), "{wrong:?}");
        let choices = Choices(RwLock::new(Arc::new(choice)));
        let table = Table::with("");
        let is_off = |table: &Table, id: &str| table.server(id).unwrap().off;
        let applied = choices.applied(&table);
        assert_eq!((is_off(&applied, "ruff"), is_off(&table, "ruff")), (true, false));
        assert_eq!((is_off(&applied, "marksman"), is_off(&table, "marksman")), (false, true));
        let ty = choices.settings(table.server("ty").unwrap());
        assert_eq!(ty.section("ty.inlayHints"), json!(false));
        assert_eq!(choices.after_edit(&table), table.after_edit);
    }
}

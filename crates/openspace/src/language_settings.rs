//! What the person's `settings.json` says of language servers, read again whenever it changed.
//!
//! Only what stands there counts, and nothing of a workspace: an agent writes into those.

use openspace_workspace::{
    OpenSpace,
    areas::code::{CodePages, CodeServers, PersonsChoice},
};

use crate::{
    connect::settings_value,
    user_data::{Name, UserData},
};

/// The file.
pub(crate) const FILE: &str = "settings.json";

/// What the file says now, or why that is not known. May wait for the disk.
pub(crate) fn read(store: &UserData) -> Result<PersonsChoice, String> {
    let name = Name::parse(FILE).map_err(|error| error.to_string())?;
    let stored = store.read(&name).map_err(|error| error.to_string())?;
    let text = stored.map(|stored| String::from_utf8(stored.content)).transpose();
    let text = text.map_err(|error| error.to_string())?.unwrap_or_default();
    let mut values = std::collections::BTreeMap::new();
    for key in PersonsChoice::KEYS {
        let value = settings_value(&text, key).map_err(|error| format!("{error:#}"))?;
        values.extend(value.map(|value| (key, value)));
    }
    let (choice, wrong) = PersonsChoice::read(|key| values.get(key).cloned());
    for wrong in wrong {
        tracing::warn!(wrong, "a setting of language servers is left out");
    }
    Ok(choice)
}

/// Have it hold. A file that cannot be read changes nothing.
pub(crate) async fn apply(choice: Result<PersonsChoice, String>, workspace: &OpenSpace) {
    match choice {
        Ok(choice) => {
            if workspace.service::<CodeServers>().choose(choice).await {
                workspace.service::<CodePages>().look_again();
            }
        }
        Err(error) => tracing::warn!(error, "settings of language servers stay as they were"),
    }
}

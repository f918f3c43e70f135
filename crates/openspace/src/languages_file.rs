//! The person's own list of language servers, beside the settings: outside of every workspace, so that no agent adds a
//! program to it.

use std::path::Path;

use openspace_workspace::areas::code::LanguageOptions;

use crate::policy_file;

/// Its name in the person's folder.
const NAME: &str = "languages.toml";

/// What the person chose, from the file in this folder; it may not be there.
pub(crate) fn options(config: &Path) -> LanguageOptions {
    let path = config.join(NAME);
    let own = policy_file::read(&path).unwrap_or_else(|error| {
        tracing::error!(%error, path = %path.display(), "the list of language servers cannot be read");
        None
    });
    LanguageOptions { own: own.unwrap_or_default(), ..LanguageOptions::default() }
}

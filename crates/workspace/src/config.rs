//! `.openspace/config.toml`: what a person sets for one workspace.
//!
//! It can only add to the built-in rules, never take from them, and no command can write it. Limits
//! on callers are not here: they come from the command line of the server, out of an agent's reach.

use openspace_files::{FileError, LineRange};
use openspace_host::{
    Host, HostError,
    operation::{Configure, ReadText},
};
use openspace_protocol::RelPath;
use serde::Deserialize;

use crate::open_space::OpenError;

/// The configuration file, relative to the root.
pub const CONFIG_PATH: &str = ".openspace/config.toml";

/// What the file may say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Rules about paths.
    pub files: FileRules,
}

/// Rules about paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FileRules {
    /// Glob patterns of files that no command reads, on top of the built-in ones.
    pub secret: Vec<String>,
    /// Glob patterns of paths that no command writes, on top of the built-in ones.
    pub protected: Vec<String>,
}

/// A configuration file that cannot be understood.
#[derive(Debug, thiserror::Error)]
#[error("{CONFIG_PATH} is not valid: {0}")]
pub struct ConfigError(#[from] toml::de::Error);

impl Config {
    /// Read the file's text.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        Ok(toml::from_str(text)?)
    }
}

/// What the configuration in a host's workspace says.
pub(crate) async fn read(host: &dyn Host) -> Result<Config, OpenError> {
    let path = RelPath::parse(CONFIG_PATH).unwrap_or_default();
    match host.ask(ReadText { path, range: LineRange::default(), person: false }).await {
        Ok(text) => Ok(Config::parse(&text.content)?),
        Err(HostError::File(FileError::NotFound { .. })) => Ok(Config::default()),
        // A configuration that exists and cannot be read must not be taken for an empty one.
        Err(error) => Err(error.into()),
    }
}

/// Tell a host the rules that the configuration in its workspace adds.
pub(crate) async fn apply(host: &dyn Host) -> Result<(), OpenError> {
    let config = read(host).await?;
    if config == Config::default() {
        return Ok(());
    }
    let rules = Configure { secret: config.files.secret, protected: config.files.protected };
    match host.ask(rules).await {
        Err(HostError::File(FileError::BadPattern(error))) => Err(error.into()),
        other => Ok(other?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read() {
        let config =
            Config::parse("[files]\nsecret = ['*.vault']\nprotected = ['vendor/']").unwrap();
        let files = FileRules { secret: vec!["*.vault".into()], protected: vec!["vendor/".into()] };
        assert_eq!(config, Config { files });
        assert_eq!(Config::parse("").unwrap(), Config::default());
    }

    #[test]
    fn an_unknown_setting_is_named() {
        let error = Config::parse("[limits]\nper_turn = 9999").unwrap_err().to_string();
        assert!(error.contains("limits"), "{error}");
    }
}

//! `.openspace/config.toml`: what a person sets for one workspace.
//!
//! It can only add to the built-in rules, never take from them, and no command can write it. Limits
//! on callers are not here: they come from the command line of the server, out of an agent's reach.

use serde::Deserialize;

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

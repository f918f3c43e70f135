//! What a person chooses about agents: `agents.toml` in their own folder, read anew whenever it is asked for.
//!
//! It is outside of every workspace, so no agent changes it. What is wrong in it is named and leaves the rest alone.

use std::{collections::BTreeMap, io};

use openspace_agents::known::KnownAgents;
use serde::Deserialize;

/// The person's file, wherever it is kept.
pub trait AgentsFile: Send + Sync + 'static {
    /// What it is called where a person looks for it.
    fn name(&self) -> String;

    /// Its text; `None` when there is no such file.
    fn read(&self) -> io::Result<Option<String>>;

    /// Replace it whole, so that nobody ever reads a part.
    fn write(&self, text: &str) -> io::Result<()>;
}

/// No file: nothing is chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAgentsFile;

impl AgentsFile for NoAgentsFile {
    fn name(&self) -> String {
        "(no file of agents)".into()
    }

    fn read(&self) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn write(&self, _text: &str) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this server keeps no file of agents"))
    }
}

/// What is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choices {
    /// The agents that there are.
    pub(super) known: KnownAgents,
    /// The one that is meant when none is named.
    pub(super) default: Option<String>,
    /// How single ones are run.
    pub(super) ways: BTreeMap<String, Way>,
    /// What is wrong in the file, in sentences.
    pub(super) wrong: Vec<String>,
}

/// How an agent is run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the file, said or not")]
pub(super) struct Way {
    /// On this machine as the person, not confined.
    pub(super) outside: bool,
    /// Commands of the space that it writes into its text are run.
    pub(super) commands_in_text: bool,
    /// With its own tools for files and programs; without them it has those of the space alone.
    pub(super) own_tools: bool,
    /// Settings in the workspace count, with the programs that they name.
    pub(super) project_settings: bool,
    /// Where one runs already that is talked to instead of one that is started.
    pub(super) address: Option<String>,
    /// The model that it uses when nobody chooses, as `PROVIDER/MODEL`.
    pub(super) model: Option<String>,
    /// The model for titles and other small work.
    pub(super) small_model: Option<String>,
}

impl Default for Way {
    fn default() -> Self {
        Self {
            outside: false,
            commands_in_text: false,
            own_tools: true,
            project_settings: false,
            address: None,
            model: None,
            small_model: None,
        }
    }
}

impl Choices {
    /// Read a person's file.
    pub(super) fn read(file: &dyn AgentsFile) -> Self {
        let name = file.name();
        match file.read() {
            Ok(text) => Self::of(&name, text.as_deref().unwrap_or_default()),
            Err(error) => {
                let mut choices = Self::of(&name, "");
                choices.wrong.push(format!("{name} cannot be read: {error}"));
                choices
            }
        }
    }

    pub(super) fn of(name: &str, text: &str) -> Self {
        let mut choices = Self::default();
        let mut entries = text.to_owned();
        // What is no TOML at all is named by who reads the entries.
        if let Ok(mut document) = text.parse::<toml::Table>() {
            if let Some(default) = document.remove("default") {
                match default.as_str() {
                    Some(id) => choices.default = Some(id.to_owned()),
                    None => choices.wrong.push(format!("{name}: `default` is the id of an agent")),
                }
            }
            match document.remove("run") {
                Some(toml::Value::Table(ways)) => choices.take_ways(name, ways),
                Some(_) => choices.wrong.push(format!("{name}: `run` is a table of agents")),
                None => {}
            }
            entries = document.to_string();
        }
        choices.known = KnownAgents::with(&entries);
        let wrong = choices.known.errors.iter().map(|error| format!("{name}: {error}"));
        choices.wrong.extend(wrong);
        let is_unknown = |id: &&String| choices.known.find(id).is_none();
        let unknown: Vec<String> =
            choices.default.iter().chain(choices.ways.keys()).filter(is_unknown).cloned().collect();
        for id in unknown {
            choices.wrong.push(format!("{name}: there is no agent `{id}`"));
        }
        choices
    }

    fn take_ways(&mut self, name: &str, ways: toml::Table) {
        for (id, way) in ways {
            match way.try_into::<Way>() {
                Ok(way) => {
                    self.ways.insert(id, way);
                }
                Err(error) => {
                    self.wrong.push(format!("{name}: `run.{id}`: {}", error.message()));
                }
            }
        }
    }

    /// How an agent is run.
    pub(super) fn way(&self, id: &str) -> Way {
        self.ways.get(id).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_person_chooses_how_agents_run_and_adds_their_own() {
        let text = "default = 'mine'\n[run.opencode]\nown_tools = false\n[run.claude]\noutside = true\ncommands_in_text = true\nproject_settings = true\n\
                    [[agent]]\nid = 'mine'\nname = 'Mine'\ncommand = ['mine', '--acp']\n";
        let choices = Choices::of("agents.toml", text);
        assert_eq!(choices.wrong, Vec::<String>::new());
        assert_eq!(choices.default.as_deref(), Some("mine"));
        assert_eq!(choices.way("opencode"), Way { own_tools: false, ..Way::default() });
        let claude =
            Way { outside: true, commands_in_text: true, project_settings: true, ..Way::default() };
        assert_eq!(choices.way("claude"), claude);
        assert_eq!(choices.way("mine"), Way::default());
        assert!(choices.known.find("mine").is_some() && choices.known.find("codex").is_some());
    }

    #[test]
    fn what_is_wrong_is_named_and_leaves_the_rest_alone() {
        let text = "default = 3\nrun = 1\n[[agent]]\nid = 'Mine'\n";
        let choices = Choices::of("agents.toml", text);
        assert_eq!(
            choices.wrong[..2],
            [
                "agents.toml: `default` is the id of an agent".to_owned(),
                "agents.toml: `run` is a table of agents".to_owned(),
            ]
        );
        assert_eq!(choices.wrong.len(), 3, "{:?}", choices.wrong);
        assert!(choices.known.find("opencode").is_some());
        let choices = Choices::of("agents.toml", "[run.nobody]\n[run.opencode]\noutsite = true\n");
        assert_eq!(choices.wrong.len(), 2, "{:?}", choices.wrong);
    }
}

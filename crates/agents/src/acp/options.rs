//! What can be chosen in a session: models, how long they think, ways of working.
//!
//! Agents tell it as a list of options, each with a category; older ones have modes apart. Options of other categories
//! stay as the agent set them.

use agent_client_protocol_schema::v1::{
    SessionConfigId, SessionConfigKind, SessionConfigOption,
    SessionConfigOptionCategory as Category, SessionConfigSelect, SessionConfigSelectOption,
    SessionConfigSelectOptions, SessionConfigValueId, SessionModeId, SessionModeState,
};

use super::history::Chosen;
use crate::{
    AgentError, Thing,
    model::{Mode, ModeUse, Model, ModelChoice, Models, Provider, shortened},
};

/// Choices of one option that are told.
const MOST_CHOICES: usize = 1000;

/// The options of a session, as its agent told them last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Options {
    config: Vec<SessionConfigOption>,
    modes: Option<SessionModeState>,
    /// How many tokens the model can read and write, where the agent says so.
    pub(super) context: Option<u64>,
}

/// Something to set.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Setting {
    Option(SessionConfigId, SessionConfigValueId),
    Mode(SessionModeId),
}

impl Options {
    pub(super) fn tell(
        &mut self,
        config: Option<Vec<SessionConfigOption>>,
        modes: Option<SessionModeState>,
    ) {
        if let Some(config) = config {
            self.config = config;
        }
        if let Some(modes) = modes {
            self.modes = Some(modes);
        }
    }

    pub(super) fn tell_mode(&mut self, mode: SessionModeId) {
        if let Some(modes) = &mut self.modes {
            modes.current_mode_id = mode;
        }
    }

    /// What is chosen now.
    pub(super) fn chosen(&self) -> Chosen {
        let model = self.select(&Category::Model).map(|(_, select)| ModelChoice {
            provider: provider_of(select, &select.current_value).to_owned(),
            model: select.current_value.to_string(),
            variant: self
                .select(&Category::ThoughtLevel)
                .map(|(_, level)| level.current_value.to_string()),
        });
        let mode = match (self.select(&Category::Mode), &self.modes) {
            (Some((_, select)), _) => Some(select.current_value.to_string()),
            (None, Some(modes)) => Some(modes.current_mode_id.to_string()),
            (None, None) => None,
        };
        Chosen { mode, model }
    }

    pub(super) fn models(&self) -> Option<Models> {
        let (_, select) = self.select(&Category::Model)?;
        let levels = self.select(&Category::ThoughtLevel).map(|(_, levels)| choices(levels));
        let variants: Vec<String> =
            levels.into_iter().flatten().map(|(_, level)| level.value.to_string()).collect();
        let mut providers: Vec<Provider> = Vec::new();
        for (group, choice) in choices(select) {
            let (id, name) = group;
            let is_chosen = choice.value == select.current_value;
            let model = Model {
                id: choice.value.to_string(),
                name: shortened(&choice.name),
                context: self.context.filter(|_| is_chosen),
                output: None,
                has_reasoning: !variants.is_empty(),
                has_tools: true,
                takes_images: false,
                variants: variants.clone(),
                cost_input: None,
                cost_output: None,
                stage: None,
            };
            match providers.last_mut().filter(|provider| provider.id == id) {
                Some(provider) => provider.models.push(model),
                None => providers.push(Provider {
                    id: id.to_owned(),
                    name: shortened(name),
                    models: vec![model],
                }),
            }
        }
        Some(Models { providers, default: self.chosen().model })
    }

    pub(super) fn modes(&self) -> Option<Vec<Mode>> {
        let mode = |id: String, name: &str, description: Option<&String>| Mode {
            id,
            name: shortened(name),
            description: description.map(|text| shortened(text)),
            usable: ModeUse::Session,
            model: None,
        };
        if let Some((_, select)) = self.select(&Category::Mode) {
            let choices = choices(select).into_iter();
            let choices = choices
                .map(|(_, it)| mode(it.value.to_string(), &it.name, it.description.as_ref()));
            return Some(choices.collect());
        }
        let modes = self.modes.as_ref()?.available_modes.iter().take(MOST_CHOICES);
        Some(modes.map(|it| mode(it.id.to_string(), &it.name, it.description.as_ref())).collect())
    }

    pub(super) fn has_variants(&self) -> bool {
        self.select(&Category::ThoughtLevel).is_some()
    }

    /// What to set for a model, where it is not set already.
    pub(super) fn set_model(&self, choice: &ModelChoice) -> Result<Vec<Setting>, AgentError> {
        let mut settings = vec![self.set(&Category::Model, Thing::Model, &choice.model)?];
        if let Some(variant) = &choice.variant {
            settings.push(self.set(&Category::ThoughtLevel, Thing::Model, variant)?);
        }
        Ok(settings.into_iter().flatten().collect())
    }

    /// What to set for a way of working, if it is not set already.
    pub(super) fn set_mode(&self, mode: &str) -> Result<Option<Setting>, AgentError> {
        if self.select(&Category::Mode).is_some() {
            return self.set(&Category::Mode, Thing::Mode, mode);
        }
        let modes = self.modes.as_ref();
        let found =
            modes.and_then(|modes| modes.available_modes.iter().find(|it| &*it.id.0 == mode));
        let found = found.ok_or_else(|| missing(Thing::Mode, mode))?;
        let is_set = modes.is_some_and(|modes| modes.current_mode_id == found.id);
        Ok((!is_set).then(|| Setting::Mode(found.id.clone())))
    }

    fn set(
        &self,
        category: &Category,
        what: Thing,
        value: &str,
    ) -> Result<Option<Setting>, AgentError> {
        let (option, select) = self.select(category).ok_or_else(|| missing(what, value))?;
        let choice = choices(select).into_iter().find(|(_, choice)| &*choice.value.0 == value);
        let (_, choice) = choice.ok_or_else(|| missing(what, value))?;
        let is_set = select.current_value == choice.value;
        Ok((!is_set).then(|| Setting::Option(option.id.clone(), choice.value.clone())))
    }

    /// The option of a category. Agents that name none use its word as the id.
    fn select(&self, category: &Category) -> Option<(&SessionConfigOption, &SessionConfigSelect)> {
        let word = match category {
            Category::Mode => "mode",
            Category::Model => "model",
            _ => "effort",
        };
        let is_it = |option: &&SessionConfigOption| match &option.category {
            Some(said) => said == category,
            None => &*option.id.0 == word,
        };
        let option = self.config.iter().find(is_it)?;
        match &option.kind {
            SessionConfigKind::Select(select) => Some((option, select)),
            _ => None,
        }
    }
}

fn missing(what: Thing, id: &str) -> AgentError {
    AgentError::NotFound { what, id: shortened(id) }
}

type Group<'a> = (&'a str, &'a str);

/// All choices, each with the id and name of its group, which may be empty.
fn choices(select: &SessionConfigSelect) -> Vec<(Group<'_>, &SessionConfigSelectOption)> {
    match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => {
            options.iter().take(MOST_CHOICES).map(|option| (("", ""), option)).collect()
        }
        SessionConfigSelectOptions::Grouped(groups) => {
            let of_group = groups.iter().flat_map(|group| {
                group.options.iter().map(|option| ((&*group.group.0, group.name.as_str()), option))
            });
            of_group.take(MOST_CHOICES).collect()
        }
        _ => Vec::new(),
    }
}

fn provider_of<'a>(select: &'a SessionConfigSelect, value: &SessionConfigValueId) -> &'a str {
    let found = choices(select).into_iter().find(|(_, choice)| choice.value == *value);
    found.map_or("", |((id, _), _)| id)
}

//! Commands that only the person gives. Everybody else is refused before anybody is asked about it: a question whether
//! an agent may would teach people to say yes to it.

use std::{borrow::Cow, sync::Arc};

use openspace_command::{Caller, Command, Error, Intent, Meta, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Cx, OpenSpace, paths::is_person};

/// What a person does about agents. It is a command as [`ByPerson`].
pub trait PersonsCommand: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// As of a [`Command`].
    const META: Meta;

    /// As of a [`Command`].
    type Output: Serialize + JsonSchema + Send;

    /// As of a [`Command`].
    fn summary(&self) -> String;

    /// As of a [`Command`].
    fn check(&self) -> Result<()>;

    /// Do it, as the person.
    fn run(self, cx: Cx) -> impl Future<Output = Result<Self::Output>> + Send;

    /// As of a [`Command`].
    fn text(output: &Self::Output) -> Option<String>;
}

/// Something that the person does, and nobody else.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct ByPerson<C>(C);

/// The arguments are those of what is done, in every word.
impl<C: JsonSchema> JsonSchema for ByPerson<C> {
    fn inline_schema() -> bool {
        C::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        C::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        C::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        C::json_schema(generator)
    }
}

impl<C: PersonsCommand> Command<OpenSpace> for ByPerson<C> {
    const META: Meta = C::META;
    type Output = C::Output;

    fn summary(&self) -> String {
        self.0.summary()
    }

    fn check(&self) -> Result<()> {
        self.0.check()
    }

    async fn closer_intent(
        &self,
        _state: &Arc<OpenSpace>,
        caller: &Caller,
    ) -> Result<Option<Intent>> {
        check_person(caller).map(|()| None)
    }

    async fn run(self, cx: Cx) -> Result<C::Output> {
        check_person(&cx.caller)?;
        self.0.run(cx).await
    }

    fn text(output: &C::Output) -> Option<String> {
        C::text(output)
    }
}

/// Refuse everybody but the person.
fn check_person(caller: &Caller) -> Result<()> {
    if is_person(caller) {
        return Ok(());
    }
    Err(Error::denied("only the person sets agents up").hint(
        "the person does it in the browser (\"Set Up Agents\"), or at their own shell with `openspace chat`",
    ))
}

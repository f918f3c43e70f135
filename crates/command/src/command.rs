//! The declaration of a command, and its type-erased form.

use std::{future::Future, sync::Arc};

use futures::future::BoxFuture;
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    Caller, Cx, Error, Intent, Result, Site, arguments,
    declared::{self, Declared},
    schema,
};

/// Where a command is offered. Every command can be called by its id wherever it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// In the palette, the command line and the tool list.
    Everywhere,
    /// In the palette and the command line; agents find it with `command.search`.
    Searchable,
    /// Only by its id.
    Hidden,
}

/// How calls of one caller are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One at a time, first in, first out.
    Fifo,
    /// At once with others.
    Parallel,
}

/// Whether a command may ask for the person's attention. None may take the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Focus {
    /// Changes nothing a person is looking at.
    Never,
    /// Shows something beside what the person does; the keyboard stays where it is.
    Show,
    /// Asks to be looked at; the keyboard moves only for a person who follows the caller.
    Request,
}

/// What a call amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Does {
    /// It does something itself.
    Act,
    /// It only says what somebody sees. Such a call is no act: one that succeeds leaves no record.
    Observe,
    /// It does nothing but call other commands: each of those is judged and counted for itself.
    PassOn,
}

/// Which group of tools a command belongs to: agents that have their own file tools drown in ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Set {
    /// Showing and steering: panes, editors, highlights, terminals.
    Ide,
    /// Working on files and running programs.
    Workspace,
    /// In every set.
    Both,
}

/// The facts of a command that are not in its types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// `<area>.<verb>`; the canonical id has `openspace.` before it.
    pub id: &'static str,
    /// The palette's line, such as `Editor: Open`.
    pub title: &'static str,
    /// What it can do to the world.
    pub access: Access,
    /// Where it is offered.
    pub shown: Shown,
    /// Which group of tools it belongs to.
    pub set: Set,
    /// Whether it may ask for attention.
    pub focus: Focus,
    /// How calls of one caller are ordered.
    pub order: Order,
    /// Whether running it twice is the same as once.
    pub idempotent: bool,
    /// Default keys, such as `mod+shift+h`.
    pub keys: &'static [&'static str],
    /// Whether its arguments may hold a whole file, so that edges let more of them in.
    pub whole_files: bool,
    /// What a call of it amounts to.
    pub does: Does,
    /// That it will go away: since when and what to use instead, such as ``since 0.3, use `pane.open` ``.
    pub deprecated: Option<&'static str>,
}

impl Meta {
    /// The usual facts for a class of access; write `Meta { keys: …, ..Meta::new(…) }` for others.
    pub const fn new(id: &'static str, title: &'static str, access: Access) -> Self {
        let reads = matches!(access, Access::Read);
        Self {
            id,
            title,
            access,
            shown: Shown::Everywhere,
            set: Set::Both,
            focus: Focus::Never,
            order: if reads { Order::Parallel } else { Order::Fifo },
            idempotent: reads,
            keys: &[],
            whole_files: false,
            does: Does::Act,
            deprecated: None,
        }
    }

    /// The same, in one group of tools.
    #[must_use]
    pub const fn set(mut self, set: Set) -> Self {
        self.set = set;
        self
    }

    /// The same, offered elsewhere.
    #[must_use]
    pub const fn shown(mut self, shown: Shown) -> Self {
        self.shown = shown;
        self
    }

    /// The same, with another focus policy.
    #[must_use]
    pub const fn focus(mut self, focus: Focus) -> Self {
        self.focus = focus;
        self
    }

    /// The same, harmless to repeat.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// The same, run at once with other calls of the caller.
    #[must_use]
    pub const fn parallel(mut self) -> Self {
        self.order = Order::Parallel;
        self
    }

    /// The same, as a report of what somebody sees.
    #[must_use]
    pub const fn observes(mut self) -> Self {
        self.does = Does::Observe;
        self
    }

    /// The same, as one that only calls others.
    #[must_use]
    pub const fn passes_on(mut self) -> Self {
        self.does = Does::PassOn;
        self
    }

    /// The same, with whole files among its arguments.
    #[must_use]
    pub const fn whole_files(mut self) -> Self {
        self.whole_files = true;
        self
    }

    /// The same, about to go away: say since when, and what to use instead.
    #[must_use]
    pub const fn deprecated(mut self, since_and_instead: &'static str) -> Self {
        self.deprecated = Some(since_and_instead);
        self
    }

    /// The same, with default keys.
    #[must_use]
    pub const fn keys(mut self, keys: &'static [&'static str]) -> Self {
        self.keys = keys;
        self
    }
}

/// One action, declared once. The struct holds the arguments; its doc comment is the documentation.
///
/// Implementers derive `Deserialize` with `deny_unknown_fields` and `JsonSchema`, and give every
/// argument a doc comment. `run` answers with the truth: success only for what has happened.
pub trait Command<S: Send + Sync + 'static>:
    DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// The facts that are not in the types.
    const META: Meta;

    /// What it answers.
    type Output: Serialize + JsonSchema + Send;

    /// One line for the record and for approval prompts. Names things; never holds contents.
    fn summary(&self) -> String;

    /// The workspace that the call works in, for commands that choose one of several.
    fn workspace(&self) -> Option<&str> {
        None
    }

    /// The files and folders that the call names, as they were typed, for the record.
    fn paths(&self) -> Vec<String> {
        Vec::new()
    }

    /// Checks that need no state, before limits and permission. Errors name the argument.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// What it would do, for whoever decides whether it may: more than its class of access says. It is
    /// known at once; what is wrong with the arguments is said when it runs.
    fn intent(&self, _state: &S, _caller: &Caller) -> Intent {
        Intent::default()
    }

    /// The same, looked at more closely, for a call that would not be let in by [`Self::intent`]. An error is
    /// the answer to the call: nobody is asked about what could not be done anyway.
    fn closer_intent(
        &self,
        _state: &Arc<S>,
        _caller: &Caller,
    ) -> impl Future<Output = Result<Option<Intent>>> + Send {
        std::future::ready(Ok(None))
    }

    /// Do it.
    fn run(self, cx: Cx<S>) -> impl Future<Output = Result<Self::Output>> + Send;

    /// The answer as a reader wants it, where the plain listing of its fields is not the best.
    fn text(_output: &Self::Output) -> Option<String> {
        None
    }

    /// How the program that it ran ended, as a shell tells it, for callers that end the same way.
    fn exit_code(_output: &Self::Output) -> Option<u8> {
        None
    }
}

/// What a run yields: the data, and the text for readers if one was made.
pub(crate) struct Answer {
    /// The output as JSON.
    pub(crate) value: Value,
    /// The command's own text for it.
    pub(crate) text: Option<String>,
    /// How the program ended that it ran.
    pub(crate) exit_code: Option<u8>,
}

/// A command with its arguments, its type erased.
pub(crate) trait Work<S: 'static>: Send + Sync {
    fn intent(&self, state: &S, caller: &Caller) -> Intent;
    fn closer<'a>(
        &'a self,
        state: &'a Arc<S>,
        caller: &'a Caller,
    ) -> BoxFuture<'a, Result<Option<Intent>>>;
    fn run(self: Box<Self>, cx: Cx<S>) -> BoxFuture<'static, Result<Answer>>;
}

/// A call whose arguments are read and checked; permission is decided on what it says of itself.
pub struct Prepared<S: 'static> {
    /// One line for the record.
    pub summary: String,
    /// The workspace that the call works in, where it chooses one.
    pub workspace: Option<String>,
    /// The files and folders that the call names.
    pub paths: Vec<String>,
    pub(crate) work: Box<dyn Work<S>>,
}

impl<S: 'static> Prepared<S> {
    /// A prepared call that is not made from a [`Command`] type: the way for run-time commands. What
    /// does it is a program that nobody here started.
    pub fn new<F, R>(summary: String, run: F) -> Self
    where
        F: FnOnce(Cx<S>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value>> + Send + 'static,
    {
        let work = Box::new(Foreign(run));
        Self { summary, workspace: None, paths: Vec::new(), work }
    }
}

struct Foreign<F>(F);

impl<S, F, R> Work<S> for Foreign<F>
where
    S: 'static,
    F: FnOnce(Cx<S>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Value>> + Send + 'static,
{
    fn intent(&self, _state: &S, _caller: &Caller) -> Intent {
        Intent { site: Site::Outside, ..Intent::default() }
    }

    fn closer<'a>(
        &'a self,
        _state: &'a Arc<S>,
        _caller: &'a Caller,
    ) -> BoxFuture<'a, Result<Option<Intent>>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn run(self: Box<Self>, cx: Cx<S>) -> BoxFuture<'static, Result<Answer>> {
        let answer = (self.0)(cx);
        Box::pin(async move { Ok(Answer { value: answer.await?, text: None, exit_code: None }) })
    }
}

struct Typed<C>(C);

impl<S: Send + Sync + 'static, C: Command<S>> Work<S> for Typed<C> {
    fn intent(&self, state: &S, caller: &Caller) -> Intent {
        self.0.intent(state, caller)
    }

    fn closer<'a>(
        &'a self,
        state: &'a Arc<S>,
        caller: &'a Caller,
    ) -> BoxFuture<'a, Result<Option<Intent>>> {
        Box::pin(self.0.closer_intent(state, caller))
    }

    fn run(self: Box<Self>, cx: Cx<S>) -> BoxFuture<'static, Result<Answer>> {
        Box::pin(run(self.0, cx))
    }
}

/// A command with its types erased: what an area lists in its `COMMANDS`.
pub struct Entry<S: 'static> {
    pub(crate) meta: Meta,
    pub(crate) input: fn() -> Value,
    pub(crate) output: fn() -> Value,
    pub(crate) declared: Declared,
    pub(crate) prepare: fn(Value) -> Result<Prepared<S>>,
}

impl<S: Send + Sync + 'static> Entry<S> {
    /// The entry of a command.
    pub const fn of<C: Command<S>>() -> Self {
        Self {
            meta: C::META,
            input: schema::input::<C>,
            output: schema::output::<C::Output>,
            declared: Declared { args: declared::given::<C>, result: declared::told::<C::Output> },
            prepare: prepare::<S, C>,
        }
    }
}

fn prepare<S: Send + Sync + 'static, C: Command<S>>(args: Value) -> Result<Prepared<S>> {
    let command: C = arguments::read(args)?;
    command.check()?;
    Ok(Prepared {
        summary: command.summary(),
        workspace: command.workspace().map(str::to_owned),
        paths: command.paths(),
        work: Box::new(Typed(command)),
    })
}

async fn run<S: Send + Sync + 'static, C: Command<S>>(command: C, cx: Cx<S>) -> Result<Answer> {
    let wants_text = cx.wants_text;
    let output = command.run(cx).await?;
    let text = if wants_text { C::text(&output) } else { None };
    let exit_code = C::exit_code(&output);
    let value = serde_json::to_value(output)
        .map_err(|error| Error::internal("the result could not be encoded").because(error))?;
    Ok(Answer { value, text, exit_code })
}

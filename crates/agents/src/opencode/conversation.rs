//! The conversation itself: each method of [`Agent`] as requests of opencode.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use serde_json::{Value, json};

use super::{OpenCode, http::Ask, operations, prompts, translate, wire};
use crate::{
    Ability, Agent, AgentError, Answer, Capabilities, Event, Subscription, Thing,
    model::{
        FileDiff, Key, KeyLogIn, LogInPage, MOST_MESSAGES, MOST_SESSIONS, Message, MessageId,
        MessagePage, MessageQuery, Mode, ModelChoice, Models, NewSession, PageLogIn, PartContent,
        PermissionAnswer, PermissionId, PermissionReply, PermissionRequest, Prompt,
        ProviderSetting, QuestionId, QuestionRequest, RevertTo, Session, SessionId, SessionPage,
        SessionQuery, SlashCommand, SlashCommandCall, StatusOfSession, Todo,
    },
};

/// Sessions that can be gone through page by page. opencode has no place in its list to go on from, so that a later page
/// is asked for with all before it.
const MOST_LISTED: usize = 5000;

impl Agent for OpenCode {
    fn capabilities(&self) -> Capabilities {
        let shares = self.inner.shares.load(Ordering::Relaxed);
        Capabilities::judged(|ability| match ability {
            Ability::Share | Ability::Unshare if !shares => {
                Some("sharing is switched off in opencode's configuration (`share`)".to_owned())
            }
            _ => None,
        })
    }

    fn subscribe(&self) -> Subscription {
        self.inner.feed.subscribe()
    }

    fn sessions(&self, query: SessionQuery) -> Answer<'_, SessionPage> {
        Box::pin(async move {
            let skipped = match &query.after {
                None => 0,
                Some(after) => after.parse().map_err(|_| AgentError::Invalid {
                    what: format!("the place `{after}`"),
                    why: "it comes from the page before".to_owned(),
                })?,
            };
            let limit = query.limit.unwrap_or(MOST_SESSIONS).clamp(1, MOST_SESSIONS);
            let end = (skipped + limit).min(MOST_LISTED);
            let ask = Ask::new(operations::SESSIONS).with("limit", &(end + 1));
            let ask =
                ask.maybe("search", query.search).maybe("roots", query.only_roots.then_some(true));
            let said: Vec<wire::Session> = self.inner.get(ask).await?;
            let next = (said.len() > end && end < MOST_LISTED).then(|| end.to_string());
            let page = said.into_iter().take(end).skip(skipped).map(translate::session);
            Ok(SessionPage { sessions: page.collect(), next })
        })
    }

    fn create(&self, new: NewSession) -> Answer<'_, Session> {
        Box::pin(async move {
            self.check_choices(new.model.as_ref(), new.mode.as_deref()).await?;
            let model = new.model.map(|model| {
                let mut chosen = json!({ "id": model.model, "providerID": model.provider });
                if let Some(variant) = model.variant {
                    chosen["variant"] = Value::String(variant);
                }
                chosen
            });
            let body = json!({ "title": new.title, "agent": new.mode, "model": model });
            self.session_of(Ask::new(operations::CREATE).body(body)).await
        })
    }

    fn session<'a>(&'a self, id: &'a SessionId) -> Answer<'a, Session> {
        Box::pin(self.session_of(Ask::new(operations::ONE).of(&id.0)))
    }

    fn rename<'a>(&'a self, session: &'a SessionId, title: &'a str) -> Answer<'a, Session> {
        let body = json!({ "title": title });
        Box::pin(self.session_of(Ask::new(operations::RENAME).of(&session.0).body(body)))
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()> {
        Box::pin(self.done(Ask::new(operations::DELETE).of(&session.0)))
    }

    fn children<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Vec<Session>> {
        Box::pin(async move {
            let ask = Ask::new(operations::CHILDREN).of(&session.0);
            let said: Vec<wire::Session> = self.inner.get(ask).await?;
            Ok(said.into_iter().take(MOST_SESSIONS).map(translate::session).collect())
        })
    }

    fn statuses(&self) -> Answer<'_, Vec<StatusOfSession>> {
        Box::pin(async move {
            let ask = Ask::new(operations::STATUSES);
            let said: BTreeMap<String, wire::Status> = self.inner.get(ask).await?;
            let status = |(id, status)| StatusOfSession {
                session_id: SessionId(id),
                status: translate::status(status),
            };
            Ok(said.into_iter().map(status).collect())
        })
    }

    fn messages(&self, query: MessageQuery) -> Answer<'_, MessagePage> {
        Box::pin(async move {
            let mut limit = query.limit.clamp(1, MOST_MESSAGES);
            let reply = loop {
                let ask =
                    Ask::new(operations::MESSAGES).of(&query.session_id.0).with("limit", &limit);
                match self.inner.ask(ask.maybe("before", query.before.as_deref())).await {
                    // Fewer at once; the page says where it goes on.
                    Err(AgentError::TooLarge { .. }) if limit > 1 => limit = limit.div_ceil(4),
                    answer => break answer?,
                }
            };
            let said: Vec<wire::Message> = translate::read("messages", reply.value)?;
            let messages = said.into_iter().map(translate::message).collect::<Result<_, _>>()?;
            Ok(MessagePage { messages, older: reply.cursor })
        })
    }

    fn message<'a>(
        &'a self,
        session: &'a SessionId,
        message: &'a MessageId,
    ) -> Answer<'a, Message> {
        Box::pin(async move {
            let ask = Ask::new(operations::MESSAGE).of(&session.0).of(&message.0);
            translate::message(self.inner.get(ask).await?)
        })
    }

    fn send<'a>(&'a self, session: &'a SessionId, prompt: Prompt) -> Answer<'a, MessageId> {
        Box::pin(async move {
            let parts = prompts::parts(&prompt)?;
            self.check_choices(prompt.model.as_ref(), prompt.mode.as_deref()).await?;
            let id = self.next_message(session).await?;
            let body = json!({
                "messageID": id,
                "parts": parts,
                "model": prompt.model.as_ref().map(model),
                "variant": prompt.model.as_ref().and_then(|model| model.variant.as_ref()),
                "agent": prompt.mode,
            });
            self.done(Ask::new(operations::SEND).of(&session.0).body(body)).await?;
            Ok(id)
        })
    }

    fn abort<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()> {
        Box::pin(self.done(Ask::new(operations::ABORT).of(&session.0)))
    }

    fn fork<'a>(
        &'a self,
        session: &'a SessionId,
        before: Option<&'a MessageId>,
    ) -> Answer<'a, Session> {
        let body = json!({ "messageID": before });
        Box::pin(self.session_of(Ask::new(operations::FORK).of(&session.0).body(body)))
    }

    fn revert<'a>(&'a self, session: &'a SessionId, to: RevertTo) -> Answer<'a, Session> {
        let body = json!({ "messageID": to.message_id, "partID": to.part_id });
        Box::pin(self.session_of(Ask::new(operations::REVERT).of(&session.0).body(body)))
    }

    fn unrevert<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Session> {
        Box::pin(self.session_of(Ask::new(operations::UNREVERT).of(&session.0)))
    }

    fn compact<'a>(&'a self, session: &'a SessionId, with: ModelChoice) -> Answer<'a, ()> {
        Box::pin(async move {
            self.check_choices(Some(&with), None).await?;
            // It must be there: opencode says nothing of one that is not.
            self.session(session).await?;
            let body = json!({ "providerID": with.provider, "modelID": with.model });
            let ask = Ask::new(operations::COMPACT).named(session.0.clone()).body(body);
            let begins = |event: &Event| match event {
                Event::PartUpdated { part } => {
                    part.session_id == *session
                        && matches!(part.content, PartContent::Compaction { .. })
                }
                _ => false,
            };
            self.inner.begin(ask, begins).await
        })
    }

    fn share<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Session> {
        Box::pin(async move {
            self.capabilities().check(Ability::Share)?;
            self.session_of(Ask::new(operations::SHARE).of(&session.0)).await
        })
    }

    fn unshare<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Session> {
        Box::pin(async move {
            self.capabilities().check(Ability::Unshare)?;
            self.session_of(Ask::new(operations::UNSHARE).of(&session.0)).await
        })
    }

    fn todos<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Vec<Todo>> {
        Box::pin(async move {
            let ask = Ask::new(operations::TODOS).of(&session.0);
            Ok(translate::todos(self.inner.get(ask).await?))
        })
    }

    fn diff<'a>(
        &'a self,
        session: &'a SessionId,
        message: &'a MessageId,
    ) -> Answer<'a, Vec<FileDiff>> {
        Box::pin(async move {
            let ask = Ask::new(operations::DIFF).of(&session.0).with("messageID", message);
            Ok(translate::file_diffs(self.inner.get(ask).await?))
        })
    }

    fn permissions(&self) -> Answer<'_, Vec<PermissionRequest>> {
        Box::pin(async move {
            let said: Vec<_> = self.inner.get(Ask::new(operations::PERMISSIONS)).await?;
            Ok(said.into_iter().map(translate::permission).collect())
        })
    }

    fn answer_permission<'a>(
        &'a self,
        id: &'a PermissionId,
        answer: PermissionAnswer,
    ) -> Answer<'a, ()> {
        let reply = match answer.reply() {
            PermissionReply::Once => "once",
            PermissionReply::Always => "always",
            PermissionReply::Reject => "reject",
        };
        let message = match answer {
            PermissionAnswer::Reject { message } => message,
            PermissionAnswer::Once {} | PermissionAnswer::Always {} => None,
        };
        let body = json!({ "reply": reply, "message": message });
        Box::pin(self.done(Ask::new(operations::ANSWER_PERMISSION).of(&id.0).body(body)))
    }

    fn questions(&self) -> Answer<'_, Vec<QuestionRequest>> {
        Box::pin(async move {
            let said: Vec<_> = self.inner.get(Ask::new(operations::QUESTIONS)).await?;
            Ok(said.into_iter().map(translate::question).collect())
        })
    }

    fn answer_question<'a>(
        &'a self,
        id: &'a QuestionId,
        answers: Vec<Vec<String>>,
    ) -> Answer<'a, ()> {
        let body = json!({ "answers": answers });
        Box::pin(self.done(Ask::new(operations::ANSWER_QUESTION).of(&id.0).body(body)))
    }

    fn reject_question<'a>(&'a self, id: &'a QuestionId) -> Answer<'a, ()> {
        Box::pin(self.done(Ask::new(operations::REJECT_QUESTION).of(&id.0)))
    }

    fn models<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Models> {
        let _ = session;
        Box::pin(async move {
            let configured = self.inner.get(Ask::new(operations::CONFIGURED)).await?;
            Ok(translate::models(configured, &self.inner.config().await?))
        })
    }

    fn modes<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Vec<Mode>> {
        let _ = session;
        Box::pin(
            async move { Ok(translate::modes(self.inner.get(Ask::new(operations::MODES)).await?)) },
        )
    }

    fn commands<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Vec<SlashCommand>> {
        let _ = session;
        Box::pin(async move {
            Ok(translate::commands(self.inner.get(Ask::new(operations::COMMANDS)).await?))
        })
    }

    fn command<'a>(
        &'a self,
        session: &'a SessionId,
        call: SlashCommandCall,
    ) -> Answer<'a, MessageId> {
        Box::pin(async move {
            let known = self.commands(None).await?;
            if !known.iter().any(|command| command.name == call.name) {
                return Err(AgentError::NotFound { what: Thing::Command, id: call.name });
            }
            self.check_choices(call.model.as_ref(), call.mode.as_deref()).await?;
            let id = match call.message_id {
                Some(id) => id,
                None => self.next_message(session).await?,
            };
            let model = call.model.as_ref();
            let body = json!({
                "messageID": id,
                "command": call.name,
                "arguments": call.arguments,
                "model": model.map(|model| format!("{}/{}", model.provider, model.model)),
                "variant": model.and_then(|model| model.variant.as_ref()),
                "agent": call.mode,
            });
            let ask = Ask::new(operations::COMMAND).named(session.0.clone()).body(body);
            let begins = |event: &Event| match event {
                Event::MessageUpdated { message } => message.id == id,
                _ => false,
            };
            self.inner.begin(ask, begins).await?;
            Ok(id)
        })
    }

    fn providers(&self) -> Answer<'_, Vec<ProviderSetting>> {
        Box::pin(self.all_providers())
    }

    fn log_in(&self, log_in: KeyLogIn) -> Answer<'_, bool> {
        Box::pin(self.set_key(log_in))
    }

    fn begin_log_in(&self, log_in: PageLogIn) -> Answer<'_, LogInPage> {
        Box::pin(self.open_page(log_in))
    }

    fn finish_log_in<'a>(
        &'a self,
        provider: &'a str,
        way: usize,
        code: Option<Key>,
    ) -> Answer<'a, bool> {
        Box::pin(self.page_done(provider, way, code))
    }

    fn log_out<'a>(&'a self, provider: &'a str) -> Answer<'a, bool> {
        Box::pin(self.remove_key(provider))
    }
}

impl OpenCode {
    async fn session_of(&self, ask: Ask<'_>) -> Result<Session, AgentError> {
        Ok(translate::session(self.inner.get(ask).await?))
    }

    async fn done(&self, ask: Ask<'_>) -> Result<(), AgentError> {
        self.inner.ask(ask).await.map(drop)
    }

    /// An id for the next message of a session, which has to be there.
    async fn next_message(&self, session: &SessionId) -> Result<MessageId, AgentError> {
        let ask = Ask::new(operations::MESSAGES).of(&session.0).with("limit", &1);
        let newest: Vec<wire::Message> = self.inner.get(ask).await?;
        let newest = newest.last().and_then(|message| message.info["id"].as_str());
        let began = match newest {
            Some(_) => 0,
            None => self.session(session).await?.created.unwrap_or_default(),
        };
        Ok(self.inner.ids.following(newest.map(MessageId::from).as_ref(), began))
    }

    /// opencode takes a prompt for a model that it does not have, keeps it for the session, and fails from then on.
    async fn check_choices(
        &self,
        model: Option<&ModelChoice>,
        mode: Option<&str>,
    ) -> Result<(), AgentError> {
        if let Some(chosen) = model {
            let models = self.models(None).await?;
            let mut providers = models.providers.iter();
            let provider = providers.find(|provider| provider.id == chosen.provider);
            let model = provider
                .and_then(|provider| provider.models.iter().find(|model| model.id == chosen.model));
            let id = || format!("{}/{}", chosen.provider, chosen.model);
            let Some(model) = model else {
                return Err(AgentError::NotFound { what: Thing::Model, id: id() });
            };
            if let Some(variant) = chosen.variant.as_ref().filter(|it| !model.variants.contains(it))
            {
                let id = format!("{} ({variant})", id());
                return Err(AgentError::NotFound { what: Thing::Model, id });
            }
        }
        if let Some(mode) = mode {
            let is_known = self.modes(None).await?.iter().any(|known| known.id == mode);
            if !is_known {
                return Err(AgentError::NotFound { what: Thing::Mode, id: mode.to_owned() });
            }
        }
        Ok(())
    }
}

fn model(chosen: &ModelChoice) -> Value {
    json!({ "providerID": chosen.provider, "modelID": chosen.model })
}

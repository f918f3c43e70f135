//! Asking the person through the agent's own client: a form, in both eras of the protocol.
//!
//! A client with sessions is asked by a request while its call is held; one without gets a result that says
//! what is missing, and calls again with the answer and with a state that only this server can have made:
//! bound to the client, the tool, the arguments and half an hour, and good for one answer. A form offers no
//! more than this one call: what counts for longer is answered where the person sees the whole space. The
//! browser and the command line can answer meanwhile; the first answer counts.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use openspace_command::{Call, Caller, CallerKind, Intent};
use openspace_protocol::ApprovalId;
use openspace_workspace::{
    Dispatcher,
    areas::approvals::{Approvals, Question, commands::CLIENT, shown::digest, words::in_full},
};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
        ElicitationAction, ElicitationSchema, EnumSchema, InputRequest, InputRequiredResult,
        PrimitiveSchemaDefinition, RequestStateCodec, SealOptions, ServerRequest,
    },
    service::{PeerRequestOptions, RequestContext, RequestHandle},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::state_folder::random_word;

/// The one field of the form, and the key of the one question in a result.
const FIELD: &str = "answer";
const KEY: &str = "approval";
/// What can be chosen. Nothing is chosen beforehand.
const YES: &str = "yes, once";
const NO: &str = "no";
/// How long a state is good for.
const STATE_FOR: Duration = Duration::from_mins(30);
/// States that are remembered as used. One that is forgotten leads to a question that is settled.
const MAX_USED: usize = 1_000;

/// What is sealed into a state.
#[derive(Serialize, Deserialize)]
struct Sealed {
    approval: ApprovalId,
    /// Used once.
    nonce: String,
}

/// Makes states and knows them again.
pub(super) struct Seals {
    codec: Option<RequestStateCodec>,
    used: Mutex<VecDeque<String>>,
}

impl Seals {
    /// With a key of its own that no other run of the server has.
    pub(super) fn new() -> Self {
        let codec = RequestStateCodec::try_new(random_word(32).as_bytes());
        if let Err(error) = &codec {
            tracing::error!(%error, "agents without sessions cannot ask their persons");
        }
        Self { codec: codec.ok(), used: Mutex::default() }
    }

    /// What a call is bound to: who makes it, and what it is. Whether it still means the same is the question's to say.
    fn context(client: &str, request: &CallToolRequestParams) -> Vec<u8> {
        let arguments = request.arguments.clone().unwrap_or_default();
        format!("{client}\n{}\n{}", request.name, digest(&arguments, &Intent::default()))
            .into_bytes()
    }

    fn seal(&self, approval: ApprovalId, context: &[u8]) -> Option<String> {
        let sealed = Sealed { approval, nonce: random_word(16) };
        let payload = serde_json::to_vec(&sealed).ok()?;
        let options = SealOptions::new().associated_data(context).ttl(STATE_FOR);
        Some(self.codec.as_ref()?.seal_with(&payload, &options))
    }

    /// The question of a state that comes back, once.
    fn open(&self, state: &str, context: &[u8]) -> Option<ApprovalId> {
        let payload = self.codec.as_ref()?.open_with(state, context).ok()?;
        let Sealed { approval, nonce } = serde_json::from_slice(&payload).ok()?;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.contains(&nonce) {
            return None;
        }
        if used.len() == MAX_USED {
            used.pop_front();
        }
        used.push_back(nonce);
        Some(approval)
    }
}

/// Whether a client can show its person a form.
pub(super) fn can_ask(cx: &RequestContext<RoleServer>) -> bool {
    let capability = cx.client_capabilities().and_then(|client| client.elicitation);
    // One that names no kind means forms.
    capability.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// The result that has a client without sessions ask its person.
pub(super) fn input_required(
    dispatcher: &Dispatcher,
    seals: &Seals,
    approval: &str,
    client: &str,
    request: &CallToolRequestParams,
) -> Option<InputRequiredResult> {
    let id: ApprovalId = approval.parse().ok()?;
    let form = InputRequest::Elicitation(ElicitRequest::new(form(dispatcher, id)?));
    let state = seals.seal(id, &Seals::context(client, request))?;
    Some(InputRequiredResult::new(Some(BTreeMap::from([(KEY.to_owned(), form)])), Some(state)))
}

/// Take the answer that a call brings along, if it brings one.
pub(super) async fn take_answer(
    dispatcher: &Dispatcher,
    seals: &Seals,
    client: &str,
    request: &CallToolRequestParams,
) -> Result<(), ErrorData> {
    let Some(state) = &request.request_state else { return Ok(()) };
    let Some(id) = seals.open(state, &Seals::context(client, request)) else {
        let error = "requestState is not one of this call, or was used already; call without it";
        return Err(ErrorData::invalid_params(error, None));
    };
    let given = request.input_responses.as_ref().and_then(|given| given.get(KEY));
    let given = given.and_then(|given| ElicitResult::deserialize(given).ok());
    if let Some(given) = given {
        answer(dispatcher, id, client, &given).await;
    }
    Ok(())
}

/// Ask the person of a client with a session, and answer with what they chose. It never ends by itself:
/// whoever waits for the call drops it, and the client is told that nobody asks any more.
pub(super) async fn ask(
    dispatcher: &Dispatcher,
    cx: &RequestContext<RoleServer>,
    client: &str,
    approval: &str,
) {
    let Some(id) = approval.parse().ok() else { return };
    let Some(form) = form(dispatcher, id) else { return };
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
    let options = PeerRequestOptions::no_options();
    let mut asked = match cx.peer.send_cancellable_request(request, options).await {
        Ok(handle) => Asked(Some(handle)),
        Err(error) => return tracing::debug!(%error, "a client cannot be asked"),
    };
    let Some(handle) = &mut asked.0 else { return };
    let given = (&mut handle.rx).await;
    asked.0 = None;
    match given {
        Ok(Ok(ClientResult::ElicitResult(given))) => answer(dispatcher, id, client, &given).await,
        // Some clients say that they can and cannot. The other ways are still open.
        other => tracing::debug!(?other, "a client did not ask its person"),
    }
}

/// A form that a client shows.
struct Asked(Option<RequestHandle<RoleServer>>);

impl Drop for Asked {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            tokio::spawn(async move {
                // A client that is gone needs no word.
                drop(handle.cancel(Some("it is settled".into())).await);
            });
        }
    }
}

/// Give a client's answer in the name of its person.
async fn answer(dispatcher: &Dispatcher, id: ApprovalId, client: &str, given: &ElicitResult) {
    let chosen = given.content.as_ref().and_then(|content| content.get(FIELD)?.as_str());
    let word = match (&given.action, chosen) {
        (ElicitationAction::Accept, Some(YES)) => "once",
        (ElicitationAction::Accept, Some(NO)) | (ElicitationAction::Decline, _) => "no",
        // Closed without a choice: nobody has answered.
        _ => return,
    };
    let person = Caller::new(CallerKind::Person, &format!("{CLIENT}{client}"), None);
    let args = json!({"approvalId": id, "answer": word});
    let reply = dispatcher.dispatch(Call::new(person, "approval.answer", args)).await;
    if let Err(error) = reply.result {
        tracing::debug!(%error, "a client's answer came too late");
    }
}

/// The form for a question that is open.
fn form(dispatcher: &Dispatcher, id: ApprovalId) -> Option<ElicitRequestParams> {
    let one = dispatcher.state().service::<Approvals>().get(id).ok()?;
    if !one.is_open() {
        return None;
    }
    let Question { why, .. } = &one.question;
    let message = format!("May this be done? {why}\n\n{}", in_full(id, &one));
    let choice = EnumSchema::builder(vec![YES.to_owned(), NO.to_owned()]).build();
    let fields = BTreeMap::from([(FIELD.to_owned(), PrimitiveSchemaDefinition::Enum(choice))]);
    let requested_schema = ElicitationSchema::new(fields).with_required(vec![FIELD.to_owned()]);
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

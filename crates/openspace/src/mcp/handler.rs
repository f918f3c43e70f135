//! One hand-written handler for both eras of the protocol.
//!
//! The library makes a [`Connection`] for each legacy session and for each modern request, so it
//! is cheap and everything lasting lives in the shared [`Edge`]. A modern request must find all it
//! needs in its own arguments, `_meta` and HTTP request.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use openspace_command::{Call, Caller, CallerKind, Hold, Progress, Reply};
use openspace_workspace::{
    agents::{Stream, Transport},
    conversations::KeyHolder,
};
#[expect(deprecated, reason = "legacy clients still set a log level")]
use rmcp::model::SetLevelRequestParams;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
        CompleteResult, CompletionInfo, ContentBlock, DiscoverResult, GetPromptRequestParams,
        GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
        ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SetLevelRequestMethod,
        SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{
    Edge, Joining, ToolSet, approval,
    calls::{Aborted, http_parts, is_modern, query_value, unknown_outcome, with_progress},
    listeners::{Change, Registration, Watched},
    presence::Line,
    resources,
    tools::meta,
};
use crate::state_folder::random_word;

/// Tool lists change with a release, or after a `list_changed` notice.
const TOOLS_TTL_MS: u64 = 5 * 60 * 1000;
/// State is stale the moment it is sent, and belongs to one space.
const STATE_TTL_MS: u64 = 0;
/// Reports of progress that may wait to be sent.
const PROGRESS_BACKLOG: usize = 64;

/// The server's side of one legacy session, or of one modern request.
pub struct Connection {
    edge: Arc<Edge>,
    set: ToolSet,
    transport: Transport,
    session: String,
    /// The client comes from another server.
    again: bool,
    watched: Arc<Watched>,
    registration: OnceLock<Registration>,
    presence: OnceLock<Presence>,
}

/// That the client of a session is known, until the session ends.
struct Presence {
    _line: Line,
    /// A raw stream is open as long as the session is.
    _stream: Option<Stream>,
}

impl Connection {
    /// A connection that is shown a set of tools, unless its URL asks for another.
    pub fn new(edge: Arc<Edge>, joining: Joining, transport: Transport) -> Self {
        Self {
            edge,
            set: joining.set,
            transport,
            session: joining.session.unwrap_or_else(|| random_word(3)),
            again: joining.again,
            watched: Arc::default(),
            registration: OnceLock::new(),
            presence: OnceLock::new(),
        }
    }

    fn set(&self, cx: &RequestContext<RoleServer>) -> Result<ToolSet, ErrorData> {
        match query_value(cx, "set") {
            Some(word) => {
                word.parse().map_err(|error: String| ErrorData::invalid_params(error, None))
            }
            None => Ok(self.set),
        }
    }

    /// Who calls. Clients name themselves; a modern one over HTTP has no session to tell two of a name
    /// apart, one on a raw stream is told by its stream.
    fn caller(&self, cx: &RequestContext<RoleServer>) -> Caller {
        let session = (!is_modern(cx) || self.is_raw()).then_some(self.session.as_str());
        if let Some(holder) = holder(cx) {
            return Caller::new(CallerKind::Agent, &holder.agent, session);
        }
        Caller::new(CallerKind::Agent, &client_name(cx.client_info().as_ref()), session)
    }

    /// Whether this is the one connection of a raw stream.
    fn is_raw(&self) -> bool {
        self.transport == Transport::Stdio
    }

    /// A client is there while it asks for something, and on a raw stream as long as that is open.
    fn note_presence(&self, cx: &RequestContext<RoleServer>) {
        let name = full_name(cx.client_info().as_ref());
        let caller = self.caller(cx);
        if self.is_raw() && is_modern(cx) {
            self.begin(&caller, &name, Line::default());
        }
        self.edge.dispatcher.state().agents().seen(&caller, &name, self.transport);
    }

    /// The client of a session is known, as long as the session is.
    fn begin(&self, caller: &Caller, name: &str, line: Line) {
        self.presence.get_or_init(|| {
            let agents = self.edge.dispatcher.state().agents();
            line.begin(agents.connected(caller, name, self.transport));
            let stream = if self.is_raw() { line.stream() } else { None };
            Presence { _line: line, _stream: stream }
        });
    }

    /// What outlives this connection.
    pub fn edge(&self) -> &Arc<Edge> {
        &self.edge
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.note_presence(cx);
        let (dispatcher, mut caller) = (&self.edge.dispatcher, self.caller(cx));
        if let Some(holder) = holder(cx) {
            let arguments = request.arguments.clone().map_or_else(|| json!({}), Value::Object);
            let conversations = dispatcher.state().conversations();
            let session = conversations.session_of(&holder, &request.name, &arguments).await;
            if session.is_some() {
                caller = Caller::new(CallerKind::Agent, &holder.agent, session.as_deref());
            }
        }
        let client = caller.id.clone();
        approval::take_answer(dispatcher, &self.edge.seals, &client, &request).await?;
        let (asks, modern) = (approval::can_ask(cx), is_modern(cx));
        // Who brings an answer has asked its person: what is missing now is for the others to say.
        let leaves = asks && modern && request.request_state.is_none();
        let (held, mut told) = mpsc::channel(1);
        let hold = match (asks, modern) {
            _ if leaves => Hold::leaving(),
            (true, false) => Hold::telling(held),
            _ => Hold::default(),
        };
        let (reports, mut progress) = mpsc::channel(PROGRESS_BACKLOG);
        let args = request.arguments.clone().map_or(Value::Null, Value::Object);
        let call = Call::new(caller, &request.name, args)
            .with_text(true)
            .with_progress(Progress::to(reports))
            .with_hold(hold);
        let cancel = call.cancel.clone().drop_guard();
        let work = dispatcher.dispatch(call);
        let work = async {
            tokio::select! {
                biased;
                reply = work => reply,
                never = async {
                    if let Some(question) = told.recv().await {
                        approval::ask(dispatcher, cx, &client, &question).await;
                    }
                    std::future::pending().await
                } => never,
            }
        };
        let work = with_progress(cx, &self.edge.stop, &mut progress, work);
        let reply = match self.edge.calls.track_future(work).await {
            Ok(reply) => reply,
            // The library drops the answer to a cancelled request, so only its log ever shows this.
            Err(Aborted::Cancelled) => {
                return Err(ErrorData::internal_error("the request was cancelled", None));
            }
            Err(Aborted::Stopping) => return Ok(failure(&unknown_outcome()).into()),
        };
        cancel.disarm();
        if reply.unknown {
            return Err(ErrorData::invalid_params(
                reply.to_text(),
                Some(json!({"tool": request.name})),
            ));
        }
        let question = reply.result.as_ref().err().and_then(|error| error.approval.as_deref());
        if leaves && let Some(question) = question {
            let (seals, client) = (&self.edge.seals, client.as_str());
            let missing = approval::input_required(dispatcher, seals, question, client, &request);
            if let Some(missing) = missing {
                return Ok(missing.into());
            }
        }
        Ok(result(&reply).into())
    }
}

/// The agent of this server whose key came with the request. A name is what a client says of itself, this is not.
fn holder(cx: &RequestContext<RoleServer>) -> Option<KeyHolder> {
    http_parts(cx)?.extensions.get::<KeyHolder>().cloned()
}

fn client_name(info: Option<&Implementation>) -> String {
    let name = info.map(|info| info.name.clone()).filter(|name| !name.is_empty());
    Caller::new(CallerKind::Agent, name.as_deref().unwrap_or("mcp"), None).id
}

fn full_name(info: Option<&Implementation>) -> String {
    let version = info.map(|info| info.version.as_str()).unwrap_or_default();
    format!("{} {version}", client_name(info)).trim_end().to_owned()
}

/// The answer as structure and as text, each complete, with what the caller has left.
fn result(reply: &Reply) -> CallToolResult {
    let content = vec![ContentBlock::text(reply.to_text())];
    let mut result = match reply.result {
        Ok(_) => CallToolResult::success(content),
        Err(_) => CallToolResult::error(content),
    };
    result.structured_content = Some(reply.to_value());
    let mut about = json!({"openspace/id": reply.command, "openspace/budget": reply.budget});
    if let Some(warning) = &reply.warning {
        about["openspace/warning"] = warning.as_str().into();
    }
    result.with_meta(Some(meta(about)))
}

/// A failure that is not a command's.
fn failure(error: &openspace_command::Error) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.to_text())]);
    result.structured_content = Some(error.to_value());
    result
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities).with_server_info(
            Implementation::new("openspace", env!("CARGO_PKG_VERSION")).with_title("OpenSpace"),
        )
    }

    /// Lets the library check `Mcp-Param-*` headers against the schema.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let definition = self.edge.dispatcher.registry().find(name)?;
        Some(self.edge.tools.tool(&definition))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        cx.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = Some(self.edge.instructions(self.set(&cx)?, None));
        let info = Some(&request.client_info);
        let session = Some(self.session.as_str());
        let name = holder(&cx).map_or_else(|| client_name(info), |holder| holder.agent);
        let caller = Caller::new(CallerKind::Agent, &name, session);
        let line = http_parts(&cx).and_then(|parts| parts.extensions.get::<Line>());
        self.begin(&caller, &full_name(info), line.cloned().unwrap_or_default());
        Ok(result)
    }

    /// The session may be told about changes from here on, not earlier.
    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        let registration = self.registration.get_or_init(|| {
            self.edge.listeners.add_session(cx.peer.clone(), Arc::clone(&self.watched))
        });
        if self.again {
            registration.tell(&[Change::Tools, Change::Resources]).await;
        }
    }

    async fn discover(&self, cx: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.note_presence(&cx);
        let versions = self.supported_protocol_versions().into_owned();
        let client = self.caller(&cx).id;
        let instructions = self.edge.instructions(self.set(&cx)?, Some(&client));
        let info = self.get_info().with_instructions(instructions);
        Ok(DiscoverResult::from_server_info(versions, info)
            .with_ttl_ms(STATE_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.note_presence(&cx);
        let tools = self.edge.tools.list(self.edge.dispatcher.registry(), self.set(&cx)?);
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(TOOLS_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, &cx).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let found = resources::list(&self.edge.dispatcher);
        Ok(ListResourcesResult::with_all_items(found)
            .with_ttl_ms(STATE_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates())
            .with_ttl_ms(STATE_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = resources::read(&self.edge, &request.uri, self.set(&cx)?).await;
        let result = found.ok_or_else(|| resource_not_found(&request.uri))?;
        Ok(result.with_ttl_ms(STATE_TTL_MS).with_cache_scope(CacheScope::Private).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !resources::exists(&self.edge.dispatcher, &request.uri) {
            return Err(resource_not_found(&request.uri));
        }
        self.watched.add(request.uri.clone());
        if self.again {
            // A client that has gone meanwhile needs no word.
            let updated = ResourceUpdatedNotificationParam::new(request.uri);
            drop(cx.peer.notify_resource_updated(updated).await);
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.remove(&request.uri);
        Ok(())
    }

    /// The library removes what [`Self::get_info`] does not advertise.
    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = accepted.resource_subscriptions.as_mut() {
            uris.retain(|uri| resources::exists(&self.edge.dispatcher, uri));
        }
        Some(accepted)
    }

    /// Returning sends the final result of the stream, so this lasts until someone ends it.
    async fn listen(&self, cx: SubscriptionContext) -> Result<(), ErrorData> {
        self.note_presence(cx.request_context());
        let caller = self.caller(cx.request_context());
        let _open = self.edge.dispatcher.state().agents().stream(&caller);
        let registered = self.edge.listeners.add_stream(cx.sink().clone());
        if self.again {
            registered.tell(&[Change::Tools, Change::Resources]).await;
        }
        tokio::select! {
            () = cx.cancelled() => {}
            () = self.edge.stop.cancelled() => {}
        }
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(Vec::new())
            .with_ttl_ms(TOOLS_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None))
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let completion = CompletionInfo::with_all_values(Vec::new())
            .map_err(|why| ErrorData::internal_error(why, None))?;
        Ok(CompleteResult::new(completion))
    }

    /// Accepted and ignored: the product sends no log messages. Modern clients ask per request.
    #[expect(deprecated, reason = "legacy clients still send it")]
    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&cx) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        Ok(())
    }
}

/// The library turns the legacy code into the modern one where it must.
fn resource_not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("there is no resource {uri}"), Some(json!({"uri": uri})))
}

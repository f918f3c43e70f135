//! A handler around the product's own: what is a fixture is answered here, all else is passed on.

use std::borrow::Cow;

use openspace::mcp::Connection;
#[expect(deprecated, reason = "legacy clients still set a log level")]
use rmcp::model::SetLevelRequestParams;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
        CompleteResult, CompletionInfo, DiscoverResult, GetPromptRequestParams, GetPromptResponse,
        GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult, JsonObject,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
        ServerConfig, SubscribeRequestParams, SubscriptionFilter, TASKS_EXTENSION_ID, Tool,
        UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
    task_manager::TaskManager,
};

use crate::fixtures;

type Cx = RequestContext<RoleServer>;
type Answer<T> = Result<T, ErrorData>;
type Page = Option<PaginatedRequestParams>;

pub(crate) struct WithFixtures {
    pub(crate) connection: Connection,
    pub(crate) tasks: &'static TaskManager,
}

impl ServerHandler for WithFixtures {
    /// The product sends no log messages and makes no tasks; only fixtures do.
    fn get_info(&self) -> ServerConfig {
        let mut info = self.connection.get_info();
        info.capabilities.logging = Some(JsonObject::new());
        let tasks = (TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
        info.capabilities.extensions.get_or_insert_default().extend([tasks]);
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        fixtures::tool(name).or_else(|| self.connection.get_tool(name))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        cx: Cx,
    ) -> Answer<InitializeResult> {
        let mut result = self.connection.initialize(request, cx).await?;
        result.capabilities = self.get_info().capabilities;
        Ok(result)
    }

    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        self.connection.on_initialized(cx).await;
    }

    async fn discover(&self, cx: Cx) -> Answer<DiscoverResult> {
        let mut result = self.connection.discover(cx).await?;
        result.capabilities = self.get_info().capabilities;
        Ok(result)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.connection.supported_protocol_versions()
    }

    async fn list_tools(&self, request: Page, cx: Cx) -> Answer<ListToolsResult> {
        let mut result = self.connection.list_tools(request, cx).await?;
        result.tools.extend(fixtures::tools());
        Ok(result)
    }

    async fn call_tool(&self, request: CallToolRequestParams, cx: Cx) -> Answer<CallToolResponse> {
        if fixtures::tool(&request.name).is_some() {
            return fixtures::call(request, &cx, self.connection.edge(), self.tasks).await;
        }
        self.connection.call_tool(request, cx).await
    }

    async fn list_resources(&self, request: Page, cx: Cx) -> Answer<ListResourcesResult> {
        let mut result = self.connection.list_resources(request, cx).await?;
        result.resources.extend(fixtures::resources());
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Page,
        cx: Cx,
    ) -> Answer<ListResourceTemplatesResult> {
        let mut result = self.connection.list_resource_templates(request, cx).await?;
        result.resource_templates.extend(fixtures::resource_templates());
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: Cx,
    ) -> Answer<ReadResourceResponse> {
        match fixtures::read(&request.uri) {
            Some(fixture) => Ok(fixture.into()),
            None => self.connection.read_resource(request, cx).await,
        }
    }

    /// Fixtures never change, so there is nothing to remember about them.
    #[expect(deprecated, reason = "legacy clients still send it")]
    async fn subscribe(&self, request: SubscribeRequestParams, cx: Cx) -> Answer<()> {
        match fixtures::read(&request.uri) {
            Some(_) => Ok(()),
            None => self.connection.subscribe(request, cx).await,
        }
    }

    #[expect(deprecated, reason = "legacy clients still send it")]
    async fn unsubscribe(&self, request: UnsubscribeRequestParams, cx: Cx) -> Answer<()> {
        self.connection.unsubscribe(request, cx).await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = self.connection.accepted_subscription_filter(requested)?;
        let asked = requested.resource_subscriptions.iter().flatten();
        let fixtures = asked.filter(|uri| fixtures::read(uri).is_some()).cloned();
        if let Some(uris) = accepted.resource_subscriptions.as_mut() {
            uris.extend(fixtures);
        }
        Some(accepted)
    }

    async fn listen(&self, cx: SubscriptionContext) -> Answer<()> {
        self.connection.listen(cx).await
    }

    async fn list_prompts(&self, request: Page, cx: Cx) -> Answer<ListPromptsResult> {
        let mut result = self.connection.list_prompts(request, cx).await?;
        result.prompts.extend(fixtures::prompts());
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        cx: Cx,
    ) -> Answer<GetPromptResponse> {
        match fixtures::prompt(&request) {
            Some(fixture) => fixture,
            None => self.connection.get_prompt(request, cx).await,
        }
    }

    async fn complete(&self, request: CompleteRequestParams, cx: Cx) -> Answer<CompleteResult> {
        let fixture = fixtures::completions(&request);
        if fixture.is_empty() {
            return self.connection.complete(request, cx).await;
        }
        let completion = CompletionInfo::with_all_values(fixture)
            .map_err(|why| ErrorData::internal_error(why, None))?;
        Ok(CompleteResult::new(completion))
    }

    async fn get_task(&self, request: GetTaskParams, _cx: Cx) -> Answer<GetTaskResult> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(&self, request: UpdateTaskParams, _cx: Cx) -> Answer<()> {
        self.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _cx: Cx) -> Answer<()> {
        self.tasks.cancel_task(&request.task_id)
    }

    #[expect(deprecated, reason = "legacy clients still send it")]
    async fn set_level(&self, request: SetLevelRequestParams, cx: Cx) -> Answer<()> {
        self.connection.set_level(request, cx).await
    }
}

//! Our tools, as they are offered to a session of an agent: an MCP server at an address, or a program that is one.

use std::{fmt, path::PathBuf};

use agent_client_protocol_schema::v1::{
    EnvVariable, HttpHeader, McpCapabilities, McpServer, McpServerHttp, McpServerStdio,
};

use crate::model::SessionId;

/// Where our tools are. Its `Debug` tells no value of a header or a variable: these may be keys.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct McpEndpoint {
    /// What the server is called.
    pub name: String,
    /// Its address, for agents that can use one.
    pub http: Option<HttpEndpoint>,
    /// A program that joins it, for those that cannot.
    pub program: Option<ProgramEndpoint>,
}

/// An MCP server at an address.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpEndpoint {
    /// The address.
    pub url: String,
    /// Headers of every request.
    pub headers: Vec<(String, String)>,
}

/// A program that is an MCP server.
#[derive(Clone, PartialEq, Eq)]
pub struct ProgramEndpoint {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its variables.
    pub variables: Vec<(String, String)>,
}

/// Offers our tools to the sessions of an agent, each with an endpoint of its own if that is wished: so it is known which
/// session a call of a tool belongs to.
pub trait Tools: Send + Sync {
    /// The endpoint for this session, or for one that is about to begin.
    fn endpoint(&self, session: Option<&SessionId>) -> Option<McpEndpoint>;

    /// The session that began with this endpoint.
    fn began(&self, endpoint: &McpEndpoint, session: &SessionId) {
        let _ = (endpoint, session);
    }
}

/// The same endpoint for every session.
impl Tools for McpEndpoint {
    fn endpoint(&self, _: Option<&SessionId>) -> Option<McpEndpoint> {
        Some(self.clone())
    }
}

/// How an agent gets our tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offered {
    /// By their address.
    Http,
    /// By a program.
    Program,
    /// Not at all.
    Nothing { why: String },
}

impl McpEndpoint {
    /// The endpoint in the form that this agent can use.
    pub(super) fn offered(&self, can: &McpCapabilities) -> (Vec<McpServer>, Offered) {
        match (&self.http, &self.program) {
            (Some(HttpEndpoint { url, headers }), _) if can.http => {
                let headers = headers.iter().map(|(name, value)| HttpHeader::new(name, value));
                let server = McpServerHttp::new(&self.name, url).headers(headers.collect());
                (vec![McpServer::Http(server)], Offered::Http)
            }
            (_, Some(ProgramEndpoint { program, arguments, variables })) => {
                let variables = variables.iter().map(|(name, value)| EnvVariable::new(name, value));
                let server = McpServerStdio::new(&self.name, program);
                let server = server.args(arguments.clone()).env(variables.collect());
                (vec![McpServer::Stdio(server)], Offered::Program)
            }
            (Some(_), None) => (Vec::new(), Offered::Nothing {
                why: "the agent takes no address of an MCP server, and there is no program for it".to_owned(),
            }),
            (None, None) => (Vec::new(), Offered::Nothing { why: "no tools are offered".to_owned() }),
        }
    }
}

impl fmt::Debug for McpEndpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.http.as_ref().map(|http| &http.url);
        let program = self.program.as_ref().map(|it| &it.program);
        let mut shown = formatter.debug_struct("McpEndpoint");
        shown.field("name", &self.name).field("url", &url).field("program", &program);
        shown.finish_non_exhaustive()
    }
}

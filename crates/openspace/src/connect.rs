//! Under construction.
use crate::mcp::ToolSet as Set;
use std::path::PathBuf;
#[derive(Clone, Copy)]
pub enum Client {
    A,
}
impl Client {
    pub const ALL: [Self; 1] = [Self::A];
    pub fn name(self) -> &'static str {
        "a"
    }
    pub fn title(self) -> &'static str {
        "A"
    }
    pub fn parse(_: &str) -> Option<Self> {
        None
    }
}
pub struct Target {
    pub program: PathBuf,
    pub root: PathBuf,
    pub url: Option<String>,
    pub token: Option<String>,
    pub instructions_url: Option<String>,
    pub home: Option<PathBuf>,
    pub config_home: Option<PathBuf>,
}
pub struct Request {
    pub client: Client,
    pub http: bool,
    pub instructions: bool,
    pub set: Option<Set>,
    pub write: bool,
}
pub struct Written {
    pub created: bool,
    pub changed: bool,
}
pub struct Outcome {
    pub file: PathBuf,
    pub text: String,
    pub written: Option<Written>,
    pub notes: Vec<String>,
}
pub fn connect(_: &Target, _: &Request) -> anyhow::Result<Outcome> {
    anyhow::bail!("soon")
}

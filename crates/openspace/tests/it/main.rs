//! The real binary, from outside: processes, ports, signals and files, as people and agents meet
//! it. What a command does is tested where it is declared; here it is tested that it arrives.

#[cfg(test)]
mod agent_sessions;
#[cfg(test)]
mod agents;
#[cfg(test)]
mod approvals;
#[cfg(test)]
mod assets;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod bounds;
#[cfg(test)]
mod bridges;
#[cfg(test)]
mod buffers;
mod buffers_crash;
#[cfg(test)]
mod command_line;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod confined;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod door;
#[cfg(test)]
mod elicitation;
#[cfg(test)]
mod events;
#[cfg(test)]
mod files;
#[cfg(test)]
mod full_disk;
#[cfg(test)]
mod git_credentials;
#[cfg(test)]
mod git_looking;
#[cfg(test)]
mod hosting;
#[cfg(test)]
mod languages;
#[cfg(test)]
mod masking;
#[cfg(test)]
mod mcp_legacy;
#[cfg(test)]
mod mcp_modern;
#[cfg(test)]
mod mcp_notices;
#[cfg(test)]
mod mcp_reconnect;
#[cfg(test)]
mod mcp_stdio;
#[cfg(test)]
mod packing;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod restart;
#[cfg(test)]
mod search;
#[cfg(test)]
mod soak;
#[cfg(test)]
mod support;
#[cfg(test)]
mod terminals;
#[cfg(test)]
mod tool_list;
#[cfg(test)]
mod tools_cli;
#[cfg(test)]
mod tools_mcp;
#[cfg(test)]
mod user_data;
#[cfg(test)]
mod versions;
#[cfg(test)]
mod workspace_processes;
#[cfg(test)]
mod workspaces;

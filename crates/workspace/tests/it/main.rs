//! Every command through `dispatch`, in a real workspace: a real folder, database and shells.
//!
//! No edge is involved; what HTTP, MCP and the command line add is tested where they live.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panicking")]

mod agent_bounds;
mod agent_cleanup;
mod agent_commands;
mod agents;
mod approvals;
mod approvals_files;
mod audit;
mod bounds;
mod bridge;
mod buffers;
mod buffers_disk;
mod buffers_moves;
mod buffers_pages;
mod buffers_typing;
mod buffers_without_file;
mod chat;
mod chat_setup;
mod command;
mod content;
mod doings;
mod editor;
mod file;
mod file_changes;
mod follow;
mod input;
mod instructions;
mod layout;
mod masking;
mod pane;
mod permission;
mod places;
mod problems;
mod propose;
mod question_words;
mod space;
mod store;
mod support;
mod task;
mod task_judged;
mod terminal;
mod terminal_run;
mod tools_audit;
mod tools_bash;
mod tools_files;
mod tools_find;
mod tools_git;
mod tools_git_joining;
mod tools_git_lines;
mod tools_runs;
mod tree;
mod unsaved_tabs;
mod view;
mod workspaces;

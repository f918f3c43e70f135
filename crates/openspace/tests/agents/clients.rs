//! `openspace connect` for programs that people use: each reads what was written for it, starts `openspace mcp`, and has our
//! tools.

use std::process::Stdio;

use openspace_scripted::Step;
use serde_json::{Value, json};
use tokio::{process::Command, time::timeout};

use crate::support::{PATIENCE, Person, Space, named, opencode, put};

/// Run a program in the project as the person; all that it said, and whether it succeeded.
#[expect(clippy::disallowed_methods, reason = "the program itself is tried")]
async fn run(space: &Space, program: &std::path::Path, words: &[&str]) -> (String, bool) {
    let mut running = Command::new(program);
    running
        .args(words)
        .current_dir(space.person.root())
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", space.person.home())
        .env("NPM_CONFIG_FETCH_RETRIES", "0")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    for switch in ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "CLAUDE_CODE"] {
        running.env(format!("OPENCODE_DISABLE_{switch}"), "1");
    }
    let output = timeout(PATIENCE, running.output()).await.expect("it ends").unwrap();
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&said).into_owned(), output.status.success())
}

async fn connect(space: &Space, client: &str) {
    let state = space.person.path("state");
    let words = ["--state-dir", state.to_str().unwrap(), "connect", client, "--write"];
    let program = env!("CARGO_BIN_EXE_openspace");
    let (said, is_done) = run(space, program.as_ref(), &words).await;
    assert!(is_done, "{said}");
}

/// The tools of a request to a model.
fn tools(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["function"]["name"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn opencode_that_a_person_starts_is_connected_and_has_our_tools() {
    let space = Person::with(json!({})).await.serve().await;
    connect(&space, "opencode").await;
    let (said, is_done) = run(&space, &opencode(), &["mcp", "list"]).await;
    assert!(is_done && said.contains("openspace") && said.contains("connected"), "{said}");

    space.person.model.say([Step::text("Good day.")]);
    let (said, is_done) = run(&space, &opencode(), &["run", "--title", "A talk", "Say it"]).await;
    assert!(is_done && said.contains("Good day."), "{said}");
    let asked = space.person.model.asked(openspace_scripted::Asked::has_tools).await;
    let names = tools(&asked.body);
    for name in ["openspace_editor_open", "openspace_terminal_create", "openspace_command_search"] {
        assert!(names.iter().any(|known| known == name), "{name} is not in {names:?}");
    }
    space.stop().await;
}

#[tokio::test]
async fn gemini_reads_what_was_written_for_it_once_the_folder_is_trusted() {
    let space = Person::with(json!({})).await.serve().await;
    connect(&space, "gemini").await;
    let script = named("OPENSPACE_GEMINI")
        .expect("run it with `cargo xtask test`, which names a Gemini CLI in OPENSPACE_GEMINI");
    let words = [script.to_str().unwrap(), "mcp", "list"];
    let (said, _) = run(&space, "node".as_ref(), &words).await;
    assert!(said.contains("openspace") && !said.contains("Connected"), "{said}");

    let trusted = json!({ space.person.root().to_str().unwrap(): "TRUST_FOLDER" });
    put(&space.person.home().join(".gemini/trustedFolders.json"), &trusted.to_string());
    let (said, is_done) = run(&space, "node".as_ref(), &words).await;
    assert!(is_done && said.contains("openspace") && said.contains("Connected"), "{said}");
    space.stop().await;
}

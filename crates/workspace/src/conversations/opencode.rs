//! opencode: started as a server of this machine's loopback, configured by its environment alone.
//!
//! What is said in its environment comes on top of what the person has in their files, which are not touched. It is not
//! asked before it has said that it listens: a request that comes earlier never gets an answer.

use std::{path::Path, sync::Arc};

use openspace_agents::{
    Event,
    opencode::{Address, OpenCode, RealTime},
};
use openspace_command::{Error, ErrorKind, Result};
use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt as _,
    time::{Instant, timeout_at},
};

use super::{
    Attached, Confined,
    choices::Way,
    start::{ATTACHED_WHY, Launched, READY_WITHIN, Started, Starting},
};

/// What it says when it can be asked.
const LISTENS: &str = "opencode server listening on ";
/// Where it may say that it is: on loopback alone.
const LOOPBACK: &str = "http://127.0.0.1:";
/// Bytes that it may print before.
const LONGEST_GREETING: usize = 64 * 1024;
/// How long it waits for one of our tools: a person may have to answer meanwhile.
const TOOL_WITHIN_MS: u64 = 600_000;
/// Where the rules of a workspace stand; the first counts.
const RULES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];
/// Its own tools for files and programs.
const OWN_TOOLS: [&str; 9] =
    ["apply_patch", "bash", "edit", "glob", "grep", "list", "patch", "read", "write"];

/// Start one, and wait until it can be asked.
pub(super) async fn start(starting: &Starting<'_>) -> Result<Started> {
    let (url, key) = (starting.url()?, starting.key().await?);
    let password = starting.keys.word();
    starting.hide(&format!("password of {}", starting.known.id), &password).await;
    let is_free = starting.way.outside || starting.outside;
    let mut config = config(url, key.text(), starting.way, is_free);
    let mut variables = Vec::new();
    if !starting.way.project_settings {
        // Plugins, servers and commands of the workspace may be an agent's. What they leave out with them are its
        // rules in words, which do not run.
        variables.push(("OPENCODE_DISABLE_PROJECT_CONFIG".to_owned(), "1".to_owned()));
        let rules = rules(starting.dispatcher.state().root());
        let instructions = config["instructions"].as_array_mut();
        if let (Some(rules), Some(instructions)) = (rules, instructions) {
            instructions.push(rules);
        }
    }
    variables.extend([
        ("OPENCODE_CONFIG_CONTENT".to_owned(), config.to_string()),
        ("OPENCODE_SERVER_PASSWORD".to_owned(), password.clone()),
    ]);
    let Launched { handle, confined, key } =
        starting.launch(&words(&starting.known.command), variables, key).await?;
    let program = handle.program;
    let url = match listening(handle.stdout).await {
        Ok(url) => url,
        Err(why) => {
            let error = starting.ended(&program, why);
            program.stop(std::time::Duration::ZERO);
            return Err(error);
        }
    };
    let folder = starting.dispatcher.state().root();
    let address = address(&url, folder)?.with_password(None, &password);
    let agent = begin(address).await;
    Ok(Started {
        agent: Arc::clone(&agent) as _,
        confined,
        program: Some(program),
        silence: Box::new(move |why| agent.stopped(why)),
        calls: Arc::default(),
        note: None,
        _key: Some(key),
    })
}

/// One that somebody else started. It need not be there.
pub(super) fn attached(attached: &Attached, folder: &Path) -> Result<Started> {
    let mut address = address(&attached.url, folder)?;
    if let Some(password) = &attached.password {
        address = address.with_password(attached.user.as_deref(), password);
    }
    let agent = Arc::new(OpenCode::new(address, Arc::new(RealTime)));
    Ok(Started {
        agent: Arc::clone(&agent) as _,
        confined: Confined::no(ATTACHED_WHY),
        program: None,
        silence: Box::new({
            let agent = Arc::clone(&agent);
            move |why| match why {
                "" => agent.listens(),
                why => agent.stopped(why),
            }
        }),
        calls: Arc::default(),
        note: None,
        _key: None,
    })
}

fn address(url: &str, folder: &Path) -> Result<Address> {
    let directory = folder.to_str().ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, "the path of the workspace is not Unicode")
    })?;
    Address::new(url, directory).map_err(|error| Error::invalid(error.to_string()))
}

/// Follow it, and wait until its events come: what it tells from then on is heard.
async fn begin(address: Address) -> Arc<OpenCode> {
    let agent = Arc::new(OpenCode::new(address, Arc::new(RealTime)));
    let mut events = openspace_agents::Agent::subscribe(&*agent);
    agent.listens();
    let connected = async {
        while let Some(event) = events.next().await {
            if matches!(*event, Event::Connection { connected: true, .. }) {
                return;
            }
        }
    };
    // It answers requests all the same; that its events do not come is told as such.
    drop(timeout_at(Instant::now() + READY_WITHIN, connected).await);
    agent
}

/// The words that start a server, made of those that speak ACP.
fn words(command: &[String]) -> Vec<String> {
    let program = command.strip_suffix(&["acp".to_owned()]).unwrap_or(command);
    let serve = ["serve", "--hostname", "127.0.0.1", "--port", "0"].map(str::to_owned);
    program.iter().cloned().chain(serve).collect()
}

/// The rules in words that a workspace has, as opencode would find them.
fn rules(root: &Path) -> Option<Value> {
    let found = RULES.iter().map(|name| root.join(name)).find(|path| path.is_file())?;
    found.to_str().map(Value::from)
}

/// What comes on top of the person's own configuration.
fn config(url: &str, key: &str, way: &Way, is_free: bool) -> Value {
    let own_tools = way.own_tools;
    let set = if own_tools { "ide" } else { "all" };
    let mut config = json!({
        "autoupdate": false,
        "instructions": [format!("{url}/openspace/instructions?key={key}&set={set}")],
        "mcp": { "openspace": {
            "type": "remote",
            "url": format!("{url}/mcp?set={set}"),
            "enabled": true,
            "oauth": false,
            "timeout": TOOL_WITHIN_MS,
            "headers": { "Authorization": format!("Bearer {key}") },
        } },
    });
    for (name, model) in [("model", &way.model), ("small_model", &way.small_model)] {
        if let Some(model) = model {
            config[name] = Value::String(model.clone());
        }
    }
    if !own_tools {
        config["tools"] = OWN_TOOLS.iter().map(|tool| ((*tool).to_owned(), json!(false))).collect();
        config["permission"] = json!({ "bash": "deny", "edit": "deny" });
    } else if is_free {
        // Nothing holds it there, so its own programs and edits are judged as everybody's are.
        config["permission"] = json!({ "bash": { "*": "ask" }, "edit": { "*": "ask" } });
    }
    config
}

/// Where it listens, once it says so; else why it does not.
async fn listening(mut output: impl tokio::io::AsyncRead + Unpin) -> Result<String, &'static str> {
    let until = Instant::now() + READY_WITHIN;
    let mut said = Vec::new();
    let mut buffer = vec![0; 4096];
    loop {
        let Ok(read) = timeout_at(until, output.read(&mut buffer)).await else {
            return Err("did not say in time that it listens");
        };
        let count = read.unwrap_or(0);
        if count == 0 {
            return Err("ended before it could be asked");
        }
        said.extend_from_slice(&buffer[..count]);
        if let Some(url) = listens_in(&said) {
            // Anything else would be somewhere else than where it was told to listen.
            return if url.starts_with(LOOPBACK) {
                Ok(url)
            } else {
                Err("listens somewhere else than it was told to")
            };
        }
        if said.len() > LONGEST_GREETING {
            return Err("printed much and did not say that it listens");
        }
    }
}

/// The address in a whole line of this.
fn listens_in(said: &[u8]) -> Option<String> {
    let whole = said.iter().rposition(|byte| *byte == b'\n')?;
    let text = String::from_utf8_lossy(&said[..whole]);
    text.lines().find_map(|line| line.trim().strip_prefix(LISTENS)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[tokio::test]
    async fn an_address_counts_once_its_line_is_whole_and_on_loopback_alone() {
        let heard = |text: &'static str| listening(text.as_bytes());
        let line = "Warning: x\nopencode server listening on http://127.0.0.1:4096\nmore";
        assert_eq!(heard(line).await, Ok("http://127.0.0.1:4096".to_owned()));
        let cut = "opencode server listening on http://127.0.0.1:40";
        assert_eq!(heard(cut).await, Err("ended before it could be asked"));
        let elsewhere = "opencode server listening on http://10.0.0.1:4096\n";
        assert_eq!(heard(elsewhere).await, Err("listens somewhere else than it was told to"));
        let flood = "x\n".repeat(LONGEST_GREETING);
        assert_eq!(
            listening(flood.as_bytes()).await,
            Err("printed much and did not say that it listens")
        );
    }

    #[test]
    fn its_models_and_whether_it_has_own_tools_are_set_by_its_environment() {
        let with = config("http://127.0.0.1:1", "key", &Way::default(), false);
        assert_eq!((&with["model"], &with["small_model"]), (&Value::Null, &Value::Null));
        assert_eq!(with["tools"], Value::Null);
        assert_eq!(with["permission"], Value::Null);
        assert_eq!(with["mcp"]["openspace"]["url"], "http://127.0.0.1:1/mcp?set=ide");
        let way = Way { own_tools: false, model: Some("one/two".to_owned()), ..Way::default() };
        let without = config("http://127.0.0.1:1", "key", &way, false);
        assert_eq!((&without["model"], &without["small_model"]), (&json!("one/two"), &Value::Null));
        assert_eq!(without["tools"]["bash"], false);
        assert_eq!(without["mcp"]["openspace"]["url"], "http://127.0.0.1:1/mcp?set=all");
    }
}

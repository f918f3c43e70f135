//! What an agent gets of secrets over MCP, from the real server; and what a person gets.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Modern, Server, Space};

const ROLLED: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLa1B2c3";
const MASK: &str = "⟨secret SERVICE_KEY of .env⟩";

#[tokio::test]
async fn an_agent_sees_no_secret_on_any_way_and_a_script_does() {
    let space = Space::new();
    space.file(".env", &format!("SERVICE_KEY={ROLLED}\n"));
    space.file("config.py", &format!("key = \"{ROLLED}\"\n"));
    let mut program = space.program();
    program.env("DEPLOY_TOKEN", "deploy-token-of-mine").env("RUST_LOG", "debug");
    // Where programs of agents are confined there is little left to mask.
    let server = Server::start_by(program, &space, &["--agents-place", "shared"]).await;
    let mcp = server.mcp().await;

    let bash = json!({"command": "cat .env config.py; echo $DEPLOY_TOKEN"});
    let printed =
        format!("SERVICE_KEY={MASK}\nkey = \"{MASK}\"\n⟨secret DEPLOY_TOKEN of the environment⟩\n");
    let ran = mcp.call("workspace_bash", bash.clone()).await;
    assert_eq!(ran["structuredContent"]["stdout"], printed);
    assert_eq!(ran["structuredContent"]["masked"], 3);
    let text =
        format!("{printed}(exit code 0)\n(3 secrets are masked: ⟨secret …⟩ stands in their place)");
    assert_eq!(ran["content"], json!([{"type": "text", "text": text}]));
    let call = json!({"name": "workspace_bash", "arguments": bash});
    let ran = Modern(&server.http).result("tools/call", call).await;
    assert_eq!(ran["structuredContent"]["stdout"], printed);

    // The server's own token, wherever it is found.
    let token = json!({"command": format!("echo {} | rev | rev", server.ready.token)});
    let ran = mcp.call("workspace_bash", token).await;
    assert_eq!(ran["structuredContent"]["stdout"], "⟨secret token of this server⟩\n");

    // Resources are read outside of calls.
    mcp.call("terminal_create", json!({"shellPath": "/bin/bash", "title": ROLLED})).await;
    mcp.call("terminal_run", json!({"terminalId": "t1", "command": "cat .env"})).await;
    for uri in ["openspace://terminals/t1", "openspace://state", "openspace://instructions"] {
        let read = mcp.result("resources/read", json!({"uri": uri})).await;
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert!(text.contains(MASK) && !text.contains(ROLLED), "{uri}: {text}");
    }
    let listed = mcp.result("resources/list", json!({})).await;
    assert!(!listed.to_string().contains(ROLLED), "{listed}");
    let instructions = server.http.get("/instructions").send().await;
    assert!(!instructions.text().contains(ROLLED));

    // A script has the token, and with it more than a mask could hide.
    let read = server.call("terminal.read_output", json!({"terminalId": "t1"})).await;
    assert!(read.to_string().contains(ROLLED), "{read}");
    assert_eq!(read.get("masked"), None);

    let metrics = server.http.get("/metrics").send().await.text();
    let masked =
        metrics.lines().find_map(|line| line.strip_prefix("openspace_masked_secrets_total "));
    assert!(masked.unwrap().parse::<f64>().unwrap() >= 9.0, "{metrics}");
    mcp.call("terminal_close", json!({"terminalId": "t1"})).await;

    // Neither the record nor the log has any of them.
    let audit = server.http.get("/api/v1/audit").send().await.text();
    for secret in [ROLLED, "deploy-token-of-mine", &server.ready.token] {
        assert!(!audit.contains(secret), "{audit}");
        assert!(!server.log().contains(secret), "{}", server.log());
    }
    let records: Vec<Value> =
        audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(records.len() >= 7, "{records:?}");
    server.stop().await;
}

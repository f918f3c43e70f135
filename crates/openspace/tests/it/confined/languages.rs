//! Language servers that agents ask: they start unasked behind the agents' walls, in a place of their own.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{BUSY, SECRET, bash, put, space};
use crate::support::{Server, eventually};

const SCRIPT: &str = include_str!("../../../../workspace/tests/it/code/server.py");

#[tokio::test]
async fn a_language_server_reads_no_secret_and_is_out_of_reach_of_what_agents_start() {
    let space = space();
    let script = space.root().join("server.py");
    space.file("server.py", SCRIPT);
    space.file("a.tst", "class Widget\n  def area\npeek\n");
    let own = format!(
        "[[language]]\nid = 'tester'\nextensions = ['tst']\n[[server]]\nid = 'tester'\nname = 'Tester'\n\
         languages = ['tester']\ncommand = ['/usr/bin/python3', '{}']\nready = 'server_status'\n",
        script.display()
    );
    put(&space.home().join(".config/openspace/languages.toml"), &own);
    let server = Server::start_in(&space, &BUSY).await;
    let agent = server.mcp().await;
    let ask = |tool: &'static str, arguments| {
        let agent = &agent;
        async move { agent.call(tool, arguments).await["structuredContent"].clone() }
    };
    let found = ask("code_definition", json!({"symbol": "Widget/area"})).await;
    let place = json!({"path": "a.tst", "line": 2, "column": 7, "text": "def area"});
    assert_eq!(found["places"], json!([place]), "{found}");
    let peek = ask("code_hover", json!({"path": "a.tst", "line": 3, "column": 1})).await;
    assert_eq!(peek["text"], json!("not read: Permission denied"));
    assert!(!peek.to_string().contains(SECRET));
    let servers = ask("code_servers", json!({})).await;
    let known = &servers["servers"][0];
    assert_eq!((&servers["confined"], &known["state"]), (&json!(true), &json!("ready")));
    assert!(known["memory_mib"].as_u64().is_some_and(|memory| memory > 0), "{known}");
    // Neither seen nor ended by what an agent starts.
    let killed =
        bash(&agent, "pkill -9 -f '[s]erver.py'; grep -l '[s]erver.py' /proc/*/cmdline; true")
            .await;
    assert_eq!((&killed["success"], &killed["stdout"]), (&json!(true), &json!("")), "{killed}");
    let again = ask("code_servers", json!({})).await;
    assert_eq!(
        (&again["servers"][0]["starts"], &again["servers"][0]["pid"]),
        (&json!(1), &known["pid"])
    );
    // What an agent writes is what its next question is about, however it was written.
    bash(&agent, "printf 'class Gadget\\n' > a.tst").await;
    let symbols = ask("code_symbols", json!({"path": "a.tst"})).await;
    assert_eq!(symbols["symbols"][0]["symbol"], json!("Gadget"), "{symbols}");
    // At the person's own shell the person says yes, and it is known at once.
    let trusted = space.run(&["code", "trust"]).await;
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    let denied = ask("command_run", json!({"command": "code.trust", "arguments": {}})).await;
    assert_eq!(denied["kind"], json!("denied"), "{denied}");
    assert_eq!(ask("code_servers", json!({})).await["trusted"], json!(true));
    let marker = format!("{}-agent-_languages", space.instance());
    server.stop().await;
    eventually("the end of the language server", || {
        let left = marked(&marker);
        async move { (left == 0).then_some(()) }
    })
    .await;
}

/// How many processes of the machine carry this mark in their environment.
#[expect(clippy::disallowed_methods, reason = "the process table is no file of a workspace")]
fn marked(marker: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap();
    let environments =
        entries.filter_map(|entry| std::fs::read(entry.ok()?.path().join("environ")).ok());
    environments.filter(|environment| String::from_utf8_lossy(environment).contains(marker)).count()
}

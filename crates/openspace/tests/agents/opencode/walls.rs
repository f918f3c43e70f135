//! What an agent's own shell reaches.

use openspace_command::{Call, Caller, CallerKind};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{LOCK, MODEL_KEY, PACKAGE, Person, keep_private, put};

/// What nobody but the person may see.
const SECRET: &str = "hidden-secret-of-the-person";

/// Tries doors of the server with the agent's own key.
const KNOCK: &str = r#"
import json, os, urllib.request, urllib.error
config = json.loads(os.environ["OPENCODE_CONFIG_CONTENT"])["mcp"]["openspace"]
base = config["url"].split("/mcp")[0]
doors = ["/mcp", "/api/v1/state", "/api/v1/commands/openspace.file.read", "/api/link", "/mcp/stream", "/"]
for door in doors:
    for person in [{}, {"x-openspace-person": "guess"}]:
        request = urllib.request.Request(base + door, data=b"{}", headers={**config["headers"], **person, "content-type": "application/json"})
        try:
            status = urllib.request.urlopen(request, timeout=20).status
        except urllib.error.HTTPError as error:
            status = error.code
        print(door, status)
"#;

#[tokio::test]
async fn an_agents_own_shell_reads_its_log_in_and_nothing_else_of_the_person() {
    let person = Person::with(json!({})).await;
    let home = person.home();
    for path in [".ssh/id_rsa", ".claude/credentials.json", ".codex/auth.json", ".netrc"] {
        put(&home.join(path), SECRET);
        keep_private(&home.join(path));
    }
    put(&person.root().join(".env"), &format!("API_KEY={SECRET}\n"));
    put(&person.root().join("knock.py"), KNOCK);
    let space = person.serve().await;
    let talk = space.talk().await;
    let token = space.server.token().to_owned();

    let lines = "cat ~/.ssh/id_rsa ~/.claude/* ~/.codex/* ~/.netrc .env ../home/.ssh/id_rsa > seen.txt 2>&1; \
                 cat ../state/*/token ../state/*/keys.json ../config/agents.toml >> seen.txt 2>&1; \
                 cat /proc/*/environ >> seen.txt 2>/dev/null; \
                 echo left > ../home/left; echo left > ../left; \
                 cat ~/.config/opencode/opencode.json > own.txt; \
                 python3 knock.py > doors.txt 2>&1; echo done > done.txt";
    let shell = Step::tool("bash", json!({ "command": lines, "description": "Look around" }));
    space.person.model.say([shell, Step::text("Done.")]);
    let calls = talk.turn("Look around").await;
    assert_eq!(space.person.read("done.txt").as_deref(), Some("done\n"), "{calls:#?}");

    let seen = space.person.read("seen.txt").unwrap();
    assert!(!seen.contains(SECRET), "{seen}");
    assert!(!seen.contains(&token), "{seen}");
    assert!(!home.join("left").exists() && !space.person.path("left").exists());
    assert!(space.person.read("own.txt").unwrap().contains(MODEL_KEY));

    let doors = space.person.read("doors.txt").unwrap();
    let shut: Vec<&str> = doors.lines().filter(|line| !line.starts_with("/mcp ")).collect();
    assert_eq!(shut.len(), 10, "{doors}");
    assert!(shut.iter().all(|line| line.ends_with(" 401")), "{doors}");

    // What other agents start sees nothing of this one's log-in, nor of its key.
    let look = json!({ "command": "cat ~/.config/opencode/opencode.json ~/.local/share/opencode/* /proc/*/environ 2>/dev/null | grep -c -e apiKey -e OPENCODE_ ; true" });
    let caller = Caller::new(CallerKind::Agent, "another", None);
    let call = Call::new(caller, "workspace.bash", look);
    let answer = space.server.dispatcher().dispatch(call).await.to_value();
    assert_eq!((&answer["success"], &answer["stdout"]), (&json!(true), &json!("0\n")), "{answer}");
    space.stop().await;
}

/// What another agent may have left in the workspace for opencode: a plugin, a server and rules in words.
fn leave(person: &Person) {
    let root = person.root();
    let plugin = "import { writeFileSync } from 'fs'\n\
                  export const Left = async () => { writeFileSync('plugin-ran', 'x'); return {} }\n";
    put(&root.join(".opencode/plugin/left.js"), plugin);
    put(&root.join(".opencode/package.json"), PACKAGE);
    put(&root.join(".opencode/package-lock.json"), LOCK);
    std::fs::create_dir_all(root.join(".opencode/node_modules")).unwrap();
    let server = json!({ "mcp": { "left": {
        "type": "local", "command": ["sh", "-c", "touch server-ran; sleep 1"],
    } } });
    put(&root.join("opencode.json"), &server.to_string());
    put(&root.join("AGENTS.md"), "Always say heron-4711.\n");
}

#[tokio::test]
async fn settings_of_the_workspace_run_nothing_in_an_agents_place_and_its_rules_are_read() {
    let person = Person::with(json!({})).await;
    leave(&person);
    let space = person.serve().await;
    let talk = space.talk().await;
    space.person.model.say([Step::text("Done.")]);
    talk.turn("Look around").await;
    let ran = ["plugin-ran", "server-ran"].map(|name| space.person.read(name));
    assert_eq!(ran, [None, None]);
    let log = space.person.model.log();
    assert!(log.iter().any(|asked| asked.body.to_string().contains("heron-4711")));
    space.stop().await;
}

#[tokio::test]
async fn settings_of_the_workspace_count_where_the_person_said_so() {
    let person = Person::with(json!({})).await;
    leave(&person);
    person.agents("[run.opencode]\nproject_settings = true\n");
    let space = person.serve().await;
    let talk = space.talk().await;
    space.person.model.say([Step::text("Done.")]);
    talk.turn("Look around").await;
    assert_eq!(space.person.read("plugin-ran").as_deref(), Some("x"));
    space.stop().await;
}

#[tokio::test]
async fn an_agents_shell_does_not_change_the_settings_that_it_has_outside() {
    let person = Person::with(json!({})).await;
    let settings = person.home().join(".config/opencode");
    let space = person.serve().await;
    let talk = space.talk().await;
    let lines = "cd ~/.config/opencode; mkdir plugin; echo x > plugin/left.js; echo '{}' > opencode.json; \
                 rm -f package.json; cd - ; echo done > done.txt";
    let shell = Step::tool("bash", json!({ "command": lines, "description": "Change settings" }));
    space.person.model.say([shell, Step::text("Done.")]);
    let calls = talk.turn("Change settings").await;
    assert_eq!(space.person.read("done.txt").as_deref(), Some("done\n"), "{calls:#?}");
    assert!(!settings.join("plugin").exists() && settings.join("package.json").exists());
    let own = std::fs::metadata(settings.join("opencode.json")).unwrap();
    assert!(own.len() > 10, "the person's own settings are gone");
    space.stop().await;
}

//! Merging into files as people have them.

use std::fs;

use pretty_assertions::assert_eq;

use super::{CHANGED, CREATED, UNCHANGED, http, merged, project, put, refused, show, write};
use crate::connect::{Client, Request, connect};

#[test]
fn vs_code_s_comments_and_inputs_stay() {
    let text = r#"{
	// Secrets are asked for.
	"inputs": [
		{ "type": "promptString", "id": "key", "password": true },
	],
	"servers": {
		"github": {
			"type": "http",
			"url": "https://api.githubcopilot.com/mcp/", // theirs
		},
	},
}
"#;
    let entry = r#"		"openspace": {
			"type": "stdio",
			"command": "/opt/openspace",
			"args": [
				"mcp",
				"--workspace",
				"ROOT",
				"--set",
				"ide"
			]
		},
	},
}
"#;
    let expected = text.replace("\t},\n}\n", entry);
    assert_eq!(merged(Client::VsCode, ".vscode/mcp.json", text), expected);
}

#[test]
fn zed_s_settings_stay() {
    let text = r#"// Zed settings
//
// To see all settings, run "zed: open default settings".
{
  "tab_size": 2,
  /* "vim_mode": true, */
  "languages": { "Rust": { "tab_size": 4 } } // wide
}
"#;
    let expected = r#"// Zed settings
//
// To see all settings, run "zed: open default settings".
{
  "tab_size": 2,
  /* "vim_mode": true, */
  "languages": { "Rust": { "tab_size": 4 } }, // wide
  "context_servers": {
    "openspace": {
      "command": "/opt/openspace",
      "args": [
        "mcp",
        "--workspace",
        "ROOT",
        "--set",
        "ide"
      ]
    }
  }
}
"#;
    assert_eq!(merged(Client::Zed, ".zed/settings.json", text), expected);
}

#[test]
fn claude_s_other_servers_stay_and_an_old_entry_is_replaced() {
    let text = r#"{
    "mcpServers": {
        "openspace": {
            "type": "http",
            "url": "http://127.0.0.1:4000/mcp",
            "headers": { "Authorization": "Bearer old" }
        },
        "files": { "command": "npx", "args": ["-y", "files"] }
    }
}"#;
    let expected = r#"{
    "mcpServers": {
        "openspace": {
            "type": "stdio",
            "command": "/opt/openspace",
            "args": [
                "mcp",
                "--workspace",
                "ROOT",
                "--set",
                "ide"
            ]
        },
        "files": { "command": "npx", "args": ["-y", "files"] }
    }
}"#;
    assert_eq!(merged(Client::Claude, ".mcp.json", text), expected);
}

#[test]
fn one_line_files_stay_one_line() {
    let entry = r#"{"command":"/opt/openspace","args":["mcp","--workspace","ROOT","--set","ide"]}"#;
    assert_eq!(
        merged(
            Client::Gemini,
            ".gemini/settings.json",
            r#"{"theme":"GitHub","mcpServers":{"a":{}}}"#
        ),
        format!(r#"{{"theme":"GitHub","mcpServers":{{"a":{{}}, "openspace":{entry}}}}}"#)
    );
    let typed = entry.replace("{\"command\"", "{\"type\":\"stdio\",\"command\"");
    assert_eq!(
        merged(Client::Cursor, ".cursor/mcp.json", "{\"mcpServers\": {}}\r\n"),
        format!("{{\"mcpServers\": {{\"openspace\":{typed}}}}}\r\n")
    );
}

#[test]
fn opencode_s_existing_file_is_the_one_that_changes() {
    let text = "{\n  // models\n  \"model\": \"a/b\",\n  \"mcp\": {},\n}\n";
    let entry = r#""mcp": {
    "openspace": {
      "type": "local",
      "command": [
        "/opt/openspace",
        "mcp",
        "--workspace",
        "ROOT",
        "--set",
        "ide"
      ]
    }
  },"#;
    assert_eq!(
        merged(Client::Opencode, "opencode.jsonc", text),
        text.replace("\"mcp\": {},", entry)
    );

    let (_folder, target) = project();
    let [json, jsonc] = ["opencode.json", "opencode.jsonc"].map(|name| target.root.join(name));
    put(&json, "{}");
    put(&jsonc, "{}");
    assert_eq!(connect(&target, &show(Client::Opencode)).unwrap().file, json);
    put(&jsonc, r#"{"mcp": {"openspace": {"type": "local"}}}"#);
    assert_eq!(connect(&target, &show(Client::Opencode)).unwrap().file, jsonc);
    put(&json, r#"{"mcp": {"openspace": {"type": "local"}}}"#);
    assert_eq!(
        connect(&target, &show(Client::Opencode)).unwrap().file,
        jsonc,
        "its word counts last"
    );
}

#[test]
fn opencode_s_instructions_are_added_and_renewed() {
    let (_folder, mut target) = project();
    let path = target.root.join("opencode.json");
    put(&path, "{\n  \"instructions\": [\"CONTRIBUTING.md\"]\n}\n");
    let request = Request { instructions: true, ..write(Client::Opencode) };
    let list = || {
        let text = fs::read_to_string(&path).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["instructions"].clone()
    };
    for url in [
        "http://127.0.0.1:3000/openspace/instructions?key=a",
        "http://localhost:3001/openspace/instructions?key=b",
    ] {
        target.instructions_url = Some(url.to_owned());
        assert_eq!(connect(&target, &request).unwrap().written, CHANGED);
        assert_eq!(list(), serde_json::json!(["CONTRIBUTING.md", format!("{url}&set=ide")]));
        assert_eq!(connect(&target, &request).unwrap().written, UNCHANGED);
    }
    assert_eq!(connect(&target, &write(Client::Opencode)).unwrap().written, UNCHANGED);
    put(&path, r#"{"instructions": "README.md"}"#);
    let error = format!("{:#}", connect(&target, &request).unwrap_err());
    assert_eq!(
        error,
        format!("{} cannot be changed: \"instructions\" is a text, not a list", path.display())
    );
}

#[test]
fn codex_s_comments_and_tables_stay() {
    let text = r#"# my settings
model = "gpt-5"   # the large one
approval_policy = 'on-request'

[mcp_servers.docs] # documentation
command = "npx"
args = [
  "-y", # yes
  "docs",
]

[projects."/srv/ada/my app"]
trust_level = "trusted"
# the end
"#;
    let entry = r#"
[mcp_servers.openspace]
command = "/opt/openspace"
args = ["mcp", "--workspace", "ROOT", "--set", "ide"]

[projects."#;
    let expected = text.replace("\n[projects.", entry);
    assert_eq!(merged(Client::Codex, ".codex/config.toml", text), expected);
    let windows = text.replace('\n', "\r\n");
    assert_eq!(
        merged(Client::Codex, ".codex/config.toml", &windows),
        expected.replace('\n', "\r\n")
    );
    let marked = format!("\u{feff}{text}");
    assert_eq!(merged(Client::Codex, ".codex/config.toml", &marked), format!("\u{feff}{expected}"));
}

#[test]
fn codex_s_entry_is_written_the_way_the_file_has_it() {
    let ours = "command = \"/opt/openspace\"\nargs = [\"mcp\", \"--workspace\", \"ROOT\", \"--set\", \"ide\"]";
    let inline = format!("{{ {} }}", ours.replace('\n', ", "));
    for (text, expected) in [
        ("model = \"x\"".to_owned(), format!("model = \"x\"\n\n[mcp_servers.openspace]\n{ours}")),
        (
            "# ours\n[mcp_servers.openspace] # here\nurl = \"http://x\"\n\n[mcp_servers.openspace.http_headers]\nA = \"b\"\n\n[tui]\n".to_owned(),
            format!("# ours\n[mcp_servers.openspace] # here\n{ours}\n\n[tui]\n"),
        ),
        (
            "mcp_servers = { a = { command = \"x\" } }\n".to_owned(),
            format!("mcp_servers = {{ a = {{ command = \"x\" }} , openspace = {inline} }}\n"),
        ),
        (
            "[mcp_servers.a]\ncommand = \"x\"\n\n[[rules]]\nb = 1\n\n[[rules]]\nb = 2 # two\n".to_owned(),
            format!(
                "[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.openspace]\n{ours}\n\n[[rules]]\nb = 1\n\n[[rules]]\nb = 2 # two\n"
            ),
        ),
        (
            "[mcp_servers]\nopenspace = { url = \"x\" } # ours\n".to_owned(),
            format!("[mcp_servers]\nopenspace = {inline} # ours\n"),
        ),
    ] {
        assert_eq!(merged(Client::Codex, ".codex/config.toml", &text), expected);
    }
}

#[test]
fn files_that_are_not_valid_stay_as_they_are() {
    for (client, name, text, expected) in [
        (
            Client::Claude,
            ".mcp.json",
            "{\n  \"mcpServers\": {\n",
            "ROOT/.mcp.json cannot be changed: line 3, column 1: expected a key in double quotes or }",
        ),
        (
            Client::Gemini,
            ".gemini/settings.json",
            "{\"theme\" \"x\"}",
            "ROOT/.gemini/settings.json cannot be changed: line 1, column 10: expected : after the key",
        ),
        (
            Client::Cursor,
            ".cursor/mcp.json",
            r#"{"mcpServers": []}"#,
            "ROOT/.cursor/mcp.json cannot be changed: \"mcpServers\" is a list, not an object",
        ),
        (
            Client::VsCode,
            ".vscode/mcp.json",
            r#"{"servers": null}"#,
            "ROOT/.vscode/mcp.json cannot be changed: \"servers\" is null, not an object",
        ),
        (
            Client::Zed,
            ".zed/settings.json",
            "[]",
            "ROOT/.zed/settings.json cannot be changed: the file's value is a list, not an object",
        ),
        (
            Client::Opencode,
            "opencode.jsonc",
            "{\"mcp\": {} /* }",
            "ROOT/opencode.jsonc cannot be understood: line 1, column 12: this comment does not end",
        ),
        (
            Client::Codex,
            ".codex/config.toml",
            "model = \"x\"\nmodel = \"y\"\n",
            "ROOT/.codex/config.toml cannot be changed: line 2, column 1: duplicate key",
        ),
        (
            Client::Codex,
            ".codex/config.toml",
            "mcp_servers = 1\n",
            "ROOT/.codex/config.toml cannot be changed: \"mcp_servers\" is integer, not a table",
        ),
        (
            Client::Codex,
            ".codex/config.toml",
            "mcp_servers.openspace = []\n",
            "ROOT/.codex/config.toml cannot be changed: \"mcp_servers.openspace\" is array, not a table",
        ),
        (
            Client::Codex,
            ".codex/config.toml",
            "a = 1\r\nb = 2\n",
            "ROOT/.codex/config.toml cannot be changed: what is not ours could not be kept byte for byte; perhaps the file mixes line ends",
        ),
    ] {
        assert_eq!(refused(client, name, text), expected);
    }
}

#[test]
fn bytes_that_are_not_text_stay_as_they_are() {
    let (_folder, target) = project();
    let path = target.root.join(".mcp.json");
    fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
    let error = connect(&target, &write(Client::Claude)).unwrap_err().to_string();
    assert_eq!(error, format!("{} cannot be read", path.display()));
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\": \"\xff\"}");
}

#[test]
fn codex_s_entry_of_the_other_form_elsewhere_is_not_mixed_with_ours() {
    let (_folder, target) = project();
    let path = target.home.clone().unwrap().join(".codex/config.toml");
    put(&path, "[mcp_servers.openspace]\nurl = \"http://x\"\n");
    let expected = format!(
        "{} has an entry `openspace` of the other form; Codex would mix both and not start\n  hint: remove it there first",
        path.display()
    );
    let outcome = connect(&target, &show(Client::Codex)).unwrap();
    assert_eq!(outcome.notes[0], expected);
    assert_eq!(connect(&target, &write(Client::Codex)).unwrap_err().to_string(), expected);
    assert!(!outcome.file.exists());
    let same_form = Request { write: true, ..http(Client::Codex) };
    assert_eq!(connect(&target, &same_form).unwrap().written, CREATED);
}

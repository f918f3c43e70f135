//! What is printed for each client, and what is written into its file.

#![expect(clippy::disallowed_methods, reason = "tests look at files from outside")]

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use pretty_assertions::assert_eq;
use tempfile::TempDir;

mod files;

use super::{Client, Outcome, Request, Set, Target, Written, called, client::quoted, connect};

const CREATED: Option<Written> = Some(Written { created: true, changed: true });
const CHANGED: Option<Written> = Some(Written { created: false, changed: true });
const UNCHANGED: Option<Written> = Some(Written { created: false, changed: false });

/// A target that exists only on paper: nothing is written there.
fn paper() -> Target {
    Target {
        called: "openspace".into(),
        program: "/opt/openspace".into(),
        root: "/srv/ada/my app".into(),
        url: Some("http://127.0.0.1:3000".to_owned()),
        asks_for_token: true,
        instructions_url: Some("http://127.0.0.1:3000/openspace/instructions?key=k3y".to_owned()),
        home: None,
        state_dir: None,
    }
}

/// A project and a home in a folder of their own.
fn project() -> (TempDir, Target) {
    let folder = tempfile::tempdir().unwrap();
    let [root, home] = ["project", "home"].map(|name| folder.path().join(name));
    fs::create_dir(&root).unwrap();
    fs::create_dir(&home).unwrap();
    let target = Target { root, home: Some(home), ..paper() };
    (folder, target)
}

fn show(client: Client) -> Request {
    Request { client, http: false, instructions: false, set: None, write: false }
}

fn write(client: Client) -> Request {
    Request { write: true, ..show(client) }
}

fn http(client: Client) -> Request {
    Request { http: true, ..show(client) }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// Everything in a folder, to see that nothing was left behind.
fn names(folder: &Path) -> Vec<String> {
    let entry =
        |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(entry).collect();
    names.sort();
    names
}

/// Merge into a file, see that a second time changes nothing, and give what it became.
fn merged(client: Client, name: &str, text: &str) -> String {
    let (_folder, target) = project();
    let path = target.root.join(name);
    put(&path, text);
    let outcome = connect(&target, &write(client)).unwrap();
    assert_eq!((outcome.written, &outcome.file), (CHANGED, &path));
    let new = fs::read_to_string(&path).unwrap();
    assert_eq!(connect(&target, &write(client)).unwrap().written, UNCHANGED);
    assert_eq!(fs::read_to_string(&path).unwrap(), new);
    assert_eq!(names(path.parent().unwrap()), [path.file_name().unwrap().to_str().unwrap()]);
    new.replace(target.root.to_str().unwrap(), "ROOT")
}

/// The error of a merge into a file, and that the file stays as it is.
fn refused(client: Client, name: &str, text: &str) -> String {
    let (_folder, target) = project();
    let path = target.root.join(name);
    put(&path, text);
    let error = format!("{:#}", connect(&target, &write(client)).unwrap_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(names(path.parent().unwrap()), [path.file_name().unwrap().to_str().unwrap()]);
    error.replace(target.root.to_str().unwrap(), "ROOT")
}

fn snippet(request: &Request) -> (String, String) {
    let outcome = connect(&paper(), request).unwrap();
    assert_eq!(outcome.written, None);
    let file = outcome.file.strip_prefix(paper().root).unwrap().to_str().unwrap().to_owned();
    (file, outcome.text)
}

const ARGS: &str = r#"["mcp", "--workspace", "/srv/ada/my app", "--set", "ide"]"#;

/// The usual list of arguments over lines, indented by six blanks.
fn args_lines() -> String {
    let args: Vec<String> = serde_json::from_str(ARGS).unwrap();
    args.iter().map(|word| format!("        \"{word}\"")).collect::<Vec<_>>().join(",\n")
}

#[test]
fn the_local_form_starts_this_program_and_holds_no_secret() {
    let typed = |group: &str| {
        format!(
            "{{\n  \"{group}\": {{\n    \"openspace\": {{\n      \"type\": \"stdio\",\n      \"command\": \"/opt/openspace\",\n      \"args\": [\n{}\n      ]\n    }}\n  }}\n}}\n",
            args_lines()
        )
    };
    let untyped = |group: &str| typed(group).replace("      \"type\": \"stdio\",\n", "");
    let expected = [
        (Client::Claude, ".mcp.json", typed("mcpServers")),
        (Client::Gemini, ".gemini/settings.json", untyped("mcpServers")),
        (Client::Cursor, ".cursor/mcp.json", typed("mcpServers")),
        (Client::VsCode, ".vscode/mcp.json", typed("servers")),
        (Client::Zed, ".zed/settings.json", untyped("context_servers")),
        (
            Client::Codex,
            ".codex/config.toml",
            format!("[mcp_servers.openspace]\ncommand = \"/opt/openspace\"\nargs = {ARGS}\n"),
        ),
        (
            Client::Opencode,
            "opencode.json",
            format!(
                "{{\n  \"mcp\": {{\n    \"openspace\": {{\n      \"type\": \"local\",\n      \"command\": [\n        \"/opt/openspace\",\n{}\n      ]\n    }}\n  }}\n}}\n",
                args_lines()
            ),
        ),
    ];
    assert_eq!(expected.len(), Client::ALL.len());
    for (client, file, text) in expected {
        assert_eq!(snippet(&show(client)), (file.to_owned(), text));
    }
}

#[test]
fn the_http_form_names_the_variable_of_the_token_the_way_each_client_reads_one() {
    let json = |group: &str, entry: &str| {
        let value: serde_json::Value =
            serde_json::from_str(&format!(r#"{{"{group}": {{"openspace": {entry}}}}}"#)).unwrap();
        format!("{value:#}\n")
    };
    let url = r#""http://127.0.0.1:3000/mcp?set=ide""#;
    let headers =
        |variable: &str| format!(r#""headers": {{"Authorization": "Bearer {variable}"}}"#);
    let (braces, editor) = (headers("${OPENSPACE_TOKEN}"), headers("${env:OPENSPACE_TOKEN}"));
    let own = headers("{env:OPENSPACE_TOKEN}");
    for (client, text) in [
        (
            Client::Claude,
            json("mcpServers", &format!(r#"{{"type": "http", "url": {url}, {braces}}}"#)),
        ),
        (
            Client::VsCode,
            json("servers", &format!(r#"{{"type": "http", "url": {url}, {editor}}}"#)),
        ),
        (Client::Cursor, json("mcpServers", &format!(r#"{{"url": {url}, {editor}}}"#))),
        (Client::Gemini, json("mcpServers", &format!(r#"{{"httpUrl": {url}, {braces}}}"#))),
        (
            Client::Opencode,
            json("mcp", &format!(r#"{{"type": "remote", "url": {url}, "oauth": false, {own}}}"#)),
        ),
        (
            Client::Codex,
            format!(
                "[mcp_servers.openspace]\nurl = {url}\nbearer_token_env_var = \"OPENSPACE_TOKEN\"\n"
            ),
        ),
    ] {
        assert_eq!(snippet(&http(client)).1, text);
    }
    assert_eq!(
        connect(&paper(), &http(Client::Zed)).unwrap_err().to_string(),
        "Zed reads no token from its environment, and one in a file of the workspace could be read by programs of agents\n  hint: leave out --http, then no token is needed"
    );
}

#[test]
fn the_set_can_be_chosen() {
    for (set, word) in [(Set::All, "all"), (Set::Ide, "ide"), (Set::Workspace, "workspace")] {
        let local = snippet(&Request { set: Some(set), ..show(Client::Codex) }).1;
        assert!(local.contains(&format!(r#""--set", "{word}"]"#)), "{local}");
        let remote = snippet(&Request { set: Some(set), ..http(Client::Codex) }).1;
        assert!(remote.contains(&format!("/mcp?set={word}\"")), "{remote}");
    }
}

#[test]
fn notes_say_what_to_do_next() {
    let outcome = connect(&paper(), &show(Client::Claude)).unwrap();
    assert_eq!(
        outcome.notes,
        [
            "Add --write to put it there.",
            "The entry names folders of this machine; other machines need their own.",
            "To keep it out of the project instead: claude mcp add --scope local openspace -- /opt/openspace mcp --workspace '/srv/ada/my app' --set ide",
            "Start claude again in /srv/ada/my app and approve openspace; /mcp shows it.",
        ]
    );
    let request = Request { instructions: true, ..http(Client::Opencode) };
    assert_eq!(
        connect(&paper(), &request).unwrap().notes,
        [
            "Add --write to put it there.",
            "No token is in the entry: opencode takes it from OPENSPACE_TOKEN. Start it where that is set: export OPENSPACE_TOKEN=\"$(openspace token)\". Without --http none is needed.",
            "Warning: with this, /srv/ada/my app/opencode.json holds the key to the workspace's instructions. Do not commit or share it.",
            "With --write the file gets mode 600, so that only you can read it.",
            "The entry works while the server runs at that address.",
            "Start opencode again in /srv/ada/my app; `opencode mcp list` shows openspace.",
        ]
    );
    for client in Client::ALL {
        let notes = connect(&paper(), &show(client)).unwrap().notes;
        let next = notes.last().unwrap();
        assert!(next.contains("openspace"), "{next}");
    }
}

#[test]
fn what_cannot_be_is_an_error_with_a_hint() {
    let stopped = Target { url: None, asks_for_token: false, instructions_url: None, ..paper() };
    let error =
        |target: &Target, request: &Request| connect(target, request).unwrap_err().to_string();
    assert_eq!(
        error(&stopped, &http(Client::Cursor)),
        "no server runs for this workspace, so there is no address to connect to\n  hint: start `openspace serve` first, or leave out --http"
    );
    let with_instructions = |client| Request { instructions: true, ..show(client) };
    assert_eq!(
        error(&stopped, &with_instructions(Client::Opencode)),
        "no server runs for this workspace, so its instructions have no address\n  hint: start `openspace serve` first"
    );
    assert_eq!(
        error(&paper(), &with_instructions(Client::Zed)),
        "Zed cannot load instructions from an address; only opencode can\n  hint: leave out --instructions, the tools carry their own"
    );
    let strange = std::ffi::OsString::from(
        <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/a\xff"),
    );
    assert_eq!(
        error(&Target { root: strange.into(), ..paper() }, &show(Client::Zed)),
        "the path /a\u{fffd} is not Unicode, so no configuration can name it"
    );
}

#[test]
fn a_server_that_asks_for_no_token_gets_none() {
    let open = Target { asks_for_token: false, ..paper() };
    let outcome = connect(&open, &http(Client::Codex)).unwrap();
    assert_eq!(
        outcome.text,
        "[mcp_servers.openspace]\nurl = \"http://127.0.0.1:3000/mcp?set=ide\"\n"
    );
    assert!(!outcome.notes.iter().any(|note| note.starts_with("Warning")), "{:?}", outcome.notes);
}

#[test]
fn every_client_is_found_by_its_name_alone() {
    assert_eq!(Client::ALL.map(|client| Client::parse(client.name())), Client::ALL.map(Some));
    assert_eq!(Client::parse("vim"), None);
}

#[test]
fn a_new_file_is_the_snippet_and_stays() {
    for client in Client::ALL {
        let (_folder, target) = project();
        let Outcome { file, text, written, .. } = connect(&target, &write(client)).unwrap();
        assert_eq!(written, CREATED);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(mode(&file) & 0o600, 0o600);
        assert_eq!(connect(&target, &write(client)).unwrap().written, UNCHANGED);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(names(file.parent().unwrap()), [file.file_name().unwrap().to_str().unwrap()]);
    }
}

#[test]
fn a_new_file_with_a_secret_is_for_its_owner_only() {
    let (_folder, target) = project();
    let request = Request { instructions: true, ..write(Client::Opencode) };
    assert_eq!(mode(&connect(&target, &request).unwrap().file), 0o600);
}

#[test]
fn an_existing_file_with_a_secret_is_closed_to_others_and_one_without_keeps_its_mode() {
    for (bits, was_open) in [(0o640, true), (0o600, false), (0o400, false)] {
        let (_folder, target) = project();
        let path = target.root.join("opencode.json");
        put(&path, "{}");
        fs::set_permissions(&path, Permissions::from_mode(bits)).unwrap();
        let over_http = Request { write: true, ..http(Client::Opencode) };
        assert_eq!(connect(&target, &over_http).unwrap().written, CHANGED);
        assert_eq!(mode(&path), bits, "there is no secret in it");
        let request = Request { instructions: true, ..over_http };
        let outcome = connect(&target, &request).unwrap();
        assert_eq!((outcome.written, mode(&path)), (CHANGED, bits & 0o700));
        let note = format!(
            "Others on this machine could read {}; now only you can (mode 600).",
            path.display()
        );
        assert_eq!(outcome.notes.contains(&note), was_open, "{:?}", outcome.notes);
    }
}

#[test]
fn a_link_stays_a_link() {
    let (folder, target) = project();
    let (real, link) = (folder.path().join("dotfiles.json"), target.root.join(".mcp.json"));
    put(&real, "{}");
    symlink("../dotfiles.json", &link).unwrap();
    assert_eq!(connect(&target, &write(Client::Claude)).unwrap().written, CHANGED);
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("openspace"));

    fs::remove_file(&real).unwrap();
    let error = connect(&target, &write(Client::Claude)).unwrap_err().to_string();
    assert_eq!(error, format!("{} is a link to a file that does not exist", link.display()));
    assert!(!real.exists());
}

#[test]
fn what_is_not_a_file_is_refused() {
    let (_folder, target) = project();
    let path = target.root.join(".mcp.json");
    fs::create_dir(&path).unwrap();
    let error = connect(&target, &write(Client::Claude)).unwrap_err().to_string();
    assert_eq!(error, format!("{} is not a file", path.display()));
}

#[test]
fn a_program_is_called_by_its_name_only_where_a_shell_finds_it_by_that() {
    let (ours, theirs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let program = ours.path().join("openspace");
    fs::write(&program, "").unwrap();
    fs::write(theirs.path().join("openspace"), "").unwrap();
    let search = |folders: &[&Path]| {
        let folders = std::env::join_paths(folders).unwrap();
        called(&program, &[("PATH".into(), folders)])
    };
    let path = quoted(program.to_str().unwrap());
    assert_eq!(search(&[ours.path(), theirs.path()]), "openspace");
    assert_eq!(search(&[theirs.path(), ours.path()]), path);
    assert_eq!(search(&[]), path);
    assert_eq!(called(&program, &[]), path);
}

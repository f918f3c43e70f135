//! What language servers cost through us: an answer beside the same answer of the server alone, an edit that is told
//! what it broke beside one that is not, and the memory that a running server takes of ours.

mod alone;

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde_json::json;

use self::alone::Alone;
use super::{
    Setup,
    mcp::{Call, Client},
    report::{Figure, Report, Row, Target},
    starts::resident,
    times,
    turns::in_turns,
};
use crate::{languages, server::Server};

const WARM_UP: usize = 20;
const ROUNDS: usize = 200;
/// Files of the project, beside the one that is asked about.
const FILES: usize = 60;
const MIB: u64 = 1024 * 1024;
const OF_ANSWER: Target = Target::OverBesideUpTo(Duration::from_millis(10));
const OF_EDIT: Target = Target::TimeUpTo(Duration::from_millis(60));
const MEMORY: Target = Target::BytesUpTo(5 * MIB);
/// The text, and where in it the name is that is asked about.
const TEXT: &str = "export const size: number = 1;\n";
const LINE: u32 = 1;
const COLUMN: u32 = 14;

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    let [programs, _] = languages::installed()?;
    let program = programs.join("tsc");
    let root = setup.scratch.folder("root-of-languages")?;
    project(&root)?;
    let mut agent = Agent::of(setup, &program, &root)?;
    let before = agent.settled_memory()?;

    let mut alone = Alone::start(&program, &root, &setup.logs.join("language-server.txt"))?;
    alone.open(&root.join("a.ts"), TEXT)?;
    let [ours, beside] =
        in_turns(WARM_UP, ROUNDS, [&mut || agent.hover(), &mut || alone.hover(LINE, COLUMN)])?;
    let row = Row::new("code.hover of an agent", times(ours)?);
    report.add(row.beside("the server alone", times(beside)?).target(OF_ANSWER));
    alone.stop()?;
    let during = agent.settled_memory()?;
    let grown = Figure::Bytes(during.saturating_sub(before));
    report.add(Row::new("memory of ours for a running server", grown).target(MEMORY));
    let servers = agent.client.call("code_servers", &json!({}))?;
    let own = servers["servers"][0]["memory_mib"].as_u64().context("a server without memory")?;
    report.add(Row::new("memory of TypeScript 7 itself", Figure::Bytes(own * MIB)));

    let (mut told, mut untold) = (Edits::of("a.ts", "\"state\":\"fresh\""), Edits::of("a.txt", ""));
    let client = &mut agent.client;
    let mut other = Client::session(&agent.server.address)?;
    let [with, without] = in_turns(
        WARM_UP,
        ROUNDS,
        [&mut || client.time(&told.next()), &mut || other.time(&untold.next())],
    )?;
    let row = Row::new("workspace.edit, told what it broke", times(with)?);
    report.add(row.beside("not told", times(without)?).target(OF_EDIT));
    agent.server.stop()
}

fn project(root: &Path) -> Result<()> {
    fs::write(root.join("tsconfig.json"), r#"{"compilerOptions": {"strict": true}}"#)?;
    for name in ["a.ts", "a.txt"] {
        fs::write(root.join(name), TEXT)?;
    }
    for number in 0..FILES {
        let mut text = String::from("import { size } from './a';\n");
        for line in 0..20 {
            let _ = writeln!(text, "export const v{line}: number = size * {line} + {number};");
        }
        fs::write(root.join(format!("use{number}.ts")), text)?;
    }
    Ok(())
}

/// An agent with a server of its own.
struct Agent {
    client: Client,
    server: Server,
}

impl Agent {
    fn of(setup: &Setup, program: &Path, root: &Path) -> Result<Self> {
        let state = setup.scratch.folder("state-of-languages")?;
        let config = setup.scratch.folder("config-of-languages")?;
        fs::create_dir_all(config.join("openspace"))?;
        let own = format!(
            "[[server]]\nid = \"tsc\"\nname = \"TypeScript\"\nlanguages = [\"typescript\"]\n\
             command = [{:?}, \"--lsp\", \"--stdio\"]\nanywhere = true\nready = \"at_once\"\n",
            program.display().to_string()
        );
        fs::write(config.join("openspace/languages.toml"), own)?;
        let mut serve = super::ours(&setup.binary, "serve", &state);
        // Beside walls the same would be measured twice: what they cost is a group of its own.
        serve.arg(root).args(["--port", "0", "--json", "--agents-place", "shared"]);
        serve.args(["--profile", "off"]).env("XDG_CONFIG_HOME", &config);
        let server = Server::start(serve, &setup.logs.join("languages.txt"))?;
        let mut trust = Command::new(&setup.binary);
        trust.args(["code", "trust", "--state-dir"]).arg(&state).current_dir(root);
        trust.env("XDG_CONFIG_HOME", &config).stdout(Stdio::null());
        let said = trust.status().context("cannot start the command line")?;
        if !said.success() {
            bail!("language servers may not run: {said}");
        }
        Ok(Self { client: Client::session(&server.address)?, server })
    }

    fn hover(&mut self) -> Result<Duration> {
        let place = json!({"path": "a.ts", "line": LINE, "column": COLUMN});
        self.client.time(&Call::new("code_hover", &place, "const size: number"))
    }

    /// What the server holds once it has answered some calls that ask no language server.
    fn settled_memory(&mut self) -> Result<u64> {
        for _ in 0..ROUNDS {
            self.client.time(&Call::ours("workspace_read", &json!({"file_path": "a.txt"})))?;
        }
        resident(self.server.process())
    }
}

/// Edits that make a text wrong and right in turn.
struct Edits {
    path: &'static str,
    expects: &'static str,
    wrong: bool,
}

impl Edits {
    const fn of(path: &'static str, expects: &'static str) -> Self {
        Self { path, expects, wrong: false }
    }

    fn next(&mut self) -> Call {
        let values = ["= 1;", "= \"one\";"];
        let [old, new] = if self.wrong { [values[1], values[0]] } else { values };
        self.wrong = !self.wrong;
        let edit = json!({"file_path": self.path, "old_string": old, "new_string": new});
        let expects = if self.expects.is_empty() { "\"success\":true" } else { self.expects };
        Call::new("workspace_edit", &edit, expects)
    }
}

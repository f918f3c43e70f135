//! What a policy lets in: profiles, files, and terminals that people and agents share.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use openspace_command::{Call, Caller, CallerKind, Progress};
use openspace_process::LONGEST_COMMAND;
use openspace_workspace::{OpenError, permission::Profile};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    command::representative_calls,
    support::{Bench, PolicyText, agent, asking, in_time},
};

/// Every file of a folder with what it holds.
#[expect(clippy::disallowed_methods, reason = "tests look at files behind the workspace's back")]
fn files(folder: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            into.insert(path.display().to_string(), Vec::new());
            files(&path, into);
        } else {
            into.insert(path.display().to_string(), std::fs::read(&path).unwrap());
        }
    }
}

fn all_files(bench: &Bench) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    files(&bench.place("."), &mut all);
    all
}

#[tokio::test]
async fn with_the_profile_read_only_no_command_of_an_agent_changes_anything() {
    let files =
        [("a.rs", "1\n2\n"), ("made/s.bin", "x"), (".gitignore", "t\n"), (".env", "API_KEY=k\n")];
    let bench = Bench::with(asking(Profile::ReadOnly, PolicyText::of("")), &files).await;
    let git = json!({"action": "init"});
    assert_eq!(bench.as_person("workspace.git", git).await["success"], true);
    bench.as_person("terminal.create", json!({"title": "tests", "shellPath": "/bin/bash"})).await;
    bench.as_person("editor.open", json!({"path": "a.rs", "line": 2, "highlight": true})).await;
    bench.as_person("layout.save", json!({"name": "one"})).await;
    let look = || {
        let parts = bench.dispatcher().state().store().entries().unwrap();
        (all_files(&bench), bench.state(), parts)
    };
    let before = look();
    let (mut looked, mut refused) = (Vec::new(), Vec::new());
    let more = [
        ("workspace.git", json!({"action": "status"})),
        ("workspace.git", json!({"action": "log"})),
        ("workspace.git", json!({"action": "add", "files": ["a.rs"]})),
        ("workspace.git", json!({"action": "push"})),
        ("workspace.bash", json!({"command": "ls"})),
        ("terminal.send", json!({"terminalId": "t1", "text": "x"})),
        (
            "command.run",
            json!({"command": "file.write", "arguments": {"path": "n", "content": ""}}),
        ),
    ];
    for (command, args) in representative_calls().into_iter().chain(more) {
        let answer = bench.call(command, args.clone()).await;
        match answer["kind"].as_str() {
            // What is for persons, or for the server alone, is denied before there is a rule to look for.
            Some("policy" | "denied") => refused.push(command),
            // What only looks may fail for its own reasons.
            _ => looked.push(command),
        }
        // Not at the end alone, or two changes could cancel each other out.
        assert_eq!(bench.state(), before.1, "{command} {args}");
    }
    bench.dispatcher().state().store().flush().settled().await;
    let after = look();
    assert_eq!(after.0, before.0);
    assert_eq!(after.2, before.2);
    looked.sort_unstable();
    looked.dedup();
    let expected = [
        "audit.list",
        "command.help",
        "command.list",
        "command.run",
        "command.search",
        "editor.diagnostics",
        "editor.read_file",
        "editor.state",
        "file.list",
        "file.list_deleted",
        "file.read",
        "file.search",
        "layout.list",
        "pane.list",
        "terminal.list",
        "terminal.read_output",
        "workspace.get",
        "workspace.git",
        "workspace.glob",
        "workspace.grep",
        "workspace.list",
        "workspace.read",
        "workspace.run_list",
        "workspace.run_output",
    ];
    assert_eq!(looked, expected);
    assert!(refused.contains(&"approval.list") && refused.contains(&"approval.answer"));
}

#[tokio::test]
async fn a_policy_file_that_cannot_be_read_stops_the_start_and_is_named_with_its_line() {
    for (user, project, expected) in [
        (
            "# x\n[[rule]]\ndecision = 'perhaps'\n",
            "",
            "policy.toml of a test: the policy cannot be read: TOML parse error at line 3",
        ),
        (
            "",
            "[[rule]]\ndecision = 'allow'\nline = 'git push *'\n",
            ".openspace/policy.toml: line 2: a project's policy cannot allow anything",
        ),
    ] {
        let files = [(".openspace/policy.toml", project)];
        let settings = asking(Profile::Careful, PolicyText::of(user));
        let Err(error) = Bench::try_with(settings, &files).await else { panic!("it was opened") };
        assert!(matches!(error, OpenError::Policy(_)));
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[tokio::test]
async fn a_project_can_only_make_the_policy_stricter() {
    let project =
        "[[rule]]\nid = 'no-make'\ndecision = 'deny'\nline = 'make *'\nreason = 'Use just.'\n";
    let user = PolicyText::of("[[rule]]\nid = 'make'\ndecision = 'allow'\nline = 'make *'\n");
    let settings = asking(Profile::Careful, user);
    let bench = Bench::with(settings, &[(".openspace/policy.toml", project)]).await;
    let refused = bench.failure("workspace.bash", json!({"command": "make all"})).await;
    let message = "not allowed by the project's rule `no-make`: Use just (make all)";
    assert_eq!((&refused["kind"], &refused["error"]), (&json!("policy"), &json!(message)));
    // No command writes the file.
    for (command, args) in [
        ("file.write", json!({"path": ".openspace/policy.toml", "content": ""})),
        ("workspace.write", json!({"file_path": ".openspace/policy.toml", "content": ""})),
        ("file.delete", json!({"path": ".openspace/policy.toml"})),
        ("file.move", json!({"from": ".openspace", "to": "x"})),
    ] {
        assert_eq!(bench.failure(command, args).await["kind"], "denied", "{command}");
    }
}

#[tokio::test]
async fn leaving_needs_a_reason() {
    let bench = Bench::open(&[]).await;
    for (command, args) in [
        ("workspace.bash", json!({"command": "true", "outside": true})),
        ("workspace.bash", json!({"command": "true", "outside": true, "reason": "  "})),
        ("terminal.create", json!({"outside": true})),
    ] {
        let message = "argument `reason`: is missing, and `outside` is set";
        bench.fails(command, args, "invalid_args", message).await;
    }
    let long = json!({"command": "true", "reason": "x".repeat(1_001)});
    let message = "argument `reason`: at most 1000 characters";
    bench.fails("workspace.bash", long, "invalid_args", message).await;
    bench.ok("workspace.bash", json!({"command": "true", "outside": true, "reason": "x"})).await;
}

/// Make a call; what is asked about it, or its answer.
async fn asked(bench: &Bench, caller: &Caller, command: &str, args: Value) -> Result<Value, Value> {
    let (reports, mut progress) = mpsc::channel(16);
    let call = Call::new(caller.clone(), command, args).with_progress(Progress::to(reports));
    let cancel = call.cancel.clone();
    let running = bench.dispatcher().dispatch(call);
    tokio::pin!(running);
    let question = tokio::select! {
        reply = &mut running => return Ok(reply.to_value()),
        // Whoever is not asked about says nothing, and its reports end with it.
        Some(told) = in_time(progress.recv()) => {
            let words = told.message;
            let id = words.rsplit_once('(').unwrap().1.trim_end_matches(')').to_owned();
            bench.as_person("approval.get", json!({"approvalId": id})).await
        }
    };
    cancel.cancel();
    running.await;
    Err(question)
}

/// The same, with a yes for once if it is asked about.
async fn allowed(bench: &Bench, caller: &Caller, command: &str, args: Value) -> (bool, Value) {
    let (reports, mut progress) = mpsc::channel(16);
    let call = Call::new(caller.clone(), command, args).with_progress(Progress::to(reports));
    let running = bench.dispatcher().dispatch(call);
    tokio::pin!(running);
    tokio::select! {
        reply = &mut running => (false, reply.to_value()),
        // Whoever is not asked about says nothing, and its reports end with it.
        Some(told) = in_time(progress.recv()) => {
            let words = told.message;
            let id = words.rsplit_once('(').unwrap().1.trim_end_matches(')').to_owned();
            let once = json!({"approvalId": id, "answer": "once"});
            bench.as_person("approval.answer", once).await;
            (true, in_time(running).await.to_value())
        }
    }
}

fn typing(text: &str) -> Value {
    json!({"terminalId": "t1", "text": text})
}

/// A person's command has run to its end: the shell waits for the next one.
async fn at_prompt(bench: &Bench) {
    let ran = json!({"terminalId": "t1", "command": "true"});
    let ran = bench.as_person("terminal.run", ran).await;
    assert_eq!(ran["ended"], "exited", "{ran}");
}

/// The terminal shows this as a line of its own.
async fn until_shown(bench: &Bench, line: &str) {
    let shown = async {
        loop {
            let read = bench.ok("terminal.read_output", json!({"terminalId": "t1"})).await;
            if read["output"].as_array().unwrap().iter().any(|shown| shown == line) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    in_time(shown).await;
}

#[tokio::test]
async fn an_agent_in_a_persons_terminal_is_asked_about_once_and_each_line_is_judged() {
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &[]).await;
    bench.as_person("terminal.create", json!({"shellPath": "/bin/bash"})).await;
    at_prompt(&bench).await;
    let session = |name| Caller::new(CallerKind::Agent, "opencode", Some(name));
    let (mine, other) = (session("s1"), session("s2"));
    // Even a key that starts nothing is somebody else's to press.
    let question = asked(&bench, &mine, "terminal.send", typing("l")).await.unwrap_err();
    assert_eq!((&question["theirs"], &question["line"]), (&json!("terminal t1"), &Value::Null));
    assert_eq!(question["always"], Value::Null);
    let (was_asked, answer) = allowed(&bench, &mine, "terminal.send", typing("l")).await;
    assert_eq!((was_asked, &answer["success"]), (true, &json!(true)), "{answer}");
    // Nobody knows what took the pieces of a line, so only one that comes whole is known.
    let question = asked(&bench, &mine, "terminal.send", typing("s\n")).await.unwrap_err();
    assert_eq!(question["line"]["text"], "ls\u{fffd}");
    bench.reply(mine.clone(), "terminal.send", typing("\u{3}")).await;
    at_prompt(&bench).await;
    // That line only looks, and the terminal was allowed.
    let (was_asked, answer) = allowed(&bench, &mine, "terminal.send", typing("ls\n")).await;
    assert_eq!((was_asked, &answer["success"]), (false, &json!(true)), "{answer}");
    let question = asked(&bench, &mine, "terminal.send", typing("touch made\n")).await.unwrap_err();
    assert_eq!(question["line"]["text"], "touch made");
    let question = asked(&bench, &other, "terminal.send", typing("ls\n")).await.unwrap_err();
    assert_eq!(question["theirs"], "terminal t1");
    let run = json!({"terminalId": "t1", "command": "touch made"});
    let question = asked(&bench, &mine, "terminal.run", run).await.unwrap_err();
    assert_eq!(question["line"]["text"], "touch made");
    // To close it is to end what a person does in it.
    let close = json!({"terminalId": "t1"});
    assert!(asked(&bench, &mine, "terminal.close", close).await.is_err());
}

#[tokio::test]
async fn a_line_that_an_agent_types_in_pieces_is_judged_when_it_is_complete() {
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &[]).await;
    let bash = json!({"shellPath": "/bin/bash"});
    let (was_asked, made) = allowed(&bench, &agent(), "terminal.create", bash).await;
    assert_eq!((was_asked, &made["terminalId"]), (true, &json!("t1")), "{made}");
    for piece in ["rm", " -r", "f x"] {
        bench.ok("terminal.send", typing(piece)).await;
    }
    let question = asked(&bench, &agent(), "terminal.send", typing("\n")).await.unwrap_err();
    assert_eq!(
        (&question["line"]["text"], &question["theirs"]),
        (&json!("rm -rf x\u{fffd}"), &Value::Null)
    );
    // Ctrl-C throws the line away, and nothing is left to ask about.
    bench.ok("terminal.send", typing("\u{3}")).await;
    at_prompt(&bench).await;
    bench.ok("terminal.send", typing("ls\n")).await;
    // What an agent made it may close.
    bench.ok("terminal.close", json!({"terminalId": "t1"})).await;
}

/// Such a program can run others, and who writes to a terminal can say that there is one.
#[tokio::test]
async fn where_nothing_confines_it_keys_for_a_program_that_has_the_screen_are_asked_about() {
    let rules = "[[rule]]\nid = 'less'\ndecision = 'allow'\nline = 'less *'\n\
                 [[rule]]\nid = 'printf'\ndecision = 'allow'\nline = 'printf *'\n";
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of(rules)), &[("a", "1\n")]).await;
    let create = json!({"shellPath": "/bin/bash"});
    allowed(&bench, &agent(), "terminal.create", create).await;
    let run = json!({"terminalId": "t1", "command": "less a"});
    let ran = bench.ok("terminal.run", run).await;
    assert_eq!(ran["ended"], "alternate_screen", "{ran}");
    bench.ok("terminal.send", typing("j")).await;
    bench.ok("terminal.send", typing("!touch made")).await;
    // Enter, as a keyboard that knows better names it, and as keypads do.
    for enter in ["\n", "\r", "\u{1b}[13u", "\u{1b}OM", "\u{f}"] {
        assert!(
            asked(&bench, &agent(), "terminal.send", typing(enter)).await.is_err(),
            "{enter:?}"
        );
    }
    allowed(&bench, &agent(), "terminal.create", json!({"shellPath": "/bin/bash"})).await;
    let run = json!({"terminalId": "t2", "command": "printf '\\033[?1049h'"});
    bench.ok("terminal.run", run).await;
    let keys = json!({"terminalId": "t2", "text": "touch made\n"});
    let question = asked(&bench, &agent(), "terminal.send", keys).await;
    let question = question.unwrap_err();
    let shown = question["line"]["text"].as_str().unwrap();
    assert!(shown.starts_with("touch made"), "{shown}");
    assert!(!bench.place("made").exists());
}

/// What it reads is not what the shell gets afterwards.
#[tokio::test]
async fn a_line_for_a_program_that_was_allowed_is_not_known_where_nothing_confines_it() {
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &[]).await;
    bench.as_person("terminal.create", json!({"shellPath": "/bin/bash"})).await;
    let caller = agent();
    allowed(&bench, &caller, "terminal.run", json!({"terminalId": "t1", "command": "echo"})).await;
    at_prompt(&bench).await;
    // It takes `echo ` and leaves the rest.
    let head = typing("echo ready; head -c 5\n");
    let (was_asked, answer) = allowed(&bench, &caller, "terminal.send", head).await;
    assert_eq!((was_asked, &answer["success"]), (true, &json!(true)), "{answer}");
    until_shown(&bench, "ready").await;
    for line in ["echo touch made\n", "echo a\necho b\n", "\n"] {
        assert!(asked(&bench, &caller, "terminal.send", typing(line)).await.is_err(), "{line:?}");
    }
    // Nor is one that is run behind what stands there already.
    allowed(&bench, &caller, "terminal.interrupt", json!({"terminalId": "t1"})).await;
    bench.ok("terminal.send", typing("\u{3}")).await;
    bench.ok("terminal.send", typing("touch made; ")).await;
    let run = json!({"terminalId": "t1", "command": "echo b"});
    let question = asked(&bench, &caller, "terminal.run", run).await.unwrap_err();
    assert_eq!(question["line"]["text"], "touch made; echo b\u{fffd}");
    bench.ok("terminal.send", typing("\u{3}")).await;
    let two = json!({"terminalId": "t1", "command": "head -c 5\necho touch made"});
    assert!(asked(&bench, &caller, "terminal.run", two).await.is_err());
    assert!(!bench.place("made").exists());
}

#[tokio::test]
async fn what_runs_in_a_persons_terminal_is_not_interrupted_unasked() {
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &[]).await;
    bench.as_person("terminal.create", json!({"shellPath": "/bin/bash"})).await;
    let interrupt = json!({"terminalId": "t1"});
    let question = asked(&bench, &agent(), "terminal.interrupt", interrupt.clone()).await;
    assert_eq!(question.unwrap_err()["theirs"], "terminal t1");
    let (was_asked, _) = allowed(&bench, &agent(), "terminal.interrupt", interrupt.clone()).await;
    assert!(was_asked);
    // Once for each terminal and session.
    let (was_asked, _) = allowed(&bench, &agent(), "terminal.interrupt", interrupt).await;
    assert!(!was_asked);
    // Its own it may.
    allowed(&bench, &agent(), "terminal.create", json!({"shellPath": "/bin/bash"})).await;
    bench.ok("terminal.interrupt", json!({"terminalId": "t2"})).await;
}

#[tokio::test]
async fn a_persons_terminal_keeps_its_title_and_size_unless_the_person_says_yes() {
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &[]).await;
    bench.as_person("terminal.create", json!({"shellPath": "/bin/bash", "title": "mine"})).await;
    let rename = |id: &str| json!({"terminalId": id, "title": "theirs"});
    for (command, args) in [
        ("terminal.rename", rename("mine")),
        ("terminal.rename", rename("t1")),
        ("terminal.resize", json!({"terminalId": "t1", "rows": 5, "cols": 5})),
    ] {
        let question = asked(&bench, &agent(), command, args).await.unwrap_err();
        assert_eq!(question["theirs"], "terminal t1", "{command}");
    }
    let titles = bench.as_person("terminal.list", json!({})).await;
    assert_eq!(titles["terminals"][0]["title"], "mine");
    // One that the person let it into is renamed as everything else there.
    let (was_asked, _) = allowed(&bench, &agent(), "terminal.rename", rename("t1")).await;
    let (again, answer) = allowed(&bench, &agent(), "terminal.rename", rename("t1")).await;
    assert_eq!((was_asked, again, &answer["title"]), (true, false, &json!("theirs")));
    // Its own it may.
    allowed(&bench, &agent(), "terminal.create", json!({"shellPath": "/bin/bash"})).await;
    bench.ok("terminal.rename", rename("t2")).await;
    let person =
        bench.as_person("terminal.rename", json!({"terminalId": "t1", "title": "x"})).await;
    assert_eq!(person["success"], true, "{person}");
}

#[tokio::test]
async fn rules_for_one_client_are_for_that_client() {
    let rules =
        "[[rule]]\nid = 'codex'\ndecision = 'allow'\nclient = 'codex'\naccess = 'execute'\n";
    let file = PolicyText::of(rules);
    let bench = Bench::with(asking(Profile::Careful, Arc::clone(&file)), &[]).await;
    let touch = json!({"command": "touch made"});
    let codex = Caller::new(CallerKind::Agent, "codex", None);
    let ran = bench.reply(codex, "workspace.bash", touch.clone()).await.to_value();
    assert_eq!(ran["success"], true, "{ran}");
    assert!(asked(&bench, &agent(), "workspace.bash", touch).await.is_err());
}

#[tokio::test]
async fn a_line_is_judged_for_a_person_and_not_run_and_agents_get_no_answer() {
    let rules = "[[rule]]\nid = 'mine'\ndecision = 'deny'\nline = 'make *'\nreason = 'Use just.'\n";
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of(rules)), &[]).await;
    let line = json!({"line": "touch made && make all"});
    let checked = bench.as_person("policy.check", line.clone()).await;
    let ruling = &checked["rulings"][0];
    let told = [&checked["profile"], &ruling["place"], &ruling["decision"], &ruling["rule"]];
    assert_eq!(told, ["careful", "unconfined", "deny", "your rule `mine`"], "{checked}");
    assert_eq!(ruling["why"], "Use just.");
    let parts = ruling["line"]["parts"].as_array().unwrap();
    let texts: Vec<&Value> = parts.iter().map(|part| &part["text"]).collect();
    assert_eq!(texts, ["touch made", "make all"]);
    assert_eq!(checked["rulings"].as_array().unwrap().len(), 1);
    assert!(!bench.place("made").exists());

    let refused = bench.call("policy.check", line.clone()).await;
    let message = json!("what a policy would say is not told to agents");
    assert_eq!((&refused["kind"], &refused["error"]), (&json!("denied"), &message));
    let run = json!({"command": "policy.check", "arguments": line});
    assert_eq!(bench.call("command.run", run).await["success"], false);
    let long = "x".repeat(LONGEST_COMMAND + 1);
    let too_long =
        format!("argument `line`: has {} bytes, and {LONGEST_COMMAND} are possible", long.len());
    for (line, message) in [(" ", "argument `line`: is empty"), (&*long, &*too_long)] {
        let failed = bench.as_person("policy.check", json!({"line": line})).await;
        assert_eq!((&failed["kind"], &failed["error"]), (&json!("invalid_args"), &json!(message)));
    }
}

#[tokio::test]
async fn where_nobody_decides_a_line_is_allowed_and_that_is_said() {
    let bench = Bench::open(&[]).await;
    let checked = bench.as_person("policy.check", json!({"line": "rm -rf /"})).await;
    let ruling = &checked["rulings"][0];
    let told = [&checked["profile"], &ruling["decision"], &ruling["why"]];
    assert_eq!(told, [&Value::Null, &json!("allow"), &json!("Nobody is asked about anything.")]);
}

#[tokio::test]
async fn a_rule_for_one_client_is_found_when_that_client_is_named() {
    let rules =
        "[[rule]]\nid = 'codex'\ndecision = 'allow'\nclient = 'codex'\naccess = 'execute'\n";
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of(rules)), &[]).await;
    let decision = async |args: Value| {
        let checked = bench.as_person("policy.check", args).await;
        checked["rulings"][0]["decision"].clone()
    };
    assert_eq!(decision(json!({"line": "touch made"})).await, "ask");
    assert_eq!(decision(json!({"line": "touch made", "client": "codex"})).await, "allow");
}

//! Workspaces beside the one of the space: their life, their folders, and what keeps them apart.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
};

use openspace_command::Call;
use openspace_isolation::{Limits, Provider};
use openspace_workspace::workspaces::{WorkspaceRecord, WorkspacesPart};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{
    Bench, START, Settings, agent, in_time, is_running, names, on_disk, until, with,
};

fn record(root: &Path, differs: Value) -> Value {
    let record = json!({
        "name": null, "root": root, "owns_root": true, "provider": "local", "network": true,
        "limits": {
            "memory_bytes": null, "processes": null, "cpu_percent": null, "file_size_bytes": null,
            "open_files": null, "temporary_bytes": null,
        },
        "git_url": null, "created_by": "opencode", "created_as": "agent", "created_at": START,
    });
    with(record, differs)
}

/// What is told of a workspace in the server's own process.
fn info(id: &str, root: &Path, open: bool, differs: Value) -> Value {
    let isolation = json!({
        "provider": "local", "isolates": [], "kernel_shared": true, "network": "machine",
        "root_inside": root, "output_inside": null, "layers": [], "limits": [],
        "caveats": ["programs run as the user of the server and can do what that user can"],
    });
    let mut info = json!({"id": id});
    let map = info.as_object_mut().unwrap();
    map.extend(record(root, differs).as_object().unwrap().clone());
    map.insert("open".into(), json!(open));
    map.insert("root_inside".into(), if open { json!(root) } else { json!(null) });
    map.insert("isolation".into(), if open { isolation } else { json!(null) });
    let agents = json!({
        "confined": false, "why_not": "the server was started with `--agents-place shared`",
        "hint": "start it without that", "isolation": null, "exposed": [], "committed": [],
    });
    map.insert("agents".into(), agents);
    info
}

fn main_info(bench: &Bench) -> Value {
    let root = bench.place("");
    let root = root.components().as_path();
    info(
        "main",
        root,
        true,
        json!({"owns_root": false, "created_by": "bench", "created_as": "script"}),
    )
}

async fn bash(bench: &Bench, workspace: &str, command: &str) -> Value {
    let args = json!({"command": command, "workspace_id": workspace});
    bench.ok("workspace.bash", args).await["stdout"].take()
}

#[tokio::test]
async fn a_workspace_has_a_folder_of_its_own() {
    let bench = Bench::open(&[]).await;
    let mut view = bench.attach();
    assert_eq!(json!(view.snapshot.parts["workspaces"]), json!({}));
    let created = bench.ok("workspace.create", json!({"name": "tests"})).await;
    let root = bench.private("workspaces/w1");
    let w1 = info("w1", &root, true, json!({"name": "tests"}));
    assert_eq!(created, w1);
    let told = view.changed("workspaces").await;
    assert_eq!(told, json!({"w1": record(&root, json!({"name": "tests"}))}));
    assert_eq!(json!(bench.attach().snapshot.parts["workspaces"]), told);
    for name in ["workspace_id", "workspaceId", "workspace", "id"] {
        assert_eq!(bench.ok("workspace.get", json!({name: "w1"})).await, w1);
    }
    assert_eq!(bench.ok("workspace.get", json!({"id": "main"})).await, main_info(&bench));
    let all = bench.ok("workspace.list", json!({})).await;
    assert_eq!(all, json!({"workspaces": [main_info(&bench), w1]}));
    let text = format!(
        "main: local, open, {}, by bench\nw1 (tests): local, open, {}, by \
         opencode\n(workspace_get shows what one isolates and which limits hold)",
        bench.place("").components().as_path().display(),
        root.display()
    );
    assert_eq!(bench.text("workspace.list", json!({})).await, text);
}

#[tokio::test]
async fn two_workspaces_do_not_meet() {
    let bench = Bench::open(&[("a.txt", "main\n")]).await;
    bench.ok("workspace.create", json!({})).await;
    bench.ok("workspace.create", json!({})).await;
    for id in ["w1", "w2"] {
        let args = json!({"path": "a.txt", "content": format!("{id}\n"), "workspace_id": id});
        bench.ok("workspace.write", args).await;
    }
    for id in ["main", "w1", "w2"] {
        let read = bench.ok("workspace.read", json!({"path": "a.txt", "workspace": id})).await;
        assert_eq!(read["content"], format!("1: {id}\n"));
        let root = bench.private(&format!("workspaces/{id}"));
        let root = if id == "main" { bench.place("") } else { root };
        let pwd = format!("{}\n", root.canonicalize().unwrap().display());
        assert_eq!(bash(&bench, id, "pwd").await, pwd);
        let other = bench.private("workspaces/w3/a.txt");
        let args = json!({"path": other, "workspace": id});
        assert_eq!(bench.failure("workspace.read", args).await["kind"], "denied");
    }
    assert_eq!(bash(&bench, "w1", "echo changed >> a.txt; cat a.txt").await, "w1\nchanged\n");
    let edit = |id: &str| json!({"path": "a.txt", "old_string": id, "new_string": "x", "workspace_id": id});
    bench.ok("workspace.edit", edit("w2")).await;
    assert_eq!(bench.failure("workspace.edit", edit("w1")).await["kind"], "conflict");
    assert_eq!(on_disk(&bench.place("a.txt")), "main\n");
}

#[tokio::test]
async fn destroying_ends_everything_and_removes_what_was_made() {
    let bench = Bench::open(&[]).await;
    bench.ok("workspace.create", json!({})).await;
    let args = json!({"command": "sleep 1000", "background": true, "workspace_id": "w1"});
    let pid = bench.ok("workspace.bash", args).await["pid"].as_u64().unwrap();
    let pid = u32::try_from(pid).unwrap();
    bash(&bench, "w1", "mkdir -p deep/er; echo x > deep/er/x; ln -s / out").await;
    let mut view = bench.attach();
    let destroyed = bench.ok("workspace.destroy", json!({"workspace_id": "w1"})).await;
    assert_eq!(destroyed, json!({"id": "w1", "kept_root": null}));
    assert!(!is_running(pid));
    assert_eq!(view.changed("workspaces").await, json!({}));
    assert_eq!(names(&bench.private("workspaces")), Vec::<String>::new());
    assert_eq!(names(&bench.private("places")), ["main"]);
    assert_eq!(bench.ok("workspace.run_list", json!({})).await, json!({"runs": []}));
    let gone = "there is no workspace `w1`";
    for (command, args) in [
        ("workspace.bash", json!({"command": "true", "workspace_id": "w1"})),
        ("workspace.get", json!({"id": "w1"})),
        ("workspace.destroy", json!({"id": "w1"})),
    ] {
        bench.fails(command, args, "not_found", gone).await;
    }
    assert_eq!(bench.ok("workspace.create", json!({})).await["id"], "w2", "ids are not used again");
}

#[tokio::test]
async fn a_folder_that_was_given_stays() {
    let bench = Bench::open(&[]).await;
    let folder = tempfile::tempdir().unwrap();
    let created = bench.as_person("workspace.create", json!({"root": folder.path()})).await;
    let expected = info(
        "w1",
        folder.path(),
        true,
        json!({"owns_root": false, "created_by": "browser", "created_as": "person"}),
    );
    assert_eq!(created["success"], true);
    assert_eq!((&created["root"], &created["owns_root"]), (&expected["root"], &json!(false)));
    bash(&bench, "w1", "echo kept > a.txt").await;
    let destroyed = bench.ok("workspace.destroy", json!({"workspaceId": "w1"})).await;
    assert_eq!(destroyed, json!({"id": "w1", "kept_root": folder.path()}));
    assert_eq!(on_disk(&folder.path().join("a.txt")), "kept\n");
    assert_eq!(names(&bench.private("places")), ["main"]);
}

/// A bare repository with two commits on `main` and one more on `side`.
async fn origin(bench: &Bench) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    let script = format!(
        "set -e; export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=n \
         GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=n@example.invalid; \
         git init -q -b main made; cd made; echo 1 > a.txt; git add .; git commit -qm one; \
         echo 2 > a.txt; git commit -qam two; git checkout -qb side; echo 3 > a.txt; \
         git commit -qam three; git clone -q --bare . {path}/origin.git; cd ..; rm -rf made"
    );
    let made = bench.ok("workspace.bash", json!({"command": script})).await;
    assert_eq!(made["exit_code"], 0, "{made}");
    let url = format!("file://{path}/origin.git");
    (folder, url)
}

#[tokio::test]
async fn a_repository_is_cloned_into_a_new_workspace() {
    let bench = Bench::open(&[]).await;
    let (_folder, url) = origin(&bench).await;
    for (number, name) in (1..).zip(["git_url", "git", "url", "gitUrl"]) {
        let args = json!({name: url, "branch": "main"});
        let created = bench.ok("workspace.create", args).await;
        let id = format!("w{number}");
        let root = bench.private("workspaces").join(&id);
        assert_eq!(created, info(&id, &root, true, json!({"git_url": url})));
        assert_eq!(bash(&bench, &id, "cat a.txt; git log --format=%s").await, "2\ntwo\none\n");
    }
    let args = json!({"git_url": url, "branch": "side", "depth": 1});
    bench.ok("workspace.create", args).await;
    assert_eq!(bash(&bench, "w5", "cat a.txt; git log --format=%s").await, "3\nthree\n");
    assert_eq!(names(&bench.private("places")), ["main", "w1", "w2", "w3", "w4", "w5"]);
}

/// Nothing of a workspace was left behind.
fn assert_nothing_left(bench: &Bench) {
    assert_eq!(json!(bench.state().part::<WorkspacesPart>()), json!({}));
    assert_eq!(names(&bench.private("workspaces")), Vec::<String>::new());
    assert_eq!(names(&bench.private("places")), ["main"]);
}

#[tokio::test]
async fn what_cannot_be_cloned_leaves_nothing_behind() {
    let bench = Bench::open(&[]).await;
    let (_folder, url) = origin(&bench).await;
    for (args, kind) in [
        (json!({"git_url": "file:///nowhere/at/all"}), "conflict"),
        (json!({"git_url": url, "branch": "none"}), "not_found"),
        (json!({"git_url": "https://me:pass@example.invalid/x"}), "invalid_args"),
        (json!({"git_url": "ext::sh"}), "invalid_args"),
    ] {
        let failure = bench.failure("workspace.create", args).await;
        assert_eq!(failure["kind"], kind, "{failure}");
        assert!(!failure.to_string().contains("me:pass"), "{failure}");
        assert_nothing_left(&bench);
    }
}

#[tokio::test]
async fn a_call_that_is_taken_back_leaves_nothing_behind() {
    let bench = Bench::open(&[]).await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    let call = Call::new(agent(), "workspace.create", json!({"git_url": url}));
    let cancel = call.cancel.clone();
    let dispatcher = bench.dispatcher().clone();
    let running = tokio::spawn(async move { dispatcher.dispatch(call).await.to_value() });
    // Git has come and waits for an answer.
    let came = tokio::task::spawn_blocking(move || listener.accept().unwrap());
    let _silent = in_time(came).await.unwrap();
    assert_eq!(names(&bench.private("workspaces")), ["w1"]);
    cancel.cancel();
    assert_eq!(in_time(running).await.unwrap()["kind"], "cancelled");
    until(|| names(&bench.private("workspaces")).is_empty()).await;
    until(|| names(&bench.private("places")) == ["main"]).await;
    assert_eq!(json!(bench.state().part::<WorkspacesPart>()), json!({}));
}

#[tokio::test]
async fn what_cannot_be_created_is_refused() {
    let bench = Bench::open(&[("a.txt", "")]).await;
    let file = bench.place("a.txt").display().to_string();
    let name = "argument `name`: must be 1 to 100 printable characters";
    let cases = [
        (
            json!({"root": "/tmp", "git_url": "https://example.invalid/x"}),
            "invalid_args",
            "arguments `root` and `git_url`: give one or the other",
        ),
        (json!({"root": "tmp"}), "invalid_args", "argument `root`: is not an absolute path"),
        (
            json!({"branch": "main"}),
            "invalid_args",
            "arguments `branch` and `depth`: go with `git_url`",
        ),
        (json!({"depth": 1}), "invalid_args", "arguments `branch` and `depth`: go with `git_url`"),
        (json!({"name": " "}), "invalid_args", name),
        (json!({"name": "a\nb"}), "invalid_args", name),
        (json!({"name": "x".repeat(101)}), "invalid_args", name),
        (
            json!({"network": true}),
            "invalid_args",
            "argument `network`: programs of provider `local` always have the network",
        ),
        (
            json!({"limits": {"memory_bytes": 100_000_000}}),
            "unsupported",
            "argument `limits`: nothing limits programs of provider `local`",
        ),
        (
            json!({"root": "/nowhere/at/all"}),
            "not_found",
            "the folder /nowhere/at/all cannot be opened",
        ),
        (json!({"root": file}), "not_found", &format!("the folder {file} cannot be opened")),
    ];
    for (args, kind, message) in cases {
        let failure = bench.as_person("workspace.create", args).await;
        assert_eq!((&failure["kind"], &failure["error"]), (&json!(kind), &json!(message)));
        assert_nothing_left(&bench);
    }
    let denied = bench.failure("workspace.create", json!({"root": "/tmp"})).await;
    let expected = json!({
        "success": false, "error": "an agent cannot open a folder of this machine",
        "kind": "denied",
        "hint": "leave `root` out for a new folder, or ask the person to open it",
    });
    assert_eq!(denied, expected);
    let main = bench.failure("workspace.destroy", json!({"id": "main"})).await;
    let expected = json!({
        "success": false, "error": "the workspace of the IDE cannot be destroyed",
        "kind": "conflict", "hint": "stop the server instead",
    });
    assert_eq!(main, expected);
}

#[tokio::test]
async fn without_a_runner_only_local_workspaces_can_be_had() {
    let settings = Settings { has_runner: false, ..Settings::default() };
    let bench = Bench::with(settings, &[]).await;
    for provider in ["runner", "sandbox"] {
        let failure = bench.failure("workspace.create", json!({"provider": provider})).await;
        let expected = json!({
            "success": false, "kind": "unsupported",
            "error": "the runner openspace-runner is not there, or is no program",
            "hint": "install `openspace-runner` beside `openspace`",
        });
        assert_eq!(failure, expected);
        assert_nothing_left(&bench);
    }
    bench.ok("workspace.create", json!({"provider": "local"})).await;
}

#[tokio::test]
async fn unknown_workspaces_name_the_known_ones() {
    let bench = Bench::open(&[]).await;
    bench.ok("workspace.create", json!({})).await;
    let expected = json!({
        "success": false, "error": "there is no workspace `w9`", "kind": "not_found",
        "hint": "workspaces: main, w1",
    });
    for (command, args) in [
        ("workspace.get", json!({"id": "w9"})),
        ("workspace.destroy", json!({"id": "w9"})),
        ("workspace.bash", json!({"command": "true", "workspace": "w9"})),
        ("workspace.read", json!({"path": "a", "workspace": "w9"})),
        ("workspace.write", json!({"path": "a", "content": "", "workspace": "w9"})),
        (
            "workspace.edit",
            json!({"path": "a", "old_string": "a", "new_string": "b", "workspace": "w9"}),
        ),
        ("workspace.glob", json!({"pattern": "a", "workspace": "w9"})),
        ("workspace.grep", json!({"pattern": "a", "workspace": "w9"})),
        ("workspace.git", json!({"action": "status", "workspace": "w9"})),
    ] {
        assert_eq!(bench.failure(command, args).await, expected, "{command}");
    }
}

#[tokio::test]
async fn workspaces_survive_a_restart_and_are_opened_when_used() {
    let mut bench = Bench::open(&[]).await;
    bench.ok("workspace.create", json!({"name": "kept"})).await;
    bash(&bench, "w1", "echo kept > a.txt").await;
    bench.restart().await;
    let root = bench.private("workspaces/w1");
    let get = json!({"id": "w1"});
    let closed = info("w1", &root, false, json!({"name": "kept"}));
    assert_eq!(bench.ok("workspace.get", get.clone()).await, closed);
    assert_eq!(bash(&bench, "w1", "cat a.txt").await, "kept\n");
    let open = info("w1", &root, true, json!({"name": "kept"}));
    assert_eq!(bench.ok("workspace.get", get).await, open);
    bench.restart().await;
    bench.ok("workspace.destroy", json!({"id": "w1"})).await;
    assert_nothing_left(&bench);
}

#[tokio::test]
async fn there_is_a_bound_on_workspaces() {
    let bench = Bench::open(&[]).await;
    let record = WorkspaceRecord {
        name: None,
        root: PathBuf::from("/nowhere"),
        owns_root: false,
        provider: Provider::Local,
        network: true,
        limits: Limits::default(),
        git_url: None,
        created_by: "bench".into(),
        created_as: None,
        created_at: START,
    };
    let filled = bench.dispatcher().state().space().change_now(|state| {
        let records = (1..=500).map(|number| (format!("w{number}"), record.clone()));
        state.part_mut::<WorkspacesPart>().extend(records);
        Ok(())
    });
    assert!(filled.is_ok());
    let failure = bench.failure("workspace.create", json!({})).await;
    let expected = json!({
        "success": false, "error": "there are 500 workspaces already", "kind": "conflict",
        "hint": "remove some with workspace_destroy",
    });
    assert_eq!(failure, expected);
}

//! The disk with the server's own state is full, and has room again.

use std::{
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Server, Space, eventually};

/// A small disk where the state of a space is kept, seen by nobody but who enters it. It lives as long
/// as this does, and takes nothing of the machine's own mounts.
struct SmallDisk {
    space: Space,
    holder: Child,
}

impl SmallDisk {
    fn of(space: &Space, size: &str) -> Self {
        std::fs::create_dir(space.state()).unwrap();
        let words = format!(
            "mount -t tmpfs -o size={size},mode=700 openspace-test '{}' && echo mounted && exec sleep 600",
            space.state().display()
        );
        #[expect(clippy::disallowed_methods, reason = "the test's own surroundings")]
        let mut command = Command::new("unshare");
        if !rustix::process::geteuid().is_root() {
            command.args(["--user", "--map-root-user"]);
        }
        let mut holder =
            command.args(["--mount", "sh", "-c", &words]).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut said).unwrap();
        assert_eq!(said, "mounted\n", "this test needs a mount of its own");
        Self { space: space.clone(), holder }
    }

    async fn serve(&self) -> Server {
        let pid = self.holder.id();
        let mut arguments = vec![format!("--mount=/proc/{pid}/ns/mnt")];
        if !rustix::process::geteuid().is_root() {
            arguments
                .extend([format!("--user=/proc/{pid}/ns/user"), "--preserve-credentials".into()]);
        }
        let command = self.space.program_by("nsenter", &arguments);
        Server::start_by(command, &self.space, &["--max-calls-per-turn", "100000"]).await
    }

    fn ballast(&self) -> PathBuf {
        let inside = self.space.state().join("ballast");
        PathBuf::from(format!("/proc/{}/root{}", self.holder.id(), inside.display()))
    }

    fn fill(&self) {
        let mut file = crate::support::create(&self.ballast());
        while file.write_all(&[0; 4096]).is_ok() {}
    }

    fn free(&self) {
        #[expect(clippy::disallowed_methods, reason = "files of the test itself")]
        std::fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        self.holder.kill().unwrap();
        self.holder.wait().unwrap();
    }
}

async fn store_as_told(server: &Server) -> Value {
    server.http.get("/api/state").send().await.json()["parts"]["store"].clone()
}

async fn health(server: &Server) -> Value {
    server.http.get("/healthz").send().await.json()["status"].clone()
}

fn highlight(note: &str) -> Value {
    json!({"path": "a.txt", "ranges": [{"startLine": 1, "endLine": 1}], "highlightId": "why",
        "color": "#ff0000", "note": note})
}

#[tokio::test]
async fn a_full_disk_is_told_fails_what_must_last_and_loses_nothing_once_there_is_room() {
    let space = Space::new();
    space.file("a.txt", "one\n");
    let disk = SmallDisk::of(&space, "4m");
    let server = disk.serve().await;
    server.call("layout.save", json!({"name": "before"})).await;
    assert_eq!(store_as_told(&server).await, json!({}));
    disk.fill();

    // What is written fits until the last block is full.
    let warned = eventually("a warning", || async {
        let answer = server.call("editor.highlight", highlight(&"x".repeat(900))).await;
        answer.get("warning").cloned()
    })
    .await;
    assert_eq!(
        warned,
        "OpenSpace cannot save its own state now (database or disk is full): what was changed is lost \
         if the server stops before that is mended"
    );
    assert_eq!(health(&server).await, "degraded");
    eventually("views to be told", || async {
        let told = store_as_told(&server).await;
        (told == json!({"now": {"why": "database or disk is full"}})).then_some(())
    })
    .await;
    let save = server.http.post("/api/commands/layout.save", &json!({"name": "during"}));
    let refused = save.send().await;
    let value = refused.json();
    assert_eq!((refused.status, &value["kind"]), (507, &json!("not_saved")), "{value}");
    assert!(value["hint"].as_str().unwrap().contains("make room"), "{value}");
    let delete = server.http.post("/api/commands/layout.delete", &json!({"name": "before"}));
    assert_eq!(delete.send().await.status, 507);
    let layouts = server.call("layout.list", json!({})).await;
    assert_eq!(layouts["layouts"], json!(["before"]), "what failed changed nothing");
    let mcp = server.mcp().await;
    let result = mcp.call("editor_open", json!({"path": "a.txt"})).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("\nWarning: OpenSpace cannot save its own state now"), "{text}");
    assert_eq!(result["structuredContent"]["warning"], warned);
    server.call("pane.split", json!({"side": "right"})).await;

    disk.free();
    eventually("room to be noticed", || async {
        let answer = server.call("pane.list", json!({})).await;
        answer.get("warning").is_none().then_some(())
    })
    .await;
    let saved = server.call("layout.save", json!({"name": "after"})).await;
    assert_eq!(saved, json!({"success": true, "layouts": ["after", "before"]}));
    assert_eq!((health(&server).await, store_as_told(&server).await), (json!("ok"), json!({})));
    let state = server.http.get("/api/state").send().await.json();
    let calls = server.call("audit.list", json!({"limit": 1000})).await;
    drop(mcp);
    server.kill().await;

    let server = disk.serve().await;
    let again = server.http.get("/api/state").send().await.json();
    for part in ["layout", "layouts", "highlights", "editors"] {
        assert_eq!(again["parts"][part], state["parts"][part], "{part}");
    }
    let listed = server.call("audit.list", json!({"limit": 1000})).await;
    let (before, after) =
        (calls["records"].as_array().unwrap(), listed["records"].as_array().unwrap());
    assert_eq!(after[after.len() - before.len()..], before[..], "every record of before is there");
    server.stop().await;
}

#[tokio::test]
async fn a_log_that_fills_the_disk_by_itself_is_cut_without_anybody_noticing() {
    let space = Space::new();
    space.file("a.txt", "one\n");
    // Less than the log may hold before it is moved into the tables by itself.
    let disk = SmallDisk::of(&space, "2m");
    let server = disk.serve().await;
    for count in 0..300 {
        let answer = server.call("editor.highlight", highlight(&format!("{count:0900}"))).await;
        assert_eq!(answer.get("warning"), None, "{count}");
    }
    server.kill().await;
    let server = disk.serve().await;
    let state = server.http.get("/api/state").send().await.json();
    let note = state["parts"]["highlights"]["why"]["note"].as_str().unwrap();
    assert!(note.ends_with("0299"), "{note}");
    server.stop().await;
}

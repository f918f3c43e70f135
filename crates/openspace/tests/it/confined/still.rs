//! The person's git while programs of an agent run.

use serde_json::json;

use super::{BUSY, bash, bytes, git, run, space, write};
use crate::support::{Server, Space};

/// A repository of the person's whose hook and whose filter note how far a program counts while they run.
fn watched() -> Space {
    let space = space();
    let root = space.root();
    let notes = |name: &str| format!("wc -c < count > {name}; sleep 0.3; wc -c < count >> {name}");
    let hook = root.join(".git/hooks/pre-commit");
    write(&hook, format!("#!/bin/sh\n{}\n", notes("committing")));
    write(&root.join("filter.sh"), format!("{}; cat", notes("looking")));
    write(&root.join(".gitattributes"), "*.dat filter=x\n");
    write(&root.join("a.dat"), "one\n");
    write(&root.join(".gitignore"), "count\ncommitting\nlooking\n.env\ncerts\n");
    git(&root, &["config", "user.name", "me"]);
    git(&root, &["config", "user.email", "me@example.org"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "--quiet", "--no-verify", "--message", "one"]);
    git(&root, &["config", "filter.x.clean", "sh filter.sh"]);
    make_executable(&hook);
    space
}

fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What was noted at the beginning and at the end.
fn noted(space: &Space, name: &str) -> (u64, u64) {
    let text = String::from_utf8(bytes(&space.root().join(name)).unwrap()).unwrap();
    let counts: Vec<u64> = text.lines().map(|line| line.trim().parse().unwrap()).collect();
    (counts[0], counts[1])
}

#[tokio::test]
async fn programs_of_agents_stand_still_while_the_persons_git_changes_something_and_only_then() {
    let space = watched();
    let server = Server::start_in(&space, &BUSY).await;
    let agent = server.mcp().await;
    let count = "while :; do echo x >> count; sleep 0.01; done";
    let started =
        agent.call("workspace_bash", json!({"command": count, "run_in_background": true})).await;
    assert_eq!(started["isError"], json!(false), "{started}");
    bash(&agent, "until [ -s count ]; do sleep 0.01; done").await;

    // As long as before, so that git has to look into it.
    write(&space.root().join("a.dat"), "two\n");
    let status = server.http.get("/api/git/status").send().await;
    assert_eq!(status.status, 200, "{}", status.text());
    let (before, after) = noted(&space, "looking");
    assert!(before < after, "looking held the agent up: {before} {after}");

    let commit = json!({"action": "commit", "message": "two", "files": ["a.dat"]});
    let done = server.http.post("/api/commands/workspace.git", &commit).send().await;
    assert_eq!(done.status, 200, "{}", done.text());
    let (before, after) = noted(&space, "committing");
    assert_eq!(before, after);

    // It goes on, and what an agent asks for meanwhile was only late.
    let line =
        "n=$(wc -c < count); until [ $(wc -c < count) -gt $n ]; do sleep 0.01; done; echo more";
    assert_eq!(run(&agent, line).await["output"], "more\n");
    server.stop().await;
}

//! Looking at git over HTTP, as a view does: bounded, and on no record.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Server, git};

async fn look(server: &Server, path: &str) -> (u16, Value) {
    let answer = server.http.get(&format!("/api/git/{path}")).send().await;
    (answer.status, answer.json())
}

/// A repository whose file `a.txt` has two commits.
async fn started() -> Server {
    let server = Server::start(&[]).await;
    let root = server.space.root();
    git(&root, &["init", "--quiet", "--initial-branch", "main"]);
    for (content, message) in [("one\n", "first"), ("one\ntwo\n", "second")] {
        server.space.file("a.txt", content);
        git(&root, &["add", "."]);
        git(&root, &["commit", "--quiet", "--message", message]);
    }
    git(&root, &["tag", "v1", "HEAD~"]);
    server
}

fn summaries(log: &Value) -> Vec<&str> {
    log["commits"].as_array().unwrap().iter().map(|it| it["summary"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_past_is_told_and_leaves_no_record() {
    let server = started().await;
    let records = || async { server.call("audit.list", json!({})).await["records"].clone() };
    let state = || async { server.http.get("/api/state").send().await.json()["revision"].clone() };
    let recorded = records().await.as_array().unwrap().len();
    let revision = state().await;

    let (_, page) = look(&server, "log?limit=1").await;
    assert_eq!((summaries(&page), &page["more"]), (vec!["second"], &json!(true)));
    let (_, rest) = look(&server, "log?path=a.txt&skip=1&starts=main+v1").await;
    assert_eq!((summaries(&rest), &rest["more"]), (vec!["first"], &json!(false)));
    let (_, all) = look(&server, "log?all=true").await;
    let oid = |at: usize| all["commits"][at]["oid"].as_str().unwrap();
    let (first, second) = (oid(1), oid(0));

    let (_, blamed) = look(&server, "blame?path=a.txt&lines=2-2").await;
    let lines = json!([{"first": 2, "last": 2, "oid": second}]);
    assert_eq!(blamed["blame"]["lines"], lines);
    let (_, refs) = look(&server, "refs").await;
    assert_eq!(refs["branches"]["entries"][0]["name"], "main");
    assert_eq!(
        (&refs["tags"]["total"], &refs["tags"]["entries"][0]["oid"]),
        (&json!(1), &json!(first))
    );
    let (_, commit) = look(&server, &format!("commit?revision={second}")).await;
    assert_eq!(commit["commit"]["summary"], "second");
    let (_, changes) = look(&server, &format!("changes?from={first}&to={second}")).await;
    assert_eq!(changes["totals"], json!({"files": 1, "insertions": 1, "deletions": 0}));
    let (_, stashes) = look(&server, "stashes").await;
    assert_eq!(stashes, json!({"stashes": {"entries": [], "total": 0}}));

    assert_eq!(state().await, revision);
    // Only that the records were asked for.
    assert_eq!(records().await.as_array().unwrap().len(), recorded + 1);
}

#[tokio::test]
async fn a_line_of_which_nothing_can_be_told_is_an_answer() {
    let server = started().await;
    server.space.file("new.txt", "x\n");
    server.space.file(".env", "K=1\n");
    for path in ["new.txt", ".env", "gone.txt"] {
        let told = look(&server, &format!("blame?path={path}")).await;
        assert_eq!(told, (200, json!({"blame": null})), "{path}");
    }
    let bare = Server::start(&[]).await;
    bare.space.file("a.txt", "x\n");
    assert_eq!(look(&bare, "blame?path=a.txt").await, (200, json!({"blame": null})));
}

#[tokio::test]
async fn what_is_beyond_the_bounds_is_refused() {
    let server = started().await;
    for path in [
        "log?limit=201",
        "log?limit=0",
        "log?everything=1",
        "log?path=../x",
        "blame?path=a.txt&lines=1-1001",
        "blame?path=a.txt&lines=9-9",
    ] {
        let (status, told) = look(&server, path).await;
        assert_eq!((status, &told["kind"]), (400, &json!("invalid_args")), "{path}");
    }
    assert_eq!(look(&server, "commit?revision=nowhere").await.0, 404);
}

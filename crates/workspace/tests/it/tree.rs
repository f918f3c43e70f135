//! What views are told of changes on disk, and what becomes of the tabs of files that go.

use openspace_isolation::Provider;
use openspace_protocol::{ChangeKind, Event, FileChange, RelPath};
use openspace_workspace::{
    areas::view::commands::{attach, detach},
    tree::TreeFollower,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, Follower, Settings};

fn rel(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

fn attach_view(bench: &Bench, id: &str) {
    attach(bench.dispatcher().state().space(), id).unwrap();
}

/// The next word on changed files: what changed, and whether anything may have.
async fn files_changed(view: &mut Follower) -> (Vec<FileChange>, bool) {
    loop {
        if let Event::FilesChanged { changes, rescan } = &view.next().await.event {
            return (changes.clone(), *rescan);
        }
    }
}

/// Wait until a path is told of.
async fn told(view: &mut Follower, path: &str) -> ChangeKind {
    loop {
        let (changes, rescan) = files_changed(view).await;
        assert!(!rescan);
        if let Some(found) = changes.iter().find(|change| change.path == rel(path)) {
            return found.change;
        }
    }
}

/// Whether the only tab is missing, after the next change of the layout.
async fn is_missing(view: &mut Follower) -> Value {
    let layout = view.changed("layout").await.to_string();
    json!(layout.contains(r#""missing":true"#))
}

#[tokio::test]
async fn changes_are_told_while_a_view_is_attached() {
    let bench = Bench::open(&[("a", "1"), ("gone", "1")]).await;
    let mut view = bench.attach();
    // Nobody looks, so nobody is told.
    bench.put("early", "1");
    attach_view(&bench, "v1");
    assert_eq!(files_changed(&mut view).await, (vec![], true));
    bench.put("a", "2");
    assert_eq!(told(&mut view, "a").await, ChangeKind::Changed);
    bench.remove("gone");
    assert_eq!(told(&mut view, "gone").await, ChangeKind::Deleted);
    bench.ok("file.write", json!({"path": "new", "content": "1"})).await;
    assert_eq!(told(&mut view, "new").await, ChangeKind::Created);
    detach(bench.dispatcher().state().space(), "v1");
    attach_view(&bench, "v2");
    while !files_changed(&mut view).await.1 {}
}

#[tokio::test]
async fn folders_that_are_looked_at_are_told_of_before_and_after_a_view_attaches() {
    let files = [(".gitignore", "out\nlib\n"), ("out/x", "1"), ("lib/x", "1"), ("a", "1")];
    let bench = Bench::open(&files).await;
    let workspace = bench.dispatcher().state();
    workspace.service::<TreeFollower>().look_at(&rel("out")).await;
    let mut view = bench.attach();
    attach_view(&bench, "v1");
    assert_eq!(files_changed(&mut view).await, (vec![], true));
    workspace.service::<TreeFollower>().look_at(&rel("lib")).await;
    bench.put("lib/x", "2");
    assert_eq!(told(&mut view, "lib/x").await, ChangeKind::Changed);
    // The folder from before is told to the host a moment after it follows.
    let looked = async {
        loop {
            bench.put("out/x", "2");
            bench.put("a", "2");
            let (changes, _) = files_changed(&mut view).await;
            if changes.iter().any(|change| change.path == rel("out/x")) {
                return;
            }
        }
    };
    crate::support::in_time(looked).await;
}

#[tokio::test]
async fn the_tab_of_a_file_is_missing_while_the_file_is() {
    let bench = Bench::open(&[("src/a.rs", "1\n")]).await;
    bench.ok("editor.open", json!({"path": "src/a.rs"})).await;
    let mut view = bench.attach();
    attach_view(&bench, "v1");
    assert_eq!(files_changed(&mut view).await, (vec![], true));
    bench.remove("src/a.rs");
    assert_eq!(is_missing(&mut view).await, true);
    bench.put("src/a.rs", "2\n");
    assert_eq!(is_missing(&mut view).await, false);
    // With its folder, and while nobody looked.
    std::fs::remove_dir_all(bench.place("src")).unwrap();
    assert_eq!(is_missing(&mut view).await, true);
    detach(bench.dispatcher().state().space(), "v1");
    view.changed("views").await;
    bench.put("src/a.rs", "3\n");
    attach_view(&bench, "v2");
    assert_eq!(is_missing(&mut view).await, false);
}

#[tokio::test]
async fn a_place_that_was_lost_is_followed_again() {
    let settings = Settings { provider: Provider::Runner, ..Settings::default() };
    let bench = Bench::with(settings, &[("a", "1")]).await;
    let mut view = bench.attach();
    attach_view(&bench, "v1");
    assert_eq!(files_changed(&mut view).await, (vec![], true));
    bench.put("a", "2");
    assert_eq!(told(&mut view, "a").await, ChangeKind::Changed);
    let kill = json!({"command": "kill -9 $PPID; sleep 1000"});
    assert_eq!(bench.failure("workspace.bash", kill).await["kind"], "lost");
    while !files_changed(&mut view).await.1 {}
    bench.put("a", "3");
    assert_eq!(told(&mut view, "a").await, ChangeKind::Changed);
}

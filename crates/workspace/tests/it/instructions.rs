//! What agents are told about the space.

use openspace_isolation::{Limits, Provider};
use openspace_layout::{OpenTab, TabKind};
use openspace_space::State;
use openspace_workspace::{
    areas::{bridge::manifest::Manifest, layout::LayoutPart},
    workspaces::{WorkspaceRecord, WorkspacesPart},
};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Bench, instructions};

fn text(bench: &Bench) -> String {
    instructions(bench.dispatcher())
}

/// The part about the space as it is.
fn now(bench: &Bench) -> String {
    let text = text(bench);
    let at = text.find("## Now").unwrap();
    text[at..].to_owned()
}

#[tokio::test]
async fn an_empty_space_is_told_as_such() {
    let bench = Bench::open(&[]).await;
    let expected = "## Now\n\n- Main: p1 (empty)\n- Right: empty\n- Bottom: empty\n\
                    - Active pane: p1\n- Viewers: nobody is looking\n";
    assert_eq!(now(&bench), expected);
}

#[tokio::test]
async fn what_is_open_runs_and_fails_is_told() {
    let bench = Bench::open(&[("a.rs", "1\n"), ("b.rs", "1\n")]).await;
    bench.ok("editor.open", json!({"path": "a.rs", "line": 1, "highlight": true})).await;
    bench.ok("editor.open", json!({"path": "b.rs"})).await;
    bench.ok("terminal.create", json!({"title": "tests"})).await;
    for _ in 0..3 {
        bench.failure("file.read", json!({"path": "c.rs"})).await;
    }
    bench.failure("file.read", json!({"path": "once.rs"})).await;
    let expected = "## Now\n\n- Main: p1 (a.rs, b.rs [in front])\n- Right: empty\n\
                    - Bottom: p2 (terminal t1 (tests) [in front])\n- Active pane: p2\n\
                    - Viewers: nobody is looking\n\n## Terminals\n\n\
                    - t1 \"tests\" in .: running\n\nHighlights (1): h1\n\n## Keeps failing\n\n\
                    - file_read (read c.rs), 3 times: `c.rs` does not exist\n";
    assert_eq!(now(&bench), expected);
    bench.put("c.rs", "");
    bench.ok("file.read", json!({"path": "c.rs"})).await;
    assert!(!text(&bench).contains("Keeps failing"), "a success ends it");
}

/// A workspace with a long name in a sandbox.
fn sandboxed() -> WorkspaceRecord {
    WorkspaceRecord {
        name: Some("long".repeat(50)),
        root: "/".into(),
        owns_root: false,
        provider: Provider::Sandbox,
        network: false,
        limits: Limits::default(),
        git_url: None,
        created_by: "somebody".into(),
        created_as: None,
        created_at: 0,
    }
}

#[tokio::test]
async fn other_workspaces_and_walls_are_told() {
    let bench = Bench::open(&[]).await;
    let without = text(&bench);
    assert!(!without.contains("## Workspaces"), "there are none, and no walls: {without}");
    bench.ok("workspace.create", json!({"name": "second"})).await;
    let add = |state: &mut State| {
        let record = WorkspaceRecord { name: None, ..sandboxed() };
        state.part_mut::<WorkspacesPart>().insert("w2", record);
        Ok(())
    };
    bench.dispatcher().state().space().change_now(add).unwrap();
    let text = text(&bench);
    let expected = "\n## Workspaces\n\n- main, the one above: local\n\
                    - w1 \"second\": local; `workspace_id` chooses it\n\
                    - w2: sandbox without network; `workspace_id` chooses it\n";
    assert!(text.ends_with(expected), "{text}");
}

#[tokio::test]
async fn they_name_tools_but_hold_no_schema_and_stay_short() {
    let bench = Bench::open(&[("src/main.rs", "1\n"), ("src/lib.rs", "1\n")]).await;
    for path in ["src/main.rs", "src/lib.rs"] {
        bench.ok("editor.open", json!({"path": path, "line": 1, "highlight": true})).await;
    }
    bench.ok("terminal.create", json!({"title": "tests"})).await;
    let text = text(&bench);
    assert!(text.len() < 8 * 1024, "{}", text.len());
    for word in ["\"properties\"", "\"type\": \"object\"", "$schema", "additionalProperties"] {
        assert!(!text.contains(word), "{word}");
    }
    for definition in bench.dispatcher().registry().all() {
        let listed = text.contains(&definition.tool);
        let everywhere = definition.shown == openspace_command::Shown::Everywhere;
        assert_eq!(listed, everywhere, "{}", definition.id);
    }
    assert_eq!(text, instructions(bench.dispatcher()), "the same while the state is the same");
}

#[tokio::test]
async fn they_are_bounded_however_full_the_space_is() {
    let bench = Bench::open(&[]).await;
    let name = "long".repeat(50);
    let filled = bench.dispatcher().state().space().change_now(|state| {
        let layout = state.part_mut::<LayoutPart>();
        for number in 0..600 {
            let tab = OpenTab::new(TabKind::Editor, format!("{name}/{number}.rs"));
            layout.open(OpenTab { new_pane: number < 500, ..tab }).unwrap();
            layout.set_dirty(TabKind::Editor, &format!("{name}/{number}.rs"), true).unwrap();
        }
        let workspaces = (0..500).map(|number| (format!("w{number}"), sandboxed()));
        state.part_mut::<WorkspacesPart>().extend(workspaces);
        Ok(state.part::<LayoutPart>().pane_ids().len())
    });
    assert_eq!(filled.unwrap().0, 501);
    for bridge in 0..50 {
        let command = |number: u32| json!({"id": format!("area{bridge}.command{number}")});
        let commands: Vec<_> = (0..200).map(command).collect();
        let manifest = Manifest::parse(json!({"commands": commands})).unwrap();
        let bridges = bench.dispatcher().state().bridges();
        let bridge = format!("bridge{bridge}");
        bridges.register(&bridge, manifest).unwrap();
        bridges.report(&bridge, json!("x".repeat(200_000))).unwrap();
    }
    for number in 0..10 {
        for _ in 0..2 {
            let path = format!("{number}{}", "y".repeat(3_000));
            bench.failure("file.read", json!({"path": path})).await;
        }
    }
    let length = text(&bench).len();
    assert!(length < 40 * 1024, "{length}");
}

//! The stream of events that views follow.

use std::collections::BTreeMap;

use openspace_protocol::{Event, Sequenced};
use openspace_space::Attached;
use openspace_workspace::{
    areas::view::commands::{attach, detach},
    part_schemas,
};
use pretty_assertions::assert_eq;
use proptest::{prelude::*, test_runner::TestCaseError};
use serde_json::{Value, json};

use crate::support::Bench;

fn kinds(event: &Event) -> String {
    match event {
        Event::Changed { patches } => {
            let parts: Vec<&str> = patches.keys().map(String::as_str).collect();
            format!("changed {}", parts.join(" "))
        }
        Event::FileMoved { from, to } => format!("moved {from} to {to}"),
        Event::UserDataChanged { name } => format!("user data {name}"),
        Event::FilesChanged { changes, rescan } => format!("files {} {rescan}", changes.len()),
        Event::Reveal { .. } => "reveal".into(),
        Event::CatalogueChanged { .. } => "catalogue".into(),
        Event::CallEnded { record } => format!("ended {}", record.command),
    }
}

#[tokio::test]
async fn a_view_gets_a_snapshot_and_then_every_event_in_order() {
    let bench = Bench::open(&[("a.rs", "1\n")]).await;
    let mut view = bench.attach();
    let parts: Vec<&str> = view.snapshot.parts.keys().map(String::as_str).collect();
    let names: Vec<&str> = part_schemas().into_keys().collect();
    assert_eq!(parts, names, "the parts are those that have a schema");
    assert_eq!((view.snapshot.boot.as_str(), view.snapshot.seq), ("boot1", 0));
    bench.as_person("editor.open", json!({"path": "a.rs", "line": 1, "highlight": true})).await;
    bench.as_person("pane.list", json!({})).await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        let event = view.next().await;
        seen.push((event.seq, event.revision, kinds(&event.event)));
    }
    let expected = [
        (1, 0, "reveal"),
        (2, 1, "changed editors highlights layout"),
        (3, 1, "ended openspace.editor.open"),
        (4, 1, "ended openspace.pane.list"),
    ];
    assert_eq!(seen, expected.map(|(seq, revision, kind)| (seq, revision, kind.to_owned())));
}

#[tokio::test]
async fn a_view_that_comes_back_gets_exactly_what_it_missed() {
    let mut bench = Bench::open(&[("a.rs", "1\n")]).await;
    let mut view = bench.attach();
    bench.as_person("editor.open", json!({"path": "a.rs"})).await;
    let all = [view.next().await, view.next().await, view.next().await].to_vec();
    for seen in 0..=3 {
        let space = bench.dispatcher().state().space();
        let Attached::Resumed(mut listener) = space.attach(Some(("boot1", seen))) else {
            panic!("event {seen} is remembered")
        };
        let missed = listener.now().unwrap();
        let missed: Vec<Sequenced> = missed.iter().map(|event| event.read().unwrap()).collect();
        assert_eq!(missed, all[usize::try_from(seen).unwrap()..]);
    }
    let revision = bench.dispatcher().state().space().events().revision();
    bench.restart().await;
    let space = bench.dispatcher().state().space();
    let Attached::Fresh(snapshot, _) = space.attach(Some(("boot1", 2))) else {
        panic!("another run cannot be resumed")
    };
    assert_eq!((snapshot.boot.as_str(), snapshot.revision), ("boot2", revision));
}

#[tokio::test]
async fn a_refused_change_is_no_change() {
    let bench = Bench::open(&[("a.rs", "1\n")]).await;
    let before = bench.attach().snapshot;
    for (command, args) in [
        ("pane.resize", json!({"paneId": "p1", "width": 40})),
        ("editor.highlight", json!({"path": "a.rs", "ranges": []})),
    ] {
        assert_eq!(bench.as_person(command, args).await["success"], json!(false));
    }
    let after = bench.attach().snapshot;
    assert_eq!((after.revision, after.parts), (before.revision, before.parts));
}

#[derive(Clone, Debug)]
enum Step {
    Command(&'static str, Value),
    Attach(u8),
    Detach(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let path = (0..4_u8).prop_map(|number| format!("{number}.rs"));
    let pane = (1..6_u8).prop_map(|number| format!("p{number}"));
    let name = (0..3_u8).prop_map(|number| format!("layout {number}"));
    let command = |id: &'static str| move |args: Value| Step::Command(id, args);
    let range = |line: u32| json!([{"startLine": line, "endLine": line}]);
    prop_oneof![
        (path.clone(), any::<bool>(), any::<bool>())
            .prop_map(|(path, new, mark)| {
                json!({"path": path, "line": 1, "newPane": new, "highlight": mark})
            })
            .prop_map(command("editor.open")),
        path.clone().prop_map(|path| json!({"path": path})).prop_map(command("editor.close")),
        (path.clone(), 1..4_u32)
            .prop_map(move |(path, line)| json!({"path": path, "ranges": range(line)}))
            .prop_map(command("editor.highlight")),
        path.clone()
            .prop_map(|path| json!({"path": path}))
            .prop_map(command("editor.clear_highlight")),
        (path, pane.clone())
            .prop_map(|(path, pane)| json!({"contentId": path, "targetPaneId": pane}))
            .prop_map(command("pane.move")),
        pane.clone().prop_map(|id| json!({"paneId": id})).prop_map(command("pane.close")),
        pane.clone().prop_map(|id| json!({"paneId": id})).prop_map(command("pane.focus")),
        (pane.clone(), 0..100_u8)
            .prop_map(|(id, width)| json!({"paneId": id, "width": width}))
            .prop_map(command("pane.resize")),
        (pane.clone(), any::<bool>())
            .prop_map(|(id, pinned)| json!({"paneId": id, "pinned": pinned}))
            .prop_map(command("pane.pin")),
        prop_oneof![Just("left"), Just("right"), Just("above"), Just("below")]
            .prop_map(|side| json!({"side": side}))
            .prop_map(command("pane.split")),
        name.clone().prop_map(|name| json!({"name": name})).prop_map(command("layout.save")),
        name.clone().prop_map(|name| json!({"name": name})).prop_map(command("layout.apply")),
        name.prop_map(|name| json!({"name": name})).prop_map(command("layout.delete")),
        (0..3_u8).prop_map(Step::Attach),
        (0..3_u8).prop_map(Step::Detach),
    ]
}

async fn follow(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let files: Vec<(String, &str)> = (0..4).map(|n| (format!("{n}.rs"), "1\n2\n3\n")).collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let mut bench = Bench::open(&files).await;
    let mut view = bench.attach();
    let space = std::sync::Arc::clone(bench.dispatcher().state().space());
    for step in steps {
        match step {
            // Whether it succeeds is not the point here: both ways the view must stay right.
            Step::Command(command, args) => drop(bench.call(command, args).await),
            Step::Attach(number) => attach(&space, &format!("v{number}")).unwrap(),
            Step::Detach(number) => detach(&space, &format!("v{number}")),
        }
    }
    let now = bench.attach().snapshot;
    while view.snapshot.seq < now.seq {
        view.next().await;
    }
    prop_assert_eq!(&view.snapshot.parts, &now.parts);
    prop_assert_eq!(view.snapshot.revision, now.revision);
    bench.restart().await;
    let mut saved = now.parts;
    for unsaved in ["views", "agents", "problems", "buffers"] {
        saved.insert(unsaved.into(), BTreeMap::new());
    }
    let again = bench.attach().snapshot;
    prop_assert_eq!(again.parts, saved);
    prop_assert_eq!(again.revision, now.revision);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_folded_onto_a_snapshot_give_the_next_snapshot(
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(follow(steps))?;
    }
}

//! Two edits in a row that swap right and wrong text: what is called fresh is about the second.

use openspace_languages::{AfterProcess, Freshness, State, Uri};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{PATIENCE, World};

const TURNS: usize = 100;

/// Swaps the texts again and again: what is called fresh has as many errors as the text.
async fn swap(world: &World, uri: &Uri, right: &str, wrong: &str, end: &str) {
    for turn in 0..TURNS {
        let (first, second, errors) =
            if turn % 2 == 0 { (right, wrong, 1) } else { (wrong, right, 0) };
        // No two texts are the same, so each is an edit.
        let [first, second] =
            [(first, "a"), (second, "b")].map(|(text, it)| format!("{text}{it}{turn} = 1{end}\n"));
        world.server.replace(uri, &first).unwrap();
        // Sometimes the server is busy with the first already, sometimes it hears of both at once.
        if turn % 4 >= 2 {
            let report = world.server.diagnostics(uri, PATIENCE).await.unwrap();
            assert_eq!((turn, report.items.len()), (turn, 1 - errors), "{report:?}");
        }
        world.server.replace(uri, &second).unwrap();
        let report = world.server.diagnostics(uri, PATIENCE).await.unwrap();
        assert_eq!(report.freshness, Freshness::Fresh, "turn {turn}: {report:?}");
        assert_eq!((turn, report.items.len()), (turn, errors), "{report:?}");
    }
}

#[tokio::test]
async fn typescript_is_asked_and_says_what_is_wrong_with_the_text_as_it_is() {
    let (right, wrong) = ("const n: number = 1;\nvar ", "const n: number = 'é😀'; // wrong\nvar ");
    let files = [
        ("tsconfig.json", r#"{"compilerOptions": {"strict": true}, "files": ["a.ts"]}"#),
        ("a.ts", ""),
    ];
    let world = World::start("tsc", &files);
    let uri = world.uri("a.ts");
    world.server.open(&uri, "typescript", "".into(), true).unwrap();
    swap(&world, &uri, right, wrong, "").await;
    let place = json!({"line": 0, "character": 6});
    let params = json!({"textDocument": {"uri": uri}, "position": place});
    let reply = world.ask("textDocument/hover", params).await.unwrap();
    assert!(reply.complete && reply.value.get().contains("const n: number"), "{reply:?}");
    assert_eq!(world.server.state(), State::Ready);
    assert_eq!(world.end().await.next, AfterProcess::Stopped);
}

#[tokio::test]
async fn ty_registers_that_it_can_be_asked_and_is_right() {
    let (right, wrong) = ("n: int = 1\n", "n: int = 'é😀'  # wrong\n");
    let world = World::start("ty", &[("pyproject.toml", ""), ("a.py", "")]);
    let uri = world.uri("a.py");
    world.server.open(&uri, "python", "".into(), true).unwrap();
    swap(&world, &uri, right, wrong, "").await;
    assert_eq!(world.end().await.next, AfterProcess::Stopped);
}

#[tokio::test]
async fn ruff_says_what_is_wrong_with_the_text_as_it_is() {
    let (right, wrong) = ("n = 1\n", "print(missing)\n");
    let world = World::start("ruff", &[("pyproject.toml", ""), ("a.py", "")]);
    let uri = world.uri("a.py");
    world.server.open(&uri, "python", "".into(), true).unwrap();
    swap(&world, &uri, right, wrong, "").await;
    assert_eq!(world.end().await.next, AfterProcess::Stopped);
}

#[tokio::test]
async fn clangd_tells_by_itself_and_names_the_text_that_it_means() {
    let (right, wrong) = ("int n = 1;\nint ", "int n = \"é😀\";\nint ");
    let world = World::start("clangd", &[("compile_flags.txt", "-std=c++20\n"), ("a.cpp", "")]);
    let uri = world.uri("a.cpp");
    world.server.open(&uri, "cpp", "".into(), true).unwrap();
    swap(&world, &uri, right, wrong, ";").await;
    assert_eq!(world.end().await.next, AfterProcess::Stopped);
}

#[tokio::test]
async fn pyright_says_only_late_how_it_is_asked_and_is_right_all_the_same() {
    let (right, wrong) = ("n: int = 1\n", "n: int = 'é😀'  # wrong\n");
    let world = World::start("pyright", &[("pyproject.toml", ""), ("a.py", "")]);
    let uri = world.uri("a.py");
    world.server.open(&uri, "python", "".into(), true).unwrap();
    swap(&world, &uri, right, wrong, "").await;
    let params = json!({"textDocument": {"uri": uri}});
    let reply = world.ask("textDocument/documentSymbol", params).await.unwrap();
    // It may be at work again by then, so nobody can say whether that is all.
    assert!(reply.value.get().contains("\"n\""), "{reply:?}");
    assert_eq!(world.end().await.next, AfterProcess::Stopped);
}

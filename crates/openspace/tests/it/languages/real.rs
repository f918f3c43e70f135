//! TypeScript 7 itself, as a program of the project, for a page.

use std::{env, path::PathBuf};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{NOT_CONFINED, Page, hash};
use crate::support::{Server, Space, executable, read};

/// Where a server is.
#[expect(clippy::disallowed_methods, reason = "how `cargo xtask test` speaks to a test")]
fn server(name: &str) -> PathBuf {
    let named = env::var_os("OPENSPACE_LANGUAGE_SERVERS");
    let named =
        named.expect("OPENSPACE_LANGUAGE_SERVERS is not set: run this with `cargo xtask test`");
    let mut programs = env::split_paths(&named).map(|folder| folder.join(name));
    programs.find(|program| program.is_file()).expect("it is installed")
}

const USE: &str =
    "import { Shape } from './shape';\nexport const n: number = new Shape().area();\n";

fn at(method: &str, line: u32, character: u32) -> Value {
    json!({"method": format!("textDocument/{method}"), "path": "use.ts", "text": {"hash": hash(USE)},
        "params": {"position": {"line": line, "character": character}}})
}

#[tokio::test]
async fn typescript_of_a_project_answers_pages() {
    let space = Space::new();
    let program = server("tsc");
    let manifest = read(&program.with_file_name("../typescript/package.json"));
    let program = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.display());
    for (path, text) in [
        ("package.json", "{}"),
        ("tsconfig.json", r#"{"compilerOptions": {"strict": true}, "include": ["*.ts"]}"#),
        ("node_modules/typescript/package.json", &manifest),
        ("node_modules/.bin/tsc", &program),
        ("shape.ts", "export class Shape {\n  area(): number {\n    return 1;\n  }\n}\n"),
        ("use.ts", USE),
    ] {
        space.file(path, text);
    }
    executable(&space.root().join("node_modules/.bin/tsc"));
    let server = Server::start_in(&space, &NOT_CONFINED).await;
    let mut page = Page::open(&server).await;
    page.say(json!({"type": "shown", "paths": ["use.ts"]})).await;
    let trusted = space.run(&["code", "trust"]).await;
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    let told = page.server("ready").await;
    assert_eq!((&told["id"], &told["foundIn"]), (&json!("tsc"), &json!("project")));
    let definition = page.answer(at("definition", 1, 30)).await;
    let places = definition["value"].to_string();
    assert!(places.contains("workspace:/shape.ts") && !places.contains("file:"), "{definition}");
    // What it is made of is elsewhere, and can be looked into.
    let number = page.answer(at("hover", 1, 13)).await;
    assert!(number["value"].to_string().contains("const n: number"), "{number}");
    let completion = page.answer(at("completion", 1, 37)).await;
    let items = completion["value"]["items"]
        .as_array()
        .unwrap_or_else(|| completion["value"].as_array().expect("items"));
    let area =
        items.iter().find(|item| item["label"] == "area").unwrap_or_else(|| panic!("{completion}"));
    let resolve = json!({"method": "completionItem/resolve", "params": area,
        "server": completion["server"], "generation": completion["generation"]});
    let resolved = page.answer(resolve).await;
    assert!(resolved["value"].to_string().contains("area(): number"), "{resolved}");
    let mut rename = at("rename", 1, 13);
    rename["params"]["newName"] = json!("m");
    let renamed = page.answer(rename).await;
    assert_eq!(renamed["texts"], json!([{"path": "use.ts", "text": {"hash": hash(USE)}}]));
}

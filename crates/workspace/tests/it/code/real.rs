//! TypeScript 7 itself, as a program of the project.

use std::{env, path::PathBuf};

use openspace_workspace::areas::code::LanguageOptions;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Bench, Settings, executable};

/// Where a server is.
#[expect(clippy::disallowed_methods, reason = "how `cargo xtask test` speaks to a test")]
fn server(name: &str) -> PathBuf {
    let named = env::var_os("OPENSPACE_LANGUAGE_SERVERS");
    let named =
        named.expect("OPENSPACE_LANGUAGE_SERVERS is not set: run this with `cargo xtask test`");
    let mut programs = env::split_paths(&named).map(|folder| folder.join(name));
    programs.find(|program| program.is_file()).expect("it is installed")
}

#[tokio::test]
async fn typescript_of_a_project_answers_by_name_about_the_text_as_it_is() {
    let settings = Settings { languages: LanguageOptions::default(), ..Settings::default() };
    let program = server("tsc");
    let manifest = program.with_file_name("../typescript/package.json");
    #[expect(clippy::disallowed_methods, reason = "a file that the test is told of")]
    let manifest = std::fs::read_to_string(manifest).unwrap();
    let program = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.display());
    let files = [
        ("package.json", "{}"),
        ("tsconfig.json", r#"{"compilerOptions": {"strict": true}, "include": ["*.ts"]}"#),
        ("node_modules/typescript/package.json", manifest.as_str()),
        ("node_modules/.bin/tsc", program.as_str()),
        ("shape.ts", "export class Shape {\n  area(): number {\n    return 1;\n  }\n}\n"),
        (
            "use.ts",
            "import { Shape } from './shape';\nexport const n: number = new Shape().area();\n",
        ),
    ];
    let bench = Bench::with(settings, &files).await;
    executable(&bench.place("node_modules/.bin/tsc"));
    bench.as_person("code.trust", json!({})).await;
    let wait = |mut args: serde_json::Value| {
        args["wait_s"] = json!(60);
        args
    };
    let uses = bench.ok("code.references", wait(json!({"symbol": "Shape/area"}))).await;
    assert_eq!(uses["files"][0]["path"], json!("use.ts"), "{uses}");
    assert_eq!((&uses["total"], &uses["complete"]), (&json!(1), &json!(true)));
    let hover = bench.ok("code.hover", wait(json!({"symbol": "n", "path": "use.ts"}))).await;
    assert!(hover["text"].as_str().unwrap().contains("const n: number"), "{hover}");
    let place = bench
        .ok("code.definition", wait(json!({"symbol": "Shape", "path": "use.ts", "line": 2})))
        .await;
    assert_eq!(place["places"][0]["path"], json!("shape.ts"), "{place}");
    let found = bench.ok("code.diagnostics", wait(json!({"path": "."}))).await;
    assert_eq!((&found["files"], &found["right"]), (&json!([]), &json!(2)), "{found}");
    // There is no server for the two JSON files, which is said.
    assert_eq!(
        (&found["complete"], found["notes"].as_array().map(Vec::len)),
        (&json!(true), Some(1))
    );
    bench.put("shape.ts", "export class Shape {\n  area(): string {\n    return 'é';\n  }\n}\n");
    let found = bench.ok("code.diagnostics", wait(json!({"path": "use.ts"}))).await;
    assert_eq!(found["files"][0]["errors"], json!(1), "{found}");
    bench.shut_down().await;
}

//! Which packages are named, and what stands there.

use serde_json::json;

use super::*;
use crate::scratch::Scratch;

fn package(name: &str, source: Option<&str>) -> Value {
    json!({
        "id": name, "name": name, "version": "1.0.0", "source": source, "license": "MIT",
        "authors": ["Ann"], "manifest_path": format!("/crates/{name}/Cargo.toml"),
    })
}

fn node(name: &str, deps: &[(&str, Option<&str>)]) -> Value {
    let deps: Vec<Value> = deps
        .iter()
        .map(|(name, kind)| json!({"pkg": name, "dep_kinds": [{"kind": kind}]}))
        .collect();
    json!({"id": name, "deps": deps})
}

#[test]
fn only_crates_that_ship_are_named() {
    let outside = Some("registry");
    let metadata = json!({
        "packages": [
            package("openspace", None), package("openspace-runner", None), package("inner", None),
            package("used", outside), package("deep", outside), package("tested", outside),
            package("built", outside), package("other", outside),
        ],
        "resolve": {"nodes": [
            node("openspace", &[("inner", None), ("tested", Some("dev")), ("built", Some("build"))]),
            node("openspace-runner", &[("used", None)]),
            node("inner", &[("used", None)]),
            node("used", &[("deep", None)]),
            node("deep", &[]),
        ]},
    });
    let names: Vec<String> =
        crates(&metadata).unwrap().into_iter().map(|package| package.name).collect();
    assert_eq!(names, ["used", "deep"]);
    assert!(crates(&json!({"packages": [], "resolve": {"nodes": []}})).is_err());
}

#[test]
fn only_npm_packages_of_the_page_are_named_and_they_must_be_there() {
    let scratch = Scratch::new("licences-npm").unwrap();
    scratch.folder("node_modules/@a/b").unwrap();
    let mut lock = json!({"packages": {
        "": {"name": "page"},
        "node_modules/@a/b": {"version": "2.0.0", "license": "ISC"},
        "node_modules/tool": {"version": "1.0.0", "license": "MIT", "dev": true},
        "node_modules/elsewhere": {"version": "1.0.0", "license": "MIT", "optional": true},
    }});
    let found = npm(&lock, scratch.path()).unwrap();
    let found: Vec<_> =
        found.iter().map(|one| (&*one.name, &*one.version, &*one.licence)).collect();
    assert_eq!(found, [("@a/b", "2.0.0", "ISC")]);
    lock["packages"]["node_modules/gone"] = json!({"version": "1.0.0", "license": "MIT"});
    assert!(npm(&lock, scratch.path()).is_err());
}

#[test]
fn equal_texts_stand_there_once_and_missing_ones_are_told() {
    let scratch = Scratch::new("licences-texts").unwrap();
    let made = |name: &str, files: &[(&str, &str)]| {
        let folder = scratch.folder(name).unwrap();
        for (file, text) in files {
            fs::write(folder.join(file), text).unwrap();
        }
        Package {
            name: name.into(),
            version: "1.0.0".into(),
            licence: "MIT".into(),
            authors: vec!["Ann".into()],
            folder,
        }
    };
    let packages = [
        made("a", &[("LICENSE-MIT", "do\r\nit\n"), ("license.rs", "fn")]),
        made("b", &[("Copying.txt", "do\nit\n")]),
        made("c", &[]),
    ];
    let text = write(&packages).unwrap();
    let line = "=".repeat(80);
    let expected = format!(
        "OpenSpace contains the packages below. Each is named with its licence; the texts that\n\
         they bring follow.\n\na 1.0.0: MIT\nb 1.0.0: MIT\nc 1.0.0: MIT (brings no text; by Ann)\n\
         \n{line}\na 1.0.0, b 1.0.0\n\ndo\nit\n"
    );
    assert_eq!(text, expected);
}

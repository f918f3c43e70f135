//! What is said about crates.

use serde_json::json;

use super::*;

fn rules() -> Rules {
    Rules {
        targets: Vec::new(),
        allowed: ["MIT".to_owned(), "ISC".to_owned()].into(),
        exceptions: vec![("file".into(), "MPL-2.0".into()), ("gone".into(), "MPL-2.0".into())],
        banned: vec!["openssl".into()],
    }
}

fn package(name: &str, licence: &str) -> Value {
    json!({"name": name, "version": "1.0.0", "license": licence, "source": REGISTRY})
}

#[test]
fn licences_sources_and_bans_are_held() {
    let mut own = package("openspace", "MIT");
    own["source"] = Value::Null;
    own["dependencies"] = json!([
        {"name": "any", "req": "*", "path": null},
        {"name": "ours", "req": "*", "path": "/src/ours"},
        {"name": "some", "req": "^1"},
    ]);
    let mut forked = package("forked", "MIT");
    forked["source"] = json!("git+https://example.org/forked");
    let mut nameless = package("nameless", "");
    nameless["license"] = Value::Null;
    let mut newer = package("file", "MPL-2.0");
    newer["version"] = json!("2.0.0");
    let packages = [
        own,
        forked,
        nameless,
        newer,
        package("file", "MPL-2.0"),
        package("other", "MPL-2.0"),
        package("openssl", "MIT"),
        package("odd", "SEE LICENSE"),
    ];
    let mut findings = Findings::default();
    judge(&packages, &rules(), &mut findings);
    let errors = [
        "openspace asks for any version of any",
        "forked 1.0.0 comes from git+https://example.org/forked",
        "nameless 1.0.0 names no licence",
        "other 1.0.0 has the licence MPL-2.0",
        "openssl 1.0.0 is banned",
        "odd 1.0.0: `SEE LICENSE` is not a licence expression",
        "deny.toml has an exception for gone, which is gone",
    ];
    let notes =
        ["no crate has the allowed licence ISC", "in several versions: file 2.0.0 and 1.0.0"];
    assert_eq!(
        (findings.errors, findings.notes),
        (errors.map(str::to_owned).into(), notes.map(str::to_owned).into())
    );
}

#[test]
fn a_download_without_a_checksum_is_told() {
    let lock = json!({"package": [
        {"name": "openspace"},
        {"name": "good", "source": REGISTRY, "checksum": "12"},
        {"name": "bad", "source": REGISTRY},
    ]});
    let mut findings = Findings::default();
    checksums(&lock, &mut findings);
    assert_eq!(findings.errors, ["bad has no checksum in Cargo.lock"]);
}

//! What is said about npm packages.

use serde_json::json;

use super::*;

fn rules() -> Rules {
    Rules {
        targets: Vec::new(),
        allowed: ["MIT".to_owned()].into(),
        exceptions: Vec::new(),
        banned: Vec::new(),
    }
}

#[test]
fn licences_hashes_and_sources_are_held() {
    let lock = json!({"packages": {
        "": {"name": "ours"},
        "node_modules/good": {"license": "MIT", "integrity": "sha512-x"},
        "node_modules/named": {
            "license": "BlueOak-1.0.0",
            "integrity": "sha512-x",
            "resolved": "https://registry.npmjs.org/named/-/named-1.0.0.tgz",
        },
        "node_modules/good/node_modules/@a/inner": {"license": "GPL-3.0", "integrity": "sha512-x"},
        "node_modules/old": {"license": "MIT", "integrity": "sha1-x"},
        "node_modules/tool-for-windows": {"license": "MIT", "optional": true, "dev": true},
        "node_modules/part-for-windows": {"license": "MIT", "optional": true},
        "node_modules/silent": {"integrity": "sha512-x"},
        "node_modules/opencode-linux-x64": {"integrity": "sha512-x"},
        "node_modules/elsewhere": {
            "license": "MIT",
            "integrity": "sha512-x",
            "resolved": "git+ssh://git@example.org/elsewhere.git",
        },
        "node_modules/axe-core": {"license": "MPL-2.0", "integrity": "sha512-x"},
    }});
    let (mut used, mut findings) = (vec![false; EXCEPTIONS.len()], Findings::default());
    judge("lock", &lock, &rules(), &mut used, &mut findings);
    assert_eq!(
        findings.errors,
        [
            "lock: @a/inner has the licence GPL-3.0",
            "lock: old has no hash",
            "lock: part-for-windows has no hash",
            "lock: silent names no licence",
            "lock: elsewhere comes from git+ssh://git@example.org/elsewhere.git",
        ]
    );
    assert_eq!(findings.notes, ["lock: no hash, for other machines: tool-for-windows"]);
    let is_in_it =
        |exception: &Exception| ["axe-core", "opencode-linux-x64"].contains(&exception.package);
    assert_eq!(used, EXCEPTIONS.iter().map(is_in_it).collect::<Vec<_>>());
}

#[test]
fn advisories_are_told_and_so_is_that_nobody_answered() {
    let mut findings = Findings::default();
    let answer = json!({"vulnerabilities": {
        "grave": {"severity": "critical"},
        "slight": {"severity": "low"},
    }});
    tell_advisories(&answer, &mut findings);
    tell_advisories(&json!({"message": "405"}), &mut findings);
    tell_advisories(&Value::Null, &mut findings);
    let told = Findings {
        errors: vec!["grave: an advisory of severity critical; see `npm audit` in web/".into()],
        notes: vec![
            "slight: an advisory of severity low; see `npm audit` in web/".into(),
            "advisories for npm packages were not checked: 405".into(),
            "advisories for npm packages were not checked: the registry did not answer".into(),
        ],
    };
    assert_eq!(findings, told);
}

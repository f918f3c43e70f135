//! What lists say; npm itself is not run here.

use super::*;

const PACKAGES: Packages = Packages {
    purpose: "test",
    named_after: "suite",
    manifest: r#"{"dependencies":{"suite":"1.2.3"}}"#,
    lock: "the lock file",
    programs: &["bin/node", "bin/suite"],
};

#[test]
fn the_folder_is_named_after_the_version_in_the_manifest() {
    assert_eq!(PACKAGES.version().unwrap(), "1.2.3");
    let other = Packages { named_after: "other", ..PACKAGES };
    assert_eq!(other.version().unwrap_err().to_string(), "package.json does not name other");
}

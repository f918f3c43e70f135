//! What the server inherits from us.

use super::*;

#[test]
fn the_server_does_not_inherit_what_cargo_set() {
    for name in ["CARGO", "CARGO_PKG_NAME", "CARGO_MANIFEST_DIR", "RUSTUP_TOOLCHAIN"] {
        assert!(set_by_cargo(name), "{name}");
    }
    for name in ["CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_HOME", "PATH"] {
        assert!(!set_by_cargo(name), "{name}");
    }
}

#[test]
fn the_library_path_keeps_only_what_was_there_before_cargo() {
    let root = Path::new("/src/openspace");
    let before = "/src/openspace/target/debug/deps:/opt/rust/toolchains/stable/lib:/opt/cuda/lib:";
    assert_eq!(without_cargo(before.as_ref(), root), Some("/opt/cuda/lib".into()));
    assert_eq!(without_cargo("/src/openspace/target/debug".as_ref(), root), None);
}

//! Which tests a target has.

use std::{fs, path::Path};

use super::*;

#[test]
fn the_tests_of_a_module_are_found_in_cargos_list() {
    let list =
        "edit::tests::fuzz::a: test\nedit::tests::b: test\nedit::tests::fuzz::c: benchmark\n";
    assert_eq!(names(list, "edit::tests::fuzz::"), ["edit::tests::fuzz::a"]);
}

#[test]
fn every_target_has_a_file_that_tries_inputs() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for target in TARGETS {
        let folder = target.package.strip_prefix("openspace-").unwrap_or(target.package);
        let module = target.module.trim_end_matches("::").replace("::", "/");
        let file = crates.join(folder).join("src").join(module).with_extension("rs");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("openspace_fuzz::hold"), "{}", target.name);
    }
}

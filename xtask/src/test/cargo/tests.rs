//! Which tests are chosen, and what they need.

use serde_json::json;

use super::*;

fn metadata() -> Value {
    let package = |name: &str, folder: &str| json!({"name": name, "manifest_path": format!("/src/{folder}/Cargo.toml")});
    json!({"packages": [
        package("openspace", "crates/openspace"),
        package("openspace-host", "crates/host"),
        package("xtask", "xtask"),
    ]})
}

#[test]
fn a_crate_is_found_by_its_name_and_by_its_folder() {
    for (name, package) in [
        ("openspace", "openspace"),
        ("openspace-host", "openspace-host"),
        ("host", "openspace-host"),
        ("xtask", "xtask"),
    ] {
        assert_eq!(Crate::named(&metadata(), name).unwrap(), Crate(package.into()), "{name}");
    }
    assert_eq!(
        Crate::named(&metadata(), "hos").unwrap_err().to_string(),
        "there is no crate `hos`; there are openspace, openspace-host, xtask"
    );
}

#[test]
fn the_runner_is_built_only_for_tests_that_start_it() {
    let asks = |crates: &[&str], list: &str| {
        let crates: Vec<Crate> = crates.iter().map(|name| Crate((*name).into())).collect();
        Choice { crates: &crates, filters: &[] }.names_one_with_runner(list)
    };
    let places = "openspace-workspace::it pane::split\nopenspace-workspace::it places::lost\n";
    assert!(asks(&[], places));
    assert!(asks(&["openspace-workspace"], places));
    assert!(asks(&["openspace-workspace"], "pane::split: test\nplaces::lost: test\n"));
    assert!(!asks(&["openspace-workspace"], "openspace-workspace::it pane::split\n"));
    assert!(!asks(&["openspace-workspace"], "openspace-workspace::it hosting::a_fact\n"));
    assert!(!asks(&["openspace-host"], places));
    assert!(!asks(&[], ""));
}

//! The reading of the suite's output; the suite itself is not run here.

use super::*;

#[test]
fn the_lock_file_holds_the_versions_that_package_json_names() {
    PACKAGES.check_lock();
}

#[test]
fn totals_are_the_lines_that_count() {
    let log = "ok ping: 2 passed\n\nTotal: 83 passed, 0 failed\n\nNot scored for X: 3 run.\n  a\n";
    assert_eq!(totals(log), ["Total: 83 passed, 0 failed", "Not scored for X: 3 run."]);
}

#[test]
fn a_command_is_ended_at_its_limit() {
    let ended = finish(Command::new("sleep").arg("600"), Duration::ZERO).unwrap();
    assert_eq!(ended, None);
    let done = finish(&mut Command::new("true"), Duration::from_mins(1)).unwrap();
    assert!(done.is_some_and(|status| status.success()));
}

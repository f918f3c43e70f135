//! What is lost, told apart: work, products of builds, the contents of files.

use pretty_assertions::assert_eq;

use super::judged;
use crate::{
    Danger,
    Finding::{self, *},
};

fn found(line: &str) -> Vec<Finding> {
    judged(line).findings().collect()
}

#[test]
fn folders_that_a_build_makes_are_told_apart_from_work() {
    let rows = [
        ("rm -rf build", vec![DeletesProducts]),
        ("rm -rf ./web/dist/ .venv", vec![DeletesProducts]),
        ("npx rimraf node_modules", vec![DeletesProducts]),
        ("cd web && rm -rf node_modules", vec![DeletesProducts]),
        ("rm -rf src", vec![DeletesFolders]),
        ("rm -rf build src", vec![DeletesFolders]),
        ("rm -rf build/../src", vec![DeletesFolders]),
        ("rm -rf \"$X/build\"", vec![DeletesFolders]),
        ("rm -rf /abs/build", vec![DeletesFolders]),
        ("rm -rf build/*", vec![DeletesFolders]),
        ("rimraf '*/build'", vec![DeletesFolders]),
        ("cd .. && rm -rf build", vec![DeletesFolders]),
        ("cd /; cd abs; rm -rf build", vec![DeletesFolders]),
        ("env -iC /abs rm -rf build", vec![DeletesFolders]),
    ];
    for (line, expected) in rows {
        assert_eq!(found(line), expected, "{line}");
    }
}

#[test]
fn a_file_is_emptied_by_one_name_however_it_is_done() {
    let rows = [
        ("truncate -s 0 f", vec![EmptiesFiles]),
        ("cp /dev/null f", vec![EmptiesFiles]),
        ("install /dev/null f", vec![EmptiesFiles]),
        ("dd if=/dev/zero of=f", vec![EmptiesFiles]),
        ("truncate -s 0 $files", vec![EmptiesMany]),
        ("dd of=/dev/sda", vec![EmptiesFiles, WritesRaw]),
        ("dd of=\"$x\"", vec![WritesRaw]),
        // A redirection is what every build does.
        (": > f", vec![]),
        ("> f", vec![]),
    ];
    for (line, expected) in rows {
        assert_eq!(found(line), expected, "{line}");
    }
}

#[test]
fn what_work_makes_anew_is_a_danger_of_its_own() {
    let discards: Vec<Finding> =
        Finding::ALL.iter().copied().filter(|one| one.danger() == Danger::Discards).collect();
    assert_eq!(discards, [DeletesProducts, EmptiesFiles]);
}

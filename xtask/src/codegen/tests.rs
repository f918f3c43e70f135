//! Comparing folders and settling what differs.

use super::*;

fn place(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn every_difference_is_named_and_settling_leaves_none() {
    let scratch = Scratch::new("codegen-test").unwrap();
    let generated = scratch.folder("generated").unwrap();
    let folder = scratch.folder("folder").unwrap();
    place(&generated, &[("same.md", "1"), ("changed.md", "new"), ("deep/missing.md", "2")]);
    place(&folder, &[("same.md", "1"), ("changed.md", "old"), ("stale.md", "3")]);

    let found = REFERENCE.differences(&generated, &folder).unwrap();
    assert_eq!(
        found,
        [
            Difference::Changed("changed.md".into()),
            Difference::Missing("deep/missing.md".into()),
            Difference::Stale("stale.md".into()),
        ]
    );

    for difference in &found {
        difference.settle(&generated, &folder).unwrap();
    }
    assert_eq!(contents(&folder).unwrap(), contents(&generated).unwrap());
}

#[test]
fn a_folder_that_does_not_exist_lacks_every_file() {
    let scratch = Scratch::new("codegen-test").unwrap();
    let generated = scratch.folder("generated").unwrap();
    place(&generated, &[("a.md", "1")]);
    let found = TYPES.differences(&generated, &scratch.path().join("nowhere")).unwrap();
    assert_eq!(found, [Difference::Missing("a.md".into())]);
}

#[test]
fn files_beside_generated_ones_are_left_alone() {
    let scratch = Scratch::new("codegen-test").unwrap();
    let generated = scratch.folder("generated").unwrap();
    let folder = scratch.folder("folder").unwrap();
    place(&generated, &[("generated.ts", "new")]);
    place(&folder, &[("generated.ts", "old"), ("client.ts", "by hand")]);
    let found = TYPES.differences(&generated, &folder).unwrap();
    assert_eq!(found, [Difference::Changed("generated.ts".into())]);
    assert_eq!(found[0].tell(TYPES.folder), "changed  web/src/protocol/generated.ts");
}

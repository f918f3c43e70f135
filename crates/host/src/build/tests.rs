//! Builds are told apart by their sources.

use std::path::Path;

use super::*;

#[path = "../../build/sources.rs"]
mod sources;

/// A tree with one source in each crate.
fn tree() -> tempfile::TempDir {
    let tree = tempfile::tempdir().unwrap();
    for name in
        ["files", "git", "host", "link", "process", "protocol", "runner", "terminal", "text"]
    {
        put(tree.path(), &format!("{name}/src/lib.rs"), name);
    }
    tree
}

#[expect(clippy::disallowed_methods, reason = "a test makes what the code under test finds")]
fn put(tree: &Path, path: &str, content: &str) {
    let path = tree.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

fn hash(tree: &Path) -> String {
    sources::hash(tree, &sources::of(tree).unwrap()).unwrap()
}

#[test]
fn the_same_sources_anywhere_are_the_same_build() {
    let (one, two) = (tree(), tree());
    assert_eq!(hash(one.path()), hash(two.path()));
}

#[test]
fn every_crate_on_the_wire_makes_another_build_and_its_tests_do_not() {
    let tree = tree();
    let mut seen = vec![hash(tree.path())];
    for name in ["files", "git", "host", "link", "process", "protocol", "runner", "terminal"] {
        put(tree.path(), &format!("{name}/src/tests.rs"), "tests");
        put(tree.path(), &format!("{name}/src/tests/more.rs"), "tests");
        assert_eq!(Some(&hash(tree.path())), seen.last(), "{name}");
        put(tree.path(), &format!("{name}/src/lib.rs"), "another");
        seen.push(hash(tree.path()));
    }
    // A file that moves is another build too.
    put(tree.path(), "text/src/edit.rs", "");
    seen.push(hash(tree.path()));
    let all = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), all);
}

#[test]
fn this_build_is_that_of_the_sources_here() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = sources::of(&crates).unwrap();
    assert!(sources.contains(&"host/src/operation.rs".into()), "{sources:?}");
    let expected = format!("{}+{}", env!("CARGO_PKG_VERSION"), hash(&crates));
    assert_eq!(BUILD, expected);
}

#[test]
fn words_of_another_build_are_not_read() {
    assert_eq!(checked(&named(BUILD, b"words\n")), Ok(&b"words\n"[..]));
    let refused = |who: &str| {
        Err(format!("the caller is {who}, this runner of build {BUILD}: use both of one build"))
    };
    assert_eq!(checked(b"0.1.0+other\nwords"), refused("of build 0.1.0+other"));
    assert_eq!(checked(b"words"), refused("of a build that does not tell its name"));
}

//! One file has one name.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

#[test]
fn names_that_mean_the_same_file_are_equal() {
    let path = Path::new("/a b/ü@+(1).ts");
    let ours = Uri::of_path(path);
    assert_eq!(ours.as_str(), "file:///a%20b/%C3%BC%40%2B%281%29.ts");
    for theirs in [
        "file:///a%20b/%C3%BC%40%2B%281%29.ts",
        "file:///a%20b/%c3%bc@+(1).ts",
        "file://localhost/a b/ü@+(1).ts",
        "FILE:///a b/%C3%BC@+(1).ts",
    ] {
        assert_eq!(Uri::read(theirs), ours, "{theirs}");
    }
    assert_eq!(ours.path().as_deref(), Some(path));
}

#[test]
fn what_is_no_file_of_this_machine_stays_as_it_is() {
    for name in ["untitled:1", "jdt://contents/a%20b?x", "file://server/share", "file:x", "", "é"]
    {
        let uri = Uri::read(name);
        assert_eq!((uri.as_str(), uri.path()), (name, None));
    }
}

#[test]
fn a_percent_sign_that_encodes_nothing_is_one() {
    assert_eq!(Uri::read("file:///100%/%4").path(), Some(PathBuf::from("/100%/%4")));
    assert_eq!(Uri::of_path(Path::new("/100%41")).path(), Some(PathBuf::from("/100%41")));
}

proptest! {
    #[test]
    fn every_path_comes_back(path in prop::collection::vec(any::<u8>(), 0..40)) {
        let path = PathBuf::from(OsStr::from_bytes(&[b"/", &path[..]].concat()));
        let uri = Uri::of_path(&path);
        prop_assert_eq!(uri.path(), Some(path));
        prop_assert_eq!(Uri::read(uri.as_str()), uri);
    }
}

//! Which names are files of the web app, and which of its copies is given.

use std::{
    fs::{FileTimes, OpenOptions},
    io::Write as _,
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use pretty_assertions::assert_eq;

use super::*;

fn name(path: &str) -> Name {
    Name::of_path(path).unwrap_or_else(|| panic!("{path}"))
}

/// Write a file that is so many seconds old.
fn put(folder: &Path, name: &str, content: &[u8], age: u64) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path).unwrap();
    file.write_all(content).unwrap();
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
    file.set_times(FileTimes::new().set_modified(then)).unwrap();
}

/// What each coding gives, in the order of `Coding::ALL`.
fn given(read: impl Fn(Coding) -> Result<Option<Bytes>>) -> [Option<Bytes>; 3] {
    Coding::ALL.map(|coding| read(coding).unwrap())
}

fn bytes(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

#[test]
fn only_plain_names_are_names() {
    for path in ["/index.html", "/assets/editor.worker-Dt_ZAf-T.js", "/a/b~1/c.json"] {
        assert_eq!(name(path).as_str(), &path[1..]);
    }
    let long = format!("/{}", "a".repeat(MAX_NAME + 1));
    for path in [
        "",
        "/",
        "//etc/passwd",
        "/..",
        "/../Cargo.toml",
        "/assets/../../Cargo.toml",
        "/assets/..",
        "/assets/",
        "/./index.html",
        "/.built",
        "/assets/.git/config",
        "/%2e%2e/Cargo.toml",
        "/assets%2fmain.js",
        "/assets\\main.js",
        "/a\0b",
        "/a b",
        "/assets/main.js.br",
        "/assets/main.js.gz",
        "/é.js",
        &long,
    ] {
        assert_eq!(Name::of_path(path), None, "{path:?}");
    }
}

#[test]
fn a_name_with_a_mark_of_its_content_never_means_another() {
    for path in ["/assets/a-12345678.js", "/assets/a-12345678.js.map", "/assets/b/c.d-Dt_ZAf-T.css"]
    {
        assert!(name(path).is_of_one_content(), "{path}");
    }
    for path in ["/assets/a.js", "/assets/a-1234567.js", "/a-12345678.js", "/assets/12345678"] {
        assert!(!name(path).is_of_one_content(), "{path}");
    }
}

#[test]
fn a_folder_gives_its_copies_unless_they_are_older_than_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let web = Web::Folder(folder.path().to_owned());
    let read = |path: &'static str| given(|coding| web.read(&name(path), coding));
    put(folder.path(), "assets/a.js", b"plain", 10);
    put(folder.path(), "assets/a.js.br", b"brotli", 10);
    put(folder.path(), "assets/a.js.gz", b"gzip", 11);
    assert_eq!(read("/assets/a.js"), [Some(bytes("brotli")), None, Some(bytes("plain"))]);
    put(folder.path(), "lonely.js.br", b"brotli", 0);
    assert_eq!(read("/lonely.js"), [None, None, None], "a copy of nothing");
    for path in ["/assets", "/assets/a.js/b", "/missing.js"] {
        assert_eq!(read(path), [None, None, None], "{path}");
    }
}

#[test]
fn a_folder_that_is_not_there_has_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let web = Web::Folder(folder.path().join("none"));
    assert_eq!(given(|coding| web.read(&Name::index(), coding)), [None, None, None]);
    assert_eq!(web.built(), None);
}

#[test]
fn a_file_that_is_too_large_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "large.bin", b"", 0);
    let file = OpenOptions::new().write(true).open(folder.path().join("large.bin")).unwrap();
    file.set_len(MAX_FILE + 1).unwrap();
    let web = Web::Folder(folder.path().to_owned());
    let error = web.read(&name("/large.bin"), Coding::Plain).unwrap_err();
    assert_eq!(error.to_string(), "large.bin is larger than 67108864 bytes");
}

#[test]
fn what_is_inside_only_packed_is_unpacked_for_who_needs_it() {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(b"the text").unwrap();
    let packed: &'static [u8] = packer.finish().unwrap().leak();
    let table = [
        Inside { name: "a.js", plain: None, gzip: Some(packed), brotli: Some(b"brotli") },
        Inside { name: "b.ttf", plain: Some(b"font"), gzip: None, brotli: None },
    ];
    let read = |path: &'static str| given(|coding| inside(&table, &name(path), coding));
    assert_eq!(
        read("/a.js"),
        [Some(bytes("brotli")), Some(packed.into()), Some(bytes("the text"))]
    );
    assert_eq!(read("/b.ttf"), [None, None, Some(bytes("font"))]);
    assert_eq!(read("/c.js"), [None, None, None]);
}

#[test]
fn a_folder_that_was_named_comes_before_what_was_built_in() {
    let named = Web::find(Some(Path::new("elsewhere")));
    assert_eq!(named, Web::Folder("elsewhere".into()));
    let Web::Folder(own) = Web::find(None) else { panic!("tests are debug builds") };
    assert!(own.ends_with("../../web/dist"), "{}", own.display());
}

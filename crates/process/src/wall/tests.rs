//! What is taken from an output, and when a place is blamed.

use super::*;

fn suspects_of(output: &str) -> Vec<(String, PathBuf, Complaint)> {
    let found = suspects(output, Path::new("/w"), Some(Path::new("/h/ada")));
    found.into_iter().map(|it| (it.written, it.path, it.complaint)).collect()
}

#[track_caller]
fn check(output: &str, written: &str, path: &str, complaint: Complaint) {
    assert_eq!(suspects_of(output), [(written.to_owned(), PathBuf::from(path), complaint)]);
}

#[test]
fn paths_are_found_where_a_program_complains() {
    use Complaint::{Busy, Denied, Missing, ReadOnly};
    check("cat: .env: Permission denied", ".env", "/w/.env", Denied);
    check("bash: line 1: file: Read-only file system\n", "file", "/w/file", ReadOnly);
    check("touch: cannot touch '/usr/x': Read-only file system", "/usr/x", "/usr/x", ReadOnly);
    check("open ~/.npmrc: EROFS", "~/.npmrc", "/h/ada/.npmrc", ReadOnly);
    check(
        "could not write config file .git/config: Device or resource busy",
        ".git/config",
        "/w/.git/config",
        Busy,
    );
    check(
        "Error: ENOENT: no such file or directory, open '/h/ada/.ssh/id'",
        "/h/ada/.ssh/id",
        "/h/ada/.ssh/id",
        Missing,
    );
    check("failed to open: /r/x: Permission denied (os error 13)", "/r/x", "/r/x", Denied);
}

#[test]
fn what_is_no_complaint_names_nothing() {
    for output in ["", "wrote /usr/x", "see https://a/b", "error: expected `;`"] {
        assert_eq!(suspects_of(output), Vec::new(), "{output}");
    }
    let many: String =
        (0..100).map(|n| format!("/f{n}: Permission denied")).collect::<Vec<_>>().join("\n");
    assert_eq!(suspects_of(&many).len(), MOST_PATHS);
    assert_eq!(suspects("a ~/x: EACCES", Path::new("/w"), None), Vec::new());
}

#[test]
fn a_place_is_blamed_only_when_the_outside_would_have_allowed_it() {
    let free = Reach { there: true, readable: true, writable: true, read_only: false };
    let read_only = Reach { writable: false, read_only: true, ..free };
    let masked = Reach { readable: false, ..read_only };
    let (absent, nowhere) = (Reach { writable: true, ..Reach::default() }, Reach::default());
    let cases = [
        (Complaint::ReadOnly, read_only, free, Some(Refused::Writing)),
        (Complaint::ReadOnly, read_only, read_only, None),
        (Complaint::ReadOnly, free, free, None),
        (Complaint::Busy, read_only, free, Some(Refused::Writing)),
        (Complaint::Denied, masked, free, Some(Refused::Reading)),
        (Complaint::Denied, masked, masked, None),
        (Complaint::Denied, read_only, free, Some(Refused::Writing)),
        (Complaint::Denied, free, free, None),
        (Complaint::Missing, absent, free, Some(Refused::Finding)),
        (Complaint::Missing, absent, absent, None),
        (Complaint::Missing, nowhere, nowhere, None),
    ];
    for (complaint, inside, outside, expected) in cases {
        assert_eq!(judge(complaint, inside, outside), expected, "{complaint:?} {inside:?}");
    }
}

#[test]
fn the_kernel_is_asked_about_what_is_there_and_what_could_be() {
    let folder = tempfile::tempdir().unwrap();
    let free = Reach { there: true, readable: true, writable: true, read_only: false };
    assert_eq!(Reach::of(folder.path()), free);
    let missing = Reach { there: false, readable: false, writable: true, read_only: false };
    assert_eq!(Reach::of(&folder.path().join("a/b")), missing);
    assert!(Reach::of(Path::new("/proc/version")).there);
}

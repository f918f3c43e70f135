//! Names and folders: what is found, and what is said of what is not.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn program(folder: &Path, name: &str, mode: u32) -> PathBuf {
    let path = folder.join(name);
    crate::run::tests::touch(&path);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn only_absolute_folders_are_places_and_each_one_once() {
    let path = OsStr::new("/usr/bin::bin:.:/bin:/own:/usr/bin");
    let found = places(&["/own".into(), "/more".into()], Some(path)).unwrap();
    assert_eq!(found, ["/own", "/more", "/usr/bin", "/bin"].map(PathBuf::from));
    assert_eq!(places(&[], None).unwrap(), Vec::<PathBuf>::new());
    let refused = places(&["node_modules/.bin".into()], None).unwrap_err();
    assert_eq!(refused.to_string(), "node_modules/.bin is not an absolute path");
}

#[test]
fn the_first_executable_file_of_the_name_is_found() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let places = [one.path().to_owned(), two.path().to_owned()];
    program(one.path(), "plain", 0o644);
    std::fs::create_dir(one.path().join("folder")).unwrap();
    let first = program(one.path(), "both", 0o755);
    program(two.path(), "both", 0o755);
    let second = program(two.path(), "plain", 0o755);
    let absolute = second.to_str().unwrap();
    let cases = [
        ("both", Some(first)),
        ("plain", Some(second.clone())),
        ("folder", None),
        ("missing", None),
        (absolute, Some(second.clone())),
        ("/missing", None),
    ];
    for (name, expected) in cases {
        assert_eq!(find(name, &places).unwrap(), expected);
    }
}

#[test]
fn what_cannot_be_a_name_is_refused_and_what_is_missing_says_how_it_was_looked_for() {
    let say = |program: &str, places: &[&str]| {
        let places: Vec<PathBuf> = places.iter().map(PathBuf::from).collect();
        require(program, &places).unwrap_err().to_string()
    };
    let many: Vec<String> = (0..20).map(|number| format!("/{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let cases = [
        (say("", &[]), "\"\" is neither the name of a program nor an absolute path"),
        (say("./a", &["/bin"]), "\"./a\" is neither the name of a program nor an absolute path"),
        (say("..", &["/bin"]), "\"..\" is neither the name of a program nor an absolute path"),
        (say("a\0b", &["/bin"]), "the name of the program contains a zero byte"),
        (
            say("no-such", &["/missing", "/bin"]),
            "the program no-such is not there: it was looked for in /missing, /bin",
        ),
        (
            say("no-such", &[]),
            "the program no-such is not there: there is no PATH to look for it in",
        ),
        (
            say("/no/such", &["/bin"]),
            "the program /no/such is not there: no executable file has this path",
        ),
        (
            say("no-such", &many),
            "the program no-such is not there: it was looked for in /0, /1, /2, /3, /4, /5, /6, /7, /8, \
             /9, /10, /11, /12, /13, /14, /15 and 4 more",
        ),
    ];
    for (said, expected) in cases {
        assert_eq!(said, expected);
    }
}

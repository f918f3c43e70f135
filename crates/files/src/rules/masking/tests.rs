//! Which names are hidden in a confined place.

use super::*;

fn masking(patterns: &[&str]) -> Masking {
    Masking::new(&patterns.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).unwrap()
}

#[test]
fn secrets_and_the_names_editors_use_for_them_are_hidden() {
    let masking = masking(&[]);
    for path in [
        ".env",
        "deep/er/.env",
        ".ENV.local",
        ".env~",
        ".env.swp",
        "#.env#",
        ".#.env",
        "a/.env___jb_tmp___",
        "a/.id_rsa.swp",
        "a/#id_rsa#",
        "server.key~",
        "tls/.server.key.swo",
        "secrets.yaml.bak",
        "config/secrets.d",
        ".openspace/trash",
        ".netrc",
        "deep/.aws/credentials",
        ".git-credentials.bak",
        ".release.keystore.swp",
        "prod.tfvars~",
        ".ssh",
    ] {
        assert!(masking.hides(path, false), "{path}");
    }
}

#[test]
fn other_names_are_shown() {
    let masking = masking(&[]);
    for path in [
        "",
        "4913",
        "~",
        "#",
        ".#",
        ".env.example",
        "environment",
        ".git",
        "a/.git",
        "main.rs~",
        ".main.rs.swp",
        "README.md",
        ".npmrc",
        "prod.tfvars.example",
        "debug.keystore",
    ] {
        assert!(!masking.hides(path, false), "{path}");
    }
}

#[test]
fn among_packages_only_what_a_person_named_is_hidden() {
    let plain = masking(&[]);
    for path in ["node_modules/x/test.pem", "node_modules/x/test.p12"] {
        assert!(!plain.hides(path, true) && !plain.looks_into_packages(), "{path}");
    }
    let named = masking(&["licence.txt", "config/production.*"]);
    assert!(named.looks_into_packages());
    let answers = ["a/licence.txt", "a/test.pem", "config/production.toml", "x/production.toml"];
    let among = answers.map(|path| named.hides(path, true));
    assert_eq!(among, [true, false, true, false]);
    assert!(named.hides("a/.licence.txt.swp", true) && named.hides("a/test.pem", false));
}

#[test]
fn folders_of_packages_are_known_by_their_name() {
    let names = ["node_modules", "site-packages", "src", "Node_Modules"];
    assert_eq!(names.map(Masking::is_of_packages), [true, true, false, false]);
}

//! What a line runs that does not stand in it.

use pretty_assertions::assert_eq;

use super::judged;
use crate::Source::{self, Named, Project, Script, Unknown};

/// The sources of all parts.
fn sources(line: &str) -> Vec<Source> {
    judged(line).parts.into_iter().flat_map(|part| part.sources).collect()
}

fn script(path: &str) -> Source {
    Script(path.into())
}

fn named(path: &str) -> Source {
    Named(path.into())
}

#[test]
fn scripts_are_found_wherever_a_line_runs_them() {
    let rows: &[(&str, &[&str])] = &[
        ("bash tool.sh", &["tool.sh"]),
        ("sh -x ./tool.sh", &["./tool.sh"]),
        ("./tool.sh", &["./tool.sh"]),
        ("scripts/tool", &["scripts/tool"]),
        ("/srv/app/tool.sh", &["/srv/app/tool.sh"]),
        ("~/app/tool.sh", &["~/app/tool.sh"]),
        ("\"$HOME/app/tool.sh\"", &["~/app/tool.sh"]),
        ("$PWD/tool.sh", &["./tool.sh"]),
        (". ./tool.sh", &["./tool.sh"]),
        ("source tool.sh", &["tool.sh"]),
        ("python3 -u tool.py", &["tool.py"]),
        ("python3.12 tool.py", &["tool.py"]),
        ("node tool.js", &["tool.js"]),
        ("bash < tool.sh", &["tool.sh"]),
        ("env A=1 ./tool.sh", &["./tool.sh"]),
        ("timeout 5 nice ./tool.sh", &["./tool.sh"]),
        ("sudo bash tool.sh", &["tool.sh"]),
        ("bash -c './tool.sh'", &["./tool.sh"]),
        ("echo $(./tool.sh)", &["./tool.sh"]),
        ("ls && ./tool.sh | cat", &["./tool.sh"]),
        ("if true; then ./tool.sh; fi", &["./tool.sh"]),
        ("find . -exec ./tool.sh {} +", &["./tool.sh"]),
        ("ls | xargs ./tool.sh", &["./tool.sh"]),
        ("awk -f tool.awk", &["tool.awk"]),
        ("./cat x", &["./cat"]),
    ];
    for (line, expected) in rows {
        let found = sources(line).into_iter().filter_map(|source| match source {
            Script(path) => Some(path),
            _ => None,
        });
        let found: Vec<String> = found.collect();
        assert!(
            expected.iter().all(|path| found.contains(&(*path).to_owned())),
            "{line}: {found:?}"
        );
    }
}

#[test]
fn what_may_be_run_is_told_from_what_is_only_carried() {
    let rows: &[(&str, &[Source])] = &[
        ("cp dist/app /srv/app", &[]),
        ("scp dist/app host:", &[]),
        ("git push origin main", &[]),
        ("cat tool.sh", &[]),
        ("ls -la", &[]),
        ("touch made", &[]),
        ("sed -n 1p x", &[]),
        ("kubectl apply -f app.yaml", &[named("apply"), named("app.yaml")]),
        ("psql --file=x.sql", &[named("x.sql")]),
        ("psql < x.sql", &[named("x.sql")]),
        ("python3 -c 'print(1)' x", &[script("x")]),
        ("python3 -W ignore -m pytest", &[Project(&[])]),
        ("bash -o pipefail tool.sh", &[script("tool.sh")]),
        ("bash tool.sh input", &[script("tool.sh"), named("input")]),
        ("node --require=./a.js b.js", &[named("./a.js"), script("b.js")]),
    ];
    for (line, expected) in rows {
        assert_eq!(sources(line), *expected, "{line}");
    }
}

#[test]
fn what_does_as_the_project_says_names_the_files_that_say_it() {
    let project = |line: &str| {
        sources(line).into_iter().find_map(|source| match source {
            Project(files) => Some(files.first().copied().unwrap_or_default()),
            _ => None,
        })
    };
    let rows = [
        ("make deploy", Some("GNUmakefile")),
        ("npm run deploy", Some("package.json")),
        ("cargo test", Some("Cargo.toml")),
        ("docker compose up", Some("Dockerfile")),
        ("docker ps", None),
        ("python -m pytest", Some("")),
        ("python tool.py", None),
    ];
    for (line, expected) in rows {
        assert_eq!(project(line), expected, "{line}");
    }
}

#[test]
fn what_is_only_known_when_it_runs_is_unknown() {
    for line in [
        "bash \"$X\"",
        "bash *.sh",
        "\"$X\"/tool.sh",
        "~other/tool.sh",
        "PATH=.:$PATH tool",
        "export PATH=.; tool",
        "python3 ${X:-tool.py}",
    ] {
        assert!(sources(line).contains(&Unknown), "{line}: {:?}", sources(line));
    }
    let many = format!("tool {}", "x ".repeat(1_000));
    assert_eq!((sources(&many).len(), sources(&many).last().cloned()), (41, Some(Unknown)));
}

#[test]
fn the_folders_that_a_line_goes_to_are_told() {
    let rows: &[(&str, &[Option<&str>])] = &[
        ("./x", &[]),
        ("cd a && ./x", &[Some("a")]),
        ("(cd a; ./x); cd -- b/c; ./y", &[Some("a"), Some("b/c")]),
        ("cd \"$X\"; ./x", &[None]),
        ("cd -; ./x", &[None]),
        ("cd; ./x", &[None]),
        ("env -C a ./x", &[None]),
        ("make -C a", &[None]),
    ];
    for (line, expected) in rows {
        let folders = judged(line).folders;
        let folders: Vec<Option<&str>> = folders.iter().map(Option::as_deref).collect();
        assert_eq!(folders, *expected, "{line}");
    }
}

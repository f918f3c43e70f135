//! What a file gets, in places that are told as lists.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;

use super::*;

/// Files with their texts; those in a folder `bin` or `.bin` can be started.
struct Files(BTreeMap<PathBuf, String>);

impl Files {
    fn of(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect())
    }
}

impl Surroundings for Files {
    fn is_program(&self, path: &Path) -> bool {
        self.0.contains_key(path)
            && path.parent().is_some_and(|it| it.ends_with("bin") || it.ends_with(".bin"))
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let beneath = self.0.keys().filter_map(|path| path.strip_prefix(folder).ok());
        let first = beneath.filter_map(|path| path.iter().next()?.to_str());
        first.map(str::to_owned).collect()
    }

    fn text(&self, path: &Path) -> Option<String> {
        self.0.get(path).cloned()
    }
}

fn place(trusted: bool) -> Place {
    Place {
        workspace: "/w".into(),
        path: vec!["/usr/bin".into(), "/w/evil/bin".into()],
        virtual_environment: None,
        state: "/state".into(),
        trusted,
    }
}

/// `server program root` of each that is found, with a `?` where nobody has said yes.
fn chosen(file: &str, files: &[(&str, &str)], place: &Place) -> Vec<String> {
    let choice = choose(&Table::with(""), Path::new(file), place, &Files::of(files));
    let told = |found: &Found, mark: &str| {
        format!("{}{mark} {} {}", found.server, found.program.display(), found.root.display())
    };
    let servers = choice.servers.iter().map(|found| told(found, ""));
    servers.chain(choice.untrusted.iter().map(|found| told(found, "?"))).collect()
}

#[test]
fn the_first_that_is_found_is_chosen_with_those_beside_it() {
    let files = &[
        ("/usr/bin/pyright-langserver", ""),
        ("/usr/bin/basedpyright-langserver", ""),
        ("/usr/bin/ruff", ""),
        ("/w/pyproject.toml", ""),
    ];
    assert_eq!(
        chosen("/w/a/b.py", files, &place(true)),
        ["basedpyright /usr/bin/basedpyright-langserver /w", "ruff /usr/bin/ruff /w"]
    );
    let choice = choose(&Table::with(""), Path::new("/w/a.py"), &place(true), &Files::of(files));
    let ty = Absent {
        server: "ty".to_owned(),
        program: "ty".to_owned(),
        install: Some("pip install ty==0.0.100".to_owned()),
    };
    assert_eq!(choice.absent, [ty]);
    assert_eq!(choice.servers[0].arguments, ["--stdio"]);
}

#[test]
fn a_program_of_the_project_comes_first_where_it_may_run() {
    let files = &[("/w/p/.venv/bin/ty", ""), ("/usr/bin/ty", ""), ("/w/p/ty.toml", "")];
    assert_eq!(chosen("/w/p/a.py", files, &place(true)), ["ty /w/p/.venv/bin/ty /w/p"]);
    assert_eq!(chosen("/w/p/a.py", files, &place(false)), ["ty /usr/bin/ty /w/p"]);
    let only_project =
        &[("/w/p/.venv/bin/ty", ""), ("/w/p/ty.toml", ""), ("/usr/bin/pyright-langserver", "")];
    assert_eq!(
        chosen("/w/p/a.py", only_project, &place(false)),
        ["pyright /usr/bin/pyright-langserver /w", "ty? /w/p/.venv/bin/ty /w/p"]
    );
}

#[test]
fn what_lies_in_the_workspace_is_the_projects_whatever_names_it() {
    let files = &[("/w/evil/bin/gopls", ""), ("/w/go.mod", "")];
    assert_eq!(chosen("/w/a.go", files, &place(false)), [""; 0]);
    assert_eq!(chosen("/w/a.go", files, &place(true)), ["gopls /w/evil/bin/gopls /w"]);
    let active = |folder: &str| Place { virtual_environment: Some(folder.into()), ..place(false) };
    let files = &[("/w/env/bin/ty", ""), ("/envs/x/bin/ty", "")];
    assert_eq!(chosen("/w/a.py", files, &active("/envs/x")), ["ty /envs/x/bin/ty /w"]);
    assert_eq!(chosen("/w/a.py", files, &active("/w/env")), [""; 0]);
}

#[test]
fn typescript_7_is_its_own_server_and_the_others_are_for_those_before() {
    let package = "/w/node_modules/typescript/package.json";
    let all = |version: &'static str| {
        vec![
            ("/w/node_modules/.bin/tsc", ""),
            ("/w/node_modules/.bin/vtsls", ""),
            ("/w/a/tsconfig.json", ""),
            (package, version),
        ]
    };
    let seven = chosen("/w/a/b.ts", &all(r#"{"version": "7.0.2"}"#), &place(true));
    assert_eq!(seven, ["tsc /w/node_modules/.bin/tsc /w"]);
    let five = chosen("/w/a/b.ts", &all(r#"{"version": "5.9.3"}"#), &place(true));
    assert_eq!(five, ["vtsls /w/node_modules/.bin/vtsls /w"]);
    let none = chosen("/w/b.ts", &[("/usr/bin/tsc", ""), ("/usr/bin/vtsls", "")], &place(true));
    assert_eq!(none, ["vtsls /usr/bin/vtsls /w"]);
    let deno = [("/usr/bin/vtsls", ""), ("/w/deno.json", "")];
    assert_eq!(chosen("/w/a/b.ts", &deno, &place(true)), [""; 0]);
}

#[test]
fn a_project_begins_at_the_nearest_mark_or_the_outermost_that_holds_a_word() {
    let analyzer = ("/usr/bin/rust-analyzer", "");
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("/w/Cargo.toml", "[workspace]"), ("/w/a/Cargo.toml", "[package]")], "/w"),
        (&[("/w/Cargo.toml", "[package]"), ("/w/a/Cargo.toml", "[package]")], "/w/a"),
        (&[("/w/a/Cargo.toml", "[workspace]"), ("/w/a/b/Cargo.toml", "[workspace]")], "/w/a"),
        (&[("/Cargo.toml", "[workspace]")], "/w"),
        (&[], "/w"),
    ];
    for (files, root) in cases {
        let files: Vec<(&str, &str)> = files.iter().copied().chain([analyzer]).collect();
        let expected = format!("rust-analyzer /usr/bin/rust-analyzer {root}");
        assert_eq!(chosen("/w/a/b/src/main.rs", &files, &place(true)), [expected], "{files:?}");
    }
    let cs = [("/usr/bin/csharp-ls", ""), ("/w/a/My.App.csproj", "")];
    assert_eq!(chosen("/w/a/b/c.cs", &cs, &place(true)), ["csharp-ls /usr/bin/csharp-ls /w/a"]);
}

#[test]
fn a_whole_path_is_taken_as_it_is() {
    let own = "[[server]]\nid = \"gopls\"\nname = \"g\"\nlanguages = [\"go\"]\ncommand = [\"/opt/bin/gopls\", \"-v\"]";
    let look = |files: &[(&str, &str)]| {
        choose(&Table::with(own), Path::new("/w/a.go"), &place(false), &Files::of(files))
    };
    let choice = look(&[("/opt/bin/gopls", "")]);
    assert_eq!((choice.servers.len(), choice.servers[0].found_in), (1, FoundIn::Settings));
    assert_eq!(look(&[("/usr/bin/gopls", "")]).absent[0].program, "/opt/bin/gopls");
}

#[test]
fn a_server_that_keeps_something_has_a_folder_of_its_own_for_it() {
    let files = Files::of(&[("/usr/bin/jdtls", "")]);
    let choice = choose(&Table::with(""), Path::new("/w/A.java"), &place(true), &files);
    assert_eq!(choice.servers[0].arguments, ["-data", "/state/jdtls"]);
}

#[test]
fn other_files_get_nothing() {
    let files = &[("/usr/bin/gopls", "")];
    for file in ["/elsewhere/a.go", "/w/a.txt", "/w"] {
        assert_eq!(chosen(file, files, &place(true)), [""; 0], "{file}");
    }
}

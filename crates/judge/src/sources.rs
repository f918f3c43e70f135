//! Where what a command does comes from beside its words: files that it runs, or may run.
//!
//! A yes to `bash tool.sh` is a yes to what is in `tool.sh`. Which programs run the files that they are given is not
//! known of all, so every word that may name a file counts, but for programs that only carry and show files. Nothing
//! is looked at here: whether there is such a file, and who can change it, others find out.

use crate::{
    Word,
    command::{Redirect, Simple},
    inner,
    options::among,
    word::Piece,
};

/// How many sources of one command are told.
const MAX_SOURCES: usize = 40;

/// Where a part of what a command does comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It runs this file. The path is as the command gets it: relative to its folder, absolute, or from `~` on.
    Script(String),
    /// It is given this file, if there is one, and may run it.
    Named(String),
    /// It does what files of the project in its folder say, of which these are the first that are read.
    Project(&'static [&'static str]),
    /// It runs something that is only known when it runs.
    Unknown,
}

/// Programs that carry, show or compare what they are given, and run nothing of it.
const CARRIERS: &str = "\
    [ base32 base64 basename bunzip2 bzip2 cat cd chgrp chmod chown cksum cmp code column comm cp cut dd df diff \
    dirname du echo egrep export false fgrep file find fold gh git glab grep gunzip gzip head hexdump join jq kill \
    less ln ls md5sum mkdir more mv nl od paste patch popd printf pushd pwd read readlink realpath rev rg rm rmdir rsync \
    scp sed sha1sum sha256sum sha512sum shred sleep sort stat strings tac tail tar tee test touch tr tree true \
    truncate uniq unlink unzip wc wget xxd xz zip zstd";

/// Programs that do what files of a project say.
const PROJECTS: &[(&str, &[&str])] = &[
    ("make gmake", &["GNUmakefile", "makefile", "Makefile"]),
    ("npm npx pnpm pnpx yarn yarnpkg bun bunx corepack", &["package.json"]),
    ("cargo", &["Cargo.toml", "build.rs", ".cargo/config.toml"]),
    ("go", &["go.mod"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml"]),
    ("ninja", &["build.ninja"]),
    ("mvn mvnw", &["pom.xml"]),
    (
        "gradle gradlew",
        &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
    ),
    ("pytest tox nox", &["pyproject.toml", "pytest.ini", "tox.ini", "noxfile.py", "conftest.py"]),
    ("poetry uv uvx pipenv hatch pdm", &["pyproject.toml", "setup.py", "Pipfile"]),
    ("rake", &["Rakefile"]),
    ("bundle", &["Gemfile"]),
    ("composer", &["composer.json"]),
    ("swift", &["Package.swift"]),
    ("cmake ctest", &["CMakeLists.txt"]),
    ("meson", &["meson.build"]),
    ("pre-commit", &[".pre-commit-config.yaml"]),
    ("vagrant", &["Vagrantfile"]),
    ("bazel dotnet terraform tofu pulumi", &[]),
];
/// Of containers, and the verbs that read it.
const CONTAINERS: &str = "docker docker-compose nerdctl podman podman-compose";
const BUILDS: &str = "bake build buildx compose stack";
const OF_CONTAINERS: &[&str] =
    &["Dockerfile", "compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

/// Variables that say where programs are looked for, or what they load.
const PATHS: &str = "\
    CLASSPATH DYLD_LIBRARY_PATH GEM_PATH LD_LIBRARY_PATH LUA_PATH NODE_PATH PATH PERL5LIB PYTHONHOME PYTHONPATH RUBYLIB";

/// What a command runs that does not stand in the line.
pub(crate) fn of(simple: &Simple, is_harmless: bool) -> Vec<Source> {
    let mut sources = Vec::new();
    let is_path = |name: &str| among(name, PATHS);
    let exported =
        |word: &Word| word.beginning().split_once('=').is_some_and(|(name, _)| is_path(name));
    if simple.assigns.iter().any(|assign| is_path(&assign.name))
        || simple.words.iter().any(exported)
    {
        sources.push(Source::Unknown);
    }
    if let Some((first, args)) = simple.words.split_first()
        && !is_harmless
    {
        program(first, &mut sources);
        if let Some(name) = inner::program(first) {
            arguments(&name, args, &simple.redirects, &mut sources);
        }
    }
    if sources.len() > MAX_SOURCES {
        sources.truncate(MAX_SOURCES);
        sources.push(Source::Unknown);
    }
    sources
}

/// A program that is named with its folder is a file like any script.
fn program(first: &Word, sources: &mut Vec<Source>) {
    match path(first) {
        Some(path) if path.contains('/') => sources.push(Source::Script(path)),
        Some(_) => {}
        None => sources.push(Source::Unknown),
    }
}

fn arguments(name: &str, args: &[Word], redirects: &[Redirect], sources: &mut Vec<Source>) {
    // Both have scripts in files of their own.
    let has_script_file = matches!(name, "sed" | "awk" | "gawk" | "mawk")
        && args.iter().any(|word| {
            word.beginning().starts_with("-f") || word.beginning().starts_with("--file")
        });
    if among(name, CARRIERS) && !has_script_file {
        return;
    }
    let runs_scripts = inner::runs_scripts(name) || has_script_file;
    if let Some(project) = project(name, args) {
        sources.push(Source::Project(project));
    }
    let mut has_script = !runs_scripts;
    let mut is_taken = false;
    for word in args {
        if std::mem::take(&mut is_taken) {
            continue;
        }
        let is_option = word.may_be_option();
        is_taken = runs_scripts && word.known().is_some_and(|word| inner::takes_word(name, word));
        let value = match word.beginning().split_once('=') {
            Some((option, _)) if is_option => word.after(&format!("{option}=")),
            _ if is_option => word.known().is_none().then(|| word.clone()),
            _ => Some(word.clone()),
        };
        let Some(value) = value else { continue };
        match path(&value) {
            Some(path) if has_script || is_option => sources.push(Source::Named(path)),
            Some(path) => sources.push(Source::Script(path)),
            None if has_script => {}
            None => sources.push(Source::Unknown),
        }
        has_script |= !is_option;
    }
    for file in redirects.iter().filter(|redirect| !redirect.writes) {
        match path(&file.file) {
            Some(path) if runs_scripts => sources.push(Source::Script(path)),
            Some(path) => sources.push(Source::Named(path)),
            None if runs_scripts => sources.push(Source::Unknown),
            None => {}
        }
    }
}

/// The files of a project that decide what a program does.
fn project(name: &str, args: &[Word]) -> Option<&'static [&'static str]> {
    let known = PROJECTS.iter().find(|(names, _)| among(name, names)).map(|(_, files)| *files);
    let builds = || args.iter().any(|word| word.known().is_some_and(|word| among(word, BUILDS)));
    // A module, or a task of the project's.
    let by_name = || match name {
        "deno" => args.iter().any(|word| word.known() == Some("task")),
        "node" => args.iter().any(|word| word.known() == Some("--run")),
        _ => {
            inner::runs_scripts(name)
                && name.starts_with(['p', 'P'])
                && args.iter().any(|word| word.beginning().starts_with("-m"))
        }
    };
    match known {
        None if among(name, CONTAINERS) && (name.contains('-') || builds()) => Some(OF_CONTAINERS),
        None if by_name() => {
            Some(if matches!(name, "deno" | "node") { &["package.json", "deno.json"] } else { &[] })
        }
        known => known,
    }
}

/// A word as a path, as far as it is one: from the folder on, from the root, or from the home.
fn path(word: &Word) -> Option<String> {
    let (first, rest) = match word.pieces() {
        [Piece::Home, rest @ ..] => {
            // Of others nobody knows where their homes are.
            let is_own = ["~/", "$HOME", "${HOME}", "\"$HOME", "\"${HOME}"];
            let own =
                word.written() == "~" || is_own.iter().any(|home| word.written().starts_with(home));
            (own.then_some("~")?, rest)
        }
        [Piece::Here, rest @ ..] => (".", rest),
        rest => ("", rest),
    };
    rest.iter().try_fold(first.to_owned(), |path, piece| match piece {
        Piece::Text(text) => Some(path + text),
        _ => None,
    })
}

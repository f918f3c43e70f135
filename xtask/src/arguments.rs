//! Reads the command line. Does nothing else: what a verb does is in its own module.

use std::{
    ffi::OsString,
    fmt::{self, Display, Formatter},
    path::PathBuf,
};

use crate::{dist::RELEASE, fuzz::Try};

#[cfg(test)]
mod tests;

/// How long hostile inputs are tried unless somebody says so.
const FUZZ_SECONDS: u64 = 60;

pub(crate) const HELP: &str = "\
usage: cargo xtask <verb> [arguments]

  run [PATH] [-- ARGS]  build everything in release and serve PATH (default: this folder);
                        ARGS go to `openspace serve`
  test [FILTER...]      every check that CI runs: packages, formatting, tidy, dependencies, lints, web
                        app, tests, generated reference, browser, MCP conformance, API; with FILTER
                        only the matching tests
  test -p CRATE [FILTER...]
                        only the tests of a crate, by its name or its folder in crates/; may be
                        repeated
  tidy                  the repository's own rules: crate edges, imports, file lengths, commands,
                        words
  dependencies          licences, sources and bans of deny.toml, for crates and npm packages
  conformance           the official MCP conformance suite against the real binary
  api                   Schemathesis against the real binary: what /openapi.json says is what holds
  bench [FILTER...] [--json]
                        measure the release binary, beside what a user would use instead; with
                        FILTER only the matching groups, with --json also target/bench/report.json
  fuzz TARGET [SECONDS] hostile inputs for one part, new ones for SECONDS (default: 60) in each of
                        its tests; names an input that breaks something in hexadecimal
  fuzz TARGET --input HEX
                        only this input
  coverage [-p CRATE]   which lines the tests run, as pages in target/coverage
  mutants -p CRATE      which changes of a crate no test notices, in target/mutants; takes hours
  dist [--profile PROFILE]
                        the archive and the Debian package in target/dist, tried in an empty root;
                        with PROFILE only to try it, in target/dist/PROFILE
  codegen               write the reference into docs/reference and the types of web/

  -h, --help            this text
";

/// What the caller asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Help,
    Run { path: PathBuf, arguments: Vec<OsString> },
    Test { crates: Vec<String>, filters: Vec<String> },
    Tidy,
    Dependencies,
    Conformance,
    Api,
    Bench { filters: Vec<String>, as_json: bool },
    Fuzz { target: String, what: Try },
    Coverage { crates: Vec<String> },
    Mutants { crates: Vec<String> },
    Dist { profile: String },
    Codegen,
}

/// Why a command line was not understood.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WrongUse {
    NoVerb,
    UnknownVerb(String),
    Unexpected { verb: &'static str, argument: String },
    Unfinished { verb: &'static str, option: &'static str },
}

impl Display for WrongUse {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVerb => write!(formatter, "a verb is missing"),
            Self::UnknownVerb(verb) => write!(formatter, "there is no verb `{verb}`"),
            Self::Unexpected { verb, argument } => {
                write!(formatter, "`{verb}` does not take `{argument}`")
            }
            Self::Unfinished { verb, option } => {
                write!(formatter, "something is missing after `{option}` of `{verb}`")
            }
        }
    }
}

impl Task {
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, WrongUse> {
        let mut arguments = arguments.into_iter();
        let verb = text(&arguments.next().ok_or(WrongUse::NoVerb)?);
        let rest: Vec<OsString> = arguments.collect();
        let own = rest.iter().take_while(|argument| *argument != "--");
        if is_help(&verb) || own.clone().any(|argument| is_help(&text(argument))) {
            return Ok(Self::Help);
        }
        match verb.as_str() {
            "run" => run(&rest),
            "test" => test(&rest),
            "tidy" => nothing_more("tidy", &rest, Self::Tidy),
            "dependencies" => nothing_more("dependencies", &rest, Self::Dependencies),
            "conformance" => nothing_more("conformance", &rest, Self::Conformance),
            "api" => nothing_more("api", &rest, Self::Api),
            "bench" => bench(&rest),
            "fuzz" => fuzz(&rest),
            "coverage" => Ok(Self::Coverage { crates: crates("coverage", &rest)? }),
            "mutants" => match crates("mutants", &rest)? {
                // For all crates it would take days.
                crates if crates.is_empty() => {
                    Err(WrongUse::Unfinished { verb: "mutants", option: "-p" })
                }
                crates => Ok(Self::Mutants { crates }),
            },
            "dist" => dist(&rest),
            "codegen" => nothing_more("codegen", &rest, Self::Codegen),
            _ => Err(WrongUse::UnknownVerb(verb)),
        }
    }
}

fn run(rest: &[OsString]) -> Result<Task, WrongUse> {
    let (path, rest) = match rest {
        [path, rest @ ..] if !is_option(path) => (PathBuf::from(path), rest),
        _ => (PathBuf::from("."), rest),
    };
    match rest {
        [] => Ok(Task::Run { path, arguments: Vec::new() }),
        [separator, arguments @ ..] if separator == "--" => {
            Ok(Task::Run { path, arguments: arguments.to_vec() })
        }
        [argument, ..] => Err(unexpected("run", argument)),
    }
}

fn test(rest: &[OsString]) -> Result<Task, WrongUse> {
    let (mut crates, mut filters) = (Vec::new(), Vec::new());
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match text(word).as_str() {
            "-p" | "--package" => match words.next().filter(|name| !is_option(name)) {
                Some(name) => crates.push(text(name)),
                None => return Err(WrongUse::Unfinished { verb: "test", option: "-p" }),
            },
            _ if is_option(word) => return Err(unexpected("test", word)),
            filter => filters.push(filter.to_owned()),
        }
    }
    Ok(Task::Test { crates, filters })
}

fn fuzz(rest: &[OsString]) -> Result<Task, WrongUse> {
    let [target, rest @ ..] = rest else {
        return Err(WrongUse::Unfinished { verb: "fuzz", option: "TARGET" });
    };
    let what = match rest {
        [] => Try::Seconds(FUZZ_SECONDS),
        [option] if option == "--input" => {
            return Err(WrongUse::Unfinished { verb: "fuzz", option: "--input" });
        }
        [option, input] if option == "--input" => Try::Input(text(input)),
        [seconds, rest @ ..] => match (text(seconds).parse(), rest) {
            (Ok(seconds), []) => Try::Seconds(seconds),
            (Ok(_), [more, ..]) => return Err(unexpected("fuzz", more)),
            (Err(_), _) => return Err(unexpected("fuzz", seconds)),
        },
    };
    Ok(Task::Fuzz { target: text(target), what })
}

fn dist(rest: &[OsString]) -> Result<Task, WrongUse> {
    let profile = match rest {
        [] => RELEASE.to_owned(),
        [option] if option == "--profile" => {
            return Err(WrongUse::Unfinished { verb: "dist", option: "--profile" });
        }
        [option, profile] if option == "--profile" && !is_option(profile) => text(profile),
        [option, _, more, ..] if option == "--profile" => return Err(unexpected("dist", more)),
        [argument, ..] => return Err(unexpected("dist", argument)),
    };
    Ok(Task::Dist { profile })
}

/// Crates that are named by `-p`, and nothing else.
fn crates(verb: &'static str, rest: &[OsString]) -> Result<Vec<String>, WrongUse> {
    let (mut crates, mut words) = (Vec::new(), rest.iter());
    while let Some(word) = words.next() {
        match text(word).as_str() {
            "-p" | "--package" => match words.next().filter(|name| !is_option(name)) {
                Some(name) => crates.push(text(name)),
                None => return Err(WrongUse::Unfinished { verb, option: "-p" }),
            },
            _ => return Err(unexpected(verb, word)),
        }
    }
    Ok(crates)
}

fn bench(rest: &[OsString]) -> Result<Task, WrongUse> {
    let (options, filters): (Vec<_>, Vec<_>) = rest.iter().partition(|word| is_option(word));
    match options.iter().find(|option| **option != "--json") {
        Some(option) => Err(unexpected("bench", option)),
        None => Ok(Task::Bench {
            filters: filters.into_iter().map(text).collect(),
            as_json: !options.is_empty(),
        }),
    }
}

fn nothing_more(verb: &'static str, rest: &[OsString], task: Task) -> Result<Task, WrongUse> {
    rest.first().map_or(Ok(task), |argument| Err(unexpected(verb, argument)))
}

fn unexpected(verb: &'static str, argument: &OsString) -> WrongUse {
    WrongUse::Unexpected { verb, argument: text(argument) }
}

fn is_help(argument: &str) -> bool {
    matches!(argument, "-h" | "--help" | "help")
}

fn is_option(argument: &OsString) -> bool {
    argument.as_encoded_bytes().starts_with(b"-")
}

fn text(argument: &OsString) -> String {
    argument.to_string_lossy().into_owned()
}

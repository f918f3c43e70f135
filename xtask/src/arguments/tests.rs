//! The command line, one line per fact.

use super::*;

fn parse(line: &str) -> Result<Task, WrongUse> {
    Task::parse(line.split_whitespace().map(OsString::from))
}

fn run_of(path: &str, arguments: &[&str]) -> Task {
    Task::Run { path: path.into(), arguments: arguments.iter().map(OsString::from).collect() }
}

#[test]
fn run_serves_this_folder_unless_told_otherwise() {
    assert_eq!(parse("run"), Ok(run_of(".", &[])));
    assert_eq!(parse("run ../app"), Ok(run_of("../app", &[])));
}

#[test]
fn run_passes_on_what_follows_the_separator() {
    assert_eq!(parse("run -- --port 0 --help"), Ok(run_of(".", &["--port", "0", "--help"])));
    assert_eq!(parse("run app -- --json"), Ok(run_of("app", &["--json"])));
}

#[test]
fn run_refuses_options_without_the_separator() {
    let refused = WrongUse::Unexpected { verb: "run", argument: "--port".into() };
    assert_eq!(parse("run app --port 0"), Err(refused));
}

fn test_of(crates: &[&str], filters: &[&str]) -> Task {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Task::Test { crates: owned(crates), filters: owned(filters) }
}

#[test]
fn test_takes_filters_and_crates() {
    assert_eq!(parse("test"), Ok(test_of(&[], &[])));
    assert_eq!(parse("test layout editor"), Ok(test_of(&[], &["layout", "editor"])));
    assert_eq!(parse("test -p workspace"), Ok(test_of(&["workspace"], &[])));
    assert_eq!(
        parse("test pane -p workspace --package xtask tree"),
        Ok(test_of(&["workspace", "xtask"], &["pane", "tree"]))
    );
}

#[test]
fn test_refuses_other_options_and_half_ones() {
    let refused = WrongUse::Unexpected { verb: "test", argument: "--release".into() };
    assert_eq!(parse("test --release"), Err(refused));
    for line in ["test -p", "test pane -p", "test -p --package"] {
        let refused = WrongUse::Unfinished { verb: "test", option: "-p" };
        assert_eq!(parse(line), Err(refused), "{line}");
    }
}

#[test]
fn bench_takes_filters_and_json() {
    let task = |filters: &[&str], as_json| {
        let filters = filters.iter().map(|filter| (*filter).to_owned()).collect();
        Ok(Task::Bench { filters, as_json })
    };
    assert_eq!(parse("bench"), task(&[], false));
    assert_eq!(parse("bench http --json start"), task(&["http", "start"], true));
    let refused = WrongUse::Unexpected { verb: "bench", argument: "--quick".into() };
    assert_eq!(parse("bench --json --quick"), Err(refused));
}

#[test]
fn fuzz_takes_a_target_and_seconds_or_an_input() {
    let task = |what| Ok(Task::Fuzz { target: "merge".into(), what });
    assert_eq!(parse("fuzz merge"), task(Try::Seconds(60)));
    assert_eq!(parse("fuzz merge 5"), task(Try::Seconds(5)));
    assert_eq!(parse("fuzz merge --input 0aff"), task(Try::Input("0aff".into())));
    let unfinished = |option| Err(WrongUse::Unfinished { verb: "fuzz", option });
    assert_eq!(parse("fuzz"), unfinished("TARGET"));
    assert_eq!(parse("fuzz merge --input"), unfinished("--input"));
    let refused =
        |argument: &str| Err(WrongUse::Unexpected { verb: "fuzz", argument: argument.into() });
    assert_eq!(parse("fuzz merge long"), refused("long"));
    assert_eq!(parse("fuzz merge 5 6"), refused("6"));
}

#[test]
fn coverage_and_mutants_take_crates_and_mutants_need_one() {
    let crates = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(parse("coverage"), Ok(Task::Coverage { crates: crates(&[]) }));
    assert_eq!(parse("coverage -p text"), Ok(Task::Coverage { crates: crates(&["text"]) }));
    assert_eq!(
        parse("mutants -p text --package link"),
        Ok(Task::Mutants { crates: crates(&["text", "link"]) })
    );
    for line in ["mutants", "mutants -p"] {
        let refused = WrongUse::Unfinished { verb: "mutants", option: "-p" };
        assert_eq!(parse(line), Err(refused), "{line}");
    }
    let refused = WrongUse::Unexpected { verb: "coverage", argument: "text".into() };
    assert_eq!(parse("coverage text"), Err(refused));
}

#[test]
fn dist_makes_a_release_unless_told_otherwise() {
    let task = |profile: &str| Ok(Task::Dist { profile: profile.to_owned() });
    assert_eq!(parse("dist"), task("shipped"));
    assert_eq!(parse("dist --profile dev"), task("dev"));
    let unfinished = WrongUse::Unfinished { verb: "dist", option: "--profile" };
    assert_eq!(parse("dist --profile"), Err(unfinished));
    let refused =
        |argument: &str| Err(WrongUse::Unexpected { verb: "dist", argument: argument.into() });
    assert_eq!(parse("dist dev"), refused("dev"));
    assert_eq!(parse("dist --profile dev more"), refused("more"));
}

#[test]
fn verbs_without_arguments_refuse_them() {
    assert_eq!(parse("tidy"), Ok(Task::Tidy));
    assert_eq!(parse("dependencies"), Ok(Task::Dependencies));
    assert_eq!(parse("conformance"), Ok(Task::Conformance));
    assert_eq!(parse("codegen"), Ok(Task::Codegen));
    let refused = WrongUse::Unexpected { verb: "tidy", argument: "now".into() };
    assert_eq!(parse("tidy now"), Err(refused));
}

#[test]
fn an_unknown_or_missing_verb_is_wrong_use() {
    assert_eq!(parse("fly"), Err(WrongUse::UnknownVerb("fly".into())));
    assert_eq!(parse(""), Err(WrongUse::NoVerb));
}

#[test]
fn help_is_offered_everywhere_and_names_every_verb() {
    for line in ["--help", "-h", "help", "run --help", "test -h"] {
        assert_eq!(parse(line), Ok(Task::Help), "{line}");
    }
    for verb in [
        "run",
        "test",
        "tidy",
        "dependencies",
        "conformance",
        "bench",
        "fuzz",
        "coverage",
        "mutants",
        "dist",
        "codegen",
    ] {
        assert!(HELP.contains(&format!("\n  {verb} ")), "{verb}");
    }
}

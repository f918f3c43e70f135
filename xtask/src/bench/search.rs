//! How fast a large tree is searched, beside the `rg` program, and that both find the same.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{
    Setup,
    api::Api,
    report::{Report, Row, Target},
    ripgrep, times,
    tree::{COMMON_WORD, RARE_WORD, Tree},
    turns::in_turns,
};
use crate::tools::{FOR_BENCH, ensure_packages};

const WARM_UP: usize = 2;
const ROUNDS: usize = 15;
const OF_THEIR_TIME: Target = Target::TimesBesideUpTo(1.1);

/// One search, as ours and as theirs are told to do it.
struct Case<'a> {
    name: &'static str,
    ours: Value,
    theirs: &'a [&'a str],
}

/// Contents, by plain text and by expressions.
pub(super) fn grep(setup: &Setup, report: &mut Report) -> Result<()> {
    let rare_expression = format!(r"fn\s+{RARE_WORD}_\w+\(");
    let common_expression = r"fn\s+\w+_handler";
    let literal = |word: &str| json!({"pattern": word, "fixed_strings": true});
    let cases = [
        Case {
            name: "grep, rare text",
            ours: literal(RARE_WORD),
            theirs: &["-n", "-F", "-e", RARE_WORD],
        },
        Case {
            name: "grep, common text",
            ours: literal(COMMON_WORD),
            theirs: &["-n", "-F", "-e", COMMON_WORD],
        },
        Case {
            name: "grep, rare expression",
            ours: json!({"pattern": rare_expression}),
            theirs: &["-n", "-e", &rare_expression],
        },
        Case {
            name: "grep, common expression",
            ours: json!({"pattern": common_expression}),
            theirs: &["-n", "-e", common_expression],
        },
    ];
    compare(setup, report, "grep", "total_matches", &cases)
}

/// Names.
pub(super) fn glob(setup: &Setup, report: &mut Report) -> Result<()> {
    let case = Case {
        name: "glob **/*.rs",
        ours: json!({"pattern": "**/*.rs"}),
        theirs: &["--files", "-g", "*.rs"],
    };
    compare(setup, report, "glob", "total", &[case])
}

/// `total` is where our answer says how much was found.
fn compare(
    setup: &Setup,
    report: &mut Report,
    tool: &str,
    total: &str,
    cases: &[Case<'_>],
) -> Result<()> {
    ensure_packages(FOR_BENCH)?;
    let tree = Tree::ready(&setup.logs)?;
    let mut api = Api::open(&setup.server.address)?;
    let (_, id) = api.create(&tree.root, "local")?;
    for Case { name, ours, theirs } in cases {
        let (_, answer) = api.tool(&id, tool, ours)?;
        let found =
            answer[total].as_u64().with_context(|| format!("no `{total}` in the answer"))?;
        let (_, listed) = ripgrep::run(&tree.root, theirs)?;
        ensure!(found == listed && found > 0, "{name}: ours found {found} and rg {listed}");
        let mut by_us = || Ok(api.tool(&id, tool, ours)?.0);
        let mut by_them = || Ok(ripgrep::run(&tree.root, theirs)?.0);
        let [by_us, by_them] = in_turns(WARM_UP, ROUNDS, [&mut by_us, &mut by_them])?;
        let row = Row::new(format!("{name} ({found} found)"), times(by_us)?);
        report.add(row.beside("rg", times(by_them)?).target(OF_THEIR_TIME));
    }
    api.destroy(&id).map(drop)
}

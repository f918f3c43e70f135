//! The parts of git that only look.

use super::secrets;
use crate::options::among;
use crate::{Word, inner::GitCall};

/// Verbs that look, whatever stands behind them, but for the options below.
const VERBS: &str = "\
    blame cat-file cherry count-objects describe diff diff-files diff-index diff-tree for-each-ref \
    grep log ls-files ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog show \
    show-branch show-ref status var version whatchanged";

/// Options that write, run or show what a setting names.
const MORE: &str = "\
    --output --ext-diff --textconv --filters --open-files-in-pager -O --no-index --exec \
    --show-signature --batch-command --contents --stdin --receive-pack --upload-pack";

pub(super) fn look(args: &[Word]) -> bool {
    let call = GitCall::new(args);
    if call.unclear || call.elsewhere || !call.settings.is_empty() {
        return false;
    }
    let Some(words) = call.args.iter().map(Word::known).collect::<Option<Vec<&str>>>() else {
        return false;
    };
    let Some(verb) = call.verb else {
        return matches!(args, [only] if matches!(only.known(), Some("--version" | "-v")));
    };
    let has_more = words.iter().any(|word| {
        MORE.split_ascii_whitespace().any(|option| {
            let name = word.split('=').next().unwrap_or(word);
            word.starts_with(option)
                || name.len() > 3 && name.starts_with("--") && option.starts_with(name)
        })
    });
    if has_more || !words.iter().all(|word| secrets::may_read(word)) {
        return false;
    }
    match verb {
        "branch" => words.iter().all(|word| {
            among(
                word,
                "\
                -a -r -v -vv -l --all --remotes --list --show-current --no-color --merged \
                --no-merged",
            )
        }),
        "tag" => words.is_empty() || matches!(words[0], "-l" | "--list" | "-n"),
        "remote" => matches!(words.as_slice(), [] | ["-v" | "--verbose"] | ["get-url", _]),
        "stash" => matches!(words.first(), Some(&("list" | "show"))),
        "reflog" => words.is_empty() || words[0] == "show" || words[0].starts_with('-'),
        "worktree" => matches!(words.as_slice(), ["list", ..]),
        "submodule" => matches!(words.as_slice(), ["status", ..]),
        "config" => {
            matches!(words.as_slice(), ["--get" | "get", name] if !name.contains("url.") && !name.contains("extraheader"))
        }
        "symbolic-ref" => matches!(words.as_slice(), ["HEAD"] | ["--short", "HEAD"]),
        "notes" => matches!(words.as_slice(), ["list" | "show", ..]),
        _ => among(verb, VERBS),
    }
}

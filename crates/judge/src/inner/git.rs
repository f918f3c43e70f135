//! `git`: its options before the verb, and the ways in which it runs other programs.

use super::{Dialect, Inside, Runs, text};
use crate::options::among;
use crate::{Doubt, Word, doubt::excerpt};

/// A call of git, taken apart.
pub(crate) struct GitCall<'a> {
    /// What is to be done; nothing when it is not known or not there.
    pub(crate) verb: Option<&'a str>,
    /// What stands behind the verb.
    pub(crate) args: &'a [Word],
    /// Settings for this call alone, as `name=value`.
    pub(crate) settings: Vec<&'a Word>,
    /// Another repository, or another git, than the one of the folder.
    pub(crate) elsewhere: bool,
    /// Something before the verb is not known, or the verb itself.
    pub(crate) unclear: bool,
}

impl<'a> GitCall<'a> {
    pub(crate) fn new(args: &'a [Word]) -> Self {
        const FLAGS: &str = "\
            -p --paginate -P --no-pager --bare --no-replace-objects --no-lazy-fetch \
            --no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs \
            --icase-pathspecs --version -v --help -h --html-path --man-path --info-path --exec-path";
        const ELSEWHERE: &str = "--git-dir --work-tree --namespace --super-prefix --attr-source";
        let mut call =
            Self { verb: None, args: &[], settings: Vec::new(), elsewhere: false, unclear: false };
        let mut at = 0;
        while let Some(word) = args.get(at) {
            at += 1;
            let Some(text) = word.known() else {
                call.unclear = true;
                // `-c name=$value` is a setting all the same.
                call.args = args.get(at..).unwrap_or_default();
                return call;
            };
            match text {
                "-c" => {
                    call.settings.extend(args.get(at));
                    at += 1;
                }
                "-C" | "--list-cmds" => {
                    call.elsewhere = true;
                    at += 1;
                }
                _ if among(text, ELSEWHERE) => {
                    call.elsewhere = true;
                    at += 1;
                }
                "--config-env" => {
                    call.unclear = true;
                    at += 1;
                }
                _ if among(text, FLAGS) => {}
                _ if text.starts_with("--exec-path=") || text.starts_with("--config-env=") => {
                    call.unclear = true;
                }
                _ if text.split_once('=').is_some_and(|(option, _)| among(option, ELSEWHERE)) => {
                    call.elsewhere = true;
                }
                _ if text.starts_with('-') => call.unclear = true,
                _ => {
                    call.verb = Some(text);
                    call.args = args.get(at..).unwrap_or_default();
                    return call;
                }
            }
        }
        call
    }
}

/// What git does by itself. Another word is an alias, which can mean anything, or a program.
const VERBS: &str = "\
    add am annex annotate apply archive bisect blame branch bugreport bundle cat-file check-attr \
    check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone \
    column commit commit-graph commit-tree config count-objects describe diff diff-files diff-index \
    diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch filter-repo fmt-merge-msg \
    for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep hash-object help index-pack \
    init interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge \
    merge-base merge-file merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 \
    pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog \
    remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email \
    send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status \
    stripspace submodule svn switch symbolic-ref tag unpack-objects update-index update-ref \
    update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree";

/// Settings that name no program.
fn is_plain_setting(name: &str) -> bool {
    const PREFIXES: &str = "\
        advice. apply. author. blame. branch. color. column. commit. committer. fetch. format. gc. \
        grep. help. index. init.defaultbranch log. merge.conflictstyle merge.ff pack. pull. push. \
        rebase. rerere. safe. stash. status. tag. transfer. user.";
    const NAMES: &str = "\
        core.abbrev core.autocrlf core.bare core.checkstat core.compression core.eol core.filemode \
        core.ignorecase core.longpaths core.preloadindex core.quotepath core.safecrlf core.symlinks \
        core.untrackedcache core.whitespace diff.algorithm diff.colormoved diff.context \
        diff.mnemonicprefix diff.noprefix diff.renamelimit diff.renames diff.submodule \
        http.postbuffer http.version protocol.version submodule.recurse";
    let name = name.to_ascii_lowercase();
    PREFIXES.split_ascii_whitespace().any(|prefix| name.starts_with(prefix)) || among(&name, NAMES)
}

/// What a setting makes git run.
pub(super) fn setting(name: &str, value: Option<&str>) -> Inside {
    let mut inside = Inside::nothing();
    let lower = name.to_ascii_lowercase();
    if is_plain_setting(&lower) {
        return inside;
    }
    inside = inside.doubt(Doubt::RunsSetting(excerpt(name)));
    let Some(value) = value else { return inside };
    match (lower.starts_with("alias."), value.strip_prefix('!')) {
        (true, Some(script)) => inside.and(Runs::Text(script.to_owned(), Dialect::Posix)),
        // An alias without `!` is a call of git.
        (true, None) => inside.and(Runs::Text(format!("git {value}"), Dialect::Posix)),
        (false, _) => {
            let script = value.strip_prefix('!').unwrap_or(value);
            inside.and(Runs::Text(script.to_owned(), Dialect::Posix))
        }
    }
}

pub(super) fn look(args: &[Word]) -> Inside {
    let call = GitCall::new(args);
    let mut inside = Inside::nothing();
    if call.unclear || call.verb.is_some_and(|verb| !among(verb, VERBS)) {
        inside = inside.doubt(Doubt::VerbUnknown("git".into()));
    }
    let mut add = |more: Inside| {
        inside.runs.extend(more.runs);
        inside.doubts.extend(more.doubts);
    };
    for word in &call.settings {
        let (name, _) = word.beginning().split_once('=').unwrap_or((word.beginning(), ""));
        let value = word.known().and_then(|text| text.split_once('=')).map(|(_, value)| value);
        add(setting(name, value));
    }
    let programs =
        ["--upload-pack", "--receive-pack", "--exec", "--extcmd", "--open-files-in-pager"];
    let is_remote = matches!(
        call.verb,
        Some(
            "fetch"
                | "pull"
                | "clone"
                | "push"
                | "ls-remote"
                | "fetch-pack"
                | "send-pack"
                | "archive"
                | "remote"
                | "submodule"
                | "difftool"
                | "grep"
        )
    );
    if is_remote
        && call.args.iter().any(|word| {
            let text = word.beginning();
            text.starts_with("ext::")
                || programs.iter().any(|option| text.starts_with(option))
                || call.verb == Some("clone")
                    && (text == "-u"
                        || text == "-c"
                        || text == "--config"
                        || text == "--template"
                        || text.starts_with("--template="))
                || call.verb == Some("grep") && text.starts_with("-O")
        })
    {
        add(Inside::nothing().doubt(Doubt::RunsSetting("git".into())));
    }
    match call.verb {
        Some("config") => add(config(call.args)),
        Some("bisect") if call.args.first().and_then(Word::known) == Some("run") => {
            add(Inside::words(&call.args[1..]));
        }
        Some("submodule") => {
            let at = call.args.iter().position(|word| word.known() == Some("foreach"));
            let script = at.and_then(|at| call.args.get(at + 1..)).unwrap_or_default();
            let skip = script.iter().take_while(|word| word.beginning().starts_with('-')).count();
            if !script[skip..].is_empty() {
                add(text("git", &script[skip..], Dialect::Posix, false));
            }
        }
        Some("rebase") => add(after_option(call.args, "-x --exec")),
        Some("difftool" | "mergetool") => add(after_option(call.args, "-x --extcmd")),
        Some("filter-branch") => {
            let filters = "--setup --env-filter --tree-filter --index-filter \
                --parent-filter --msg-filter --commit-filter --tag-name-filter";
            add(after_option(call.args, filters));
        }
        _ => {}
    }
    inside
}

/// The scripts behind these options.
fn after_option(args: &[Word], options: &str) -> Inside {
    let mut inside = Inside::nothing();
    for (at, word) in args.iter().enumerate() {
        let script = options.split_ascii_whitespace().find_map(|option| {
            if word.known() == Some(option) {
                return args.get(at + 1).cloned();
            }
            word.after(&format!("{option}="))
        });
        if let Some(script) = script {
            let more = text("git", &[script], Dialect::Posix, false);
            inside.runs.extend(more.runs);
            inside.doubts.extend(more.doubts);
        }
    }
    inside
}

/// `git config name value`: what it will run later is read now.
fn config(args: &[Word]) -> Inside {
    let operands: Vec<&Word> =
        args.iter().filter(|word| !word.beginning().starts_with('-')).collect();
    let operands = match operands.as_slice() {
        [verb, rest @ ..] if verb.known() == Some("set") => rest,
        rest => rest,
    };
    let [name, value, ..] = operands else { return Inside::nothing() };
    let Some(name) = name.known() else {
        return Inside::nothing().doubt(Doubt::VerbUnknown("git config".into()));
    };
    if among(name, "get unset list remove-section rename-section edit") {
        return Inside::nothing();
    }
    setting(name, value.known())
}

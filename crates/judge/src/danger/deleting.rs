//! Deleting: `rm` in all its spellings, and what deletes many things at once.

use crate::options::among;
use crate::{
    Finding, Word,
    command::Command,
    options::{Argument, Takes, arguments, given, operands},
    paths::{Reach, reach},
    products,
};

pub(super) const PROGRAMS: &str = "find rm rmdir rimraf shred srm trash unlink wipe";

pub(super) fn look(command: &Command<'_>, findings: &mut Vec<Finding>) {
    match command.name {
        "rm" | "srm" | "grm" => remove(command, findings),
        "rimraf" => recursive(&operands(&arguments(command.args, Takes::default())), findings),
        "find" => find(command.args, findings),
        "shred" | "wipe" => findings.push(Finding::Shreds),
        // Entries of a list, whatever they are.
        "unlink" if command.args.iter().any(|word| command.names_many(word)) => {
            findings.push(Finding::DeletesMany);
        }
        _ => {}
    }
}

fn remove(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let arguments = arguments(command.args, Takes::default());
    let targets = operands(&arguments);
    if given(&arguments, "rR", "recursive") {
        recursive(&targets, findings);
        return;
    }
    // `rm $list`, `rm *`, or `rm "$a" b` where `$a` may be `-r`. One word in quotes is one file, unless it is another
    // each time.

    let open = arguments.iter().any(|argument| matches!(argument, Argument::Unclear(_)));
    if targets.iter().any(|word| command.names_many(word)) || open && targets.len() > 1 {
        findings.push(Finding::DeletesMany);
    }
}

fn recursive(targets: &[&Word], findings: &mut Vec<Finding>) {
    let products = !targets.is_empty() && targets.iter().all(|target| products::is_one(target));
    findings.push(if products { Finding::DeletesProducts } else { Finding::DeletesFolders });
    for target in targets {
        match reach(target) {
            Reach::Everything | Reach::Here => findings.push(Finding::DeletesEverything),
            Reach::EverythingIfEmpty => findings.push(Finding::MayDeleteRoot),
            Reach::Some => {}
        }
    }
}

/// `find` with `-delete`, or with `rm` for what it finds.
fn find(args: &[Word], findings: &mut Vec<Finding>) {
    let deletes = args.iter().any(|word| word.known() == Some("-delete"));
    let removes = args.windows(2).any(|pair| {
        matches!(pair[0].known(), Some("-exec" | "-execdir" | "-ok" | "-okdir"))
            && pair[1].known().is_some_and(|name| {
                matches!(name.rsplit('/').next(), Some("rm" | "shred" | "unlink" | "srm"))
            })
    });
    if !deletes && !removes {
        return;
    }
    findings.push(Finding::DeletesMany);
    let starts: Vec<&Word> = args.iter().take_while(|word| !is_test(word)).collect();
    // Tests that leave nearly everything in are no choice.
    let chooses = args.iter().filter_map(Word::known).any(|word| {
        among(
            word,
            "\
            -name -iname -path -ipath -wholename -regex -iregex -newer -mtime -mmin -atime -amin \
            -ctime -cmin -size -empty -user -perm",
        )
    });
    let everything = starts.iter().any(|start| match reach(start) {
        Reach::Everything => true,
        Reach::Here => !chooses,
        Reach::EverythingIfEmpty | Reach::Some => false,
    });
    if everything || starts.is_empty() && !chooses {
        findings.push(Finding::DeletesEverything);
    }
}

fn is_test(word: &Word) -> bool {
    word.beginning().starts_with(['-', '(', '!'])
}

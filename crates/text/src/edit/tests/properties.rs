//! What holds for every text and every edit.

use proptest::prelude::*;

use super::{patch::patch, *};

/// Small texts out of few pieces, so that they repeat, overlap and break in odd places.
fn pieces(most: usize) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "ab", "é", "𝄞", " ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "\0", "\\n", "\\",
        "\"", "{\n", "}\n", "word(", ");\n", "\u{feff}", "\u{a0}",
    ]);
    prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

fn plain(most: usize) -> impl Strategy<Value = String> {
    pieces(most).prop_map(|text| text.replace(['\r', '\u{feff}'], ""))
}

fn replacement() -> impl Strategy<Value = Replacement> {
    (pieces(8), pieces(8), any::<bool>()).prop_map(|(old, new, replace_all)| Replacement {
        old,
        new,
        replace_all,
    })
}

/// Code-like lines, all different, and a way to write them that some loose rule sees through.
fn block() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec((0..3_usize, "[a-z]{3,8}", "[a-z]{3,8}"), 4..9).prop_map(|lines| {
        let line = |(index, (depth, name, value)): (usize, (usize, String, String))| {
            format!("{}{name}{index} = {value} + {index};", "    ".repeat(depth))
        };
        lines.into_iter().enumerate().map(line).collect()
    })
}

fn distort(lines: &[String], way: usize) -> String {
    let trimmed = || lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let text = lines.join("\n");
    match way {
        0 => text,
        1 => trimmed().join("\n"),
        2 => {
            let mut lines = trimmed();
            lines[1].push_str(" // so");
            lines.join("\n")
        }
        3 => trimmed().join("\n").replace(' ', "  "),
        4 => text.replace('\n', "\\n"),
        5 => format!("\n\n{text}\n\n"),
        _ => {
            let mut lines = trimmed();
            let last = lines.len() - 2;
            lines[last] = "?".to_owned();
            lines.join("\n")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_unique_exact_edit_is_a_plain_replacement(
        before in plain(12),
        left in plain(3),
        right in plain(3),
        after in plain(12),
        new in plain(6),
    ) {
        let old = format!("{left}§{right}");
        let text = format!("{before}{old}{after}");
        let edited = run(&text, &[edit(&old, &new)]).unwrap();
        prop_assert_eq!(&edited.text, &text.replacen(&old, &new, 1));
        prop_assert_eq!(edited.rules, [Rule::Exact]);
    }

    #[test]
    fn replacing_all_exactly_is_a_plain_replacement(
        parts in prop::collection::vec(plain(6), 2..6),
        left in plain(2),
        right in plain(2),
        new in plain(3),
    ) {
        let old = format!("{left}a{right}");
        let text = parts.join(&old);
        prop_assume!(old != new);
        let edited = run(&text, &[edit_all(&old, &new)]).unwrap();
        prop_assert_eq!(&edited.text, &text.replace(&old, &new));
        prop_assert_eq!(edited.replacements, text.matches(&old).count() as u64);
    }

    #[test]
    fn any_edits_of_any_text_end_in_a_true_diff_or_an_error(
        text in pieces(40),
        edits in prop::collection::vec(replacement(), 1..5),
    ) {
        if let Ok(edited) = run(&text, &edits) {
            prop_assert_eq!(patch(&text, &edited.diff), edited.text);
            let signs = |sign: char| {
                let rows = edited.diff.split('\n').skip(2);
                rows.filter(|line| line.starts_with(sign)).count() as u64
            };
            prop_assert_eq!((signs('+'), signs('-')), (edited.lines_added, edited.lines_removed));
        }
    }

    #[test]
    fn many_edits_are_the_same_as_one_after_the_other(
        text in pieces(40),
        edits in prop::collection::vec(replacement(), 1..5),
    ) {
        let mut step: Result<String, EditError> = Ok(text.clone());
        for edit in &edits {
            step = step.and_then(|text| Ok(run(&text, std::slice::from_ref(edit))?.text));
        }
        match (run(&text, &edits), step) {
            (Ok(whole), Ok(text)) => prop_assert_eq!(whole.text, text),
            (Err(_), Err(_)) => {}
            (whole, step) => prop_assert!(false, "{whole:?} is not {step:?}"),
        }
    }

    #[test]
    fn no_input_makes_it_panic(
        text in "(?s).{0,60}",
        old in "(?s).{0,12}",
        new in "(?s).{0,12}",
        replace_all: bool,
    ) {
        drop(run(&text, &[Replacement { old: old.clone(), new: new.clone(), replace_all }]));
        let around = format!("{text}\n {old} \r\n{text}");
        drop(run(&around, &[Replacement { old, new, replace_all }]));
    }

    #[test]
    fn every_rule_leaves_the_other_lines_alone(
        before in pieces(12),
        block in block(),
        after in pieces(12),
        way in 0..7_usize,
        returns: bool,
    ) {
        let ending = if returns { "\r\n" } else { "\n" };
        let before = format!("{before}\u{b0}{ending}");
        let after = format!("{ending}\u{b0}{after}");
        let text = format!("{before}{}{after}", block.join(ending));
        let old = distort(&block, way);
        let edited = run(&text, &[edit(&old, &old.replacen('=', "==", 1))]).unwrap();
        prop_assert!(edited.text.starts_with(&before), "{:?}", edited);
        prop_assert!(edited.text.ends_with(&after), "{:?}", edited);
        if matches!(way, 0 | 1 | 4 | 5) {
            prop_assert_eq!(&edited.text, &text.replacen('=', "==", 1));
        }
        let expected = match way {
            0 => Rule::Exact,
            1 => Rule::LineTrimmed,
            3 => Rule::WhitespaceNormalized,
            4 => Rule::EscapeNormalized,
            5 => Rule::TrimmedBoundary,
            6 if block.len() == 4 => Rule::ContextAware,
            _ => Rule::BlockAnchor,
        };
        if way != 1 || edited.rules != [Rule::Exact] {
            prop_assert_eq!(edited.rules, [expected]);
        }
    }
}

proptest! {
    #[test]
    fn the_comparison_of_two_texts_makes_one_of_the_other(old in pieces(12), new in pieces(12)) {
        let compared = compare("f", &old, &new);
        prop_assert_eq!(patch(&old, &compared.diff), new.clone());
        prop_assert_eq!(compared.diff.is_empty(), old == new);
        let lines = |text: &str| text.split_inclusive('\n').count() as u64;
        prop_assert_eq!(lines(&old) + compared.lines_added, lines(&new) + compared.lines_removed);
    }
}

//! The second reader: the bash grammar, held to certainty.
//!
//! A tree counts only if nothing in it is an error, nothing lies between its leaves but blanks, none of it is
//! of a kind that `prepare` has taken out, and no leaf hides what would be expanded. The grammar is
//! lenient where bash is not; each of these checks stands for something that it accepted wrongly.

use std::{cell::RefCell, ops::ControlFlow};

use tree_sitter::{Node, ParseOptions, Parser, Tree, TreeCursor};

use crate::{
    Doubt, inner,
    prepare::{MAX_DEPTH, Mark, Prepared},
    word::{Expansion, Piece},
};

/// How often the parser may report progress before it is stopped: about ten times what the longest
/// honest line takes. A count and not a time, so that a line means the same on every machine.
const MAX_STEPS: usize = 5_000;

thread_local! {
    /// A parser is dear to make and cheap to keep.
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// The tree of a text; nothing when the parser gave up.
pub(crate) fn parse(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|kept| {
        let parser = match kept {
            Some(parser) => parser,
            None => kept.insert(new_parser()?),
        };
        parser.reset();
        let mut steps = 0;
        let mut progress = |_: &tree_sitter::ParseState| {
            steps += 1;
            if steps > MAX_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = text.as_bytes();
        let mut input = |at: usize, _| bytes.get(at..).unwrap_or_default();
        parser.parse_with_options(&mut input, None, Some(options))
    })
}

fn new_parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// Whether the tree is deeper than what is walked through by functions that call themselves.
pub(crate) fn is_too_deep(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        if depth > MAX_DEPTH {
            return true;
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// Why a tree does not count, if it does not.
pub(crate) fn check(tree: &Tree, prepared: &Prepared) -> Option<Doubt> {
    let text = prepared.text.as_str();
    let mut cursor = tree.walk();
    let mut end = 0;
    let mut marks = Vec::new();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() || !is_expected(node, text) {
            return Some(Doubt::Unreadable);
        }
        marks.extend(mark(node, text).map(|mark| (mark, node.start_byte(), node.end_byte())));
        if node.child_count() == 0 {
            let gap = text.get(end..node.start_byte());
            if gap.is_none_or(|gap| !gap.bytes().all(|byte| b" \t\n".contains(&byte)))
                || hides(node, text)
            {
                return Some(Doubt::Unreadable);
            }
            end = node.end_byte();
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                let rest = text.get(end..).unwrap_or_default();
                let blank = rest.bytes().all(|byte| b" \t\n".contains(&byte));
                return (!blank || !agree(marks, prepared)).then_some(Doubt::Unreadable);
            }
        }
    }
}

/// Whether both readers found the same quotes and expansions in the same places.
fn agree(mut marks: Vec<(Mark, usize, usize)>, prepared: &Prepared) -> bool {
    let mut expected = prepared.marks.clone();
    expected.sort_unstable();
    marks.sort_unstable();
    marks == expected
}

fn mark(node: Node<'_>, text: &str) -> Option<Mark> {
    match node.kind() {
        "string" => Some(Mark::Quote),
        "expansion" => Some(Mark::Brace),
        "command_substitution" | "process_substitution" => Some(Mark::Substitution),
        "arithmetic_expansion" => {
            text.get(node.byte_range())?.starts_with('$').then_some(Mark::Arithmetic)
        }
        _ => None,
    }
}

fn is_expected(node: Node<'_>, text: &str) -> bool {
    let source = || text.get(node.byte_range()).unwrap_or_default();
    match node.kind() {
        // Taken out before.
        "comment" | "heredoc_redirect" | "heredoc_body" => false,
        // Ends with its line in bash, not in the grammar.
        "test_command" => {
            !inner::is_detour(source()) && (source().starts_with("[[") || !source().contains('\n'))
        }
        // `$ $` is two signs for bash and one variable for the grammar.
        "simple_expansion" => !source().contains([' ', '\t', '\n']),
        // What is in the variable is expanded like a prompt: a command in it runs.
        "expansion" => !source().contains("@P"),
        // Bash and the grammar differ in where it ends.
        "regex" => !source().contains([' ', '\t', '\n', ';', '&']),
        _ => true,
    }
}

/// Whether a leaf holds something that bash would expand and the grammar did not look at.
fn hides(leaf: Node<'_>, text: &str) -> bool {
    if matches!(leaf.kind(), "raw_string" | "ansi_c_string") || !leaf.is_named() {
        return false;
    }
    let text = text.get(leaf.byte_range()).unwrap_or_default();
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if !escaped
            && (letter == '`' || text[at..].starts_with("$(") || text[at..].starts_with("${"))
        {
            return true;
        }
        escaped = letter == '\\' && !escaped;
    }
    false
}

/// The outermost pieces of a word that are expanded, with places that count from `from`.
pub(crate) fn expansions(nodes: &[Node<'_>], text: &str, from: usize) -> Vec<Expansion> {
    let mut found = Vec::new();
    for node in nodes {
        let mut cursor = node.walk();
        collect(&mut cursor, text, from, &mut found);
    }
    found
}

fn collect(cursor: &mut TreeCursor<'_>, text: &str, from: usize, found: &mut Vec<Expansion>) {
    loop {
        let node = cursor.node();
        let is_one = matches!(
            node.kind(),
            "simple_expansion"
                | "expansion"
                | "command_substitution"
                | "process_substitution"
                | "arithmetic_expansion"
        );
        if is_one {
            // What stands before the word, in the index of a list, is no piece of it.
            if node.start_byte() >= from {
                let range = node.start_byte() - from..node.end_byte() - from;
                let source = text.get(node.byte_range()).unwrap_or_default();
                found.push(Expansion { range, piece: piece(node.kind(), source) });
            }
        } else if cursor.goto_first_child() {
            collect(cursor, text, from, found);
            cursor.goto_parent();
        }
        if !cursor.goto_next_sibling() {
            return;
        }
    }
}

fn piece(kind: &str, source: &str) -> Piece {
    let named = |name: &str| {
        let rest = source.trim_start_matches("${").trim_start_matches('$').strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    };
    match kind {
        "simple_expansion" | "expansion" if named("HOME") => Piece::Home,
        "simple_expansion" | "expansion" if named("PWD") => Piece::Here,
        "command_substitution" if is_pwd(source) => Piece::Here,
        // The name of a pipe, or a number.
        "process_substitution" | "arithmetic_expansion" => Piece::Unknown { splits: false },
        _ => Piece::Unknown { splits: true },
    }
}

fn is_pwd(source: &str) -> bool {
    source
        .strip_prefix("$(")
        .and_then(|rest| rest.strip_suffix(')'))
        .is_some_and(|inside| inside.trim() == "pwd")
}

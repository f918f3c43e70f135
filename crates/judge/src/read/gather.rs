//! Putting a simple command together from the pieces that the grammar made of it.
//!
//! The grammar hands words that stand behind a redirection to the redirection, and sometimes makes two
//! words of one. Bash goes by blanks: what stands together is a word, and a redirection takes one.

use std::ops::Range;

use tree_sitter::Node;

use super::{Reader, Script};
use crate::{
    Doubt, Word,
    command::{Assign, Feed, Redirect, Simple},
    prepare::{Aside, HERE_DOCUMENT, HERE_STRING},
    tree,
};

/// Pieces of the text that stand together, and what they are.
struct Item<'t> {
    nodes: Vec<Node<'t>>,
    range: Range<usize>,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Word,
    Assign,
    Writes,
    /// Behind what is there, or without emptying it.
    Adds,
    Reads,
    /// `>&` and `<&`: a descriptor, or a file.
    Copies,
}

impl Reader {
    /// The command that these nodes make, and whether there are words in it.
    pub(super) fn gather(
        &mut self,
        script: &Script<'_>,
        nodes: &[Node<'_>],
        feed: &Feed,
    ) -> (Simple, bool) {
        let text = script.prepared.text.as_str();
        let mut leaves = Vec::new();
        for node in nodes {
            flatten(*node, text, &mut leaves);
        }
        leaves.sort_by_key(|(node, _)| node.start_byte());
        if broken_by_newline(&leaves, text) {
            self.doubt(Doubt::Unreadable);
        }
        let items = joined(leaves, text);
        let mut simple = Simple { feed: feed.clone(), ..Simple::default() };
        for item in &items {
            self.add(script, &mut simple, item);
        }
        let start = nodes.iter().map(Node::start_byte).min().unwrap_or_default();
        let end = nodes.iter().map(Node::end_byte).max().unwrap_or_default();
        script.written(start, end).trim().clone_into(&mut simple.text);
        let has_words = !simple.words.is_empty() || !simple.assigns.is_empty();
        (simple, has_words)
    }

    fn add(&mut self, script: &Script<'_>, simple: &mut Simple, item: &Item<'_>) {
        let written = &script.prepared.text[item.range.clone()];
        match item.role {
            Role::Word => {
                let word = self.word(script, item, 0);
                simple.words.push(word);
            }
            Role::Assign => match assignment(written) {
                // Behind a program's name it is an argument.
                _ if !simple.words.is_empty() => {
                    let word = self.word(script, item, 0);
                    simple.words.push(word);
                }
                Some((name, value)) => {
                    let value = self.word(script, item, value);
                    simple.assigns.push(Assign { name: name.to_owned(), value });
                }
                None => self.doubt(Doubt::Unreadable),
            },
            Role::Reads => {
                let feed = self.fed(script, item, written);
                if feed == Feed::File {
                    let file = self.word(script, item, 0);
                    simple.redirects.push(Redirect { writes: false, empties: false, file });
                }
                simple.feed = feed;
            }
            Role::Writes | Role::Adds | Role::Copies => {
                let is_descriptor =
                    written.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                if item.role != Role::Copies || !is_descriptor {
                    let file = self.word(script, item, 0);
                    let empties = item.role != Role::Adds;
                    simple.redirects.push(Redirect { writes: true, empties, file });
                }
            }
        }
    }

    /// What a command reads that is redirected with `<`.
    fn fed(&mut self, script: &Script<'_>, item: &Item<'_>, written: &str) -> Feed {
        if let Some(number) = written.strip_prefix(HERE_DOCUMENT) {
            return match script.prepared.aside(number) {
                Some(Aside::Document { body, expands: false }) => Feed::Text(body.clone()),
                Some(Aside::Document { body, expands: true }) => {
                    self.expanded(body);
                    if body.contains(['$', '`', '\\']) {
                        Feed::Roughly(body.clone())
                    } else {
                        Feed::Text(body.clone())
                    }
                }
                _ => {
                    self.doubt(Doubt::Unreadable);
                    Feed::Unknown
                }
            };
        }
        if written.starts_with(HERE_STRING) {
            let word = self.word(script, item, HERE_STRING.len_utf8());
            return word.known().map_or(Feed::Unknown, |text| Feed::Text(text.to_owned()));
        }
        // Whether it is a download, who calls knows.
        if written.contains("<(") { Feed::Unknown } else { Feed::File }
    }

    /// The word that an item is, without so many bytes at its beginning.
    fn word(&mut self, script: &Script<'_>, item: &Item<'_>, skip: usize) -> Word {
        let range = item.range.start + skip..item.range.end;
        let text = &script.prepared.text[range.clone()];
        let shown = script.written(range.start, range.end);
        if item.nodes.iter().any(|node| has_array(*node)) {
            return Word::unknown(shown, true);
        }
        let expansions = tree::expansions(&item.nodes, &script.prepared.text, range.start);
        if let Ok(word) = Word::scan(text, &expansions, item.role == Role::Assign) {
            return word.shown_as(shown);
        }
        self.doubt(Doubt::Unreadable);
        Word::unknown(shown, true)
    }
}

/// The pieces that words and redirections are made of, with what each is.
fn flatten<'t>(node: Node<'t>, text: &str, leaves: &mut Vec<(Node<'t>, Role)>) {
    match node.kind() {
        "command" | "declaration_command" | "unset_command" | "variable_assignments" => {
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                flatten(child, text, leaves);
            }
        }
        "variable_assignment" => leaves.push((node, Role::Assign)),
        "file_redirect" => redirect(node, text, leaves),
        _ => leaves.push((node, Role::Word)),
    }
}

fn redirect<'t>(node: Node<'t>, text: &str, leaves: &mut Vec<(Node<'t>, Role)>) {
    let mut role = Role::Reads;
    let mut taken: Option<Node<'t>> = None;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        let source = text.get(child.byte_range()).unwrap_or_default();
        if child.kind() == "file_descriptor" {
            continue;
        }
        if !child.is_named() && source.contains(['<', '>']) {
            role = match source {
                "<" => Role::Reads,
                ">&" | "<&" => Role::Copies,
                ">>" | "&>>" | "<>" => Role::Adds,
                _ => Role::Writes,
            };
            // `>&-` closes and takes no word.
            taken = source.ends_with('-').then_some(child);
            continue;
        }
        // What stands right behind the first word belongs to it.
        let first = taken.is_none_or(|taken| taken.end_byte() == child.start_byte());
        leaves.push((child, if first { role } else { Role::Word }));
        if first {
            taken = Some(child);
        }
    }
}

/// A command ends with its line; the grammar now and then goes on.
fn broken_by_newline(leaves: &[(Node<'_>, Role)], text: &str) -> bool {
    let ends = leaves.iter().map(|(node, _)| node.end_byte());
    let starts = leaves.iter().skip(1).map(|(node, _)| node.start_byte());
    ends.zip(starts).any(|(end, start)| text.get(end..start).unwrap_or_default().contains('\n'))
}

/// Pieces without a blank between them are one word.
fn joined<'t>(leaves: Vec<(Node<'t>, Role)>, text: &str) -> Vec<Item<'t>> {
    let mut items: Vec<Item<'t>> = Vec::new();
    for (node, role) in leaves {
        let range = node.byte_range();
        if text.get(range.clone()).is_none_or(str::is_empty) {
            continue;
        }
        match items.last_mut() {
            Some(item)
                if item.range.end == range.start && (role == Role::Word || role == item.role) =>
            {
                item.range.end = range.end;
                item.nodes.push(node);
            }
            _ => items.push(Item { nodes: vec![node], range, role }),
        }
    }
    items
}

/// The name, and where the value begins.
fn assignment(written: &str) -> Option<(&str, usize)> {
    let at = written.find('=')?;
    let name = written[..at].trim_end_matches('+');
    let name = name.find('[').map_or(name, |bracket| &name[..bracket]);
    Some((name, at + 1))
}

fn has_array(node: Node<'_>) -> bool {
    if node.kind() == "array" {
        return true;
    }
    let mut cursor = node.walk();
    node.kind() == "variable_assignment" && node.children(&mut cursor).any(has_array)
}

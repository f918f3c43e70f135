//! Walking through the tree: every statement, wherever it stands, and what flows into it.

use tree_sitter::Node;

use super::{MAX_PARTS, Reader, Script};
use crate::{
    Doubt, Finding,
    command::{Feed, Simple},
    danger,
    doubt::excerpt,
    harmless, inner,
    options::among,
    word::has_argument,
};

impl Reader {
    /// All statements of a node that is none itself.
    pub(super) fn statements(&mut self, script: &Script<'_>, node: Node<'_>, feed: &Feed) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.statement(script, child, feed, &[]);
        }
    }

    /// One statement. `trailing` are redirections that stand behind it, outside of it in the tree.
    fn statement(
        &mut self,
        script: &Script<'_>,
        node: Node<'_>,
        feed: &Feed,
        trailing: &[Node<'_>],
    ) {
        if self.parts.len() >= MAX_PARTS {
            self.doubt(Doubt::TooMuch);
            return;
        }
        match node.kind() {
            "command"
            | "declaration_command"
            | "unset_command"
            | "variable_assignment"
            | "variable_assignments" => {
                let mut nodes = vec![node];
                nodes.extend(trailing);
                self.command(script, &nodes, feed);
            }
            "redirected_statement" => {
                let mut cursor = node.walk();
                let mut redirects: Vec<Node<'_>> =
                    node.children_by_field_name("redirect", &mut cursor).collect();
                redirects.extend(trailing);
                match node.child_by_field_name("body") {
                    Some(body) => self.statement(script, body, feed, &redirects),
                    None => self.command(script, &redirects, feed),
                }
            }
            "pipeline" => self.pipeline(script, node, feed, trailing),
            "list" | "negated_command" => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                for (index, child) in children.iter().enumerate() {
                    let last = index + 1 == children.len();
                    self.statement(script, *child, feed, if last { trailing } else { &[] });
                }
            }
            "subshell"
            | "compound_statement"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "while_statement"
            | "for_statement"
            | "c_style_for_statement"
            | "do_group"
            | "case_statement"
            | "case_item"
            | "test_command"
            | "ERROR" => {
                let feed = self.compound(script, trailing, feed);
                let kind = node.kind();
                let is_loop = among(kind, "while_statement for_statement c_style_for_statement");
                if is_loop {
                    let named = self.loop_of(script, node);
                    self.loops.push(named);
                }
                self.statements(script, node, &feed);
                if is_loop {
                    self.loops.pop();
                }
            }
            "function_definition" => self.function(script, node, trailing),
            // A word, a value, a pattern: only what is expanded in it runs.
            _ => self.inside_of(script, node),
        }
    }

    /// The commands that are expanded somewhere in a node.
    pub(super) fn inside_of(&mut self, script: &Script<'_>, node: Node<'_>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        drop(cursor);
        for child in children {
            match node.kind() {
                "command_substitution" | "process_substitution" => {
                    // `>(…)` reads what the command outside of it says.
                    let reads = script.prepared.text[node.start_byte()..].starts_with('>');
                    let feed = if reads { Feed::Unknown } else { Feed::Nothing };
                    self.statement(script, child, &feed, &[]);
                }
                _ => self.inside_of(script, child),
            }
        }
    }

    fn pipeline(
        &mut self,
        script: &Script<'_>,
        node: Node<'_>,
        feed: &Feed,
        trailing: &[Node<'_>],
    ) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        let first = self.parts.len();
        let downloaded = *feed == Feed::Download;
        let mut feed = feed.clone();
        for (index, child) in children.iter().enumerate() {
            let last = index + 1 == children.len();
            let before = self.parts.len();
            self.statement(script, *child, &feed, if last { trailing } else { &[] });
            feed = if downloaded { Feed::Download } else { self.said(first, before) };
        }
    }

    /// What the programs since `first` say, the last statement beginning at `last`.
    fn said(&self, first: usize, last: usize) -> Feed {
        let said = self.parts.get(first..).unwrap_or_default();
        if said.iter().any(danger::downloads) {
            return Feed::Download;
        }
        match self.parts.get(last..) {
            Some([part]) => match &self.said {
                Some((number, text)) if *number == last => Feed::Text(text.clone()),
                _ => inner::said(part).map_or(Feed::Unknown, Feed::Text),
            },
            _ => Feed::Unknown,
        }
    }

    /// A compound statement's redirections: what is inside of it reads what they give.
    fn compound(&mut self, script: &Script<'_>, trailing: &[Node<'_>], feed: &Feed) -> Feed {
        if trailing.is_empty() {
            return feed.clone();
        }
        let first = self.parts.len();
        for node in trailing {
            self.inside_of(script, *node);
        }
        let downloads = self.parts[first..].iter().any(danger::downloads);
        let (mut simple, has_words) = self.gather(script, trailing, feed);
        simple.often = self.often();
        if has_words {
            self.doubt(Doubt::Unreadable);
        }
        let feed = match simple.feed.clone() {
            Feed::Unknown if downloads => Feed::Download,
            feed => feed,
        };
        if simple.writes() {
            self.part(&simple, danger::redirections(&simple), false);
        }
        feed
    }

    /// A simple command, with redirections that stand behind it.
    fn command(&mut self, script: &Script<'_>, nodes: &[Node<'_>], feed: &Feed) {
        let first = self.parts.len();
        for node in nodes {
            self.inside_of(script, *node);
        }
        let downloads = self.parts[first..].iter().any(danger::downloads);
        let (mut simple, _) = self.gather(script, nodes, feed);
        (simple.downloads, simple.often) = (downloads, self.often());
        if downloads && simple.feed == Feed::Unknown {
            simple.feed = Feed::Download;
        }
        self.simple(script, &simple);
    }

    fn function(&mut self, script: &Script<'_>, node: Node<'_>, trailing: &[Node<'_>]) {
        let text = |node: Node<'_>| script.prepared.text.get(node.byte_range()).unwrap_or_default();
        let name = node.child_by_field_name("name").map(text).unwrap_or_default();
        let written = script.written(node.start_byte(), node.end_byte());
        let is_bomb =
            node.child_by_field_name("body").is_some_and(|body| starts_itself(body, name, &text));
        if is_bomb {
            let simple = Simple { text: written.to_owned(), ..Simple::default() };
            self.part(&simple, vec![Finding::ForkBomb], false);
        }
        if danger::knows(name) || harmless::knows(name) || inner::knows(name) {
            self.doubt(Doubt::Redefines(excerpt(name)));
        }
        let mut cursor = node.walk();
        let mut redirects: Vec<Node<'_>> =
            node.children_by_field_name("redirect", &mut cursor).collect();
        redirects.extend(trailing);
        let feed = self.compound(script, &redirects, &Feed::Nothing);
        let Some(body) = node.child_by_field_name("body") else { return };
        // Whoever calls it again and again is not looked for: a loop anywhere may.
        let is_loop = |word: &str| among(word, "for while until xargs parallel -exec -execdir");
        let all = script.prepared.text.as_str();
        let calls_itself = words(text(body)).any(|word| word == name);
        let may_run_often = calls_itself || words(all).any(is_loop);
        let is_told = has_argument(text(body));
        if may_run_often {
            self.loops.push(None);
        }
        self.functions += usize::from(is_told);
        self.statement(script, body, &feed, &[]);
        self.functions -= usize::from(is_told);
        if may_run_often {
            self.loops.pop();
        }
    }

    /// The variable of a loop, if its values stand in the line; what it holds of files is noted.
    fn loop_of(&mut self, script: &Script<'_>, node: Node<'_>) -> Option<String> {
        let text = |node: Node<'_>| script.prepared.text.get(node.byte_range()).unwrap_or_default();
        let name = node.child_by_field_name("variable").map(text)?;
        let mut cursor = node.walk();
        let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).collect();
        for value in &values {
            self.holders.set(name, script.written(value.start_byte(), value.end_byte()));
        }
        let is_open = |value: &Node<'_>| text(*value).contains(['$', '`', '*', '?', '[']);
        (!values.is_empty() && !values.iter().any(is_open)).then(|| name.to_owned())
    }
}

/// The words of a text, wherever quotes and signs stand.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "|;&(){}<>\"'`".contains(c))
}

/// Whether a function starts itself beside itself: in the background, or twice in a pipe.
fn starts_itself<'a>(body: Node<'a>, name: &str, text: &impl Fn(Node<'a>) -> &'a str) -> bool {
    let calls = |node: Node<'a>| {
        node.child_by_field_name("name").is_some_and(|called| text(called) == name)
    };
    let mut cursor = body.walk();
    let children: Vec<Node<'a>> = body.children(&mut cursor).collect();
    let own = children.iter().filter(|child| calls(**child)).count();
    if body.kind() == "pipeline" && own > 1 {
        return true;
    }
    let in_background = children
        .windows(2)
        .any(|pair| text(pair[1]) == "&" && (calls(pair[0]) || starts_itself(pair[0], name, text)));
    in_background || children.into_iter().any(|child| starts_itself(child, name, text))
}

//! The first reader: a scanner that knows quotes, comments, here-documents and backquotes.
//!
//! The grammar of the second reader is weak in just these places: it finds comments and ends of
//! here-documents where bash finds none, and does not look into nested backquotes. So they are taken out of
//! the text before the grammar gets it: lines that are continued are joined, comments left out, and
//! here-documents, here-strings and backquotes laid aside, with a mark in their place. `tree` then
//! checks that every mark was understood as what it is and that nothing of the kind is left.
//!
//! It also counts, before the grammar is asked: what is too much for that is refused here, unread. It
//! understands no statement and finds no command; that is the grammar's part.

use std::mem;

use crate::Doubt;

mod here;

/// Stands before the number of a here-document, as the name of a file that is read.
pub(crate) const HERE_DOCUMENT: char = '\u{e000}';
/// Stands before the number of a script from backquotes, as the name of a program.
pub(crate) const SCRIPT: char = '\u{e001}';
/// Stands before the text of a here-string, as the name of a file that is read.
pub(crate) const HERE_STRING: char = '\u{e002}';

/// How deep brackets and quotes may be nested.
pub(crate) const MAX_DEPTH: usize = 200;

/// How much may be laid aside in one text.
const MAX_ASIDES: usize = 500;

/// How many signs that end a command the grammar is given, and how many words. It looks for a way out of an
/// error in all directions: half a pipe of 20,000 commands took it 3 GB and half a minute.
const MAX_ENDS: usize = 500;
const MAX_WORDS: usize = 5_000;
/// How many bytes it is given, without here-documents: it reads some signs again and again.
const MAX_BYTES: usize = 16 * 1024;

/// What was laid aside.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Aside {
    /// The text of a here-document.
    Document {
        body: String,
        /// Variables and commands in it are expanded.
        expands: bool,
    },
    /// The text between backquotes, with one level of escapes undone.
    Script(String),
}

/// What a piece of the text is, for both readers to agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// `"…"`.
    Quote,
    /// `${…}`.
    Brace,
    /// `$((…))`.
    Arithmetic,
    /// `$(…)`, `<(…)` and `>(…)`.
    Substitution,
}

/// A text without what the grammar reads badly.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    pub(crate) text: String,
    pub(crate) asides: Vec<Aside>,
    /// Where each such piece begins and ends, in the order in which they end.
    pub(crate) marks: Vec<(Mark, usize, usize)>,
    /// From which place in the text on it stands at which place in the source.
    places: Vec<(usize, usize)>,
}

impl Prepared {
    /// Where something in the text stands in the source.
    pub(crate) fn source(&self, at: usize) -> usize {
        let after = self.places.partition_point(|(text, _)| *text <= at);
        match after.checked_sub(1).and_then(|index| self.places.get(index)) {
            Some((text, source)) => source + (at - text),
            None => at,
        }
    }

    pub(crate) fn aside(&self, number: &str) -> Option<&Aside> {
        number.parse::<usize>().ok().and_then(|number| self.asides.get(number))
    }
}

#[derive(Debug)]
enum Context {
    /// Commands, until the end or a bracket.
    Commands { until: Until, cases: usize },
    /// Inside `"…"`.
    Quote,
    /// A text that is expanded like one between `"`, and in which `"` is only a sign.
    Document,
    /// Inside `${…}`.
    Brace,
    /// Inside `((…))`, with so many brackets open.
    Arithmetic { open: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    End,
    /// The bracket of `( … )`.
    Subshell,
    /// The bracket of `$( … )` and `<( … )`, behind which the same word goes on.
    Substitution,
}

/// A here-document whose text begins after the line.
#[derive(Debug)]
struct Pending {
    aside: usize,
    delimiter: String,
    strips_tabs: bool,
    depth: usize,
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    prepared: Prepared,
    /// Each with the place where it begins.
    contexts: Vec<(Context, usize)>,
    pending: Vec<Pending>,
    /// A `#` here would begin a comment.
    at_word: bool,
    ends: usize,
    words: usize,
}

/// The text for the grammar, and what was laid aside.
pub(crate) fn prepare(source: &str) -> Result<Prepared, Doubt> {
    scan(source, Context::Commands { until: Until::End, cases: 0 })
}

/// The text of a here-document, as a command whose one argument it is.
pub(crate) fn prepare_document(source: &str) -> Result<Prepared, Doubt> {
    let mut prepared = scan(source, Context::Document)?;
    let before = ": \"";
    prepared.text = format!("{before}{}\"", prepared.text);
    for place in &mut prepared.places {
        place.0 += before.len();
    }
    for (_, start, end) in &mut prepared.marks {
        *start += before.len();
        *end += before.len();
    }
    prepared.marks.push((Mark::Quote, before.len() - 1, prepared.text.len()));
    prepared.places.insert(0, (before.len(), 0));
    Ok(prepared)
}

fn scan(source: &str, context: Context) -> Result<Prepared, Doubt> {
    let mut scanner = Scanner {
        source,
        at: 0,
        prepared: Prepared::default(),
        contexts: vec![(context, 0)],
        pending: Vec::new(),
        at_word: true,
        ends: 0,
        words: 0,
    };
    while let Some(letter) = scanner.peek() {
        if scanner.contexts.len() > MAX_DEPTH {
            return Err(Doubt::TooDeep);
        }
        if scanner.prepared.text.len() > MAX_BYTES {
            return Err(Doubt::TooLong);
        }
        let is_much = scanner.prepared.asides.len() > MAX_ASIDES
            || scanner.ends > MAX_ENDS
            || scanner.words > MAX_WORDS;
        if is_much {
            return Err(Doubt::TooMuch);
        }
        match scanner.contexts.last().map(|(context, _)| context) {
            None => return Err(Doubt::Unreadable),
            Some(Context::Commands { .. }) => scanner.commands(letter)?,
            Some(Context::Document) if letter == '"' => scanner.put("\\\"", 1),
            Some(Context::Quote | Context::Document) => scanner.quote(letter)?,
            Some(Context::Brace) => scanner.brace(letter)?,
            Some(Context::Arithmetic { .. }) => scanner.arithmetic(letter)?,
        }
    }
    if scanner.contexts.len() != 1 || !scanner.pending.is_empty() {
        return Err(Doubt::Unreadable);
    }
    Ok(scanner.prepared)
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn copy(&mut self, bytes: usize) {
        let end = self.at + bytes;
        self.prepared.text.push_str(&self.source[self.at..end]);
        self.at = end;
    }

    fn copy_one(&mut self) {
        let bytes = self.peek().map_or(0, char::len_utf8);
        self.copy(bytes);
    }

    /// What follows in the text stands elsewhere in the source.
    fn moved(&mut self) {
        self.prepared.places.push((self.prepared.text.len(), self.at));
    }

    fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.moved();
    }

    /// Puts `text` in the place of so many bytes.
    fn put(&mut self, text: &str, bytes: usize) {
        self.moved();
        self.prepared.text.push_str(text);
        self.skip(bytes);
    }

    fn enter(&mut self, context: Context, bytes: usize) {
        let start = self.prepared.text.len();
        self.copy(bytes);
        self.contexts.push((context, start));
    }

    fn enter_commands(&mut self, until: Until, bytes: usize) {
        self.enter(Context::Commands { until, cases: 0 }, bytes);
        self.at_word = true;
    }

    /// Whether what is read now stands inside `"…"`, with no `$(` in between.
    fn is_quoted(&self) -> bool {
        let inner = self.contexts.iter().rev();
        inner
            .map(|(context, _)| context)
            .take_while(|context| !matches!(context, Context::Commands { .. }))
            .any(|context| matches!(context, Context::Quote | Context::Document))
    }

    fn commands(&mut self, letter: char) -> Result<(), Doubt> {
        let at_word = mem::replace(&mut self.at_word, false);
        self.ends += usize::from(matches!(letter, '\n' | ';' | '&' | '|' | '('));
        self.words += usize::from(at_word && !matches!(letter, ' ' | '\t'));
        match letter {
            '\\' => match self.second() {
                Some('\n') => {
                    self.skip(2);
                    self.at_word = at_word;
                }
                // The grammar takes an escaped blank for a blank.
                Some(blank @ (' ' | '\t')) => self.put(&format!("'{blank}'"), 2),
                _ => self.escape()?,
            },
            '\'' => self.single()?,
            '"' => self.enter(Context::Quote, 1),
            '$' => self.dollar()?,
            '`' => self.backquotes()?,
            '#' if at_word => {
                let length = self.rest().find('\n').unwrap_or(self.rest().len());
                self.skip(length);
                self.at_word = true;
            }
            '<' if self.rest().starts_with("<<<") => self.here_string(),
            '<' if self.rest().starts_with("<<") => self.here_document()?,
            '<' | '>' if self.second() == Some('(') => {
                self.enter_commands(Until::Substitution, 2);
            }
            '(' if at_word && self.second() == Some('(') => {
                self.enter(Context::Arithmetic { open: 2 }, 2);
            }
            '(' => self.enter_commands(Until::Subshell, 1),
            ')' => self.close()?,
            '\n' => {
                self.copy(1);
                self.at_word = true;
                if !self.pending.is_empty() {
                    self.here_texts()?;
                }
            }
            ' ' | '\t' | ';' | '&' | '|' | '<' | '>' => {
                self.copy(1);
                self.at_word = true;
            }
            _ => {
                if at_word {
                    self.count_cases();
                }
                self.copy_one();
            }
        }
        Ok(())
    }

    /// Inside `$( … )` the brackets of `case` have no partner.
    fn count_cases(&mut self) {
        let word_ends = |rest: &str| rest.starts_with([' ', '\t', '\n', ';', ')', '&', '|']);
        let opens =
            self.rest().strip_prefix("case").is_some_and(|rest| rest.starts_with([' ', '\t']));
        let closes = self.rest().strip_prefix("esac").is_some_and(word_ends);
        if let Some((Context::Commands { cases, .. }, _)) = self.contexts.last_mut() {
            *cases = (*cases + usize::from(opens)).saturating_sub(usize::from(closes));
        }
    }

    fn close(&mut self) -> Result<(), Doubt> {
        let Some((Context::Commands { until, cases }, _)) = self.contexts.last() else {
            return Err(Doubt::Unreadable);
        };
        let (until, is_pattern) = (*until, *cases > 0);
        self.copy(1);
        self.at_word = is_pattern || until != Until::Substitution;
        if is_pattern || until == Until::End {
            return Ok(());
        }
        let depth = self.contexts.len();
        if self.pending.iter().any(|pending| pending.depth == depth) {
            return Err(Doubt::Unreadable);
        }
        self.pop();
        Ok(())
    }

    /// The innermost piece is over.
    fn pop(&mut self) {
        let Some((context, start)) = self.contexts.pop() else { return };
        let mark = match context {
            Context::Quote => Mark::Quote,
            Context::Brace => Mark::Brace,
            // A command of its own, which the grammar calls otherwise.
            Context::Arithmetic { .. } if !self.prepared.text[start..].starts_with('$') => return,
            Context::Arithmetic { .. } => Mark::Arithmetic,
            Context::Commands { until: Until::Substitution, .. } => Mark::Substitution,
            Context::Commands { .. } | Context::Document => return,
        };
        self.prepared.marks.push((mark, start, self.prepared.text.len()));
    }

    fn quote(&mut self, letter: char) -> Result<(), Doubt> {
        match letter {
            '"' => self.leave(1),
            '\\' if self.second() == Some('\n') => self.skip(2),
            '\\' => self.escape()?,
            '$' => self.dollar()?,
            '`' => self.backquotes()?,
            _ => self.copy_one(),
        }
        Ok(())
    }

    fn leave(&mut self, bytes: usize) {
        self.copy(bytes);
        self.pop();
        self.at_word = false;
    }

    fn brace(&mut self, letter: char) -> Result<(), Doubt> {
        match letter {
            '}' => self.leave(1),
            // Whether it quotes depends on what is done with the variable.
            '\'' if self.is_quoted() => return Err(Doubt::Unreadable),
            // The grammar does not look for commands there, and bash does.
            '<' | '>' if self.second() == Some('(') && !self.is_quoted() => {
                return Err(Doubt::Unreadable);
            }
            '\'' => self.single()?,
            '"' => self.enter(Context::Quote, 1),
            '\\' if self.second() == Some('\n') => self.skip(2),
            '\\' => self.escape()?,
            '$' => self.dollar()?,
            '`' => self.backquotes()?,
            _ => self.copy_one(),
        }
        Ok(())
    }

    fn arithmetic(&mut self, letter: char) -> Result<(), Doubt> {
        match letter {
            '(' | ')' => {
                let Some((Context::Arithmetic { open }, _)) = self.contexts.last_mut() else {
                    return Err(Doubt::Unreadable);
                };
                *open = if letter == '(' { *open + 1 } else { *open - 1 };
                let open = *open;
                if open == 0 {
                    self.leave(1);
                } else {
                    self.copy(1);
                }
                // Two that do not stand together close no arithmetic: it was a subshell.
                if letter == ')' && open == 1 && self.peek() != Some(')') {
                    return Err(Doubt::Unreadable);
                }
            }
            '"' => self.enter(Context::Quote, 1),
            '\'' => return Err(Doubt::Unreadable),
            '\\' if self.second() == Some('\n') => self.skip(2),
            '\\' => self.escape()?,
            '$' => self.dollar()?,
            '`' => self.backquotes()?,
            _ => self.copy_one(),
        }
        Ok(())
    }

    /// A backslash and what it takes the meaning of.
    fn escape(&mut self) -> Result<(), Doubt> {
        let next = self.second().ok_or(Doubt::Unreadable)?;
        self.copy(1 + next.len_utf8());
        Ok(())
    }

    fn single(&mut self) -> Result<(), Doubt> {
        let length = self.rest()[1..].find('\'').ok_or(Doubt::Unreadable)?;
        self.copy(length + 2);
        Ok(())
    }

    fn dollar(&mut self) -> Result<(), Doubt> {
        let quoted = self.is_quoted();
        let rest = self.rest();
        if rest.starts_with("$((") {
            self.enter(Context::Arithmetic { open: 2 }, 3);
        } else if rest.starts_with("$(") {
            self.enter_commands(Until::Substitution, 2);
        } else if let Some(inside) = rest.strip_prefix("${") {
            // Newer shells run commands in `${ …; }` and `${|…; }`.
            if inside.starts_with([' ', '\t', '\n', '|']) {
                return Err(Doubt::Unreadable);
            }
            self.enter(Context::Brace, 2);
        } else if rest.starts_with("$[") {
            return Err(Doubt::Unreadable);
        } else if rest.starts_with("$'") && !quoted {
            let mut escaped = false;
            let end = rest[2..].find(|c| {
                let ends = c == '\'' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            self.copy(end.ok_or(Doubt::Unreadable)? + 3);
        } else if rest.starts_with("$\"") && !quoted {
            // A text that may be translated is that text.
            self.skip(1);
        } else if rest[1..].starts_with(['#', '?', '$', '!', '*', '@', '-']) {
            self.copy(2);
        } else {
            self.copy(1);
        }
        Ok(())
    }

    fn backquotes(&mut self) -> Result<(), Doubt> {
        let quoted = self.is_quoted();
        let mut script = String::new();
        let mut letters = self.rest()[1..].char_indices().peekable();
        let mut end = None;
        while let Some((at, letter)) = letters.next() {
            match letter {
                '`' => {
                    end = Some(at);
                    break;
                }
                '\\' => match letters.next() {
                    Some((_, next @ ('$' | '`' | '\\'))) => script.push(next),
                    Some((_, '"')) if quoted => script.push('"'),
                    Some((_, next)) => script.extend(['\\', next]),
                    None => return Err(Doubt::Unreadable),
                },
                _ => script.push(letter),
            }
        }
        let end = end.ok_or(Doubt::Unreadable)?;
        let number = self.prepared.asides.len();
        self.prepared.asides.push(Aside::Script(script));
        let start = self.prepared.text.len();
        self.put(&format!("$({SCRIPT}{number})"), end + 2);
        self.prepared.marks.push((Mark::Substitution, start, self.prepared.text.len()));
        Ok(())
    }
}

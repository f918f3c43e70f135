//! Reading a line: both readers, then command by command, and again what is inside a command.

use std::collections::BTreeSet;

use crate::{
    Doubt, Finding, Judged, Part, Word,
    command::{Command, Feed, Often, Simple},
    danger,
    doubt::{excerpt, shortened},
    harmless,
    inner::{self, Dialect, Runs},
    options::among,
    ours,
    part::MAX_TEXT,
    paths::{self, Goes},
    prepare::{self, Aside, Prepared, SCRIPT},
    products, sources, tree,
};

mod characters;
mod contents;
mod gather;
mod shells;
mod walk;

pub use self::shells::Shell;

/// The longest line that is read.
pub const MAX_LINE_BYTES: usize = 64 * 1024;
/// How many bytes are read altogether, what is inside of a line counted each time it is read.
const MAX_BYTES: usize = 4 * MAX_LINE_BYTES;
/// How many commands of a line are looked at.
const MAX_PARTS: usize = 500;
/// How many doubts are kept: one is enough to ask.
const MAX_DOUBTS: usize = 20;
/// How often a text may be inside a text, or a command inside a command.
const MAX_INSIDE: usize = 20;
/// How many folders that a line goes to are told.
const MAX_FOLDERS: usize = 20;

/// Reads a command line. Never fails: what cannot be read is a doubt.
pub fn read(line: &str, shell: Shell) -> Judged {
    let mut reader = Reader::default();
    if line.len() > MAX_LINE_BYTES {
        reader.doubt(Doubt::TooLong);
    } else {
        shells::check(line, shell, |doubt| reader.doubt(doubt));
        reader.script(line, &Feed::Nothing, Dialect::Bash);
    }
    Judged { parts: reader.parts, doubts: reader.doubts, folders: reader.folders }
}

#[derive(Default)]
struct Reader {
    parts: Vec<Part>,
    doubts: Vec<Doubt>,
    bytes: usize,
    inside: usize,
    /// The line has gone to a folder of which nothing may be deleted.
    at_floor: bool,
    /// The loops around what is read now, each with its variable if the values of that stand in the line.
    loops: Vec<Option<String>>,
    /// How many functions that are told what for are around it.
    functions: usize,
    /// Variables that hold contents of files.
    holders: contents::Holders,
    /// Products of builds into which the line has moved something.
    filled: BTreeSet<&'static str>,
    /// It has moved something to where nobody knows.
    filled_any: bool,
    /// The line may have left the folder that it began in, and what is below.
    is_elsewhere: bool,
    /// The folders that the line goes to.
    folders: Vec<Option<String>>,
    /// What the part with that number says to the letter.
    said: Option<(usize, String)>,
}

/// A text with what was laid aside, while it is walked through.
struct Script<'a> {
    source: &'a str,
    prepared: &'a Prepared,
}

impl Script<'_> {
    /// What stands at a place of the prepared text, as it was written.
    fn written(&self, start: usize, end: usize) -> &str {
        let (start, end) = (self.prepared.source(start), self.prepared.source(end));
        self.source.get(start..end).unwrap_or_default()
    }
}

impl Reader {
    fn doubt(&mut self, doubt: Doubt) {
        if self.doubts.len() < MAX_DOUBTS && !self.doubts.contains(&doubt) {
            self.doubts.push(doubt);
        }
    }

    /// Reads a text, the whole line or one inside of it.
    fn script(&mut self, source: &str, feed: &Feed, dialect: Dialect) {
        if let Some(doubt) = characters::odd(source) {
            self.doubt(doubt);
            return;
        }
        if dialect == Dialect::Posix && inner::is_more_than_posix(source) {
            self.doubt(Doubt::TextUnknown(excerpt(source)));
        }
        match prepare::prepare(source) {
            Ok(prepared) => self.prepared(source, &prepared, |reader, script, root| {
                reader.statements(script, root, feed);
            }),
            Err(doubt) => self.doubt(doubt),
        }
    }

    /// Looks for commands in a text that is no script but is expanded like one between `"` and `"`.
    fn expanded(&mut self, text: &str) {
        if !text.contains(['$', '`']) {
            return;
        }
        match prepare::prepare_document(text) {
            Ok(prepared) => self.prepared(text, &prepared, |reader, script, root| {
                if let Some(command) = root.named_child(0) {
                    reader.inside_of(script, command);
                }
            }),
            Err(doubt) => self.doubt(doubt),
        }
    }

    fn prepared(
        &mut self,
        source: &str,
        prepared: &Prepared,
        walk: impl FnOnce(&mut Self, &Script<'_>, tree_sitter::Node<'_>),
    ) {
        self.bytes += source.len();
        if self.bytes > MAX_BYTES || self.inside >= MAX_INSIDE {
            self.doubt(Doubt::TooMuch);
            return;
        }
        let Some(parsed) = tree::parse(&prepared.text) else {
            self.doubt(Doubt::TooMuch);
            return;
        };
        if tree::is_too_deep(&parsed) {
            self.doubt(Doubt::TooDeep);
            return;
        }
        // What can be told is told all the same: a person who is asked wants to know it.
        if let Some(doubt) = tree::check(&parsed, prepared) {
            self.doubt(doubt);
        }
        self.inside += 1;
        walk(self, &Script { source, prepared }, parsed.root_node());
        self.inside -= 1;
    }

    /// A command with all its words.
    fn simple(&mut self, script: &Script<'_>, simple: &Simple) {
        self.settings(simple);
        let aside = simple.words.first().and_then(|word| word.known()?.strip_prefix(SCRIPT));
        if let Some(Aside::Script(text)) = aside.and_then(|number| script.prepared.aside(number)) {
            self.script(text, &Feed::Nothing, Dialect::Bash);
        } else {
            self.run(simple);
        }
    }

    /// What variables do that are set for a command, or for all that follow.
    fn settings(&mut self, simple: &Simple) {
        for assign in &simple.assigns {
            let (doubt, text) = inner::variable(assign);
            if let Some(doubt) = doubt {
                self.doubt(doubt);
            }
            if let Some(text) = text {
                self.script(&text, &Feed::Nothing, Dialect::Bash);
            }
            self.holders.set(&assign.name, assign.value.written());
        }
    }

    /// Judges a command, and whatever command is inside of it.
    fn run(&mut self, simple: &Simple) {
        if self.parts.len() >= MAX_PARTS || self.inside >= MAX_INSIDE {
            self.doubt(Doubt::TooMuch);
            return;
        }
        let Some(first) = simple.words.first() else {
            self.part(simple, danger::redirections(simple), harmless::settings(simple));
            return;
        };
        let Some(name) = inner::program(first) else {
            self.doubt(Doubt::NameUnknown(excerpt(first.written())));
            self.part(simple, danger::redirections(simple), false);
            return;
        };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            self.doubt(Doubt::OddName(excerpt(first.written())));
        }
        let command = Command { name: &name, args: &simple.words[1..], simple };
        self.is_elsewhere |= paths::leaves(&name, command.args);
        self.go(paths::goes_to(&name, command.args));
        let inside = inner::look(&command);
        for doubt in inside.doubts {
            self.doubt(doubt);
        }
        let written = simple.writes();
        let has_text = inside.runs.iter().any(|run| matches!(run, Runs::Text(..)));
        let is_ours = !ours::look(simple, true).is_empty();
        if inside.shows || written && has_text || is_ours {
            let mut findings = danger::look(&command);
            findings.extend(inside.findings);
            self.follow(&command, &mut findings);
            findings.sort_unstable();
            findings.dedup();
            let is_harmless = findings.is_empty() && harmless::look(&command);
            self.part(simple, findings, is_harmless);
        }
        self.inside += 1;
        let is_list = among(&name, "fd fdfind find parallel xargs");
        if is_list {
            self.loops.push(None);
        }
        let often = self.often();
        for run in inside.runs {
            match run {
                Runs::Words(words) => {
                    self.run(&inner_command(simple, words, &often, !inside.shows));
                }
                Runs::Text(text, dialect) => self.script(&text, &Feed::Nothing, dialect),
                Runs::Expanded(text) => self.expanded(&text),
                Runs::Perhaps(words) => {
                    let (parts, doubts) = (self.parts.len(), self.doubts.len());
                    self.run(&inner_command(simple, words, &often, false));
                    self.doubts.truncate(doubts);
                    let mut told = self.parts.split_off(parts);
                    told.retain(|part| !part.findings.is_empty());
                    self.parts.extend(told);
                }
            }
        }
        if is_list {
            self.loops.pop();
        }
        self.inside -= 1;
    }

    /// How often what is read now may run.
    fn often(&self) -> Often {
        if !self.loops.is_empty() {
            Often::InLoop(self.loops.iter().flatten().cloned().collect())
        } else if self.functions > 0 {
            Often::WhenCalled
        } else {
            Often::Once
        }
    }

    /// Note a folder that the line goes to.
    fn go(&mut self, goes: Goes) {
        let folder = match goes {
            Goes::Nowhere => return,
            Goes::To(folder) => Some(folder),
            Goes::Somewhere => None,
        };
        // Of more folders than that nobody keeps count.
        let left = MAX_FOLDERS.saturating_sub(self.folders.len());
        if left > 0 {
            self.folders.push(folder.filter(|_| left > 1));
        }
    }

    /// What a command means because of those before it in the line.
    fn follow(&mut self, command: &Command<'_>, findings: &mut Vec<Finding>) {
        if matches!(command.name, "cd" | "pushd") {
            self.at_floor = command.args.first().is_none_or(paths::is_floor);
        }
        let all = self.at_floor && command.args.iter().any(paths::is_all_here);
        if all && findings.contains(&Finding::DeletesFolders) {
            findings.push(Finding::DeletesEverything);
        }
        self.fill(command);
        let mut named = command.args.iter().flat_map(products::names_of);
        let is_filled = self.filled_any || named.any(|name| self.filled.contains(name));
        // `cd /else && rm -rf build` is `rm -rf /else/build`; what was moved there is no product.
        if self.is_elsewhere || is_filled {
            for finding in findings.iter_mut().filter(|one| **one == Finding::DeletesProducts) {
                *finding = Finding::DeletesFolders;
            }
        }
        if self.holders.sends(command.name, command.args) {
            findings.push(Finding::Uploads);
        }
        self.hold(command);
        if let ("cat", [], Feed::Text(text)) = (command.name, command.args, &command.simple.feed) {
            self.said = Some((self.parts.len(), text.clone()));
        }
    }

    /// What a move puts into a folder that a build makes.
    fn fill(&mut self, command: &Command<'_>) {
        let args = match (command.name, command.args) {
            ("mv" | "gmv", args) => args,
            ("git", [verb, args @ ..]) if verb.known() == Some("mv") => args,
            _ => return,
        };
        // `-t folder` stands before what is moved.
        let is_before = args.iter().any(|word| word.beginning().starts_with("-t"))
            || args.iter().any(|word| word.beginning().starts_with("--t"));
        let targets =
            if is_before { args } else { args.last().map_or(&[][..], std::slice::from_ref) };
        self.filled_any |= !is_before && targets.iter().any(products::may_be_one);
        self.filled.extend(targets.iter().flat_map(products::names_of));
    }

    /// What variables hold that a builtin sets.
    fn hold(&mut self, command: &Command<'_>) {
        let names = command.args.iter().filter(|word| !word.beginning().starts_with('-'));
        match command.name {
            "read" | "mapfile" | "readarray" => {
                names.filter_map(Word::known).for_each(|name| self.holders.read_into(name));
            }
            "declare" | "export" | "local" | "readonly" | "typeset" => {
                let pairs = names.filter_map(|word| word.written().split_once('='));
                pairs.for_each(|(name, value)| self.holders.set(name, value));
            }
            _ => {}
        }
    }

    fn part(&mut self, simple: &Simple, mut findings: Vec<Finding>, is_harmless: bool) {
        let writes = simple.writes();
        let ours = ours::look(simple, is_harmless);
        let is_harmless = is_harmless && ours.is_empty();
        findings.extend(ours);
        findings.sort_unstable();
        let is_plain = !writes && simple.assigns.iter().all(harmless::variable);
        let sources = sources::of(simple, is_harmless);
        self.parts.push(Part {
            text: shortened(&simple.text, MAX_TEXT),
            words: simple.words.clone(),
            findings,
            is_harmless: is_harmless && is_plain,
            is_plain,
            sources,
        });
    }
}

/// The command in a command. What is set and redirected for the one holds for the other, and is told there
/// if the outer one is not shown.
fn inner_command(outer: &Simple, words: Vec<Word>, often: &Often, takes_over: bool) -> Simple {
    let text = words.iter().map(Word::written).collect::<Vec<_>>().join(" ");
    let (downloads, often) = (outer.downloads, often.clone());
    let mut inner = Simple { words, downloads, often, text, ..Simple::default() };
    inner.feed = outer.feed.clone();
    if takes_over {
        inner.assigns.clone_from(&outer.assigns);
        inner.redirects.clone_from(&outer.redirects);
    }
    inner
}

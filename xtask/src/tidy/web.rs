//! The browser side's form and its layers: what each folder may import, and who may talk to the
//! server.
//!
//! It reads the sources as text, without comments. What only looks like an import, inside a longer
//! text, is judged as one.

use super::{
    Report, sources,
    tree::{File, Tree},
    words::has_word,
};

mod features;
#[cfg(test)]
mod tests;

const FOLDERS: [&str; 6] =
    ["web/src/", "web/build/", "web/e2e/", "web/test/", "web/bench/", "web/scripts/"];
const SOURCES: [&str; 6] = ["ts", "tsx", "mts", "js", "mjs", "css"];
const LONGEST_LINE: usize = 120;
/// How a file that a tool writes begins. Nobody reads it from top to bottom.
const GENERATED: &str = "// Generated";

const PANELS: &str = "web/src/panels/";
const PROTOCOL: &str = "web/src/protocol/";
const WORKBENCH: &str = "web/src/workbench/";
/// Names of packages that are VS Code, or give access to it.
const EDITOR: [&str; 3] = ["@codingame", "monaco-editor", "vscode"];
/// What stands before the name of something imported. Workers are named by their address.
const BEFORE_IMPORTS: [&str; 5] = ["from", "import", "import(", "require(", "new URL("];
/// Ways to talk to the server, as they are called and made.
const CALLS: [&str; 1] = ["fetch"];
const TYPES: [&str; 3] = ["EventSource", "WebSocket", "XMLHttpRequest"];
/// The page itself, by its names.
const GLOBALS: [&str; 4] = ["globalThis.", "self.", "this.", "window."];

pub(super) fn check(tree: &Tree, report: &mut Report) {
    features::form(tree, report);
    for file in tree.files.iter().filter(|file| is_source(file)) {
        opening(file, report);
        if !file.text.starts_with(GENERATED) {
            sources::length(file, report);
            lines(file, report);
        }
        let code = without_comments(&file.text);
        for (line, name) in imports(&code) {
            layer(tree, file, line, name, report);
        }
        if file.path.starts_with("web/src/") && !file.path.starts_with(PROTOCOL) {
            talk(file, &code, report);
        }
        features::casts(file, &code, report);
    }
}

fn is_source(file: &File) -> bool {
    FOLDERS.iter().any(|folder| file.path.starts_with(folder))
        && SOURCES.iter().any(|extension| file.has_extension(extension))
}

fn lines(file: &File, report: &mut Report) {
    for (line, text) in (1..).zip(file.text.lines()) {
        let count = text.chars().count();
        // The name of a module cannot be broken.
        let is_name = text.starts_with("import '") && !text.contains(" from ");
        if count > LONGEST_LINE && !is_name {
            let path = &file.path;
            report.error(format!("{path}:{line}: {count} characters, at most {LONGEST_LINE}"));
        }
    }
}

fn opening(file: &File, report: &mut Report) {
    let text = file.text.strip_prefix("//").or_else(|| file.text.strip_prefix("/*"));
    let says = |text: &str| {
        text.lines().next().is_some_and(|line| line.contains(char::is_alphabetic))
            || text.lines().nth(1).is_some_and(|line| line.contains(char::is_alphabetic))
    };
    // A directive to a tool says nothing about the file.
    let directive = text.is_some_and(|text| {
        let text = text.trim_start_matches(['/', '*', ' ']);
        ["@ts-", "eslint", "<reference"].iter().any(|word| text.starts_with(word))
    });
    if directive || !text.is_some_and(says) {
        report.error(format!("{}:1: opens without a comment saying what it is for", file.path));
    }
}

fn layer(tree: &Tree, file: &File, line: usize, name: &str, report: &mut Report) {
    let mut refuse = |reason: &str| {
        report.error(format!("{}:{line}: imports `{name}`: {reason}", file.path));
    };
    let is_editor = EDITOR.iter().any(|package| is_of_package(name, package));
    if is_editor && !file.path.starts_with(WORKBENCH) {
        refuse("only web/src/workbench may");
    }
    let target = resolve(&file.path, name);
    if let Some(reason) = features::refusal(file, name, &target) {
        refuse(reason);
    }
    let Some(panel) = panel(&file.path) else { return };
    if target.starts_with(WORKBENCH) {
        refuse("a panel stands beside the workbench");
    } else if self::panel(&target).is_some_and(|other| other != panel && is_folder(tree, other)) {
        refuse("a panel knows no other panel");
    }
}

/// Whether a name is that of a package, or of something in it.
fn is_of_package(name: &str, package: &str) -> bool {
    name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The kind in `web/src/panels/<kind>/…`.
fn panel(path: &str) -> Option<&str> {
    path.strip_prefix(PANELS)?.split_once('/').map(|(kind, _)| kind)
}

/// Whether there is such a panel: a file beside the panels is none.
fn is_folder(tree: &Tree, kind: &str) -> bool {
    let folder = format!("{PANELS}{kind}/");
    tree.files.iter().any(|file| file.path.starts_with(&folder))
}

/// Where an import leads, from the root of the repository and with a slash at its end, so that a
/// folder and its index are the same; packages lead nowhere.
fn resolve(from: &str, name: &str) -> String {
    if !name.starts_with('.') {
        return String::new();
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/") + "/"
}

fn talk(file: &File, code: &str, report: &mut Report) {
    for (number, line) in (1..).zip(code.lines()) {
        let called = CALLS.iter().filter(|name| is_called(line, name));
        let named = TYPES.iter().filter(|name| has_word(line, name));
        for name in called.chain(named) {
            report.error(format!(
                "{}:{number}: `{name}`: only web/src/protocol talks to the server",
                file.path
            ));
        }
    }
}

/// Whether a function of the page is called, and not a method of that name.
fn is_called(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + name.len()..]);
        let is_word =
            !before.ends_with(|near: char| near.is_alphanumeric() || "_$#".contains(near));
        let is_method =
            before.ends_with('.') && !GLOBALS.iter().any(|global| before.ends_with(global));
        // What is declared has a name of its own.
        let is_declared = before.trim_end().ends_with("function") || before.ends_with("async ");
        after.starts_with('(') && is_word && !is_method && !is_declared
    })
}

/// Every name that is imported, with its line.
fn imports(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (start, quote) in code.match_indices(['"', '\'', '`']) {
        let before = code[..start].trim_end();
        let is_import = BEFORE_IMPORTS.iter().any(|word| {
            before.strip_suffix(word).is_some_and(|rest| {
                !rest.ends_with(|near: char| near.is_alphanumeric() || "_$.".contains(near))
            })
        });
        let rest = &code[start + 1..];
        if let Some(end) = rest.find(quote).filter(|_| is_import) {
            found.push((code[..start].matches('\n').count() + 1, &rest[..end]));
        }
    }
    found
}

/// The text with comments as blanks, so that places stay the same.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    // The mark that opened the text that is being read, such as a quote.
    let mut inside: Option<char> = None;
    while let Some(next) = rest.chars().next() {
        let comment = match inside {
            None if rest.starts_with("//") => rest.find('\n').or(Some(rest.len())),
            None if rest.starts_with("/*") => {
                Some(rest[2..].find("*/").map_or(rest.len(), |end| end + 4))
            }
            _ => None,
        };
        if let Some(end) = comment {
            code.extend(rest[..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[end..];
            continue;
        }
        let mut taken = next.len_utf8();
        match inside {
            // A text on one line ends with it, whatever a quote inside an expression looks like.
            Some(open) if next == open || (next == '\n' && open != '`') => inside = None,
            Some(_) if next == '\\' => {
                taken += rest[1..].chars().next().map_or(0, char::len_utf8);
            }
            None if "\"'`".contains(next) => inside = Some(next),
            _ => {}
        }
        code.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    code
}

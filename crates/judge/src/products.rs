//! Folders that builds make and make anew. Deleting one loses time and no work.
//!
//! The list is short: a name belongs into it only if people know it as a product wherever they see it.
//! `out`, `bin`, `lib`, `vendor` or `tmp` hold somebody's work too often. Nothing here looks at files: whether
//! a project keeps its sources in `build` is not known, and git has them then.

use crate::{Word, options::among, word::Piece};

/// The names, by what makes them.
const PRODUCTS: &[(&str, &str)] = &[
    ("builds", "_build build dist target"),
    ("JavaScript", ".next .nuxt .nyc_output .parcel-cache .svelte-kit .turbo .vite node_modules"),
    ("Python", ".mypy_cache .nox .pytest_cache .ruff_cache .tox .venv __pycache__ htmlcov venv"),
    ("others", ".dart_tool .gradle .zig-cache coverage zig-cache zig-out"),
];

/// Folders that nothing is deleted from without a question, whatever it is called.
const KEPT: &str = ".git .openspace";

/// Folders for what is made, besides those: what lies there was put there to be overwritten.
const FOR_RESULTS: &str = "logs out output outputs results tmp";
/// The same in names of variables.
const SAID_OF_RESULTS: [&str; 6] = ["cache", "dest", "log", "out", "result", "tmp"];

/// Whether nothing of the file's own name is known before it runs: `"$f"`, `"src/$f"`; not `"$f.out"` or `"page$n"`.
pub(crate) fn is_open(word: &Word) -> bool {
    let is_unknown = |piece: &Piece| matches!(piece, Piece::Unknown { .. });
    let mut back = word.pieces().iter().rev();
    back.next().is_some_and(is_unknown)
        && back.find(|piece| !is_unknown(piece)).is_none_or(|piece| match piece {
            Piece::Text(text) => text.ends_with('/'),
            _ => false,
        })
}

/// Whether a file lies in a folder for what is made, as far as the word tells.
pub(crate) fn is_in_one(word: &Word) -> bool {
    let folders = word.pieces().iter().filter_map(|piece| match piece {
        Piece::Text(text) => text.rsplit_once('/').map(|(folders, _)| folders),
        _ => None,
    });
    let is_named = folders
        .flat_map(|folders| folders.split('/'))
        .any(|name| among(name, FOR_RESULTS) || PRODUCTS.iter().any(|(_, list)| among(name, list)));
    let folders = word.written().rsplit_once('/').map_or("", |(folders, _)| folders);
    let folders = folders.to_ascii_lowercase();
    is_named || folders.contains('$') && SAID_OF_RESULTS.iter().any(|said| folders.contains(said))
}

/// Whether nothing is known of what a word names: it may be such a folder.
pub(crate) fn may_be_one(word: &Word) -> bool {
    word.known().is_none()
        && word.pieces().iter().all(|piece| match piece {
            Piece::Text(text) => text.chars().all(|c| matches!(c, '/' | '.')),
            _ => true,
        })
}

/// The products that a word names or lies in, by their names.
pub(crate) fn names_of(word: &Word) -> impl Iterator<Item = &'static str> {
    let text = word.known().unwrap_or_default().to_owned();
    let all = PRODUCTS.iter().flat_map(|(_, list)| list.split_ascii_whitespace());
    all.filter(move |name| text.split('/').any(|part| part == *name))
}

/// Whether a word surely names such a folder, below the one that the command runs in. Nothing in it may be open
/// or stand for other names, also not for programs that expand `*` themselves.
pub(crate) fn is_one(word: &Word) -> bool {
    let Some(text) = word.known() else { return false };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-@+/".contains(c);
    if text.starts_with('/') || !text.chars().all(is_plain) {
        return false;
    }
    let names: Vec<&str> =
        text.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
    let stays = names.iter().all(|name| *name != ".." && !among(name, KEPT));
    let is_product = |name: &&str| PRODUCTS.iter().any(|(_, list)| among(name, list));
    stays && names.last().is_some_and(is_product)
}

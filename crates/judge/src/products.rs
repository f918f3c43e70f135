//! Folders that builds make and make anew. Deleting one loses time and no work.
//!
//! The list is short: a name belongs into it only if people know it as a product wherever they see it.
//! `out`, `bin`, `lib`, `vendor` or `tmp` hold somebody's work too often. Nothing here looks at files: whether
//! a project keeps its sources in `build` is not known, and git has them then.

use crate::{Word, options::among};

/// The names, by what makes them.
const PRODUCTS: &[(&str, &str)] = &[
    ("builds", "_build build dist target"),
    ("JavaScript", ".next .nuxt .nyc_output .parcel-cache .svelte-kit .turbo .vite node_modules"),
    ("Python", ".mypy_cache .nox .pytest_cache .ruff_cache .tox .venv __pycache__ htmlcov venv"),
    ("others", ".dart_tool .gradle .zig-cache coverage zig-cache zig-out"),
];

/// Folders that nothing is deleted from without a question, whatever it is called.
const KEPT: &str = ".git .openspace";

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

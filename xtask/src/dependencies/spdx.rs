//! Licence expressions: `MIT OR (Apache-2.0 WITH LLVM-exception AND Unicode-3.0)`.
//!
//! The slash of older manifests means `OR`. What is not understood is not allowed.

use anyhow::{Result, bail};

#[cfg(test)]
mod tests;

/// Whether an expression can be met with the licences that are allowed.
pub(super) fn is_met(expression: &str, allowed: &mut dyn FnMut(&str) -> bool) -> Result<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, allowed };
    match reader.either() {
        Some(met) if reader.words.is_empty() => Ok(met),
        _ => bail!("`{expression}` is not a licence expression"),
    }
}

struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a mut dyn FnMut(&str) -> bool,
}

impl<'a> Reader<'a> {
    fn either(&mut self) -> Option<bool> {
        let mut met = self.both()?;
        while self.take("OR") {
            met |= self.both()?;
        }
        Some(met)
    }

    fn both(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let met = self.either()?;
            return self.take(")").then_some(met);
        }
        let licence = self.word()?;
        if self.take("WITH") {
            let exception = self.word()?;
            return Some((self.allowed)(&format!("{licence} WITH {exception}")));
        }
        Some((self.allowed)(licence))
    }

    fn take(&mut self, word: &str) -> bool {
        match self.words {
            [first, rest @ ..] if *first == word => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }

    /// A word that is a name.
    fn word(&mut self) -> Option<&'a str> {
        match self.words {
            [first, rest @ ..] if !["(", ")", "AND", "OR", "WITH"].contains(first) => {
                self.words = rest;
                Some(first)
            }
            _ => None,
        }
    }
}

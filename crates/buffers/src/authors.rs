//! Which edits of pages are in a text, so that an edit whose answer was lost is made once: not twice and
//! not never.
//!
//! A page numbers its edits. It has one on its way at a time, so the last one that was decided is all that
//! has to be known of each page.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pages that are known of; more than edit one file within one break of a connection.
const MAX_PAGES: usize = 64;

/// An edit of a page, by which it is known again after a break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditId {
    /// The page, by a name that no other has.
    pub page: String,
    /// Later edits of the page have larger numbers.
    pub number: u64,
}

/// An edit that is decided, and with it all of the page before it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Decided {
    #[serde(flatten)]
    edit: EditId,
    /// It was made; otherwise it never will be.
    made: bool,
}

/// The last decided edit of each page, the latest last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Authors(VecDeque<Decided>);

impl Authors {
    /// The text has this edit.
    pub(super) fn made(&mut self, edit: &EditId) {
        self.decide(edit, true);
    }

    /// Whether the text has an edit that a page is unsure of; if not, it never will.
    pub(super) fn settle(&mut self, edit: &EditId) -> bool {
        let known = self.0.iter().find(|known| known.edit.page == edit.page);
        match known {
            Some(known) if known.edit.number >= edit.number => {
                known.made && known.edit.number == edit.number
            }
            _ => {
                self.decide(edit, false);
                false
            }
        }
    }

    /// Whether an edit was decided before: it comes from a connection that its page has given up.
    pub(super) fn is_decided(&self, edit: &EditId) -> bool {
        let same = |known: &&Decided| known.edit.page == edit.page;
        self.0.iter().find(same).is_some_and(|known| known.edit.number >= edit.number)
    }

    fn decide(&mut self, edit: &EditId, made: bool) {
        self.0.retain(|known| known.edit.page != edit.page);
        if self.0.len() >= MAX_PAGES {
            self.0.pop_front();
        }
        self.0.push_back(Decided { edit: edit.clone(), made });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(page: &str, number: u64) -> EditId {
        EditId { page: page.to_owned(), number }
    }

    #[test]
    fn an_edit_is_made_or_never_will_be() {
        let mut authors = Authors::default();
        authors.made(&edit("a", 3));
        assert!(authors.settle(&edit("a", 3)));
        assert!(!authors.settle(&edit("b", 3)), "another page's is another edit");
        assert!(!authors.settle(&edit("a", 4)));
        assert!(authors.is_decided(&edit("a", 4)), "it comes too late now");
        assert!(!authors.settle(&edit("a", 4)), "and stays so");
        assert!(!authors.is_decided(&edit("a", 5)));
    }

    #[test]
    fn only_so_many_pages_are_remembered() {
        let mut authors = Authors::default();
        for page in 0..200 {
            authors.made(&edit(&page.to_string(), 1));
        }
        assert_eq!(authors.0.len(), MAX_PAGES);
        assert!(authors.is_decided(&edit("199", 1)));
    }
}

//! Addresses of files as pages have them: `workspace:` beneath the root, `openspace-source:` elsewhere.
//!
//! A page knows no path of the place where servers run. What a server says is rewritten on its way out, what a page sends
//! back on its way in; a page names no file elsewhere that no server named before. What an item carries for its server
//! alone (`data`, arguments of commands) goes both ways as it is.

use std::{
    collections::{HashSet, VecDeque},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use openspace_languages::Uri;
use openspace_protocol::RelPath;
use serde_json::{Map, Value};

use super::{
    page_failure::Failure,
    whereabouts::{relative, uri},
};

const FILE: &str = "file://";
const WORKSPACE: &str = "workspace:";
const ELSEWHERE: &str = "openspace-source:";
/// Files elsewhere that servers named; of more, those that were named longest ago are forgotten.
const MOST_NAMED: usize = 5_000;
/// Whose value is an address.
const ADDRESSES: [&str; 3] = ["uri", "targetUri", "target"];
/// What is the server's own.
const OPAQUE: [&str; 2] = ["data", "arguments"];

/// Files elsewhere that servers named in answers since the start.
#[derive(Default)]
pub(super) struct Named(Mutex<Order>);

#[derive(Default)]
struct Order {
    known: HashSet<PathBuf>,
    oldest_first: VecDeque<PathBuf>,
}

impl Named {
    fn order(&self) -> MutexGuard<'_, Order> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: PathBuf) {
        let mut order = self.order();
        if !order.known.insert(path.clone()) {
            return;
        }
        order.oldest_first.push_back(path);
        if order.oldest_first.len() > MOST_NAMED
            && let Some(oldest) = order.oldest_first.pop_front()
        {
            order.known.remove(&oldest);
        }
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.order().known.contains(path)
    }
}

/// Addresses of the place with this root.
pub(super) struct Addresses<'a> {
    pub(super) root: &'a Path,
    pub(super) named: &'a Named,
}

impl Addresses<'_> {
    /// What a server said, for pages.
    pub(super) fn outward(&self, value: &mut Value) {
        match value {
            Value::Array(all) => all.iter_mut().for_each(|one| self.outward(one)),
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    match value {
                        _ if OPAQUE.contains(&name.as_str()) => {}
                        Value::String(text) if ADDRESSES.contains(&name.as_str()) => {
                            *text = self.for_page(text);
                        }
                        Value::Object(changes) if name == "changes" => {
                            let all = std::mem::take(changes);
                            changes.extend(all.into_iter().map(|(uri, mut edits)| {
                                self.outward(&mut edits);
                                (self.for_page(&uri), edits)
                            }));
                        }
                        value => self.outward(value),
                    }
                }
            }
            _ => {}
        }
    }

    /// What a page said, for a server.
    pub(super) fn inward(&self, value: &mut Value) -> Result<(), Failure> {
        match value {
            Value::Array(all) => all.iter_mut().try_for_each(|one| self.inward(one)),
            Value::Object(fields) => self.inward_fields(fields),
            _ => Ok(()),
        }
    }

    pub(super) fn inward_fields(&self, fields: &mut Map<String, Value>) -> Result<(), Failure> {
        for (name, value) in fields.iter_mut() {
            match value {
                _ if OPAQUE.contains(&name.as_str()) => {}
                Value::String(text) if ADDRESSES.contains(&name.as_str()) => {
                    *text = self.for_server(text)?;
                }
                Value::Object(changes) if name == "changes" => {
                    for (uri, mut edits) in std::mem::take(changes) {
                        self.inward(&mut edits)?;
                        changes.insert(self.for_server(&uri)?, edits);
                    }
                }
                value => self.inward(value)?,
            }
        }
        Ok(())
    }

    /// An address that is no file is one of the server's own and stays.
    fn for_page(&self, said: &str) -> String {
        let Some(path) = Uri::read(said).path() else { return said.to_owned() };
        let scheme_and = |scheme: &str, path: &Path| {
            let uri = Uri::of_path(path);
            format!("{scheme}{}", uri.as_str().strip_prefix(FILE).unwrap_or_default())
        };
        if let Some(path) = relative(self.root, &path) {
            let root = Path::new("/");
            let path = if path.is_root() { root.to_owned() } else { root.join(path.as_path()) };
            return scheme_and(WORKSPACE, &path);
        }
        let address = scheme_and(ELSEWHERE, &path);
        self.named.note(path);
        address
    }

    fn for_server(&self, said: &str) -> Result<String, Failure> {
        // Two slashes begin the name of a host.
        let is_path = |rest: &&str| rest.starts_with('/') && !rest.starts_with("//");
        let read = |rest: &str| Uri::read(&format!("{FILE}{}", Some(rest).filter(is_path)?)).path();
        let none = || Failure::invalid(format!("`{}` is no address of a file", shown(said)));
        if let Some(rest) = said.strip_prefix(WORKSPACE) {
            let path = read(rest).ok_or_else(none)?;
            let path = relative(Path::new("/"), &path).ok_or_else(none)?;
            return Ok(uri(self.root, &path).as_str().to_owned());
        }
        if let Some(rest) = said.strip_prefix(ELSEWHERE) {
            let path = read(rest).ok_or_else(none)?;
            if !self.named.has(&path) {
                return Err(Failure::invalid(format!(
                    "no language server named `{}`",
                    shown(said)
                )));
            }
            return Ok(Uri::of_path(&path).as_str().to_owned());
        }
        // Paths of the machine are none of a page's business.
        if Uri::read(said).path().is_some() || said.starts_with("file:") {
            return Err(none());
        }
        Ok(said.to_owned())
    }
}

/// Of what somebody else wrote, as much as is told back.
fn shown(said: &str) -> String {
    said.chars().take(200).collect()
}

/// The path of a relative file in an address of the workspace, for lists of edits.
pub(super) fn in_workspace(root: &Path, said: &str) -> Option<RelPath> {
    relative(root, &Uri::read(said).path()?)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    fn rewritten(mut value: Value, named: &Named) -> Value {
        Addresses { root: Path::new("/p"), named }.outward(&mut value);
        value
    }

    #[test]
    fn what_a_server_says_goes_out_and_comes_back() {
        let named = Named::default();
        let said = json!([{
            "uri": "file:///p/a%20b.ts", "range": {}, "data": {"uri": "file:///p/x"},
            "arguments": ["file:///p/x", {"uri": "file:///p/x"}],
            "from": {"uri": "file:///usr/lib/c%23.d.ts"}, "target": "https://example.org",
            "edit": {"changes": {"file:///p/d/e.ts": [{"newText": "file:///p/x"}]}},
            "targetUri": "file:///p",
        }]);
        let told = json!([{
            "uri": "workspace:/a%20b.ts", "range": {}, "data": {"uri": "file:///p/x"},
            "arguments": ["file:///p/x", {"uri": "file:///p/x"}],
            "from": {"uri": "openspace-source:/usr/lib/c%23.d.ts"}, "target": "https://example.org",
            "edit": {"changes": {"workspace:/d/e.ts": [{"newText": "file:///p/x"}]}},
            "targetUri": "workspace:/",
        }]);
        assert_eq!(rewritten(said.clone(), &named), told);
        let mut back = told;
        Addresses { root: Path::new("/p"), named: &named }.inward(&mut back).unwrap();
        assert_eq!(back, said);
    }

    #[test]
    fn a_page_names_no_file_that_no_server_named() {
        let named = Named::default();
        let addresses = Addresses { root: Path::new("/p"), named: &named };
        let inward = |uri: &str| {
            let mut value = json!({"item": {"uri": uri}});
            addresses.inward(&mut value).map(|()| value["item"]["uri"].clone())
        };
        for uri in [
            "file:///etc/passwd",
            "FILE:///etc/passwd",
            "file:/etc/passwd",
            "openspace-source:/etc/passwd",
            "workspace:/../etc/passwd",
            "workspace://host/a",
            "workspace:a",
        ] {
            assert!(inward(uri).is_err(), "{uri}");
        }
        assert_eq!(inward("jdt://contents/x"), Ok(json!("jdt://contents/x")));
        rewritten(json!({"uri": "file:///etc/passwd"}), &named);
        assert_eq!(inward("openspace-source:/etc/passwd"), Ok(json!("file:///etc/passwd")));
    }

    #[test]
    fn what_was_named_longest_ago_is_forgotten() {
        let named = Named::default();
        for number in 0..=MOST_NAMED {
            named.note(PathBuf::from(format!("/{number}")));
        }
        assert_eq!((named.has(Path::new("/0")), named.has(Path::new("/1"))), (false, true));
    }
}

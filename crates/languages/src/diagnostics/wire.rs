//! Diagnostics as servers say them. One that cannot be read is left out and counted, the others stay.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Diagnostic, MOST_FILES, MOST_IN_FILE};
use crate::{message::taken, uri::Uri};

/// What is wrong with a text, as it was said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) items: Vec<Diagnostic>,
    /// Those beyond the bound, and those that cannot be read.
    pub(crate) left_out: usize,
}

impl Found {
    fn read(said: Value) -> Self {
        let Value::Array(said) = said else { return Self::default() };
        let count = said.len();
        let readable = said.into_iter().filter_map(|item| serde_json::from_value(item).ok());
        let mut items: Vec<Diagnostic> = readable.collect();
        // The worst are kept.
        items.sort_by_key(|item| (item.severity, item.range));
        items.truncate(MOST_IN_FILE);
        items.sort_by_key(|item| (item.range, item.severity));
        Self { left_out: count - items.len(), items }
    }
}

/// `textDocument/publishDiagnostics`.
#[derive(Debug)]
pub(crate) struct Published {
    pub(crate) uri: Uri,
    pub(crate) version: Option<i32>,
    pub(crate) found: Found,
}

impl Published {
    pub(crate) fn read(mut params: Value) -> Option<Self> {
        let uri = Uri::read(params["uri"].as_str()?);
        let version = params["version"].as_i64().and_then(|version| i32::try_from(version).ok());
        Some(Self { uri, version, found: Found::read(taken(&mut params, "diagnostics")) })
    }
}

/// The answer to `textDocument/diagnostic`.
#[derive(Debug)]
pub(crate) struct Pulled {
    pub(crate) own: Part,
    pub(crate) related: BTreeMap<Uri, Part>,
}

/// Of one file.
#[derive(Debug)]
pub(crate) enum Part {
    Full {
        found: Found,
        result: Option<String>,
    },
    /// The same as under this name.
    Same {
        result: Option<String>,
    },
}

impl Pulled {
    /// Null is what some servers say for nothing, which the protocol does not have.
    pub(crate) fn read(mut answer: Value) -> Option<Self> {
        let related = match taken(&mut answer, "relatedDocuments") {
            Value::Object(related) => related
                .into_iter()
                .take(MOST_FILES)
                .filter_map(|(uri, part)| Some((Uri::read(&uri), Part::read(part)?)))
                .collect(),
            _ => BTreeMap::new(),
        };
        Some(Self { own: Part::read(answer)?, related })
    }
}

impl Part {
    fn read(mut said: Value) -> Option<Self> {
        let result = said["resultId"].as_str().map(str::to_owned);
        match said["kind"].as_str()? {
            "full" => Some(Self::Full { found: Found::read(taken(&mut said, "items")), result }),
            "unchanged" => Some(Self::Same { result }),
            _ => None,
        }
    }
}

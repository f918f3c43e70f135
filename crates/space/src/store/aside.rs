//! Reading what is saved when a space starts, and putting aside what cannot be read.
//!
//! Nothing unreadable is overwritten or forgotten: it moves to a table of its own, with the reason,
//! where a person or a newer program finds it.

use std::{collections::BTreeMap, path::Path};

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use super::{StoreError, schema};

/// How many are shown.
const SHOWN: u32 = 100;

/// A saved entry that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Aside {
    /// The part it belongs to.
    pub part: String,
    /// Its key there.
    pub key: String,
    /// Why it could not be read.
    pub why: String,
}

pub(super) fn entries(
    path: &Path,
) -> Result<BTreeMap<String, BTreeMap<String, String>>, StoreError> {
    let failed = schema::failed(path);
    let connection = schema::open_for_reading(path)?;
    let mut query = connection.prepare("SELECT part, key, value FROM entry").map_err(&failed)?;
    let mut rows = query.query([]).map_err(&failed)?;
    let mut entries: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    while let Some(row) = rows.next().map_err(&failed)? {
        let (part, key): (String, String) =
            (row.get(0).map_err(&failed)?, row.get(1).map_err(&failed)?);
        entries.entry(part).or_default().insert(key, row.get(2).map_err(&failed)?);
    }
    Ok(entries)
}

pub(super) fn put(path: &Path, aside: &[Aside]) -> Result<(), StoreError> {
    if aside.is_empty() {
        return Ok(());
    }
    let failed = schema::failed(path);
    let mut connection = schema::open(path)?;
    let moved = (|| {
        let transaction = connection.transaction()?;
        for Aside { part, key, why } in aside {
            transaction.execute(
                "INSERT INTO aside (part, key, value, why)
                 SELECT part, key, value, ?3 FROM entry WHERE part = ?1 AND key = ?2",
                params![part, key, why],
            )?;
            transaction
                .execute("DELETE FROM entry WHERE part = ?1 AND key = ?2", params![part, key])?;
        }
        transaction.commit()
    })();
    moved.map_err(&failed)
}

pub(super) fn list(path: &Path) -> Result<Vec<Aside>, StoreError> {
    let failed = schema::failed(path);
    let connection = schema::open_for_reading(path)?;
    let mut query = connection
        .prepare("SELECT part, key, why FROM aside ORDER BY id DESC LIMIT ?1")
        .map_err(&failed)?;
    let rows = query
        .query_map([SHOWN], |row| {
            Ok(Aside { part: row.get(0)?, key: row.get(1)?, why: row.get(2)? })
        })
        .map_err(&failed)?;
    rows.collect::<Result<_, _>>().map_err(&failed)
}

//! The licences of all that is inside: of crates in the programs, of npm packages in the page.
//!
//! Texts are those that the packages bring; equal ones stand there once. A package that brings none is
//! named with its licence and its authors: no text is made up for it. Which licences are allowed is
//! decided elsewhere (`dependencies`).

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{repository::Repository, runner};

#[cfg(test)]
mod tests;

/// The programs that ship.
const ROOTS: [&str; 2] = ["openspace", "openspace-runner"];
/// How the names of files with a licence begin.
const BEGINNINGS: [&str; 6] = ["license", "licence", "copying", "notice", "unlicense", "copyright"];
/// No text of a licence is longer.
const LONGEST: u64 = 256 * 1024;

/// A package that is inside.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    licence: String,
    authors: Vec<String>,
    folder: PathBuf,
}

/// One text with all of it.
pub(super) fn text(repository: &Repository, with_page: bool) -> Result<String> {
    let mut packages = crates(&metadata(repository)?)?;
    if with_page {
        let web = repository.root.join("web");
        let lock = fs::read_to_string(web.join("package-lock.json"))?;
        packages.extend(npm(&serde_json::from_str(&lock)?, &web)?);
    }
    packages.sort();
    write(&packages)
}

fn metadata(repository: &Repository) -> Result<Value> {
    let target = runner::host_target(repository)?;
    let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform", &target];
    let output = repository.cargo(&arguments).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The crates from outside that the programs are made of: what only tests or builds use stays out.
fn crates(metadata: &Value) -> Result<Vec<Package>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let packages = list(&metadata["packages"]);
    let is_root = |package: &&Value| ROOTS.iter().any(|root| package["name"] == *root);
    let mut open: Vec<Value> =
        packages.iter().filter(is_root).map(|package| package["id"].clone()).collect();
    if open.len() != ROOTS.len() {
        bail!("cargo metadata does not name {}", ROOTS.join(" and "));
    }
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id.to_string()) {
            continue;
        }
        let node = nodes.iter().find(|node| node["id"] == id).context("a crate is not resolved")?;
        let ships = |dependency: &&Value| {
            list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
        };
        let dependencies = list(&node["deps"]);
        open.extend(dependencies.iter().filter(ships).map(|dependency| dependency["pkg"].clone()));
    }
    let outside = packages.iter().filter(|package| {
        seen.contains(&package["id"].to_string()) && !package["source"].is_null()
    });
    outside
        .map(|package| {
            let word = |field: &str| package[field].as_str().map(str::to_owned);
            let manifest = PathBuf::from(word("manifest_path").context("no manifest")?);
            let authors = list(&package["authors"]);
            Ok(Package {
                name: word("name").context("a crate without a name")?,
                version: word("version").context("a crate without a version")?,
                licence: word("license").unwrap_or_default(),
                authors: authors.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                folder: manifest.parent().context("a manifest without a folder")?.to_owned(),
            })
        })
        .collect()
}

/// The npm packages that are not for the build alone. Some of them leave nothing in the page.
fn npm(lock: &Value, web: &Path) -> Result<Vec<Package>> {
    let mut found = Vec::new();
    for (place, package) in lock["packages"].as_object().into_iter().flatten() {
        let Some((_, name)) = place.rsplit_once("node_modules/") else { continue };
        let folder = web.join(place);
        // What is only for other machines is not installed on this one.
        if package["dev"] == true || (package["optional"] == true && !folder.is_dir()) {
            continue;
        }
        if !folder.is_dir() {
            bail!("{} is not installed: run `npm ci` in web/", folder.display());
        }
        let word = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
        found.push(Package {
            name: name.to_owned(),
            version: word("version"),
            licence: word("license"),
            authors: Vec::new(),
            folder,
        });
    }
    Ok(found)
}

fn write(packages: &[Package]) -> Result<String> {
    let mut out = String::from(
        "OpenSpace contains the packages below. Each is named with its licence; the texts that\n\
         they bring follow.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let title = format!("{} {}", package.name, package.version);
        let found = texts_of(&package.folder)?;
        write!(out, "{title}: {}", package.licence)?;
        if found.is_empty() {
            let by = package.authors.join(", ");
            let by = if by.is_empty() { "its authors" } else { &by };
            write!(out, " (brings no text; by {by})")?;
        }
        out.push('\n');
        for text in found {
            texts.entry(text).or_default().push(title.clone());
        }
    }
    let mut texts: Vec<(Vec<String>, String)> =
        texts.into_iter().map(|(text, titles)| (titles, text)).collect();
    texts.sort();
    for (titles, text) in texts {
        write!(out, "\n{}\n{}\n\n{}\n", "=".repeat(80), titles.join(", "), text.trim_end())?;
    }
    Ok(out)
}

/// The texts in a package's own folder, in the order of their names.
fn texts_of(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder);
    let entries = entries.with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_text = BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
            && !["rs", "js", "html"].iter().any(|code| name.ends_with(&format!(".{code}")));
        if is_text && entry.path().is_file() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    let text = |path: PathBuf| {
        if fs::metadata(&path)?.len() > LONGEST {
            bail!("{} is too long for a licence", path.display());
        }
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
    };
    paths.into_iter().map(text).collect()
}

//! Puts the built web app into release builds, compressed as its own build left it.
//!
//! A tree without a built web app gives a program without one. Debug builds hold none: they read
//! the folder at every request, so that building the web app anew builds no Rust.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

/// What the web app may add to the program before somebody should look at it.
const BUDGET: u64 = 12 * 1024 * 1024;
/// Maps to the sources are for who builds the web app, and larger than the rest together.
const UNWANTED: [&str; 3] = [".map", ".map.br", ".map.gz"];

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    let mut table = String::new();
    if variable("PROFILE")? == "release" {
        println!("cargo:rerun-if-changed={}", folder.display());
        let size = fill(&folder, &mut table)?;
        if size > BUDGET {
            println!("cargo:warning=the web app adds {size} bytes, more than {BUDGET}");
        }
    }
    let table = format!("static INSIDE: &[Inside] = &[\n{table}];\n");
    #[expect(clippy::disallowed_methods, reason = "the folder that cargo gave for this")]
    fs::write(PathBuf::from(variable("OUT_DIR")?).join("web.rs"), table)
}

fn variable(name: &str) -> io::Result<std::ffi::OsString> {
    #[expect(clippy::disallowed_methods, reason = "this is how cargo speaks to a build script")]
    env::var_os(name).ok_or_else(|| io::Error::other(format!("cargo did not set {name}")))
}

/// One row for each file, in the order of their names; the answer is how many bytes they have.
fn fill(folder: &Path, table: &mut String) -> io::Result<u64> {
    let mut names = BTreeSet::new();
    gather(folder, "", &mut names)?;
    let copy = |name: &str, ending: &str| {
        let found = names.contains(&format!("{name}{ending}"));
        found.then(|| folder.join(format!("{name}{ending}")))
    };
    let is_copy = |name: &str| {
        let original = name.strip_suffix(".br").or_else(|| name.strip_suffix(".gz"));
        original.is_some_and(|original| names.contains(original))
    };
    let mut size = 0;
    for name in names.iter().filter(|name| !is_copy(name)) {
        let (brotli, gzip) = (copy(name, ".br"), copy(name, ".gz"));
        // Who understands no compression gets what the gzip copy unpacks to.
        let plain = if gzip.is_some() { None } else { copy(name, "") };
        let _ = write!(table, "    Inside {{ name: {name:?}");
        for (field, path) in [("plain", plain), ("gzip", gzip), ("brotli", brotli)] {
            let _ = match path {
                Some(path) => {
                    size += path.metadata()?.len();
                    let path = path.display().to_string();
                    write!(table, ", {field}: Some(include_bytes!({path:?}))")
                }
                None => write!(table, ", {field}: None"),
            };
        }
        table.push_str(" },\n");
    }
    Ok(size)
}

/// The names of all files below a folder, with slashes. Hidden files are notes of the build.
fn gather(folder: &Path, before: &str, names: &mut BTreeSet<String>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if name.starts_with('.') || UNWANTED.iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            gather(&entry.path(), &format!("{before}{name}/"), names)?;
        } else {
            names.insert(format!("{before}{name}"));
        }
    }
    Ok(())
}

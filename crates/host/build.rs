//! Names the build: a hash of all sources that decide what is said over a link and what it means.
//!
//! The server and the static runner are built apart, with other profiles and targets, so nothing but
//! the sources may be in it: no time, no path of this machine, no revision.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::{io, path::Path};

#[path = "build/sources.rs"]
mod sources;

fn main() -> io::Result<()> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = sources::of(&crates)?;
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build/sources.rs");
    for source in &sources {
        // A new source is named in one that is here, so folders need not be watched.
        println!("cargo:rerun-if-changed={}", crates.join(source).display());
    }
    println!("cargo:rustc-env=OPENSPACE_SOURCES={}", sources::hash(&crates, &sources)?);
    Ok(())
}

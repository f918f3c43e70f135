//! The Debian package: the same files below `/usr`, and what dpkg wants to know of them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::{
    Product,
    files::{self, DOCUMENT_FOLDER},
};
use crate::{scratch::Scratch, tools::succeed};

#[cfg(test)]
mod tests;

/// How Debian calls the machines that we build for.
const MACHINES: [(&str, &str); 2] = [("x86_64", "amd64"), ("aarch64", "arm64")];

pub(super) fn build(
    product: &Product,
    staged: &Path,
    out: &Path,
    scratch: &Scratch,
) -> Result<PathBuf> {
    let tree = scratch.folder("package")?;
    let usr = tree.join("usr");
    succeed(Command::new("cp").arg("--archive").arg(staged).arg(&usr))?;
    for page in files::all(&usr.join("share/man"))?.iter().filter(|path| path.is_file()) {
        succeed(Command::new("gzip").arg("-9n").arg(page))?;
    }
    let documents = usr.join(DOCUMENT_FOLDER);
    succeed(Command::new("gzip").arg("-9n").arg(documents.join("CHANGELOG.md")))?;
    fs::rename(documents.join("CHANGELOG.md.gz"), documents.join("changelog.gz"))?;
    fs::write(documents.join("copyright"), COPYRIGHT)?;

    let program = fs::read(usr.join("bin/openspace"))?;
    let size = files::all(&usr)?
        .iter()
        .map(|path| Ok(fs::metadata(path)?.len().div_ceil(1024)))
        .sum::<Result<u64>>()?;
    let machine = machine(&product.machine)?;
    let control = scratch.folder("package/DEBIAN")?;
    let text = control_file(product, machine, size, &newest_glibc(&program)?);
    fs::write(control.join("control"), text)?;

    let package = out.join(format!("openspace_{}_{machine}.deb", product.version));
    let mut build = Command::new("dpkg-deb");
    build.args(["--root-owner-group", "--build"]).arg(&tree).arg(&package);
    succeed(build.env("SOURCE_DATE_EPOCH", &product.time))?;
    Ok(package)
}

const COPYRIGHT: &str = "\
OpenSpace is licensed under the Apache License, Version 2.0, whose text is in LICENSE beside this
file (also /usr/share/common-licenses/Apache-2.0). What it contains of others is in
THIRD-PARTY-LICENCES.txt with their licences.
";

fn control_file(product: &Product, machine: &str, size: u64, glibc: &str) -> String {
    format!(
        "Package: openspace\n\
         Version: {}\n\
         Architecture: {machine}\n\
         Maintainer: The OpenSpace contributors\n\
         Section: devel\n\
         Priority: optional\n\
         Installed-Size: {size}\n\
         Depends: libc6 (>= {glibc}), libgcc-s1\n\
         Recommends: bash, bubblewrap, git\n\
         Description: IDE that a person and an AI agent share\n \
         OpenSpace serves a folder as one live space: an IDE in the browser for a person,\n \
         tools over MCP and HTTP for agents. bubblewrap is needed for sandboxes.\n",
        product.version
    )
}

fn machine(name: &str) -> Result<&'static str> {
    match MACHINES.iter().find(|(ours, _)| *ours == name) {
        Some((_, debian)) => Ok(debian),
        None => bail!("how Debian calls {name} is not known here"),
    }
}

/// The newest version of the C library that a program asks for: it names each that it needs.
fn newest_glibc(program: &[u8]) -> Result<String> {
    const WORD: &[u8] = b"GLIBC_";
    let named = program.windows(WORD.len()).enumerate().filter(|(_, window)| *window == WORD);
    let versions = named.filter_map(|(at, _)| {
        let rest = &program[at + WORD.len()..];
        let end = rest.iter().position(|byte| *byte == 0)?;
        let numbers = std::str::from_utf8(&rest[..end]).ok()?.split('.').map(str::parse);
        numbers.collect::<Result<Vec<u32>, _>>().ok()
    });
    let newest = versions.max().context("the program asks for no version of the C library")?;
    Ok(newest.iter().map(u32::to_string).collect::<Vec<_>>().join("."))
}

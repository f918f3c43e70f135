//! `cargo xtask dist`: what people install, made and then tried where nothing else is.
//!
//! An archive and a Debian package with the same files. Neither is called made before its programs
//! have run out of an empty root; what is missing here for a package is said, not left out silently.

mod debian;
mod files;
mod licences;
mod proof;

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail};

use crate::{
    repository::Repository,
    runner,
    scratch::Scratch,
    tools::{FOR_DIST, ensure_packages, succeed, works},
    web,
};

/// The profiles of a release, in the root manifest: stronger than what people build for themselves.
pub(crate) const RELEASE: &str = "shipped";
const RELEASE_OF_RUNNER: &str = "shipped-small";
/// Programs of these profiles read the page from the repository and hold none.
const WITHOUT_PAGE: [&str; 2] = ["dev", "test"];

/// What is being made.
struct Product {
    version: String,
    /// As the kernel calls the machine, such as `x86_64`.
    machine: String,
    /// When the commit was made: the time of every file, so that an archive does not tell when it was packed.
    time: String,
    has_page: bool,
}

pub(crate) fn run(repository: &Repository, profile: &str) -> Result<()> {
    ensure_packages(FOR_DIST)?;
    let product = Product::of(repository, profile)?;
    if product.has_page {
        web::build(&repository.root.join("web"))?;
    }
    let program =
        repository.build("openspace", &["--package", "openspace", "--profile", profile])?;
    let runner_profile = if profile == RELEASE { RELEASE_OF_RUNNER } else { profile };
    let runner = runner::build_as(repository, runner_profile)?;

    let scratch = Scratch::new("dist")?;
    let staged = scratch.folder("staged")?;
    files::stage(repository, &product, &[&program, &runner], &staged)?;

    let out = output_folder(repository, profile)?;
    let archive = archive(&product, &staged, &out)?;
    let root = scratch.folder("from-archive")?;
    let local = scratch.folder("from-archive/usr/local")?;
    let mut unpack = Command::new("tar");
    unpack.arg("--extract").arg("--file").arg(&archive).arg("--strip-components=1");
    succeed(unpack.arg("--directory").arg(&local))?;
    proof::prove(&product, &root, "usr/local", &scratch)?;
    let mut made = vec![archive];

    if works(&["dpkg-deb", "--version"]) {
        let package = debian::build(&product, &staged, &out, &scratch)?;
        let root = scratch.folder("from-package")?;
        succeed(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&root))?;
        proof::prove(&product, &root, "usr", &scratch)?;
        made.push(package);
    } else {
        eprintln!("warning: no Debian package was made, because dpkg-deb is missing");
    }
    checksums(&out, &made)?;
    if !product.has_page {
        eprintln!("warning: programs of the profile {profile} hold no page: nothing to publish");
    }
    for file in made {
        println!("{}", file.display());
    }
    Ok(())
}

impl Product {
    fn of(repository: &Repository, profile: &str) -> Result<Self> {
        let manifest = fs::read_to_string(repository.root.join("Cargo.toml"))?;
        let manifest: serde_json::Value = toml::from_str(&manifest)?;
        let version = manifest["workspace"]["package"]["version"].as_str();
        let target = runner::host_target(repository)?;
        let mut time = Command::new("git");
        time.args(["log", "-1", "--format=%ct"]).current_dir(&repository.root);
        let time = time.output().context("cannot start git")?;
        if !time.status.success() {
            bail!("git does not say when the commit was made");
        }
        Ok(Self {
            version: version.context("Cargo.toml names no version")?.to_owned(),
            machine: target.split('-').next().unwrap_or_default().to_owned(),
            time: String::from_utf8(time.stdout)?.trim().to_owned(),
            has_page: !WITHOUT_PAGE.contains(&profile),
        })
    }

    /// The archive's name without its ending, and that of its only folder.
    fn name(&self) -> String {
        format!("openspace-{}-{}-linux", self.version, self.machine)
    }
}

/// An empty folder. What is not a release lies apart, so that nobody takes it for one.
fn output_folder(repository: &Repository, profile: &str) -> Result<PathBuf> {
    let mut folder = repository.root.join("target/dist");
    if profile != RELEASE {
        folder.push(profile);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

fn archive(product: &Product, staged: &std::path::Path, out: &std::path::Path) -> Result<PathBuf> {
    let archive = out.join(format!("{}.tar.gz", product.name()));
    let mut pack = Command::new("tar");
    pack.args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    pack.arg(format!("--mtime=@{}", product.time));
    pack.arg("--use-compress-program=gzip -9n");
    pack.arg(format!("--transform=s,^\\.,{},", product.name()));
    pack.arg("--file").arg(&archive).arg("--directory").arg(staged).arg(".");
    succeed(pack)?;
    Ok(archive)
}

fn checksums(out: &std::path::Path, made: &[PathBuf]) -> Result<()> {
    let names = made.iter().filter_map(|path| path.file_name());
    let output = Command::new("sha256sum").args(names).current_dir(out).output();
    let output = output.context("cannot start sha256sum")?;
    if !output.status.success() {
        bail!("sha256sum failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    fs::write(out.join("SHA256SUMS"), output.stdout).context("cannot write SHA256SUMS")
}

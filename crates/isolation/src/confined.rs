//! The agents' place: namespaces made by bubblewrap in which the machine looks as it does outside, with
//! the same paths, but without what is the person's own, and with only the workspace to write to.
//!
//! What is shown is named by lists ([`shown`]); all else is absent. Secrets *in* the workspace, and
//! what in it lets code run outside later, are the keeper's work ([`crate::Keeper`]).
//!
//! Nothing here decides at run time to do with less: what cannot be had makes the whole place fail.

mod credentials;
mod elsewhere;
mod environment;
mod shown;
mod view;

#[cfg(test)]
mod tests;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use openspace_protocol::confinement::Confinement;
use rustix::fs::{Gid, Uid};

pub(crate) use self::shown::CACHES;
use self::shown::{EMPTY, KERNEL, NO_WORKSPACE, SYSTEM};
use self::view::{OWN_CACHES, View};
use crate::bubblewrap::{OUTPUT, OWN, Options, Prepared, RUNNER, SHARED_MEMORY, TEMPORARY};
use crate::{ConfinedSpec, IsolationError, Reach, own_network};

/// What a confined place is made of.
pub(crate) struct Place {
    pub(crate) prepared: Prepared,
    /// Paths inside that the keeper has to hide.
    pub(crate) hidden: Vec<PathBuf>,
    /// Whether tools keep what they fetch where the person's do.
    pub(crate) shares_caches: bool,
}

/// Without a folder the workspace is an empty one that is forgotten, which is enough for a probe.
pub(crate) fn prepare(
    spec: &ConfinedSpec,
    folder: Option<OwnedFd>,
    runner: OwnedFd,
    identity: Option<(Uid, Gid)>,
) -> Result<Place, IsolationError> {
    let root = &spec.place.root;
    check(spec, root)?;
    let network = spec.reach != Reach::None;
    let view = View::of(spec, identity.map(|(user, _)| user))?;
    let mut options = Options::default();
    options.namespaces(spec.reach == Reach::Machine);
    system(&mut options, spec.reach)?;
    let size = spec.place.limits.temporary_size().to_string();
    for (path, mode) in [
        (Path::new(TEMPORARY), "1777"),
        (Path::new("/var/tmp"), "1777"),
        (Path::new(OUTPUT), "0755"),
        (Path::new(SHARED_MEMORY), "1777"),
        (&view.home, "0700"),
    ] {
        options.path(&["--size", &size, "--perms", mode, "--tmpfs"], path);
    }
    let mut hidden = view.hidden.clone();
    let real = spec.hidden.iter().filter_map(|path| path.canonicalize().ok());
    hidden.extend(real.chain(spec.hidden.iter().filter(|path| path.exists()).cloned()));
    hidden.extend(elsewhere::homes());
    hidden.extend(elsewhere::other_names(root));
    hidden.extend(elsewhere::closed_settings());
    hidden.extend(KERNEL.iter().map(PathBuf::from).filter(|path| path.exists()));
    let shares_caches = show(&mut options, &view)?;
    // What lies above the workspace is hidden before the workspace is put there, the rest by the keeper.
    let is_seen = |path: &PathBuf| view.shows(path) || path.starts_with(root);
    hidden.retain(|path| is_seen(path) && !view.home.starts_with(path) && path != root);
    for path in hidden.extract_if(.., |path| root.starts_with(path)) {
        options.path(&["--size", &size, "--perms", "0755", "--tmpfs"], &path);
    }
    match folder {
        Some(folder) => options.file("--bind-fd", folder, root),
        None => options.path(&["--size", "4096", "--tmpfs"], root),
    }
    options.masks()?;
    options.file("--ro-bind-fd", runner, Path::new(RUNNER));
    options.add(&["--remount-ro", "/dev", "--remount-ro", "/"]);
    options.path(&["--chdir"], root);
    let user = match identity {
        Some((user, _)) => elsewhere::name_of(user),
        None => elsewhere::name_of(rustix::process::geteuid()),
    };
    for (name, value) in environment::inside(spec, &view, user.as_deref())? {
        options.words.extend(["--setenv".into(), name, value]);
    }
    let confinement = Confinement {
        writable: view.writable().into_iter().chain([root.clone()]).collect(),
        readable: vec!["/".into()],
        devices: vec!["/dev".into()],
        network,
        required: spec.place.require_landlock,
        ..Confinement::default()
    };
    let prepared = options.finish(&confinement, &spec.place.arguments)?;
    Ok(Place { prepared, hidden, shares_caches })
}

fn check(spec: &ConfinedSpec, root: &Path) -> Result<(), IsolationError> {
    let unusable =
        |reason: &str| IsolationError::Root { path: root.to_path_buf(), reason: reason.to_owned() };
    if !root.is_absolute() || root.components().any(|part| part.as_os_str() == "..") {
        return Err(unusable("it is not a plain absolute path"));
    }
    if root.parent().is_none() {
        return Err(unusable("it is the whole machine"));
    }
    if [OWN, "/proc", "/dev", "/sys"].iter().any(|own| root.starts_with(own)) {
        return Err(unusable("a confined place has its own there"));
    }
    let real = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    if NO_WORKSPACE.iter().any(|no| root == Path::new(no) || real == Path::new(no)) {
        return Err(unusable("it is a part of the machine, not a workspace"));
    }
    if let Some(home) = elsewhere::homes().into_iter().find(|home| home.starts_with(&real)) {
        return Err(unusable(&format!("the whole home {} is in it", home.display())));
    }
    if spec.hidden.iter().any(|hidden| hidden == root) {
        return Err(unusable("it must not be seen"));
    }
    Ok(())
}

fn system(options: &mut Options, reach: Reach) -> Result<(), IsolationError> {
    for folder in EMPTY {
        options.add(&["--perms", "0755", "--dir", folder]);
    }
    options.processes_and_devices();
    for path in SYSTEM {
        match std::fs::read_link(path) {
            Ok(target) => {
                options.words.extend(["--symlink".into(), target.into(), path.into()]);
            }
            Err(_) if Path::new(path).is_dir() => options.add(&["--ro-bind", path, path]),
            Err(_) => {}
        }
    }
    // Many systems keep the names of their name servers in a folder that is not shown.
    let Ok(resolver) = Path::new("/etc/resolv.conf").canonicalize() else { return Ok(()) };
    let is_shown = SYSTEM.iter().any(|shown| resolver.starts_with(shown));
    match reach {
        Reach::Own => {
            let text = format!("nameserver {}\n", own_network::NAME_SERVER);
            if is_shown {
                options.text_over(&resolver, &text)?;
            } else {
                options.text(&resolver, &text)?;
            }
        }
        Reach::Machine if !is_shown => {
            options.words.extend(["--ro-bind".into(), resolver.clone().into(), resolver.into()]);
        }
        Reach::Machine | Reach::None => {}
    }
    Ok(())
}

/// Shows the tools, caches and settings of the home, and what the person named. Says whether there are
/// caches that tools outside use too.
fn show(options: &mut Options, view: &View) -> Result<bool, IsolationError> {
    let mut shares = false;
    for bound in &view.bound {
        let option = if bound.writable { "--bind-fd" } else { "--ro-bind-fd" };
        shares |= bound.writable;
        let opened = bound.opened.try_clone();
        let opened = opened.map_err(IsolationError::system("keep a folder open"))?;
        options.file(option, opened, &bound.path);
    }
    for copied in &view.copied {
        let is_over = view.bound.iter().any(|bound| copied.path.starts_with(&bound.path))
            || SYSTEM.iter().any(|shown| copied.path.starts_with(shown));
        if is_over {
            options.text_over(&copied.path, &copied.text)?;
        } else {
            options.text(&copied.path, &copied.text)?;
        }
    }
    if let Some((folder, links)) = &view.own_caches {
        let folder = folder.try_clone().map_err(IsolationError::system("keep a folder open"))?;
        options.file("--bind-fd", folder, Path::new(OWN_CACHES));
        for (link, target) in links {
            options.words.extend(["--symlink".into(), target.into(), link.into()]);
        }
    }
    Ok(shares)
}

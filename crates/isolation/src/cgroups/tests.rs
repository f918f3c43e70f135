//! Cgroups: the parent that is chosen, limits that cannot hold, groups that go.

use std::os::unix::process::ExitStatusExt as _;

use super::*;

#[expect(clippy::disallowed_methods, reason = "a test makes what the code under test finds")]
fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A folder that looks like a machine with version 2 only, as far as a folder can.
fn second(own: &str) -> (tempfile::TempDir, Tree) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("cgroup");
    for group in ["", "user.slice", "user.slice/app.slice"] {
        put(&root.join(group).join("cgroup.controllers"), "cpu memory pids\n");
        put(&root.join(group).join("cgroup.subtree_control"), "");
    }
    let own_file = folder.path().join("own");
    put(&own_file, own);
    (folder, Tree { root, own: own_file })
}

fn memory() -> Limits {
    Limits { memory_bytes: Some(1 << 30), ..Limits::default() }
}

#[test]
fn in_version_2_the_group_is_made_beside_the_servers_own() {
    let (_folder, tree) = second("0::/user.slice/app.slice/server.scope\n");
    let found = tree.find("memory").unwrap();
    assert_eq!(found.version(), 2);
    let parent = tree.root.join("user.slice/app.slice");
    assert_eq!(found.parent("memory"), Ok(parent.clone()));
    assert_eq!(read(&parent.join("cgroup.subtree_control")).unwrap(), "+memory");
}

#[test]
fn in_version_2_the_nearest_group_that_can_be_used_is_taken() {
    let (_folder, tree) = second("0::/user.slice/app.slice/server.scope\n");
    std::fs::remove_dir_all(tree.root.join("user.slice/app.slice")).unwrap();
    let parent = tree.find("pids").unwrap().parent("pids");
    assert_eq!(parent, Ok(tree.root.join("user.slice")));
}

#[test]
fn a_limit_that_the_kernel_did_not_offer_is_no_success() {
    let (_folder, tree) = second("0::/user.slice/app.slice/server.scope\n");
    put(&tree.root.join("user.slice/app.slice/openspace/cgroup.subtree_control"), "");
    let error = Groups::make(&tree, "one", &memory()).unwrap_err().to_string();
    assert!(error.ends_with("openspace/one has no memory.max"), "{error}");
    assert!(!tree.root.join("user.slice/app.slice/openspace/one").exists());
}

#[test]
fn a_controller_that_is_nowhere_is_named() {
    let (_folder, tree) = second("0::/\n");
    let error = tree.find("cpuset").err();
    let root = tree.root.display();
    let expected = format!("no cgroup at {root} controls `cpuset` ({root} has cpu memory pids)");
    assert_eq!(error, Some(expected));
}

#[test]
fn in_version_1_the_group_is_made_in_the_servers_own() {
    let (_folder, tree) = second("4:memory:/jobs/one\n3:cpu,cpuacct:/elsewhere\n0::/\n");
    put(&tree.root.join("memory/cgroup.procs"), "");
    put(&tree.root.join("cpu/cgroup.procs"), "");
    std::fs::create_dir_all(tree.root.join("memory/jobs/one")).unwrap();
    let parent = |controller| tree.find(controller).unwrap().parent(controller);
    assert_eq!(parent("memory"), Ok(tree.root.join("memory/jobs/one")));
    // What is not there is the path of another machine, seen from within a container.
    assert_eq!(parent("cpu"), Ok(tree.root.join("cpu")));
}

#[test]
fn no_limit_needs_no_group() {
    let nowhere = Tree { root: "/no/such".into(), own: "/no/such".into() };
    assert!(Groups::make(&nowhere, "one", &Limits::default()).unwrap().is_none());
}

#[test]
fn groups_that_a_crash_left_behind_are_swept() {
    let family = tempfile::tempdir().unwrap();
    let folders = ["old", "new"].map(|name| family.path().join(name));
    for folder in &folders {
        std::fs::create_dir(folder).unwrap();
    }
    let past = rustix::fs::Timespec { tv_sec: 1_000_000_000, tv_nsec: 0 };
    let times = rustix::fs::Timestamps { last_access: past, last_modification: past };
    let flags = rustix::fs::AtFlags::empty();
    rustix::fs::utimensat(rustix::fs::CWD, &folders[0], &times, flags).unwrap();
    tree::sweep(family.path());
    assert_eq!(folders.map(|folder| folder.exists()), [false, true]);
}

/// On the real tree of version 2, which needs no controller for this.
#[test]
fn removing_a_group_kills_whoever_is_in_it() {
    let tops = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(Path::new);
    let top = tops.into_iter().find(|top| top.join("cgroup.controllers").exists());
    let Some(top) = top.filter(|_| rustix::process::geteuid().is_root()) else {
        eprintln!("not tested: there is no tree of version 2 that may be written");
        return;
    };
    let folder = top.join(format!("openspace-test-{}", std::process::id())).join("one");
    std::fs::create_dir_all(&folder).unwrap();
    let mut child = sleeper();
    write(&folder.join("cgroup.procs"), &child.id().to_string()).unwrap();
    remove(&folder).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    assert!(!folder.exists());
}

#[expect(clippy::disallowed_methods, reason = "a test starts what the code under test ends")]
fn sleeper() -> std::process::Child {
    std::process::Command::new("/bin/sleep").arg("1000").spawn().unwrap()
}

//! Limits that are asked for hold.

use super::*;

fn limited(script: &str, limits: Limits) -> Bench {
    let mut bench = Bench::new(script);
    bench.spec.limits = limits;
    bench
}

/// Only root is sure to be allowed to make cgroups.
fn has_no_groups() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("not tested: the limits of cgroups, because this is not root");
    }
    !is_root
}

fn held(name: &str, value: u64, by: &str) -> HeldLimit {
    HeldLimit { name: name.to_owned(), value, by: by.to_owned() }
}

#[tokio::test]
async fn a_bomb_of_processes_stops_at_the_limit() {
    if has_no_groups() {
        return;
    }
    let script = "for number in $(seq 100); do sleep 1000 & echo started; done";
    let bench = limited(script, Limits { processes: Some(20), ..Limits::default() });
    let (output, ending) = bench.run().await;
    let started = output.lines().count();
    assert!((5..20).contains(&started), "{started} were started");
    assert!(ending.stderr.to_lowercase().contains("fork"), "{ending}");
}

#[tokio::test]
async fn a_hog_of_memory_is_killed_and_the_place_stays() {
    if has_no_groups() {
        return;
    }
    let script = "head -c 200m /dev/zero | tail > /dev/null; echo still here";
    let bench = limited(script, Limits { memory_bytes: Some(64 << 20), ..Limits::default() });
    let (output, ending) = bench.run().await;
    assert_eq!((output.as_str(), ending.code), ("still here\n", Some(0)));
    assert_eq!(ending.killed_for_memory, 1);
}

#[tokio::test]
async fn temporary_folders_have_a_size() {
    let script = "for folder in /tmp /home/agent /run/openspace/output /dev/shm; do \
                  head -c 2m /dev/zero 2>/dev/null > $folder/big; stat -c %s $folder/big; done 2>/dev/null";
    let bench = limited(script, Limits { temporary_bytes: Some(1 << 20), ..Limits::default() });
    assert_eq!(bench.run().await.0, "1048576\n".repeat(4));
}

#[tokio::test]
async fn files_and_open_files_have_a_limit() {
    let limits = Limits { file_size_bytes: Some(4096), open_files: Some(64), ..Limits::default() };
    let script = "head -c 8192 /dev/zero > big; stat -c %s big; ulimit -n; ulimit -Hn; ulimit -c";
    let bench = limited(script, limits);
    let started = bench.start().await;
    let expected = vec![
        held("file_size_bytes", 4096, "rlimit fsize"),
        held("open_files", 64, "rlimit nofile"),
        held("temporary_bytes", 1 << 30, "size of each tmpfs"),
    ];
    assert_eq!(started.statement.limits, expected);
    assert_eq!(finish(started).await.0, "4096\n64\n64\n0\n");
}

#[tokio::test]
async fn the_place_is_in_its_groups_before_it_runs_and_they_go_with_it() {
    if has_no_groups() {
        return;
    }
    let limits = Limits {
        memory_bytes: Some(64 << 20),
        processes: Some(50),
        cpu_percent: Some(50),
        ..Limits::default()
    };
    for provider in [Provider::Runner, Provider::Sandbox] {
        let mut bench = limited("read line", limits.clone());
        if provider == Provider::Runner {
            bench.spec.runner = "/bin/cat".into();
            bench.spec.arguments.clear();
        }
        let started = Machine::default().start(&bench.spec, provider).await.unwrap();
        let names: Vec<&str> =
            started.statement.limits.iter().map(|limit| limit.name.as_str()).collect();
        assert_eq!(names[..3], ["memory_bytes", "processes", "cpu_percent"]);
        let joined = read(Path::new(&format!("/proc/{}/cgroup", started.process.pid())));
        let end = format!("/openspace/{}", bench.spec.name);
        assert!(joined.lines().any(|line| line.ends_with(&end)), "{joined}");
        assert!(!groups_named(&bench.spec.name).is_empty());
        started.process.end().await;
        assert_eq!(groups_named(&bench.spec.name), [""; 0]);
    }
}

/// Groups of this name, wherever they are.
fn groups_named(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let entries = entries.flatten();
        let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        open.extend(inner.map(|entry| entry.path()));
        if folder.ends_with(name) {
            found.push(folder.display().to_string());
        }
    }
    found
}

#[tokio::test]
async fn a_limit_that_this_machine_cannot_hold_is_an_error() {
    let empty = tempfile::tempdir().unwrap();
    let machine = Machine::with("bwrap", empty.path());
    let open_files = rustix::process::getrlimit(Resource::Nofile).maximum;
    let more = open_files.expect("some limit on open files") + 1;
    let cases = [
        (Limits { memory_bytes: Some(1 << 30), ..Limits::default() }, "memory_bytes"),
        (Limits { processes: Some(100), ..Limits::default() }, "processes"),
        (Limits { cpu_percent: Some(100), ..Limits::default() }, "cpu_percent"),
        (Limits { open_files: Some(more), ..Limits::default() }, "open_files"),
        (Limits { processes: Some(2), ..Limits::default() }, "processes"),
    ];
    for (limits, name) in cases {
        let bench = limited("true", limits);
        for provider in [Provider::Sandbox, Provider::Runner] {
            match machine.start(&bench.spec, provider).await {
                Err(IsolationError::LimitUnavailable { limit, .. }) => assert_eq!(limit, name),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
    assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_plain_process_has_no_temporary_folders_to_limit() {
    let bench = limited("true", Limits { temporary_bytes: Some(4096), ..Limits::default() });
    match Machine::default().start(&bench.spec, Provider::Runner).await {
        Err(IsolationError::LimitUnavailable { limit, .. }) => assert_eq!(limit, "temporary_bytes"),
        other => panic!("{other:?}"),
    }
}

//! Places that cannot be had, and why.

use super::*;

async fn refused(machine: Machine, bench: &Bench) -> IsolationError {
    machine.start(&bench.spec, Provider::Sandbox).await.unwrap_err()
}

#[tokio::test]
async fn a_machine_without_bubblewrap_is_told_what_to_install() {
    let bench = Bench::new("true");
    for name in ["no-such-bubblewrap", "/no/such/bubblewrap"] {
        let error = refused(Machine::with(name, "/sys/fs/cgroup"), &bench).await;
        assert_eq!(error.to_string(), format!("the program `{name}` is not on this machine"));
        let hint = "install bubblewrap, for example with `apt-get install bubblewrap`";
        assert_eq!(error.hint(), Some(hint));
    }
}

#[tokio::test]
async fn a_bubblewrap_that_is_too_old_is_named() {
    let bench = Bench::new("true");
    let old =
        program(bench.folder.path(), "old", "#!/bin/sh\necho '--size --perms --ro-bind-fd'\n");
    let error = refused(Machine::with(&old, "/sys/fs/cgroup"), &bench).await;
    let expected =
        format!("`{}` is too old: it does not know --bind-fd, --disable-userns", old.display());
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_machine_that_refuses_namespaces_gives_its_reason() {
    let bench = Bench::new("true");
    let script = "#!/bin/sh\n[ \"$1\" = --help ] && exec bwrap --help\n\
                  echo 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n";
    let script = program(bench.folder.path(), "refusing", script);
    match refused(Machine::with(script, "/sys/fs/cgroup"), &bench).await {
        IsolationError::Refused { reason } => {
            assert_eq!(reason, "setting up uid map: Permission denied");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_runner_that_cannot_run_is_told_apart_from_a_refusal() {
    let mut bench = Bench::new("true");
    let cases = [
        ("no-interpreter", "#!/no/such/shell\n", "execvp"),
        (
            "silent",
            "#!/bin/sh\necho broken >&2\nexit 7\n",
            "it ended with code 7; it wrote: broken",
        ),
        ("chatty", "#!/bin/sh\necho hello\nexit 0\n", "hello"),
    ];
    for (name, text, expected) in cases {
        bench.spec.runner = program(bench.folder.path(), name, text);
        match refused(Machine::default(), &bench).await {
            IsolationError::RunnerFailed { reason } => {
                assert!(reason.contains(expected), "{name}: {reason}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_kernel_without_landlock_is_an_error() {
    let mut bench = Bench::new("true");
    let text = "#!/bin/sh\necho '{\"refused\":{\"reason\":\"no Landlock\"}}'\nexec sleep 1000\n";
    bench.spec.runner = program(bench.folder.path(), "unconfined", text);
    let error = refused(Machine::default(), &bench).await;
    assert_eq!(error.to_string(), "Landlock cannot be used: no Landlock");
}

#[tokio::test]
async fn a_runner_that_is_no_program_is_missing() {
    let mut bench = Bench::new("true");
    let text = bench.folder.path().join("secret");
    for path in [text.as_path(), Path::new("/no/such/runner"), Path::new("bwrap")] {
        bench.spec.runner = path.to_path_buf();
        for provider in [Provider::Runner, Provider::Sandbox] {
            match Machine::default().start(&bench.spec, provider).await {
                Err(IsolationError::RunnerMissing { path: named }) => assert_eq!(named, path),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_a_workspace_is_named() {
    let mut bench = Bench::new("true");
    let file = bench.folder.path().join("secret");
    for path in [file.as_path(), Path::new("/"), Path::new("relative"), Path::new("/no/such")] {
        bench.spec.root = path.to_path_buf();
        match refused(Machine::default(), &bench).await {
            IsolationError::Root { path: named, .. } => assert_eq!(named, path),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_cannot_be_shown_is_named() {
    let mut bench = Bench::new("true");
    for path in ["/", "relative", "/etc/../root", "/workspace/x", "/proc/1", "/no/such"] {
        bench.spec.readable = vec![path.into()];
        match refused(Machine::default(), &bench).await {
            IsolationError::Readable { path: named, .. } => assert_eq!(named, Path::new(path)),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn names_that_would_leave_the_cgroup_are_refused() {
    let mut bench = Bench::new("true");
    for name in ["", "..", "a/b", &"x".repeat(65)] {
        name.clone_into(&mut bench.spec.name);
        let error = refused(Machine::default(), &bench).await;
        assert!(matches!(error, IsolationError::Name(named) if named == name));
    }
}

#[tokio::test]
async fn the_servers_own_process_has_no_stream() {
    let bench = Bench::new("true");
    let error = Machine::default().start(&bench.spec, Provider::Local).await.unwrap_err();
    assert!(matches!(error, IsolationError::InProcess(Provider::Local)));
}

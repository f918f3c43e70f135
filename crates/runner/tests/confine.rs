//! The inner wall by itself: the real runner confines itself on the bare machine.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail the test")]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use openspace_protocol::confinement::{Confinement, ConfinementReport, FLAG};

fn confinement(writable: &Path) -> Confinement {
    let is_there = |path: &PathBuf| path.exists();
    let system = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/proc"];
    Confinement {
        writable: vec![writable.to_path_buf()],
        readable: system.map(PathBuf::from).into_iter().filter(is_there).collect(),
        devices: vec!["/dev/null".into(), "/dev/zero".into()],
        network: false,
        required: true,
        ..Confinement::default()
    }
}

#[expect(clippy::disallowed_methods, reason = "a test starts the program under test")]
fn runner(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_openspace-runner")).args(arguments).output().unwrap()
}

/// The report, and what the script then wrote.
fn run(confinement: &Confinement, script: &str) -> (ConfinementReport, String) {
    let argument = serde_json::to_string(confinement).unwrap();
    let output = runner(&[FLAG, &argument, "--exec", "/bin/bash", "-c", script]);
    let text = String::from_utf8(output.stdout).unwrap();
    let (report, rest) = text.split_once('\n').unwrap();
    (serde_json::from_str(report).unwrap(), rest.to_owned())
}

fn check(script: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("cd {}\n{script}", folder.path().display());
    let (report, output) = run(&confinement(folder.path()), &script);
    assert!(matches!(report, ConfinementReport::Confined { abi: 1.., .. }), "{report:?}");
    assert_eq!(output, expected);
}

#[test]
fn files_are_written_only_beneath_the_writable_folder() {
    let beside = tempfile::tempdir().unwrap();
    let script = "echo text > file && mkdir -p a/b && mv file a/b && ln a/b/file c && cat c\n\
                  : 2>/dev/null > BESIDE/file && echo written\n\
                  mkdir BESIDE/folder 2>/dev/null && echo made\n\
                  rmdir BESIDE 2>/dev/null && echo removed\n\
                  ln -s BESIDE link; : 2>/dev/null > link/file && echo followed\n\
                  head -c 2 /dev/zero > /dev/null && echo devices";
    check(&script.replace("BESIDE", &beside.path().display().to_string()), "text\ndevices\n");
    assert_eq!(std::fs::read_dir(beside.path()).unwrap().count(), 0);
}

#[test]
fn files_are_read_only_where_it_is_granted() {
    let beside = tempfile::tempdir().unwrap();
    let script = "cat /etc/hostname /etc/shadow 2>/dev/null; ls / BESIDE 2>/dev/null; ls -d /usr";
    check(&script.replace("BESIDE", &beside.path().display().to_string()), "/usr\n");
}

#[test]
fn rights_cannot_be_gained_again() {
    let runner = env!("CARGO_BIN_EXE_openspace-runner");
    let folder = tempfile::tempdir().unwrap();
    let mut wider = confinement(folder.path());
    wider.writable.push("/usr".into());
    let wider = serde_json::to_string(&wider).unwrap();
    let mut confinement = confinement(folder.path());
    confinement.readable.push(runner.into());
    let script = format!(
        "grep NoNewPrivs /proc/self/status; {runner} --confine '{wider}' --exec /bin/sh -c \
         ': 2>/dev/null > /usr/new && echo written' | tail -n +2"
    );
    assert_eq!(run(&confinement, &script).1, "NoNewPrivs:\t1\n");
}

#[test]
fn tcp_is_refused_unless_granted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached");
    let folder = tempfile::tempdir().unwrap();
    let mut confinement = confinement(folder.path());
    let (report, without) = run(&confinement, &script);
    let ConfinementReport::Confined { abi, .. } = report else { panic!("{report:?}") };
    confinement.network = true;
    let (_, with) = run(&confinement, &script);
    let expected = if abi < 4 { "reached\n" } else { "" };
    assert_eq!((without.as_str(), with.as_str()), (expected, "reached\n"));
}

#[test]
fn processes_outside_cannot_be_signalled() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "kill -0 {} 2>/dev/null && echo outside; sleep 1000 & kill $! && echo own",
        std::process::id()
    );
    let (report, output) = run(&confinement(folder.path()), &script);
    let ConfinementReport::Confined { abi, .. } = report else { panic!("{report:?}") };
    assert_eq!(output, if abi < 6 { "outside\nown\n" } else { "own\n" });
}

#[test]
fn what_cannot_be_granted_ends_the_runner_before_it_starts_anything() {
    let folder = tempfile::tempdir().unwrap();
    let (missing, relative) = (folder.path().join("missing"), PathBuf::from("relative"));
    let reasons = [
        (
            missing.clone(),
            format!("cannot look at {}: No such file or directory (os error 2)", missing.display()),
        ),
        (relative, "the path relative is not absolute".to_owned()),
    ];
    for (path, reason) in reasons {
        let mut confinement = confinement(folder.path());
        confinement.readable.push(path);
        let (report, output) = run(&confinement, "echo ran");
        assert_eq!((report, output), (ConfinementReport::Refused { reason }, String::new()));
    }
}

#[test]
fn arguments_that_are_not_understood_are_an_error() {
    for arguments in [&["--confine"][..], &["--exec"], &[], &["--serve"]] {
        let output = runner(arguments);
        assert_eq!((output.status.code(), output.stdout), (Some(125), Vec::new()));
        assert!(!output.stderr.is_empty());
    }
    let output = runner(&["--confine", "{}", "--exec", "/bin/echo", "ran"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("{\"refused\":") && !text.contains("ran"), "{text}");
}

#[test]
fn who_asks_for_quiet_hears_only_the_program_and_what_is_missing_grants_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (there, missing) = (folder.path().join("there"), folder.path().join("missing"));
    std::fs::create_dir(&there).unwrap();
    let wanted = Confinement {
        readable: vec!["/".into()],
        devices: vec!["/dev".into()],
        required: true,
        writable_if_there: vec![there.clone(), missing.clone()],
        quiet: true,
        ..Confinement::default()
    };
    let argument = serde_json::to_string(&wanted).unwrap();
    let script = format!(
        "echo text > {there}/file && cat {there}/file; mkdir {missing} 2>&1 | grep -o 'Permission denied'",
        there = there.display(),
        missing = missing.display(),
    );
    let output = runner(&[FLAG, &argument, "--exec", "/bin/bash", "-c", &script]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "text\nPermission denied\n");
}

#[test]
fn what_is_unreadable_is_not_read_though_all_around_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap().join("home");
    for name in ["state/one", "state/deep/two", "beside/three", "four"] {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create_new(&path).unwrap();
    }
    std::os::unix::fs::symlink("state/one", home.join("link")).unwrap();
    let writable = tempfile::tempdir().unwrap();
    let mut wanted = confinement(writable.path());
    wanted.readable.push(home.clone());
    wanted.unreadable = vec![home.join("state"), home.join("not-there")];
    let script = format!(
        "cd {} && for name in state/one state/deep/two link beside/three four; do \
         cat $name 2>/dev/null && echo $name; done",
        home.display()
    );
    assert_eq!(run(&wanted, &script).1, "beside/three\nfour\n");
}

//! What is prepared for which shell.

use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::Size;

const NONCE: &str = "0123456789abcdef";

fn prepared(
    shell: &str,
    args: &[&str],
    nonce: &str,
    folder: &Path,
) -> io::Result<Option<Injection>> {
    let spawn = Spawn {
        shell: shell.into(),
        args: args.iter().map(|&argument| argument.to_owned()).collect(),
        cwd: "/".into(),
        base_env: vec![("ZDOTDIR".into(), "/inherited".into())],
        env: Vec::new(),
        size: Size { rows: 24, cols: 80 },
        marker: "marker".to_owned(),
        integration: None,
    };
    prepare(&spawn, &Integration { folder: folder.to_owned(), nonce: nonce.to_owned() })
}

#[test]
fn each_shell_is_started_in_its_own_way() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("it's");
    let path = folder.display().to_string();
    let check = |shell: &str, args: &[&str], expected: &[&str], env: &[(&str, &str)]| {
        let injection = prepared(shell, args, NONCE, &folder).unwrap().unwrap();
        let expected = expected.iter().map(OsString::from).collect::<Vec<_>>();
        let env = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        assert_eq!(injection, Injection { args: expected, env });
    };
    let script = format!("{path}/bash.sh");
    check("/bin/bash", &["-i"], &["--rcfile", &script, "-i"], &[]);
    check("/bin/bash", &["--login"], &["--rcfile", &script], &[("OPENSPACE_LOGIN", "1")]);
    let env = [("OPENSPACE_ZDOTDIR", "/inherited"), ("ZDOTDIR", path.as_str())];
    check("/usr/bin/zsh", &["-l"], &["-l"], &env);
    let source = format!("source '{}/fish.fish'", path.replace('\'', "\\'"));
    check("/usr/bin/fish", &[], &["--init-command", &source], &[]);
}

#[test]
fn other_shells_and_scripts_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("shell");
    for shell in ["/bin/sh", "/bin/dash", "/bin/ksh", "/usr/bin/nu", "/usr/bin/pwsh", "/"] {
        assert_eq!(prepared(shell, &[], NONCE, &folder).unwrap(), None);
    }
    assert_eq!(prepared("/bin/bash", &["-c", "true"], NONCE, &folder).unwrap(), None);
    assert!(!folder.exists());
}

#[test]
fn nobody_else_can_read_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("shell");
    prepared("/bin/bash", &[], NONCE, &folder).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(&folder), mode(&folder.join("nonce")), mode(&folder.join("bash.sh"))),
        (0o700, 0o600, 0o600)
    );
}

#[test]
fn a_nonce_that_could_be_guessed_or_end_a_mark_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for nonce in ["", "short", "0123456789abcde;", "0123456789abcde\x07", &"x".repeat(65)] {
        assert!(prepared("/bin/bash", &[], nonce, folder.path()).is_err(), "{nonce:?}");
    }
}

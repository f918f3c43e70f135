//! The same text in another shell, or at a prompt.

use pretty_assertions::assert_eq;

use crate::{Doubt, Shell, read};

fn doubts(line: &str, shell: Shell) -> Vec<Doubt> {
    read(line, shell).doubts
}

#[test]
fn another_shell_gets_plain_words_only() {
    for line in
        ["ls -la src", "git commit -m 'two words'", "A=b npm test", "cat ~/x", "rm -rf x\n", ""]
    {
        assert_eq!(doubts(line, Shell::Other), [], "{line}");
    }
    let more = [
        "ls; ls",
        "ls | wc",
        "ls *",
        "ls $x",
        "ls (x)",
        "ls > x",
        "=ls",
        "and ls",
        "noglob ls",
        "r",
        "repeat 3 ls",
        "ls {a,b}",
        "ls a\\ b",
        "ls 'it\\'s'",
        "ls \"$x\"",
        "ls\nls",
        "- ls",
        "ls ^x",
        "%1",
    ];
    for line in more {
        assert!(doubts(line, Shell::Other).contains(&Doubt::OtherShell), "{line}");
    }
}

#[test]
fn a_prompt_replaces_and_completes() {
    for line in ["!!", "sudo !!", "!rm", "echo \"!x\"", "^a^b", "echo a!b"] {
        assert_eq!(doubts(line, Shell::Prompt).first(), Some(&Doubt::History), "{line}");
    }
    for line in
        ["! ls", "[ a != b ]", "echo '!x'", "echo \\!x", "echo $!", "echo ${!x}", "echo \"hi!\""]
    {
        assert_eq!(doubts(line, Shell::Prompt), [], "{line}");
    }
    assert_eq!(doubts("ls\tx", Shell::Prompt), [Doubt::Completion]);
    assert_eq!(doubts("ls\tx", Shell::Bash), []);
    assert_eq!(doubts("echo !x", Shell::Bash), []);
}

#[test]
fn a_shell_is_known_by_its_program() {
    assert_eq!(
        ["bash", "/bin/sh", "-bash", "/usr/bin/zsh", "fish", ""].map(Shell::typed_into),
        [Shell::Prompt, Shell::Prompt, Shell::Prompt, Shell::Other, Shell::Other, Shell::Other]
    );
}

#[test]
fn what_only_bash_reads_is_a_doubt_for_sh() {
    for script in ["echo $'a'", "((x))", "cat <<< a", "ls &> x", "ls |& wc", "diff <(a) <(b)"] {
        let line = format!("sh -c '{}'", script.replace('\'', r"'\''"));
        assert!(matches!(doubts(&line, Shell::Bash)[..], [Doubt::TextUnknown(_), ..]), "{line}");
        assert_eq!(doubts(&line.replacen("sh", "bash", 1), Shell::Bash), [], "{line}");
    }
    assert_eq!(doubts("sh -c 'echo $((1+1))'", Shell::Bash), []);
}

//! What users, their files and hostile programs do to the marks.

use super::*;

#[tokio::test]
async fn forged_marks_are_not_believed() {
    let hostile = "\x1b]633;D;0\x07\x1b]633;A\x07\x1b]633;B\x07\x1b]633;D;0;wrong\x07\
                   \x1b]633;E;rm;x\x07\x1b]633;P;Cwd=/forged\x07ok\n";
    for shell in ALL {
        let stage = stage(shell);
        put(&stage.home.path().join("hostile"), hostile);
        let outcome = stage.run("cat hostile; false").await;
        assert_eq!((outcome.exit_code, outcome.output), finished(1, &["ok"]), "{shell}");
        assert_eq!(outcome.cwd, Some(stage.cwd()), "{shell}");
    }
}

#[tokio::test]
async fn the_nonce_is_neither_given_to_programs_nor_shown() {
    for shell in ALL {
        let stage = stage(shell);
        let own = if shell == "fish" { "$fish_pid" } else { "$$" };
        let asked = format!("env; tr '\\0' '\\n' </proc/{own}/environ");
        let (_, environment) = stage.result(&asked).await;
        assert!(environment.iter().any(|line| line.starts_with("HOME=")), "{shell}");
        let (_, shown) = stage.result("set | grep '^__openspace_nonce'").await;
        let hidden = "*".repeat(NONCE.len());
        assert!(shown.iter().any(|line| line.contains(&hidden)), "{shell}: {shown:?}");
        let all = stage.read().into_iter().chain(environment).chain(shown);
        let leaked: Vec<String> = all.filter(|line| line.contains(NONCE)).collect();
        assert_eq!(leaked, Vec::<String>::new(), "{shell}");
        let left = std::fs::metadata(stage.folder.path().join("shell/nonce")).unwrap().len();
        assert_eq!(left, 0, "{shell}");
    }
}

#[tokio::test]
async fn the_users_own_files_are_read() {
    let files = [
        (
            ".bashrc",
            "alias greet='echo from bashrc'\nPROMPT_COMMAND='seen=$?'\nPS0='<go>'\nPS1='mine> '\n",
        ),
        (".zshenv", "ENVIRONMENT_SEEN=yes\n"),
        (
            ".zshrc",
            "alias greet='echo from zshrc'\nprecmd() { seen=$?; }\nPS1='mine> '\nRPROMPT=right\n",
        ),
        (
            ".config/fish/config.fish",
            "alias greet 'echo from fish'\nfunction fish_prompt; echo -n 'mine> '; end\n\
             function fish_right_prompt; echo right; end\n",
        ),
    ];
    for (shell, word) in [("bash", "bashrc"), ("zsh", "zshrc"), ("fish", "fish")] {
        let stage = stage_with(shell, &files, |_| {});
        let (code, output) = stage.result("greet").await;
        // The user's PS0 stands before the output on its line.
        let greeting = if shell == "bash" { "<go>from bashrc" } else { &format!("from {word}") };
        assert_eq!((code, output), finished(0, &[greeting]), "{shell}");
        if shell != "fish" {
            assert_eq!(stage.run("sh -c 'exit 7'").await.exit_code, Some(7), "{shell}");
            let (_, seen) = stage.result("echo $seen").await;
            assert!(seen[0].ends_with('7'), "{shell}: {seen:?}");
        }
        if shell == "zsh" {
            let (_, own) = stage.result("echo $ENVIRONMENT_SEEN ${+ZDOTDIR}").await;
            assert_eq!(own, ["yes 0"]);
        }
        stage.shows("mine> greet").await;
    }
}

#[tokio::test]
async fn zsh_gets_its_own_folder_of_files_back() {
    let files = [("dots/.zshrc", "PS1='%# '\nalias greet='echo from dots'\n")];
    let stage = stage_with("zsh", &files, |spawn| {
        let dots = spawn.cwd.join("dots").display().to_string();
        spawn.env.push(("ZDOTDIR".to_owned(), dots));
    });
    assert_eq!(stage.result("greet; echo ${ZDOTDIR:t}").await, finished(0, &["from dots", "dots"]));
}

#[tokio::test]
async fn a_login_bash_reads_its_profile() {
    let files =
        [(".bash_profile", "greeting='from the profile'\n"), (".bashrc", "greeting=wrong\n")];
    let stage = stage_with("bash", &files, |spawn| spawn.args = vec!["-l".to_owned()]);
    assert_eq!(stage.result("echo $greeting").await, finished(0, &["from the profile"]));
}

#[tokio::test]
async fn strict_options_and_traps_do_not_disturb() {
    let strict = "set -eu; trap 'last=$BASH_COMMAND' DEBUG\n[ -f /nowhere ] && true\n";
    let stage = stage_with("bash", &[(".bashrc", strict)], |_| {});
    assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]));
    assert_eq!(stage.result("! true").await, finished(1, &[]));
    assert_eq!(stage.result("echo $?").await, finished(0, &["1"]));
    let ended = stage.run("false").await;
    assert_eq!((ended.ended, ended.exit_code), (Ended::ShellEnded, Some(1)));

    let files = [(".zshrc", "setopt no_unset all_export\nPS1='%# '\n")];
    let stage = stage_with("zsh", &files, |_| {});
    assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]));
    assert_eq!(stage.result("env | grep -c __openspace_nonce").await, finished(1, &["0"]));
}

#[tokio::test]
async fn tracing_shows_nothing_of_ours_in_the_output() {
    for shell in ["bash", "zsh"] {
        let stage = stage(shell);
        stage.run("PS4='+ '; set -x").await;
        let traced = finished(0, &["+ echo traced", "traced"]);
        assert_eq!(stage.result("echo traced").await, traced, "{shell}");
    }
}

#[tokio::test]
async fn setting_the_prompt_anew_keeps_the_marks() {
    let rc = "PROMPT_COMMAND='counted=$((${counted-0} + 1))'\nPS1='again> '\n";
    let stage = stage_with("bash", &[(".bashrc", rc)], |_| {});
    for command in [". ~/.bashrc", "PROMPT_COMMAND=true", "PS1='new> '", "true"] {
        assert_eq!(stage.result(command).await, finished(0, &[]), "{command}");
    }
    let stage = super::stage("zsh");
    stage.run("PS1='new> '; theme() { PS1='theme> ' }; precmd_functions+=(theme)").await;
    assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]));
    assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]));
    let stage = super::stage("fish");
    stage.run("function fish_prompt; echo 'new> '; end").await;
    assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]));
}

#[tokio::test]
async fn a_shell_inside_the_shell_is_a_running_command() {
    for inner in ["bash", "bash --norc", "exec bash --norc"] {
        let stage = stage_with("bash", &[(".bashrc", "export PS1='inner> '\n")], |_| {});
        let shown = Wait::Pattern { pattern: "inner>|bash-".to_owned() };
        let outcome = stage.run_until(inner, shown).await;
        assert_eq!((outcome.ended, outcome.running), (Ended::Matched, true), "{inner}");
        assert_eq!(stage.refusal("true").await, format!("the terminal is busy with `{inner}`"));
        assert_eq!(stage.terminal.status().at_prompt, Some(false), "{inner}");
        if !inner.starts_with("exec") {
            stage.terminal.write(b"exit 4\r").await.unwrap();
            stage.at_prompt().await;
            assert_eq!(stage.terminal.commands().last().unwrap().exit_code, Some(4), "{inner}");
        }
    }
}

#[tokio::test]
async fn empty_lines_and_interrupts_at_the_prompt_are_no_commands() {
    for shell in ALL {
        let stage = stage(shell);
        stage.at_prompt().await;
        // To fish, blanks are a command.
        let blank = if shell == "fish" { "\r" } else { "   \r" };
        for keys in ["\r", blank] {
            let prompts = || stage.terminal.shared.state().model.marks().prompts;
            let before = prompts();
            stage.terminal.write(keys.as_bytes()).await.unwrap();
            stage.until(|status| prompts() > before && status.at_prompt == Some(true)).await;
        }
        let typing = || stage.terminal.shared.state().model.typing();
        stage.terminal.write(b"x").await.unwrap();
        stage.until(|_| typing()).await;
        assert!(stage.terminal.interrupt().await.unwrap().prompt_back, "{shell}");
        assert_eq!(stage.terminal.commands(), [], "{shell}");
        assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]), "{shell}");
    }
}

#[tokio::test]
async fn a_background_job_does_not_hold_the_prompt() {
    for shell in ALL {
        let stage = stage(shell);
        let outcome = stage.run("sleep 100 &").await;
        assert_eq!((outcome.ended, outcome.exit_code), (Ended::Exited, Some(0)), "{shell}");
        assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]), "{shell}");
    }
}

#[tokio::test]
async fn commands_of_a_person_are_recorded() {
    for shell in ALL {
        let stage = stage(shell);
        stage.at_prompt().await;
        stage.terminal.write(b"sh -c 'echo a; exit 6'\r").await.unwrap();
        let known = || !stage.terminal.commands().is_empty();
        stage.until(|status| status.at_prompt == Some(true) && known()).await;
        let commands = stage.terminal.commands();
        let first_line = commands[0].first_line;
        let expected = crate::CommandMark {
            number: 0,
            command: Some("sh -c 'echo a; exit 6'".to_owned()),
            first_line,
            end_line: Some(first_line + 1),
            exit_code: Some(6),
            cwd: Some(stage.cwd()),
        };
        assert_eq!(commands, [expected], "{shell}");
    }
}

#[tokio::test]
async fn a_command_that_the_history_does_not_take_is_read_from_the_screen() {
    let stage = stage_with("bash", &[(".bashrc", "HISTCONTROL=ignoreboth\n")], |_| {});
    stage.run("echo listed").await;
    stage.run(" echo hidden").await;
    let commands = stage.terminal.commands();
    let names: Vec<&str> = commands.iter().filter_map(|mark| mark.command.as_deref()).collect();
    assert_eq!(names, ["echo listed", " echo hidden"]);
}

#[tokio::test]
async fn shells_that_cannot_paste_get_several_lines_too() {
    let files = [(".inputrc", "set enable-bracketed-paste off\n")];
    let stage = stage_with("bash", &files, |_| {});
    assert_eq!(stage.result("echo 'a\tb'\necho c").await, finished(0, &["a       b", "c"]));
    assert_eq!(stage.refusal("echo 'open").await, TerminalError::NotStarted.to_string());
    assert_eq!(stage.result("echo fine").await, finished(0, &["fine"]));
    assert!(matches!(stage.terminal.status().life, Life::Running { .. }));
}

#[tokio::test]
async fn what_is_typed_right_after_the_start_is_shown_once() {
    for shell in ALL {
        let slow = match shell {
            "bash" => (".bashrc", "sleep 0.3\n"),
            "zsh" => (".zshrc", "PS1='%# '\nsleep 0.3\n"),
            _ => (".config/fish/config.fish", "set -g fish_greeting\nsleep 0.3\n"),
        };
        let stage = stage_with(shell, &[slow], |_| {});
        stage.terminal.first_prompt().await;
        stage.terminal.write(b"echo once-$HOME\r").await.unwrap();
        stage.shows(&format!("once-{}", stage.home.path().display())).await;
        let typed = stage.read().iter().filter(|line| line.contains("echo once-")).count();
        assert_eq!(typed, 1, "{shell}: {:?}", stage.read());
    }
}

#[tokio::test]
async fn who_is_no_shell_with_marks_is_not_waited_for() {
    let waits = Instant::now();
    let stage = stage_with("bash", &[], |spawn| {
        (spawn.shell, spawn.args) =
            ("/bin/sh".into(), vec!["-c".to_owned(), "exec cat".to_owned()]);
    });
    stage.terminal.first_prompt().await;
    assert!(waits.elapsed() < FIRST_PROMPT_PATIENCE / 2, "{:?}", waits.elapsed());
}

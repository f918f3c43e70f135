//! What a run waits for, and what stands in its way.

use std::net::TcpListener;
use std::num::NonZeroU16;

use super::*;
use crate::InterruptWay;

fn free_port() -> NonZeroU16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    NonZeroU16::new(listener.local_addr().unwrap().port()).unwrap()
}

fn pattern(pattern: &str) -> Wait {
    Wait::Pattern { pattern: pattern.to_owned() }
}

#[tokio::test]
async fn a_timeout_leaves_the_command_running_and_an_interrupt_ends_it() {
    for shell in ALL {
        let stage = stage(shell);
        stage.at_prompt().await;
        let waiting = request("echo begun; sleep 100", Wait::Exit);
        let outcome = stage.try_run(RunRequest { timeout_ms: 3000, ..waiting }).await.unwrap();
        assert_eq!((outcome.ended, outcome.running), (Ended::TimedOut, true), "{shell}");
        assert_eq!((outcome.exit_code, &outcome.output), (None, &lines(&["begun"])), "{shell}");
        let status = stage.terminal.status();
        assert_eq!(status.running_command.as_deref(), Some("echo begun; sleep 100"), "{shell}");
        assert_eq!(
            stage.refusal("echo no").await,
            "the terminal is busy with `echo begun; sleep 100`",
            "{shell}"
        );
        let interrupted = stage.terminal.interrupt().await.unwrap();
        assert_eq!(interrupted.how, InterruptWay::Key, "{shell}");
        stage.at_prompt().await;
        assert_eq!(stage.terminal.commands().last().unwrap().exit_code, Some(130), "{shell}");
        assert_eq!(stage.result("echo next").await, finished(0, &["next"]), "{shell}");
    }
}

#[tokio::test]
async fn a_program_without_the_interrupt_key_is_signalled() {
    let stage = stage("bash");
    let command = "sh -c 'stty -isig; echo up; exec sleep 100'";
    assert_eq!(stage.run_until(command, pattern("^up$")).await.ended, Ended::Matched);
    let interrupted = stage.terminal.interrupt().await.unwrap();
    assert_eq!(interrupted.how, InterruptWay::Signal);
    stage.at_prompt().await;
    assert_eq!(stage.terminal.commands().last().unwrap().exit_code, Some(130));
}

#[tokio::test]
async fn a_program_that_ignores_interrupts_goes_on() {
    let stage = stage("bash");
    let command = "sh -c 'trap \"\" INT; echo up; sleep 100'";
    stage.run_until(command, pattern("up")).await;
    let interrupted = stage.terminal.interrupt().await.unwrap();
    assert_eq!((interrupted.how, interrupted.prompt_back), (InterruptWay::Key, false));
    assert_eq!(stage.terminal.status().at_prompt, Some(false));
}

#[tokio::test]
async fn what_a_person_types_is_left_alone_and_an_interrupt_clears_it() {
    for shell in ALL {
        let stage = stage(shell);
        stage.at_prompt().await;
        stage.terminal.write(b"echo half").await.unwrap();
        stage.shows("echo half").await;
        assert_eq!(stage.refusal("echo no").await, TerminalError::Typing.to_string(), "{shell}");
        assert!(stage.read().iter().any(|line| line.contains("echo half")), "{shell}");
        assert!(stage.terminal.interrupt().await.unwrap().prompt_back, "{shell}");
        assert_eq!(stage.result("echo yes").await, finished(0, &["yes"]), "{shell}");
        assert!(!stage.read().iter().any(|line| line == "half"), "{shell}");
    }
}

#[tokio::test]
async fn what_a_person_typed_is_seen_also_when_the_cursor_went_back() {
    let stage = stage("bash");
    stage.at_prompt().await;
    stage.terminal.write(b"echo mine\x01").await.unwrap();
    stage.shows("echo mine").await;
    assert_eq!(stage.refusal("echo no").await, TerminalError::Typing.to_string());
    stage.terminal.write(b"\r").await.unwrap();
    stage.until(|_| stage.read().iter().any(|line| line == "mine")).await;
    stage.at_prompt().await;
    assert_eq!(stage.result("echo yes").await, finished(0, &["yes"]));
}

#[tokio::test]
async fn a_full_screen_program_is_told_at_once() {
    let plain = "printf '\\033[?1049h'; sleep 100";
    for (shell, command) in
        [("bash", plain), ("zsh", plain), ("fish", plain), ("bash", "seq 1000 | less")]
    {
        let stage = stage(shell);
        let outcome = stage.run(command).await;
        assert_eq!(outcome.ended, Ended::AlternateScreen, "{shell}: {command}");
        assert_eq!((outcome.running, outcome.alternate_screen), (true, true), "{shell}: {command}");
    }
}

#[tokio::test]
async fn leaving_a_full_screen_program_ends_its_command() {
    let stage = stage("bash");
    assert_eq!(stage.run("seq 1000 | less").await.ended, Ended::AlternateScreen);
    stage.terminal.write(b"q").await.unwrap();
    stage.at_prompt().await;
    assert_eq!(stage.terminal.commands().last().unwrap().exit_code, Some(0));
    assert_eq!(stage.result("echo next").await, finished(0, &["next"]));
}

#[tokio::test]
async fn a_port_is_awaited() {
    let stage = stage("bash");
    let port = free_port();
    let serve = format!("python3 -m http.server {port} --bind 127.0.0.1");
    let outcome = stage.run_until(&serve, Wait::Port { port }).await;
    assert_eq!((outcome.ended, outcome.running), (Ended::PortOpen, true));
    stage.terminal.interrupt().await.unwrap();
    stage.at_prompt().await;

    let outcome = stage.run_until("echo gave up; false", Wait::Port { port: free_port() }).await;
    assert_eq!((outcome.ended, outcome.exit_code), (Ended::Exited, Some(1)));
    assert_eq!(outcome.output, ["gave up"]);
}

#[tokio::test]
async fn a_port_that_is_taken_is_not_awaited() {
    let stage = stage("bash");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = NonZeroU16::new(listener.local_addr().unwrap().port()).unwrap();
    let refused = stage.try_run(request("echo no", Wait::Port { port })).await.unwrap_err();
    assert!(matches!(refused, TerminalError::PortTaken(taken) if taken == port.get()));
    assert_eq!(stage.terminal.commands(), []);
}

#[tokio::test]
async fn a_pattern_is_found_in_finished_and_unfinished_lines_but_not_in_the_command() {
    for shell in ALL {
        let stage = stage(shell);
        let serving = "sh -c 'echo ready; exec sleep 100'";
        let outcome = stage.run_until(serving, pattern("^ready$")).await;
        assert_eq!((outcome.ended, outcome.running), (Ended::Matched, true), "{shell}");
        assert_eq!(outcome.matched.as_deref(), Some("ready"), "{shell}");
        stage.terminal.interrupt().await.unwrap();
        stage.at_prompt().await;

        let asking = "sh -c 'printf \"Continue? \"; read answer'";
        let outcome = stage.run_until(asking, pattern(r"\?")).await;
        let matched = (outcome.ended, outcome.matched.as_deref());
        assert_eq!(matched, (Ended::Matched, Some("Continue?")), "{shell}");
        stage.terminal.write(b"y\r").await.unwrap();
        stage.at_prompt().await;

        let outcome = stage.run_until("true needle", pattern("needle")).await;
        assert_eq!((outcome.ended, outcome.matched), (Ended::Exited, None), "{shell}");
        let outcome = stage.run_until("echo needle", pattern("needle")).await;
        assert_eq!(outcome.ended, Ended::Matched, "{shell}");
        stage.at_prompt().await;
    }
}

#[tokio::test]
async fn patterns_that_cannot_be_used_are_refused() {
    let stage = stage("bash");
    for bad in ["(".to_owned(), r"\w{1000}{1000}".to_owned(), "x".repeat(5000)] {
        let refused = stage.try_run(request("true", pattern(&bad))).await.unwrap_err();
        assert!(matches!(refused, TerminalError::Pattern(_)), "{refused}");
    }
}

#[tokio::test]
async fn quiet_ends_the_wait() {
    let stage = stage("bash");
    let outcome =
        stage.run_until("printf 'Password: '; sleep 100", Wait::Idle { quiet_ms: 1000 }).await;
    assert_eq!((outcome.ended, outcome.running), (Ended::Idle, true));
    assert_eq!(outcome.output, ["Password:"]);
    stage.terminal.interrupt().await.unwrap();
    stage.at_prompt().await;
    let outcome = stage.run_until("echo short", Wait::Idle { quiet_ms: 20_000 }).await;
    assert_eq!((outcome.ended, outcome.exit_code), (Ended::Exited, Some(0)));
}

#[tokio::test]
async fn a_cancelled_wait_leaves_the_command_running() {
    let stage = stage("bash");
    let cancel = CancellationToken::new();
    let run = stage.terminal.run(request("echo up; sleep 100", Wait::Exit), || (), &cancel);
    let stop = async {
        stage.until(|status| status.running_command.is_some()).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(run, stop);
    let outcome = outcome.unwrap();
    assert_eq!((outcome.ended, outcome.running), (Ended::Cancelled, true));
    let unsent =
        stage.terminal.run(request("echo never", Wait::Exit), || (), &cancel).await.unwrap();
    assert_eq!((unsent.ended, unsent.running), (Ended::Cancelled, false));
    assert_eq!(unsent.output, Vec::<String>::new());
}

#[tokio::test]
async fn only_one_run_at_a_time() {
    let stage = stage("bash");
    let token = CancellationToken::new();
    let first = stage.terminal.run(request("echo first", Wait::Exit), || (), &token);
    let second = stage.terminal.run(request("echo second", Wait::Exit), || (), &token);
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.unwrap().output, ["first"]);
    assert_eq!(second.unwrap_err().to_string(), "the terminal is busy with `echo first`");
    assert_eq!(stage.result("echo third").await, finished(0, &["third"]));
}

#[tokio::test]
async fn the_end_of_the_shell_is_told() {
    for shell in ALL {
        let stage = stage(shell);
        let outcome = stage.run("exit 3").await;
        assert_eq!((outcome.ended, outcome.exit_code), (Ended::ShellEnded, Some(3)), "{shell}");
        assert!(!outcome.running, "{shell}");
        assert_eq!(stage.refusal("true").await, TerminalError::Ended.to_string(), "{shell}");
        let status = stage.terminal.status();
        assert_eq!((status.at_prompt, status.running_command), (None, None), "{shell}");
    }
}

#[tokio::test]
async fn a_shell_without_integration_is_not_waited_for() {
    let stage = stage("dash");
    assert_eq!(stage.refusal("true").await, TerminalError::NoIntegration.to_string());
    let command = "sh -c 'echo $((6 * 7)); exec sleep 100'";
    let outcome = stage.run_until(command, pattern("^4[0-9]$")).await;
    assert_eq!((outcome.ended, outcome.exit_code, outcome.running), (Ended::Matched, None, true));
    assert_eq!((outcome.output, outcome.matched.as_deref()), (lines(&["42"]), Some("42")));
    let busy = stage.try_run(request("true", Wait::Idle { quiet_ms: 1 })).await.unwrap_err();
    assert_eq!(busy.to_string(), "the terminal is busy");
    let status = stage.terminal.status();
    assert_eq!((status.integration, status.at_prompt), (false, None));
}

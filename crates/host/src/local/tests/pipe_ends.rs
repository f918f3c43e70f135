//! Facts about how programs with a pipe begin and end.

use std::{path::PathBuf, time::Duration};

use openspace_process::{ProcessError, is_running, pipe::Ended};
use tokio::io::AsyncReadExt as _;

use super::{
    pipes::{FAR, ended, python, sh, stopped, there_and_back},
    stage::{Stage, rel, soon, until},
};
use crate::{
    HostError, PipedHandle,
    operation::{EndAll, FindProgram, Pipe, PipeMemory, PipeOutput, PipedProgram},
};

/// Tells its number and stays, with a child in the background that has left the session.
const STAYS: &str = "setsid sh -c 'echo $$ > child; exec sleep 1000' & echo $$ > pid; sleep 1000";

pub(crate) async fn stopping_ends_everything_it_started(stage: Stage) {
    let handle = stage.pipe(sh(STAYS)).await;
    let pids = [stage.folder.pid("pid").await, stage.folder.pid("child").await];
    assert_eq!(pids[0], handle.program.pid());
    handle.program.stop(FAR);
    assert_eq!(soon(handle.program.ended()).await.unwrap(), stopped(15));
    assert_eq!(pids.map(is_running), [false, false]);
}

pub(crate) async fn who_does_not_stop_is_ended_after_the_patience(stage: Stage) {
    let script = "trap 'echo asked' TERM; echo ready; while :; do sleep 0.01; done";
    let PipedHandle { stdin: _stdin, mut stdout, program } = stage.pipe(sh(script)).await;
    let mut lines = [0; 6];
    soon(stdout.read_exact(&mut lines)).await.unwrap();
    program.stop(FAR);
    soon(stdout.read_exact(&mut lines)).await.unwrap();
    assert_eq!(&lines, b"asked\n");
    program.stop(Duration::ZERO);
    assert_eq!(soon(program.ended()).await.unwrap(), stopped(9));
}

pub(crate) async fn what_outlives_a_program_is_ended(stage: Stage) {
    let script = "setsid sh -c 'echo $$ > child; exec sleep 1000' & \
                  until [ -s child ]; do sleep 0.01; done";
    let handle = stage.pipe(sh(script)).await;
    let child = stage.folder.pid("child").await;
    let expected = Ended { left_behind: 1, ..ended(0) };
    assert_eq!(soon(handle.program.ended()).await.unwrap(), expected);
    assert!(!is_running(child));
}

pub(crate) async fn a_program_whose_handle_is_dropped_is_stopped(stage: Stage) {
    let PipedHandle { stdin, stdout, program } = stage.pipe(sh(STAYS)).await;
    let pids = [stage.folder.pid("pid").await, stage.folder.pid("child").await];
    let clone = program.clone();
    drop((stdin, stdout, program));
    assert_eq!(pids.map(is_running), [true, true]);
    drop(clone);
    until(|| pids.map(is_running) == [false, false]).await;
}

pub(crate) async fn cancelling_says_how_it_ended(stage: Stage) {
    let call = stage.listen(Pipe { program: sh(STAYS) }, 4);
    let pids = [stage.folder.pid("pid").await, stage.folder.pid("child").await];
    call.cancel.cancel();
    assert_eq!(call.reply().await.unwrap(), stopped(15));
    assert_eq!(pids.map(is_running), [false, false]);
}

pub(crate) async fn giving_up_a_call_or_its_items_ends_the_program(stage: Stage) {
    let call = stage.listen(Pipe { program: sh(STAYS) }, 4);
    let pids = [stage.folder.pid("pid").await, stage.folder.pid("child").await];
    call.reply.abort();
    until(|| pids.map(is_running) == [false, false]).await;

    let mut call = stage.listen(Pipe { program: sh("echo out; exec sleep 1000") }, 4);
    let Some(PipeOutput::Started { pid }) = call.item().await else { panic!("not started") };
    drop(call.items);
    assert_eq!(soon(call.reply).await.unwrap().unwrap(), stopped(15));
    assert!(!is_running(pid));
}

pub(crate) async fn arguments_folder_and_environment_reach_it_as_they_are(stage: Stage) {
    stage.folder.put("sub folder/file", "");
    let script = "import os, sys\nprint(sys.argv[1:], os.path.basename(os.getcwd()), \
                  [os.environ.get(name) for name in ('HOME', 'SHELL', 'X', 'PAGER')])";
    let mut program = python(script).with(["$HOME", "a b", "", "*", "\u{e4}", "-x"]);
    program.folder = rel("sub folder");
    program.without = vec!["HOME".to_owned()];
    program.environment = vec![("X".to_owned(), "$y".to_owned())];
    let (output, end) = soon(there_and_back(stage.pipe(program).await, b"")).await;
    let expected =
        "['$HOME', 'a b', '', '*', '\u{e4}', '-x'] sub folder [None, '/bin/bash', '$y', 'cat']\n";
    assert_eq!((String::from_utf8(output).unwrap().as_str(), end), (expected, ended(0)));
}

pub(crate) async fn what_cannot_be_started_says_why(stage: Stage) {
    let missing = "the program no-such-program is not there: it was looked for in /own, \
                   /usr/local/bin, /usr/bin, /bin";
    let there = || PipedProgram::new("cat");
    let cases = [
        (
            PipedProgram { folders: vec!["/own".into()], ..PipedProgram::new("no-such-program") },
            missing.to_owned(),
        ),
        (
            PipedProgram::new("/no/such"),
            "the program /no/such is not there: no executable file has this path".to_owned(),
        ),
        (
            PipedProgram::new("./run"),
            "\"./run\" is neither the name of a program nor an absolute path".to_owned(),
        ),
        (PipedProgram::new("cat\0"), "the name of the program contains a zero byte".to_owned()),
        (there().with(["a", "b\0c"]), "argument 2 contains a zero byte".to_owned()),
        (
            PipedProgram { environment: vec![("A".into(), "\0".into())], ..there() },
            "the variable A contains a zero byte".to_owned(),
        ),
        (
            PipedProgram { without: vec!["A=B".into()], ..there() },
            "\"A=B\" cannot be the name of a variable".to_owned(),
        ),
        (
            PipedProgram { folders: vec!["bin".into()], ..there() },
            "bin is not an absolute path".to_owned(),
        ),
        (
            PipedProgram { without: vec!["PATH".into()], ..there() },
            "the program cat is not there: there is no PATH to look for it in".to_owned(),
        ),
        (PipedProgram { folder: rel("gone"), ..there() }, "`gone` does not exist".to_owned()),
    ];
    for (program, expected) in cases {
        assert_eq!(stage.refuses(program).await, expected);
    }
}

pub(crate) async fn a_program_is_found_without_being_started(stage: Stage) {
    stage.folder.put("tools/mine", "#!/bin/sh\necho ran > ran\n");
    let tools = stage.host.facts().root.join("tools");
    let find =
        |program: &str, folders: Vec<PathBuf>| FindProgram { program: program.to_owned(), folders };
    let mine = || find("mine", vec![tools.clone()]);
    assert_eq!(stage.ask(mine()).await.unwrap(), None);
    let chmod = sh("chmod +x tools/mine");
    assert_eq!(soon(there_and_back(stage.pipe(chmod).await, b"")).await.1, ended(0));
    assert_eq!(stage.ask(mine()).await.unwrap(), Some(tools.join("mine")));
    assert_eq!(stage.ask(find("mine", Vec::new())).await.unwrap(), None);
    let shell = stage.ask(find("sh", Vec::new())).await.unwrap().unwrap();
    assert!(["/usr/bin/sh", "/bin/sh"].map(Into::into).contains(&shell), "{}", shell.display());
    assert_eq!(stage.ask(find("/bin/sh", Vec::new())).await.unwrap(), Some("/bin/sh".into()));
    let refused = stage.ask(find("a/b", Vec::new())).await.unwrap_err();
    assert!(matches!(refused, HostError::Process(ProcessError::ProgramName(_))), "{refused:?}");
    assert_eq!(stage.folder.content("ran"), None);
    let own = PipedProgram { folders: vec![tools], ..PipedProgram::new("mine") };
    assert_eq!(soon(there_and_back(stage.pipe(own).await, b"")).await.1, ended(0));
    assert_eq!(stage.folder.content("ran").as_deref(), Some("ran\n"));
}

pub(crate) async fn there_are_not_too_many_and_all_end_with_the_place(stage: Stage) {
    let mut handles = Vec::new();
    for _ in 0..64 {
        handles.push(stage.pipe(sh("exec sleep 1000")).await);
    }
    assert_eq!(stage.refuses(sh("true")).await, "there are 64 programs with a pipe already");
    for handle in handles.drain(..2) {
        handle.program.stop(FAR);
        assert_eq!(soon(handle.program.ended()).await.unwrap(), stopped(15));
    }
    handles.push(stage.pipe(sh(STAYS)).await);
    let child = stage.folder.pid("child").await;
    // One that nobody reads, and that has much to say.
    let flood = stage.pipe(sh("cat /dev/zero")).await;
    stage.ask(EndAll {}).await.unwrap();
    let pids = handles.iter().chain([&flood]).map(|handle| handle.program.pid()).chain([child]);
    assert_eq!(pids.filter(|pid| is_running(*pid)).count(), 0);
    for handle in handles {
        assert_eq!(soon(handle.program.ended()).await.unwrap(), stopped(15));
    }
    assert!(soon(flood.program.ended()).await.unwrap().stopped);
    stage.pipe(sh("true")).await;
}

pub(crate) async fn the_memory_of_a_program_is_that_of_all_it_started(stage: Stage) {
    const HELD: u64 = 64 * 1024 * 1024;
    let holds = "held = bytearray(b'x') * (64 << 20)";
    let script = format!(
        "import os, time\n{holds}\nif os.fork() == 0:\n    os.setsid()\n    {holds} + held[:1]\n    \
         open('held', 'w').close()\ntime.sleep(1000)"
    );
    let handle = stage.pipe(python(&script)).await;
    let pid = handle.program.pid();
    until(|| stage.folder.content("held").is_some()).await;
    let memory = stage.ask(PipeMemory { pids: vec![pid, 1] }).await.unwrap();
    assert!(memory[0].is_some_and(|memory| memory > 2 * HELD), "{memory:?}");
    assert_eq!(memory[1..], [None]);
    handle.program.stop(Duration::ZERO);
    soon(handle.program.ended()).await.unwrap();
    until_none(&stage, pid).await;
}

async fn until_none(stage: &Stage, pid: u32) {
    while stage.ask(PipeMemory { pids: vec![pid] }).await.unwrap() != [None] {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

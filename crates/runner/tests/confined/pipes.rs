//! A program with a pipe in places with walls: it is spoken with there as anywhere.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use openspace_git::Identity;
use openspace_host::{
    Host, PipedHandle, RemoteHost,
    local::Settings,
    operation::{FindProgram, PipedProgram},
};
use openspace_isolation::{Machine, Provider, Spec, Started};
use openspace_process::pipe::Ended;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::stage::Stage;

/// How long anything may take, on a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// The host of a place, with what has to live as long as it.
async fn host(started: Started) -> Arc<dyn Host> {
    let Started { stdin, stdout, statement, process, keeper } = started;
    let private = statement.output_inside.unwrap();
    let settings = Settings {
        root: statement.root_inside,
        output: private.join("output"),
        scratch: private.join("scratch"),
        shell: None,
        environment: None,
        marker: format!("confined-pipes-{}", std::process::id()),
        identity: Identity { name: "A".to_owned(), email: "a@example.org".to_owned() },
        co_author: None,
        git_behind: Vec::new(),
    };
    let stream = tokio::io::join(stdout, stdin);
    Arc::new(RemoteHost::connect(stream, &settings, (process, keeper)).await.unwrap())
}

async fn is_spoken_with(host: Arc<dyn Host>) {
    let find = |program: &str| FindProgram { program: program.to_owned(), folders: Vec::new() };
    assert_eq!(host.ask(find("no-such-program")).await.unwrap(), None);
    assert!(host.ask(find("cat")).await.unwrap().is_some());
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|number| number.to_le_bytes()[1]).collect();
    let PipedHandle { mut stdin, mut stdout, program } =
        PipedHandle::start(Arc::clone(&host), PipedProgram::new("cat")).await.unwrap();
    let mut back = Vec::new();
    let write = async {
        stdin.write_all(&bytes).await.unwrap();
        stdin.shutdown().await.unwrap();
    };
    let ((), read) = tokio::join!(write, stdout.read_to_end(&mut back));
    assert_eq!(read.unwrap(), bytes.len());
    assert!(back == bytes);
    let ended = |exit_code, signal, stopped| Ended {
        exit_code,
        signal,
        stopped,
        left_behind: 0,
        survivors: Vec::new(),
    };
    assert_eq!(program.ended().await.unwrap(), ended(Some(0), None, false));

    let script = "echo $$; (setsid sleep 1000 &); cat > got; exec sleep 1000";
    let script = PipedProgram::new("sh").with(["-c", script]);
    let PipedHandle { stdin: _stdin, mut stdout, program } =
        PipedHandle::start(Arc::clone(&host), script).await.unwrap();
    let mut said = String::new();
    while !said.ends_with('\n') {
        said.push(char::from(stdout.read_u8().await.unwrap()));
    }
    // The number that it has in its place.
    assert_eq!(said.trim_end(), program.pid().to_string());
    program.stop(PATIENCE);
    assert_eq!(program.ended().await.unwrap(), ended(None, Some(15), true));
}

#[tokio::test]
async fn a_program_is_spoken_with_in_the_agents_place_and_in_a_sandbox() {
    let mut stage = Stage::new();
    stage.spec.place.arguments = Vec::<OsString>::new();
    let confined = Machine::default().start_confined(&stage.spec).await.unwrap();
    tokio::time::timeout(PATIENCE, is_spoken_with(host(confined).await)).await.unwrap();
    let spec = Spec { secrets: Some(Vec::new()), ..stage.spec.place.clone() };
    let sandbox = Machine::default().start(&spec, Provider::Sandbox).await.unwrap();
    tokio::time::timeout(PATIENCE, is_spoken_with(host(sandbox).await)).await.unwrap();
}

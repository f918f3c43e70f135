//! How much of a kind one agent may have at once, in however many sessions.

use std::path::PathBuf;

use openspace_command::{Caller, CallerKind};
use openspace_isolation::{Limits, Provider};
use openspace_protocol::TerminalId;
use openspace_workspace::{
    agents::brought::BroughtPart,
    areas::{
        terminal::{self, TerminalRecord, TerminalState, TerminalsPart},
        tools::runs,
    },
    workspaces::{self, WorkspaceRecord, WorkspacesPart},
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, START, agent, person, until};

fn session(name: &str) -> Caller {
    Caller::new(CallerKind::Agent, &agent().id, Some(name))
}

async fn call(bench: &Bench, caller: Caller, command: &str, args: Value) -> Value {
    bench.reply(caller, command, args).await.to_value()
}

fn limit(most: usize, things: &str, hint: &str) -> Value {
    let error = format!("an agent may have {most} {things} at once, and `{}` has them", agent().id);
    json!({"success": false, "kind": "limit", "error": error, "hint": hint})
}

#[tokio::test]
async fn an_agent_has_so_many_terminals_and_no_more_in_another_session() {
    let bench = Bench::open(&[]).await;
    let record = TerminalRecord {
        title: "one of many".into(),
        cwd: ".".into(),
        shell: PathBuf::from("/bin/bash"),
        state: TerminalState::EndedWithServer,
        created_by: agent().id,
        created_as: Some(CallerKind::Agent),
        confined: false,
        created_at: START,
    };
    let filled = bench.dispatcher().state().space().change_now(|state| {
        let ids = (1..=terminal::MAX_OF_AN_AGENT).map(|number| format!("t{}", 100 + number));
        let records = ids.map(|id| (id.parse::<TerminalId>().unwrap(), record.clone()));
        state.part_mut::<TerminalsPart>().extend(records);
        Ok(())
    });
    assert!(filled.is_ok());
    let create = || json!({"shellPath": "/bin/bash"});
    let refused = limit(
        terminal::MAX_OF_AN_AGENT,
        "terminals",
        "close some with terminal_close; one terminal can run many commands",
    );
    for name in ["s1", "s2"] {
        assert_eq!(call(&bench, session(name), "terminal.create", create()).await, refused);
    }
    let other = Caller::new(CallerKind::Agent, "another", None);
    for caller in [person(), other] {
        let made = call(&bench, caller, "terminal.create", create()).await;
        assert_eq!(made["success"], true, "{made}");
    }
    call(&bench, session("s1"), "terminal.close", json!({"terminalId": "t101"})).await;
    let made = call(&bench, session("s2"), "terminal.create", create()).await;
    assert_eq!(made["success"], true, "{made}");
}

#[tokio::test]
async fn an_agent_has_so_many_workspaces() {
    let bench = Bench::open(&[]).await;
    let record = WorkspaceRecord {
        name: None,
        root: PathBuf::from("/nowhere"),
        owns_root: false,
        provider: Provider::Local,
        network: true,
        limits: Limits::default(),
        git_url: None,
        created_by: agent().id,
        created_as: Some(CallerKind::Agent),
        created_at: START,
    };
    let filled = bench.dispatcher().state().space().change_now(|state| {
        let ids = (1..=workspaces::MAX_OF_AN_AGENT).map(|number| format!("w{}", 100 + number));
        let records = ids.map(|id| (id, record.clone()));
        state.part_mut::<WorkspacesPart>().extend(records);
        Ok(())
    });
    assert!(filled.is_ok());
    let refused =
        limit(workspaces::MAX_OF_AN_AGENT, "workspaces", "remove some with workspace_destroy");
    assert_eq!(call(&bench, session("s1"), "workspace.create", json!({})).await, refused);
    let made = call(&bench, person(), "workspace.create", json!({})).await;
    assert_eq!(made["success"], true, "{made}");
}

#[tokio::test]
async fn an_agent_has_so_many_background_runs_that_go_on() {
    let bench = Bench::open(&[]).await;
    let start = || json!({"command": "exec sleep 1000", "run_in_background": true});
    for number in 0..runs::MAX_OF_AN_AGENT {
        let name = if number % 2 == 0 { "s1" } else { "s2" };
        let started = call(&bench, session(name), "workspace.bash", start()).await;
        assert_eq!(started["success"], true, "{started}");
    }
    let refused = limit(
        runs::MAX_OF_AN_AGENT,
        "background runs",
        "end some with workspace_run_kill, or wait for them with workspace_run_output",
    );
    assert_eq!(call(&bench, session("s3"), "workspace.bash", start()).await, refused);
    let started = call(&bench, person(), "workspace.bash", start()).await;
    assert_eq!(started["success"], true, "{started}");
    // One that ended counts no more, and neither does one that never began.
    call(&bench, session("s3"), "workspace.run_kill", json!({"run_id": "r1"})).await;
    let going_on = || {
        let state = bench.state();
        state.part::<BroughtPart>().keys().filter(|key| key.starts_with("run/")).count()
    };
    until(|| going_on() < runs::MAX_OF_AN_AGENT).await;
    let nowhere = json!({"command": "true", "run_in_background": true, "workdir": "no/such"});
    let failed = call(&bench, session("s3"), "workspace.bash", nowhere).await;
    assert_eq!(failed["success"], false, "{failed}");
    let started = call(&bench, session("s3"), "workspace.bash", start()).await;
    assert_eq!(started["success"], true, "{started}");
}

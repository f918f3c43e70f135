//! How fast a terminal takes what a program prints, and how fast it is read.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::{
    Setup,
    client::Connection,
    example,
    mcp::{Call, Client},
    pty,
    report::{Figure, Report, Row, Target},
    stats::Samples,
    times,
};

const LAST_LINE: &str = "DONE-MARK";
const FLOOD: &str = "seq 1 2000000; echo DONE-MARK";
const ROUNDS: usize = 3;
/// Rare enough to disturb nothing, often enough for a time of some hundred milliseconds.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
const DRAINED_WITHIN: Duration = Duration::from_mins(2);
const OF_BARE_SPEED: f64 = 0.5;
/// What masking may add to what a terminal takes.
const MASKING: f64 = 0.1;

const READS: usize = 200;
const READ_WITHIN: Duration = Duration::from_millis(5);
const CREATIONS: usize = 20;

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut client = Client::session(&setup.server.address)?;
    let terminal = create(&mut client)?;
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(pty::drain(FLOOD, LAST_LINE)?);
        ours.push(drain(&mut client, &terminal)?);
    }
    let (bare, ours) = (Samples::of(bare)?.median(), Samples::of(ours)?.median());
    let row = Row::new("terminal takes `seq 1 2000000`", Figure::Time(ours));
    report.add(row.beside("bare PTY", Figure::Time(bare)).target(Target::RatioFrom(OF_BARE_SPEED)));
    let masked = example::run(&setup.web, "openspace-secrets", "masking")?;
    let masked = Duration::from_nanos(masked["ns"].as_u64().context("no time")?);
    let row = Row::new("masking the same, 1,000 secrets", Figure::Time(masked));
    report.add(
        row.beside("the terminal", Figure::Time(ours)).target(Target::TimesBesideUpTo(MASKING)),
    );

    read(setup, &mut client, &terminal, report)?;
    client.call("terminal_close", &json!({"terminalId": terminal}))?;

    let mut created = Vec::new();
    for _ in 0..CREATIONS {
        let begin = Instant::now();
        let terminal = create(&mut client)?;
        created.push(begin.elapsed());
        client.call("terminal_close", &json!({"terminalId": terminal}))?;
    }
    report.add(Row::new("terminal_create", times(created)?));
    Ok(())
}

fn create(client: &mut Client) -> Result<Value> {
    // The person's own shell may do anything when it starts.
    let created = client.call("terminal_create", &json!({"shellPath": "/bin/sh"}))?;
    Ok(created["terminalId"].clone())
}

/// Types the command and waits until its last line is there.
fn drain(client: &mut Client, terminal: &Value) -> Result<Duration> {
    // The last line of an earlier round must not be taken for the one of this round.
    type_line(client, terminal, "echo READY-MARK")?;
    wait_for(client, terminal, "READY-MARK")?;
    let begin = Instant::now();
    type_line(client, terminal, FLOOD)?;
    wait_for(client, terminal, LAST_LINE)?;
    Ok(begin.elapsed())
}

fn type_line(client: &mut Client, terminal: &Value, line: &str) -> Result<()> {
    let text = format!("{line}\n");
    client.call("terminal_send", &json!({"terminalId": terminal, "text": text})).map(drop)
}

fn wait_for(client: &mut Client, terminal: &Value, line: &str) -> Result<()> {
    let begin = Instant::now();
    loop {
        let read =
            client.call("terminal_read_output", &json!({"terminalId": terminal, "lines": 1}))?;
        if read["output"] == json!([line]) {
            return Ok(());
        }
        if begin.elapsed() > DRAINED_WITHIN {
            bail!("the terminal never showed `{line}`; it shows {read}");
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// All the lines that a terminal remembers, over both doors.
fn read(setup: &Setup, client: &mut Client, terminal: &Value, report: &mut Report) -> Result<()> {
    let wanted = json!({"terminalId": terminal, "lines": 10_000});
    let all = client.call("terminal_read_output", &wanted)?;
    let count = all["output"].as_array().map(Vec::len);
    ensure!(count == Some(10_000), "the terminal remembers {count:?} lines, not 10000");

    let call = Call::ours("terminal_read_output", &wanted);
    let mut measured = Vec::new();
    for _ in 0..READS {
        measured.push(client.time(&call)?);
    }
    let row = Row::new("10,000 lines of a terminal, MCP over HTTP", times(measured)?);
    report.add(row.target(Target::TimeUpTo(READ_WITHIN)));

    let address = &setup.server.address;
    let mut connection = Connection::open(&address.url, &address.token)?;
    let (path, json) = ("/api/commands/terminal.read_output", "Content-Type: application/json\r\n");
    let body = wanted.to_string();
    let mut measured = Vec::new();
    for _ in 0..READS {
        let begin = Instant::now();
        let answer = connection.exchange("POST", path, json, &body)?;
        measured.push(begin.elapsed());
        ensure!(answer.status == 200, "reading got {}: {}", answer.status, answer.body);
    }
    report.add(Row::new("10,000 lines of a terminal, HTTP", times(measured)?));
    Ok(())
}

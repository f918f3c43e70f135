//! `openspace approve`: see the calls that wait for a person, and answer them at the shell.
//!
//! It proves to be the person with a key of the state folder that no agent's configuration holds. Enter
//! alone never approves anything.

use std::{
    io::{BufRead as _, IsTerminal as _},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use hyper::Method;
use openspace_command::ErrorKind;
use openspace_protocol::ApprovalId;
use openspace_workspace::areas::approvals::{
    Approval, Question,
    words::{in_full, seen},
};
use qrcode::{QrCode, render::unicode::Dense1x2};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::commands::exit_as;
use crate::{
    client::{Answer, Client, Streamed},
    environment::Environment,
    output::{complain, print},
    status::exit_code,
};

/// Lines of an answer that may wait to be read.
const TYPED_AHEAD: usize = 16;

/// List the calls that wait for your answer, or answer one.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(super) struct Approve {
    /// Which one, such as `a3`; all that are open when left out.
    #[arg(value_name = "ID", value_parser = id)]
    id: Option<ApprovalId>,
    /// Yes, for this call.
    #[arg(long, group = "answer", requires = "id")]
    once: bool,
    /// Yes, for calls like it in this session of the agent.
    #[arg(long, group = "answer", requires = "id")]
    session: bool,
    /// Yes, and save the rule that is shown with it.
    #[arg(long, group = "answer", requires = "id")]
    always: bool,
    /// No.
    #[arg(long, group = "answer", requires = "id")]
    no: bool,
    /// What to tell the agent.
    #[arg(long, value_name = "TEXT", requires = "answer")]
    message: Option<String>,
    /// Print a link to a page on which this one question can be answered once. Another device reaches it only
    /// if the server listens on more than loopback (`--host`).
    #[arg(long, requires = "id", conflicts_with = "answer")]
    link: bool,
    /// Print the link as a QR code too.
    #[arg(long, requires = "link")]
    qr: bool,
    /// Show new ones as they come, and ask about each.
    #[arg(long, conflicts_with_all = ["id", "json"])]
    watch: bool,
    /// Settled ones too.
    #[arg(long, conflicts_with = "id")]
    settled: bool,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    /// The workspace [default: the current folder or the nearest above it that is served].
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    workspace: PathBuf,
}

/// The id of a question, as it is typed.
fn id(word: &str) -> Result<ApprovalId, String> {
    word.parse().map_err(|_| {
        "questions are called a1, a2 and so on; `openspace approve` lists those that wait"
            .to_owned()
    })
}

impl Approve {
    fn answer(&self) -> Option<&'static str> {
        let answers = [
            (self.once, "once"),
            (self.session, "session"),
            (self.always, "always"),
            (self.no, "no"),
        ];
        answers.into_iter().find(|(given, _)| *given).map(|(_, word)| word)
    }
}

/// Do it.
pub(super) async fn run(wanted: &Approve, environment: &Environment) -> Result<ExitCode> {
    let client = Client::find(environment, &wanted.workspace)?.as_person()?;
    if wanted.watch {
        return watch(&client).await;
    }
    let Some(id) = wanted.id else {
        let args = json!({"settled": wanted.settled});
        return shown(client.call("approval.list", &args, !wanted.json).await?);
    };
    if wanted.link {
        return link(&client, id, wanted).await;
    }
    match wanted.answer() {
        Some(answer) => {
            let args = json!({"approvalId": id, "answer": answer, "message": wanted.message});
            shown(client.call("approval.answer", &args, !wanted.json).await?)
        }
        None => shown(client.call("approval.get", &json!({"approvalId": id}), !wanted.json).await?),
    }
}

/// Print what the server said, and end as it did.
fn shown(answer: Answer) -> Result<ExitCode> {
    let text = String::from_utf8_lossy(&answer.body);
    let Some(kind) = answer.kind else {
        if answer.status >= 400 {
            bail!("the server refused with status {}: {text}", answer.status);
        }
        print(&seen(text.trim_end_matches('\n')))?;
        return Ok(ExitCode::SUCCESS);
    };
    complain(&seen(&text));
    exit_as(kind)
}

async fn link(client: &Client, id: ApprovalId, wanted: &Approve) -> Result<ExitCode> {
    let path = format!("/api/approvals/{id}/link");
    let answer = client.send(Method::POST, &path, "application/json", String::new()).await?;
    let body: Value = serde_json::from_slice(&answer.body).context("the server's answer")?;
    let Some(link) = body["link"].as_str() else {
        let kind = answer.kind.context("the server gave no link")?;
        complain(&format!("Error ({kind}): {}", body["error"].as_str().unwrap_or_default()));
        if let Some(hint) = body["hint"].as_str() {
            complain(&format!("Hint: {hint}"));
        }
        return exit_as(kind);
    };
    if wanted.json {
        print(&json!({"link": link}).to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    print(link)?;
    if wanted.qr {
        print(&qr(link)?)?;
    }
    if is_loopback(link) {
        complain(
            "note: the server listens on this machine only; start it with --host ADDRESS to reach it from a phone",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn is_loopback(link: &str) -> bool {
    ["http://127.", "http://[::1]", "http://localhost"].iter().any(|start| link.starts_with(start))
}

/// A link as a picture of half blocks.
fn qr(link: &str) -> Result<String> {
    let code = QrCode::new(link).context("the link cannot be made a QR code")?;
    // Dark terminals are the usual ones: light is drawn, dark is left out.
    Ok(code.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build())
}

/// A question as the list has it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    approval_id: ApprovalId,
    #[serde(flatten)]
    approval: Approval,
}

#[derive(Deserialize)]
struct List {
    approvals: Vec<Listed>,
}

async fn list(client: &Client) -> Result<Vec<Listed>> {
    let answer = client.call("approval.list", &json!({"settled": true}), false).await?;
    let list: List = serde_json::from_slice(&answer.body).context("the server's answer")?;
    Ok(list.approvals)
}

/// What was typed for a question.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    Answer(&'static str, Option<String>),
    Later,
    NotUnderstood,
}

/// What a line means. Nothing typed is no answer, whatever is asked.
fn understood(line: &str) -> Typed {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let message = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    match word.to_lowercase().as_str() {
        "" | "l" | "later" => Typed::Later,
        "y" | "yes" | "once" => Typed::Answer("once", message),
        "s" | "session" => Typed::Answer("session", message),
        "a" | "always" => Typed::Answer("always", message),
        "n" | "no" => Typed::Answer("no", message),
        _ => Typed::NotUnderstood,
    }
}

/// Lines as they are typed; none after the end of the input.
fn typed_lines() -> mpsc::Receiver<String> {
    let (lines, typed) = mpsc::channel(TYPED_AHEAD);
    // A thread that waits for the keyboard ends with the process.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(std::io::Result::ok) {
            if lines.blocking_send(line).is_err() {
                return;
            }
        }
    });
    typed
}

/// Show questions as they come and ask about one after the other, until the server or the input ends.
async fn watch(client: &Client) -> Result<ExitCode> {
    let mut events =
        client.open(Method::GET, "/api/v1/events", "text/event-stream", String::new()).await?;
    let mut typed = typed_lines();
    let mut passed_over: Vec<ApprovalId> = Vec::new();
    let mut asked: Option<ApprovalId> = None;
    if std::io::stdin().is_terminal() {
        complain("Waiting for questions; Ctrl-C ends this.");
    }
    let help = |one: &Question| {
        let always = one.always.as_ref().map_or("", |_| ", [a]lways");
        let session = if one.each_time { "" } else { ", for the [s]ession" };
        format!(
            "[y]es once{session}{always}, [n]o (a word to the agent may follow); Enter leaves it open"
        )
    };
    let mut answers = String::new();
    loop {
        let all = list(client).await?;
        passed_over
            .retain(|id| all.iter().any(|one| one.approval_id == *id && one.approval.is_open()));
        if let Some(id) = asked
            && let Some(one) = all.iter().find(|one| one.approval_id == id)
            && !one.approval.is_open()
        {
            print(&format!("{id}: {}", one.approval.outcome()))?;
            asked = None;
        }
        if asked.is_none() {
            let open = all.iter().filter(|one| one.approval.is_open());
            let next = open
                .filter(|one| !passed_over.contains(&one.approval_id))
                .min_by_key(|one| one.approval_id);
            if let Some(one) = next {
                print(&in_full(one.approval_id, &one.approval))?;
                answers = help(&one.approval.question);
                print(&format!("{}: {answers}", one.approval_id))?;
                asked = Some(one.approval_id);
            }
        }
        tokio::select! {
            line = typed.recv() => {
                let Some(line) = line else { return Ok(ended(asked)) };
                let Some(id) = asked else {
                    if !line.trim().is_empty() {
                        complain("Nothing is asked right now, so that answered nothing.");
                    }
                    continue;
                };
                match understood(&line) {
                    Typed::Answer(answer, message) => {
                        let args = json!({"approvalId": id, "answer": answer, "message": message});
                        let said = client.call("approval.answer", &args, true).await?;
                        let text = String::from_utf8_lossy(&said.body).into_owned();
                        if said.kind.is_some() { complain(&seen(&text)) } else { print(&seen(text.trim_end()))? }
                        asked = None;
                    }
                    Typed::Later => {
                        passed_over.push(id);
                        asked = None;
                        print(&format!("{id} stays open; `openspace approve {id}` answers it"))?;
                    }
                    Typed::NotUnderstood => complain(&format!("That is no answer. {id}: {answers}")),
                }
            }
            moved = until_moved(&mut events) => if !moved? { bail!("the server has stopped\n  hint: what is open stays so; start the server again, then `openspace approve` lists it") },
        }
    }
}

/// The input has ended: nobody can answer here any more, which is no failure unless a question was shown for it.
fn ended(asked: Option<ApprovalId>) -> ExitCode {
    match asked {
        None => {
            complain("The input has ended, so nothing can be answered here.");
            ExitCode::SUCCESS
        }
        Some(id) => {
            complain(&format!(
                "The input has ended before {id} was answered.\nHint: it stays open; `openspace approve {id} --once` or `--no` answers it"
            ));
            ExitCode::from(exit_code(ErrorKind::Unanswered))
        }
    }
}

/// Wait until something of the questions changes; false when the server is gone.
async fn until_moved(events: &mut Streamed) -> Result<bool> {
    while let Some(lines) = events.lines().await? {
        if lines.lines().any(|line| line.starts_with("data:") && line.contains("\"approvals\"")) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enter_alone_approves_nothing() {
        for line in ["", " ", "\t", "later"] {
            assert_eq!(understood(line), Typed::Later, "{line:?}");
        }
        assert_eq!(understood("yep"), Typed::NotUnderstood);
        assert_eq!(understood("Y"), Typed::Answer("once", None));
        assert_eq!(understood("no not today"), Typed::Answer("no", Some("not today".into())));
    }

    #[test]
    fn a_link_is_a_square_of_blocks() {
        let picture = qr("http://127.0.0.1:3000/approve?code=0123456789abcdef").unwrap();
        let rows: Vec<usize> = picture.lines().map(|row| row.chars().count()).collect();
        assert!(rows.len() * 2 >= rows[0] && rows.iter().all(|row| *row == rows[0]), "{picture}");
    }
}

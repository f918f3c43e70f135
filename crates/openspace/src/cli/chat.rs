//! `openspace chat send TEXT --wait` at a shell: the answer is printed while it is written.
//!
//! What was said stands on standard output and nothing else does: tools that are used, questions and failures are told on
//! standard error. It is the same call that everybody makes, with the lines of its session read beside it.

use std::{collections::HashMap, io::Write as _, process::ExitCode, time::Duration};

use anyhow::{Context, Result, bail};
use hyper::Method;
use openspace_command::ErrorKind;
use openspace_workspace::areas::approvals::words::seen;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use super::commands::{Called, call, exit_as};
use crate::{
    client::{Answer, Client, Streamed},
    output::{complain, print},
};

#[cfg(test)]
mod tests;

const SEND: &str = "openspace.chat.send";
/// How long a turn is waited for when nobody says how long.
const WAITED: Duration = Duration::from_mins(10);
/// How long more is waited for after the agent said that it is idle.
const GRACE: Duration = Duration::from_secs(3);
/// Characters of a line about a tool.
const LINE: usize = 160;

/// Whether an answer is to be printed while it is written.
pub(super) fn streams(called: &Called) -> bool {
    called.id == SEND && !called.json && called.args["wait"] == true
}

/// Say something, and print the answer as it comes.
pub(super) async fn send(client: &Client, called: Called) -> Result<ExitCode> {
    let Value::Object(mut args) = called.args else { bail!("the arguments are no object") };
    args.remove("wait");
    let patience = args.remove("timeoutMs").and_then(|ms| ms.as_u64());
    let deadline = Instant::now() + patience.map_or(WAITED, Duration::from_millis);
    let session = match args.get("session").and_then(Value::as_str) {
        Some(session) => session.to_owned(),
        None => match begin(client, &mut args).await? {
            Ok(session) => session,
            Err(refused) => return Ok(refused),
        },
    };
    args.insert("session".into(), session.as_str().into());
    let path = format!("/api/v1/chat/lines?session={}", encoded(&session));
    let mut lines = client.open(Method::GET, &path, "application/x-ndjson", String::new()).await?;
    let mut turn = Turn::default();
    let mut early = Vec::new();
    // What is told before we follow is told to nobody.
    while !early.iter().any(|line: &Value| line["type"] == "following") {
        match read(&mut lines).await? {
            Some(more) => early.extend(more),
            None => bail!("the server does not say what happens in {session}"),
        }
    }
    let said = client.call(SEND, &Value::Object(args), false).await?;
    let said = match answer(&said)? {
        Ok(said) => said,
        Err(refused) => return Ok(refused),
    };
    let address = said["address"].as_str().unwrap_or(&session).to_owned();
    turn.asked = said["messageId"].as_str().unwrap_or_default().to_owned();
    let is_over = follow(&mut lines, &mut turn, deadline).await?;
    turn.end_line()?;
    complain(&format!("session: {address}"));
    if !is_over {
        // Something was missed, or it takes too long: the server knows how it stands.
        return rest(client, &address, &turn, deadline).await;
    }
    match &turn.failure {
        Some(failure) => {
            complain(&format!("The turn failed: {}", one_line(failure)));
            Ok(ExitCode::FAILURE)
        }
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Begin the session that was not named.
async fn begin(client: &Client, args: &mut Map<String, Value>) -> Result<Result<String, ExitCode>> {
    let wanted = ["agent", "model", "mode"].into_iter();
    let mut new = Map::new();
    for name in wanted {
        if let Some(value) = args.get(name) {
            new.insert(name.into(), value.clone());
        }
    }
    args.remove("agent");
    let begun = client.call("openspace.chat.create", &Value::Object(new), false).await?;
    Ok(match answer(&begun)? {
        Ok(begun) => Ok(begun["address"].as_str().context("the new session")?.to_owned()),
        Err(refused) => Err(refused),
    })
}

/// What a command gave, or the exit code of its failure, which was told.
fn answer(answer: &Answer) -> Result<Result<Value, ExitCode>> {
    let value: Value = serde_json::from_slice(&answer.body).context("the server's answer")?;
    let Some(kind) = answer.kind.clone() else { return Ok(Ok(value)) };
    let error = value["error"].as_str().unwrap_or("the server refused");
    complain(&format!("Error ({kind}): {error}"));
    if let Some(hint) = value["hint"].as_str() {
        complain(&format!("Hint: {hint}"));
    }
    exit_as(kind).map(Err)
}

/// Print what is said until the turn is over; whether that is known.
async fn follow(lines: &mut Streamed, turn: &mut Turn, deadline: Instant) -> Result<bool> {
    loop {
        let until = turn.idle_since.map_or(deadline, |since| deadline.min(since + GRACE));
        let Ok(more) = timeout_at(until, read(lines)).await else {
            return Ok(turn.idle_since.is_some() && until < deadline);
        };
        let Some(more) = more? else { return Ok(false) };
        for line in more {
            match line["type"].as_str() {
                Some("gap") => return Ok(false),
                Some("told") => turn.hear(&line["event"])?,
                _ => {}
            }
        }
        if turn.has_ended() && turn.idle_since.is_some() {
            return Ok(true);
        }
    }
}

/// Wait for the end of a turn of which something was missed, and print what is not printed yet.
async fn rest(client: &Client, address: &str, turn: &Turn, deadline: Instant) -> Result<ExitCode> {
    let left = deadline.saturating_duration_since(Instant::now()).as_millis().max(1);
    let left = u64::try_from(left).unwrap_or(u64::MAX);
    let args = json!({"session": address, "timeoutMs": left});
    if turn.printed.is_empty() {
        return call(client, "openspace.chat.wait", &args, false).await;
    }
    let waited = client.call("openspace.chat.wait", &args, false).await?;
    let waited = match answer(&waited)? {
        Ok(waited) => waited,
        Err(refused) => return Ok(refused),
    };
    let whole = waited["turn"]["answer"].as_str().unwrap_or_default();
    match whole.strip_prefix(turn.printed.trim()) {
        Some("") => {}
        Some(rest) => print(&plain(rest))?,
        None => print(&plain(whole))?,
    }
    if let Some(failure) = waited["turn"]["failure"]["message"].as_str() {
        complain(&format!("The turn failed: {}", one_line(failure)));
        return Ok(ExitCode::FAILURE);
    }
    if waited["turn"]["isOver"] != true {
        complain(&format!("The turn goes on; `openspace chat wait {address}` waits for its end."));
        return exit_as(ErrorKind::TimedOut.word().to_owned());
    }
    Ok(ExitCode::SUCCESS)
}

async fn read(lines: &mut Streamed) -> Result<Option<Vec<Value>>> {
    let Some(text) = lines.lines().await? else { return Ok(None) };
    let read = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    read.map(Some).context("a line of the server")
}

/// A turn as it is printed.
#[derive(Default)]
struct Turn {
    /// The message that began it.
    asked: String,
    /// Messages of the answer, and whether each is over.
    messages: HashMap<String, bool>,
    /// Texts that are printed, by part, each with how much of it.
    texts: HashMap<String, usize>,
    /// Parts that are told once.
    told: Vec<String>,
    printed: String,
    failure: Option<String>,
    idle_since: Option<Instant>,
}

impl Turn {
    fn hear(&mut self, event: &Value) -> Result<()> {
        match event["type"].as_str().unwrap_or_default() {
            "message_updated" => self.message(&event["message"]),
            "part_updated" => self.part(&event["part"])?,
            "text_delta" if event["field"] == "text" => {
                let part = event["partId"].as_str().unwrap_or_default();
                let delta = event["delta"].as_str().unwrap_or_default();
                if let Some(printed) = self.texts.get_mut(part) {
                    *printed += delta.len();
                    self.say(delta)?;
                }
            }
            "status" => {
                let is_idle = event["status"]["state"] == "idle";
                self.idle_since = is_idle.then(Instant::now);
                if event["status"]["state"] == "retry" {
                    let why = event["status"]["message"].as_str().unwrap_or_default();
                    self.aside(&format!("waits to ask the model again: {}", one_line(why)))?;
                }
            }
            "permission_asked" => {
                let request = &event["request"];
                let what = request["title"].as_str().or(request["patterns"][0].as_str());
                let what = one_line(what.unwrap_or_default());
                let kind = one_line(request["permission"].as_str().unwrap_or_default());
                self.aside(&format!("asks whether it may: {kind} {what} (`openspace approve`)"))?;
            }
            "question_asked" => {
                let questions = event["request"]["questions"].as_array();
                let id = one_line(event["request"]["id"].as_str().unwrap_or_default());
                for one in questions.into_iter().flatten() {
                    self.aside(&format!("asks: {}", asked(one)))?;
                }
                // No word of the agent's stands in a line that is there to be run.
                let blanks = vec![r#"["…"]"#; questions.map_or(1, Vec::len)].join(",");
                self.aside(&format!("(`openspace chat answer {id} --answers '[{blanks}]'`)"))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether all that it said is told: an agent may be idle a moment before it says why it broke off.
    fn has_ended(&self) -> bool {
        !self.messages.is_empty() && self.messages.values().all(|is_over| *is_over)
    }

    fn message(&mut self, message: &Value) {
        if message["role"] != "assistant" || message["answers"] != self.asked.as_str() {
            return;
        }
        let id = message["id"].as_str().unwrap_or_default();
        let failure = &message["failure"];
        let is_over = !message["completed"].is_null() || !failure.is_null();
        self.messages.insert(id.to_owned(), is_over);
        if let Some(failure) = failure["message"].as_str() {
            self.failure = Some(failure.to_owned());
        }
    }

    fn part(&mut self, part: &Value) -> Result<()> {
        let message = part["messageId"].as_str().unwrap_or_default();
        if !self.messages.contains_key(message) {
            return Ok(());
        }
        let id = part["id"].as_str().unwrap_or_default().to_owned();
        let content = &part["content"];
        match content["type"].as_str().unwrap_or_default() {
            "text" if content["isSynthetic"] != true => {
                let text = content["text"]["text"].as_str().unwrap_or_default();
                let printed = self.texts.get(&id).copied().unwrap_or_default();
                if printed == 0 && !text.is_empty() && !self.printed.is_empty() {
                    self.say("\n")?;
                }
                // What was printed cannot be taken back: only what is more is added.
                if let Some(more) = text.get(printed..) {
                    self.say(more)?;
                }
                self.texts.insert(id, printed.max(text.len()));
            }
            "tool" => {
                let call = &content["call"];
                let state = call["state"].as_str().unwrap_or_default();
                if matches!(state, "completed" | "failed") && !self.told.contains(&id) {
                    self.told.push(id);
                    let tool = call["tool"].as_str().unwrap_or_default();
                    let title = call["title"].as_str().unwrap_or_default();
                    let failed = if state == "failed" { " (failed)" } else { "" };
                    self.aside(&format!("* {}{failed}", one_line(&format!("{tool} {title}"))))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Print words of the agent.
    fn say(&mut self, words: &str) -> Result<()> {
        self.printed.push_str(words);
        let mut out = std::io::stdout().lock();
        out.write_all(plain(words).as_bytes()).and_then(|()| out.flush()).context("standard output")
    }

    /// Tell what is none of its words, on a line of its own.
    fn aside(&mut self, words: &str) -> Result<()> {
        self.end_line()?;
        complain(words);
        Ok(())
    }

    fn end_line(&mut self) -> Result<()> {
        if !self.printed.is_empty() && !self.printed.ends_with('\n') {
            self.say("\n")?;
        }
        Ok(())
    }
}

/// A question with what can be chosen.
fn asked(question: &Value) -> String {
    let labels = question["choices"].as_array().into_iter().flatten();
    let labels: Vec<String> =
        labels.filter_map(|choice| choice["label"].as_str()).map(one_line).collect();
    let question = one_line(question["question"].as_str().unwrap_or_default());
    if labels.is_empty() { question } else { format!("{question} ({})", labels.join(" | ")) }
}

/// Prose without what a terminal acts on; what turns the order of other letters is shown. Marks that some languages and
/// pictures are written with stay.
fn plain(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for letter in text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')) {
        match letter {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                all.push_str(&seen(letter.encode_utf8(&mut [0; 4])));
            }
            letter => all.push(letter),
        }
    }
    all
}

/// Names and lines that others chose.
fn one_line(text: &str) -> String {
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LINE).collect();
    seen(line.trim())
}

/// A text for a query.
fn encoded(text: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(letter).collect()
}

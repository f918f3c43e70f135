//! The answer to a request: what a step says, as a stream of chunks.

use std::{future, io, time::Duration};

use hyper::body::{Bytes, Frame};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::sleep};

use crate::{End, Step};

/// Bytes of one piece of filler.
const FILLER: usize = 64 * 1024;
/// Letters of one piece of arguments.
const ARGUMENTS: usize = 20;

type Sender = mpsc::Sender<io::Result<Frame<Bytes>>>;

/// Who listens went away.
struct Gone;

/// Says what a step says, as the answer with this number.
pub(crate) async fn say(step: Step, model: String, number: u64, sender: Sender) {
    let mut speech = Speech { sender, model, number, gap: step.gap() };
    // Nobody hears the rest.
    let _heard = speech.all(&step).await;
}

struct Speech {
    sender: Sender,
    model: String,
    number: u64,
    gap: Duration,
}

impl Speech {
    async fn all(&mut self, step: &Step) -> Result<(), Gone> {
        self.delta(json!({ "role": "assistant", "content": "" })).await?;
        for word in words(&step.reasoning) {
            self.delta(json!({ "reasoning_content": word })).await?;
        }
        for word in words(&step.text) {
            self.delta(json!({ "content": word })).await?;
        }
        let mut left = step.filler;
        while left > 0 {
            let piece = left.min(FILLER);
            self.delta(json!({ "content": "x".repeat(piece) })).await?;
            left -= piece;
        }
        for (index, tool) in step.tools.iter().enumerate() {
            self.call(index, &tool.name, &tool.arguments.to_string()).await?;
        }
        match step.end {
            End::Never => future::pending().await,
            End::Well => self.end(step).await,
            End::Broken => {
                let broken = Err(io::ErrorKind::ConnectionReset.into());
                self.sender.send(broken).await.map_err(|_| Gone)
            }
            // It was refused before anything was said.
            End::Refused { .. } => Ok(()),
        }
    }

    async fn call(&mut self, index: usize, name: &str, arguments: &str) -> Result<(), Gone> {
        let id = format!("call_{}_{index}", self.number);
        let function = json!({ "name": name, "arguments": "" });
        let call = json!({ "index": index, "id": id, "type": "function", "function": function });
        self.delta(json!({ "tool_calls": [call] })).await?;
        let letters: Vec<char> = arguments.chars().collect();
        for piece in letters.chunks(ARGUMENTS) {
            let piece: String = piece.iter().collect();
            let call = json!({ "index": index, "function": { "arguments": piece } });
            self.delta(json!({ "tool_calls": [call] })).await?;
        }
        Ok(())
    }

    async fn end(&mut self, step: &Step) -> Result<(), Gone> {
        let reason = if step.tools.is_empty() { "stop" } else { "tool_calls" };
        self.chunk(json!([{ "index": 0, "delta": {}, "finish_reason": reason }]), Value::Null)
            .await?;
        let read = step.tokens_read.unwrap_or(100);
        let usage = json!({
            "prompt_tokens": read,
            "completion_tokens": 20,
            "total_tokens": read + 20,
        });
        self.chunk(json!([]), usage).await?;
        self.line("[DONE]").await
    }

    async fn delta(&mut self, delta: Value) -> Result<(), Gone> {
        let choices = json!([{ "index": 0, "delta": delta, "finish_reason": null }]);
        self.chunk(choices, Value::Null).await?;
        if !self.gap.is_zero() {
            sleep(self.gap).await;
        }
        Ok(())
    }

    async fn chunk(&mut self, choices: Value, usage: Value) -> Result<(), Gone> {
        let chunk = json!({
            "id": format!("chatcmpl-{}", self.number),
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self.model,
            "choices": choices,
            "usage": usage,
        });
        self.line(&chunk.to_string()).await
    }

    async fn line(&mut self, line: &str) -> Result<(), Gone> {
        let frame = Frame::data(Bytes::from(format!("data: {line}\n\n")));
        self.sender.send(Ok(frame)).await.map_err(|_| Gone)
    }
}

/// Words with the space after them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

//! The scripted model as a program, for tests that are not in Rust: the script is on standard input, one step as JSON in each
//! line; the address is printed first, and the program ends with its input.

use std::io::{self, BufRead, Write};

use openspace_scripted::{Scripted, Step};

#[tokio::main]
async fn main() -> io::Result<()> {
    let model = Scripted::start().await?;
    writeln!(io::stdout(), "{}", model.base_url())?;
    let (sender, mut steps) = tokio::sync::mpsc::channel(16);
    tokio::task::spawn_blocking(move || -> io::Result<()> {
        for line in io::stdin().lock().lines() {
            let step: Step = serde_json::from_str(&line?)?;
            if sender.blocking_send(step).is_err() {
                break;
            }
        }
        Ok(())
    });
    while let Some(step) = steps.recv().await {
        model.say([step]);
    }
    Ok(())
}

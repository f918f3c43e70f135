//! The credential helper's other end: what git asks for over the socket, and the answer.

use std::os::fd::OwnedFd;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

use super::url::{Url, Web};
use crate::child::{Call, Done, Session};
use crate::credentials::CredentialRequest;
use crate::error::GitError;

/// The longest question.
const LONGEST_QUESTION: u64 = 64 * 1024;
/// Git asks once, and once more for the other side of a redirect.
const MOST_QUESTIONS: usize = 8;

/// For git's configuration. Only built-in commands of the shell touch the credential, so it is
/// never an argument of a program.
pub(super) const HELPER: &str = "!f() { test \"$1\" = get || exit 0; \
    while IFS= read -r line; do test -n \"$line\" || break; printf '%s\\n' \"$line\" >&3; done; \
    printf '\\n' >&3; \
    while IFS= read -r line <&3; do test -n \"$line\" || break; printf '%s\\n' \"$line\"; done; \
    }; f";

/// What became of the remote's wish for a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Never,
    /// There was none for it.
    InVain,
    Answered,
}

/// Runs git in the relay, with a credential for the address's own host if it asks for one.
pub(super) async fn exchange(
    session: &Session<'_>,
    mut call: Call,
    url: &Url,
) -> Result<(Done, Asked), GitError> {
    let Some(web) = &url.web else {
        return Ok((session.run(call).await?, Asked::Never));
    };
    let lost = |error: std::io::Error| {
        GitError::io(session.action, "the credential helper has no socket", &error)
    };
    let (ours, theirs) = UnixStream::pair().map_err(lost)?;
    let theirs = theirs.into_std().map_err(lost)?;
    // The shell's `read` expects to wait.
    theirs.set_nonblocking(false).map_err(lost)?;
    call.input = Stdio::from(OwnedFd::from(theirs));

    let mut broker = Broker { session, web, asked: Asked::Never, secrets: Vec::new() };
    let outcome = {
        let run = std::pin::pin!(session.run(call));
        let serve = std::pin::pin!(broker.serve(ours));
        let mut run = run;
        tokio::select! {
            biased;
            outcome = &mut run => outcome,
            () = serve => run.await,
        }
    };
    let scrub = |text: String| {
        broker.secrets.iter().fold(text, |text, secret| text.replace(secret.as_str(), "***"))
    };
    match outcome {
        Ok(done) => {
            let stdout = scrub(String::from_utf8_lossy(&done.stdout).into_owned()).into_bytes();
            Ok((Done { stdout, stderr: scrub(done.stderr), ..done }, broker.asked))
        }
        Err(GitError::TimedOut { action, seconds, output, survivors }) => {
            Err(GitError::TimedOut { action, seconds, output: scrub(output), survivors })
        }
        Err(other) => Err(other),
    }
}

struct Broker<'run> {
    session: &'run Session<'run>,
    web: &'run Web,
    asked: Asked,
    /// What must not be in any message.
    secrets: Vec<String>,
}

impl Broker<'_> {
    /// Answers until git is gone.
    async fn serve(&mut self, socket: UnixStream) {
        let (read, mut write) = socket.into_split();
        let mut lines = BufReader::new(read.take(LONGEST_QUESTION)).lines();
        let mut question = Vec::new();
        let mut questions = 0;
        while let Ok(Some(line)) = lines.next_line().await {
            if !line.is_empty() {
                question.push(line);
                continue;
            }
            questions += 1;
            let answer = if questions <= MOST_QUESTIONS {
                self.answer(&std::mem::take(&mut question)).await
            } else {
                "\n".to_owned()
            };
            if write.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }

    async fn answer(&mut self, question: &[String]) -> String {
        const NOTHING: &str = "\n";
        let value = |key: &str| {
            let mut pairs = question.iter().filter_map(|line| line.split_once('='));
            pairs.find(|(name, _)| *name == key).map(|(_, value)| value.to_owned())
        };
        if self.asked == Asked::Never {
            self.asked = Asked::InVain;
        }
        let same = value("protocol").as_deref() == Some(&self.web.protocol)
            && value("host").as_deref() == Some(&self.web.host);
        if !same {
            tracing::warn!("a remote sent git to another host, which gets no credential");
            return NOTHING.to_owned();
        }
        let request = CredentialRequest {
            protocol: self.web.protocol.clone(),
            host: self.web.host.clone(),
            path: value("path").unwrap_or_default(),
            username: value("username"),
        };
        let Some(credential) = self.session.credentials.ask(request).await else {
            return NOTHING.to_owned();
        };
        let breaks = |text: &str| text.is_empty() || text.contains(char::is_control);
        if breaks(&credential.username) || breaks(&credential.password) {
            tracing::warn!("a credential with control characters or an empty part was not used");
            return NOTHING.to_owned();
        }
        self.asked = Asked::Answered;
        self.secrets.push(credential.password.clone());
        format!("username={}\npassword={}\n\n", credential.username, credential.password)
    }
}

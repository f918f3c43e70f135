//! Where the work is done and in whose name: options of `serve` and `mcp`.
//!
//! They are set on the command line only: nothing that an agent can call or write changes them.

use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use openspace_git::{Identity, Source};
use openspace_isolation::{Limits, Provider, Reach};

use serde_json::{Value, json};

use crate::{
    client::Client,
    server::{AgentsChoice, HostingOptions},
};

/// Where the work is done and in whose name.
#[derive(Debug, Args)]
pub(super) struct HostingArgs {
    /// Where programs run: `local`, `runner` or `sandbox` [default: local].
    #[arg(long, value_name = "PROVIDER")]
    provider: Option<Provider>,
    /// Let programs in a sandbox use the network.
    #[arg(long)]
    network: bool,
    /// Limits of a runner or sandbox, as JSON: `memory_bytes`, `processes`, `cpu_percent`,
    /// `file_size_bytes`, `open_files`, `temporary_bytes`.
    #[arg(long, value_name = "JSON", hide_short_help = true)]
    limits: Option<String>,
    /// The runner program [default: openspace-runner beside this program].
    #[arg(long, value_name = "FILE", env = "OPENSPACE_RUNNER", hide_short_help = true)]
    runner: Option<PathBuf>,
    /// Where agents' programs run with the providers `local` and `runner`: `confined`, a place beside the
    /// workspace in which only the workspace can be changed, or `shared`, where yours run.
    #[arg(long, value_name = "PLACE", default_value = "confined", value_parser = ["confined", "shared"])]
    agents_place: String,
    /// The network of that place: `on`, `off`, or `own`: what this machine reaches, without the servers on its
    /// loopback (needs `pasta`).
    #[arg(long, value_name = "NETWORK", default_value = "on", value_parser = ["on", "off", "own"], hide_short_help = true)]
    agents_network: String,
    /// Where tools in it keep what they fetch: `shared` with yours, or `own`.
    #[arg(long, value_name = "CACHES", default_value = "shared", value_parser = ["shared", "own"], hide_short_help = true)]
    agents_caches: String,
    /// A further folder or file that can be read in it; may be repeated and begin with `~/`.
    #[arg(long, value_name = "PATH", hide_short_help = true)]
    agents_read: Vec<PathBuf>,
    /// A further folder or file that can be changed in it; may be repeated and begin with `~/`.
    #[arg(long, value_name = "PATH", hide_short_help = true)]
    agents_write: Vec<PathBuf>,
    /// The name that agents' commits are made in, as `NAME <EMAIL>`.
    #[arg(long, value_name = "IDENTITY", hide_short_help = true)]
    git_author: Option<String>,
    /// A person to name in agents' commits as co-author, as `NAME <EMAIL>`.
    #[arg(long, value_name = "IDENTITY", hide_short_help = true)]
    git_co_author: Option<String>,
    /// A command that answers for git remotes, speaking git's credential protocol.
    #[arg(long, value_name = "COMMAND", conflicts_with = "git_token_file", hide_short_help = true)]
    git_credential_command: Option<String>,
    /// A file of mode 600 with lines such as `https://user:token@host`.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    git_token_file: Option<PathBuf>,
}

impl HostingArgs {
    pub(super) fn options(&self) -> Result<HostingOptions> {
        let limits = match &self.limits {
            Some(text) => serde_json::from_str(text).context("--limits is not understood")?,
            None => Limits::default(),
        };
        let provider = self.provider.unwrap_or(Provider::Local);
        if self.network && provider != Provider::Sandbox {
            bail!(
                "--network goes with --provider sandbox\n  hint: other providers always have the network"
            );
        }
        let credentials = match (&self.git_credential_command, &self.git_token_file) {
            (Some(command), _) => Source::Command(command.clone()),
            (None, Some(file)) => {
                let file = std::path::absolute(file).context("the file of tokens")?;
                check_token_file(&file)?;
                Source::File(file)
            }
            (None, None) => Source::Nobody,
        };
        Ok(HostingOptions {
            provider,
            network: self.network,
            limits,
            runner: runner(self.runner.as_deref())?,
            agents: AgentsChoice {
                confined: self.agents_place == "confined",
                reach: match self.agents_network.as_str() {
                    "off" => Reach::None,
                    "own" => Reach::Own,
                    _ => Reach::Machine,
                },
                own_caches: self.agents_caches == "own",
                readable: self.agents_read.clone(),
                writable: self.agents_write.clone(),
            },
            identity: self
                .git_author
                .as_deref()
                .map(|text| identity("--git-author", text))
                .transpose()?
                .unwrap_or_default(),
            co_author: self
                .git_co_author
                .as_deref()
                .map(|text| identity("--git-co-author", text))
                .transpose()?,
            credentials,
        })
    }

    /// Whether it was said how programs are kept apart.
    pub(super) fn isolates(&self) -> bool {
        self.provider.is_some() || self.network || self.limits.is_some()
    }

    /// Refuse to join a server whose workspace is not isolated as was asked for: that would be
    /// noticed too late.
    pub(super) async fn check_joined(&self, client: &Client) -> Result<()> {
        if !self.isolates() {
            return Ok(());
        }
        let options = self.options()?;
        let answer = client.call("workspace.get", &json!({"workspace_id": "main"}), false).await?;
        let main: Value = serde_json::from_slice(&answer.body).context("the server's answer")?;
        let network = options.network || options.provider != Provider::Sandbox;
        let asked = [json!(options.provider), json!(network), json!(options.limits)];
        if asked.iter().eq([&main["provider"], &main["network"], &main["limits"]]) {
            return Ok(());
        }
        bail!(
            "the server at {} already serves this workspace with provider {}, network {} and limits {}, not as asked for\n  hint: leave --provider, --network and --limits out to join it, or stop it first",
            client.url,
            main["provider"],
            main["network"],
            main["limits"],
        )
    }
}

/// What is wrong with the file is told at once and not at the first push.
fn check_token_file(file: &Path) -> Result<()> {
    let cannot = || format!("--git-token-file: {} cannot be read", file.display());
    let mode = std::fs::metadata(file).with_context(cannot)?.permissions().mode();
    if mode & 0o077 != 0 {
        bail!("--git-token-file: others may read {}\n  hint: `chmod 600` it", file.display());
    }
    Ok(())
}

/// The runner that was given, else the one beside this program.
pub(super) fn runner(given: Option<&Path>) -> Result<Option<PathBuf>> {
    match given {
        Some(runner) => std::path::absolute(runner).context("the runner").map(Some),
        None => Ok(beside_this_program()),
    }
}

/// `openspace-runner` in the folder of this program, if it is there.
fn beside_this_program() -> Option<PathBuf> {
    let runner = std::env::current_exe().ok()?.parent()?.join("openspace-runner");
    runner.is_file().then_some(runner)
}

/// `NAME <EMAIL>` as an identity.
fn identity(option: &str, text: &str) -> Result<Identity> {
    let parts = text.strip_suffix('>').and_then(|text| text.split_once('<'));
    let (name, email) = parts.map(|(name, email)| (name.trim(), email.trim())).unwrap_or_default();
    let odd = |part: &str| part.is_empty() || part.contains(['<', '>', '\n', '\0']);
    if odd(name) || odd(email) {
        bail!("{option}: `{text}` is not of the form `NAME <EMAIL>`");
    }
    Ok(Identity { name: name.to_owned(), email: email.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_has_a_name_and_an_address() {
        let ada = Identity { name: "Ada L.".into(), email: "ada@example.org".into() };
        assert_eq!(identity("--git-author", "Ada L. <ada@example.org>").unwrap(), ada);
        for text in ["", "Ada", "<a@b>", "Ada <>", "Ada <a@b", "A\nB <a@b>"] {
            let error = identity("--git-author", text).unwrap_err().to_string();
            assert_eq!(error, format!("--git-author: `{text}` is not of the form `NAME <EMAIL>`"));
        }
    }
}

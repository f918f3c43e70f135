//! How far an agent may reach when it creates a workspace: no further than it does already.
//!
//! It judges what is asked for by the workspace of the space, in which the agent is. A person may
//! create what the machine can make.

use std::path::Path;

use openspace_command::{Error, Result};
use openspace_isolation::{Limits, Provider, Reach};

use super::WorkspaceRecord;

/// What an agent asks for.
pub(super) struct Wanted<'a> {
    /// A folder of this machine.
    pub(super) root: Option<&'a Path>,
    /// A repository to clone.
    pub(super) git_url: Option<&'a str>,
    /// What kind of place.
    pub(super) provider: Provider,
    /// Whether with the network.
    pub(super) network: bool,
    /// Which limits hold.
    pub(super) limits: &'a Limits,
}

impl Wanted<'_> {
    /// Refuse what reaches further than the workspace in which the agent is. `reach` is the network of agents'
    /// programs beside a workspace without walls.
    pub(super) fn check(&self, main: &WorkspaceRecord, reach: Option<Reach>) -> Result<()> {
        if self.root.is_some() {
            return Err(Error::denied("an agent cannot open a folder of this machine")
                .hint("leave `root` out for a new folder, or ask the person to open it"));
        }
        if main.provider != Provider::Sandbox {
            let is_less = matches!(reach, Some(Reach::None | Reach::Own));
            return if self.network && is_less {
                Err(Error::denied("agents' programs have less than this machine's network here")
                    .hint("leave `network` out, or ask the person to create the workspace"))
            } else {
                Ok(())
            };
        }
        if self.provider != Provider::Sandbox || (self.network && !main.network) {
            return Err(Error::denied(
                "an agent in a sandbox cannot create a workspace that is less isolated",
            )
            .hint("use provider `sandbox` without `network`"));
        }
        // The server clones, and it reaches further than the sandbox does.
        if let Some(url) = self.git_url
            && !(main.network && is_on_the_web(url))
        {
            let what = if main.network { "over http and https only" } else { "no repository" };
            return Err(Error::denied(format!("an agent in this sandbox can clone {what}"))
                .hint("ask the person to create the workspace"));
        }
        if !is_within(self.limits, &main.limits) {
            return Err(Error::denied(
                "an agent cannot create a workspace with wider limits than its own",
            )
            .hint("workspace_get shows the limits of `main`"));
        }
        Ok(())
    }
}

/// Whether git would fetch an address over http or https.
fn is_on_the_web(url: &str) -> bool {
    url.split_once("://").is_some_and(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    })
}

/// Whether every limit that holds outside holds inside too.
fn is_within(inner: &Limits, outer: &Limits) -> bool {
    let values = |limits: &Limits| {
        let Limits {
            memory_bytes,
            processes,
            cpu_percent,
            file_size_bytes,
            open_files,
            temporary_bytes,
        } = limits;
        let cpu_percent = cpu_percent.map(u64::from);
        [*memory_bytes, *processes, cpu_percent, *file_size_bytes, *open_files, *temporary_bytes]
    };
    values(inner).into_iter().zip(values(outer)).all(|(inner, outer)| match (inner, outer) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(inner), Some(outer)) => inner <= outer,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_and_https_are_the_web() {
        for url in ["https://example.invalid/x", "HTTP://h/x"] {
            assert!(is_on_the_web(url), "{url}");
        }
        for url in ["file:///x", "/x", "x", "", "ssh://h/x", "git@h:x/y", "ext::sh"] {
            assert!(!is_on_the_web(url), "{url}");
        }
    }

    #[test]
    fn limits_may_be_narrower_and_never_wider() {
        let limits =
            |memory_bytes, cpu_percent| Limits { memory_bytes, cpu_percent, ..Limits::default() };
        let outer = limits(Some(100), None);
        assert!(is_within(&outer, &outer));
        assert!(is_within(&limits(Some(99), Some(5)), &outer));
        assert!(!is_within(&limits(Some(101), None), &outer));
        assert!(!is_within(&limits(None, Some(5)), &outer));
        assert!(is_within(&limits(None, None), &Limits::default()));
    }
}

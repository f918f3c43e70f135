//! Whether a failed program failed because of the walls of its place: both sides are asked.

use openspace_process::wall::{self, Refused};

use crate::host::{Host, HostError};
use crate::operation::LookAround;

/// Something that a place refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The path as the program wrote it.
    pub path: String,
    pub what: Refused,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "refused by the confinement: {} {}", self.what.word(), self.path)
    }
}

/// What the place of a program refused, by the end of what the program wrote. Both hosts must have the
/// same paths: a confined place and the one it stands beside. Nothing is said that is not certain.
///
/// [`Refused::Finding`] tells whoever hears of it that something is there outside.
pub async fn refusals(
    output: &str,
    folder: &std::path::Path,
    home: Option<&std::path::Path>,
    inside: &dyn Host,
    outside: &dyn Host,
) -> Result<Vec<Refusal>, HostError> {
    let suspects = wall::suspects(output, folder, home);
    if suspects.is_empty() {
        return Ok(Vec::new());
    }
    let paths: Vec<_> = suspects.iter().map(|suspect| suspect.path.clone()).collect();
    let inside = inside.ask(LookAround { paths: paths.clone() }).await?;
    let outside = outside.ask(LookAround { paths }).await?;
    let both = inside.into_iter().zip(outside);
    let judged = suspects.into_iter().zip(both).filter_map(|(suspect, (inside, outside))| {
        let what = wall::judge(suspect.complaint, inside, outside)?;
        Some(Refusal { path: suspect.written, what })
    });
    Ok(judged.collect())
}

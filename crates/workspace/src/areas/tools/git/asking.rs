//! Running git in a place, and answering what it asks while it works. Decides nothing about who may run it.

use std::time::Duration;

use openspace_command::Result;
use openspace_git::{Credential, CredentialRequest, GitAnswer, GitQuestion, GitReply, GitRequest};
use openspace_host::{Conversation, operation};
use openspace_secrets::Value as Secret;
use tokio::sync::mpsc;

use crate::{Cx, paths::is_person, places::Place, refusal::refused, workspaces::unopened};

/// Do something with git in a place; the server's broker answers when a remote asks who we are, and programs of
/// agents stand still when git needs them to.
pub(crate) async fn ask_git(
    cx: &Cx,
    place: &Place,
    request: GitRequest,
    hooks: bool,
    timeout_ms: u64,
) -> Result<GitReply> {
    let (items, mut told) = mpsc::channel(1);
    let (answers, inputs) = mpsc::channel(1);
    let conversation =
        Conversation { items: Some(items), inputs: Some(inputs), ..Conversation::default() };
    let may_ask = may_ask(cx, place, &request);
    let asked = operation::Git { request, person: is_person(&cx.caller), hooks, timeout_ms };
    let work = place.ask_with(asked, conversation);
    let answer = async {
        // Until git is done.
        let mut stillness = None;
        while let Some(question) = told.recv().await {
            let answer = match question {
                GitQuestion::Credential(wanted) => {
                    let found = if may_ask { credential(cx, &wanted).await } else { None };
                    GitAnswer::Credential(found)
                }
                GitQuestion::StandStill if stillness.is_some() => GitAnswer::StandStill(None),
                GitQuestion::StandStill => {
                    let at_most = Duration::from_millis(timeout_ms);
                    match cx.state.workspaces().hold_agents(place, at_most).await {
                        Ok(held) => {
                            stillness = held;
                            GitAnswer::StandStill(None)
                        }
                        Err(error) => GitAnswer::StandStill(Some(error.to_string())),
                    }
                }
            };
            // Git that is gone needs no answer.
            drop(answers.send(answer).await);
        }
        drop(stillness);
    };
    let (reply, ()) = tokio::join!(work, answer);
    reply.map_err(refused)
}

async fn credential(cx: &Cx, wanted: &CredentialRequest) -> Option<Credential> {
    let found = cx.state.credentials().find(wanted).await?;
    let called = format!("password for {}", wanted.host);
    cx.state.secrets().learn(Secret::new(&called, &found.password)).await;
    Some(found)
}

/// Whether a credential can be of use at all. What runs in a place may be tricked into asking for
/// one, so a place without network gets none, nor does an action that speaks to no remote.
fn may_ask(cx: &Cx, place: &Place, request: &GitRequest) -> bool {
    let remote = matches!(
        request,
        GitRequest::Push(_) | GitRequest::Pull(_) | GitRequest::Fetch(_) | GitRequest::Clone(_)
    );
    // A folder that is about to become a workspace has no record yet, and is not in a sandbox.
    remote && cx.state.workspaces().record(place.id()).map_or(true, |record| record.network)
}

/// Clone a repository into a new, empty folder of this machine, before any place is made of it: a
/// place may have no network.
pub(crate) async fn clone_into(
    cx: &Cx,
    id: &str,
    root: &std::path::Path,
    request: GitRequest,
    timeout_ms: u64,
) -> Result<()> {
    let workspaces = cx.state.workspaces();
    let place = workspaces.for_a_moment(id, root).await;
    let place = place.map_err(|error| unopened(error, root))?;
    let cloned = ask_git(cx, &place, request, true, timeout_ms).await;
    let ended = place.end().await.map_err(refused);
    cloned?;
    ended
}

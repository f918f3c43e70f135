//! What an agent that speaks ACP can do, and why it cannot do the rest.

use agent_client_protocol_schema::v1::AgentCapabilities;

use super::{
    book::{Book, MOST_KEPT_SESSIONS},
    history::MOST_KEPT_MESSAGES,
    permission,
};
use crate::{Ability, Capabilities};

pub(super) fn capabilities(can: &AgentCapabilities, book: &Book) -> Capabilities {
    let session = &can.session_capabilities;
    let unless = |is_there: bool, why: String| (!is_there).then_some(why);
    let never = |why: &str| Some(why.to_owned());
    let in_a_session = |is_there: bool, what: &str| {
        unless(is_there, format!("the agent offers no {what}, or not before a session begins"))
    };
    Capabilities::judged(|ability| match ability {
        Ability::List => unless(
            session.list.is_some(),
            format!(
                "the agent lists no sessions; the last {MOST_KEPT_SESSIONS} are kept while it runs"
            ),
        ),
        Ability::History => unless(
            can.load_session,
            format!(
                "the agent tells no old messages; the last {MOST_KEPT_MESSAGES} are kept while it runs"
            ),
        ),
        Ability::Delete => {
            unless(session.delete.is_some(), "the agent deletes no sessions".to_owned())
        }
        Ability::Fork => unless(session.fork.is_some(), "the agent forks no sessions".to_owned()),
        Ability::Images => {
            unless(can.prompt_capabilities.image, "the agent takes no pictures".to_owned())
        }
        Ability::Models => {
            in_a_session(book.any(|entry| entry.options.models()).is_some(), "choice of models")
        }
        Ability::Modes => in_a_session(book.any(|entry| entry.options.modes()).is_some(), "modes"),
        Ability::Variants => {
            let has = book.any(|entry| entry.options.has_variants().then_some(())).is_some();
            in_a_session(has, "variants of models")
        }
        Ability::Commands => {
            in_a_session(book.any(|entry| entry.commands.clone()).is_some(), "slash commands")
        }
        Ability::Todos => None,
        Ability::Rename => never("ACP has no way to rename a session"),
        Ability::Revert | Ability::Unrevert => never("ACP has no way to undo messages"),
        Ability::Compact => {
            never("ACP has no way to ask for it; the agent may have a slash command")
        }
        Ability::Share | Ability::Unshare => never("ACP has no way to share a session"),
        Ability::Questions => never("over ACP the agent asks in its text"),
        Ability::SubAgents => never("over ACP sub-agents are not told apart"),
        Ability::Diff => never("over ACP changes are told with the calls of tools only"),
        Ability::Queue => never("over ACP a session takes one prompt at a time"),
        Ability::RejectWithMessage => never(permission::NO_WORDS),
        Ability::Providers => never("over ACP an agent is logged in with its own program"),
    })
}

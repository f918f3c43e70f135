//! Agents that were there: when they were last heard of, whether they said goodbye, and from when on
//! what they brought may go.
//!
//! A client that reconnects in a new session cannot be told from another one of its name. So a session
//! that began after another one of the same client had gone counts as its return: what the gone one
//! brought stays as long as the other is there.

use std::collections::BTreeMap;

use super::settings::AgentSettings;

/// Agents that are remembered after they went; the oldest are forgotten first.
const MAX_PAST: usize = 1_000;

/// An agent that is not among the connected ones any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    connected_at: u64,
    last_there: u64,
    ended: bool,
}

/// Where an agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// A stream to it is open, or a call of it runs.
    There,
    /// It was last heard of then, and has not said goodbye.
    Quiet(u64),
    /// Its session ended then.
    Ended(u64),
    /// It was not heard of since the server started then.
    NeverCameBack(u64),
}

/// Why what an agent brought is taken away.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WhyCleanedUp")]
pub enum Why {
    /// Its session ended.
    SessionEnded,
    /// It was quiet for too long.
    Quiet,
    /// It was not heard of since the server started.
    NeverCameBack,
    /// A person disconnected it.
    Disconnected,
    /// Somebody asked for it.
    Asked,
}

impl Why {
    /// Every reason.
    pub const ALL: [Self; 5] =
        [Self::SessionEnded, Self::Quiet, Self::NeverCameBack, Self::Disconnected, Self::Asked];

    /// As it is told to programs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::SessionEnded => "session_ended",
            Self::Quiet => "quiet",
            Self::NeverCameBack => "never_came_back",
            Self::Disconnected => "disconnected",
            Self::Asked => "asked",
        }
    }

    /// For readers.
    pub const fn words(self) -> &'static str {
        match self {
            Self::SessionEnded => "its session ended",
            Self::Quiet => "it was quiet for too long",
            Self::NeverCameBack => "it did not come back after the server started",
            Self::Disconnected => "a person disconnected it",
            Self::Asked => "somebody asked for it",
        }
    }
}

/// The name of the client in the id of an agent.
pub(super) fn client(agent: &str) -> &str {
    agent.split('#').next().unwrap_or(agent)
}

/// Those who were there.
#[derive(Default)]
pub(super) struct Pasts(BTreeMap<String, Past>);

impl Pasts {
    pub(super) fn remember(&mut self, id: String, connected_at: u64, last_there: u64, ended: bool) {
        if self.0.len() >= MAX_PAST && !self.0.contains_key(&id) {
            let oldest = self.0.iter().min_by_key(|(_, past)| past.last_there);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                self.0.remove(&oldest);
            }
        }
        self.0.insert(id, Past { connected_at, last_there, ended });
    }

    /// It is there again.
    pub(super) fn came_back(&mut self, id: &str) {
        self.0.remove(id);
    }

    pub(super) fn is_known(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    pub(super) fn whereabouts(&self, id: &str, started_at: u64) -> Whereabouts {
        match self.0.get(id) {
            Some(Past { last_there, ended: true, .. }) => Whereabouts::Ended(*last_there),
            Some(Past { last_there, .. }) => Whereabouts::Quiet(*last_there),
            None => Whereabouts::NeverCameBack(started_at),
        }
    }

    /// When those of a client that are gone by now had connected, and where they are.
    pub(super) fn of_client(&self, name: &str) -> Vec<(u64, Whereabouts)> {
        let of_client = self.0.iter().filter(|(id, _)| client(id) == name);
        of_client.map(|(id, past)| (past.connected_at, self.whereabouts(id, 0))).collect()
    }
}

/// When what an agent brought goes, and why; never if none. `others` are sessions of the same client:
/// when each connected, and where it is.
pub(super) fn due(
    own: Whereabouts,
    others: &[(u64, Whereabouts)],
    settings: &AgentSettings,
) -> Option<(u64, Why)> {
    let since = match own {
        Whereabouts::There => return None,
        Whereabouts::Quiet(at) | Whereabouts::Ended(at) | Whereabouts::NeverCameBack(at) => at,
    };
    let came_back = others.iter().filter(|(connected_at, _)| *connected_at >= since);
    let all = std::iter::once(own).chain(came_back.map(|(_, other)| *other));
    let mut latest = None;
    for one in all {
        let (at, why) = deadline(one, settings)?;
        if latest.is_none_or(|(latest, _)| at > latest) {
            latest = Some((at, why));
        }
    }
    latest
}

fn deadline(whereabouts: Whereabouts, settings: &AgentSettings) -> Option<(u64, Why)> {
    let milliseconds =
        |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let quiet = |at: u64, why| Some((at.saturating_add(milliseconds(settings.idle?)), why));
    match whereabouts {
        Whereabouts::There => None,
        Whereabouts::Quiet(at) => quiet(at, Why::Quiet),
        Whereabouts::NeverCameBack(at) => quiet(at, Why::NeverCameBack),
        Whereabouts::Ended(at) => {
            Some((at.saturating_add(milliseconds(settings.grace)), Why::SessionEnded))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pretty_assertions::assert_eq;

    use super::*;

    const SETTINGS: AgentSettings = AgentSettings {
        idle: Some(Duration::from_secs(1)),
        grace: Duration::from_millis(10),
        consent: super::super::settings::ConsentMode::Given,
    };

    fn goes(own: Whereabouts, others: &[(u64, Whereabouts)]) -> Option<(u64, Why)> {
        due(own, others, &SETTINGS)
    }

    #[test]
    fn who_is_there_keeps_all_and_who_left_has_a_grace() {
        assert_eq!(goes(Whereabouts::There, &[]), None);
        assert_eq!(goes(Whereabouts::Quiet(5), &[]), Some((1_005, Why::Quiet)));
        assert_eq!(goes(Whereabouts::Ended(5), &[]), Some((15, Why::SessionEnded)));
        assert_eq!(goes(Whereabouts::NeverCameBack(5), &[]), Some((1_005, Why::NeverCameBack)));
    }

    #[test]
    fn without_an_idle_time_only_an_end_counts() {
        let settings = AgentSettings { idle: None, ..SETTINGS };
        assert_eq!(due(Whereabouts::Quiet(5), &[], &settings), None);
        assert_eq!(due(Whereabouts::NeverCameBack(5), &[], &settings), None);
        assert_eq!(due(Whereabouts::Ended(5), &[], &settings), Some((15, Why::SessionEnded)));
    }

    #[test]
    fn a_session_that_began_later_keeps_what_the_last_one_of_its_client_brought() {
        let ended = Whereabouts::Ended(100);
        assert_eq!(goes(ended, &[(99, Whereabouts::There)]), Some((110, Why::SessionEnded)));
        assert_eq!(goes(ended, &[(100, Whereabouts::There)]), None);
        let both = [(101, Whereabouts::Ended(300)), (102, Whereabouts::There)];
        assert_eq!(goes(ended, &both), None, "one of both is there");
        let both = [(101, Whereabouts::Ended(300)), (102, Whereabouts::Quiet(250))];
        assert_eq!(goes(ended, &both), Some((1_250, Why::Quiet)));
        assert_eq!(goes(ended, &both[..1]), Some((310, Why::SessionEnded)));
    }

    #[test]
    fn only_so_many_are_remembered() {
        let mut pasts = Pasts::default();
        for number in 0..MAX_PAST + 5 {
            pasts.remember(format!("a#{number}"), 0, number as u64, true);
        }
        assert_eq!(pasts.0.len(), MAX_PAST);
        assert_eq!(pasts.whereabouts("a#4", 7), Whereabouts::NeverCameBack(7));
        assert_eq!(pasts.whereabouts("a#5", 7), Whereabouts::Ended(5));
        pasts.came_back("a#5");
        assert!(!pasts.is_known("a#5"));
    }
}

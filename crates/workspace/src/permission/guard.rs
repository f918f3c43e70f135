//! The guard itself: what is allowed is let in at once, what is forbidden is refused with the rule's name,
//! and what has to be asked about is held until somebody answers.

use std::{sync::Arc, time::Duration};

use openspace_command::{
    Asked, Caller, CallerKind, Error, ErrorKind, Guard, Intent, Progress, Result, Site,
};
use openspace_host::BoxFuture;
use openspace_policy::{Changeable, Decision, Policy, is_asked_each_time};
use openspace_protocol::ApprovalId;
use tokio::time::{Instant, interval_at};

use super::{
    Permission, read_rule,
    ruling::{Ruled, rule_on},
    sources::{self, Found},
};
use crate::{
    OpenSpace,
    areas::approvals::{
        Answered, Approvals, Entered, Grant, Held, Outcome, Question,
        shown::{arguments, digest, shown},
    },
};

/// While a call is held its caller hears of it this often: clients give up on what is silent.
const TELL_EVERY: Duration = Duration::from_secs(10);
/// Longest summary, reason or folder of a question, in characters.
const MAX_TEXT: usize = 1_000;
/// Commands that no policy opens to agents: with them an agent would answer for the person.
const PERSONS_OWN: &str = "openspace.approval.";

impl Guard<OpenSpace> for Permission {
    /// A person is asked about nothing, and without a policy nobody is.
    fn watches(&self, caller: &Caller) -> bool {
        caller.kind != CallerKind::Person && self.policy().is_some()
    }

    fn admit<'a>(&'a self, asked: Asked<'a, OpenSpace>) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            let Some(policy) = self.policy() else { return Ok(None) };
            if asked.caller.kind == CallerKind::Agent && asked.command.id.starts_with(PERSONS_OWN) {
                return Err(forbidden(asked.summary, "questions are for persons", "the floor"));
            }
            let approvals = asked.state.service::<Approvals>();
            let mut intent = asked.intent.clone();
            let kind = asked.caller.kind;
            let at_most = sources::at_most(kind, &intent);
            let mut ruled = rule(&policy, &approvals, &asked, &intent, &at_most);
            let mut found = Found::default();
            if ruled.decision != Decision::Allow {
                if let Some(closer) = asked.closer().await? {
                    intent = closer;
                }
                found = sources::look(asked.state, kind, asked.workspace(), &intent).await;
                ruled = rule(&policy, &approvals, &asked, &intent, &found.changeable);
            }
            match ruled.decision {
                Decision::Allow => Ok(Some(format!("allowed by {}", ruled.rule))),
                Decision::Deny => Err(forbidden(asked.summary, &ruled.why, &ruled.rule)),
                Decision::Ask => self.ask(&policy, &approvals, &asked, intent, ruled, found).await,
            }
        })
    }
}

/// What the policy says about a call that would do this. To act in what is somebody else's is asked about
/// for itself, once in a session; after that it counts like any place that is not confined.
fn rule(
    policy: &Policy,
    approvals: &Approvals,
    asked: &Asked<'_, OpenSpace>,
    intent: &Intent,
    changeable: &[Changeable],
) -> Ruled {
    let (caller, command, access) = (asked.caller, asked.command.id.as_str(), asked.access());
    let access = intent.access.unwrap_or(access);
    let rule = |intent: &Intent| rule_on(policy, caller, command, access, intent, changeable);
    let Some(thing) = &intent.theirs else { return rule(intent) };
    let there = match intent.site {
        Site::Outside => Site::Unconfined,
        site => site,
    };
    let ruled = rule(&Intent { site: there, ..intent.clone() });
    if approvals.grants().by(caller, &Grant::Thing(thing.clone())).is_some() {
        return ruled;
    }
    let entering = rule(&Intent { site: Site::Outside, line: None, ..intent.clone() });
    if entering.decision < ruled.decision || entering.decision == Decision::Allow {
        return ruled;
    }
    let why = format!("It would act in {thing}, which is a person's. {}", ruled.why);
    // A rule about the thing would have to be about all that is done in it.
    Ruled { why, line: ruled.line, always: None, ..entering }
}

impl Permission {
    /// Have somebody decide, unless it was decided before.
    async fn ask(
        &self,
        policy: &Policy,
        approvals: &Arc<Approvals>,
        asked: &Asked<'_, OpenSpace>,
        mut intent: Intent,
        ruled: Ruled,
        found: Found,
    ) -> Result<Option<String>> {
        intent.seen.clone_from(&found.seen);
        intent.each_time |= found.is_open;
        let digest = digest(asked.arguments, &intent);
        if asked.seen.set(found.seen.clone()).is_err() {
            tracing::error!("a call was decided about twice");
        }
        let granted = granted(policy, approvals, asked, &intent, &digest, &found.changeable);
        if let Some(by) = granted {
            return Ok(Some(format!("approved for the session by {by}")));
        }
        let about = intent.about.map(|about| format!(" {}", shown(&about, MAX_TEXT)));
        let files = Some(found.words).filter(|words| !words.is_empty());
        let files = files.map(|words| format!(" {words}"));
        let question = Question {
            command: asked.command.id.clone(),
            summary: shown(asked.summary, MAX_TEXT),
            arguments: arguments(asked.arguments),
            digest,
            line: ruled.line,
            folder: intent.folder.map(|folder| shown(&folder, MAX_TEXT)),
            caller: asked.caller.clone(),
            site: intent.site,
            reason: intent.reason.map(|reason| shown(&reason, MAX_TEXT)),
            theirs: intent.theirs,
            rule: ruled.rule,
            why: ruled.why + &about.unwrap_or_default() + &files.unwrap_or_default(),
            always: ruled.always.filter(|_| !found.is_open),
            each_time: intent.each_time || is_asked_each_time(&asked.command.id),
        };
        let summary = question.summary.clone();
        match approvals.enter(question).await? {
            Entered::Late(outcome) => told(outcome, &summary),
            Entered::Held(mut held) if asked.hold.leaves() => {
                held.leave_open();
                Err(unanswered(held.id(), &summary, "its caller asks its own person"))
            }
            Entered::Held(held) => {
                asked.hold.tell(&held.id());
                self.wait(approvals, held, asked.progress, &summary).await
            }
        }
    }

    /// Hold the call until it is decided, or nobody has answered for too long.
    async fn wait(
        &self,
        approvals: &Approvals,
        mut held: Held,
        progress: &Progress,
        summary: &str,
    ) -> Result<Option<String>> {
        let id = held.id();
        let started = Instant::now();
        let over = tokio::time::sleep(self.answer_within);
        tokio::pin!(over);
        let mut tell = interval_at(started, TELL_EVERY);
        {
            // One wait for all of it: who is dropped while it takes an answer has used that answer up.
            let decided = held.decided();
            tokio::pin!(decided);
            let mut may_end = true;
            loop {
                tokio::select! {
                    biased;
                    outcome = &mut decided => return told(outcome?, summary),
                    () = &mut over, if may_end => {
                        if !approvals.is_answered(id) {
                            break;
                        }
                        may_end = false;
                    }
                    _ = tell.tick() => {
                        let words = format!("waiting for a person's answer: {summary} ({id})");
                        progress.report(started.elapsed().as_secs_f64(), None, words);
                    }
                }
            }
        }
        held.leave_open();
        Err(unanswered(id, summary, &span(self.answer_within)))
    }
}

/// Who allowed it for the rest of the session, if anybody did.
fn granted(
    policy: &Policy,
    approvals: &Approvals,
    asked: &Asked<'_, OpenSpace>,
    intent: &Intent,
    digest: &str,
    changeable: &[Changeable],
) -> Option<String> {
    if intent.each_time || is_asked_each_time(&asked.command.id) {
        return None;
    }
    let grants = approvals.grants();
    let call = Grant::Call { command: asked.command.id.clone(), digest: digest.to_owned() };
    if let Some(by) = grants.by(asked.caller, &call) {
        return Some(by);
    }
    let rules = grants.rules(asked.caller);
    if rules.is_empty() {
        return None;
    }
    let mut widened = policy.clone();
    for (text, _) in &rules {
        if let Ok(rule) = read_rule(text) {
            widened.user_mut().push(rule);
        }
    }
    let ruled = rule(&widened, approvals, asked, intent, changeable);
    // Which of them it was is of no use to anybody: they were all given by a person.
    (ruled.decision == Decision::Allow).then(|| rules.into_iter().next().map(|(_, by)| by))?
}

/// What was decided, as the caller hears it.
fn told(outcome: Outcome, summary: &str) -> Result<Option<String>> {
    match outcome {
        Outcome::Approved(id, scope, answered) => {
            Ok(Some(format!("approved {} by {} ({id})", scope.word(), answered.who())))
        }
        Outcome::Denied(id, answered) => Err(denied(id, &answered, summary)),
        Outcome::Stopping(id) => {
            Err(unanswered(id, summary, "the server stopped before anybody did"))
        }
    }
}

fn denied(id: ApprovalId, answered: &Answered, summary: &str) -> Error {
    let who = answered.who();
    let message = match &answered.message {
        Some(message) => format!("a person said no ({who}): {message}"),
        None => format!("a person said no ({who}) to: {summary}"),
    };
    Error::denied(message)
        .hint("do not try the same in another way; ask the person what to do instead")
        .of_approval(&id)
}

fn unanswered(id: ApprovalId, summary: &str, waited: &str) -> Error {
    let message =
        format!("nobody has answered yet whether this may be done ({id}; {waited}): {summary}");
    Error::new(ErrorKind::Unanswered, message)
        .hint(format!(
            "nobody said no. Do something else, or ask the person to answer {id} in the browser or with `openspace approve {id}`; the same call again picks up the answer"
        ))
        .of_approval(&id)
}

fn forbidden(summary: &str, why: &str, rule: &str) -> Error {
    let why = why.trim_end_matches('.');
    Error::new(ErrorKind::Policy, format!("not allowed by {rule}: {why} ({summary})")).hint(
        "nobody was asked, and asking again changes nothing; only the person can change the rules",
    )
}

/// A time that was waited, in words.
fn span(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 120 && seconds % 60 == 0 => {
            format!("waited {} minutes", seconds / 60)
        }
        seconds => format!("waited {seconds} s"),
    }
}

//! What rules say of lines that run what an agent can change.

use openspace_protocol::{Access, CallerKind};
use pretty_assertions::assert_eq;

use super::{BASH, judged, policy};
use crate::{Changeable, Decision, Place, Profile, Question, Ruling};

fn ruling(user: &str, place: Place, line: &str, changeable: &[Changeable]) -> Ruling {
    let line = judged(line);
    policy(Profile::Careful, user, "").decide(&Question {
        caller: CallerKind::Agent,
        client: "claude",
        command: BASH,
        access: Access::Execute,
        place,
        line: Some(&line),
        changeable,
        each_time: false,
    })
}

#[test]
fn an_allowance_counts_for_a_changeable_file_only_if_it_says_so() {
    let rule = "[[rule]]\nid = 'a'\ndecision = 'allow'\nline = './x.sh'\n";
    let even = format!("{rule}even_changed = true\n");
    let decision = |user: &str, changeable: &[Changeable]| {
        ruling(user, Place::Outside, "./x.sh", changeable).decision
    };
    assert_eq!(decision(rule, &[]), Decision::Allow);
    for changeable in [Changeable::Files, Changeable::Script] {
        assert_eq!(decision(rule, &[changeable]), Decision::Ask);
        assert_eq!(decision(&even, &[changeable]), Decision::Allow);
    }
    let asked = ruling(rule, Place::Outside, "./x.sh", &[Changeable::Script]);
    assert!(
        asked.why.ends_with(
            "Your rule `a` would allow it, but not what the agent can change in a file."
        )
    );
    let denies = rule.replace("allow", "deny");
    assert_eq!(decision(&denies, &[Changeable::Script]), Decision::Deny);
    // A rule about no line in particular is about whatever is run.
    let any = "[[rule]]\ndecision = 'allow'\naccess = 'execute'\n";
    assert_eq!(decision(any, &[Changeable::Script]), Decision::Allow);
}

#[test]
fn what_can_be_changed_is_allowed_for_good_only_where_nothing_confines_and_never_a_script() {
    let always = |place, line, changeable| ruling("", place, line, &[changeable]).always;
    let even =
        |place, line, changeable| always(place, line, changeable).map(|rule| rule.even_changed);
    let (unconfined, outside) = (Place::Unconfined, Place::Outside);
    assert_eq!(even(unconfined, "make all", Changeable::No), Some(false));
    assert_eq!(even(unconfined, "make all", Changeable::Files), Some(true));
    assert_eq!(even(outside, "make all", Changeable::Files), None);
    for place in [unconfined, outside] {
        assert_eq!(even(place, "./x.sh", Changeable::Script), None);
    }
}

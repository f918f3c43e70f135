//! Words about what can be chosen, and what is.

use openspace_agents::model::{Mode, ModeUse, ModelChoice};
use pretty_assertions::assert_eq;

use super::{mode, selected};

#[test]
fn what_is_chosen_is_said_and_what_is_left_to_the_agent() {
    let model = |variant: Option<&str>| ModelChoice {
        provider: "p".to_owned(),
        model: "m".to_owned(),
        variant: variant.map(str::to_owned),
    };
    assert_eq!(
        [
            selected(None, None),
            selected(Some(&model(None)), None),
            selected(Some(&model(Some("high"))), Some("plan")),
        ],
        [
            "From now on: model left to the agent, mode left to the agent.",
            "From now on: model p/m, mode left to the agent.",
            "From now on: model p/m#high, mode plan.",
        ]
    );
}

#[test]
fn a_way_of_working_that_no_session_can_be_in_says_so() {
    let line = |usable| {
        let description = Some("looks".to_owned());
        mode(&Mode { id: "x".into(), name: "X".into(), description, usable, model: None })
    };
    assert_eq!(
        [line(ModeUse::SubAgent), line(ModeUse::Both)],
        ["x (by mention only)  looks", "x  looks"]
    );
}

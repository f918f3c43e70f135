//! Callers, classes of access, places and profiles.

use openspace_protocol::{Access, CallerKind};
use pretty_assertions::assert_eq;

use super::{BASH, judged, policy, ruling};
use crate::{
    Decision::{self, Allow, Ask, Deny},
    Place, Policy, Profile, Question, RuleName, Rules, Source,
};

const ACCESS: [Access; 6] =
    [Access::View, Access::Read, Access::Edit, Access::Destroy, Access::Execute, Access::Reach];
const PLACES: [Place; 4] = [Place::Space, Place::Confined, Place::Outside, Place::Unconfined];

fn decision(profile: Profile, caller: CallerKind, access: Access, place: Place) -> Decision {
    let policy = Policy::new(profile, Rules::default(), Rules::default());
    let command = "openspace.x.y";
    let (client, line, each_time) = ("x", None, false);
    policy
        .decide(&Question {
            caller,
            client,
            command,
            access,
            place,
            line,
            changeable: &[],
            each_time,
        })
        .decision
}

/// What agents get in each place, for each class of access.
fn agents(profile: Profile) -> [[Decision; 6]; 4] {
    PLACES.map(|place| ACCESS.map(|access| decision(profile, CallerKind::Agent, access, place)))
}

#[test]
fn people_scripts_and_bridges_are_allowed_as_ever() {
    for profile in Profile::ALL {
        for caller in [CallerKind::Person, CallerKind::Script, CallerKind::Bridge] {
            for access in ACCESS {
                for place in PLACES {
                    assert_eq!(decision(profile, caller, access, place), Allow);
                }
            }
        }
    }
}

#[test]
fn the_profiles_are_these_tables() {
    // View, read, edit, destroy, execute, reach.
    assert_eq!(
        agents(Profile::Careful),
        [
            [Allow, Allow, Allow, Ask, Allow, Ask],
            [Allow, Allow, Allow, Ask, Allow, Ask],
            [Ask, Ask, Ask, Ask, Ask, Ask],
            [Allow, Allow, Allow, Ask, Ask, Ask],
        ]
    );
    assert_eq!(
        agents(Profile::Trusting),
        [
            [Allow, Allow, Allow, Allow, Allow, Ask],
            [Allow, Allow, Allow, Allow, Allow, Ask],
            [Ask, Ask, Ask, Ask, Ask, Ask],
            [Allow, Allow, Allow, Allow, Allow, Ask],
        ]
    );
    assert_eq!(
        agents(Profile::ReadOnly),
        [
            [Deny, Allow, Deny, Deny, Deny, Deny],
            [Deny, Allow, Deny, Deny, Deny, Deny],
            [Deny, Ask, Deny, Deny, Deny, Deny],
            [Deny, Allow, Deny, Deny, Deny, Deny],
        ]
    );
}

#[test]
fn trusting_asks_only_for_danger_outside_and_for_the_floor() {
    let policy = policy(Profile::Trusting, "", "");
    let rows = [
        ("cargo build", [Allow, Allow, Allow]),
        ("rm -rf old-work", [Allow, Ask, Ask]),
        ("rm -rf build", [Allow, Ask, Ask]),
        ("truncate -s 0 app.log", [Allow, Ask, Ask]),
        ("git push", [Allow, Ask, Ask]),
        ("sudo ls", [Allow, Ask, Ask]),
        ("echo x >> ~/.bashrc", [Allow, Ask, Ask]),
        ("$x y", [Allow, Ask, Ask]),
        ("echo \"", [Allow, Ask, Ask]),
        ("rm -rf /", [Ask, Deny, Deny]),
        ("rm -rf ~", [Ask, Deny, Deny]),
    ];
    for (line, expected) in rows {
        let told = [Place::Confined, Place::Outside, Place::Unconfined]
            .map(|place| ruling(&policy, place, line).decision);
        assert_eq!(told, expected, "{line}");
    }
}

#[test]
fn read_only_runs_no_line_whatever_rules_say() {
    let rules = "
        [[rule]]
        decision = 'allow'
        line = 'ls *'
        [[rule]]
        decision = 'allow'
        access = 'execute'
    ";
    let policy = policy(Profile::ReadOnly, rules, "");
    for place in PLACES {
        let ruling = ruling(&policy, place, "ls");
        let rule = RuleName { source: Source::Profile, id: "read-only: looks-only".into() };
        assert_eq!((ruling.decision, ruling.rule, ruling.always), (Deny, rule, None));
    }
}

#[test]
fn a_line_is_as_strict_as_its_strictest_part_and_every_part_is_told() {
    let line = "ls && cargo build; rm -rf /; rm -rf x";
    let ruling = ruling(&Policy::default(), Place::Unconfined, line);
    let parts: Vec<(&str, Decision)> =
        ruling.parts.iter().map(|part| (part.text.as_str(), part.decision)).collect();
    assert_eq!(parts, [("ls", Allow), ("cargo build", Ask), ("rm -rf /", Deny), ("rm -rf x", Ask)]);
    assert_eq!(ruling.decision, Deny);
    assert_eq!(ruling.rule.to_string(), "the floor `delete-everything`");
    assert_eq!(ruling.parts[1].rule.to_string(), "the profile `careful: unconfined`");
    assert_eq!(ruling.parts[3].why, "Deletes folders with everything in them.");
}

#[test]
fn what_goes_to_the_trash_is_not_asked_about_and_rules_about_destroying_are_about_it() {
    let decision = |policy: &Policy| {
        let ruling = policy.decide(&Question {
            caller: CallerKind::Agent,
            client: "x",
            command: "openspace.file.delete",
            access: Access::Destroy,
            place: Place::Space,
            line: None,
            changeable: &[],
            each_time: false,
        });
        ruling.decision
    };
    let of = |profile| decision(&Policy::new(profile, Rules::default(), Rules::default()));
    let profiles = [Profile::Careful, Profile::Trusting, Profile::ReadOnly];
    assert_eq!(profiles.map(of), [Allow, Allow, Deny]);
    let rule = Rules::of_user("[[rule]]\ndecision = 'deny'\naccess = 'destroy'\n").unwrap();
    assert_eq!(decision(&Policy::new(Profile::Careful, rule, Rules::default())), Deny);
}

#[test]
fn a_line_without_a_command_is_judged_like_a_call() {
    let places = [Place::Confined, Place::Outside, Place::Unconfined];
    let told = places.map(|place| ruling(&Policy::default(), place, "# nothing").decision);
    assert_eq!(told, [Allow, Ask, Ask]);
}

#[test]
fn a_person_may_delete_everything() {
    let line = judged("rm -rf /");
    let question = Question {
        caller: CallerKind::Person,
        client: "page",
        command: BASH,
        access: Access::Execute,
        place: Place::Outside,
        line: Some(&line),
        changeable: &[],
        each_time: false,
    };
    assert_eq!(Policy::default().decide(&question).decision, Allow);
}

//! What the table says, and how its file is read and written.

use openspace_judge::{Judged, Shell, read};
use openspace_protocol::{Access, CallerKind};

use crate::{Place, Policy, Profile, Question, Rules, Ruling};

mod changeable;
mod files;
mod fuzz;
mod lines;
mod rules;
mod table;

const BASH: &str = "openspace.workspace.bash";

fn judged(line: &str) -> Judged {
    read(line, Shell::Bash)
}

fn policy(profile: Profile, user: &str, project: &str) -> Policy {
    let user = Rules::of_user(user).unwrap();
    Policy::new(profile, user, Rules::of_project(project).unwrap())
}

/// What the policy says when an agent runs a line.
fn ruling(policy: &Policy, place: Place, line: &str) -> Ruling {
    let line = judged(line);
    policy.decide(&Question {
        caller: CallerKind::Agent,
        client: "claude",
        command: BASH,
        access: Access::Execute,
        place,
        line: Some(&line),
        changeable: &[],
        each_time: false,
    })
}

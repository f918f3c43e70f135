//! What a caller reads after the last step.

use anyhow::bail;

use super::*;
use crate::test::STEPS;

fn repository() -> Repository {
    Repository::find().unwrap()
}

/// The results of steps that take no time.
fn results(steps: &[Step]) -> Vec<Done> {
    let mut results = run(steps, &repository());
    for done in &mut results {
        match &mut done.outcome {
            Outcome::Passed(time) | Outcome::Failed(time, _) => *time = Duration::from_millis(100),
            Outcome::NotRun(_) => {}
        }
    }
    results
}

#[test]
fn a_failed_step_keeps_only_those_from_running_that_need_it() {
    let steps = [
        Step { name: "lints", needs: &[], run: |_| bail!("clippy says no") },
        Step { name: "build", needs: &[], run: |_| bail!("it does not compile") },
        Step { name: "tests", needs: &["build"], run: |_| panic!("must not run") },
        Step { name: "page", needs: &[], run: |_| Ok(()) },
        Step { name: "browser", needs: &["page", "tests"], run: |_| panic!("must not run") },
    ];
    let results = results(&steps);
    assert_eq!(
        table(&results),
        "
step          result    time
lints         failed    0.1 s
build         failed    0.1 s
tests         not run   needs build
page          passed    0.1 s
browser       not run   needs tests
"
    );
    assert_eq!(
        verdict(&results),
        "2 of 5 steps failed, 2 could not be run\n  lints: clippy says no\n  build: it does not compile"
    );
}

#[test]
fn nothing_is_wrong_when_every_step_passed() {
    let steps = [Step { name: "lints", needs: &[], run: |_| Ok(()) }];
    assert_eq!(verdict(&results(&steps)), "");
}

#[test]
fn a_step_needs_only_steps_before_it() {
    for (number, step) in STEPS.iter().enumerate() {
        for need in step.needs {
            let before = STEPS[..number].iter().any(|earlier| earlier.name == *need);
            assert!(before, "{} needs {need}", step.name);
        }
    }
}

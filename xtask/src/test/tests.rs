//! What a caller reads after the last step.

use super::*;

#[test]
fn the_summary_names_the_failed_step_and_those_not_run() {
    let times = [Duration::from_millis(100), Duration::from_secs(2)];
    assert_eq!(
        summary(&times, false),
        "
step         result    time
packages     passed    0.1 s
formatting   failed    2.0 s
lints        not run
tidy         not run
runner       not run
web          not run
tests        not run
reference    not run
browser      not run
conformance  not run
"
    );
}

//! The numbers about calls, agents and walls in Prometheus' text form. They are counted elsewhere; what
//! each means is in `docs/guides/metrics.md`, which a test holds to these names.

use std::fmt::Write;

use openspace_workspace::{
    Dispatcher,
    agents::AgentsPart,
    consents::{ConsentState, ConsentsPart},
    metrics::{BUCKETS, Durations},
};

/// Append a line. Writing to a `String` cannot fail.
macro_rules! line {
    ($text:expr, $($words:tt)*) => {{ let _ = writeln!($text, $($words)*); }};
}

/// Append all of them.
pub(super) fn write(text: &mut String, dispatcher: &Dispatcher) {
    let state = dispatcher.state();
    let (counts, load) = (state.counts(), dispatcher.load());
    let space = state.space().state();
    let agents = space.part::<AgentsPart>();
    let paused = agents.values().filter(|agent| agent.paused).count();
    let consents = space.part::<ConsentsPart>().values();
    let asked = consents.filter(|consent| consent.state == ConsentState::Asked).count();
    for (name, value) in [
        ("openspace_calls_running", load.running as usize),
        ("openspace_calls_queued", load.waiting as usize),
        ("openspace_agents_connected", agents.len()),
        ("openspace_agents_paused", paused),
        ("openspace_consents_waiting", asked),
    ] {
        line!(text, "# TYPE {name} gauge\n{name} {value}");
    }
    let labels = ["command", "outcome", "caller"];
    series(text, "openspace_calls_total", labels, &counts.calls());
    histogram(text, counts.durations().iter());
    series(text, "openspace_approvals_total", ["channel", "answer"], &counts.approvals());
    series(text, "openspace_refused_total", ["wall"], &counts.walls());
    series(text, "openspace_sessions_cleaned_up_total", ["why"], &counts.cleaned());
    series(text, "openspace_things_cleaned_up_total", ["kind"], &counts.ended());
}

/// No label needs escaping: all of them are words of ours.
fn series<const N: usize>(
    text: &mut String,
    name: &str,
    labels: [&str; N],
    counted: &[([String; N], u64)],
) {
    line!(text, "# TYPE {name} counter");
    for (values, count) in counted {
        let pairs = labels.iter().zip(values).map(|(label, value)| format!("{label}=\"{value}\""));
        line!(text, "{name}{{{}}} {count}", pairs.collect::<Vec<_>>().join(","));
    }
}

fn histogram<'a>(text: &mut String, durations: impl Iterator<Item = (&'a String, &'a Durations)>) {
    let name = "openspace_call_seconds";
    line!(text, "# TYPE {name} histogram");
    let bounds: Vec<String> =
        BUCKETS.iter().map(ToString::to_string).chain(["+Inf".to_owned()]).collect();
    for (command, Durations { buckets, seconds }) in durations {
        let mut total = 0;
        for (bound, count) in bounds.iter().zip(buckets) {
            total += count;
            line!(text, "{name}_bucket{{command=\"{command}\",le=\"{bound}\"}} {total}");
        }
        line!(text, "{name}_sum{{command=\"{command}\"}} {seconds}");
        line!(text, "{name}_count{{command=\"{command}\"}} {total}");
    }
}

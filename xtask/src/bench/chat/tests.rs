//! What the script says becomes rows, or an error; no browser is started here.

use serde_json::json;

use super::*;

fn measured(milliseconds: f64) -> Value {
    json!({
        "deltaMs": vec![milliseconds; 30],
        "history": {
            "messages": 2000,
            "openMs": [milliseconds * 20.0],
            "longTasks": [],
            "frames": [16, 17, 40],
        },
        "idle": {"sessions": 200, "startBytes": 31_457_280, "endBytes": 32_276_480},
    })
}

fn report_of(measured: &Value) -> Report {
    let mut report = Report::default();
    for row in rows(measured).unwrap() {
        report.add(row);
    }
    report
}

#[test]
fn every_number_of_the_script_is_in_the_table() {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let report = report_of(&measured(50.0));
    let lines: Vec<_> = report.to_string().lines().skip(1).map(words).collect();
    assert_eq!(
        lines,
        [
            "a piece of an agent's answer to the screen 50.000 / 50.000 ms \u{2264} 50 ms ok",
            "a session of 2000 messages to the screen 1000.000 / 1000.000 ms \u{2264} 1000 ms ok",
            "the page's longest task while it is scrolled 0.0 ms \u{2264} 50 ms ok",
            "from frame to frame meanwhile 17.000 / 40.000 ms",
            "memory of the server for an idle session, of 200 4096 B 30.00 MB with one \u{2264} 0.06 MB ok",
        ]
    );
}

#[test]
fn what_is_slower_or_larger_than_wanted_misses() {
    assert_eq!(report_of(&measured(50.1)).missed(), 2);
    let mut large = measured(1.0);
    large["history"]["longTasks"] = json!([60]);
    large["idle"]["endBytes"] = json!(31_457_280 + 200 * (MOST_OF_IDLE + 1));
    assert_eq!(report_of(&large).missed(), 2);
}

#[test]
fn what_was_not_measured_is_an_error() {
    let mut few = measured(1.0);
    few["deltaMs"] = json!([1.0]);
    assert_eq!(rows(&few).err().unwrap().to_string(), "1 samples are too few");
    let mut none = measured(1.0);
    none["idle"]["sessions"] = json!(0);
    assert_eq!(rows(&none).err().unwrap().to_string(), "0 is no amount");
}

//! What the script says becomes rows, or an error; no browser is started here.

use super::*;

/// What the script says of a page whose every time is this one.
fn measured(milliseconds: f64) -> Value {
    json!({
        "load": {"files": 40, "brotliBytes": 2_700_000, "gzipBytes": 4_194_304},
        "text": {"coldMs": [2_000, 1_000, 3_000], "warmMs": [500.5]},
        "openMs": vec![milliseconds; 30],
        "highlightMs": vec![milliseconds; 30],
        "flood": {"lines": 1000, "ms": 1234.5, "longTasks": [60, 75, 51], "frames": [16, 17, 40]},
        "hour": {
            "calls": 3600,
            "answeredMs": 8000,
            "followedMs": 10_000,
            "start": {"heapBytes": 10_485_760, "processBytes": 104_857_600},
            "end": {"heapBytes": 20_971_520, "processBytes": 209_715_200},
        },
    })
}

fn report_of(measured: &Value) -> Report {
    let mut report = Report::default();
    for row in rows(measured).unwrap() {
        report.add(row);
    }
    report
}

fn error_of(measured: &Value) -> String {
    rows(measured).err().unwrap().to_string()
}

/// The table without its headings and without what lines it up.
fn lines_of(report: &Report) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    report.to_string().lines().skip(1).map(words).collect()
}

#[test]
fn every_number_of_the_script_is_in_the_table() {
    assert_eq!(
        lines_of(&report_of(&measured(50.0))),
        [
            "first load of the page, 40 files, brotli 2.57 MB 4.00 MB gzip ≤ 2.57 MB ok",
            "page to text in an editor, a new browser, 3 times 2000.000 / 3000.000 ms",
            "page to text in an editor, a known browser, 1 times 500.500 / 500.500 ms",
            "agent's editor_open to text on the screen 50.000 / 50.000 ms ≤ 100 ms ok",
            "agent's editor_highlight to its colour in the page 50.000 / 50.000 ms ≤ 50 ms ok",
            "terminal of the page shows `seq 1 1000` 1234.5 ms",
            "the page's longest task meanwhile 75.0 ms",
            "from frame to frame meanwhile 17.000 / 40.000 ms",
            "JavaScript heap of the page after 3600 calls of an agent 20.00 MB 10.00 MB before them",
            "processes of the page after 3600 calls of an agent 200.00 MB 100.00 MB before them \
             ≤ 400.00 MB ok",
            "until the page has followed the 3600 calls 10000.0 ms 8000.0 ms until they are answered \
             0.80x",
        ]
    );
}

#[test]
fn a_page_that_is_slower_or_larger_than_wanted_misses() {
    assert_eq!(report_of(&measured(50.0)).missed(), 0);
    assert_eq!(report_of(&measured(50.1)).missed(), 1);
    let mut slow = measured(100.1);
    assert_eq!(report_of(&slow).missed(), 2);
    slow["load"]["brotliBytes"] = json!(FIRST_LOAD + 1);
    assert_eq!(report_of(&slow).missed(), 3);
    slow["hour"]["end"]["processBytes"] = json!(MOST_MEMORY + 1);
    assert_eq!(report_of(&slow).missed(), 4);
}

#[test]
fn no_long_task_is_said_in_words() {
    let mut calm = measured(1.0);
    calm["flood"]["longTasks"] = json!([]);
    let lines = lines_of(&report_of(&calm));
    assert_eq!(lines[6], "no task of the page took 50 ms 0.0 ms");
}

#[test]
fn what_was_not_measured_is_an_error() {
    let mut few = measured(1.0);
    few["openMs"] = json!(vec![1.0; 29]);
    assert_eq!(error_of(&few), "29 samples are too few");
    for (pointer, wrong, expected) in [
        ("/load/files", json!(0), "0 is no amount"),
        ("/load/gzipBytes", json!(null), "null is no amount"),
        ("/text/warmMs", json!([]), "nothing was measured"),
        ("/highlightMs", json!(7), "7 is no list of times"),
        ("/flood/ms", json!(-1.5), "-1.5 is no time"),
        ("/flood/frames/0", json!("16"), "\"16\" is no time"),
        ("/hour/end/heapBytes", json!(1.5), "1.5 is no amount"),
    ] {
        let mut other = measured(1.0);
        *other.pointer_mut(pointer).unwrap() = wrong;
        assert_eq!(error_of(&other), expected, "{pointer}");
    }
}

#[test]
fn the_script_is_told_where_the_server_is_and_which_files_there_are() {
    let address = Address { url: "u".into(), mcp: "u/mcp".into(), token: "secret".into() };
    let told = task(&address, "key of the person");
    assert_eq!(told["files"].as_array().unwrap().len(), FILES);
    assert_eq!(
        told["files"][21],
        json!({"path": "source/part_01/module_021.rs", "word": "distinct_021"})
    );
    let keys = ["url", "mcp", "token", "person"].map(|name| &told[name]);
    assert_eq!(keys, ["u", "u/mcp", "secret", "key of the person"]);
}

fn shell(script: &str) -> Result<Value> {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]);
    answer(shell, &json!({"url": "u"}))
}

#[test]
fn the_script_gets_its_task_and_answers_in_one_line() {
    assert_eq!(shell("cat; echo").unwrap(), json!({"url": "u"}));
}

#[test]
fn a_script_that_fails_or_says_something_else_is_an_error() {
    for (script, expected) in [
        ("cat >&2; exit 3", "the script failed: exit status: 3"),
        ("cat >&2", "the script said `` and not one line"),
        ("cat; echo; echo more", "the script said `{\"url\":\"u\"}\nmore\n` and not one line"),
        ("cat >&2; echo hello", "the script said `hello`"),
    ] {
        assert_eq!(shell(script).unwrap_err().to_string(), expected, "{script}");
    }
}

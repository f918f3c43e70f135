//! What the matchers read from what real tools print.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{super::matchers, *};

fn scan(matcher: &Value, text: &str) -> Vec<String> {
    let (matchers, notes) = matchers::read(matcher).unwrap();
    assert_eq!(notes, Vec::<String>::new());
    let mut found = Vec::new();
    for mut scan in matchers.into_iter().map(Scan::new) {
        for line in text.lines() {
            found.extend(scan.line(line).into_iter().map(|seen| {
                let Seen { file, line, column, severity, code, message, .. } = seen;
                let place = [line, column].map(|it| it.map_or("-".into(), |it| it.to_string()));
                let (severity, code) = (severity.map(|it| json!(it)), code.unwrap_or_default());
                let severity = severity.unwrap_or_default();
                format!("{file}:{}:{} {severity} {code} {message}", place[0], place[1])
            }));
        }
    }
    found
}

#[test]
fn the_named_matchers_read_what_their_tools_print() {
    for (name, text, wanted) in [
        (
            "$tsc",
            "src/a.ts(3,5): error TS2322: Type 'x'.\nsrc/b.ts:7:1 - error TS1005: ';' expected.\nFound 2 errors.",
            vec![
                "src/a.ts:3:5 \"error\" 2322 Type 'x'.",
                "src/b.ts:7:1 \"error\" 1005 ';' expected.",
            ],
        ),
        (
            "$eslint-stylish",
            "\n/w/a.js\n  1:7   error    'x' is unused  no-unused-vars\n  2:1   warning  Missing semicolon.  semi\n\n/w/b.js\n  9:2  error  Parsing error\n\n✖ 3 problems",
            vec![
                "/w/a.js:1:7 \"error\" no-unused-vars 'x' is unused",
                "/w/a.js:2:1 \"warning\" semi Missing semicolon.",
                "/w/b.js:9:2 \"error\"  Parsing error",
            ],
        ),
        (
            "$eslint-compact",
            "/w/a.js: line 1, col 7, Error - 'x' is unused (no-unused-vars)",
            vec!["/w/a.js:1:7 \"error\" no-unused-vars 'x' is unused"],
        ),
        (
            "$gcc",
            "In file included from a.c:1:\na.h:3:10: fatal error: x.h: No such file\na.c:4: warning: odd",
            vec!["a.h:3:10 \"error\"  x.h: No such file", "a.c:4:- \"warning\"  odd"],
        ),
        (
            "$go",
            "# app\n./main.go:5:2: undefined: x\nvet: ./b.go:1: bad",
            vec!["./main.go:5:2 null  undefined: x", "./b.go:1:- null  bad"],
        ),
        (
            "$rustc",
            "error[E0308]: mismatched types\n  --> src/main.rs:4:18\n   |\nwarning: unused\n --> src/b.rs:1:1\nerror: could not compile `x`",
            vec![
                "src/main.rs:4:18 \"error\" E0308 mismatched types",
                "src/b.rs:1:1 \"warning\"  unused",
            ],
        ),
        (
            "$msCompile",
            "Program.cs(7,13): error CS0103: The name 'x' [/w/app.csproj]",
            vec!["Program.cs:7:13 \"error\" CS0103 The name 'x'"],
        ),
    ] {
        assert_eq!(scan(&json!(name), text), wanted, "{name}");
    }
}

#[test]
fn a_problem_that_does_not_go_on_as_it_began_is_none_and_its_lines_are_looked_at_again() {
    let matcher = json!({"pattern": [
        {"regexp": "^begin (\\w+)", "file": 1},
        {"regexp": "^(?:begin|at) (\\d+|\\w+)", "line": 1},
        {"regexp": "^say (.*)", "message": 1},
    ]});
    assert_eq!(scan(&matcher, "begin a\nbegin b\nat 3\nsay x\nat 4\nsay y"), ["b:3:- null  x"]);
}

#[test]
fn a_matcher_that_is_written_down_may_stand_on_a_named_one() {
    let matcher = json!({"base": "$tsc", "severity": "warning", "fileLocation": ["relative", "${workspaceFolder}/web"]});
    let (read, _) = matchers::read(&matcher).unwrap();
    assert_eq!(
        (read[0].base.as_deref(), read[0].severity),
        (Some("${workspaceFolder}/web"), Severity::Warning)
    );
    let usual = json!({"pattern": {"regexp": "^(.+):(\\d+):(\\d+): .*$"}});
    assert_eq!(scan(&usual, "a.py:1:2: E1 x"), ["a.py:1:2 null  a.py:1:2: E1 x"]);
    let whole =
        json!({"pattern": {"regexp": "^would reformat (.+)$", "kind": "file", "message": 0}});
    assert_eq!(scan(&whole, "would reformat a.py"), ["a.py:1:- null  would reformat a.py"]);
    let place =
        json!({"pattern": {"regexp": "^(.+) \\[(.+)\\] (.*)$", "location": 2, "message": 3}});
    assert_eq!(scan(&place, "a [3,4,5,6] x\nb [7] y"), ["a:3:4 null  x", "b:7:- null  y"]);
}

#[test]
fn what_cannot_be_read_is_said() {
    for (matcher, why) in [
        (json!({"pattern": {"regexp": "(?<=a)b(.)(.)(.)"}}), "look-around"),
        (json!({"pattern": {"regexp": "(a)\\1(b)(c)"}}), "backreferences"),
        (json!({"pattern": {"regexp": "(a)"}}), "`(a)` has no group 2"),
        (json!({}), "has no `pattern`"),
        (json!({"base": "$x"}), "`base` is `$x`"),
        (json!({"pattern": "$x"}), "the pattern `$x` is not known here"),
        (json!({"pattern": [{"regexp": "a", "loop": true}]}), "only the last of several"),
        (json!({"pattern": [{"regexp": "a"}, {"regexp": "b"}]}), "needs a `file`"),
        (
            json!({"pattern": {"regexp": "(a)(b)(c)"}, "fileLocation": "here"}),
            "`fileLocation` is `here`",
        ),
    ] {
        let error = matchers::read(&matcher).unwrap_err().message;
        assert!(error.contains(why), "{error}");
    }
    let (read, notes) = matchers::read(&json!(["$tsc", "$lessc"])).unwrap();
    assert_eq!((read.len(), notes.len()), (1, 1));
    assert!(
        notes[0].starts_with("the problem matcher `$lessc` is not known here; known are $tsc,")
    );
}

#[test]
fn a_watching_task_says_when_it_begins_and_ends_to_look() {
    let (mut read, _) = matchers::read(&json!("$tsc-watch")).unwrap();
    let scan = Scan::new(read.remove(0));
    for (line, turn) in [
        ("[1:02:03 PM] Starting compilation in watch mode...", Some(Turn::Begins)),
        (
            "[1:02:03 PM] File change detected. Starting incremental compilation...",
            Some(Turn::Begins),
        ),
        ("[1:02:04 PM] Found 0 errors. Watching for file changes.", Some(Turn::Ends)),
        ("src/a.ts(1,1): error TS1: x", None),
    ] {
        assert_eq!(scan.turn(line), turn, "{line}");
    }
}

//! What a run keeps of its output.

use super::super::{BUDGET, Captured, Finished, Stream};
use super::{CancellationToken, Stage, captured, content, numbers, run, touch};

#[tokio::test]
async fn both_streams_come_apart_and_together() {
    let stage = Stage::new();
    let finished = stage.finish("echo out; echo err >&2; exit 7").await;
    let expected = Finished {
        stdout: captured("out\n"),
        stderr: captured("err\n"),
        combined: captured("out\nerr\n"),
        full: None,
        exit_code: Some(7),
        signal: None,
        timed_out: false,
        duration: finished.duration,
        left_behind: 0,
        survivors: Vec::new(),
    };
    assert_eq!(finished, expected);
}

#[tokio::test]
async fn the_order_of_arrival_is_kept() {
    let stage = Stage::new();
    let command = "for n in 1 2 3; do
            echo err $n >&2; until [ -e err-$n ]; do sleep 0.01; done
            echo out $n; until [ -e out-$n ]; do sleep 0.01; done
        done";
    let mut seen = Vec::new();
    let output = |stream, piece: &[u8]| {
        let text = String::from_utf8(piece.to_vec()).unwrap();
        touch(&stage.path(&text.trim().replace(' ', "-")));
        seen.push((stream, text));
    };
    let finished = run(&stage.command(command), output, &CancellationToken::new()).await.unwrap();
    assert_eq!(finished.combined, captured("err 1\nout 1\nerr 2\nout 2\nerr 3\nout 3\n"));
    assert_eq!(finished.stderr, captured("err 1\nerr 2\nerr 3\n"));
    let expected: Vec<_> = (1..=3)
        .flat_map(|n| {
            [(Stream::Stderr, format!("err {n}\n")), (Stream::Stdout, format!("out {n}\n"))]
        })
        .collect();
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn a_character_that_arrives_in_two_parts_stays_one() {
    let stage = Stage::new();
    let command =
        r"printf '\xe2\x82'; echo go >&2; until [ -e go ]; do sleep 0.01; done; printf '\xac'";
    let mut pieces = Vec::new();
    let output = |stream, piece: &[u8]| {
        if stream == Stream::Stderr {
            touch(&stage.path("go"));
        }
        pieces.push(piece.to_vec());
    };
    let finished = run(&stage.command(command), output, &CancellationToken::new()).await.unwrap();
    assert_eq!(finished.combined, captured("go\n€"));
    assert_eq!(pieces, [b"go\n".to_vec(), "€".as_bytes().to_vec()]);
}

#[tokio::test]
async fn output_that_is_not_text_is_replaced_and_flagged() {
    let stage = Stage::new();
    let finished = stage.finish(r"printf 'a\0b\n'; printf 'c\xff\xe2' >&2").await;
    let stdout = Captured {
        text: "a\u{fffd}b\n".to_owned(),
        truncated: false,
        binary: true,
        total_bytes: 4,
        total_lines: 1,
    };
    assert_eq!(finished.stdout, stdout);
    let stderr = Captured {
        text: "c\u{fffd}\u{fffd}".to_owned(),
        truncated: false,
        binary: false,
        total_bytes: 3,
        total_lines: 1,
    };
    assert_eq!(finished.stderr, stderr);
    assert!(finished.combined.binary);
}

#[tokio::test]
async fn output_over_the_budget_is_whole_in_a_file() {
    let stage = Stage::new();
    let finished = stage.finish("seq 1 30000; seq 1 5 >&2").await;
    assert_eq!(finished.stderr, captured(&numbers(1..=5)));
    for long in [&finished.stdout, &finished.combined] {
        assert!(long.truncated && long.text.len() <= BUDGET && long.text.contains("left out here"));
    }
    assert_eq!(finished.stdout.total_lines, 30_000);
    assert_eq!(finished.stdout.total_bytes, numbers(1..=30_000).len() as u64);
    assert!(
        finished.stdout.text.starts_with("1\n2\n") && finished.stdout.text.ends_with("\n30000\n")
    );
    let full = finished.full.unwrap();
    assert_eq!((full.bytes, full.incomplete), (finished.combined.total_bytes, None));
    let mut lines: Vec<u32> = String::from_utf8(content(&full.path))
        .unwrap()
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    lines.sort_unstable();
    let mut expected: Vec<u32> = (1..=30_000).chain(1..=5).collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
    assert_eq!(stage.spilled(), 1);
}

#[tokio::test]
async fn output_within_the_budget_leaves_no_file() {
    let stage = Stage::new();
    let finished = stage.finish("head -c 51200 /dev/zero | tr '\\0' x").await;
    assert_eq!(finished.stdout, captured(&"x".repeat(BUDGET)));
    assert_eq!((finished.full, stage.spilled()), (None, 0));
}

#[tokio::test]
async fn an_output_file_that_cannot_be_written_does_not_hide_the_result() {
    let stage = Stage::new();
    let command = format!("rmdir '{}'; seq 1 30000; exit 3", stage.run.spill.display());
    let finished = stage.finish(&command).await;
    assert_eq!((finished.exit_code, finished.stdout.total_lines), (Some(3), 30_000));
    let full = finished.full.unwrap();
    assert_eq!(full.bytes, 0);
    assert!(full.incomplete.is_some());
}

#[expect(clippy::disallowed_methods, reason = "the process table is no file of a workspace")]
fn peak_memory_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_flood_of_output_takes_no_memory() {
    let stage = Stage::new();
    let before = peak_memory_kilobytes();
    let finished = stage.finish("yes | head -c 300000000; echo end >&2").await;
    assert_eq!(finished.exit_code, Some(0));
    assert_eq!(
        (finished.stdout.total_bytes, finished.stdout.total_lines),
        (300_000_000, 150_000_000)
    );
    assert_eq!(finished.stderr, captured("end\n"));
    let full = finished.full.unwrap();
    assert_eq!((full.bytes, full.incomplete), (300_000_004, None));
    assert_eq!(full.path.metadata().unwrap().len(), 300_000_004);
    let grown = peak_memory_kilobytes() - before;
    assert!(grown < 100_000, "{grown} kB more");
}

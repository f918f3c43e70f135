//! Pages, modes and the lines near a match.

use super::*;

fn near(line: u64, text: &str) -> ContextLine {
    ContextLine { line, text: text.to_owned() }
}

#[test]
fn pages_follow_one_another_without_gap_or_repetition() {
    let files: Vec<_> = (0..40)
        .map(|number| (format!("{}/{number}-x", number % 5), "hit\n".repeat(number % 4)))
        .collect();
    let stage = stage(&files.iter().map(|(path, text)| (&**path, &**text)).collect::<Vec<_>>());
    let whole = lines(&stage, &GrepQuery::new("hit"));
    let mut sorted = whole.clone();
    sorted.sort_by_key(|line| line.rsplitn(3, ':').last().unwrap().to_owned());
    assert_eq!((whole.len(), &whole), (60, &sorted));
    let mut paged = Vec::new();
    for offset in (0..63).step_by(7) {
        let query = GrepQuery { offset, limit: Some(7), ..GrepQuery::new("hit") };
        assert_eq!(grepped(&stage, &query).truncated, offset + 7 < 60);
        paged.extend(lines(&stage, &query));
    }
    assert_eq!(paged, whole);
    let beyond = GrepQuery { offset: 60, ..GrepQuery::new("hit") };
    let found = grepped(&stage, &beyond);
    assert_eq!((matches(&found).len(), found.total_matches, found.truncated), (0, Some(60), false));
}

#[test]
fn the_order_is_the_same_in_every_run() {
    let files: Vec<_> = (0..300).map(|number| format!("{}/{number}", number % 13)).collect();
    let stage = stage(&files.iter().map(|path| (&**path, "hit\n")).collect::<Vec<_>>());
    let query = GrepQuery { limit: Some(50), offset: 20, ..GrepQuery::new("hit") };
    let first = grepped(&stage, &query);
    for _ in 0..20 {
        assert_eq!(grepped(&stage, &query), first);
    }
}

#[test]
fn the_other_modes_tell_files() {
    let stage =
        stage(&[("b", "x\nx\ny\n"), ("a", "x\n"), ("a-b", "x\n"), ("c", "x x x\n"), ("d", "y")]);
    let query = |mode| GrepQuery { mode, offset: 1, limit: Some(2), ..GrepQuery::new("x") };
    let file = |path, matches| GrepFile { path: rel(path), matches, bad_name: false };
    let counted = grepped(&stage, &query(GrepMode::Count));
    assert_eq!(
        counted,
        Grepped {
            page: GrepPage::Files(vec![file("a-b", Some(1)), file("b", Some(2))]),
            total_matches: Some(5),
            total_files: 4,
            truncated: true,
            scanned_files: 5,
            skipped_binary: 0,
            skipped_secret: 0,
            skipped_large: 0,
            unreadable: 0,
        }
    );
    assert_eq!(
        grepped(&stage, &query(GrepMode::FilesWithMatches)),
        Grepped {
            page: GrepPage::Files(vec![file("a-b", None), file("b", None)]),
            total_matches: None,
            ..counted
        }
    );
}

#[test]
fn lines_near_a_match_are_shown_once() {
    let stage = stage(&[("f", "1\n2\nhit 3\n4\n5\nhit 6\nhit 7\n8\n9\n10\n11\n12\nhit 13\n")]);
    let query = GrepQuery { before: 2, after: 1, ..GrepQuery::new("hit") };
    let found = grepped(&stage, &query);
    let shown: Vec<_> = matches(&found)
        .iter()
        .map(|found| (found.line, found.before.clone(), found.after.clone()))
        .collect();
    assert_eq!(
        shown,
        [
            (3, vec![near(1, "1"), near(2, "2")], vec![near(4, "4")]),
            (6, vec![near(5, "5")], vec![]),
            (7, vec![], vec![near(8, "8")]),
            (13, vec![near(11, "11"), near(12, "12")], vec![]),
        ]
    );
}

#[test]
fn a_page_shows_the_lines_near_its_first_and_last_match() {
    let stage = stage(&[("f", "1\nhit 2\nhit 3\nhit 4\nhit 5\n6\n")]);
    let query =
        GrepQuery { before: 2, after: 2, offset: 1, limit: Some(1), ..GrepQuery::new("hit") };
    let found = grepped(&stage, &query);
    let shown: Vec<_> = matches(&found)
        .iter()
        .map(|found| (found.line, found.before.clone(), found.after.clone()))
        .collect();
    assert_eq!(
        shown,
        [(3, vec![near(1, "1"), near(2, "hit 2")], vec![near(4, "hit 4"), near(5, "hit 5")])]
    );
}

#[test]
fn a_page_ends_when_its_text_is_large() {
    let line = format!("{}\n", "x".repeat(MAX_LINE_CHARACTERS));
    let stage = stage(&[("f", &line.repeat(6000))]);
    let query = GrepQuery { limit: Some(6000), ..GrepQuery::new("x") };
    let found = grepped(&stage, &query);
    let count = matches(&found).len();
    assert_eq!(count, MAX_PAGE_BYTES.div_ceil(MAX_LINE_CHARACTERS));
    assert!(found.truncated);
    let rest = GrepQuery { offset: u32::try_from(count).unwrap(), ..query };
    let found = grepped(&stage, &rest);
    assert_eq!((matches(&found)[0].line, matches(&found).len()), (count as u64 + 1, 6000 - count));
    assert!(!found.truncated);
}

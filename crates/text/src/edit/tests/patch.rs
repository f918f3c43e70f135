//! A small program that applies a unified diff, to prove that ours say what was done.

/// The text that a diff makes of a text. It fails if the diff does not belong to it.
#[track_caller]
pub(super) fn patch(text: &str, diff: &str) -> String {
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let mut made = String::new();
    let mut next = 0;
    let mut rows = diff.split_inclusive('\n').peekable();
    if rows.peek().is_some() {
        assert!(rows.next().unwrap().starts_with("--- "));
        assert!(rows.next().unwrap().starts_with("+++ "));
    }
    while let Some(head) = rows.next() {
        let (old_start, old_count, new_start, new_count) = counts(head);
        let first = if old_count == 0 { old_start } else { old_start - 1 };
        made.extend(old[next..first].iter().copied());
        next = first;
        let line = made.split_inclusive('\n').count() + usize::from(new_count > 0);
        assert_eq!(line, new_start, "{head}");
        let (mut gone, mut come) = (0, 0);
        while gone < old_count || come < new_count {
            let row = rows.next().unwrap();
            let bare = rows.next_if(|row| row.starts_with("\\ No newline")).is_some();
            let line = if bare { row[1..].strip_suffix('\n').unwrap() } else { &row[1..] };
            if !row.starts_with('+') {
                assert_eq!(old[next], line);
                (gone, next) = (gone + 1, next + 1);
            }
            if !row.starts_with('-') {
                made.push_str(line);
                come += 1;
            }
        }
        assert_eq!((gone, come), (old_count, new_count), "{head}");
    }
    made.extend(old[next..].iter().copied());
    made
}

fn counts(head: &str) -> (usize, usize, usize, usize) {
    let body = head.strip_prefix("@@ -").unwrap().strip_suffix(" @@\n").unwrap();
    let (old, new) = body.split_once(" +").unwrap();
    let read = |side: &str| {
        let (start, count) = side.split_once(',').unwrap();
        (start.parse().unwrap(), count.parse().unwrap())
    };
    let ((old_start, old_count), (new_start, new_count)) = (read(old), read(new));
    (old_start, old_count, new_start, new_count)
}

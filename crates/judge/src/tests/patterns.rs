//! Patterns of rules: what they match, what they cover, and which one is offered.

use pretty_assertions::assert_eq;

use super::judged;
use crate::{Part, Pattern, PatternError, suggest};

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap()
}

fn part(line: &str) -> Part {
    judged(line).parts.pop().unwrap()
}

#[test]
fn a_pattern_is_a_row_of_words_that_names_its_program() {
    for text in [
        "git push origin *",
        "git push",
        "npm run build:*",
        "git log --format=*",
        "'a b' c",
        "echo 'a*b' ''",
    ] {
        let read = pattern(text);
        assert_eq!(read.to_string(), text);
        assert_eq!(pattern(&read.to_string()), read);
    }
    for text in ["*", "* push", "g* push", "\"\" x"] {
        assert_eq!(Pattern::parse(text), Err(PatternError::Program(text.into())), "{text}");
    }
    for text in ["git push; ls", "a | b", "a $x", "a `b`", "a 'b", "a \"$x\"", "a > b", "a \\"] {
        assert_eq!(Pattern::parse(text), Err(PatternError::Words(text.into())), "{text}");
    }
    assert_eq!(Pattern::parse("  "), Err(PatternError::Length));
    assert_eq!(Pattern::parse(&"a".repeat(2_000)), Err(PatternError::Length));
}

#[test]
fn words_are_compared_one_by_one() {
    let matches = |text: &str, line: &str| pattern(text).matches(&part(line));
    assert!(matches("git push origin *", "git push origin"));
    assert!(matches("git push origin *", "git push origin main"));
    assert!(matches("git push origin *", "git 'push' \"origin\" a b"));
    assert!(!matches("git push origin *", "git push upstream main"));
    assert!(!matches("git push origin", "git push origin main"));
    assert!(!matches("git push origin *", "git -C x push origin"));
    assert!(matches("npm run build:*", "npm run build:web"));
    assert!(!matches("npm run build:*", "npm run lint"));
    assert!(matches("cp * out", "cp a out"));
    assert!(!matches("cp * out", "cp a b out"));
    assert!(matches("a *x*y", "a 1x2y"));
    assert!(!matches("a *x*y", "a 1y2x"));
    assert!(matches("a 'b*'", "a 'b*'"));
    assert!(!matches("a 'b*'", "a bc"));
}

#[test]
fn only_what_is_known_and_all_there_is_matches() {
    let all = pattern("git push *");
    for line in [
        "git push $x",
        "git push \"$x\"",
        "git push *",
        "git push ~",
        "git push > x",
        "PATH=x git push",
        "GIT_SSH_COMMAND=x git push",
        "/usr/bin/git push",
        "./git push",
        "git push {a,b}",
    ] {
        assert!(!all.matches(&part(line)), "{line}");
        assert!(all.may_match(&part(line)), "{line}");
    }
    assert!(pattern("sudo *").names(&judged("/usr/bin/sudo ls").parts[0]));
    for line in ["./x.sh", "/app/x.sh", "x.sh"] {
        assert!(pattern("./x.sh").names(&judged(line).parts[0]), "{line}");
    }
    assert!(pattern("git push *").may_match(&part("git $x")));
    assert!(pattern("git push *").may_match(&part("$x y")));
    assert!(!pattern("git push *").may_match(&part("git pull $x")));
}

#[test]
fn an_allowance_covers_no_danger_that_it_does_not_show() {
    let covers = |text: &str, line: &str| pattern(text).covers(&part(line));
    assert!(covers("git push origin *", "git push origin main"));
    for line in [
        "git push origin --force",
        "git push origin +main",
        "git push origin :main",
        "git push origin main -f",
    ] {
        assert!(pattern("git push origin *").matches(&part(line)), "{line}");
        assert!(!covers("git push origin *", line), "{line}");
    }
    assert!(covers("git push --force *", "git push --force origin main"));
    assert!(covers("rm *", "rm x"));
    assert!(!covers("rm *", "rm -rf x"));
    assert!(covers("rm -rf *", "rm -rf x"));
    assert!(!covers("rm -rf *", "rm -rf /"));
    // Who allows folders allows those that a build makes, and not the other way round.
    assert!(covers("rm -rf *", "rm -rf build"));
    assert!(covers("rm -rf build", "rm -rf build"));
    assert!(!covers("rm -rf build *", "rm -rf build src"));
}

#[test]
fn the_narrowest_useful_pattern_is_offered() {
    let offered = |line: &str| suggest(&part(line)).map(|pattern| pattern.to_string());
    let rows = [
        ("git push origin main", Some("git push origin *")),
        ("git push", Some("git push")),
        ("git push --force origin main", Some("git push --force origin main")),
        ("git push origin main --force", Some("git push origin main --force")),
        ("git commit -m 'a b'", Some("git commit *")),
        ("git restore --staged x", Some("git restore --staged x")),
        ("git reset --hard", Some("git reset --hard")),
        ("git -C x push", Some("git -C x push")),
        ("npm publish", Some("npm publish *")),
        ("npm publish --dry-run", Some("npm publish --dry-run")),
        ("npm run build -- --watch", Some("npm run build *")),
        ("cargo publish -p x", Some("cargo publish *")),
        ("gh pr create --fill", Some("gh pr create *")),
        ("make deploy", Some("make deploy *")),
        ("ls -la", Some("ls *")),
        ("my-tool a 'b c'", Some("my-tool a 'b c'")),
        ("./run.sh now", Some("./run.sh now")),
        ("rsync -a x host:y", Some("rsync -a x host:y")),
        ("git push $x", None),
        ("git push > x", None),
        ("PATH=x git push", None),
        ("rm x", None),
        ("rm -rf x", None),
        ("sudo ls -l", Some("ls *")),
        ("python3 -c 1", None),
        ("python3.12 x.py", None),
        ("bash x.sh", None),
        ("node x.js", None),
        ("curl https://example.com", None),
        ("ssh host", None),
        ("find . -delete", None),
        ("dd if=a of=b", None),
        ("chmod 777 x", None),
        ("mkfs.ext4 x", None),
        ("killall x", None),
        ("crontab x", None),
        ("docker push x", None),
    ];
    for (line, expected) in rows {
        assert_eq!(offered(line).as_deref(), expected, "{line}");
    }
    assert_eq!(suggest(&judged("sudo ls -l").parts[0]), None);
}

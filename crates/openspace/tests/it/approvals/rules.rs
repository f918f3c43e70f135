//! Rules through the real program: what *always* saves, a file that cannot be read, and trying a line.

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::{begin, end, until_asked};
use crate::support::{Server, Space, read, write};

fn policy_of(space: &Space) -> std::path::PathBuf {
    space.home().join(".config/openspace/policy.toml")
}

fn put_policy(space: &Space, text: &str) {
    std::fs::create_dir_all(policy_of(space).parent().unwrap()).unwrap();
    write(&policy_of(space), text);
}

#[tokio::test]
async fn always_writes_the_rule_into_the_persons_own_file() {
    let space = Space::new();
    put_policy(&space, "# Kept.\n");
    let server =
        Server::start_in(&space, &["--profile", "careful", "--agents-place", "shared"]).await;
    let agent = server.mcp().await;
    let call = begin(&agent, "git push origin main").await;
    let one = until_asked(&server, "a1").await;
    server.space.run(&["approve", "a1", "--always"]).await;
    end(call).await;
    let text = read(&policy_of(&space));
    assert!(text.starts_with("# Kept.\n"), "{text}");
    assert!(text.contains(one["always"]["text"].as_str().unwrap().trim()), "{text}");
    let again = end(begin(&agent, "git push origin main").await).await;
    assert_eq!(again["success"], true, "{again}");
}

#[tokio::test]
async fn a_broken_policy_stops_the_start_and_says_where() {
    let space = Space::new();
    put_policy(&space, "# one\n# two\n[[rule]]\ndecision = 'sometimes'\n");
    let failed = space
        .run(&["serve", "--port", "0", "--profile", "careful", "--agents-place", "shared"])
        .await;
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let file = policy_of(&space).display().to_string();
    assert!(failed.err.contains(&file) && failed.err.contains("line 4"), "{}", failed.err);
}

#[tokio::test]
async fn the_policy_can_be_read_and_tried_without_a_server() {
    let space = Space::new();
    put_policy(&space, "[[rule]]\nid = 'mine'\ndecision = 'deny'\nline = 'terraform *'\n");
    let shown = space.run(&["policy"]).await;
    assert_eq!(shown.code, Some(0), "{shown:?}");
    for words in [
        "profile  careful",
        ".config/openspace/policy.toml  (1 rules)",
        "deny   yours    mine: `terraform *`",
    ] {
        assert!(shown.out.contains(words), "{}", shown.out);
    }
    let tried =
        space.run(&["policy", "check", "ls && terraform apply", "--place", "outside"]).await;
    let lines: Vec<&str> = tried.out.lines().collect();
    assert_eq!(lines[0], "deny   outside of the confined place  by your rule `mine`");
    assert_eq!(tried.code, Some(13));
    assert!(lines.contains(&"       deny   terraform apply  (your rule `mine`)"), "{}", tried.out);
    // As a call that ends so; of several places it is the strictest.
    for (arguments, expected) in [
        (&["ls", "--place", "confined"][..], 0),
        (&["ls", "--place", "unconfined", "--json"], 0),
        (&["git push", "--place", "confined"], 6),
        (&["git push", "--place", "confined", "--json"], 6),
        (&["terraform apply", "--place", "confined"], 13),
        (&["rm -rf /", "--place", "outside"], 13),
        (&["ls"], 6),
        (&["rm -rf /"], 13),
        (&["ls", "--profile", "trusting"], 0),
    ] {
        let tried = space.run(&[&["policy", "check"], arguments].concat()).await;
        assert_eq!(tried.code, Some(expected), "{arguments:?}: {tried:?}");
    }
    let all = space.run(&["policy", "check", "ls", "--json", "--profile", "trusting"]).await;
    let all: Value = serde_json::from_str(&all.out).unwrap();
    let places: Vec<&Value> = all.as_array().unwrap().iter().map(|one| &one["place"]).collect();
    assert_eq!(places, ["confined", "outside", "unconfined"]);
    let unknown = space.run(&["policy", "check", "ls", "--profile", "wild"]).await;
    assert_eq!(unknown.code, Some(2));
}

#[tokio::test]
async fn a_policy_is_checked_for_lines_and_also_where_nobody_is_asked() {
    let space = Space::new();
    let check = async |args: &[&str]| {
        let told = space.run(&[&["policy", "check"], args].concat()).await;
        (told.code, told.out, told.err)
    };
    let (code, _, err) = check(&["  "]).await;
    assert_eq!(code, Some(2));
    assert!(err.contains("the line is empty") && err.contains("Hint: "), "{err}");
    let (code, out, _) = check(&["rm -rf /", "--profile", "off"]).await;
    assert_eq!(
        (code, out.matches("nobody is asked about anything").count()),
        (Some(0), 3),
        "{out}"
    );
    let table = space.run(&["policy"]).await.out;
    assert!(table.contains("allow   file.delete: it goes to the trash"), "{table}");
}

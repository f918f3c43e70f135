//! Patterns as servers write them.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

#[test]
fn patterns_are_about_paths() {
    let cases = [
        ("**/*.ts", "/p/a/b.ts", true),
        ("**/*.ts", "/b.ts", true),
        ("**/*.{ts,js}", "/p/b.js", true),
        ("**/*.ts", "/p/b.tsx", false),
        ("**/{package,tsconfig}.json", "/p/tsconfig.json", true),
        ("*.ts", "/p/a/b.ts", true),
        ("pyrightconfig.json", "/p/pyrightconfig.json", true),
        ("/p/*.ts", "/p/b.ts", true),
        ("/p/*.ts", "/p/a/b.ts", false),
        ("/p/**", "/p/a/b.ts", true),
        ("**/[ab].ts", "/p/b.ts", true),
        ("**/[!ab].ts", "/p/b.ts", false),
        ("**", "/p", true),
    ];
    for (pattern, path, expected) in cases {
        let uri = Uri::read(&format!("file://{path}"));
        assert_eq!(Pattern::read(&json!(pattern)).takes(&uri), expected, "{pattern} {path}");
    }
}

#[test]
fn a_pattern_beneath_a_folder_is_about_what_is_beneath_it() {
    for base in [json!("file:///p"), json!({"uri": "file:///p", "name": "p"})] {
        let pattern = Pattern::read(&json!({"baseUri": base, "pattern": "*/x.json"}));
        let takes = |uri: &str| pattern.takes(&Uri::read(uri));
        assert!(takes("file:///p/a/x.json"));
        assert!(!takes("file:///p/x.json") && !takes("file:///q/a/x.json"));
    }
}

#[test]
fn what_cannot_be_read_takes_every_file_and_nothing_else() {
    for pattern in [json!("[a"), json!(7), json!(null), json!("x".repeat(5000))] {
        let pattern = Pattern::read(&pattern);
        assert!(pattern.takes(&Uri::read("file:///p/a")));
        assert!(!pattern.takes(&Uri::read("untitled:1")));
    }
}

//! Which settings are understood.

use super::*;

const WHOLE: &str = include_str!("../../../../deny.toml");

#[test]
fn the_repositorys_own_rules_are_understood() {
    let rules = Rules::parse(WHOLE).unwrap();
    assert!(rules.allow("anything", "MIT"));
    assert!(rules.allow("nucleo-matcher", "MPL-2.0") && !rules.allow("anything", "MPL-2.0"));
    assert!(rules.targets.contains(&"x86_64-unknown-linux-gnu".to_owned()));
}

#[test]
fn a_setting_that_nobody_holds_is_an_error() {
    let more = format!("{WHOLE}\n[sources.allow-org]\ngithub = [\"x\"]\n");
    let error = Rules::parse(&more).unwrap_err().to_string();
    assert_eq!(error, "deny.toml: nobody holds `sources.allow-org`");
    let other = WHOLE.replace("wildcards = \"deny\"", "wildcards = \"allow\"");
    let error = Rules::parse(&other).unwrap_err().to_string();
    assert_eq!(error, "deny.toml: `bans.wildcards` is \"allow\", but only \"deny\" can be held");
}

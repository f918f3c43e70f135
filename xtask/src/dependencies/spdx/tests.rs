//! Which expressions are met.

use super::*;

fn met(expression: &str) -> Option<bool> {
    let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];
    is_met(expression, &mut |licence| allowed.contains(&licence)).ok()
}

#[test]
fn one_of_several_is_enough_and_all_of_several_are_needed() {
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 / LGPL-2.1+", false),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT OR GPL-3.0 AND BSL-1.0", true),
        ("(MIT OR GPL-3.0) AND BSL-1.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("MIT WITH LLVM-exception", false),
    ] {
        assert_eq!(met(expression), Some(expected), "{expression}");
    }
}

#[test]
fn what_is_no_expression_is_not_taken_for_one() {
    for expression in
        ["", "MIT OR", "(MIT", "MIT)", "SEE LICENSE IN LICENSE", "AND MIT", "MIT WITH"]
    {
        assert_eq!(met(expression), None, "{expression}");
    }
}

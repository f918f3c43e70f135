//! Patterns are filled, and always in the same way.

use super::*;

#[test]
fn placeholders_become_words_and_other_signs_stay() {
    let mut text = String::new();
    write_line("fn $v_$n() { $d $ $x }", &mut text, &mut Random::new(7));
    let words: Vec<&str> = text.split(['_', ' ', '(']).collect();
    assert!(VERBS.contains(&words[1]) && NOUNS.contains(&words[2]), "{text}");
    assert!(text.ends_with(" $ $x }\n"), "{text}");
}

#[test]
fn the_same_seed_gives_the_same_text() {
    let text = |seed| fill(&RUST, 50.0, &mut Random::new(seed));
    assert_eq!(text(3), text(3));
    assert_ne!(text(3), text(4));
    assert_eq!(text(3).lines().count(), 50);
}

#[test]
fn numbers_stay_below_their_limit() {
    let mut random = Random::new(1);
    for _ in 0..1000 {
        assert!(random.below(3) < 3);
        assert!((0.0..=1.0).contains(&random.share()));
    }
}

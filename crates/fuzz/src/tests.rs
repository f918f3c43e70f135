//! The inputs reach what they should, and what is found is named.

use super::*;

#[test]
fn the_seeds_come_first_and_the_same_start_gives_the_same_inputs() {
    let seeds: &[&[u8]] = &[b"one", b"two"];
    let some = |start| Inputs::new(seeds, start).take(300).collect::<Vec<_>>();
    assert_eq!(some(1), some(1));
    assert_eq!(some(1)[..2], [b"one", b"two"]);
    assert_ne!(some(1)[2..], some(2)[2..]);
}

#[test]
fn inputs_are_bounded_and_there_are_some_without_seeds() {
    let long = [7; 1_000];
    assert!(Inputs::new(&[&long], 3).take(2_000).all(|input| input.len() <= 1_024));
    assert!(Inputs::new(&[], 3).take(100).any(|input| !input.is_empty()));
}

#[test]
fn what_breaks_is_found_and_made_small() {
    let breaks = |input: &[u8]| assert!(!(input.contains(&b'x') && input.contains(&b'y')));
    assert!(catch_unwind(|| hold(&[b"some", b"..x.y"], breaks)).is_err());
    assert_eq!(smaller(&breaks, b"....x......y..x".to_vec()), b"yx");
}

#[test]
fn hexadecimal_goes_both_ways() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(hex::read(&hex::write(&all)), Some(all));
    assert_eq!(hex::read("0"), None);
    assert_eq!(hex::read("+1"), None);
    assert_eq!(hex::read("éé"), None);
}

#[test]
fn an_input_is_split_into_texts() {
    assert_eq!(texts(b"a\xffb\xc3\xffc\xffd"), ["a", "b\u{fffd}", "c"]);
    assert_eq!(texts(b""), ["", ""]);
}

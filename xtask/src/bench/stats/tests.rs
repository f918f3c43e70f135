//! Percentiles, by rank.

use super::*;

fn milliseconds(times: impl IntoIterator<Item = u64>) -> Samples {
    Samples::of(times.into_iter().map(Duration::from_millis).collect()).unwrap()
}

fn percentiles(samples: &Samples) -> [u128; 5] {
    [0, 50, 90, 99, 100].map(|percent| samples.percentile(percent).as_millis())
}

#[test]
fn percentiles_are_measured_times_whatever_the_order() {
    assert_eq!(percentiles(&milliseconds((1..=100).rev())), [1, 50, 90, 99, 100]);
    assert_eq!(percentiles(&milliseconds([30, 10, 20])), [10, 20, 30, 30, 30]);
    assert_eq!(percentiles(&milliseconds([7])), [7; 5]);
}

#[test]
fn one_slow_call_in_a_hundred_shows_only_at_the_end() {
    let samples = milliseconds((0..100).map(|number| if number == 3 { 900 } else { 1 }));
    assert_eq!(percentiles(&samples), [1, 1, 1, 1, 900]);
}

#[test]
fn the_median_of_ten_is_the_fifth() {
    assert_eq!(milliseconds(1..=10).median(), Duration::from_millis(5));
}

#[test]
fn no_measurement_is_an_error() {
    assert_eq!(Samples::of(Vec::new()).unwrap_err().to_string(), "nothing was measured");
}

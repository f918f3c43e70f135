//! Who waits is told, and not for longer than the work takes.

use super::*;

#[test]
fn work_that_takes_long_is_told_of_until_it_ends() {
    let (told, times) = mpsc::channel();
    let tell = move |time| told.send(time).unwrap();
    let (first, second) =
        telling(Duration::from_millis(1), tell, || (times.recv().unwrap(), times.recv().unwrap()));
    assert!(Duration::ZERO < first && first < second);
}

#[test]
fn short_work_is_done_without_a_word() {
    let done = telling(Duration::from_hours(1), |_| panic!("nobody waited"), || 7);
    assert_eq!(done, 7);
}

//! What a subscriber hears, and what a slow one does.

use std::sync::Arc;

use pretty_assertions::assert_eq;

use super::*;
use crate::model::SessionId;

fn deleted(number: usize) -> Event {
    Event::SessionDeleted { session_id: SessionId(number.to_string()) }
}

fn gap() -> Arc<Event> {
    Arc::new(Event::Gap { why: TOO_SLOW.to_owned() })
}

#[tokio::test]
async fn each_subscriber_hears_what_is_told_after_it_came_and_then_the_end() {
    let feed = Feed::default();
    let mut early = feed.subscribe();
    feed.tell(deleted(1), 10);
    let mut late = feed.subscribe();
    feed.tell(deleted(2), 10);
    drop(feed);

    assert_eq!(early.next().await, Some(Arc::new(deleted(1))));
    assert_eq!(early.next().await, Some(Arc::new(deleted(2))));
    assert_eq!(early.next().await, None);
    assert_eq!(late.next().await, Some(Arc::new(deleted(2))));
    assert_eq!(late.next().await, None);
}

#[tokio::test]
async fn who_reads_too_slowly_is_told_of_a_gap_and_goes_on_with_what_comes_then() {
    let feed = Feed::default();
    let mut slow = feed.subscribe();
    for number in 0..=MOST_WAITING {
        feed.tell(deleted(number), 1);
    }
    feed.tell(deleted(7), 1);

    assert_eq!(slow.next().await, Some(gap()));
    assert_eq!(slow.next().await, Some(Arc::new(deleted(7))));
}

#[tokio::test]
async fn bytes_that_wait_are_bounded_as_well() {
    let feed = Feed::default();
    let mut slow = feed.subscribe();
    feed.tell(deleted(1), MOST_WAITING_BYTES);
    feed.tell(deleted(2), 1);
    feed.tell(deleted(3), MOST_WAITING_BYTES);

    assert_eq!(slow.next().await, Some(gap()));
    assert_eq!(slow.next().await, Some(Arc::new(deleted(3))));
}

#[tokio::test]
async fn one_subscriber_too_many_closes_the_oldest() {
    let feed = Feed::default();
    let mut subscribers: Vec<_> = (0..=MOST_SUBSCRIBERS).map(|_| feed.subscribe()).collect();
    feed.tell(deleted(1), 1);

    assert_eq!(subscribers[0].next().await, None);
    assert_eq!(subscribers[1].next().await, Some(Arc::new(deleted(1))));
}

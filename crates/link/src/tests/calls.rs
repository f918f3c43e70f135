//! Calls, items, inputs, cancelling and failing.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::net::UnixStream;

use super::super::{LARGEST_PAYLOAD, Link, LinkError, MOST_CALLS, Options, serve};
use super::stage::{Script, pair};

#[tokio::test]
async fn a_request_gets_its_reply() {
    let (link, _, served) = pair().await;
    assert_eq!(link.call(b"echo one".to_vec()).reply().await, Ok(b"one".to_vec()));
    drop(link);
    assert_eq!(served.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn items_come_in_order_and_end_with_the_reply() {
    let (link, _, _) = pair().await;
    let mut call = link.call(b"count 2000".to_vec());
    for number in 0..2000 {
        assert_eq!(call.next().await, Ok(Some(number.to_string().into_bytes())));
    }
    assert_eq!(call.next().await, Ok(None));
    assert_eq!(call.next().await, Ok(None));
    assert_eq!(call.reply().await, Ok(b"counted".to_vec()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_calls_interleave_over_a_socket() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let served = tokio::spawn(serve(theirs, Arc::new(Script::default()), Options::default()));
    let (link, _) = Link::connect(ours, Vec::new(), Options::default()).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..4000_u32 {
        let link = link.clone();
        tasks.spawn(async move {
            if number % 3 == 0 {
                let mut call = link.call(b"count 20".to_vec());
                for item in 0..20 {
                    assert_eq!(call.next().await, Ok(Some(item.to_string().into_bytes())));
                }
                assert_eq!(call.reply().await, Ok(b"counted".to_vec()));
            } else {
                let reply = link.call(format!("echo {number}").into_bytes()).reply().await;
                assert_eq!(reply, Ok(number.to_string().into_bytes()));
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    drop(link);
    assert_eq!(served.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn inputs_reach_the_handler_in_order() {
    let (link, _, _) = pair().await;
    let mut call = link.call(b"inputs 500".to_vec());
    let sender = call.sender();
    let feeding = tokio::spawn(async move {
        for number in 0..500_u32 {
            sender.send(vec![u8::try_from(number % 251).unwrap(); 5000]).await.unwrap();
        }
    });
    let mut all = Vec::new();
    while let Some(item) = call.next().await.unwrap() {
        all.extend_from_slice(&item);
    }
    feeding.await.unwrap();
    assert!(call.send(vec![1]).await == Err(LinkError::Ended));
    let expected: Vec<u8> =
        (0..500_u32).flat_map(|number| vec![u8::try_from(number % 251).unwrap(); 5000]).collect();
    assert!(all == expected);
    assert!(call.reply().await.unwrap() == expected);
}

#[tokio::test]
async fn a_cancelled_call_still_replies() {
    let (link, script, _) = pair().await;
    let call = link.call(b"hold".to_vec());
    script.until(&script.handled, 1).await;
    call.cancel();
    call.cancel();
    assert_eq!(call.reply().await, Ok(b"stopped".to_vec()));
    assert_eq!(script.cancelled.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn dropping_a_call_cancels_it() {
    let (link, script, _) = pair().await;
    let call = link.call(b"hold".to_vec());
    let sender = call.sender();
    script.until(&script.handled, 1).await;
    drop(call);
    script.until(&script.cancelled, 1).await;
    assert_eq!(sender.send(vec![1]).await, Err(LinkError::Ended));
}

#[tokio::test]
async fn a_cancelled_handler_cannot_send_items() {
    let (link, script, _) = pair().await;
    let call = link.call(b"flood 1000".to_vec());
    script.until(&script.flooded, 1).await;
    call.cancel();
    assert_eq!(call.reply().await, Ok(b"drained".to_vec()));
}

#[tokio::test]
async fn a_panic_fails_its_call_and_no_other() {
    let (link, _, _) = pair().await;
    let mut call = link.call(b"leap".to_vec());
    let failed =
        LinkError::Failed { message: "the handler panicked: no such word: leap".to_owned() };
    assert_eq!(call.next().await, Err(failed.clone()));
    assert_eq!(call.reply().await, Err(failed));
    assert_eq!(link.call(b"echo on".to_vec()).reply().await, Ok(b"on".to_vec()));
}

#[tokio::test]
async fn what_exceeds_a_frame_is_refused_before_it_is_sent() {
    let (link, script, _) = pair().await;
    let size = LARGEST_PAYLOAD + 1;
    let too_large = LinkError::TooLarge { size, limit: LARGEST_PAYLOAD };
    assert_eq!(link.call(vec![b'x'; size]).reply().await, Err(too_large.clone()));
    assert_eq!(script.handled.load(Ordering::SeqCst), 0);
    let reply = link.call(b"large".to_vec()).reply().await;
    assert_eq!(reply, Err(LinkError::Failed { message: too_large.to_string() }));
}

#[tokio::test]
async fn a_payload_larger_than_every_budget_passes() {
    let (link, _, _) = pair().await;
    let mut request = vec![b'x'; 20 * 1024 * 1024];
    request[..5].copy_from_slice(b"echo ");
    let small = link.call(b"echo small".to_vec());
    let large = link.call(request.clone());
    assert!(large.reply().await.unwrap() == request[5..]);
    assert_eq!(small.reply().await, Ok(b"small".to_vec()));
}

#[tokio::test]
async fn a_call_above_the_limit_waits_for_a_place() {
    let (link, script, _) = pair().await;
    let mut held: Vec<_> = (0..MOST_CALLS).map(|_| link.call(b"hold".to_vec())).collect();
    script.until(&script.handled, MOST_CALLS).await;
    let waiting = link.call(b"echo late".to_vec());
    let cancelled_early = link.call(b"hold".to_vec());
    cancelled_early.cancel();
    drop(link.call(b"hold".to_vec()));
    let reply = tokio::spawn(waiting.reply());
    tokio::task::yield_now().await;
    assert!(!reply.is_finished());
    held.pop();
    assert_eq!(reply.await.unwrap(), Ok(b"late".to_vec()));
    assert_eq!(cancelled_early.reply().await, Ok(b"stopped".to_vec()));
    assert_eq!(script.handled.load(Ordering::SeqCst), MOST_CALLS + 2);
}

#[tokio::test]
async fn a_call_keeps_the_link_alive() {
    let (link, _, served) = pair().await;
    let call = link.call(b"echo still".to_vec());
    drop(link);
    assert_eq!(call.reply().await, Ok(b"still".to_vec()));
    assert_eq!(served.await.unwrap(), Ok(()));
}

//! Streams that break: the session goes on or is lost, and nothing in between.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use proptest::prelude::*;
use tokio::io::duplex;
use tokio::time::Instant;

use super::super::{Link, LinkError, Options, serve};
use super::stage::{Cut, Cuts, Script, eager, pair, pair_again};

/// A conversation with every kind of frame; its result says everything that was seen.
async fn converse(link: &Link, items: u32, inputs: &[usize]) -> Result<Vec<Vec<u8>>, LinkError> {
    let mut seen = Vec::new();
    let mut counting = link.call(format!("count {items}").into_bytes());
    let mut feeding = link.call(format!("inputs {}", inputs.len()).into_bytes());
    let holding = link.call(b"hold".to_vec());
    for (number, size) in inputs.iter().enumerate() {
        feeding.send(vec![u8::try_from(number % 256).unwrap_or(0); *size]).await?;
        seen.extend(feeding.next().await?);
    }
    while let Some(item) = counting.next().await? {
        seen.push(item);
    }
    seen.push(counting.reply().await?);
    seen.push(feeding.reply().await?);
    holding.cancel();
    seen.push(holding.reply().await?);
    match link.call(b"large".to_vec()).reply().await {
        Err(LinkError::Failed { message }) => seen.push(message.into_bytes()),
        other => return other.map(|_| seen),
    }
    Ok(seen)
}

async fn unbroken(items: u32, inputs: &[usize]) -> Vec<Vec<u8>> {
    let (link, _, _) = pair().await;
    converse(&link, items, inputs).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_break_after_any_byte_of_the_caller_changes_nothing() {
    break_after_any_byte(|cut| Cuts { caller: vec![cut], ..Cuts::default() }).await;
}

#[tokio::test(start_paused = true)]
async fn a_break_after_any_byte_of_the_server_changes_nothing() {
    break_after_any_byte(|cut| Cuts { server: vec![cut], ..Cuts::default() }).await;
}

/// Also breaks the second stream, at a distance that the first break shifts through all frames.
#[tokio::test(start_paused = true)]
async fn a_break_while_attaching_again_changes_nothing() {
    for second in [0, 16, 40, 41, 60, 90] {
        break_after_any_byte(|cut| Cuts { caller: vec![cut, second], server: vec![] }).await;
        break_after_any_byte(|cut| Cuts { caller: vec![cut], server: vec![cut, second] }).await;
    }
}

async fn break_after_any_byte(cuts: impl Fn(usize) -> Cuts) {
    let expected = unbroken(5, &[1, 100]).await;
    let mut cut = 0;
    loop {
        let (link, script, served, dialed) = pair_again(cuts(cut), eager()).await;
        let link = link.unwrap();
        assert_eq!(converse(&link, 5, &[1, 100]).await, Ok(expected.clone()), "cut at {cut}");
        assert_eq!(script.handled.load(Ordering::SeqCst), 4, "cut at {cut}");
        if dialed.load(Ordering::SeqCst) == 1 {
            break;
        }
        drop(link);
        let end = served.await.unwrap();
        // The goodbye itself may be what was cut.
        assert!(matches!(end, Ok(()) | Err(LinkError::Lost { .. })), "cut at {cut}: {end:?}");
        cut += 1;
    }
    assert!(cut > 500, "{cut}");
}

#[tokio::test(start_paused = true)]
async fn without_a_way_to_dial_a_break_after_any_byte_is_a_loss() {
    let (mut cut, mut whole) = (0, false);
    while !whole {
        let (ours, theirs) = duplex(64 * 1024);
        let script = Arc::new(Script::default());
        let served = tokio::spawn(serve(theirs, script, Options::default()));
        let ours = Cut::after(ours, cut);
        let spoken = match Link::connect(ours, b"hello".to_vec(), Options::default()).await {
            Ok((link, _)) => {
                let spoken = converse(&link, 5, &[1, 100]).await;
                if let Err(error) = &spoken {
                    assert_eq!(link.lost().await, *error);
                    assert_eq!(link.call(b"echo".to_vec()).reply().await, Err(error.clone()));
                }
                spoken
            }
            Err(error) => Err(error),
        };
        whole = spoken.is_ok();
        assert!(matches!(spoken, Ok(_) | Err(LinkError::Lost { .. })), "cut at {cut}: {spoken:?}");
        let end = served.await.unwrap();
        assert!(matches!(end, Ok(()) | Err(LinkError::Lost { .. })), "cut at {cut}: {end:?}");
        cut += 1;
    }
    assert!(cut > 500, "{cut}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn many_breaks_lose_nothing_and_double_nothing(
        caller in prop::collection::vec(prop_oneof![0_usize..200, 100_usize..6000], 0..12),
        server in prop::collection::vec(prop_oneof![0_usize..200, 100_usize..6000], 0..12),
        items in 0_u32..300,
        inputs in prop::collection::vec(prop_oneof![0_usize..50, 0_usize..9000], 0..12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let expected = unbroken(items, &inputs).await;
            let mut options = eager();
            options.redial.attempts = 30;
            let (link, script, served, _) = pair_again(Cuts { caller, server }, options).await;
            let link = link.unwrap();
            assert_eq!(converse(&link, items, &inputs).await, Ok(expected));
            assert_eq!(script.handled.load(Ordering::SeqCst), 4);
            drop(link);
            assert!(matches!(served.await.unwrap(), Ok(()) | Err(LinkError::Lost { .. })));
        });
    }
}

#[tokio::test(start_paused = true)]
async fn attempts_are_bounded_and_spaced() {
    let cuts = Cuts { caller: vec![200, 0, 0, 0, 0, 0, 0], ..Cuts::default() };
    let (link, _, served, dialed) = pair_again(cuts, eager()).await;
    let link = link.unwrap();
    let began = Instant::now();
    let call = link.call(b"echo these many bytes are too many for the first stream".to_vec());
    let more = link.call(b"hold".to_vec());
    let error = call.reply().await.unwrap_err();
    let LinkError::Lost { reason } = &error else { panic!("{error:?}") };
    assert!(reason.contains("dialing again failed"), "{reason}");
    assert_eq!(more.reply().await, Err(error.clone()));
    assert_eq!(link.lost().await, error);
    // The stream that brought nothing counts as an attempt.
    assert_eq!(dialed.load(Ordering::SeqCst), 5);
    assert_eq!(began.elapsed(), Duration::from_millis(1 + 2 + 2 + 2));
    drop(link);
    assert_eq!(
        served.await.unwrap(),
        Err(LinkError::Lost { reason: "there can be no more streams: broken pipe".to_owned() })
    );
}

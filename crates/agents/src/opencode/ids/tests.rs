//! Ids follow what there is.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn an_id_follows_the_newest_message_and_never_comes_twice() {
    let ids = Ids::default();
    let newest = MessageId("msg_1ef55f996001LkgV8SDaSI9sCI".to_owned());
    let first = ids.following(Some(&newest), 0);
    let second = ids.following(Some(&newest), 0);
    assert!(first.0.starts_with("msg_1ef55f996002"), "{first}");
    assert!(second.0.starts_with("msg_1ef55f996003"), "{second}");
    assert_eq!(first.0.len(), newest.0.len());
    assert!(newest < first && first < second);
}

#[test]
fn the_first_id_of_a_session_is_of_the_time_when_it_began() {
    let id = Ids::default().following(None, 1_795_016_751_510);
    assert_eq!(&id.0[..16], "msg_1ef55f996001");
    assert_eq!(time_of("msg_1ef55f996001LkgV8SDaSI9sCI"), Some(0x1ef5_5f99_6001));
}

#[test]
fn an_id_of_another_form_counts_as_none() {
    assert_eq!(time_of("msg_short"), None);
    assert_eq!(time_of("note_1ef55f996001LkgV8SDaSI9sCI"), None);
    let id = Ids::default().following(Some(&MessageId("odd".to_owned())), 1_795_016_751_510);
    assert_eq!(&id.0[..16], "msg_1ef55f996001");
}

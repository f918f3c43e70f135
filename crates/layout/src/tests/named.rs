//! Saved layouts by example.

use super::*;

fn saved(layout: &Layout) -> Named {
    let mut named = Named::default();
    assert_eq!(named.save("work", layout), Ok(false));
    named
}

#[test]
fn a_saved_layout_comes_back_with_its_pane_ids() {
    let mut current = layout([editor("a"), beside("b"), terminal("t1")]);
    current.resize(PaneId(1), Some(30.0), None).unwrap();
    let named = saved(&current);
    let before = current.tree();
    current.close_pane(PaneId(2)).unwrap();
    current.open(beside("c")).unwrap();
    assert_eq!(
        named.apply("work", &mut current, |kind, _| presence(kind, true)).unwrap(),
        Applied { closed: vec![TabKey::new(TabKind::Editor, "c")], ..Applied::default() },
    );
    assert_eq!(current.tree(), before);
    check(&current, "[p1: a* | p2: b*]; bottom p3: t1*!");
    let opened = current.open(beside("d")).unwrap();
    assert_eq!(opened.pane, PaneId(5), "p4 was given out before and stays gone");
}

#[test]
fn content_that_is_gone_leaves_a_placeholder() {
    let mut current = layout([editor("a"), editor("b")]);
    let named = saved(&current);
    let applied = named.apply("work", &mut current, |kind, id| presence(kind, id != "a")).unwrap();
    assert_eq!(applied.missing, [TabKey::new(TabKind::Editor, "a")]);
    let missing: Vec<bool> = current.tabs().map(|(_, tab)| tab.missing).collect();
    assert_eq!(missing, [true, false]);
}

#[test]
fn unsaved_changes_and_live_terminals_are_not_lost() {
    let mut current = layout([editor("a"), beside("b")]);
    let named = saved(&current);
    for request in [editor("dirty"), below("far"), terminal("t1"), terminal("t2"), editor("e")] {
        current.open(request).unwrap();
    }
    current.set_dirty(TabKind::Editor, "dirty", true).unwrap();
    current.set_dirty(TabKind::Editor, "far", true).unwrap();
    current.set_dirty(TabKind::Editor, "a", true).unwrap();
    let applied = named.apply("work", &mut current, |kind, id| presence(kind, id != "t2")).unwrap();
    let editor = |id: &str| TabKey::new(TabKind::Editor, id);
    let terminal = |id: &str| TabKey::new(TabKind::Terminal, id);
    let kept = vec![editor("dirty"), editor("far"), terminal("t1")];
    let closed = vec![editor("e"), terminal("t2")];
    assert_eq!(applied, Applied { missing: Vec::new(), kept, closed });
    check(&current, "[p1: a* far | p2: b* dirty!]; bottom p5: t1*");
    let dirty: Vec<&str> =
        current.tabs().filter(|(_, tab)| tab.dirty).map(|(_, tab)| &*tab.content_id).collect();
    assert_eq!(dirty, ["a", "far", "dirty"]);
}

#[test]
fn kept_tabs_find_room_beside_full_panes() {
    let full = layout((0..MAX_TABS).map(|n| editor(&format!("{n}"))));
    let named = saved(&full);
    let mut current = layout([editor("mine")]);
    current.set_dirty(TabKind::Editor, "mine", true).unwrap();
    named.apply("work", &mut current, |kind, _| presence(kind, true)).unwrap();
    current.validate().unwrap();
    assert_eq!(current.find_tab(TabKind::Editor, "mine"), Some(PaneId(2)));
    assert_eq!(current.active_pane(), PaneId(1));
}

#[test]
fn an_unknown_name_is_refused_with_the_known_ones() {
    let mut current = Layout::default();
    let mut named = saved(&current);
    let message = "no layout is named `x`; the saved ones are: work";
    check_refused(&mut current, |l| named.apply("x", l, |kind, _| presence(kind, true)), message);
    assert_eq!(named.delete("x").unwrap_err().to_string(), message);
    named.delete("work").unwrap();
    assert_eq!(named.names().count(), 0);
}

#[test]
fn names_and_their_number_are_bounded() {
    let layout = Layout::default();
    let mut named = Named::default();
    for bad in ["", " x", "x ", "a\nb", &"x".repeat(65)] {
        assert_eq!(named.save(bad, &layout), Err(LayoutError::BadName { limit: 64 }), "{bad:?}");
    }
    for n in 0..100 {
        assert_eq!(named.save(&format!("layout {n}"), &layout), Ok(false));
    }
    let too_many = LayoutError::TooMany { what: "saved layouts", limit: 100 };
    assert_eq!(named.save("one more", &layout), Err(too_many));
    assert_eq!(named.save("layout 7", &layout), Ok(true));
    let json = serde_json::to_string(&named).unwrap();
    assert_eq!(serde_json::from_str::<Named>(&json).unwrap(), named);
    let json = json.replace("layout 7", " layout 7");
    assert!(serde_json::from_str::<Named>(&json).is_err(), "a bad name was read");
}

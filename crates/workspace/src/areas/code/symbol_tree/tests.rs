//! Trees and flat lists as servers tell them, and what a path of names means in them.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn range(line: u32, last: u32) -> Value {
    json!({"start": {"line": line, "character": 0}, "end": {"line": last, "character": 1}})
}

fn tree() -> Vec<Symbol> {
    let area =
        json!({"name": "area", "kind": 6, "range": range(1, 2), "selectionRange": range(1, 1)});
    let answer = json!([
        {"name": "impl Shape for Widget<T>", "kind": 19, "range": range(5, 9), "selectionRange": range(5, 5),
         "children": [{"name": "area", "kind": 6, "range": range(6, 8), "selectionRange": range(6, 6)}]},
        {"name": "no range", "kind": 5},
        {"name": "Widget", "kind": 5, "range": range(0, 4), "selectionRange": range(0, 0), "children": [area, 7]},
    ]);
    read(answer, "")
}

#[test]
fn a_tree_is_read_as_far_as_it_is_right_in_the_order_of_the_text() {
    let read: Vec<(String, &str, usize)> =
        tree().iter().map(|symbol| (symbol.address(), symbol.kind, symbol.depth())).collect();
    let expected = [
        ("Widget", "class", 0),
        ("Widget/area", "method", 1),
        ("impl Shape for Widget<T>", "object", 0),
        ("impl Shape for Widget<T>/area", "method", 1),
    ];
    assert_eq!(read, expected.map(|(path, kind, depth)| (path.to_owned(), kind, depth)));
}

#[test]
fn a_flat_list_gets_the_places_of_names() {
    let text = "class Widget:\n    def areas(self): pass\n    def area(self): pass\n";
    let whole = json!({"start": {"line": 1, "character": 4}, "end": {"line": 2, "character": 24}});
    let answer = json!([
        {"name": "area", "kind": 6, "containerName": "Widget", "location": {"uri": "file:///a", "range": whole}},
    ]);
    let read = read(answer, text);
    assert_eq!(read[0].address(), "Widget/area");
    assert_eq!(read[0].name.start, Position { line: 2, character: 8 });
}

#[test]
fn paths_of_names_are_found_by_their_end() {
    let tree = tree();
    let found = |path: &str| {
        let found = NamePath::read(path).among(&tree);
        found.into_iter().map(|symbol| symbol.range.start.line).collect::<Vec<u32>>()
    };
    for form in ["Widget/area", "Widget::area", "Widget.area", "Widget#area", "area"] {
        assert_eq!(found(form), [1, 6], "{form}");
    }
    assert_eq!(found("area[2]"), [6]);
    assert_eq!(found("area[3]"), Vec::<u32>::new());
    assert_eq!(found("Widget"), [0], "and not what is about it");
    assert_eq!(found("Shape/area"), Vec::<u32>::new());
    assert_eq!(found(""), Vec::<u32>::new());
    assert_eq!(found("[1]"), Vec::<u32>::new());
}

#[test]
fn words_stand_by_themselves() {
    let found: Vec<usize> = words("area areas _area area() é-area", "area").collect();
    assert_eq!(found, [0, 17, 27]);
    assert_eq!(words("a", "").count(), 0);
}

#[test]
fn the_innermost_symbol_is_around_a_place() {
    let tree = tree();
    let at = |line| around(&tree, Position { line, character: 0 }).map(Symbol::address);
    assert_eq!(at(1).as_deref(), Some("Widget/area"));
    assert_eq!(at(3).as_deref(), Some("Widget"));
    assert_eq!(at(4).as_deref(), Some("Widget"));
    assert_eq!(at(20), None);
}

//! What holds for all texts that bytes can spell.

use pretty_assertions::assert_eq;

use super::*;

const SEEDS: &[&[u8]] = &[
    b"{\n  \"mcpServers\": {\n    \"files\": {\"command\": \"x\"} // old\n  },\n}\n",
    b"// mine\n{ /* a */ \"theme\": \"d\\u00e4rk\\n\", \"list\": [1, -2.5e3, true, null,] }",
    b"{\"mcpServers\":{\"openspace\":{\"command\":\"openspace\",\"args\":[\"mcp\"]}}}",
    b"\xef\xbb\xbf{\r\n\t\"a\": [\r\n\t\t{}, []\r\n\t]\r\n}\r\n",
    b"{\"mcpServers\": {\"openspace\": 1, \"openspace\": 2}, \"mcpServers\": {}}",
    b"{\"list\": [\"old\", \"new\" /* here */ ]}\n// end",
    b"",
];

/// The document without our entry, and without the object that had to be made for it.
fn others(text: &str) -> Value {
    let root = parse(text).unwrap();
    let mut value = root.map_or(json!({}), |root| root.value());
    let servers = value["mcpServers"].as_object_mut().unwrap();
    servers.shift_remove("openspace");
    value
}

#[test]
fn no_text_is_read_differently_than_strict_json_where_it_is_that() {
    openspace_fuzz::hold(SEEDS, |data| {
        let text = String::from_utf8_lossy(data);
        let read = parse(&text);
        if let Ok(strict) = serde_json::from_str::<Value>(&text) {
            assert_eq!(read.unwrap().unwrap().value(), strict);
        }
    });
}

#[test]
fn no_text_is_edited_but_at_its_entry() {
    openspace_fuzz::hold(SEEDS, |data| {
        let old = String::from_utf8_lossy(data);
        let Ok(new) = set(&old, &PATH, &small()) else { return };
        assert_eq!(lookup(&new, &PATH).unwrap(), Some(small()));
        assert_eq!(set(&new, &PATH, &small()).unwrap(), new);
        let emptied = set(&old, &PATH, &json!(null)).unwrap();
        assert_eq!(others(&new), others(&emptied));
        if lookup(&old, &PATH[..1]).unwrap().is_some() {
            assert_eq!(others(&new), others(&old));
        }
    });
}

#[test]
fn no_text_gets_an_element_twice() {
    openspace_fuzz::hold(SEEDS, |data| {
        let old = String::from_utf8_lossy(data);
        let Ok(new) = set_element(&old, "list", "new", |element| element == "old") else { return };
        let list = lookup(&new, &["list"]).unwrap().unwrap();
        assert!(list.as_array().unwrap().contains(&json!("new")));
        assert_eq!(set_element(&new, "list", "new", |element| element == "old").unwrap(), new);
    });
}

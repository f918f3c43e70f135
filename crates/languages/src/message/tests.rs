//! What is a message, and what is none.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn told(body: &str) -> String {
    match Incoming::read(body.as_bytes()) {
        Ok(Incoming::Told { method, params }) => format!("told {method} {params}"),
        Ok(Incoming::Asked { id, method, params }) => format!("asked {id} {method} {params}"),
        Ok(Incoming::Answered { id, answer: Ok(result) }) => format!("answered {id} {result}"),
        Ok(Incoming::Answered { id, answer: Err(refusal) }) => {
            format!("refused {id} {} {}", refusal.code, refusal.message)
        }
        Err(why) => format!("wrong: {why}"),
    }
}

#[test]
fn what_is_there_says_what_it_is() {
    let cases = [
        (r#"{"method":"m"}"#, "told m null"),
        (r#"{"method":"m","params":[1]}"#, "told m [1]"),
        (r#"{"id":"a","method":"m","params":null}"#, r#"asked "a" m null"#),
        (r#"{"id":7,"result":null}"#, "answered 7 null"),
        (r#"{"id":7,"result":{"a": 1}}"#, r#"answered 7 {"a": 1}"#),
        (r#"{"id":7,"error":{"code":-1}}"#, "refused 7 -1 "),
        (r#"{"id":7,"result":1,"error":{"code":-1,"message":"no"}}"#, "refused 7 -1 no"),
        (r#"{"id":7,"result":1,"error":null}"#, "answered 7 1"),
    ];
    for (body, expected) in cases {
        assert_eq!(told(body), expected, "{body}");
    }
}

#[test]
fn what_is_no_message_is_told_with_its_beginning() {
    let long = format!(r#"{{"id":"{}","method":"m"}}"#, "x".repeat(2000));
    for body in [
        "",
        "{}",
        "[]",
        "null",
        r#"{"id":1}"#,
        r#"{"id":{},"method":"m"}"#,
        r#"{"id":null,"result":1}"#,
        &long,
    ] {
        let why = told(body);
        assert!(why.starts_with("wrong: ") && why.len() < 400, "{body}: {why}");
    }
    assert!(Incoming::read(b"\xff").is_err());
    assert!(Incoming::read("[".repeat(100_000).as_bytes()).is_err());
}

#[test]
fn what_is_written_is_read_again() {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert_eq!(told(&text(call(7, "m", &json!({"a": 1})))), r#"asked 7 m {"a":1}"#);
    assert_eq!(told(&text(notification("m", &Value::Null))), "told m null");
    assert_eq!(text(notification("exit", &Value::Null)), r#"{"jsonrpc":"2.0","method":"exit"}"#);
    assert_eq!(told(&text(answer(&json!("a"), Ok(Value::Null)))), r#"answered "a" null"#);
    let refusal = Refusal { code: METHOD_NOT_FOUND, message: "no".to_owned(), data: None };
    assert_eq!(told(&text(answer(&json!(3), Err(refusal)))), "refused 3 -32601 no");
}

#[test]
fn members_are_taken_out_of_anything() {
    let mut object = json!({"a": [1]});
    assert_eq!(taken(&mut object, "a"), json!([1]));
    for mut other in [object, json!([]), json!(null), json!(1)] {
        assert_eq!(taken(&mut other, "a"), Value::Null);
    }
}

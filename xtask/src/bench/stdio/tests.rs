//! Answers are told apart from everything else that comes on the same pipe.

use super::*;
use crate::scratch::Scratch;

#[test]
fn an_answer_is_known_by_its_id_at_either_end() {
    for (line, expected) in [
        ("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n", true),
        ("{\"result\":{\"content\":[]},\"jsonrpc\":\"2.0\",\"id\":7}\r\n", true),
        ("{\"error\":{\"code\":-32601},\"jsonrpc\":\"2.0\",\"id\":7}\n", true),
        ("{\"jsonrpc\":\"2.0\",\"id\":71,\"result\":{}}\n", false),
        ("{\"result\":{},\"jsonrpc\":\"2.0\",\"id\":17}\n", false),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"roots/list\",\"id\":7}\n", false),
        ("{\"method\":\"notifications/progress\",\"params\":{\"id\":7}}\n", false),
        ("\n", false),
    ] {
        assert_eq!(is_answer(line.as_bytes(), 7), expected, "{line}");
    }
}

#[test]
fn other_messages_before_the_answer_are_skipped() {
    let scratch = Scratch::new("stdio-test").unwrap();
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        r#"read line; echo '{"method":"notifications/message"}'
           echo '{"jsonrpc":"2.0","id":1,"result":"'"$line"'"}'; read line; exit 1"#,
    ]);
    let mut pipes = Pipes::start(shell, &scratch.path().join("log")).unwrap();
    let answer = pipes.exchange("ping", 1).unwrap();
    assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"ping\"}\n");
    let error = pipes.exchange("again", 2).unwrap_err();
    assert_eq!(error.to_string(), "the program ended without an answer");
}

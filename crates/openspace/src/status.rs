//! One table from kinds of failure to what each edge says: HTTP status and exit code.

use axum::http::StatusCode;
use openspace_command::ErrorKind;

/// The HTTP status of a failure.
pub fn http_status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::InvalidArgs => StatusCode::BAD_REQUEST,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict | ErrorKind::Cancelled => StatusCode::CONFLICT,
        ErrorKind::Denied | ErrorKind::Policy | ErrorKind::Unanswered => StatusCode::FORBIDDEN,
        ErrorKind::Unsupported => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Limit => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::TimedOut => StatusCode::GATEWAY_TIMEOUT,
        ErrorKind::Lost => StatusCode::BAD_GATEWAY,
        ErrorKind::NotSaved => StatusCode::INSUFFICIENT_STORAGE,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The exit code of a failure on the command line.
pub fn exit_code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Internal => 1,
        ErrorKind::InvalidArgs => 2,
        ErrorKind::NotFound => 3,
        ErrorKind::Conflict => 4,
        ErrorKind::Denied => 5,
        ErrorKind::Unanswered => 6,
        ErrorKind::Unsupported => 7,
        ErrorKind::Busy => 8,
        ErrorKind::TimedOut => 9,
        ErrorKind::Limit => 10,
        ErrorKind::Lost => 11,
        ErrorKind::NotSaved => 12,
        ErrorKind::Policy => 13,
        ErrorKind::Cancelled => 130,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    #[test]
    fn every_kind_has_its_place_at_every_edge() {
        let mut table = String::from("kind           http  exit\n");
        for kind in ErrorKind::ALL {
            let http = http_status(kind).as_u16();
            writeln!(table, "{:<14} {http}   {}", kind.word(), exit_code(kind)).unwrap();
        }
        let expected = "\
kind           http  exit
invalid_args   400   2
not_found      404   3
conflict       409   4
denied         403   5
policy         403   13
unanswered     403   6
unsupported    422   7
busy           503   8
limit          429   10
timed_out      504   9
cancelled      409   130
lost           502   11
not_saved      507   12
internal       500   1
";
        assert_eq!(table, expected);
    }
}

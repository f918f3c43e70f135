//! What of a policy the guard needs, without a server.

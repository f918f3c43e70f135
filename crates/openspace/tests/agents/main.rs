//! Agents that the server starts: a real opencode in a real confined place, with a model that says what a test
//! has written.

#[cfg(test)]
mod clients;
#[cfg(test)]
mod opencode;
#[cfg(test)]
mod support;

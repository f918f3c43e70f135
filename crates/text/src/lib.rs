//! Texts and nothing else: finding and replacing pieces, merging what two sides made of one text,
//! and places in it as different readers count them.
//!
//! Everything here is a function of its arguments. This crate knows no files, no encodings and no
//! callers, does no IO and waits for nothing.

pub mod edit;
pub mod merge;
pub mod offsets;
pub mod patch;

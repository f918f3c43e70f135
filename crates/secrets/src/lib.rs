//! Secrets in text: which words are some, and what stands in their place.
//!
//! There are three ways to know one. A [`Masker`] knows values, such as those that [`values_of`] finds in
//! the files where people keep them, in whatever surrounds them and in the usual encodings; and it knows
//! tokens by their form. [`places`] knows the places where secrets stand in a command line or a sentence,
//! which is right for a record and far too much for a source file.
//!
//! It looks at text alone. It reads no file, keeps no time, and what is printed backwards, cut into small
//! pieces or encrypted it does not know. Masking again changes nothing.

mod anchors;
mod encodings;
mod masker;
mod names;
mod pictures;
pub mod places;
mod scan;
mod stream;
mod tokens;
mod value;
mod values;
mod words;

pub use masker::{Masked, Masker, SHORTEST};
pub use names::is_named_secret;
pub use stream::Stream;
pub use value::Value;
pub use values::{MAX_FILE, MAX_VALUES, value_of_variable, values_of, values_of_settings};

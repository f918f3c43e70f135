//! What the table says.

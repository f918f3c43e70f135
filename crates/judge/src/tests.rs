//! What is found in lines.

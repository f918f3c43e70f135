//! Which build this is. Server and runner must be of the same one.
//!
//! What is said over a link has no version of its own that somebody would have to remember: the
//! sources are the version. So a runner that was left over from another build is refused, and never
//! answers with another meaning.

#[cfg(test)]
mod tests;

/// The release and a hash of the sources that stand on both sides of a link.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("OPENSPACE_SOURCES"));

/// Ends the name of the build in a greeting.
const END: u8 = b'\n';

/// Put the build before the first words, in a form that every build can read.
pub(crate) fn named(build: &str, words: &[u8]) -> Vec<u8> {
    [build.as_bytes(), &[END], words].concat()
}

/// Take the first words of a caller of this build; otherwise say who does not fit.
pub(crate) fn checked(greeting: &[u8]) -> Result<&[u8], String> {
    let end = greeting.iter().position(|byte| *byte == END);
    let (theirs, words) = match end {
        Some(end) => (&greeting[..end], &greeting[end + 1..]),
        None => (&[][..], greeting),
    };
    if theirs == BUILD.as_bytes() {
        return Ok(words);
    }
    let theirs = match end {
        Some(_) => format!("of build {}", String::from_utf8_lossy(theirs)),
        None => "of a build that does not tell its name".to_owned(),
    };
    Err(format!("the caller is {theirs}, this runner of build {BUILD}: use both of one build"))
}

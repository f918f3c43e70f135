//! Where opencode is, and who asks.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::AgentError;

#[cfg(test)]
mod tests;

/// The user that opencode knows unless it was told another.
const USER: &str = "opencode";

/// Where an opencode is, which folder is meant, and with which password.
#[derive(Clone)]
pub struct Address {
    /// As in `http://127.0.0.1:4096`.
    url: String,
    /// Host and port.
    pub(super) authority: String,
    /// The value of the header, secret.
    pub(super) authorization: Option<String>,
    /// The password in it.
    pub(super) password: Option<String>,
    directory: String,
}

impl Address {
    /// Read an address. The folder is absolute and as the machine of opencode names it.
    pub fn new(url: &str, directory: &str) -> Result<Self, AgentError> {
        let invalid = |why: &str| AgentError::Invalid {
            what: "the address of opencode".to_owned(),
            why: why.to_owned(),
        };
        let Some(rest) = url.strip_prefix("http://") else {
            return Err(invalid(if url.starts_with("https://") {
                "https is not spoken here: name an http address of this machine or of a tunnel"
            } else {
                "it begins with http://, as in http://127.0.0.1:4096"
            }));
        };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        if authority.contains('@') {
            return Err(invalid("a user or a password does not belong into it"));
        }
        if authority.is_empty() || !authority.chars().all(is_of_an_authority) {
            return Err(invalid("it is a host and a port and nothing else"));
        }
        if !directory.starts_with('/') {
            return Err(AgentError::Invalid {
                what: "the folder of opencode".to_owned(),
                why: "it is an absolute path".to_owned(),
            });
        }
        let has_port =
            authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let port = if has_port { "" } else { ":80" };
        Ok(Self {
            url: format!("http://{authority}"),
            authority: format!("{authority}{port}"),
            authorization: None,
            password: None,
            directory: directory.to_owned(),
        })
    }

    /// With a password, and a user other than opencode's own.
    #[must_use]
    pub fn with_password(self, user: Option<&str>, password: &str) -> Self {
        let pair = format!("{}:{password}", user.unwrap_or(USER));
        let authorization = Some(format!("Basic {}", STANDARD.encode(pair)));
        Self { authorization, password: Some(password.to_owned()), ..self }
    }

    /// The address without any secret.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The folder that is meant.
    pub fn directory(&self) -> &str {
        &self.directory
    }
}

/// Says nothing of a password.
impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_password = self.authorization.is_some();
        let mut shown = formatter.debug_struct("Address");
        shown.field("url", &self.url).field("directory", &self.directory);
        shown.field("has_password", &has_password).finish_non_exhaustive()
    }
}

fn is_of_an_authority(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || ".-:[]".contains(letter)
}

/// A text as it stands in a path or a query.
pub(super) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.extend(["%".to_owned(), format!("{byte:02X}")]);
        }
    }
    encoded
}

/// A text that may have stood in a path or a query. What is no code stays as it is.
pub(super) fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 3).filter(|_| byte == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        if let Some(code) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            decoded.push(code);
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

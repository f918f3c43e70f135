//! Credentials for remotes: asked for by host, never kept.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};

/// An answer that takes a while.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Option<Credential>> + Send + 'a>>;

/// What a remote asks a credential for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialRequest {
    /// `http` or `https`.
    pub protocol: String,
    /// With the port, if it is not the usual one.
    pub host: String,
    /// The path of the repository, without a leading slash.
    pub path: String,
    /// The user named in the address.
    pub username: Option<String>,
}

/// A name and a password or token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    pub username: String,
    pub password: String,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("username", &self.username)
            .field("password", &"***")
            .finish()
    }
}

/// Who holds the credentials.
pub trait Credentials: Send + Sync {
    /// The credential for exactly this host, or none. It decides alone which hosts are trusted.
    fn ask(&self, request: CredentialRequest) -> Answer<'_>;
}

/// Nobody: every remote must do without.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCredentials;

impl Credentials for NoCredentials {
    fn ask(&self, _: CredentialRequest) -> Answer<'_> {
        Box::pin(std::future::ready(None))
    }
}

//! What git needs of whoever asked for it while it works: credentials for remotes, asked for by host and
//! never kept, and that nobody else changes the repository meanwhile.

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

/// What is asked while git works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GitQuestion {
    /// A credential for a remote.
    Credential(CredentialRequest),
    /// That programs of others which can change the repository stand still from now on, until git is done.
    StandStill,
}

/// The answer to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GitAnswer {
    /// The credential, if there is one for it.
    Credential(Option<Credential>),
    /// They stand still, unless it is said why they do not.
    StandStill(Option<String>),
}

/// Whether they stand still, which takes a while, and why they do not.
pub type Stillness<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// Who holds the credentials.
pub trait Credentials: Send + Sync {
    /// The credential for exactly this host, or none. It decides alone which hosts are trusted.
    fn ask(&self, request: CredentialRequest) -> Answer<'_>;

    /// Makes programs of others that can change the repository stand still until the request is done.
    fn stand_still(&self) -> Stillness<'_> {
        Box::pin(std::future::ready(Err("nobody can make them".to_owned())))
    }
}

/// Nobody: every remote must do without.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCredentials;

impl Credentials for NoCredentials {
    fn ask(&self, _: CredentialRequest) -> Answer<'_> {
        Box::pin(std::future::ready(None))
    }
}

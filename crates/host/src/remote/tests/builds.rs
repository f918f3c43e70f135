//! Two sides of different builds do not work together, whichever of them is the other one.

use std::sync::Arc;

use openspace_link::{self as link, Exchange, Handler, Link, LinkError, Options};
use tokio::io::duplex;

use super::super::encode;
use crate::{
    BUILD, Facts, Host as _, HostError, LocalHost, RemoteHost, Served, build,
    local::tests::stage::{Folder, soon},
};

#[tokio::test]
async fn a_runner_refuses_a_caller_of_another_build() {
    let folder = Folder::new();
    let (ours, theirs) = duplex(64 * 1024);
    let served = Arc::new(Served::default());
    tokio::spawn(link::serve(theirs, served, Options::default()));
    let hello = build::named("0.1.0+other", &encode(&folder.settings()).unwrap());
    let refused = soon(Link::connect(ours, hello, Options::default())).await.map(drop);
    let reason = format!(
        "the caller is of build 0.1.0+other, this runner of build {BUILD}: use both of one build"
    );
    assert_eq!(refused, Err(LinkError::Refused { reason }));
    // It has not even looked at what it should serve.
    assert!(!folder.path().join("output").exists());
}

/// Takes everybody, and says that it is of another build.
struct Other(Facts);

impl Handler for Other {
    fn welcome(&self, _: &[u8]) -> Result<Vec<u8>, String> {
        encode(&self.0).map_err(|error| error.to_string())
    }

    async fn handle(self: Arc<Self>, _: Vec<u8>, _: Exchange) -> Vec<u8> {
        Vec::new()
    }
}

#[tokio::test]
async fn a_runner_of_another_build_is_refused() {
    let folder = Folder::new();
    let (ours, theirs) = duplex(64 * 1024);
    let host = LocalHost::open(folder.settings()).unwrap();
    let facts = Facts { build: "0.1.0+other".to_owned(), ..host.facts().clone() };
    tokio::spawn(link::serve(theirs, Arc::new(Other(facts)), Options::default()));
    match soon(RemoteHost::connect(ours, &folder.settings(), ())).await.map(drop) {
        Err(HostError::Unreachable(reason)) => assert_eq!(
            reason,
            format!(
                "the runner is of build 0.1.0+other, this program of build {BUILD}: use both of \
                 one build"
            )
        ),
        other => panic!("{other:?}"),
    }
}

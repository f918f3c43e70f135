//! A server of another build gets no answer from a runner but the reason.

use openspace_host::BUILD;
use openspace_link::{Link, LinkError, Options};

use crate::stage::{command, soon};

#[tokio::test]
async fn a_server_of_another_build_is_refused_at_the_greeting() {
    let mut child = command(&[]).spawn().unwrap();
    let stream = tokio::io::join(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let hello = b"0.1.0+other\nwhatever it means there".to_vec();
    let refused = soon(Link::connect(stream, hello, Options::default())).await.map(drop);
    let reason = format!(
        "the caller is of build 0.1.0+other, this runner of build {BUILD}: use both of one build"
    );
    assert_eq!(refused, Err(LinkError::Refused { reason }));
    assert_eq!(soon(child.wait()).await.unwrap().code(), Some(125));
}

//! What does not belong to an operation ends its call, and is never passed over.

use std::sync::Arc;

use openspace_git::{Credential, GitAnswer};
use openspace_link::{self as link, Exchange, Handler, Link, Options};
use tokio::{io::duplex, sync::mpsc};

use super::super::{Asked, Said, decode, encode, hello};
use crate::{
    Conversation, Host, HostError, LocalHost, RemoteHost, Served,
    local::tests::stage::{Folder, program, rel, soon},
    operation::{FollowTerminal, Input, Item, Reply, Run, StatPath},
};

/// Tells the version of a terminal, whatever it is asked, and answers nothing.
struct Confused(LocalHost);

impl Handler for Confused {
    fn welcome(&self, _: &[u8]) -> Result<Vec<u8>, String> {
        encode(self.0.facts()).map_err(|error| error.to_string())
    }

    async fn handle(self: Arc<Self>, _: Vec<u8>, exchange: Exchange) -> Vec<u8> {
        let item = encode(&Item::FollowTerminal(7)).unwrap();
        exchange.items.send(item).await.unwrap();
        exchange.cancelled.cancelled().await;
        Vec::new()
    }
}

async fn confused(folder: &Folder) -> Arc<dyn Host> {
    let (ours, theirs) = duplex(64 * 1024);
    let handler = Arc::new(Confused(LocalHost::open(folder.settings()).unwrap()));
    tokio::spawn(link::serve(theirs, handler, Options::default()));
    Arc::new(RemoteHost::connect(ours, &folder.settings(), ()).await.unwrap())
}

fn protocol(outcome: Result<impl Sized, HostError>) -> String {
    match outcome {
        Err(HostError::Protocol(reason)) => reason,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was done"),
    }
}

#[tokio::test]
async fn an_item_of_another_operation_ends_the_call() {
    let folder = Folder::new();
    let host = confused(&folder).await;
    let (items, mut told) = mpsc::channel(1);
    let conversation = Conversation { items: Some(items), ..Conversation::default() };
    let outcome = soon(host.ask_with(Run { program: program("true") }, conversation)).await;
    assert_eq!(protocol(outcome), "it told what nobody asked for");
    assert_eq!(told.recv().await, None);
    // The same item is right where it belongs, and the link lives on.
    let (items, mut told) = mpsc::channel(1);
    let follow = FollowTerminal { id: crate::local::tests::terminals::id(1) };
    let conversation = Conversation { items: Some(items), ..Conversation::default() };
    let follow = tokio::spawn(async move { host.ask_with(follow, conversation).await.map(drop) });
    assert_eq!(soon(told.recv()).await, Some(7));
    follow.abort();
}

#[tokio::test]
async fn an_item_for_nobody_ends_the_call() {
    let folder = Folder::new();
    let host = confused(&folder).await;
    let outcome = soon(host.ask(StatPath { path: rel("a") })).await;
    assert_eq!(protocol(outcome), "it told what nobody asked for");
}

#[tokio::test]
async fn an_input_of_another_operation_ends_the_call() {
    let folder = Folder::new();
    let (ours, theirs) = duplex(64 * 1024);
    tokio::spawn(link::serve(theirs, Arc::new(Served::default()), Options::default()));
    let hello = hello(&folder.settings()).unwrap();
    let (link, _) = Link::connect(ours, hello, Options::default()).await.unwrap();
    let request = Run { program: program("sleep 1000") }.into();
    let call = link.call(encode(&Asked { request, listens: false, speaks: true }).unwrap());
    let credential = Credential { username: "u".to_owned(), password: "p".to_owned() };
    let said = Said::Input(Input::Git(GitAnswer::Credential(Some(credential))));
    call.send(encode(&said).unwrap()).await.unwrap();
    let reply: Result<Reply, HostError> = decode(&soon(call.reply()).await.unwrap()).unwrap();
    assert_eq!(protocol(reply), "the caller said what nobody asked for");
}

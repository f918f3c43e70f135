//! Facts about operations that talk while they run: changes, searches, and credentials for git.

use std::sync::{Arc, Mutex};

use openspace_files::{
    grep::{FileMatches, GrepPage, GrepQuery, LineMatches, Span},
    search::NamesFound,
    watch::tree::TreeNews,
};
use openspace_git::{
    CloneRequest, Credential, CredentialRequest, GitAnswer, GitError, GitQuestion, GitReply,
    GitRequest,
};
use openspace_protocol::{ChangeKind, FileChange};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

use super::stage::{Listened, Stage, rel, soon};
use crate::{
    Conversation, HostError,
    operation::{
        FileNews, FindNames, FollowFiles, FollowTree, Git, Grep, LookAt, UnwatchFile, WatchFile,
    },
};

pub(crate) async fn watched_files_are_told_until_they_are_unwatched(stage: Stage) {
    let mut follower = stage.listen(FollowFiles {}, 1);
    assert_eq!(follower.item().await, Some(FileNews::Following));
    stage.folder.put("b", "1");
    for path in ["a", "b"] {
        stage.ask(WatchFile { path: rel(path) }).await.unwrap();
    }
    stage.folder.put("a", "created");
    assert_eq!(follower.item().await, Some(FileNews::Changed(rel("a"))));
    assert!(stage.ask(UnwatchFile { path: rel("a") }).await.unwrap());
    assert!(!stage.ask(UnwatchFile { path: rel("a") }).await.unwrap());
    stage.folder.put("a", "changed unseen");
    stage.folder.put("b", "2");
    // What was told of the first file before it was let go may still be on its way.
    let told = async { while follower.items.recv().await != Some(FileNews::Changed(rel("b"))) {} };
    soon(told).await;
    follower.cancel.cancel();
    follower.reply().await.unwrap();
}

pub(crate) async fn only_the_newest_follower_of_files_is_told(stage: Stage) {
    let mut first = stage.listen(FollowFiles {}, 1);
    assert_eq!(first.item().await, Some(FileNews::Following));
    let mut second = stage.listen(FollowFiles {}, 1);
    assert_eq!(second.item().await, Some(FileNews::Following));
    assert_eq!(first.item().await, None);
    first.reply().await.unwrap();
    stage.ask(WatchFile { path: rel("a") }).await.unwrap();
    stage.folder.put("a", "1");
    assert_eq!(second.item().await, Some(FileNews::Changed(rel("a"))));
    let (items, reply) = (second.items, second.reply);
    drop(items);
    soon(reply).await.unwrap().unwrap();
}

pub(crate) async fn nothing_can_be_watched_without_a_follower(stage: Stage) {
    let refused = stage.ask(WatchFile { path: rel("a") }).await.unwrap_err();
    assert!(matches!(refused, HostError::Unknown { .. }), "{refused:?}");
    let refused = stage.ask(UnwatchFile { path: rel("a") }).await.unwrap_err();
    assert!(matches!(refused, HostError::Unknown { .. }), "{refused:?}");
}

/// A file that comes is told of as created.
async fn created(stage: &Stage, follower: &mut Listened<FollowTree>, path: &str) {
    stage.folder.put(path, "1");
    let created = FileChange { path: rel(path), change: ChangeKind::Created };
    loop {
        let item = follower.item().await;
        let Some(TreeNews::Changed { changes, rescan: false }) = item else { panic!("{item:?}") };
        if changes.contains(&created) {
            return;
        }
    }
}

pub(crate) async fn the_tree_is_told_until_the_follower_leaves(stage: Stage) {
    let look = |path| LookAt { paths: vec![rel(path)] };
    let refused = stage.ask(look("target")).await.unwrap_err();
    assert!(matches!(refused, HostError::Unknown { .. }), "{refused:?}");
    stage.ask(FollowTree {}).await.unwrap();
    stage.folder.put(".gitignore", "target\n");
    stage.folder.put("target/x", "1");
    let mut follower = stage.listen(FollowTree {}, 1);
    assert_eq!(follower.item().await, Some(TreeNews::Following));
    created(&stage, &mut follower, "a").await;
    stage.ask(look("target")).await.unwrap();
    created(&stage, &mut follower, "target/y").await;
    follower.cancel.cancel();
    follower.reply().await.unwrap();
    let refused = stage.ask(look("target")).await.unwrap_err();
    assert!(matches!(refused, HostError::Unknown { .. }), "{refused:?}");
}

pub(crate) async fn only_the_newest_follower_of_the_tree_is_told(stage: Stage) {
    let mut first = stage.listen(FollowTree {}, 1);
    assert_eq!(first.item().await, Some(TreeNews::Following));
    let mut second = stage.listen(FollowTree {}, 1);
    assert_eq!(second.item().await, Some(TreeNews::Following));
    assert_eq!(first.item().await, None);
    first.reply().await.unwrap();
    created(&stage, &mut second, "a").await;
    let (items, reply) = (second.items, second.reply);
    drop(items);
    soon(reply).await.unwrap().unwrap();
}

pub(crate) async fn matches_are_told_while_they_are_found(stage: Stage) {
    stage.folder.put("a", "x needle\n");
    let query = GrepQuery { limit: Some(1_000), ..GrepQuery::new("needle") };
    let mut search = stage.listen(Grep { query: query.clone() }, 1);
    let span = Span { start_line: 1, start_column: 3, end_line: 1, end_column: 9 };
    let line = LineMatches { line: 1, text: "x needle".to_owned(), ranges: vec![span] };
    let found = FileMatches { path: rel("a"), matches: vec![line] };
    assert_eq!(search.item().await, Some(found));
    assert_eq!(search.item().await, None);
    let found = search.reply().await.unwrap();
    assert_eq!((found.total_matches, found.truncated), (Some(1), false));
    assert_eq!(found.page, GrepPage::Matches(Vec::new()));

    // Far more than can wait on the way: the search cannot end before they are taken.
    for number in 0..5_000 {
        stage.folder.put(&format!("many/{number}"), "x needle\n".repeat(100));
    }
    let query = GrepQuery { limit: Some(100_000), ..query };
    let mut search = stage.listen(Grep { query: query.clone() }, 1);
    assert!(search.item().await.is_some());
    assert!(!search.reply.is_finished());
    search.cancel.cancel();
    assert!(search.reply().await.is_err());
    let mut search = stage.listen(Grep { query }, 1);
    assert!(search.item().await.is_some());
    let (items, reply) = (search.items, search.reply);
    drop(items);
    assert!(soon(reply).await.unwrap().is_err());
}

pub(crate) async fn names_are_found_from_memory_and_after_changes(stage: Stage) {
    let find = || FindNames { query: "lib".to_owned(), limit: 10 };
    let found = |paths: &[&str]| NamesFound {
        paths: paths.iter().map(|path| rel(path)).collect(),
        truncated: false,
    };
    stage.folder.put("src/lib.rs", "");
    assert_eq!(stage.ask(find()).await.unwrap(), found(&["src/lib.rs"]));
    let mut follower = stage.listen(FollowTree {}, 1);
    assert_eq!(follower.item().await, Some(TreeNews::Following));
    assert_eq!(stage.ask(find()).await.unwrap(), found(&["src/lib.rs"]));
    created(&stage, &mut follower, "lib").await;
    assert_eq!(stage.ask(find()).await.unwrap(), found(&["lib", "src/lib.rs"]));
}

/// A remote that lets nobody in and remembers who tried.
struct Door {
    address: String,
    tried: Arc<Mutex<Vec<String>>>,
}

impl Door {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let tried = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&tried);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    match stream.read_u8().await {
                        Ok(byte) => request.push(byte),
                        Err(_) => break,
                    }
                }
                let request = String::from_utf8_lossy(&request).to_lowercase();
                let credentials = request.lines().filter(|line| line.starts_with("authorization"));
                seen.lock().unwrap().extend(credentials.map(str::to_owned));
                let refusal = "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\
                               Content-Length: 0\r\nConnection: close\r\n\r\n";
                stream.write_all(refusal.as_bytes()).await.ok();
            }
        });
        Self { address, tried }
    }

    fn tried(&self) -> usize {
        self.tried.lock().unwrap().len()
    }

    fn clone(&self) -> Git {
        let url = format!("http://{}/x.git", self.address);
        let request = GitRequest::Clone(CloneRequest { url, branch: None, depth: None });
        Git { request, person: false, hooks: true, timeout_ms: 100_000 }
    }
}

fn refused(outcome: Result<GitReply, HostError>) -> GitError {
    match outcome {
        Err(HostError::Git(error)) => error,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn git_asks_for_a_credential_by_item_and_takes_it_by_input(stage: Stage) {
    let door = Door::open().await;
    let credential = Credential { username: "u".to_owned(), password: "p".to_owned() };
    for answer in [None, Some(credential)] {
        let (item_sender, mut items) = mpsc::channel(1);
        let (inputs, input_receiver) = mpsc::channel(1);
        let conversation = Conversation {
            items: Some(item_sender),
            inputs: Some(input_receiver),
            cancel: CancellationToken::new(),
        };
        let talking = async {
            let mut asked = Vec::new();
            while let Some(item) = items.recv().await {
                asked.push(item);
                inputs.send(GitAnswer::Credential(answer.clone())).await.unwrap();
            }
            asked
        };
        let (outcome, asked) =
            soon(async { tokio::join!(stage.host.ask_with(door.clone(), conversation), talking) })
                .await;
        let wanted = GitQuestion::Credential(CredentialRequest {
            protocol: "http".to_owned(),
            host: door.address.clone(),
            path: "x.git".to_owned(),
            username: None,
        });
        assert!(!asked.is_empty() && asked.iter().all(|item| *item == wanted), "{asked:?}");
        let host = door.address.clone();
        if answer.is_some() {
            assert_eq!(refused(outcome), GitError::AuthenticationFailed { host });
            assert!(door.tried() > 0);
        } else {
            assert_eq!(refused(outcome), GitError::NoCredential { host });
            assert_eq!(door.tried(), 0);
        }
    }
}

pub(crate) async fn git_goes_without_a_credential_that_nobody_can_give(stage: Stage) {
    let door = Door::open().await;
    let host = door.address.clone();
    let outcome = stage.ask(door.clone()).await;
    assert_eq!(refused(outcome), GitError::NoCredential { host: host.clone() });

    // A listener that takes the question, but has no way to answer it.
    let mut asked = stage.listen(door.clone(), 1);
    assert!(asked.item().await.is_some());
    while asked.item().await.is_some() {}
    assert_eq!(refused(asked.reply().await), GitError::NoCredential { host: host.clone() });

    // One that goes away when it is asked.
    let (item_sender, mut items) = mpsc::channel(1);
    let (inputs, input_receiver) = mpsc::channel(1);
    let cancel = CancellationToken::new();
    let conversation =
        Conversation { items: Some(item_sender), inputs: Some(input_receiver), cancel };
    let leaving = async {
        items.recv().await.unwrap();
        drop((items, inputs));
    };
    let (outcome, ()) =
        soon(async { tokio::join!(stage.host.ask_with(door.clone(), conversation), leaving) })
            .await;
    assert_eq!(refused(outcome), GitError::NoCredential { host });
    assert_eq!(door.tried(), 0);
}

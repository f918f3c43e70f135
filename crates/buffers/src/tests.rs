//! Files whose host does not answer, beside others.

use std::path::{Path, PathBuf};

use openspace_git::Identity;
use openspace_host::{
    AnyConversation, BoxFuture, Facts, LocalHost,
    local::Settings,
    operation::{Reply, Request},
};
use openspace_protocol::Range;
use openspace_space::{Aside, Declared, Listener};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;

use super::{
    highlights::{Highlight, HighlightsPart},
    pages::{FromPage, Inbox},
    sessions::PageSession,
    *,
};

const LINES: &str = "a\nb\nc\n";
/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(10);

async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("it happens in time")
}

/// A host that does not answer what is asked about one file, once it hangs and until it does not.
struct HangingHost {
    host: LocalHost,
    hangs: watch::Sender<bool>,
    /// Calls that have no answer, or had none for a while.
    held: watch::Sender<usize>,
}

impl Host for HangingHost {
    fn facts(&self) -> &Facts {
        self.host.facts()
    }

    fn perform(
        &self,
        request: Request,
        conversation: AnyConversation,
    ) -> BoxFuture<'_, Result<Reply, HostError>> {
        let path = match &request {
            Request::ReadText(read) => Some(&read.path),
            Request::StatPath(stat) => Some(&stat.path),
            Request::WatchFile(watch) => Some(&watch.path),
            Request::UnwatchFile(unwatch) => Some(&unwatch.path),
            _ => None,
        };
        let is_slow = path.is_some_and(|path| path.as_str() == "slow");
        Box::pin(async move {
            if is_slow && *self.hangs.borrow() {
                self.held.send_modify(|held| *held += 1);
                self.hangs.subscribe().wait_for(|hangs| !hangs).await.expect("it is ours");
            }
            self.host.perform(request, conversation).await
        })
    }

    fn lost(&self) -> BoxFuture<'_, String> {
        self.host.lost()
    }
}

struct Stage {
    folder: TempDir,
    host: Arc<HangingHost>,
    space: Arc<Space>,
    events: Listener,
    buffers: Buffers,
    session: PageSession,
    inbox: Inbox,
}

impl Stage {
    /// Two files with a highlight each, and a page that types into neither yet.
    async fn open() -> Self {
        Self::open_with(&[]).await
    }

    /// The same after a run that has kept these unsaved texts.
    async fn open_with(kept: &[(&'static str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("root");
        for name in ["slow", "quick"] {
            put(&root.join(name), LINES);
        }
        let host = LocalHost::open(Settings {
            root,
            output: folder.path().join("output"),
            scratch: folder.path().join("scratch"),
            shell: Some("/bin/sh".into()),
            environment: Some(vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]),
            marker: "hanging".to_owned(),
            identity: Identity { name: "A".to_owned(), email: "a@example.org".to_owned() },
            co_author: None,
            git_behind: Vec::new(),
        });
        let host = Arc::new(HangingHost {
            host: host.unwrap(),
            hangs: watch::Sender::new(false),
            held: watch::Sender::new(0),
        });
        let store = Arc::new(Store::open(&folder.path().join("space.db")).unwrap());
        let entry = |(path, text): &(&str, &str)| {
            ("buffer-text", (*path).to_owned(), Some((*text).to_owned()))
        };
        store.save(kept.iter().map(entry)).done().await.unwrap();
        let parts = [Declared::of::<BuffersPart>(), Declared::of::<HighlightsPart>()];
        let space = Space::restore(Arc::clone(&store), "boot".into(), &parts, Vec::new());
        let space = Arc::new(space.unwrap());
        let highlighted = space.change_now(|state| {
            for path in ["slow", "quick"] {
                state.part_mut::<HighlightsPart>().insert(path, highlight(path, 2));
            }
            Ok(())
        });
        drop(highlighted.unwrap());
        let refused = |error: HostError| Error::internal(error.to_string());
        let files = Arc::clone(&host);
        let buffers = Buffers::start(files, &space, store, refused).await;
        let (session, inbox) = buffers.join();
        let events = space.events().listen();
        Self { folder, host, space, events, buffers, session, inbox }
    }

    fn put(&self, name: &str, content: &str) {
        put(&self.place(name), content);
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join("root").join(name)
    }

    async fn send(&self, message: Value) {
        let message: FromPage = serde_json::from_value(message).unwrap();
        drop(in_time(self.buffers.receive(&self.session, message)).await);
    }

    async fn told(&mut self) -> Value {
        json!(*in_time(self.inbox.next()).await.expect("the page is not let go"))
    }

    /// Wait until so many calls about the slow file have no answer.
    async fn held(&self, wanted: usize) {
        let mut held = self.host.held.subscribe();
        in_time(held.wait_for(|held| *held >= wanted)).await.expect("it is ours");
    }

    /// Wait until the highlight of a file is on a line.
    async fn highlighted(&mut self, path: &str, line: u32) {
        let expected = highlight(path, line);
        while self.space.state().part::<HighlightsPart>().get(path) != Some(&expected) {
            in_time(self.events.next()).await.expect("the stream goes on");
        }
    }
}

fn highlight(path: &str, line: u32) -> Highlight {
    let range = Range { start_line: line, end_line: line, start_column: None, end_column: None };
    Highlight {
        path: path.to_owned(),
        ranges: vec![range],
        color: "yellow".to_owned(),
        note: None,
        by: "somebody".to_owned(),
    }
}

#[expect(clippy::disallowed_methods, reason = "a test changes files as other programs do")]
fn put(place: &Path, content: &str) {
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    let draft = place.with_file_name("draft");
    std::fs::write(&draft, content).unwrap();
    std::fs::rename(draft, place).unwrap();
}

fn open(path: &str, base: &str, text: &str) -> Value {
    json!({"type": "open", "path": path, "base": base, "text": text})
}

fn opened(path: &str, base: &str, text: &str) -> Value {
    json!({
        "type": "opened", "path": path, "version": 1, "text": text, "base": base,
        "conflicted": false,
    })
}

#[tokio::test]
async fn a_file_whose_host_does_not_answer_holds_up_no_other() {
    let mut stage = Stage::open().await;
    let moved = format!("new\n{LINES}");
    let typed = format!("{moved}typed\n");
    stage.host.hangs.send_replace(true);

    // All that may be asked of the slow file is under way: what became of it, and what it holds, for a
    // page and for its highlights.
    stage.put("slow", &moved);
    stage.send(open("slow", &moved, &typed)).await;
    let follower = Arc::clone(stage.buffers.follower());
    let caught_up = tokio::spawn(async move { follower.catch_up("slow").await });
    stage.held(3).await;

    stage.put("quick", &moved);
    stage.highlighted("quick", 3).await;
    stage.send(open("quick", &moved, &typed)).await;
    assert_eq!(stage.told().await, opened("quick", &moved, &typed));
    let edit = json!({
        "type": "edit", "path": "quick", "version": 1,
        "edits": [{"start": 0, "end": 0, "text": "first\n"}],
    });
    stage.send(edit).await;
    let accepted = json!({"type": "accepted", "path": "quick", "version": 2});
    assert_eq!(stage.told().await, accepted);
    stage.highlighted("quick", 4).await;
    let quick = RelPath::parse("quick").unwrap();
    in_time(stage.buffers.discard(&quick)).await.unwrap();
    let closed = json!({"type": "closed", "path": "quick", "reason": "discarded"});
    assert_eq!(stage.told().await, closed);
    stage.highlighted("quick", 3).await;
    in_time(stage.buffers.follower().track("quick")).await.unwrap();

    stage.host.hangs.send_replace(false);
    assert_eq!(stage.told().await, opened("slow", &moved, &typed));
    in_time(caught_up).await.unwrap().unwrap();
    stage.highlighted("slow", 3).await;
    stage.buffers.stop();
}

#[tokio::test]
async fn a_page_that_leaves_has_what_it_asked_for_done() {
    let mut stage = Stage::open().await;
    let typed = format!("{LINES}typed\n");
    stage.host.hangs.send_replace(true);
    let (leaving, _inbox) = stage.buffers.join();
    let message: FromPage = serde_json::from_value(open("slow", LINES, &typed)).unwrap();
    let done = stage.buffers.receive(&leaving, message).await;
    let edit = json!({
        "type": "edit", "path": "slow", "version": 1,
        "edits": [{"start": 0, "end": 0, "text": "first\n"}],
    });
    let edit = stage.buffers.receive(&leaving, serde_json::from_value(edit).unwrap()).await;
    drop(leaving);
    stage.host.hangs.send_replace(false);
    in_time(done).await.unwrap();
    in_time(edit).await.unwrap();
    stage.send(json!({"type": "attach", "path": "slow"})).await;
    let mut expected = opened("slow", LINES, &format!("first\n{typed}"));
    expected["version"] = json!(2);
    assert_eq!(stage.told().await, expected);
    stage.buffers.stop();
}

#[tokio::test]
async fn unsaved_text_that_cannot_be_read_is_put_aside_and_told() {
    let stage = Stage::open_with(&[("quick", "{\"text\": \"half")]).await;
    let why = "EOF while parsing a string at line 1 column 14".to_owned();
    let aside = Aside { part: "buffer-text".into(), key: "quick".into(), why };
    assert_eq!(stage.space.aside(), [aside]);
    // Typing into the file makes a new entry and touches nothing of the old one.
    stage.send(open("quick", LINES, "typed")).await;
    stage.buffers.stop();
    let store = Store::open(&stage.folder.path().join("space.db")).unwrap();
    assert_eq!(store.aside().unwrap(), stage.space.aside());
}

#[tokio::test]
async fn a_page_that_came_too_late_is_before_agents() {
    let mut stage = Stage::open().await;
    let typed = format!("{LINES}typed\n");
    stage.send(open("quick", LINES, &typed)).await;
    assert_eq!(stage.told().await, opened("quick", LINES, &typed));
    let edit = |version: u64| {
        let edits = [json!({"start": 0, "end": 0, "text": "first\n"})];
        json!({"type": "edit", "path": "quick", "version": version, "edits": edits})
    };
    stage.send(edit(7)).await;
    assert_eq!(stage.told().await, json!({"type": "stale", "path": "quick", "version": 1}));
    let (quick, buffers) = (RelPath::parse("quick").unwrap(), stage.buffers.clone());
    let mut turn = std::pin::pin!(buffers.guard_after_pages(&quick));
    tokio::select! {
        biased;
        _ = &mut turn => panic!("the page was not waited for"),
        () = std::future::ready(()) => {}
    }
    stage.send(edit(1)).await;
    assert_eq!(stage.told().await, json!({"type": "accepted", "path": "quick", "version": 2}));
    let guard = in_time(turn).await;
    let text = guard.known().as_ref().map(|buffer| buffer.text.to_string());
    assert_eq!(text, Some(format!("first\n{typed}")));
    drop(guard);
    stage.buffers.stop();
}

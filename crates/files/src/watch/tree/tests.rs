//! What is told of a tree.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use openspace_protocol::ChangeKind;
use tokio::{sync::mpsc::Receiver, task::JoinHandle, time::timeout};

use super::*;
use crate::files::tests::{Stage, rel};

/// Far longer than any delivery takes; only a lost message waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

struct Followed {
    tree: Tree,
    /// Files that were made to see the end of what is told.
    ends: BTreeSet<String>,
    news: Receiver<TreeNews>,
    task: JoinHandle<Result<(), WatchError>>,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Followed {
    async fn start(stage: &Stage) -> Self {
        Self::with(stage, folders::MAX_FOLDERS).await
    }

    async fn with(stage: &Stage, max_folders: usize) -> Self {
        let (tree, follower) = Tree::with(max_folders);
        let files = Files::open(stage.files.root(), crate::rules::Rules::new(&[], &[]).unwrap());
        let files = Arc::new(files.unwrap());
        let (sender, news) = mpsc::channel(1);
        let task = tokio::spawn(async move { follower.follow(files, sender).await });
        let mut followed = Self { tree, ends: BTreeSet::new(), news, task };
        assert_eq!(followed.next().await, TreeNews::Following);
        followed
    }

    async fn next(&mut self) -> TreeNews {
        timeout(PATIENCE, self.news.recv()).await.expect("it is told in time").unwrap()
    }

    /// What is told until the file `last` is, which is made here. The last word on each path counts,
    /// but a file that is new and then written to is new.
    async fn told(&mut self, stage: &Stage, last: &str) -> BTreeMap<String, ChangeKind> {
        stage.put(last, "");
        self.ends.insert(last.to_owned());
        let (mut all, mut ended) = (BTreeMap::new(), false);
        while !ended {
            let TreeNews::Changed { changes, rescan } = self.next().await else { panic!() };
            assert!(!rescan);
            for change in changes {
                let (path, change) = (change.path.to_string(), change.change);
                ended |= path == last;
                let is_new = change == Changed && all.get(&path) == Some(&Created);
                if !is_new && !self.ends.contains(&path) {
                    all.insert(path, change);
                }
            }
        }
        all
    }

    async fn check(&mut self, stage: &Stage, last: &str, expected: &[(&str, ChangeKind)]) {
        let expected = expected.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect();
        assert_eq!(self.told(stage, last).await, expected, "before {last}");
    }
}

use ChangeKind::{Changed, Created, Deleted};

#[expect(clippy::disallowed_methods, reason = "a test changes files behind the back of the code")]
fn rename(stage: &Stage, from: &str, to: &str) {
    fs::rename(stage.path(from), stage.path(to)).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "a test changes files behind the back of the code")]
fn remove(stage: &Stage, path: &str) {
    fs::remove_file(stage.path(path)).unwrap();
}

#[tokio::test]
async fn files_are_told_as_created_changed_and_deleted() {
    let stage = Stage::new();
    stage.put("a/b/old", "1");
    stage.put("gone", "1");
    let mut tree = Followed::start(&stage).await;
    stage.put("a/b/new", "1");
    stage.put("a/b/old", "2");
    remove(&stage, "gone");
    tree.check(&stage, "1", &[("a/b/new", Created), ("a/b/old", Changed), ("gone", Deleted)]).await;
    rename(&stage, "a/b/old", "moved");
    tree.check(&stage, "2", &[("a/b/old", Deleted), ("moved", Created)]).await;
}

#[tokio::test]
async fn what_takes_the_place_of_a_file_is_a_change_of_it() {
    let stage = Stage::new();
    stage.put("old", "1");
    let mut tree = Followed::start(&stage).await;
    stage.write("old", "2").unwrap();
    stage.write("new", "1").unwrap();
    tree.check(&stage, "1", &[("new", Created), ("old", Changed)]).await;
    stage.put("draft", "3");
    tree.check(&stage, "2", &[("draft", Created)]).await;
    rename(&stage, "draft", "old");
    tree.check(&stage, "3", &[("draft", Deleted), ("old", Changed)]).await;
}

#[tokio::test]
async fn what_is_in_a_new_folder_is_told_and_followed() {
    let stage = Stage::new();
    let mut tree = Followed::start(&stage).await;
    stage.put("a/b/c", "1");
    let created = [("a", Created), ("a/b", Created), ("a/b/c", Created)];
    tree.check(&stage, "1", &created).await;
    stage.put("a/b/c", "2");
    tree.check(&stage, "2", &[("a/b/c", Changed)]).await;
    rename(&stage, "a", "z");
    tree.check(
        &stage,
        "3",
        &[("a", Deleted), ("z", Created), ("z/b", Created), ("z/b/c", Created)],
    )
    .await;
    stage.put("z/b/c", "3");
    tree.check(&stage, "4", &[("z/b/c", Changed)]).await;
    fs::remove_dir_all(stage.path("z")).unwrap();
    let told = tree.told(&stage, "5").await;
    assert_eq!(told.get("z"), Some(&Deleted));
    stage.put("z/b/c", "again");
    assert!(tree.told(&stage, "6").await.contains_key("z/b/c"));
}

#[tokio::test]
async fn a_folder_that_leaves_the_tree_is_followed_no_more() {
    let stage = Stage::new();
    stage.put("a/b", "1");
    let mut tree = Followed::start(&stage).await;
    let outside = stage.files.root().parent().unwrap().join("away");
    #[expect(clippy::disallowed_methods, reason = "a test changes files behind the code's back")]
    fs::rename(stage.path("a"), &outside).unwrap();
    tree.check(&stage, "1", &[("a", Deleted)]).await;
    put(&outside.join("b"), "2");
    tree.check(&stage, "2", &[]).await;
}

#[expect(clippy::disallowed_methods, reason = "a test changes files behind the back of the code")]
fn put(path: &Path, content: &str) {
    fs::write(path, content).unwrap();
}

#[tokio::test]
async fn ignored_folders_are_told_of_once_somebody_looks_at_them() {
    let stage = Stage::new();
    stage.put(".gitignore", "target\n");
    stage.put("target/deep/x", "1");
    stage.put("target/y", "1");
    let mut tree = Followed::start(&stage).await;
    stage.put("target/y", "2");
    tree.check(&stage, "1", &[]).await;
    tree.tree.look_at(vec![rel("target"), rel("missing"), rel(".git")]).await;
    stage.put("target/y", "3");
    stage.put("target/deep/x", "2");
    tree.check(&stage, "2", &[("target/y", Changed)]).await;
    fs::remove_dir_all(stage.path("target")).unwrap();
    assert_eq!(tree.told(&stage, "3").await.get("target"), Some(&Deleted));
    fs::create_dir(stage.path("target")).unwrap();
    tree.check(&stage, "4", &[("target", Created)]).await;
    stage.put("target/z", "1");
    tree.check(&stage, "5", &[("target/z", Created)]).await;
}

#[tokio::test]
async fn only_the_folders_named_last_are_looked_at() {
    let stage = Stage::new();
    stage.put(".gitignore", "target\n");
    stage.put("target/first/x", "1");
    stage.put("target/last/x", "1");
    let mut tree = Followed::start(&stage).await;
    tree.tree.look_at(vec![rel("target/first"), rel("target/last")]).await;
    stage.put("target/first/x", "2");
    tree.check(&stage, "1", &[("target/first/x", Changed)]).await;
    let many = (1..folders::MAX_LOOKED_AT).map(|number| rel(&format!("missing/{number}")));
    tree.tree.look_at(many.collect()).await;
    stage.put("target/first/x", "3");
    stage.put("target/last/x", "3");
    tree.check(&stage, "2", &[("target/last/x", Changed)]).await;
}

#[tokio::test]
async fn another_ignore_file_makes_other_folders_told_of() {
    let stage = Stage::new();
    stage.put(".gitignore", "one\n");
    stage.put("one/x", "1");
    stage.put("two/x", "1");
    let mut tree = Followed::start(&stage).await;
    stage.put("one/x", "2");
    stage.put("two/x", "2");
    tree.check(&stage, "1", &[("two/x", Changed)]).await;
    stage.write(".gitignore", "two\n").unwrap();
    tree.check(&stage, "2", &[(".gitignore", Changed)]).await;
    stage.put("one/x", "3");
    stage.put("two/x", "3");
    tree.check(&stage, "3", &[("one/x", Changed)]).await;
}

#[tokio::test]
async fn only_what_neither_git_nor_a_search_looks_at_is_not_told_of() {
    let stage = Stage::new();
    stage.put(".gitignore", "build\nout\n");
    stage.put(".ignore", "vendor\n!out\n");
    for path in ["build/x", "out/x", "vendor/x"] {
        stage.put(path, "1");
    }
    let mut tree = Followed::start(&stage).await;
    for path in ["build/x", "out/x", "vendor/x"] {
        stage.put(path, "2");
    }
    tree.check(&stage, "1", &[("out/x", Changed), ("vendor/x", Changed)]).await;
    stage.write(".ignore", "!build\n").unwrap();
    tree.check(&stage, "2", &[(".ignore", Changed)]).await;
    for path in ["build/x", "out/x", "vendor/x"] {
        stage.put(path, "3");
    }
    tree.check(&stage, "3", &[("build/x", Changed), ("vendor/x", Changed)]).await;
}

#[tokio::test]
async fn of_git_only_what_is_current_is_told() {
    let stage = Stage::new();
    stage.put(".git/HEAD", "1");
    stage.put(".git/objects/x", "1");
    stage.put(".git/refs/heads/main", "1");
    let mut tree = Followed::start(&stage).await;
    stage.put(".git/objects/x", "2");
    stage.put(".git/COMMIT_EDITMSG", "2");
    stage.put(".git/index.lock", "2");
    tree.check(&stage, "1", &[]).await;
    rename(&stage, ".git/index.lock", ".git/index");
    tree.check(&stage, "2", &[(".git", Changed)]).await;
    for (last, path) in [("3", "refs/heads/main"), ("4", "HEAD"), ("5", "refs/heads/a/b")] {
        stage.put(&format!(".git/{path}"), "2");
        tree.check(&stage, last, &[(".git", Changed)]).await;
    }
    stage.put(".git/refs/heads/a/b", "3");
    tree.check(&stage, "6", &[(".git", Changed)]).await;
    // Which branch follows which is in the settings.
    stage.put(".git/config.lock", "2");
    rename(&stage, ".git/config.lock", ".git/config");
    tree.check(&stage, "7", &[(".git", Changed)]).await;
}

#[tokio::test]
async fn links_are_told_and_not_followed() {
    let stage = Stage::new();
    stage.put_outside("x", "1");
    stage.put("real/x", "1");
    stage.link("../outside", "out");
    stage.link("real", "alias");
    let mut tree = Followed::start(&stage).await;
    stage.put_outside("x", "2");
    stage.put("real/x", "2");
    tree.tree.look_at(vec![rel("out"), rel("alias")]).await;
    stage.link("real/x", "link");
    tree.check(&stage, "1", &[("link", Created), ("real/x", Changed)]).await;
}

#[tokio::test]
async fn too_many_changes_are_told_as_anything() {
    let stage = Stage::new();
    let mut tree = Followed::start(&stage).await;
    for number in 0..2_000 {
        stage.put(&number.to_string(), "");
    }
    assert_eq!(tree.next().await, TreeNews::Changed { changes: Vec::new(), rescan: true });
    // From then on single changes are told again.
    stage.put("1", "2");
    tree.check(&stage, "end", &[("1", Changed)]).await;
}

#[tokio::test]
async fn notices_that_are_lost_are_told_as_anything_and_their_folders_followed() {
    let stage = Stage::new();
    let mut tree = Followed::start(&stage).await;
    // More than the kernel keeps, and nobody listens while this thread is busy.
    for number in 0..20_000 {
        stage.put(&number.to_string(), "");
    }
    stage.put("late/x", "1");
    assert_eq!(tree.next().await, TreeNews::Changed { changes: Vec::new(), rescan: true });
    stage.put("late/x", "2");
    tree.check(&stage, "end", &[("late/x", Changed)]).await;
}

#[tokio::test]
async fn beyond_the_limit_only_what_is_looked_at_is_told() {
    let stage = Stage::new();
    for folder in ["a", "b", "c"] {
        stage.put(&format!("{folder}/deep/x"), "1");
    }
    let mut tree = Followed::with(&stage, 4).await;
    for folder in ["a", "b", "c"] {
        stage.put(&format!("{folder}/deep/x"), "2");
        stage.put(&format!("{folder}/y"), "1");
    }
    tree.check(&stage, "1", &[("a/y", Created), ("b/y", Created), ("c/y", Created)]).await;
    tree.tree.look_at(vec![rel("b/deep")]).await;
    for folder in ["a", "b", "c"] {
        stage.put(&format!("{folder}/deep/x"), "3");
    }
    tree.check(&stage, "2", &[("b/deep/x", Changed)]).await;
    assert!(!tree.tree.shared.complete.load(Ordering::Acquire));
}

#[tokio::test]
async fn files_are_listed_again_only_after_a_name_came_or_went() {
    let stage = Stage::new();
    stage.put("a", "1");
    let mut tree = Followed::start(&stage).await;
    let listed = |tree: &Followed| {
        let mut again = false;
        let list = tree.tree.list(|| {
            again = true;
            Ok(FileList::default())
        });
        list.unwrap();
        again
    };
    assert!(listed(&tree) && !listed(&tree));
    stage.put("a", "2");
    while !matches!(tree.next().await, TreeNews::Changed { .. }) {}
    assert!(!listed(&tree), "content is not a name");
    tree.told(&stage, "b").await;
    assert!(listed(&tree) && !listed(&tree));
}

//! What is told of a tree.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use openspace_protocol::ChangeKind;
use tokio::{sync::mpsc::Receiver, task::JoinHandle, time::timeout};

use super::*;
use crate::files::tests::{Place, rel};

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
    async fn start(place: &Place) -> Self {
        Self::with(place, folders::MAX_FOLDERS).await
    }

    async fn with(place: &Place, max_folders: usize) -> Self {
        let (tree, follower) = Tree::with(max_folders);
        let files = Files::open(place.files.root(), crate::rules::Rules::new(&[], &[]).unwrap());
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
    async fn told(&mut self, place: &Place, last: &str) -> BTreeMap<String, ChangeKind> {
        place.put(last, "");
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

    async fn check(&mut self, place: &Place, last: &str, expected: &[(&str, ChangeKind)]) {
        let expected = expected.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect();
        assert_eq!(self.told(place, last).await, expected, "before {last}");
    }
}

use ChangeKind::{Changed, Created, Deleted};

#[expect(clippy::disallowed_methods, reason = "a test changes files behind the back of the code")]
fn rename(place: &Place, from: &str, to: &str) {
    fs::rename(place.path(from), place.path(to)).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "a test changes files behind the back of the code")]
fn remove(place: &Place, path: &str) {
    fs::remove_file(place.path(path)).unwrap();
}

#[tokio::test]
async fn files_are_told_as_created_changed_and_deleted() {
    let place = Place::new();
    place.put("a/b/old", "1");
    place.put("gone", "1");
    let mut tree = Followed::start(&place).await;
    place.put("a/b/new", "1");
    place.put("a/b/old", "2");
    remove(&place, "gone");
    tree.check(&place, "1", &[("a/b/new", Created), ("a/b/old", Changed), ("gone", Deleted)]).await;
    rename(&place, "a/b/old", "moved");
    tree.check(&place, "2", &[("a/b/old", Deleted), ("moved", Created)]).await;
}

#[tokio::test]
async fn what_takes_the_place_of_a_file_is_a_change_of_it() {
    let place = Place::new();
    place.put("old", "1");
    let mut tree = Followed::start(&place).await;
    place.write("old", "2").unwrap();
    place.write("new", "1").unwrap();
    tree.check(&place, "1", &[("new", Created), ("old", Changed)]).await;
    place.put("draft", "3");
    tree.check(&place, "2", &[("draft", Created)]).await;
    rename(&place, "draft", "old");
    tree.check(&place, "3", &[("draft", Deleted), ("old", Changed)]).await;
}

#[tokio::test]
async fn what_is_in_a_new_folder_is_told_and_followed() {
    let place = Place::new();
    let mut tree = Followed::start(&place).await;
    place.put("a/b/c", "1");
    let created = [("a", Created), ("a/b", Created), ("a/b/c", Created)];
    tree.check(&place, "1", &created).await;
    place.put("a/b/c", "2");
    tree.check(&place, "2", &[("a/b/c", Changed)]).await;
    rename(&place, "a", "z");
    tree.check(
        &place,
        "3",
        &[("a", Deleted), ("z", Created), ("z/b", Created), ("z/b/c", Created)],
    )
    .await;
    place.put("z/b/c", "3");
    tree.check(&place, "4", &[("z/b/c", Changed)]).await;
    fs::remove_dir_all(place.path("z")).unwrap();
    let told = tree.told(&place, "5").await;
    assert_eq!(told.get("z"), Some(&Deleted));
    place.put("z/b/c", "again");
    assert!(tree.told(&place, "6").await.contains_key("z/b/c"));
}

#[tokio::test]
async fn a_folder_that_leaves_the_tree_is_followed_no_more() {
    let place = Place::new();
    place.put("a/b", "1");
    let mut tree = Followed::start(&place).await;
    let outside = place.files.root().parent().unwrap().join("away");
    #[expect(clippy::disallowed_methods, reason = "a test changes files behind the code's back")]
    fs::rename(place.path("a"), &outside).unwrap();
    tree.check(&place, "1", &[("a", Deleted)]).await;
    put(&outside.join("b"), "2");
    tree.check(&place, "2", &[]).await;
}

#[expect(clippy::disallowed_methods, reason = "a test changes files behind the back of the code")]
fn put(path: &Path, content: &str) {
    fs::write(path, content).unwrap();
}

#[tokio::test]
async fn ignored_folders_are_told_of_once_somebody_looks_at_them() {
    let place = Place::new();
    place.put(".gitignore", "target\n");
    place.put("target/deep/x", "1");
    place.put("target/y", "1");
    let mut tree = Followed::start(&place).await;
    place.put("target/y", "2");
    tree.check(&place, "1", &[]).await;
    tree.tree.look_at(vec![rel("target"), rel("missing"), rel(".git")]).await;
    place.put("target/y", "3");
    place.put("target/deep/x", "2");
    tree.check(&place, "2", &[("target/y", Changed)]).await;
    fs::remove_dir_all(place.path("target")).unwrap();
    assert_eq!(tree.told(&place, "3").await.get("target"), Some(&Deleted));
    fs::create_dir(place.path("target")).unwrap();
    tree.check(&place, "4", &[("target", Created)]).await;
    place.put("target/z", "1");
    tree.check(&place, "5", &[("target/z", Created)]).await;
}

#[tokio::test]
async fn only_the_folders_named_last_are_looked_at() {
    let place = Place::new();
    place.put(".gitignore", "target\n");
    place.put("target/first/x", "1");
    place.put("target/last/x", "1");
    let mut tree = Followed::start(&place).await;
    tree.tree.look_at(vec![rel("target/first"), rel("target/last")]).await;
    place.put("target/first/x", "2");
    tree.check(&place, "1", &[("target/first/x", Changed)]).await;
    let many = (1..folders::MAX_LOOKED_AT).map(|number| rel(&format!("missing/{number}")));
    tree.tree.look_at(many.collect()).await;
    place.put("target/first/x", "3");
    place.put("target/last/x", "3");
    tree.check(&place, "2", &[("target/last/x", Changed)]).await;
}

#[tokio::test]
async fn another_ignore_file_makes_other_folders_told_of() {
    let place = Place::new();
    place.put(".gitignore", "one\n");
    place.put("one/x", "1");
    place.put("two/x", "1");
    let mut tree = Followed::start(&place).await;
    place.put("one/x", "2");
    place.put("two/x", "2");
    tree.check(&place, "1", &[("two/x", Changed)]).await;
    place.write(".gitignore", "two\n").unwrap();
    tree.check(&place, "2", &[(".gitignore", Changed)]).await;
    place.put("one/x", "3");
    place.put("two/x", "3");
    tree.check(&place, "3", &[("one/x", Changed)]).await;
}

#[tokio::test]
async fn only_what_neither_git_nor_a_search_looks_at_is_not_told_of() {
    let place = Place::new();
    place.put(".gitignore", "build\nout\n");
    place.put(".ignore", "vendor\n!out\n");
    for path in ["build/x", "out/x", "vendor/x"] {
        place.put(path, "1");
    }
    let mut tree = Followed::start(&place).await;
    for path in ["build/x", "out/x", "vendor/x"] {
        place.put(path, "2");
    }
    tree.check(&place, "1", &[("out/x", Changed), ("vendor/x", Changed)]).await;
    place.write(".ignore", "!build\n").unwrap();
    tree.check(&place, "2", &[(".ignore", Changed)]).await;
    for path in ["build/x", "out/x", "vendor/x"] {
        place.put(path, "3");
    }
    tree.check(&place, "3", &[("build/x", Changed), ("vendor/x", Changed)]).await;
}

#[tokio::test]
async fn of_git_only_what_is_current_is_told() {
    let place = Place::new();
    place.put(".git/HEAD", "1");
    place.put(".git/objects/x", "1");
    place.put(".git/refs/heads/main", "1");
    let mut tree = Followed::start(&place).await;
    place.put(".git/objects/x", "2");
    place.put(".git/COMMIT_EDITMSG", "2");
    place.put(".git/index.lock", "2");
    tree.check(&place, "1", &[]).await;
    rename(&place, ".git/index.lock", ".git/index");
    tree.check(&place, "2", &[(".git", Changed)]).await;
    for (last, path) in [("3", "refs/heads/main"), ("4", "HEAD"), ("5", "refs/heads/a/b")] {
        place.put(&format!(".git/{path}"), "2");
        tree.check(&place, last, &[(".git", Changed)]).await;
    }
    place.put(".git/refs/heads/a/b", "3");
    tree.check(&place, "6", &[(".git", Changed)]).await;
}

#[tokio::test]
async fn links_are_told_and_not_followed() {
    let place = Place::new();
    place.put_outside("x", "1");
    place.put("real/x", "1");
    place.link("../outside", "out");
    place.link("real", "alias");
    let mut tree = Followed::start(&place).await;
    place.put_outside("x", "2");
    place.put("real/x", "2");
    tree.tree.look_at(vec![rel("out"), rel("alias")]).await;
    place.link("real/x", "link");
    tree.check(&place, "1", &[("link", Created), ("real/x", Changed)]).await;
}

#[tokio::test]
async fn too_many_changes_are_told_as_anything() {
    let place = Place::new();
    let mut tree = Followed::start(&place).await;
    for number in 0..2_000 {
        place.put(&number.to_string(), "");
    }
    assert_eq!(tree.next().await, TreeNews::Changed { changes: Vec::new(), rescan: true });
    // From then on single changes are told again.
    place.put("1", "2");
    tree.check(&place, "end", &[("1", Changed)]).await;
}

#[tokio::test]
async fn notices_that_are_lost_are_told_as_anything_and_their_folders_followed() {
    let place = Place::new();
    let mut tree = Followed::start(&place).await;
    // More than the kernel keeps, and nobody listens while this thread is busy.
    for number in 0..20_000 {
        place.put(&number.to_string(), "");
    }
    place.put("late/x", "1");
    assert_eq!(tree.next().await, TreeNews::Changed { changes: Vec::new(), rescan: true });
    place.put("late/x", "2");
    tree.check(&place, "end", &[("late/x", Changed)]).await;
}

#[tokio::test]
async fn beyond_the_limit_only_what_is_looked_at_is_told() {
    let place = Place::new();
    for folder in ["a", "b", "c"] {
        place.put(&format!("{folder}/deep/x"), "1");
    }
    let mut tree = Followed::with(&place, 4).await;
    for folder in ["a", "b", "c"] {
        place.put(&format!("{folder}/deep/x"), "2");
        place.put(&format!("{folder}/y"), "1");
    }
    tree.check(&place, "1", &[("a/y", Created), ("b/y", Created), ("c/y", Created)]).await;
    tree.tree.look_at(vec![rel("b/deep")]).await;
    for folder in ["a", "b", "c"] {
        place.put(&format!("{folder}/deep/x"), "3");
    }
    tree.check(&place, "2", &[("b/deep/x", Changed)]).await;
    assert!(!tree.tree.shared.complete.load(Ordering::Acquire));
}

#[tokio::test]
async fn files_are_listed_again_only_after_a_name_came_or_went() {
    let place = Place::new();
    place.put("a", "1");
    let mut tree = Followed::start(&place).await;
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
    place.put("a", "2");
    while !matches!(tree.next().await, TreeNews::Changed { .. }) {}
    assert!(!listed(&tree), "content is not a name");
    tree.told(&place, "b").await;
    assert!(listed(&tree) && !listed(&tree));
}

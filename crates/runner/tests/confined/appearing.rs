//! Secrets that appear while the place is open, and what is told of them.

use openspace_protocol::keeping::{News, Opened};

use crate::stage::{Place, Stage};

/// What the person does outside, and which file is then hidden.
const APPEARANCES: &[(&str, &str, &str)] = &[
    ("made", "echo s3cret > .env", ".env"),
    ("made again after it was removed", "rm .env && echo s3cret > .env", ".env"),
    ("replaced by a rename", "echo s3cret > x.tmp1 && mv x.tmp1 .env", ".env"),
    ("replaced by sed", "sed -i s/s3cret/s3cret2/ .env", ".env"),
    ("written in its place", "echo s3cret >> .env", ".env"),
    ("made in a folder", "echo s3cret > conf/.env", "conf/.env"),
    ("made with its folder", "mkdir -p a/b/c && echo s3cret > a/b/c/key.pem", "a/b/c/key.pem"),
    ("a further name of one", "ln .env plain", "plain"),
    ("renamed to one", "echo s3cret > harmless && mv harmless id_rsa", "id_rsa"),
    ("renamed from one", "mv id_rsa harmless", "harmless"),
    ("moved with its folder", "mv a moved", "moved/b/c/key.pem"),
    ("made in a folder that was moved", "echo s3cret > moved/b/d.key", "moved/b/d.key"),
    (
        "moved in from elsewhere",
        "mkdir ../in && echo s3cret > ../in/.env && mv ../in in",
        "in/.env",
    ),
    ("made in a folder that came from elsewhere", "echo s3cret > in/x.pem", "in/x.pem"),
    ("a folder that is secret", "mkdir secrets.d && echo s3cret > secrets.d/x", "secrets.d/x"),
    (
        "a folder renamed to a secret one",
        "mkdir d && echo s3cret > d/x && mv d secrets.e",
        "secrets.e/x",
    ),
    ("what an editor makes beside it", "echo s3cret > .env~", ".env~"),
    ("a pipe", "mkfifo pipe.key", "pipe.key"),
    (
        "a link to a file with another name",
        "echo s3cret > target && ln -s target conf.key",
        "target",
    ),
    (
        "unpacked",
        "mkdir t && echo s3cret > t/.env && tar cf t.tar t && rm -r t && tar xf t.tar",
        "t/.env",
    ),
];

#[tokio::test]
async fn what_becomes_secret_is_hidden_before_the_next_program_starts() {
    let stage = Stage::new();
    stage.with("conf/file", "x");
    let mut place = stage.open().await;
    for (how, script, path) in APPEARANCES {
        stage.outside(script);
        let output = place.run(&format!("cat {path} 2>&1")).await;
        assert_eq!(output, format!("cat: {path}: Permission denied"), "{how}");
    }
    assert_eq!(place.run("grep -rs s3cret . --exclude=t.tar | wc -l").await, "0");
}

/// Ways to get a folder with a secret to where nobody looks for one.
const HIDING_PLACES: &[&str] = &[
    "mkdir node_modules; mv conf node_modules/conf; ln -s node_modules/conf conf",
    "mv conf .cargo; ln -s .cargo conf",
    "mkdir -p node_modules/a/b; mv conf node_modules/a/b/c; ln -s node_modules/a/b/c conf; mv node_modules/a node_modules/z; ln -sfn node_modules/z/b/c conf",
    "mkdir -p made/.git; mv conf made/.git/conf; ln -s made/.git/conf conf",
    "mkdir -p x/site-packages; mv conf x/conf; mv x/conf x/site-packages/y; ln -s x/site-packages/y conf",
    "mkdir -p a/b/c/d/e; mv conf a/b/c/d/e/f; mv a z; ln -s z/b/c/d/e/f conf",
];

#[tokio::test]
async fn a_folder_with_secrets_stays_watched_wherever_it_is_moved() {
    for hiding in HIDING_PLACES {
        let stage = Stage::new();
        stage.with("conf/.env", "old").with("conf/file", "text");
        let mut place = stage.open().await;
        place.run(hiding).await;
        assert_eq!(
            place.run("cat conf/.env 2>&1 | grep -c denied; cat conf/file").await,
            "1\ntext"
        );
        for _ in 0..2 {
            stage.outside(
                "echo s3cret > conf/new && mv conf/new conf/.env; echo s3cret > conf/more.pem",
            );
            let denied = place.run("cat conf/.env conf/more.pem 2>&1 | grep -c denied").await;
            assert_eq!(denied, "2", "{hiding}");
        }
    }
}

#[tokio::test]
async fn a_flood_of_changes_loses_nothing() {
    let stage = Stage::new();
    let mut place = stage.open().await;
    stage.outside("for n in $(seq 200); do mkdir -p d$n/e; echo s3cret > d$n/e/.env; done");
    assert_eq!(place.run("cat d*/e/.env 2>&1 | grep -c denied").await, "200");
    assert_eq!(place.keeper.kept().secrets.len(), 200);
}

/// More events than the kernel keeps for one who does not read.
#[tokio::test]
async fn when_the_kernel_loses_events_all_is_looked_at_again() {
    let stage = Stage::new();
    stage.outside("mkdir many");
    let mut place = stage.open().await;
    let script = "import os\nfor n in range(60000):\n os.close(os.open(f'many/{n % 50}x{n % 7}', os.O_CREAT)); os.unlink(f'many/{n % 50}x{n % 7}')\n";
    stage.with("flood.py", script);
    stage.outside("python3 flood.py & mkdir -p deep/er; echo s3cret > deep/er/.env; wait; echo s3cret > many/.env");
    assert_eq!(place.run("cat deep/er/.env many/.env 2>&1 | grep -c denied").await, "2");
}

async fn hidden(
    place: &Place,
    news: &mut tokio::sync::broadcast::Receiver<News>,
) -> (String, Opened) {
    place.keeper.drain().await.unwrap();
    loop {
        if let News::Hidden { path, opened } = news.try_recv().unwrap() {
            return (path, opened);
        }
    }
}

#[tokio::test]
async fn a_secret_that_nobody_opened_is_told_apart_from_one_that_somebody_did() {
    let stage = Stage::new().with_attack();
    stage.with(".env", "old\n");
    let mut place = stage.open().await;
    let mut news = place.keeper.news();
    stage.outside("echo s3cret > new && mv new .env");
    assert_eq!(hidden(&place, &mut news).await, (".env".to_owned(), Opened::NotSeen));
    stage.outside("echo s3cret > made.pem");
    assert_eq!(hidden(&place, &mut news).await, ("made.pem".to_owned(), Opened::Unknown));

    // A program that waits for it is the one that the kernel lets through. It is not told of one that the machine stops
    // in the middle of opening for longer than the keeper waits, which a busy machine may do, but not each time.
    let mut missed = 0;
    while missed < 3 && !is_read_and_told(&stage, &mut place, &mut news).await {
        missed += 1;
    }
    assert!(missed < 3, "it was read and not told, three times");
}

/// Whether what a waiting program reads of a secret is told; also where it reads nothing, and nothing is told.
async fn is_read_and_told(
    stage: &Stage,
    place: &mut Place,
    news: &mut tokio::sync::broadcast::Receiver<News>,
) -> bool {
    place.begin("./attack spin .env").await;
    for round in 0..50 {
        stage.outside(&format!("echo s3cret{round} > new && mv new .env"));
        place.keeper.drain().await.unwrap();
    }
    stage.outside("touch stop");
    let output = place.end().await;
    stage.outside("rm stop");
    place.keeper.drain().await.unwrap();
    let mut seen = 0;
    while let Ok(told) = news.try_recv() {
        seen += usize::from(matches!(told, News::Hidden { opened: Opened::Seen, .. }));
    }
    let was_read = output.ends_with("read it");
    assert!(was_read || seen == 0, "it was told and not read: {output}");
    !was_read || seen > 0
}

#[tokio::test]
async fn a_running_program_finds_a_new_secret_hidden() {
    let stage = Stage::new();
    let mut place = stage.open().await;
    place.begin("until [ -e go ]; do sleep 0.01; done; cat .env 2>&1").await;
    stage.outside("echo s3cret > .env");
    place.keeper.drain().await.unwrap();
    stage.outside("touch go");
    assert_eq!(place.end().await, "cat: .env: Permission denied");
}

/// What the person has in the workspace before the place is opened.
const WITHOUT_A_TRASH: &[&str] =
    &["true", "mkdir .openspace", "mkdir .openspace && echo text > .openspace/config.toml"];

#[tokio::test]
async fn a_deleted_name_of_a_secret_is_hidden_in_a_trash_that_was_not_there() {
    for before in WITHOUT_A_TRASH {
        let stage = Stage::new();
        stage.outside("echo s3cret > .env; ln .env hardlink.txt");
        stage.outside(before);
        let mut place = stage.open().await;
        assert_eq!(place.run("cat hardlink.txt 2>&1 | grep -c denied").await, "1", "{before}");
        let delete = "mkdir -p .openspace/trash/1 && mv hardlink.txt .openspace/trash/1/";
        stage.outside(delete);
        let read = "cat .openspace/trash/1/hardlink.txt .openspace/trash/*/* 2>/dev/null | wc -l";
        assert_eq!(place.run(read).await, "0", "{before}");
        // And in one that is made anew.
        stage.outside("rm -rf .openspace/trash; ln .env hardlink.txt");
        assert_eq!(place.run("true").await, "");
        stage.outside(delete);
        assert_eq!(place.run(read).await, "0", "made anew: {before}");
        stage.outside("rm -rf .openspace; ln .env hardlink.txt");
        assert_eq!(place.run("true").await, "");
        stage.outside(delete);
        assert_eq!(place.run(read).await, "0", "made anew with its folder: {before}");
    }
}

#[tokio::test]
async fn a_trash_is_there_before_any_program_is_and_goes_if_it_stays_empty() {
    let stage = Stage::new();
    let mut place = stage.open().await;
    assert_eq!(place.run("ls .openspace/trash 2>&1 | grep -c denied").await, "1");
    assert_eq!(stage.outside("stat -c %a .openspace/trash"), "700\n");
    drop(place.keeper);
    place.process.end().await;
    stage.gone(".openspace").await;
}

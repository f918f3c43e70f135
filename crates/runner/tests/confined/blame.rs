//! A program that failed because of the wall is told apart from one that failed by itself, with the real
//! runner answering inside.

use std::path::Path;

use openspace_git::Identity;
use openspace_host::operation::{Program, Run};
use openspace_host::wall::refusals;
use openspace_host::{Host, LocalHost, RemoteHost, local::Settings};
use openspace_isolation::{Machine, Started};
use openspace_protocol::RelPath;

use crate::stage::Stage;

/// A host that opens ends what carries its mark, so each of the two has its own.
fn settings(side: &str, root: &Path, private: &Path) -> Settings {
    Settings {
        root: root.to_owned(),
        output: private.join("output"),
        scratch: private.join("scratch"),
        shell: None,
        environment: None,
        marker: format!("confined-blame-{side}-{}", std::process::id()),
        identity: Identity::default(),
        co_author: None,
        git_behind: Vec::new(),
    }
}

/// What a program runs, and what is then said of the place.
const BLAME: &[(&str, &[&str])] = &[
    ("cat .env", &["reading .env"]),
    ("echo x >> .git/config", &["writing .git/config"]),
    ("git config alias.x y", &["writing .git/config"]),
    ("git branch old && git branch -d old", &["writing .git/config"]),
    ("cat ~/.ssh/id_ed25519", &["finding ~/.ssh/id_ed25519"]),
    ("echo x > ~/.local/bin/mine", &["writing ~/.local/bin/mine"]),
    ("cat no/such/file", &[]),
    ("cat file && false", &[]),
    ("echo 'error: /usr/bin: something else'; false", &[]),
    ("chmod 000 file; cat file; chmod 644 file; false", &[]),
];

#[tokio::test]
async fn a_place_is_blamed_for_what_it_refused_and_for_nothing_else() {
    let mut stage = Stage::furnished();
    stage.with(".env", "s3cret").with("file", "text").committed();
    stage.spec.place.arguments.clear();
    let started = Machine::default().start_confined(&stage.spec).await.unwrap();
    let Started { stdin, stdout, statement, process, keeper } = started;
    let inside = settings("inside", &statement.root_inside, &statement.output_inside.unwrap());
    let stream = tokio::io::join(stdout, stdin);
    let inside = RemoteHost::connect(stream, &inside, process).await.unwrap();
    let inside: &dyn Host = &inside;
    let outside =
        LocalHost::open(settings("outside", stage.root(), &stage.folder.path().join("private")));
    let outside: &dyn Host = &outside.unwrap();
    for (command, expected) in BLAME {
        let program = Program {
            command: (*command).to_owned(),
            folder: RelPath::parse("").unwrap(),
            timeout_ms: None,
            environment: Vec::new(),
        };
        let finished = inside.ask(Run { program }).await.unwrap();
        let output = finished.combined.text;
        // Shells write the path as it is, people with a tilde.
        let output = output.replace(&stage.home().display().to_string(), "~");
        let home = Some(stage.home());
        let told = refusals(&output, stage.root(), home, inside, outside).await.unwrap();
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        let expected: Vec<String> =
            expected.iter().map(|it| format!("refused by the confinement: {it}")).collect();
        assert_eq!(told, expected, "{command}: {output}");
    }

    // The runner itself is out of reach of what it starts.
    let program = Program {
        command:
            "p=$(cat /proc/[0-9]*/stat | awk '$2 == \"(runner)\" {print $1}'); [ -n \"$p\" ] && \
                  cat /proc/$p/environ /proc/$p/maps 2>&1 | grep -c denied; \
                  ls /proc/$p/fd/0 /proc/$p/root/ /proc/$p/cwd/ 2>&1 | grep -c denied"
                .to_owned(),
        folder: RelPath::parse("").unwrap(),
        timeout_ms: None,
        environment: Vec::new(),
    };
    let finished = inside.ask(Run { program }).await.unwrap();
    assert_eq!(finished.combined.text, "2\n3\n");
    drop(keeper);
}

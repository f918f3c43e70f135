//! A real server over a folder of a test's own.

use std::{
    env,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use openspace_languages::{
    AskError, Asker, Folder, LanguageServer, Question, Reply, Served, Settings, Setup, Uri,
    WhileLoading, table::Table,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    task::JoinHandle,
    time::timeout,
};

/// Longer than any machine needs.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);

pub(super) struct World {
    pub(super) server: LanguageServer,
    folder: TempDir,
    child: Child,
    serving: JoinHandle<Served>,
}

/// Where a server is.
#[expect(clippy::disallowed_methods, reason = "how `cargo xtask test` speaks to a test")]
fn program(name: &str) -> PathBuf {
    let named = env::var_os("OPENSPACE_LANGUAGE_SERVERS");
    let named =
        named.expect("OPENSPACE_LANGUAGE_SERVERS is not set: run this with `cargo xtask test`");
    let mut programs = env::split_paths(&named).map(|folder| folder.join(name));
    programs.find(|program| program.is_file()).expect("it is installed")
}

impl World {
    /// Starts the server that has this name in the table, over these files.
    #[expect(clippy::disallowed_methods, reason = "the crate starts no program, its tests must")]
    pub(super) fn start(id: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let known = Table::with("").server(id).unwrap().clone();
        let root = folder.path().canonicalize().unwrap();
        let mut child = Command::new(program(&known.command[0]))
            .args(&known.command[1..])
            .current_dir(&root)
            .env("HOME", &root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let server = LanguageServer::new(Setup {
            server: known.name,
            folders: vec![Folder { uri: Uri::of_path(&root), name: "project".to_owned() }],
            initialization: known.initialization,
            settings: Settings::new(known.settings),
            ready: known.ready,
            client: "openspace".to_owned(),
            version: "0.0.0".to_owned(),
        });
        server.prepare();
        let (reader, writer) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let serving = tokio::spawn({
            let server = server.clone();
            async move { server.serve(reader, writer).await }
        });
        Self { server, folder, child, serving }
    }

    pub(super) fn uri(&self, name: &str) -> Uri {
        Uri::of_path(&self.root().join(name))
    }

    fn root(&self) -> PathBuf {
        Path::canonicalize(self.folder.path()).unwrap()
    }

    pub(super) async fn ask(&self, method: &str, params: Value) -> Result<Reply, AskError> {
        let question = Question {
            patience: PATIENCE,
            while_loading: WhileLoading::Wait(PATIENCE),
            ..Question::new(Asker(1), method, params)
        };
        self.server.ask(question).await
    }

    /// Ends it as it should be ended.
    pub(super) async fn end(self) -> Served {
        let Self { server, mut child, serving, .. } = self;
        server.stop();
        let served = timeout(PATIENCE, serving).await.expect("it ends").unwrap();
        // Whatever did not end by itself is ended, as whoever starts servers must do.
        child.start_kill().ok();
        timeout(PATIENCE, child.wait()).await.expect("it is gone").unwrap();
        served
    }
}

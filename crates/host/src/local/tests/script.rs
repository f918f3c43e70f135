//! Every operation once or more, in order, with what was answered as text: the same wherever the
//! host stands.

use std::fmt::Debug;

use openspace_files::{
    LineRange,
    change::{Edit, EditRequest, Expected, WriteRequest},
    glob::GlobQuery,
    grep::{GrepMode, GrepQuery},
    hash,
    search::Query,
};
use openspace_git::{
    AddRequest, CheckoutRequest, CommitRequest, DiffRequest, GitRequest, InitRequest, LogRequest,
    ShowRequest, StashOperation, StashRequest, StatusRequest,
};
use openspace_terminal::{ReadRequest, Size};
use regex::Regex;

use super::{
    stage::{Stage, program, rel},
    terminals,
};
use crate::{Location, operation::*};

/// Of a longer answer the beginning is written down, and the hash of all.
const LONGEST: usize = 3000;

/// Asks, and writes down what was answered.
struct Script<'a> {
    stage: &'a Stage,
    said: String,
}

impl Script<'_> {
    async fn ask<O: Operation + Debug>(&mut self, operation: O)
    where
        O::Output: Debug,
    {
        let asked = format!("{operation:?}");
        let answered = self.stage.ask(operation).await;
        let text = match &answered {
            Ok(output) => format!("{output:?}"),
            Err(error) => format!("{error:?} = {error}"),
        };
        let said = format!("{}\n    {}\n", self.plain(&asked), self.plain(&text));
        self.said.push_str(&said);
    }

    /// Without what differs from one run to the next.
    fn plain(&self, text: &str) -> String {
        let folder = self.stage.folder.path().to_str().unwrap();
        let mut text = text.replace(folder, "/place");
        for (pattern, plain) in [
            (r#"token: "[0-9a-f-]+""#, "token: TOKEN"),
            (r#"found: Some\("[0-9a-f]+-[0-9a-f]+-[0-9a-f]+"\)"#, "found: TOKEN"),
            (r"trash/[0-9a-f]{12}-[0-9a-f]{8}", "trash/ID"),
            (r"(created): -?\d+", "$1: N"),
            (r"(pid|modified|duration_ms|cursor|current|time): -?\d+", "$1: N"),
            (r"transcript, which is at \d+", "transcript, which is at N"),
            (r"kind: Folder, size: \d+", "kind: Folder, size: N"),
            (r"^\d+$", "PID"),
            (r"duration: [0-9.]+[a-zµ]*s", "duration: N"),
            (r"output-[0-9a-f]{24}", "output-N"),
            (r#""[0-9a-f]{40}""#, "OID"),
            (r"commit [0-9a-f]{40}", "commit OID"),
            (r#""\d{4}-\d\d-\d\dT[0-9:+Z-]+""#, "DATE"),
            (r#""[0-9a-f]{7,12}""#, "SHORT"),
        ] {
            text = Regex::new(pattern).unwrap().replace_all(&text, plain).into_owned();
        }
        if text.len() > LONGEST {
            let hash = hash(text.as_bytes());
            text.truncate(text.floor_char_boundary(LONGEST));
            text.extend(["… ", &hash]);
        }
        text
    }

    async fn files(&mut self) {
        for path in ["a.txt", "src", "missing", "out/passwd", "a.txt/b", "loop", "", ".env"] {
            self.ask(StatPath { path: rel(path) }).await;
        }
        for path in ["a.txt", ".env", "src", "missing"] {
            self.ask(MayRead { path: rel(path), person: false }).await;
        }
        self.ask(MayRead { path: rel(".env"), person: true }).await;
        self.ask(NearNames { path: rel("src/lib.rd") }).await;
        let range = |start_line, end_line| LineRange { start_line, end_line };
        for (path, range) in [
            ("a.txt", range(None, None)),
            ("a.txt", range(Some(2), Some(2))),
            ("a.txt", range(Some(9), None)),
            ("a.txt", range(Some(3), Some(2))),
            ("binary", range(None, None)),
            (".env", range(None, None)),
        ] {
            self.ask(ReadText { path: rel(path), range, person: false }).await;
        }
        let range = range(Some(1), Some(1));
        self.ask(ReadText { path: rel(".env"), range, person: true }).await;
        for path in ["new/b.txt", "a.txt", "src", "node_modules/x", "out/x", ".git/config"] {
            self.ask(WriteFile { path: rel(path), content: b"one\ntwo\n\xff".to_vec() }).await;
        }
        for (path, recursive, limit) in [("", false, 100), ("", true, 2), ("x", true, 1)] {
            self.ask(ListFolder { path: rel(path), recursive, limit }).await;
        }
    }

    async fn whole_files(&mut self) {
        for (path, person) in [("a.txt", false), ("out", false), (".env", false), (".env", true)] {
            self.ask(InspectPath { path: rel(path), person }).await;
        }
        self.ask(ListNames { path: rel(""), limit: 100 }).await;
        self.ask(ListNames { path: rel("a.txt"), limit: 100 }).await;
        for (path, person) in [("binary", false), (".env", false), (".env", true), ("src", true)] {
            self.ask(ReadBytes { path: rel(path), person }).await;
        }
        for (path, expected, person) in [
            ("w.bin", Expected::Nothing, false),
            ("w.bin", Expected::Nothing, false),
            ("w.bin", Expected::Anything, false),
            ("w.bin", Expected::Token("old".to_owned()), false),
            ("missing", Expected::Token("old".to_owned()), false),
            (".env", Expected::Anything, false),
            (".git/config", Expected::Anything, true),
        ] {
            let content = b"x\0\xff".to_vec();
            self.ask(WriteBytes { path: rel(path), content, expected, person }).await;
        }
        for path in ["made/deep", "made/deep", "w.bin", "node_modules", ""] {
            self.ask(MakeFolder { path: rel(path), person: false }).await;
        }
        let (at, person) = (1, false);
        for (from, to, overwrite) in [
            ("w.bin", "made/w.bin", false),
            ("made/w.bin", "a.txt", false),
            ("made", "made/in", false),
            (".env", "env", false),
            ("loop", "made/loop", false),
        ] {
            let (from, to) = (rel(from), rel(to));
            self.ask(MovePath { from, to, overwrite, at, person }).await;
        }
        for (from, to) in [("made", "twin"), ("made", "twin"), ("missing", "x"), (".env", "env")] {
            let (from, to) = (rel(from), rel(to));
            self.ask(CopyPath { from, to, overwrite: false, at, person }).await;
        }
        for path in ["twin", "twin", ".env", ""] {
            self.ask(DeletePath { path: rel(path), at, person }).await;
        }
        for trashed in [".openspace/trash/x/twin", "twin"] {
            self.ask(RestorePath { trashed: rel(trashed), person }).await;
        }
    }

    async fn showing(&mut self) {
        let query = |query: &str, include: Option<&str>| Query {
            query: query.to_owned(),
            include_pattern: include.map(str::to_owned),
            ..Query::default()
        };
        self.ask(FindFiles { query: query("lib", None) }).await;
        self.ask(FindFiles { query: query("", Some("{")) }).await;
        for path in ["src/lib.rs", "", "binary", "picture.png", "missing", ".env"] {
            let location = Location::Workspace(rel(path));
            self.ask(ViewPath { location, offset: None, limit: Some(3) }).await;
        }
        let location = Location::Output(rel("missing"));
        self.ask(ViewPath { location, offset: None, limit: None }).await;
        for pattern in ["*.rs", "[", "src/**"] {
            self.ask(Glob { query: GlobQuery::new(pattern) }).await;
        }
        for pattern in ["f.", "(", "a\nb", r"(?P<x>a)\1"] {
            self.ask(Grep { query: GrepQuery::new(pattern) }).await;
        }
        for mode in [GrepMode::Count, GrepMode::FilesWithMatches] {
            let query = GrepQuery { mode, before: 1, after: 1, ..GrepQuery::new("f") };
            self.ask(Grep { query }).await;
        }
        let query = GrepQuery { file_type: Some("klingon".to_owned()), ..GrepQuery::new("f") };
        self.ask(Grep { query }).await;
    }

    async fn changes(&mut self) {
        let write = |path: &str, expected_hash: Option<&str>| WriteRequest {
            path: rel(path),
            content: "fn main() {}\n".to_owned(),
            expected_hash: expected_hash.map(str::to_owned),
            dry_run: false,
        };
        for (path, hash) in
            [("c.rs", None), ("c.rs", Some("0")), ("d.rs", Some("0")), ("src", None)]
        {
            self.ask(ChangeFile { request: write(path, hash) }).await;
        }
        for (path, old, new) in [
            ("c.rs", "main", "first"),
            ("c.rs", "absent", "x"),
            ("c.rs", "", "x"),
            ("binary", "x", "y"),
            ("missing", "x", "y"),
        ] {
            let edit =
                Edit { old_string: old.to_owned(), new_string: new.to_owned(), replace_all: false };
            let request = EditRequest {
                path: rel(path),
                edits: vec![edit],
                expected_hash: None,
                dry_run: false,
            };
            self.ask(EditFile { request }).await;
        }
    }

    async fn git(&mut self, request: GitRequest) {
        self.ask(Git { request, person: false, hooks: true, timeout_ms: 60_000 }).await;
    }

    async fn history(&mut self) {
        self.git(GitRequest::Status(StatusRequest::default())).await;
        self.git(GitRequest::Init(InitRequest::default())).await;
        let files = vec![rel("c.rs"), rel("a.txt")];
        self.git(GitRequest::Add(AddRequest { files, ..AddRequest::default() })).await;
        self.git(GitRequest::Add(AddRequest {
            files: vec![rel("missing")],
            ..AddRequest::default()
        }))
        .await;
        let commit = |message: &str| CommitRequest {
            message: Some(message.to_owned()),
            ..CommitRequest::default()
        };
        self.git(GitRequest::Commit(commit("first"))).await;
        self.git(GitRequest::Commit(commit("second"))).await;
        self.stage.folder.put("c.rs", "changed\n");
        self.git(GitRequest::Status(StatusRequest::default())).await;
        self.git(GitRequest::Diff(DiffRequest::default())).await;
        self.git(GitRequest::Log(LogRequest::default())).await;
        let show = |revision: &str| ShowRequest {
            revision: Some(revision.to_owned()),
            ..ShowRequest::default()
        };
        self.git(GitRequest::Show(show("HEAD"))).await;
        self.git(GitRequest::Show(show("nowhere"))).await;
        for (path, revision) in [
            ("c.rs", Some("HEAD")),
            ("c.rs", None),
            ("binary", None),
            ("c.rs", Some("nowhere")),
            (".env", None),
        ] {
            let (path, revision) = (rel(path), revision.map(str::to_owned));
            self.ask(GitContent { path, revision, person: false, timeout_ms: 60_000 }).await;
        }
        let checkout = CheckoutRequest {
            branch: Some("other".to_owned()),
            create: Some(false),
            ..CheckoutRequest::default()
        };
        self.git(GitRequest::Checkout(checkout)).await;
        let stash = StashRequest {
            operation: StashOperation::Drop,
            message: None,
            include_untracked: false,
            force: false,
            index: Some(3),
        };
        self.git(GitRequest::Stash(stash)).await;
    }

    async fn programs(&mut self) {
        for command in
            ["printf out; exit 3", "printf 'err\\n\\0' >&2", "kill -9 $$", "seq 20000", "", "a\0b"]
        {
            self.ask(Run { program: program(command) }).await;
        }
        for folder in ["src", "a.txt", "missing", "out"] {
            let program = Program { folder: rel(folder), ..program("basename \"$PWD\"; echo $X") };
            let environment = vec![("X".to_owned(), "y".to_owned())];
            self.ask(Run { program: Program { environment, ..program } }).await;
        }
        let slow = Program { timeout_ms: Some(50), ..program("sleep 1000") };
        self.ask(Run { program: slow.clone() }).await;
        self.ask(StartRun { run: 1, program: program("echo started; exit 4") }).await;
        self.ask(WaitRun { run: 1, patience_ms: 60_000 }).await;
        self.ask(ReadRun { run: 1, since: 0 }).await;
        self.ask(ReadRun { run: 1, since: 4 }).await;
        self.ask(ReadRun { run: 1, since: 400 }).await;
        self.ask(StartRun { run: 1, program: slow.clone() }).await;
        self.ask(StartRun { run: 2, program: program("exec sleep 1000") }).await;
        self.ask(WaitRun { run: 2, patience_ms: 1 }).await;
        self.ask(KillRun { run: 2 }).await;
        self.ask(StartRun { run: 3, program: program(" ") }).await;
        self.ask(KillRun { run: 9 }).await;
        for (program, folder) in
            [("no-such-program", None), ("/bin/sh", Some("/")), ("a/b", None), ("sh", Some("bin"))]
        {
            let folders = folder.into_iter().map(Into::into).collect();
            self.ask(FindProgram { program: program.to_owned(), folders }).await;
        }
        self.ask(Pipe { program: PipedProgram::new("cat") }).await;
    }

    async fn terminals(&mut self) {
        let id = terminals::id(1);
        let open = terminals::open(1);
        let shell = Some("/bin/missing".into());
        self.ask(OpenTerminal { shell, ..open.clone() }).await;
        self.ask(OpenTerminal { folder: rel("a.txt"), ..open.clone() }).await;
        self.ask(OpenTerminal { size: Size { rows: 1, cols: 1 }, ..open.clone() }).await;
        self.ask(TerminalStatus { id }).await;
        let shell = Some("/bin/bash".into());
        self.ask(OpenTerminal { shell, ..open.clone() }).await;
        self.ask(terminals::run("seq 3; false")).await;
        self.ask(terminals::run("echo 'open")).await;
        self.ask(terminals::run("")).await;
        self.ask(ResizeTerminal { id, size: Size { rows: 30, cols: 100 } }).await;
        self.ask(ResizeTerminal { id, size: Size { rows: 0, cols: 100 } }).await;
        self.ask(TerminalStatus { id }).await;
        self.ask(ReadTerminal { id, request: ReadRequest { lines: 1, since: Some(9999) } }).await;
        self.ask(WriteTerminal { id, view: None, bytes: Vec::new() }).await;
        self.ask(InterruptTerminal { id }).await;
        self.ask(terminals::run("exit 7")).await;
        self.ask(EndTerminal { id }).await;
        self.ask(WriteTerminal { id, view: None, bytes: b"x".to_vec() }).await;
        self.ask(CloseTerminal { id }).await;
        self.ask(CloseTerminal { id }).await;
        self.ask(FollowTerminal { id }).await;
        self.ask(AttachTerminal { id, view: 1 }).await;
        self.ask(ReadTerminal { id, request: ReadRequest { lines: 1, since: None } }).await;
        self.ask(InterruptTerminal { id }).await;
    }

    async fn rules(&mut self) {
        self.ask(WatchFile { path: rel("a.txt") }).await;
        self.ask(UnwatchFile { path: rel("a.txt") }).await;
        self.ask(Configure { secret: vec!["a.*".to_owned()], protected: Vec::new() }).await;
        self.ask(MayRead { path: rel("a.txt"), person: false }).await;
        self.ask(Configure { secret: Vec::new(), protected: vec!["..".to_owned()] }).await;
        self.ask(EndAll {}).await;
    }
}

/// What was asked and what was answered.
pub(crate) async fn script(stage: &Stage) -> String {
    let folder = &stage.folder;
    for (path, content) in [
        ("a.txt", "one\ntwo\n"),
        ("src/lib.rs", "fn a() {}\nfn b() {}\nfn c() {}\nfn d() {}\n"),
        (".env", "SECRET=1\n"),
        ("binary", "x\0y"),
        ("picture.png", "\u{89}PNG"),
    ] {
        folder.put(path, content);
    }
    folder.link("/etc", "out");
    folder.link("loop", "loop");
    let mut script = Script { stage, said: String::new() };
    script.files().await;
    script.showing().await;
    script.changes().await;
    script.history().await;
    script.programs().await;
    script.terminals().await;
    script.rules().await;
    script.whole_files().await;
    script.said
}

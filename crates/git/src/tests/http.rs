//! Remotes over HTTP: the credential goes to the right host and is seen nowhere else.

use std::sync::Mutex;

use super::server::Server;
use super::*;

const PASSWORD: &str = "open-sesame-4711";
/// `agent` and the password, as a browser would send them.
const BASIC: &str = "Basic YWdlbnQ6b3Blbi1zZXNhbWUtNDcxMQ==";

/// Knows one host.
struct Keys {
    host: String,
    password: &'static str,
    asked: Mutex<Vec<CredentialRequest>>,
}

impl Keys {
    fn of(server: &Server) -> Self {
        Self { host: server.address.clone(), password: PASSWORD, asked: Mutex::default() }
    }

    fn hosts(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|request| request.host.clone()).collect()
    }
}

impl Credentials for Keys {
    fn ask(&self, request: CredentialRequest) -> Answer<'_> {
        let known = request.host == self.host;
        self.asked.lock().unwrap().push(request);
        let password = self.password.to_owned();
        Box::pin(
            async move { known.then(|| Credential { username: "agent".to_owned(), password }) },
        )
    }
}

/// A workspace whose `origin` is a repository behind a password.
async fn with_server() -> (Stage, Server) {
    let stage = Stage::with_commit();
    stage.sh("mkdir ../served && git clone -q --bare . ../served/x.git");
    let server = Server::start(&stage.folder.join("served"), Some(BASIC.to_owned())).await;
    stage.sh(&format!("git remote add origin {}", server.url("x.git")));
    (stage, server)
}

fn push() -> GitRequest {
    GitRequest::Push(PushRequest::default())
}

fn fetch() -> GitRequest {
    GitRequest::Fetch(FetchRequest::default())
}

/// The files in a folder, at any depth, that hold the password in one form or another.
#[expect(clippy::disallowed_methods, reason = "a test looks at what the code under test did")]
fn leaks(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().filter_map(Result::ok) {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(leaks(&path));
        } else if std::fs::read(&path).is_ok_and(|bytes| tells(&bytes)) {
            found.push(path);
        }
    }
    found
}

fn tells(bytes: &[u8]) -> bool {
    let encoded = BASIC.trim_start_matches("Basic ").as_bytes();
    [PASSWORD.as_bytes(), encoded]
        .iter()
        .any(|secret| bytes.windows(secret.len()).any(|window| window == *secret))
}

#[tokio::test]
async fn clone_fetch_and_push_use_the_credential() {
    let (source, server) = with_server().await;
    let keys = Keys::of(&server);
    let stage = Stage::empty();
    let request = CloneRequest { url: server.url("x.git"), branch: None, depth: None };
    let cloned = stage.run_with(GitRequest::Clone(request), &keys).await.unwrap();
    let expected = CloneReply {
        url: server.url("x.git"),
        branch: "main".to_owned(),
        head: Some(source.sh("git rev-parse HEAD")),
        shallow: false,
    };
    assert_eq!(cloned, GitReply::Clone(expected));
    assert_eq!(stage.content("a.txt"), "one\ntwo\n");
    let asked = CredentialRequest {
        protocol: "http".to_owned(),
        host: server.address.clone(),
        path: "x.git".to_owned(),
        username: None,
    };
    assert_eq!(keys.asked.lock().unwrap().first(), Some(&asked));

    stage.put("b", "b\n");
    stage.commit(commit("b", &["b"])).await.unwrap();
    stage.run_with(push(), &keys).await.unwrap();
    let oid = stage.sh("git rev-parse HEAD");
    assert_eq!(source.sh("git -C ../served/x.git rev-parse main"), oid);

    let GitReply::Fetch(fetched) = source.run_with(fetch(), &keys).await.unwrap() else { panic!() };
    assert_eq!(fetched.refs.total, 1);
    assert_eq!(source.sh("git rev-parse origin/main"), oid);
    for stage in [&source, &stage] {
        assert_eq!(leaks(&stage.folder), Vec::<PathBuf>::new());
        assert!(stage.scratch_is_empty());
    }
}

#[tokio::test]
async fn wrong_and_missing_credentials_are_told_apart() {
    let (stage, server) = with_server().await;
    let wrong = Keys { password: "wrong-sesame", ..Keys::of(&server) };
    let host = server.address.clone();
    for request in [push(), fetch()] {
        let outcome = stage.run_with(request.clone(), &wrong).await;
        assert_eq!(outcome, Err(GitError::AuthenticationFailed { host: host.clone() }));
        let outcome = stage.run(request).await;
        assert_eq!(outcome, Err(GitError::NoCredential { host: host.clone() }));
    }
    let outcome = format!("{:?}", stage.run_with(push(), &wrong).await);
    assert!(!outcome.contains("sesame"), "{outcome}");
    assert!(stage.scratch_is_empty());
}

#[tokio::test]
async fn nothing_in_the_repository_comes_near_the_credential() {
    let (stage, server) = with_server().await;
    let spy = Server::start(&stage.folder.join("served"), Some("never".to_owned())).await;
    let trap = stage.folder.join("trap");
    let trap = trap.display();
    stage.put(".gitattributes", "* filter=trap\n");
    stage.sh(&format!(
        "git config credential.helper '!cat >> {trap}; true' && \
         git config http.proxy http://{spy} && \
         git config http.{url}.proxy http://{spy} && \
         git config http.sslVerify false && \
         git config http.extraHeader 'X-Trap: 1' && \
         git config http.cookieFile {trap}.cookies && \
         git config http.saveCookies true && \
         git config core.askPass 'sh -c \"touch {trap}\"' && \
         git config core.sshCommand 'touch {trap}' && \
         git config remote.origin.uploadpack 'touch {trap}' && \
         git config remote.origin.receivepack 'touch {trap}' && \
         git config remote.origin.proxy http://{spy} && \
         git config core.alternateRefsCommand 'touch {trap}; true' && \
         git config core.gitProxy 'touch {trap}'",
        spy = spy.address,
        url = server.url(""),
    ));
    for hook in ["pre-push", "reference-transaction", "post-update", "update", "pre-receive"] {
        let script = format!("env >> {trap}; cat <&3 >> {trap} 2>/dev/null; cat >> {trap}; exit 0");
        stage.hook(hook, &script);
    }
    stage.sh(&format!(
        "printf '[credential]\\n\\thelper = \"!cat >> {trap}\"\\n' > ../home/.gitconfig"
    ));
    let keys = Keys::of(&server);
    stage.put("b", "b\n");
    stage.sh("git add b && git -c core.hooksPath=/dev/null commit -qm b");
    stage.run_with(push(), &keys).await.unwrap();
    stage.run_with(fetch(), &keys).await.unwrap();
    assert_eq!(leaks(&stage.folder), Vec::<PathBuf>::new());
    assert_eq!(spy.seen(), Vec::<String>::new());
    assert_eq!(server.seen().iter().filter(|seen| *seen != BASIC).count(), 0);
    assert!(!server.seen().is_empty());
}

#[tokio::test]
async fn a_rewritten_address_is_another_host_and_gets_nothing() {
    let (stage, server) = with_server().await;
    let spy = Server::start(&stage.folder.join("served"), Some("never".to_owned())).await;
    stage.sh(&format!(
        "git config url.http://{}/.insteadOf http://{}/",
        spy.address, server.address
    ));
    let keys = Keys::of(&server);
    let outcome = stage.run_with(fetch(), &keys).await;
    assert_eq!(outcome, Err(GitError::NoCredential { host: spy.address.clone() }));
    assert_eq!((keys.hosts(), spy.seen()), (vec![spy.address.clone()], vec![]));
}

#[tokio::test]
async fn a_redirect_to_another_host_gets_nothing() {
    let (stage, target) = with_server().await;
    let to = format!("http://{}", target.address);
    let server = Server::redirecting(&stage.folder, to).await;
    stage.sh(&format!("git remote set-url origin {}", server.url("x.git")));
    // The broker would even give it: the helper must not ask.
    let keys = Keys::of(&target);
    let outcome = stage.run_with(fetch(), &keys).await;
    assert_eq!(outcome, Err(GitError::NoCredential { host: server.address.clone() }));
    assert_eq!((keys.hosts(), target.seen()), (vec![], vec![]));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test looks at what others could see")]
async fn while_git_speaks_to_a_remote_no_process_or_file_shows_the_credential() {
    let (stage, server) = with_server().await;
    let keys = Keys::of(&server);
    stage.sh("git commit -q --allow-empty -m x");
    server.hold();
    let look = async {
        server.somebody_waits().await;
        let mut ours = 0;
        for entry in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            assert!(!tells(&environment) && !tells(&arguments), "{:?}", entry.path());
            let marker = stage.git.settings.marker.as_bytes();
            ours += usize::from(environment.windows(marker.len()).any(|part| part == marker));
        }
        assert!(ours > 0, "git was not running");
        assert!(!stage.scratch_is_empty());
        assert_eq!(leaks(&stage.folder), Vec::<PathBuf>::new());
        server.release();
    };
    let (outcome, ()) = tokio::join!(stage.run_with(push(), &keys), look);
    outcome.unwrap();
    assert_eq!(server.seen().first().map(String::as_str), Some(BASIC));
}

#[tokio::test]
async fn a_remote_that_hangs_is_given_up() {
    let (stage, server) = with_server().await;
    let keys = Keys::of(&server);
    stage.sh("git commit -q --allow-empty -m x");
    server.hold();
    let cancel = CancellationToken::new();
    let limit = Duration::from_secs(3);
    let outcome = stage.git.run(&stage.files, push(), limit, &keys, &cancel).await.unwrap_err();
    assert!(matches!(outcome, GitError::TimedOut { seconds: 3, .. }), "{outcome:?}");
    assert!(stage.scratch_is_empty());
}

#[test]
fn a_credential_does_not_show_its_password() {
    let credential = Credential { username: "agent".to_owned(), password: PASSWORD.to_owned() };
    assert_eq!(format!("{credential:?}"), "Credential { username: \"agent\", password: \"***\" }");
}

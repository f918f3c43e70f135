//! Commits: which there are, what one changed, how a file was in one.

use openspace_protocol::RelPath;

use super::BUDGET;
use super::child::{Call, Session};
use super::diff::Comparison;
use super::error::{GitError, classify};
use super::names::{self, Records};
use super::reply::{CommitInfo, FileReply, GitReply, LogReply, ShowReply};
use super::request::{LogRequest, ShowRequest};

const DEFAULT_COMMITS: u32 = 20;
pub const MOST_COMMITS: u32 = 200;
/// The most revisions that a log may start at.
const MOST_STARTS: usize = 100;
const LONGEST_BODY: usize = 2 * 1024;
const LONGEST_SUMMARY: usize = 500;

const FORMAT: &str = "--format=tformat:%H%x00%h%x00%P%x00%an <%ae>%x00%aI%x00%cI%x00%D%x00%s%x00%b";
const FIELDS: usize = 9;

/// One or two commits, as oids, so that nothing a caller wrote reaches git again.
pub(super) enum Range {
    One(String),
    /// From the first to the second.
    Two(String, String),
    /// From where they parted.
    Parted(String, String),
}

impl Range {
    pub(super) fn for_diff(self) -> Vec<String> {
        match self {
            Self::One(oid) => vec![oid],
            Self::Two(from, to) => vec![from, to],
            Self::Parted(from, to) => vec![format!("{from}...{to}")],
        }
    }

    fn for_log(self) -> Vec<String> {
        match self {
            Self::One(oid) => vec![oid],
            Self::Two(from, to) => vec![to, format!("^{from}")],
            Self::Parted(from, to) => vec![format!("{from}...{to}")],
        }
    }
}

impl Session<'_> {
    /// The commit that a revision means.
    pub(super) async fn resolve(&self, text: &str) -> Result<String, GitError> {
        let spec = format!("{}^{{commit}}", names::revision(text)?);
        let ask = Call::new(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let done = self.run(ask.arg(spec).reading()).await?;
        let oid = done.line();
        if done.is_success() && oid.chars().all(|letter| letter.is_ascii_hexdigit()) {
            Ok(oid)
        } else {
            Err(GitError::NoSuchRevision { revision: text.to_owned() })
        }
    }

    /// The current commit, if there is one.
    pub(super) async fn head(&self) -> Result<Option<String>, GitError> {
        match self.resolve("HEAD").await {
            Ok(oid) => Ok(Some(oid)),
            Err(GitError::NoSuchRevision { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    pub(super) async fn range(&self, text: &str) -> Result<Range, GitError> {
        let or_head =
            |side: &str| if side.is_empty() { "HEAD".to_owned() } else { side.to_owned() };
        if let Some((from, to)) = text.split_once("...") {
            let (from, to) = (or_head(from), or_head(to));
            return Ok(Range::Parted(self.resolve(&from).await?, self.resolve(&to).await?));
        }
        if let Some((from, to)) = text.split_once("..") {
            let (from, to) = (or_head(from), or_head(to));
            return Ok(Range::Two(self.resolve(&from).await?, self.resolve(&to).await?));
        }
        Ok(Range::One(self.resolve(text).await?))
    }

    pub(super) async fn log(&self, request: &LogRequest) -> Result<LogReply, GitError> {
        let limit = request.limit.unwrap_or(DEFAULT_COMMITS).clamp(1, MOST_COMMITS);
        let mut options =
            vec![format!("--max-count={}", limit + 1), format!("--skip={}", request.skip)];
        let range = match &request.revision {
            Some(revision) => Some(self.range(revision).await?),
            None => None,
        };
        let base = match &range {
            Some(Range::Parted(from, to)) => self.base(from, to).await?,
            _ => None,
        };
        let starts = self.starts(request, range).await?;
        if request.all || !request.revisions.is_empty() {
            // Lines of history stay together, and no commit stands before one made from it.
            options.push("--topo-order".to_owned());
        }
        let paths = request.path.iter().cloned().collect::<Vec<RelPath>>();
        let mut commits =
            self.commits(&options, starts, &self.limited(names::paths(&paths)?)).await?;
        let more = commits.len() > limit as usize;
        commits.truncate(limit as usize);
        Ok(LogReply { commits, more, base })
    }

    /// Where two lines of history parted.
    async fn base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let done = self.run(Call::new(["merge-base", one, other]).reading()).await?;
        match done.code {
            Some(0) => Ok(Some(done.line())),
            Some(1) => Ok(None),
            _ => Err(classify(self.action, &done)),
        }
    }

    /// Where a log starts, in words that only git and this module wrote.
    async fn starts(
        &self,
        request: &LogRequest,
        range: Option<Range>,
    ) -> Result<Vec<String>, GitError> {
        let LogRequest { revision, revisions, all, .. } = request;
        let given = [revision.is_some(), !revisions.is_empty(), *all];
        if given.iter().filter(|&&is| is).count() > 1 {
            return Err(GitError::invalid("`revision`, `revisions` and `all` exclude each other"));
        }
        if revisions.len() > MOST_STARTS {
            return Err(GitError::invalid(format!("`revisions` has more than {MOST_STARTS}")));
        }
        if let Some(range) = range {
            return Ok(range.for_log());
        }
        let head = self.head().await?;
        if *all {
            let words = ["--branches", "--tags", "--remotes"].map(str::to_owned);
            return Ok(words.into_iter().chain(head).collect());
        }
        if revisions.is_empty() {
            return Ok(vec![head.ok_or(GitError::NoCommitYet)?]);
        }
        let mut starts = Vec::with_capacity(revisions.len());
        for revision in revisions {
            starts.push(self.resolve(revision).await?);
        }
        Ok(starts)
    }

    pub(super) async fn commits(
        &self,
        options: &[String],
        revisions: Vec<String>,
        paths: &[String],
    ) -> Result<Vec<CommitInfo>, GitError> {
        let call =
            Call::new(["log", "-z", "--no-color", "--no-show-signature", "--decorate=short"])
                .args(["--encoding=UTF-8", "--no-notes", "--no-patch", FORMAT])
                .args(options)
                .args(revisions)
                .arg("--")
                .args(paths)
                .reading();
        let mut fields: Vec<String> = Vec::with_capacity(FIELDS);
        let mut commits = Vec::new();
        let mut records = Records::new(0);
        let mut take = |record: &[u8]| {
            fields.push(String::from_utf8_lossy(record).into_owned());
            if fields.len() == FIELDS {
                commits.extend(commit(std::mem::take(&mut fields)));
            }
        };
        self.stream(call, &mut |piece| records.push(piece, &mut take)).await?;
        Ok(commits)
    }

    pub(super) async fn show(&self, request: &ShowRequest) -> Result<GitReply, GitError> {
        let revision = request.revision.as_deref().unwrap_or("HEAD");
        if let Some(path) = &request.path {
            return self.file(revision, path).await.map(GitReply::File);
        }
        let oid = match &request.revision {
            Some(revision) => self.resolve(revision).await?,
            None => self.head().await?.ok_or(GitError::NoCommitYet)?,
        };
        let found = self.commits(&["--max-count=1".to_owned()], vec![oid.clone()], &[]).await?;
        let Some(commit) = found.into_iter().next() else {
            return Err(GitError::NoSuchRevision { revision: revision.to_owned() });
        };
        let changes =
            self.changes_of(&commit.oid, commit.parents.first(), request.stat_only).await?;
        Ok(GitReply::Show(ShowReply { commit, changes }))
    }

    /// What a commit changed, compared with its first parent.
    pub(super) async fn changes_of(
        &self,
        oid: &str,
        parent: Option<&String>,
        stat_only: bool,
    ) -> Result<super::reply::Changes, GitError> {
        let from = parent.cloned().unwrap_or_else(|| empty_tree(oid).to_owned());
        let comparison = Comparison {
            what: vec![from, oid.to_owned()],
            paths: self.limited(Vec::new()),
            context: 3,
            stat_only,
        };
        let mut room = BUDGET;
        self.changes(&comparison, &mut room).await
    }

    /// The blob of a file in a commit, and its size.
    pub(super) async fn blob_in(
        &self,
        oid: &str,
        path: &RelPath,
    ) -> Result<Option<(String, u64)>, GitError> {
        if path.is_root() {
            return Ok(None);
        }
        let ask = Call::new(["ls-tree", "-z", "--long", oid, "--"])
            .args(names::paths(std::slice::from_ref(path))?)
            .reading();
        let listed = self.must(ask).await?;
        let entry = String::from_utf8_lossy(&listed.stdout).into_owned();
        let mut words = entry.split('\t').next().unwrap_or_default().split_ascii_whitespace();
        match (words.nth(1), words.next(), words.next().map(str::parse)) {
            (Some("blob"), Some(blob), Some(Ok(size))) => Ok(Some((blob.to_owned(), size))),
            _ => Ok(None),
        }
    }

    async fn file(&self, revision: &str, path: &RelPath) -> Result<FileReply, GitError> {
        names::may_show(self.files, path)?;
        let oid = self.resolve(revision).await?;
        let missing =
            || GitError::NotInRevision { path: path.to_string(), revision: revision.to_owned() };
        let (blob, size) = self.blob_in(&oid, path).await?.ok_or_else(missing)?;
        let mut kept = Vec::new();
        let mut keep = |piece: &[u8]| {
            // One byte too many tells that there is more.
            let room = (BUDGET + 1).saturating_sub(kept.len());
            kept.extend_from_slice(&piece[..piece.len().min(room)]);
        };
        self.stream(Call::new(["cat-file", "blob", &blob]).reading(), &mut keep).await?;
        let binary = kept.contains(&0);
        let truncated = kept.len() > BUDGET;
        if truncated {
            let whole_lines = kept[..BUDGET].iter().rposition(|&byte| byte == b'\n');
            kept.truncate(whole_lines.map_or(BUDGET, |at| at + 1));
        }
        let content =
            if binary { String::new() } else { String::from_utf8_lossy(&kept).into_owned() };
        Ok(FileReply { path: path.to_string(), oid, size, binary, content, truncated })
    }
}

fn commit(fields: Vec<String>) -> Option<CommitInfo> {
    let [oid, short_oid, parents, author, authored, committed, refs, summary, body] =
        <[String; FIELDS]>::try_from(fields).ok()?;
    let body = body.trim_end();
    let cut = body.floor_char_boundary(LONGEST_BODY);
    let summary_cut = summary.floor_char_boundary(LONGEST_SUMMARY);
    Some(CommitInfo {
        oid,
        short_oid,
        parents: parents.split_ascii_whitespace().map(str::to_owned).collect(),
        author,
        authored,
        committed,
        refs: refs.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        truncated: cut < body.len() || summary_cut < summary.len(),
        summary: summary[..summary_cut].to_owned(),
        body: body[..cut].to_owned(),
    })
}

/// What the first commit is compared with; git knows it without storing it.
fn empty_tree(oid: &str) -> &'static str {
    if oid.len() == 64 {
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    } else {
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    }
}

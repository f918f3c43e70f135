//! Tags: which there are, making and removing them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::child::{Call, Session};
use super::error::GitError;
use super::names::{self, Records};
use super::reply::Bounded;
use super::request::{TagOperation, TagRequest};

const FORMAT: &str = "--format=%(refname)%00%(objectname)%00%(*objectname)%00%(objecttype)%00\
    %(creatordate:iso-strict)%00%(contents:subject)";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TagInfo {
    /// The short name, such as `v1.0`.
    pub name: String,
    /// What it points at, mostly a commit.
    pub oid: String,
    /// It has a message and an author of its own.
    pub annotated: bool,
    /// When it was made, or the commit where it has no time of its own, as in ISO 8601.
    pub created: String,
    /// The first line of its message, or of the commit's.
    pub summary: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TagReply {
    /// The tags, newest first, for `list`; otherwise the tag that was created.
    pub tags: Bounded<TagInfo>,
    /// The tag that was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<String>,
    /// What the deleted tag pointed at, from which it can be created again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_oid: Option<String>,
}

impl Session<'_> {
    pub(super) async fn tag(&self, request: &TagRequest) -> Result<TagReply, GitError> {
        match (request.operation, request.name.as_deref()) {
            (TagOperation::List, None) => {
                Ok(TagReply { tags: self.listed_tags("refs/tags").await?, ..TagReply::default() })
            }
            (TagOperation::List, Some(_)) => {
                Err(GitError::invalid("`name` needs an `operation`: create or delete"))
            }
            (_, None) => Err(GitError::invalid("`name` is missing")),
            (TagOperation::Create, Some(name)) => self.create_tag(name, request).await,
            (TagOperation::Delete, Some(name)) => {
                let known = self.tag_named(name).await?;
                let tag = known.ok_or_else(|| GitError::NoSuchTag { tag: name.to_owned() })?;
                self.must(Call::new(["tag", "--delete", "--", name])).await?;
                Ok(TagReply {
                    deleted: Some(tag.name),
                    deleted_oid: Some(tag.oid),
                    ..TagReply::default()
                })
            }
        }
    }

    async fn create_tag(&self, name: &str, request: &TagRequest) -> Result<TagReply, GitError> {
        if self.tag_named(name).await?.is_some() {
            return Err(GitError::TagExists { tag: name.to_owned() });
        }
        let oid = match &request.revision {
            Some(revision) => self.resolve(revision).await?,
            None => self.head().await?.ok_or(GitError::NoCommitYet)?,
        };
        let mut call = Call::new(["tag", "--no-sign"]);
        if let Some(message) = &request.message {
            call = call.args(["--annotate", "--message", names::message(message)?]);
        }
        self.must(call.args(["--", name, &oid])).await?;
        let made = self.tag_named(name).await?;
        let entries: Vec<TagInfo> = made.into_iter().collect();
        let tags = Bounded { total: entries.len() as u64, entries };
        Ok(TagReply { tags, ..TagReply::default() })
    }

    async fn tag_named(&self, name: &str) -> Result<Option<TagInfo>, GitError> {
        let reference = format!("refs/tags/{}", names::ref_name(name)?);
        // The name may also be a folder of tags.
        let found = self.listed_tags(&reference).await?.entries;
        Ok(found.into_iter().find(|tag| tag.name == name))
    }

    async fn listed_tags(&self, beneath: &str) -> Result<Bounded<TagInfo>, GitError> {
        let call = Call::new(["for-each-ref", "--sort=-creatordate", FORMAT, beneath]).reading();
        let mut found = Bounded::default();
        let mut lines = Records::new(b'\n');
        let mut take = |line: &[u8]| {
            if let Some(tag) = parse(&String::from_utf8_lossy(line)) {
                found.push(tag);
            }
        };
        self.stream(call, &mut |piece| lines.push(piece, &mut take)).await?;
        Ok(found)
    }
}

fn parse(line: &str) -> Option<TagInfo> {
    let mut fields = line.splitn(6, '\0');
    let mut field = || fields.next();
    let (name, oid, peeled) = (field()?, field()?, field()?);
    let (kind, created, summary) = (field()?, field()?, field()?);
    Some(TagInfo {
        name: name.strip_prefix("refs/tags/")?.to_owned(),
        oid: if peeled.is_empty() { oid } else { peeled }.to_owned(),
        annotated: kind == "tag",
        created: created.to_owned(),
        summary: summary[..summary.floor_char_boundary(500)].to_owned(),
    })
}

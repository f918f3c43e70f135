//! What is said, from and into the blocks of the protocol.

use agent_client_protocol_schema::v1::{
    Annotations, ContentBlock, EmbeddedResourceResource, ImageContent, ResourceLink, Role,
    TextContent,
};

use crate::{
    Ability, AgentError, Capabilities,
    model::{FilePlace, FileReference, LONGEST_DATA, Lines, Prompt, PromptPart, shortened},
};

use super::history::Piece;

/// A block in our words.
pub(super) enum Read {
    Text { text: String, is_synthetic: bool },
    File(FileReference),
    Unknown(&'static str),
}

pub(super) fn read(block: ContentBlock) -> Read {
    let data = |mime: String, base64: String, name: Option<String>| {
        Read::File(FileReference { name, mime: shortened(&mime), place: data(base64) })
    };
    match block {
        ContentBlock::Text(text) => {
            let is_synthetic = is_for_model(text.annotations.as_ref());
            Read::Text { text: text.text, is_synthetic }
        }
        ContentBlock::Image(image) => data(image.mime_type, image.data, None),
        ContentBlock::Audio(audio) => data(audio.mime_type, audio.data, None),
        ContentBlock::ResourceLink(link) => {
            Read::File(link_to(&link.uri, Some(&link.name), link.mime_type.as_deref()))
        }
        ContentBlock::Resource(resource) => match resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => {
                Read::File(link_to(&text.uri, None, text.mime_type.as_deref()))
            }
            EmbeddedResourceResource::BlobResourceContents(blob) => {
                let mime = blob.mime_type.unwrap_or_else(|| UNKNOWN_BYTES.to_owned());
                data(mime, blob.blob, Some(shortened(&blob.uri)))
            }
            _ => Read::Unknown("content/resource"),
        },
        _ => Read::Unknown("content"),
    }
}

/// Whether something is said to the model alone, as we say it in a prompt: an agent that tells an old session again
/// tells that too.
fn is_for_model(annotations: Option<&Annotations>) -> bool {
    let audience = annotations.and_then(|annotations| annotations.audience.as_ref());
    audience.is_some_and(|audience| audience[..] == [Role::Assistant])
}

const UNKNOWN_BYTES: &str = "application/octet-stream";
const PLAIN_TEXT: &str = "text/plain";

fn data(base64: String) -> FilePlace {
    if base64.len() > LONGEST_DATA {
        return FilePlace::LeftOut { bytes: base64.len() as u64 };
    }
    FilePlace::Data { base64 }
}

fn link_to(uri: &str, name: Option<&str>, mime: Option<&str>) -> FileReference {
    let place = match uri.strip_prefix(FILE).and_then(decoded) {
        Some(path) => FilePlace::Path { path, lines: None },
        None => FilePlace::Link { url: shortened(uri) },
    };
    let mime = mime.unwrap_or(PLAIN_TEXT);
    FileReference { name: name.map(shortened), mime: shortened(mime), place }
}

/// A prompt in blocks of the protocol, and as pieces of a message.
pub(super) fn prompt(
    prompt: Prompt,
    capabilities: &Capabilities,
) -> Result<(Vec<ContentBlock>, Vec<Piece>), AgentError> {
    if prompt.parts.is_empty() {
        let why = "it has no part; say something".to_owned();
        return Err(AgentError::Invalid { what: "the prompt".to_owned(), why });
    }
    let mut said = (Vec::new(), Vec::new());
    for part in prompt.parts {
        let (block, piece) = self::part(part, capabilities)?;
        said.0.push(block);
        said.1.push(piece);
    }
    Ok(said)
}

fn part(
    part: PromptPart,
    capabilities: &Capabilities,
) -> Result<(ContentBlock, Piece), AgentError> {
    match part {
        PromptPart::Text { text, is_synthetic } => {
            let mut block = TextContent::new(text.clone());
            if is_synthetic {
                block = block.annotations(Annotations::new().audience(vec![Role::Assistant]));
            }
            Ok((ContentBlock::Text(block), Piece::Text { text, is_synthetic }))
        }
        PromptPart::Image { mime, base64, name } => {
            capabilities.check(Ability::Images)?;
            if base64.len() > LONGEST_DATA {
                let (what, limit) = ("the picture".to_owned(), LONGEST_DATA as u64);
                return Err(AgentError::TooLarge { what, limit });
            }
            let block = ImageContent::new(base64.clone(), mime.clone());
            let file = FileReference { name, mime, place: FilePlace::Data { base64 } };
            Ok((ContentBlock::Image(block), Piece::File(file)))
        }
        PromptPart::File { path, mime, lines, mention: _ } => {
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            // Not every agent reads the end of an address; what it is called is in the prompt for all of them.
            let (name_with_lines, anchor) = match lines {
                Some(Lines { first, last: Some(last) }) => {
                    (format!("{name}, lines {first} to {last}"), format!("#L{first}-L{last}"))
                }
                Some(Lines { first, last: None }) => {
                    (format!("{name}, from line {first} on"), format!("#L{first}"))
                }
                None => (name.clone(), String::new()),
            };
            let link =
                ResourceLink::new(name_with_lines, format!("{FILE}{}{anchor}", encoded(&path)));
            let block = ContentBlock::ResourceLink(link.mime_type(mime.clone()));
            let mime = mime.unwrap_or_else(|| PLAIN_TEXT.to_owned());
            let place = FilePlace::Path { path, lines };
            Ok((block, Piece::File(FileReference { name: Some(name), mime, place })))
        }
        PromptPart::Agent { .. } => {
            capabilities.check(Ability::SubAgents)?;
            let why = "agents cannot be mentioned over ACP".to_owned();
            Err(AgentError::Unsupported { what: Ability::SubAgents, why })
        }
    }
}

const FILE: &str = "file://";

/// A path as the part of an address.
fn encoded(path: &str) -> String {
    use std::fmt::Write as _;
    path.bytes().fold(String::new(), |mut encoded, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            // Writing into a text does not fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
        encoded
    })
}

/// The path in an address, if it is one of this machine.
fn decoded(encoded: &str) -> Option<String> {
    let path = encoded.split(['#', '?']).next().filter(|path| path.starts_with('/'))?;
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                u8::try_from(digit(rest.next())? * 16 + digit(rest.next())?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

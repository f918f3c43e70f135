//! Private keys between lines of dashes, wherever they stand in a text.

/// The shortest line of a key that counts by itself.
const SHORTEST: usize = 16;

/// Give every line of every private key. Certificates and public keys are public.
pub(super) fn each_line(text: &str, mut found: impl FnMut(&str)) {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("-----BEGIN ") {
        rest = after;
        let Some((title, body)) = after.split_once("-----") else { return };
        if !title.contains("PRIVATE KEY") || title.contains('\n') {
            continue;
        }
        let (body, after) = body.split_once("-----END").unwrap_or((body, ""));
        rest = after;
        // In JSON and in variables the ends of lines are written out.
        for line in body.split("\\n").flat_map(str::lines) {
            let line = line.trim().trim_end_matches(['\\', '"', '\'', ',', 'r']);
            let is_key =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
            if line.len() >= SHORTEST && line.bytes().all(is_key) {
                found(line);
            }
        }
    }
}

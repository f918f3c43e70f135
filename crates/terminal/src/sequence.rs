//! Control sequences taken apart.

/// A control sequence taken apart, as far as this module looks at it.
pub(super) struct Sequence {
    pub(super) private: Option<u8>,
    pub(super) intermediate: Option<u8>,
    pub(super) parameters: Vec<u16>,
    pub(super) last: u8,
}

impl Sequence {
    pub(super) fn parse(body: &[u8]) -> Self {
        let private = body.first().copied().filter(|byte| matches!(byte, b'<'..=b'?'));
        let rest = &body[usize::from(private.is_some())..];
        let end = rest.iter().position(|byte| !matches!(byte, b'0'..=b';')).unwrap_or(rest.len());
        let parameters = if end == 0 {
            Vec::new()
        } else {
            rest[..end].split(|&byte| byte == b';').take(32).map(number).collect()
        };
        Self {
            private,
            intermediate: rest[end..].first().copied().filter(|byte| *byte < b'0'),
            parameters,
            last: body.last().copied().unwrap_or_default(),
        }
    }

    pub(super) fn parameter(&self, index: usize) -> u16 {
        self.parameters.get(index).copied().unwrap_or_default()
    }
}

fn number(digits: &[u8]) -> u16 {
    digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0_u16, |sum, byte| sum.saturating_mul(10).saturating_add(u16::from(byte - b'0')))
}

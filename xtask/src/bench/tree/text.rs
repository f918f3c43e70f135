//! Text that looks like source code, from a few patterns of each language and many words.

#[cfg(test)]
mod tests;

/// One of the nouns; it stands in very many lines.
pub(in crate::bench) const COMMON_WORD: &str = "config";

const VERBS: &[&str] = &[
    "load", "store", "open", "close", "find", "parse", "render", "update", "remove", "create",
    "merge", "split", "check", "apply", "start", "stop", "send", "receive", "encode", "decode",
    "resolve", "validate", "collect", "visit", "schedule", "flush", "bind", "release",
];
const NOUNS: &[&str] = &[
    COMMON_WORD,
    "handler",
    "request",
    "response",
    "session",
    "token",
    "buffer",
    "cursor",
    "user",
    "account",
    "order",
    "invoice",
    "message",
    "channel",
    "queue",
    "worker",
    "task",
    "index",
    "table",
    "column",
    "record",
    "field",
    "value",
    "node",
    "edge",
    "graph",
    "layout",
    "window",
    "theme",
    "button",
    "router",
    "client",
    "server",
    "socket",
    "packet",
    "header",
    "footer",
    "report",
    "metric",
    "event",
    "filter",
    "option",
    "context",
    "adapter",
    "factory",
    "schema",
];

/// `$v` and `$n` stand for words, `$N` for a noun in upper case at the front, `$d` for a number.
pub(super) struct Language {
    pub(super) ending: &'static str,
    patterns: &'static [&'static str],
}

/// The first ones are as common as they are in real trees because they are here twice.
pub(super) const LANGUAGES: &[&Language] =
    &[&RUST, &RUST, &TYPESCRIPT, &TYPESCRIPT, &PYTHON, &GO, &JAVA, &C, &MARKDOWN, &JSON, &CSS];

const RUST: Language = Language {
    ending: "rs",
    patterns: &[
        "/// Tells whether the $n of a $n can $v; the $n decides.",
        "pub fn $v_$n($n: &$N, limit: usize) -> Result<$N, Error> {",
        "    let $n = self.$n.$v_$n(&mut $n, $d)?;",
        "    if $n.len() > $d || $n.is_empty() {",
        "        return Err(Error::$N { $n, limit: $d });",
        "    }",
        "    $n.iter().filter(|$n| $n.$v()).map(|$n| $n.$n.clone()).collect()",
        "}",
        "",
        "impl $N for $N<'_> {",
        "#[derive(Clone, Debug, PartialEq)]",
    ],
};
const TYPESCRIPT: Language = Language {
    ending: "ts",
    patterns: &[
        "import { $v$N, type $N } from \"../$n/$n.js\";",
        "export async function $v$N($n: $N, $n: number): Promise<$N> {",
        "  const $n = await this.$n.$v({ $n, timeout: $d, retry: true });",
        "  if ($n === undefined || $n.length > $d) {",
        "    throw new $NError(`cannot $v the $n`);",
        "  }",
        "  return $n.map(($n) => ({ ...$n, $n: $d }));",
        "}",
        "",
        "// The $n is shown before the $n, because people $v it first.",
    ],
};
const PYTHON: Language = Language {
    ending: "py",
    patterns: &[
        "def $v_$n(self, $n: $N, $n: int = $d) -> $N:",
        "    \"\"\"Return the $n that every $n has to $v.\"\"\"",
        "    $n = [$n.$v_$n() for $n in self._$n if $n is not None]",
        "    if len($n) > $d:",
        "        raise $NError(f\"cannot $v {$n!r}\")",
        "    return $N($n, $n=$d)",
        "",
        "class $N$N(Base$N):",
        "    # the $n comes from the $n",
    ],
};
const GO: Language = Language {
    ending: "go",
    patterns: &[
        "func (s *$NService) $v$N(ctx context.Context, $n *$N) (*$N, error) {",
        "\t$n, err := s.$n.$v(ctx, $n, $d)",
        "\tif err != nil {",
        "\t\treturn nil, fmt.Errorf(\"cannot $v $n: %w\", err)",
        "\t}",
        "\treturn $n, nil",
        "}",
        "",
        "// $N keeps the $n of a $n.",
    ],
};
const JAVA: Language = Language {
    ending: "java",
    patterns: &[
        "public final class $N$N extends Abstract$N implements $N {",
        "    private final Map<String, $N> $n = new HashMap<>($d);",
        "    @Override public $N $v$N($N $n, int $n) throws $NException {",
        "        return $n.stream().filter(it -> it.$v()).findFirst().orElseThrow();",
        "    }",
        "",
        "    /** The $n of this $n; never null. */",
    ],
};
const C: Language = Language {
    ending: "c",
    patterns: &[
        "#include \"$n_$n.h\"",
        "static int $v_$n(struct $n *$n, size_t limit)",
        "{",
        "\tif (!$n || $n->$n_count > $d)",
        "\t\treturn -EINVAL;",
        "\tmemcpy(&$n->$n, $n, sizeof(*$n) * $d);",
        "\treturn $v_$n_locked($n, $d);",
        "}",
        "",
        "/* The $n holds a lock while the $n waits. */",
    ],
};
const MARKDOWN: Language = Language {
    ending: "md",
    patterns: &[
        "## How to $v a $n",
        "",
        "Every $n has a $n, and the $n of a $n is kept until the $n is closed ($d at most).",
        "- `$v_$n`: the $n to $v, such as `$n-$d`",
        "See [the $n](../$n/$n.md) for what happens when a $n cannot $v.",
    ],
};
const JSON: Language = Language {
    ending: "json",
    patterns: &[
        "  \"$n_$n\": { \"$n\": $d, \"$v\": true, \"name\": \"$n $d\" },",
        "  \"$v\": [\"$n\", \"$n\", \"$n\"],",
        "  \"version\": \"$d.$d.$d\",",
    ],
};
const CSS: Language = Language {
    ending: "css",
    patterns: &[
        ".$n-$n > .$n:hover {",
        "  margin: $dpx auto;",
        "  background: var(--$n-$n, #$d);",
        "}",
        "",
    ],
};

/// A file of about so many lines.
pub(super) fn fill(language: &Language, lines: f64, random: &mut Random) -> String {
    let mut text = String::new();
    let mut line = 0.0;
    while line < lines {
        let pattern = language.patterns[random.below(language.patterns.len())];
        write_line(pattern, &mut text, random);
        line += 1.0;
    }
    text
}

fn write_line(pattern: &str, text: &mut String, random: &mut Random) {
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        let mut letters = after.chars();
        match letters.next() {
            Some('v') => text.push_str(random.one_of(VERBS)),
            Some('n') => text.push_str(random.one_of(NOUNS)),
            Some('N') => {
                let noun = random.one_of(NOUNS);
                text.push_str(&noun[..1].to_ascii_uppercase());
                text.push_str(&noun[1..]);
            }
            Some('d') => text.push_str(&random.below(9_999).to_string()),
            other => {
                text.push('$');
                text.extend(other);
            }
        }
        rest = letters.as_str();
    }
    text.push_str(rest);
    text.push('\n');
}

/// Numbers that look random and are the same in every run.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to one less than `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let number = usize::try_from(self.next() >> 33).unwrap_or_default();
        number % limit.max(1)
    }

    /// From 0 up to 1.
    pub(super) fn share(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap_or_default()) / f64::from(u32::MAX)
    }

    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }
}

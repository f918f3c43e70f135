//! `code.definition`: where something is defined.

use openspace_command::{Command, Meta, Result};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    addressing::{Target, outline},
    asking::{Asking, Told},
    commands::{MOST_WAIT, check_wait, wait},
    quoting::{Quotes, Spot, places},
    running::Running,
    symbol_tree::around,
    whereabouts::Where,
};
use crate::{Cx, OpenSpace};

/// Places that one answer names.
const MOST_PLACES: usize = 50;
/// Lines of what is defined that are shown of one place.
const MOST_LINES: usize = 60;
/// Places of which the lines are shown.
const MOST_BODIES: usize = 3;

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sought {
    /// Where it is defined.
    #[default]
    Definition,
    /// Where its type is defined.
    Type,
    /// What implements it.
    Implementation,
    /// Where it is declared.
    Declaration,
}

impl Sought {
    const fn method(self) -> &'static str {
        match self {
            Self::Definition => "textDocument/definition",
            Self::Type => "textDocument/typeDefinition",
            Self::Implementation => "textDocument/implementation",
            Self::Declaration => "textDocument/declaration",
        }
    }
}

/// Find where a symbol is defined, or its type or implementations.
///
/// Name it as `Class/method`, with `path` for one file and `line` for a use there.
///
/// `line` and `column` of a `path` name a place without a symbol. An empty list means that there is nothing; a server
/// that has not read everything answers with the error `busy` instead.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The symbol.
    ///
    /// By the end of its path of names: `Widget/area`, `Widget::area` or `area`; `area[2]` is the second of equals in a
    /// file.
    symbol: Option<String>,
    /// Path.
    ///
    /// Of a file, relative to the root or absolute.
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    /// Line.
    #[schemars(range(min = 1))]
    line: Option<u32>,
    /// Column.
    ///
    /// In units of UTF-16, as editors count.
    #[schemars(range(min = 1))]
    column: Option<u32>,
    /// The kind.
    ///
    /// What to find; the definition when left out.
    kind: Option<Sought>,
    /// The body.
    ///
    /// Show the lines of what is defined, too.
    #[serde(default)]
    body: bool,
    /// The wait.
    ///
    /// Most seconds to wait for a server that loads; 10 when left out.
    #[schemars(range(max = MOST_WAIT))]
    wait_s: Option<u32>,
}

/// A place.
#[derive(Serialize, JsonSchema)]
pub struct Place {
    /// The file; an absolute path if it is not in the workspace.
    path: String,
    /// The line.
    line: u32,
    /// The column.
    column: u32,
    /// What stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The lines of all of it, at most 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

/// Places.
#[derive(Serialize, JsonSchema)]
pub struct Places {
    #[serde(flatten)]
    told: Told,
    /// The places, at most 50.
    places: Vec<Place>,
    /// How many there are.
    total: usize,
}

impl Definition {
    fn target(&self) -> Target {
        let Self { symbol, path, line, column, .. } = self;
        Target { symbol: symbol.clone(), path: path.clone(), line: *line, column: *column }
    }
}

impl Command<OpenSpace> for Definition {
    const META: Meta = Meta::new("code.definition", "Code: Find Definition", Access::Read);
    type Output = Places;

    fn summary(&self) -> String {
        format!("where {} is defined", self.target().words())
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_wait(self.wait_s)?;
        self.target().check()
    }

    async fn run(self, cx: Cx) -> Result<Places> {
        let asking = Asking::new(&cx, wait(self.wait_s));
        let found = self.target().find(&asking).await?;
        let method = self.kind.unwrap_or_default().method();
        let answer = asking.first(&found.servers, method, |running| found.params(running)).await?;
        let (spots, left_out) = places(answer.value, &answer.running);
        let total = spots.len() + left_out;
        let mut quotes = Quotes::new(&cx.state);
        let mut shown = Vec::new();
        for (index, spot) in spots.into_iter().take(MOST_PLACES).enumerate() {
            let text = quotes.line(&spot.at, spot.range.start.line).await;
            let body = if self.body && index < MOST_BODIES {
                body(&asking, &answer.running, &mut quotes, &spot).await
            } else {
                None
            };
            let start = spot.range.start;
            shown.push(Place {
                path: spot.at.text(),
                line: start.line + 1,
                column: start.character + 1,
                text,
                body,
            });
        }
        let told = Told::by(&answer.running, answer.complete).noting(found.note);
        Ok(Places { told, places: shown, total })
    }

    fn text(places: &Places) -> Option<String> {
        let mut lines: Vec<String> = places
            .places
            .iter()
            .map(|place| {
                let shown = place.body.as_ref().map(|body| format!("\n{body}"));
                let shown = shown.or_else(|| place.text.as_ref().map(|text| format!(": {text}")));
                format!(
                    "{}:{}:{}{}",
                    place.path,
                    place.line,
                    place.column,
                    shown.unwrap_or_default()
                )
            })
            .collect();
        match places.total {
            0 => lines.push("There is none.".to_owned()),
            total if total > lines.len() => lines.push(format!("({} more)", total - lines.len())),
            _ => {}
        }
        lines.push(places.told.line());
        Some(lines.join("\n").trim_end().to_owned())
    }
}

/// The lines of what is defined at a place.
async fn body(
    asking: &Asking,
    running: &std::sync::Arc<Running>,
    quotes: &mut Quotes<'_>,
    spot: &Spot,
) -> Option<String> {
    let whole = spot.whole.filter(|whole| whole.start.line < whole.end.line);
    let whole = match (whole, &spot.at) {
        (Some(whole), _) => whole,
        (None, Where::Outside(_)) => return None,
        (None, Where::Inside(path)) => {
            asking.tell(running, path).await.ok()?;
            let servers = std::slice::from_ref(running);
            let (all, ..) = outline(asking, servers, path).await.ok()?;
            around(&all, spot.range.start)?.range
        }
    };
    quotes.lines(&spot.at, whole, MOST_LINES).await
}

//! The rows of a run, as a table for people and as JSON for programs.
//!
//! A missed target is shown and is no failure: a benchmark on a busy machine proves nothing.

use std::{
    fmt::{self, Display, Formatter},
    time::Duration,
};

use serde_json::{Value, json};

#[cfg(test)]
mod tests;

const HEADINGS: [&str; 6] =
    ["what", "ours (p50 / p99)", "beside (p50 / p99)", "ratio", "target", ""];
const MEGABYTE: f64 = 1_048_576.0;

/// Something measured.
#[derive(Clone, Copy, Debug)]
pub(super) enum Figure {
    Times { p50: Duration, p99: Duration },
    Time(Duration),
    Bytes(u64),
    PerSecond(f64),
}

/// What is wanted; limits are met by the limit itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// The median, and nearly every time.
    Within {
        p50: Duration,
        p99: Duration,
    },
    /// The median, or the only time.
    TimeUpTo(Duration),
    BytesUpTo(u64),
    PerSecondFrom(f64),
    /// How many times as fast as what stands beside it.
    RatioFrom(f64),
    /// How many times the time of what stands beside it, at most.
    TimesBesideUpTo(f64),
    /// How much more time than what stands beside it, at most.
    OverBesideUpTo(Duration),
}

pub(super) struct Row {
    what: String,
    ours: Figure,
    beside: Option<(String, Figure)>,
    target: Option<Target>,
}

#[derive(Default)]
pub(super) struct Report(Vec<Row>);

impl Row {
    pub(super) fn new(what: impl Into<String>, ours: Figure) -> Self {
        Self { what: what.into(), ours, beside: None, target: None }
    }

    pub(super) fn beside(mut self, name: &str, figure: Figure) -> Self {
        self.beside = Some((name.to_owned(), figure));
        self
    }

    pub(super) fn target(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    /// How many times as fast as what stands beside it.
    fn ratio(&self) -> Option<f64> {
        self.pair().map(|(ours, beside)| beside.div_duration_f64(ours))
    }

    /// Both times, where there are two.
    fn pair(&self) -> Option<(Duration, Duration)> {
        Some((self.ours.time()?, self.beside.as_ref()?.1.time()?))
    }

    /// `None` where nothing was wanted.
    fn is_met(&self) -> Option<bool> {
        let target = self.target?;
        Some(match (target, self.ours) {
            (Target::Within { p50, p99 }, Figure::Times { p50: half, p99: most }) => {
                half <= p50 && most <= p99
            }
            (Target::TimeUpTo(limit), ours) => ours.time().is_some_and(|time| time <= limit),
            (Target::BytesUpTo(limit), Figure::Bytes(bytes)) => bytes <= limit,
            (Target::PerSecondFrom(limit), Figure::PerSecond(rate)) => rate >= limit,
            (Target::RatioFrom(limit), _) => self.ratio().is_some_and(|ratio| ratio >= limit),
            (Target::TimesBesideUpTo(limit), _) => {
                self.pair().is_some_and(|(ours, beside)| ours <= beside.mul_f64(limit))
            }
            (Target::OverBesideUpTo(limit), _) => {
                self.pair().is_some_and(|(ours, beside)| ours <= beside + limit)
            }
            // A figure of another kind cannot meet it.
            _ => false,
        })
    }

    fn cells(&self) -> [String; 6] {
        let beside = self.beside.as_ref();
        [
            self.what.clone(),
            self.ours.to_string(),
            beside.map(|(name, figure)| format!("{figure} {name}")).unwrap_or_default(),
            self.ratio().map(|ratio| format!("{ratio:.2}x")).unwrap_or_default(),
            self.target.map(|target| target.to_string()).unwrap_or_default(),
            self.is_met().map(|met| if met { "ok" } else { "MISS" }.to_owned()).unwrap_or_default(),
        ]
    }

    fn to_json(&self) -> Value {
        let beside = self.beside.as_ref();
        json!({
            "what": self.what,
            "ours": self.ours.to_json(),
            "beside": beside.map(|(name, figure)| json!({"name": name, "figure": figure.to_json()})),
            "ratio": self.ratio(),
            "target": self.target.map(|target| target.to_string()),
            "met": self.is_met(),
        })
    }
}

impl Report {
    pub(super) fn add(&mut self, row: Row) {
        eprintln!("    {}", row.cells().join("  ").trim_end());
        self.0.push(row);
    }

    pub(super) fn to_json(&self) -> Value {
        json!({"rows": self.0.iter().map(Row::to_json).collect::<Vec<_>>()})
    }

    pub(super) fn missed(&self) -> usize {
        self.0.iter().filter(|row| row.is_met() == Some(false)).count()
    }
}

impl Display for Report {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut lines = vec![HEADINGS.map(str::to_owned)];
        lines.extend(self.0.iter().map(Row::cells));
        let width = |column: usize| {
            let cells = lines.iter().map(|line| line[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths = [0, 1, 2, 3, 4, 5].map(width);
        for line in &lines {
            let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            let text = cells.collect::<Vec<_>>().join("  ");
            writeln!(formatter, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

impl Figure {
    fn time(self) -> Option<Duration> {
        match self {
            Self::Times { p50, .. } => Some(p50),
            Self::Time(time) => Some(time),
            Self::Bytes(_) | Self::PerSecond(_) => None,
        }
    }

    fn to_json(self) -> Value {
        match self {
            Self::Times { p50, p99 } => {
                json!({"p50Ms": milliseconds(p50), "p99Ms": milliseconds(p99)})
            }
            Self::Time(time) => json!({"ms": milliseconds(time)}),
            Self::Bytes(bytes) => json!({"bytes": bytes}),
            Self::PerSecond(rate) => json!({"perSecond": rate}),
        }
    }
}

impl Display for Figure {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Times { p50, p99 } => {
                write!(formatter, "{:.3} / {:.3} ms", milliseconds(p50), milliseconds(p99))
            }
            Self::Time(time) => write!(formatter, "{:.1} ms", milliseconds(time)),
            Self::Bytes(bytes) => formatter.write_str(&size(bytes)),
            Self::PerSecond(rate) => write!(formatter, "{rate:.0}/s"),
        }
    }
}

impl Display for Target {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Within { p50, p99 } => {
                write!(formatter, "≤ {} / {} ms", milliseconds(p50), milliseconds(p99))
            }
            Self::TimeUpTo(limit) => write!(formatter, "≤ {} ms", milliseconds(limit)),
            Self::BytesUpTo(limit) => write!(formatter, "≤ {}", size(limit)),
            Self::PerSecondFrom(limit) => write!(formatter, "≥ {limit}/s"),
            Self::RatioFrom(limit) => write!(formatter, "≥ {limit}x"),
            Self::TimesBesideUpTo(limit) => write!(formatter, "≤ {limit} of its time"),
            Self::OverBesideUpTo(limit) => {
                write!(formatter, "≤ its time + {} ms", milliseconds(limit))
            }
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits after the point")]
fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        _ => format!("{:.2} MB", bytes as f64 / MEGABYTE),
    }
}

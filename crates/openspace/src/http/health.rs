//! `/healthz`, `/metrics`, and the counting of requests.

use std::{
    fmt::Write,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use axum::{
    Json,
    extract::{Request, State},
    http::header::CONTENT_TYPE,
    middleware::Next,
    response::{IntoResponse, Response},
};
use openspace_buffers::highlights::HighlightsPart;
use openspace_workspace::areas::{layout::LayoutPart, terminal::TerminalsPart, view::ViewsPart};
use serde_json::{Value, json};

use crate::http::Edge;

/// Upper bounds of the time buckets, in seconds.
const BUCKETS: [f64; 8] = [0.0005, 0.001, 0.003, 0.01, 0.03, 0.1, 1.0, 10.0];

/// Numbers about requests since the start.
#[derive(Default)]
pub struct Metrics {
    by_class: [AtomicU64; 5],
    buckets: [AtomicU64; BUCKETS.len() + 1],
    micros: AtomicU64,
    started: Mutex<Option<Instant>>,
}

impl Metrics {
    /// Start counting.
    pub fn start() -> Self {
        Self { started: Mutex::new(Some(Instant::now())), ..Self::default() }
    }

    fn note(&self, status: u16, started: Instant) {
        let elapsed = started.elapsed();
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        self.by_class[class].fetch_add(1, Ordering::Relaxed);
        let seconds = elapsed.as_secs_f64();
        let bucket = BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS.len());
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn uptime(&self) -> f64 {
        let started = *self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.map_or(0.0, |started| started.elapsed().as_secs_f64())
    }
}

/// Count a request and log it.
pub async fn count(State(edge): State<Edge>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    edge.metrics.note(status, started);
    tracing::debug!(%method, path, status, micros = started.elapsed().as_micros(), "request");
    response
}

/// Whether the server is well. Open to all, so it says nothing about the workspace.
pub async fn healthz(State(edge): State<Edge>) -> Json<Value> {
    let store = edge.dispatcher.state().store().health();
    let status = if store.failure.is_none() { "ok" } else { "degraded" };
    Json(json!({
        "status": status,
        "version": env!("CARGO_PKG_VERSION"),
        "uptimeSeconds": edge.metrics.uptime(),
        "store": {
            "recordsWritten": store.records_written,
            "recordsDropped": store.records_dropped,
            "failing": store.failure.is_some(),
        },
    }))
}

/// Numbers in Prometheus' text form.
pub async fn metrics(State(edge): State<Edge>) -> impl IntoResponse {
    let mut text = String::new();
    let state = edge.dispatcher.state();
    let store = state.store().health();
    let space = state.space().state();
    let gauges = [
        ("openspace_uptime_seconds", "gauge", edge.metrics.uptime()),
        ("openspace_terminals", "gauge", count_of(space.part::<TerminalsPart>().len())),
        ("openspace_panes", "gauge", count_of(space.part::<LayoutPart>().pane_ids().len())),
        ("openspace_highlights", "gauge", count_of(space.part::<HighlightsPart>().len())),
        ("openspace_views", "gauge", count_of(space.part::<ViewsPart>().len())),
        ("openspace_commands", "gauge", count_of(edge.dispatcher.registry().all().len())),
        ("openspace_audit_records_written_total", "counter", number(store.records_written)),
        ("openspace_audit_records_dropped_total", "counter", number(store.records_dropped)),
        ("openspace_masked_secrets_total", "counter", number(edge.dispatcher.masked())),
        ("openspace_store_failing", "gauge", f64::from(u8::from(store.failure.is_some()))),
    ];
    for (name, kind, value) in gauges {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "# TYPE {name} {kind}\n{name} {value}");
    }
    requests(&mut text, &edge.metrics);
    super::numbers::write(&mut text, &edge.dispatcher);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

fn requests(text: &mut String, metrics: &Metrics) {
    let name = "openspace_http_requests_total";
    let _ = writeln!(text, "# TYPE {name} counter");
    for (class, count) in metrics.by_class.iter().enumerate() {
        let _ = writeln!(
            text,
            "{name}{{status=\"{}xx\"}} {}",
            class + 1,
            count.load(Ordering::Relaxed)
        );
    }
    let name = "openspace_http_request_seconds";
    let _ = writeln!(text, "# TYPE {name} histogram");
    let mut total = 0;
    for (bound, count) in
        BUCKETS.iter().map(ToString::to_string).chain(["+Inf".into()]).zip(&metrics.buckets)
    {
        total += count.load(Ordering::Relaxed);
        let _ = writeln!(text, "{name}_bucket{{le=\"{bound}\"}} {total}");
    }
    let seconds = number(metrics.micros.load(Ordering::Relaxed)) / 1e6;
    let _ = writeln!(text, "{name}_sum {seconds}\n{name}_count {total}");
}

fn count_of(count: usize) -> f64 {
    number(count as u64)
}

#[expect(clippy::cast_precision_loss, reason = "metrics are floating point")]
fn number(value: u64) -> f64 {
    value as f64
}

//! What a call costs when much is open: time, the size of what is told, memory, many listeners.
//!
//! Every figure stands beside the same one with a single tab open: what is open must not matter.

use std::{
    fs,
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::{Context, Result};
use serde_json::json;

use super::{
    Setup,
    mcp::{Call, Client},
    report::{Figure, Report, Row, Target},
    serve, starts, times,
    workspace::Workspace,
};
use crate::server::{Address, Server};

const MOST_TABS: usize = 2_000;
/// The most of one pane.
const TABS_OF_PANE: usize = 200;
const HIGHLIGHTS: usize = 500;
const TIMED: usize = 300;
const WARM_UP: usize = 30;
const MANY_CALLS: usize = 4_000;
const LISTENERS: usize = 200;
const MEGABYTE: u64 = 1_048_576;

const EVENT: Target = Target::BytesUpTo(2 * 1024);
const AS_FAST_AS_WITH_ONE: Target = Target::TimesBesideUpTo(1.5);
const WITH_LISTENERS: Target = Target::TimesBesideUpTo(3.0);

/// A server of its own, and how much is open in it.
struct Stage {
    server: Server,
    client: Client,
    open: usize,
}

/// The three calls whose cost is looked at.
#[derive(Clone, Copy)]
struct Costs {
    open: Figure,
    highlight: Figure,
    list: Figure,
}

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    let root = setup.scratch.folder("many-tabs")?;
    for number in 0..=MOST_TABS + 1 {
        fs::write(root.join(name(number)), "one\ntwo\nthree\n")?;
    }
    let workspace = Workspace { root };
    let stage = |what: &str| {
        let state = setup.scratch.folder(&format!("state-of-{what}"))?;
        let log = setup.logs.join(format!("{what}.txt"));
        let server = serve(&setup.binary, &workspace, &state, &log)?;
        let client = Client::session(&server.address)?;
        anyhow::Ok(Stage { server, client, open: 0 })
    };
    tabs(&mut stage("tabs")?, report)?;
    for (count, limit) in [(200, 80), (MOST_TABS, 200)] {
        memory(&mut stage(&format!("memory-{count}"))?, count, limit, report)?;
    }
    listeners(&mut stage("listeners")?, report)
}

fn name(number: usize) -> String {
    format!("file-{number:04}.txt")
}

impl Stage {
    fn open_up_to(&mut self, count: usize) -> Result<()> {
        while self.open < count {
            let new_pane = self.open > 0 && self.open.is_multiple_of(TABS_OF_PANE);
            let args = json!({"path": name(self.open), "newPane": new_pane});
            self.client.call("editor_open", &args)?;
            self.open += 1;
        }
        Ok(())
    }

    /// Opens one file more and closes it again, so that as much is open as before.
    fn open_another(&mut self) -> Result<Duration> {
        // The last pane may be full; the first one has room when there is more than one.
        let path = name(MOST_TABS + 1);
        let args = json!({"path": path, "newPane": self.open.is_multiple_of(TABS_OF_PANE)});
        let elapsed = self.client.time(&Call::ours("editor_open", &args))?;
        self.client.time(&Call::ours("editor_close", &json!({"path": path})))?;
        Ok(elapsed)
    }

    fn highlight(&mut self, line: usize) -> Result<Duration> {
        let range = json!({"startLine": line % 3 + 1, "endLine": line % 3 + 1});
        let args = json!({"path": name(0), "ranges": [range], "highlightId": "measured"});
        self.client.time(&Call::ours("editor_highlight", &args))
    }

    fn costs(&mut self) -> Result<Costs> {
        let (mut open, mut highlight, mut list) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..WARM_UP + TIMED {
            let opened = self.open_another()?;
            let highlighted = self.highlight(number)?;
            let listed = self.client.time(&Call::ours("pane_list", &json!({})))?;
            if number >= WARM_UP {
                open.push(opened);
                highlight.push(highlighted);
                list.push(listed);
            }
        }
        Ok(Costs { open: times(open)?, highlight: times(highlight)?, list: times(list)? })
    }
}

fn tabs(stage: &mut Stage, report: &mut Report) -> Result<()> {
    stage.open_up_to(1)?;
    let alone = stage.costs()?;
    let mut add = |what: &str, costs: Costs| {
        for (call, ours, beside) in [
            ("editor_open", costs.open, alone.open),
            ("editor_highlight", costs.highlight, alone.highlight),
            ("pane_list", costs.list, alone.list),
        ] {
            let row = Row::new(format!("{call}, {what}"), ours).beside("with 1 tab", beside);
            report.add(row.target(AS_FAST_AS_WITH_ONE));
        }
    };
    for count in [100, 500, MOST_TABS] {
        stage.open_up_to(count)?;
        add(&format!("{count} tabs"), stage.costs()?);
    }
    for number in 0..HIGHLIGHTS - 1 {
        let range = json!({"startLine": 1, "endLine": 2});
        let args = json!({"path": name(number), "ranges": [range]});
        stage.client.call("editor_highlight", &args)?;
    }
    add(&format!("{MOST_TABS} tabs, {HIGHLIGHTS} highlights"), stage.costs()?);
    let largest = largest_event(stage)?;
    let row = Row::new(format!("event of one editor_open, {MOST_TABS} tabs"), largest);
    report.add(row.target(EVENT));
    Ok(())
}

/// The largest event that tells of a file that is opened.
fn largest_event(stage: &mut Stage) -> Result<Figure> {
    let listener = Listeners::attach(&stage.server.address, 1)?;
    for _ in 0..WARM_UP {
        stage.open_another()?;
    }
    let largest = listener.stop()?;
    Ok(Figure::Bytes(u64::try_from(largest)?))
}

fn memory(stage: &mut Stage, tabs: usize, limit: u64, report: &mut Report) -> Result<()> {
    stage.open_up_to(tabs)?;
    for number in 0..MANY_CALLS / 2 {
        stage.open_another()?;
        stage.highlight(number)?;
    }
    let resident = Figure::Bytes(starts::resident(stage.server.process())?);
    let row = Row::new(format!("memory after {MANY_CALLS} calls at {tabs} tabs"), resident);
    report.add(row.target(Target::BytesUpTo(limit * MEGABYTE)));
    for number in 0..tabs {
        stage.client.call("editor_close", &json!({"path": name(number)}))?;
    }
    let resident = Figure::Bytes(starts::resident(stage.server.process())?);
    let row = Row::new(format!("memory after {tabs} tabs were closed"), resident);
    report.add(row.target(Target::BytesUpTo(80 * MEGABYTE)));
    Ok(())
}

fn listeners(stage: &mut Stage, report: &mut Report) -> Result<()> {
    stage.open_up_to(100)?;
    let one = Listeners::attach(&stage.server.address, 1)?;
    let with_one = stage.costs()?;
    one.stop()?;
    let many = Listeners::attach(&stage.server.address, LISTENERS)?;
    let with_many = stage.costs()?;
    many.stop()?;
    let row = Row::new(format!("editor_open, {LISTENERS} listeners"), with_many.open);
    report.add(row.beside("with 1 listener", with_one.open).target(WITH_LISTENERS));
    Ok(())
}

/// Programs that follow the stream of events, all read by one thread so that they cost little.
struct Listeners {
    stop: Arc<AtomicBool>,
    largest: Arc<AtomicUsize>,
    reader: JoinHandle<Result<()>>,
}

impl Listeners {
    fn attach(address: &Address, count: usize) -> Result<Self> {
        let streams: Vec<TcpStream> = (0..count).map(|_| follow(address)).collect::<Result<_>>()?;
        let (stop, largest) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let reader = {
            let (stop, largest) = (Arc::clone(&stop), Arc::clone(&largest));
            thread::spawn(move || drain(streams, &stop, &largest))
        };
        Ok(Self { stop, largest, reader })
    }

    /// The size of the largest change that was told.
    fn stop(self) -> Result<usize> {
        self.stop.store(true, Ordering::Relaxed);
        self.reader.join().ok().context("the listeners' thread panicked")??;
        Ok(self.largest.load(Ordering::Relaxed))
    }
}

fn follow(address: &Address) -> Result<TcpStream> {
    let authority = address.url.strip_prefix("http://").context("the URL is not http://")?;
    let authority = authority.trim_end_matches('/');
    let mut stream = TcpStream::connect(authority)?;
    write!(
        stream,
        "GET /api/v1/events HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {}\r\n\r\n",
        address.token
    )?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// Reads what comes; notes the longest line that tells of a change.
fn drain(mut streams: Vec<TcpStream>, stop: &AtomicBool, largest: &AtomicUsize) -> Result<()> {
    let mut buffer = vec![0; 256 * 1024];
    let mut line = String::new();
    while !stop.load(Ordering::Relaxed) {
        for (index, stream) in streams.iter_mut().enumerate() {
            match stream.read(&mut buffer) {
                Ok(0) => anyhow::bail!("the server ended a stream of events"),
                Ok(count) if index == 0 => {
                    line.push_str(&String::from_utf8_lossy(&buffer[..count]));
                    while let Some(end) = line.find('\n') {
                        if line[..end].contains(r#""type":"changed""#) {
                            largest.fetch_max(end, Ordering::Relaxed);
                        }
                        line.drain(..=end);
                    }
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

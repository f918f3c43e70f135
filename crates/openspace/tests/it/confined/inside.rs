//! A key of the server that leaked into the agents' place, and what it is worth there.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{BUSY, bash, space, terminal};
use crate::support::Server;

/// Calls with the key in the file `leak`, in each way in which a program can hide that it is the one; each prints its
/// name and what was answered.
const CALLER: &str = r#"
import array, os, socket, sys, time
port, token = int(sys.argv[1]), open('leak').read().strip()

def request(path):
    return (f'GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n'
            f'Authorization: Bearer {token}\r\n\r\n').encode()

def answer(s):
    return s.makefile('rb').readline().decode().split(' ')[1]

def connect(kind=socket.AF_INET, host='127.0.0.1', protocol=0):
    s = socket.socket(kind, socket.SOCK_STREAM, protocol)
    s.connect((host, port))
    return s

def plain(path='/api/v1/state'):
    s = connect(); s.sendall(request(path)); return answer(s)

def mapped():
    s = connect(socket.AF_INET6, '::ffff:127.0.0.1'); s.sendall(request('/api/v1/state')); return answer(s)

def twin():
    s = connect(socket.AF_INET6, '::1'); s.sendall(request('/api/v1/state')); return answer(s)

def several_paths():
    s = connect(protocol=262); s.sendall(request('/api/v1/state')); return answer(s)

def in_flight():
    """Nobody has the connection while it is looked for."""
    s = connect(); a, b = socket.socketpair()
    s.sendall(request('/api/v1/state'))
    socket.send_fds(a, [b'x'], [s.fileno()]); s.close(); time.sleep(0.5)
    return answer(socket.socket(fileno=socket.recv_fds(b, 1, 1)[1][0]))

def handed_on():
    """Each program of a row has the connection for a moment."""
    s = connect(); s.sendall(request('/api/v1/state'))
    for _ in range(40):
        if os.fork():
            s.close(); os.wait(); os._exit(0)
        time.sleep(0.01)
    return answer(s)

def unseen():
    """A program that nobody may look into."""
    import ctypes
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    return plain()

print(sys.argv[2], globals()[sys.argv[2]](*sys.argv[3:]), flush=True)
"#;

const WAYS: &[(&str, &str)] = &[
    ("plain", "plain 403\n"),
    ("plain /mcp", "plain 403\n"),
    ("plain /metrics", "plain 403\n"),
    ("plain /", "plain 403\n"),
    ("plain /healthz", "plain 200\n"),
    ("mapped", "mapped 403\n"),
    ("twin", "twin 403\n"),
    ("several_paths", "several_paths 403\n"),
    ("in_flight", "in_flight 403\n"),
    ("handed_on", "handed_on 403\n"),
    ("unseen", "unseen 403\n"),
];

/// Ways in which nobody has the connection at some moment.
const HIDES: [&str; 2] = ["in_flight", "handed_on"];

/// Whether all processes of the machine are seen from here.
fn sees_all() -> bool {
    std::fs::read_link("/proc/self/ns/pid").is_ok_and(|own| own.as_os_str() == "pid:[4026531836]")
}

async fn tries_a_token_that_leaked(options: &[&str]) {
    let server = Server::start_in(&space(), &[&BUSY[..], options].concat()).await;
    let agent = server.mcp().await;
    server.space.file("leak", &server.ready.token);
    server.space.file("call.py", CALLER);
    let port = server.ready.url.rsplit(':').next().unwrap();
    let mut told = Vec::new();
    for (way, _) in WAYS {
        let ran = bash(&agent, &format!("python3 call.py {port} {way}")).await;
        told.push((*way, ran["stdout"].as_str().unwrap_or_default().to_owned()));
    }
    let expected: Vec<_> = WAYS.iter().map(|(way, told)| (*way, (*told).to_owned())).collect();
    if !sees_all() {
        // In a container a connection that is hidden may be that of who brings people in from outside.
        told.retain(|(way, _)| !HIDES.contains(way));
    }
    let expected = expected.into_iter().filter(|one| sees_all() || !HIDES.contains(&one.0));
    assert_eq!(told, expected.collect::<Vec<_>>());
    let made =
        agent.call("terminal_create", json!({"title": "own", "shellPath": "/bin/bash"})).await;
    assert_eq!(made["structuredContent"]["confined"], true, "{made}");
    let typed = terminal(&agent, &format!("python3 call.py {port} plain")).await;
    assert!(typed.to_string().contains("plain 403"), "{typed}");
    // The person's own are let in as before, while the place is open.
    assert_eq!(server.http.get("/api/v1/state").send().await.status, 200);
}

#[tokio::test]
async fn a_token_that_leaked_to_programs_of_agents_opens_nothing_to_them() {
    tries_a_token_that_leaked(&[]).await;
}

#[tokio::test]
async fn a_token_that_leaked_into_a_sandbox_with_network_opens_nothing_either() {
    tries_a_token_that_leaked(&["--provider", "sandbox", "--network"]).await;
}

#[tokio::test]
async fn a_link_that_an_agents_program_found_is_not_used_up_by_it() {
    let server = Server::start_in(&space(), &BUSY).await;
    let agent = server.mcp().await;
    let link = server.space.run(&["link"]).await.out;
    let code = link.trim().rsplit('=').next().unwrap().chars().rev().collect::<String>();
    let (url, path) = (&server.ready.url, "/open?code=");
    let line = format!("curl -s -o answer -w '%{{http_code}}' \"{url}{path}$(echo {code} | rev)\"");
    assert_eq!(bash(&agent, &line).await["stdout"], "403");
    let code = code.chars().rev().collect::<String>();
    let opened = server.http.stranger("GET", &format!("{path}{code}")).send().await;
    assert_eq!(opened.status, 200, "{}", opened.text());
}

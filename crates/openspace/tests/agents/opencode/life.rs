//! How an agent begins, ends and comes back.

use openspace_scripted::Step;
use openspace_workspace::conversations::{Confined, Running, Told};
use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::{Person, Space, eventually, processes};

/// The processes of opencode in a space.
fn agents(space: &Space) -> Vec<u32> {
    let folder = space.person.root();
    let is_here =
        |pid: &u32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == folder);
    processes("serve --hostname 127.0.0.1").into_iter().filter(is_here).collect()
}

#[tokio::test]
async fn one_that_is_killed_in_a_turn_is_started_again_and_remembers_its_sessions() {
    let space = Person::with(json!({})).await.serve().await;
    let mut heard = space.conversations().subscribe();
    let talk = space.talk().await;
    space.person.model.say([Step::text("I begin and").never_ending()]);
    talk.say("Go on for ever").await;
    space.person.model.asked(openspace_scripted::Asked::has_tools).await;
    let before = agents(&space);
    assert_eq!(before.len(), 1);
    for pid in before {
        kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
    }
    let why = loop {
        if let (_, Told::State(state)) = heard.next().await.unwrap()
            && let Some(why) = state.why
        {
            break (state.state, why);
        }
    };
    assert_eq!(why.0, Running::Starting);
    assert!(why.1.starts_with("opencode ended by itself"), "{}", why.1);
    space.until(Running::Running).await;

    let agent = space.conversations().agent("opencode").await.unwrap();
    assert_eq!(agent.session(&talk.session).await.unwrap().id, talk.session);
    // It is heard again without being asked to.
    while !matches!(heard.next().await.unwrap(), (_, Told::Event(_))) {}

    // Stopped, it stays so; and the next word starts it.
    space.conversations().stop("opencode").await.unwrap();
    assert_eq!(space.state().await.state, Running::Stopped);
    assert_eq!(agents(&space), Vec::<u32>::new());
    let agent = space.conversations().agent("opencode").await.unwrap();
    assert_eq!(agent.session(&talk.session).await.unwrap().id, talk.session);

    // The server ends it, and the next server finds its sessions.
    let person = space.stop().await;
    let again = person.serve().await;
    assert_eq!(agents(&again), Vec::<u32>::new());
    let agent = again.conversations().agent("opencode").await.unwrap();
    assert_eq!(agent.session(&talk.session).await.unwrap().id, talk.session);
    again.stop().await;
}

#[tokio::test]
async fn one_that_is_missing_or_fails_says_why_and_one_elsewhere_whether_it_answers() {
    let person = Person::with(json!({})).await;
    let broken = person.path("broken");
    crate::support::put(&broken, "#!/bin/sh\necho 'no such model' >&2\nexit 3\n");
    std::fs::set_permissions(&broken, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let text = format!(
        "[run.broken]\noutside = true\n[[agent]]\nid = 'broken'\nname = 'Broken'\ncommand = ['{}', 'acp']\napi = 'opencode'\n\
         [[agent]]\nid = 'absent'\nname = 'Absent'\ncommand = ['no-such-agent', 'acp']\napi = 'opencode'\nnpm = 'absent'\n",
        broken.display()
    );
    crate::support::put(&person.path("config/agents.toml"), &text);
    let url = "http://127.0.0.1:9".to_owned();
    let space = person.serve_with(|options| options.opencode = Some(url)).await;

    let error = space.conversations().agent("broken").await.err().unwrap();
    assert_eq!(error.message, "Broken ended before it could be asked; it said: no such model");
    let states = space.conversations().agents().await;
    let of = |id: &str| states.iter().find(|state| state.id == id).unwrap();
    assert_eq!(of("broken").state, Running::Failed);
    assert_eq!(of("broken").why.as_deref(), Some(error.message.as_str()));
    assert_eq!(
        of("broken").confined,
        Confined { is: false, why: Some("you let it run on this machine as you".into()) }
    );
    assert_eq!(of("absent").state, Running::Missing);
    assert_eq!(of("absent").hint.as_deref(), Some("install it with `npm install --global absent`"));
    let error = space.conversations().agent("absent").await.err().unwrap();
    assert_eq!(error.hint.as_deref(), Some("install it with `npm install --global absent`"));
    let error = space.conversations().agent("nobody").await.err().unwrap();
    assert_eq!(error.message, "there is no agent `nobody`");

    let state = eventually("the attached one is looked for", || async {
        let state = space.state().await;
        state.hint.is_some().then_some(state)
    })
    .await;
    assert_eq!((state.state, state.confined.is), (Running::Unreachable, false));
    space.stop().await;
}

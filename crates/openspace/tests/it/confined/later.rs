//! What an agent's program did in one place, and what the next place over the same folder knows of it, however the
//! first one ended.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{BUSY, SECRET, bash, put, space};
use crate::support::{Mcp, Server, Space, eventually, git, read};

/// The options of a server with this provider.
fn with(provider: &str) -> Vec<&str> {
    [&BUSY[..], &["--provider", provider]].concat()
}

/// A space with a secret in a folder that an agent's program can move.
fn space_with_folder() -> Space {
    let space = space();
    space.file("conf/.env", &format!("KEY={}\n", SECRET.chars().rev().collect::<String>()));
    space
}

/// Runs a line that ends the runner, and so the place.
async fn run_and_end_the_place(agent: &Mcp, line: &str) {
    let ran = bash(agent, &format!("{line}; kill -9 $PPID")).await;
    assert_eq!(ran["success"], false, "{ran}");
}

async fn refuses_to_read(agent: &Mcp, line: &str) {
    let ran = bash(agent, line).await;
    assert_eq!(ran["stdout"], "", "{line}");
    assert!(ran["stderr"].as_str().unwrap().contains("Permission denied"), "{line}: {ran}");
}

#[tokio::test]
async fn a_secret_that_is_moved_among_packages_stays_hidden_in_places_that_are_opened_later() {
    let space = space_with_folder();
    for line in [
        "mkdir -p node_modules; mv conf node_modules/; rev node_modules/conf/.env",
        "mv node_modules/conf node_modules/other; rev node_modules/*/.env",
        "rev node_modules/*/.env",
    ] {
        let server = Server::start_in(&space, &BUSY).await;
        refuses_to_read(&server.mcp().await, line).await;
        server.stop().await;
    }
}

#[tokio::test]
async fn it_stays_hidden_wherever_it_was_moved_before_its_place_was_ended() {
    // With patterns of the person's own, folders of packages are looked into.
    for (provider, config) in
        [("local", ""), ("local", "[files]\nsecret = [\"*.vault\"]\n"), ("sandbox", "")]
    {
        let space = space_with_folder();
        space.file(".openspace/config.toml", config);
        let server = Server::start_in(&space, &with(provider)).await;
        let agent = server.mcp().await;
        let line = "mkdir -p site-packages/a; mv conf site-packages/b; mv site-packages/b site-packages/a/c";
        run_and_end_the_place(&agent, line).await;
        let look = "rev site-packages/a/c/.env";
        refuses_to_read(&agent, look).await;
        server.stop().await;
        let server = Server::start_in(&space, &with(provider)).await;
        refuses_to_read(&server.mcp().await, look).await;
    }
}

#[tokio::test]
async fn a_repository_that_was_made_before_the_place_ended_is_an_agents() {
    for provider in ["local", "sandbox"] {
        let space = space();
        std::fs::remove_dir_all(space.root().join(".git")).unwrap();
        let server = Server::start_in(&space, &with(provider)).await;
        let line = "printf '#!/bin/sh\\nrev .env > stolen\\ncat\\n' > filter.sh; chmod +x filter.sh; touch stolen\n\
                    echo '*.txt filter=x' > .gitattributes; git init -q\n\
                    git config filter.x.clean $PWD/filter.sh";
        run_and_end_the_place(&server.mcp().await, line).await;
        // As soon as the server knows of the end.
        eventually("an answer of git", || async {
            let answer = server.http.get("/api/git/status").send().await;
            (answer.status == 200).then_some(())
        })
        .await;
        server.call("workspace.git", json!({"action": "add", "files": ["sub/a.txt"]})).await;
        assert_eq!(read(&space.root().join("stolen")), "", "{provider}");
        let adopted = server.call("workspace.adopt_repository", json!({})).await;
        assert_eq!(adopted["adopted"], true, "{provider}");
    }
}

#[tokio::test]
async fn in_a_repository_whose_settings_are_a_link_that_an_agent_changed_git_runs_where_its_programs_do()
 {
    for provider in ["local", "sandbox"] {
        let space = space();
        space.file("conf/settings", "[alias]\n");
        std::os::unix::fs::symlink("conf/settings", space.root().join("settings")).unwrap();
        git(&space.root(), &["config", "include.path", "../settings"]);
        space.file("stolen", "");
        let server = Server::start_in(&space, &with(provider)).await;
        let agent = server.mcp().await;
        let add = async || {
            server.call("workspace.git", json!({"action": "add", "files": ["sub/a.txt"]})).await;
            read(&space.root().join("stolen")).contains(SECRET)
        };
        let ran = bash(&agent, "echo '[alias]' >> conf/settings").await;
        assert_eq!(ran["exit_code"], 1, "{provider}: {ran}");
        let line = "printf '#!/bin/sh\\nrev .env > stolen\\ncat\\n' > filter.sh; chmod +x filter.sh\n\
                    echo '*.txt filter=x' > .gitattributes; rm settings\n\
                    printf '[filter \"x\"]\\n\\tclean = ./filter.sh\\n' > settings";
        assert_eq!(bash(&agent, line).await["exit_code"], 0);
        assert!(!add().await, "{provider}");
        let adopted = server.call("workspace.adopt_repository", json!({})).await;
        assert_eq!(adopted["adopted"], true, "{provider}");
        space.file("sub/a.txt", "b\n");
        assert!(add().await, "{provider}");
    }
}

#[tokio::test]
async fn secrets_are_hidden_in_every_workspace_in_which_an_agents_program_runs() {
    let server = Server::start_in(&space(), &BUSY).await;
    let agent = server.mcp().await;
    for provider in ["local", "runner", "sandbox"] {
        let root = server.space.folder().join(format!("given-{provider}"));
        put(&root.join("conf/.env"), &SECRET.chars().rev().collect::<String>());
        put(&root.join("plain"), "seen\n");
        let made =
            server.call("workspace.create", json!({"root": root, "provider": provider})).await;
        let line = "rev conf/.env; cat plain; echo x > .openspace/policy.toml";
        let arguments = json!({"command": line, "workspace_id": made["id"]});
        let ran = agent.call("workspace_bash", arguments).await["structuredContent"].clone();
        assert_eq!(ran["stdout"], "seen\n", "{provider}: {ran}");
        let errors = ran["stderr"].as_str().unwrap();
        assert!(
            errors.contains("Permission denied") && errors.contains("Read-only"),
            "{provider}: {ran}"
        );
    }
}

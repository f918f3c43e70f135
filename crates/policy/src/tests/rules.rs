//! Rules: which one decides, what it lifts and what it does not, and which one is offered.

use openspace_judge::Pattern;
use openspace_protocol::{Access, CallerKind};
use pretty_assertions::assert_eq;

use super::{judged, policy, ruling};
use crate::{
    Decision::{Allow, Ask, Deny},
    Place, Policy, Profile, Question, Rule, RuleName, Source,
};

fn user(id: &str) -> RuleName {
    RuleName { source: Source::User, id: id.into() }
}

fn project(id: &str) -> RuleName {
    RuleName { source: Source::Project, id: id.into() }
}

#[test]
fn deny_comes_before_ask_before_allow_whatever_their_order() {
    let rules = "
        [[rule]]
        id = 'allow'
        decision = 'allow'
        line = 'git push *'
        [[rule]]
        id = 'ask'
        decision = 'ask'
        line = 'git push upstream *'
        [[rule]]
        id = 'deny'
        decision = 'deny'
        line = 'git push prod *'
        reason = 'Only the pipeline deploys.'
    ";
    let policy = policy(Profile::Careful, rules, "");
    let told = |line: &str| {
        let ruling = ruling(&policy, Place::Confined, line);
        (ruling.decision, ruling.rule, ruling.why)
    };
    let allowed = (Allow, user("allow"), "A rule allows it.".to_owned());
    let asked = (Ask, user("ask"), "A rule wants this to be asked.".to_owned());
    let denied = (Deny, user("deny"), "Only the pipeline deploys.".to_owned());
    assert_eq!(told("git push origin main"), allowed);
    assert_eq!(told("git push upstream main"), asked);
    assert_eq!(told("git push prod main"), denied);
    assert_eq!(told("/usr/bin/git push prod"), denied);
    assert_eq!(told("PATH=x git push prod > log"), denied);
    assert_eq!(
        told("git push \"$remote\" main"),
        (
            Ask,
            user("ask"),
            "This may turn out to be what a rule is about. A rule wants this to be asked.".into()
        )
    );
}

#[test]
fn a_project_only_makes_it_stricter() {
    let rule = |id: &str, decision: &str| {
        format!("[[rule]]\nid = '{id}'\ndecision = '{decision}'\nline = 'git push *'")
    };
    let told = |mine: &str, theirs: &str| {
        let policy = policy(Profile::Careful, mine, theirs);
        let ruling = ruling(&policy, Place::Outside, "git push");
        (ruling.decision, ruling.rule)
    };
    let (allow, deny) = (rule("mine", "allow"), rule("mine", "deny"));
    let (asks, denies) = (rule("theirs", "ask"), rule("theirs", "deny"));
    assert_eq!(told(&allow, ""), (Allow, user("mine")));
    assert_eq!(told(&allow, &asks), (Ask, project("theirs")));
    assert_eq!(told(&allow, &denies), (Deny, project("theirs")));
    assert_eq!(told(&deny, &asks), (Deny, user("mine")));
    assert_eq!(told(&deny, &denies), (Deny, user("mine")));
}

#[test]
fn nobody_lifts_the_floor() {
    let rules = "
        [[rule]]
        decision = 'allow'
        access = 'execute'
        [[rule]]
        decision = 'allow'
        line = 'rm -rf *'
        [[rule]]
        decision = 'allow'
        line = 'rm -rf /'
    ";
    for profile in [Profile::Careful, Profile::Trusting] {
        let policy = policy(profile, rules, "");
        assert_eq!(ruling(&policy, Place::Confined, "rm -rf /").decision, Ask);
        for place in [Place::Outside, Place::Unconfined] {
            let ruling = ruling(&policy, place, "ls; rm -rf ~");
            let told = (ruling.decision, ruling.rule.source, ruling.always);
            assert_eq!(told, (Deny, Source::Floor, None));
        }
        assert_eq!(ruling(&policy, Place::Outside, "rm -rf old-work").decision, Allow);
    }
}

#[test]
fn an_allowance_is_for_its_words_and_lifts_no_doubt() {
    let rules = "
        [[rule]]
        decision = 'allow'
        line = 'git push origin *'
        place = 'outside'
    ";
    let policy = policy(Profile::Careful, rules, "");
    let told = |line: &str| ruling(&policy, Place::Outside, line).decision;
    assert_eq!(told("git push origin main"), Allow);
    assert_eq!(told("cd sub && git push origin main"), Allow);
    assert_eq!(told("timeout 60 git push origin main"), Allow);
    for line in [
        "git push origin main --force",
        "git push origin $x",
        "git push origin main > ~/.bashrc",
        "GIT_SSH_COMMAND=./x git push origin main",
        "PATH=.; git push origin main",
        "git push origin main; cargo build",
        "git push origin main; $x",
        "git() { :; }; git push origin main",
        "./git push origin main",
        "bash -c 'git push origin main; ./x'",
        "sudo git push origin main",
        "ls",
    ] {
        assert_eq!(told(line), Ask, "{line}");
    }
    assert_eq!(ruling(&policy, Place::Unconfined, "git push origin main").decision, Ask);
}

#[test]
fn a_rule_without_a_line_is_for_every_line() {
    let rules = "
        [[rule]]
        id = 'all'
        decision = 'allow'
        access = 'execute'
        client = 'claude'
        place = 'confined'
    ";
    let policy = policy(Profile::Careful, rules, "");
    assert_eq!(ruling(&policy, Place::Confined, "git push; $x; rm -rf old-work").decision, Allow);
    assert_eq!(ruling(&policy, Place::Confined, "echo \"").rule, user("all"));
    assert_eq!(ruling(&policy, Place::Outside, "git push").decision, Ask);
}

#[test]
fn rules_are_for_callers_clients_commands_and_places() {
    let rules = "
        [[rule]]
        decision = 'ask'
        caller = 'script'
        access = 'destroy'
        [[rule]]
        decision = 'deny'
        command = 'openspace.terminal.*'
        client = 'codex'
    ";
    let policy = policy(Profile::Careful, rules, "");
    let told = |caller, client: &str, command: &str, access| {
        let place = Place::Space;
        let question = Question {
            caller,
            client,
            command,
            access,
            place,
            line: None,
            changeable: &[],
            each_time: false,
        };
        let ruling = policy.decide(&question);
        (ruling.decision, ruling.rule.source)
    };
    let (delete, run) = ("openspace.layout.delete", "openspace.terminal.run");
    assert_eq!(told(CallerKind::Script, "cli", delete, Access::Destroy), (Ask, Source::User));
    assert_eq!(told(CallerKind::Script, "cli", delete, Access::Edit), (Allow, Source::Profile));
    assert_eq!(told(CallerKind::Person, "page", delete, Access::Destroy), (Allow, Source::Profile));
    assert_eq!(told(CallerKind::Agent, "codex", run, Access::Execute), (Deny, Source::User));
    assert_eq!(told(CallerKind::Agent, "claude", run, Access::Execute), (Allow, Source::Profile));
    let other = "openspace.terminals.run";
    assert_eq!(told(CallerKind::Agent, "codex", other, Access::Execute), (Allow, Source::Profile));
}

#[test]
fn the_rule_that_is_offered_answers_the_question_for_good() {
    let offered = |place, line: &str| {
        let mut policy = Policy::default();
        let rule = ruling(&policy, place, line).always?;
        policy.user_mut().push(rule.clone());
        assert_eq!(ruling(&policy, place, line).decision, Allow, "{line}");
        assert_eq!((rule.caller, rule.place), (Some(CallerKind::Agent), Some(place)));
        rule.line.map(|line| line.to_string())
    };
    let rows = [
        (Place::Confined, "git push origin main", Some("git push origin *")),
        (Place::Outside, "git push origin main", Some("git push origin *")),
        (Place::Outside, "cd x && git push origin main", Some("git push origin *")),
        (Place::Outside, "ls -la", Some("ls *")),
        (Place::Unconfined, "cargo build && cargo build -r", Some("cargo build *")),
        (Place::Unconfined, "cargo build && cargo test", None),
        (Place::Confined, "rm -rf x", None),
        (Place::Confined, "rm -rf /", None),
        (Place::Outside, "sudo ls", None),
        (Place::Outside, "git push $x", None),
        (Place::Confined, "git push origin main; $x", None),
    ];
    for (place, line, expected) in rows {
        assert_eq!(offered(place, line).as_deref(), expected, "{line}");
    }
}

#[test]
fn a_rule_for_a_call_without_a_line_names_its_command() {
    let question = Question {
        caller: CallerKind::Agent,
        client: "claude",
        command: "openspace.layout.delete",
        access: Access::Destroy,
        place: Place::Space,
        line: None,
        changeable: &[],
        each_time: false,
    };
    let mut expected = Rule::new("always", Allow);
    expected.caller = Some(CallerKind::Agent);
    expected.place = Some(Place::Space);
    expected.command = Some("openspace.layout.delete".into());
    assert_eq!(Policy::default().decide(&question).always, Some(expected));
}

#[test]
fn a_call_that_is_asked_each_time_is_allowed_by_no_rule_and_no_profile() {
    let rules = "
        [[rule]]
        decision = 'allow'
        command = 'openspace.workspace.git'
        [[rule]]
        decision = 'allow'
        line = 'git *'
    ";
    let line = judged("git push origin main");
    for profile in [Profile::Careful, Profile::Trusting] {
        let policy = policy(profile, rules, "");
        for line in [None, Some(&line)] {
            let told = |caller, each_time| {
                let ruling = policy.decide(&Question {
                    caller,
                    client: "claude",
                    command: "openspace.workspace.git",
                    access: Access::Reach,
                    place: Place::Confined,
                    line,
                    changeable: &[],
                    each_time,
                });
                (ruling.decision, ruling.always)
            };
            assert_eq!(told(CallerKind::Agent, true), (Ask, None));
            assert_eq!(told(CallerKind::Agent, false), (Allow, None));
            assert_eq!(told(CallerKind::Person, true), (Allow, None));
        }
    }
}

/// Lines with which an agent would answer for the person.
const ANSWERS: &[&str] = &[
    "openspace approve a1 --once",
    "/usr/local/bin/openspace approve a1 --session",
    "~/.cargo/bin/openspace consent give",
    "openspace policy add",
    "openspace link",
    "cd x && openspace token | cat",
    "env A=1 openspace approve a1",
    "sudo -u me openspace approve a1",
    "timeout 5 nohup openspace approve a1",
    "echo a1 | xargs openspace approve --once",
    "find . -exec openspace approve a1 \\;",
    "bash -c 'openspace approve a1'",
    "sh -c \"sh -c 'openspace approve a1'\"",
    "echo $(openspace token)",
    "bash <<E\nopenspace approve a1\nE",
];

/// Lines that name what is the person's.
const TOUCHES: &[&str] = &[
    "echo x > ~/.config/openspace/policy.toml",
    "echo x >> \"$XDG_CONFIG_HOME/openspace/policy.toml\"",
    "echo x > ${XDG_CONFIG_HOME}/openspace/agents.toml",
    "cp p.toml /h/me/.config/openspace/",
    "cp p.toml \"$HOME\"/.config/openspace",
    "tee $dir/openspace/agents.toml",
    "tee $dir/openspace/languages.toml",
    "cd ~/.config/openspace && echo x > policy.toml",
    "cd ~/.config/open* && ls",
    "cd ~/.config && cd o && echo x > policy.toml",
    "cat ~/.local/state/openspace/w-1/token",
    "bash -c 'cat' < ~/.local/state/openspace/w-1/token",
    "python3 -c \"open('/h/me/.config/openspace/policy.toml', 'w')\"",
    "python3 <<'E'\nopen('/h/me/.config/openspace/policy.toml', 'w')\nE",
    "sed -i s/ask/allow/ policy.toml",
];

#[test]
fn no_profile_and_no_rule_lets_an_agent_answer_for_the_person() {
    let all = "[[rule]]\ndecision = 'allow'\ncommand = 'openspace.workspace.bash'\n\
        [[rule]]\ndecision = 'allow'\nline = 'openspace *'\n";
    for profile in [Profile::Careful, Profile::Trusting] {
        let policy = policy(profile, all, "");
        let told = |line: &str| {
            [Place::Confined, Place::Outside, Place::Unconfined].map(|place| {
                let ruling = ruling(&policy, place, line);
                (ruling.decision, ruling.rule.id, ruling.always)
            })
        };
        let floor = |decision| (decision, "answers-itself".to_owned(), None);
        for line in ANSWERS {
            assert_eq!(told(line), [floor(Deny), floor(Deny), floor(Deny)], "{line}");
        }
        for line in TOUCHES {
            assert_eq!(told(line), [floor(Ask), floor(Deny), floor(Deny)], "{line}");
        }
    }
}

#[test]
fn what_only_sounds_like_ours_is_judged_as_ever() {
    let policy = policy(Profile::Trusting, "", "");
    for line in [
        "openspace --version",
        "cd openspace && cargo build -p openspace",
        "grep -rn openspace docs",
        "ls .openspace",
        "ls crates/openspace/src",
        "cat policy.toml",
        "ls ~/.config/openspace-old",
        "git clone https://example.org/openspace",
    ] {
        assert_eq!(ruling(&policy, Place::Outside, line).decision, Allow, "{line}");
    }
}

#[test]
fn what_a_project_asks_is_not_offered_to_be_allowed() {
    let theirs = "[[rule]]\ndecision = 'ask'\nline = 'git push *'";
    let policy = policy(Profile::Careful, "", theirs);
    assert_eq!(ruling(&policy, Place::Outside, "git push").always, None);
}

#[test]
fn rules_of_a_session_are_rules_of_the_person() {
    let mut policy = Policy::default();
    let mut rule = Rule::new("session", Allow);
    rule.line = Some(Pattern::parse("git push *").unwrap());
    policy.user_mut().push(rule);
    assert_eq!(ruling(&policy, Place::Confined, "git push").rule, user("session"));
}

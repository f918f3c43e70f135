//! Programs of which a word or two decide what they do: publish, deploy, drop data, have a service of the machine
//! work for them, stop services.

use crate::{
    Finding, Word,
    command::Command,
    options::{among, is_meant_in},
};

/// For each finding the programs, and behind the colon the words that make it; none means any.
const VERBS: &[(Finding, &str)] = &[
    (
        Finding::Publishes,
        "npm: publish, unpublish, deprecate, dist-tag add, dist-tag rm, owner add, owner rm, access, \
         star, token, hook, adduser, team, org; pnpm: publish, deploy; yarn: publish, npm publish, npm tag; \
         bun: publish; lerna: publish; changeset: publish; jsr: publish; deno: publish, deploy; \
         semantic-release:; cargo: publish, yank, owner, release, login; twine: upload, register; \
         poetry: publish; flit: publish; uv: publish; hatch: publish; pdm: publish; \
         maturin: publish, upload; gem: push, yank, owner; mvn: deploy, release:perform; \
         gradle: publish, uploadArchives; gradlew: publish, uploadArchives; \
         dotnet: nuget push, nuget delete; nuget: push, delete; mix: hex.publish; pod: trunk, repo push; \
         docker: push, image push, compose push, manifest push, login; podman: push, image push, login; \
         nerdctl: push, image push, compose push, login; docker-compose: push; \
         buildah: push; skopeo: copy, delete, sync; crane: push, copy, delete, tag; oras: push, copy; \
         helm: push; goreleaser: release; vsce: publish, unpublish; ovsx: publish; \
         huggingface-cli: upload, repo",
    ),
    (
        Finding::Deploys,
        "kubectl: apply, create, delete, replace, patch, edit, scale, rollout, exec, run, drain, cordon, \
         set, label, annotate, cp, attach, debug, expose, autoscale, taint, uncordon; helm: install, upgrade, uninstall, rollback, delete; \
         terraform: apply, destroy, import, state, taint; tofu: apply, destroy, import, state; \
         pulumi: up, destroy, update; cdk: deploy, destroy; serverless: deploy, remove; \
         sls: deploy, remove; ansible:; ansible-playbook:; fly: deploy, launch, apps, secrets, ssh; \
         flyctl: deploy, launch, apps, secrets, ssh; heroku:; vercel:; netlify: deploy; firebase: deploy; \
         wrangler: deploy, publish, delete, secret; surge:; eb: deploy, terminate",
    ),
    (
        Finding::DropsData,
        "docker: system prune, volume rm, volume prune, image prune, container prune, rm, rmi, \
         builder prune; podman: system prune, system reset, volume rm, volume prune, rm, rmi; \
         nerdctl: system prune, volume rm, volume prune, image prune, container prune, rm, rmi; dropdb:; \
         dropuser:; mysqladmin: drop; redis-cli: flushall, flushdb, FLUSHALL, FLUSHDB; \
         zfs: destroy, rollback; zpool: destroy; lvremove:; vgremove:; btrfs: subvolume delete",
    ),
    (
        // A container or a unit is started by somebody who is not confined, with what the caller asks for. The
        // sockets are not in the agents' place, unless a person lets them in or they are on the network.
        Finding::RunsByDaemon,
        "docker: run, exec, start, restart, up; podman: run, exec, start, restart, up; \
         nerdctl: run, exec, start, restart, up; docker-compose: run, exec, start, restart, up; \
         podman-compose: run, exec, start, restart, up; ctr: run, start, exec; crictl: run, start, exec; \
         lxc: exec, launch, start; systemd-run:; busctl: call, set-property; dbus-send:; gdbus: call, emit; \
         systemctl: start, stop, restart, try-restart, reload, reload-or-restart, kill, enable, disable, \
         reenable, preset, mask, unmask, link, revert, edit, isolate, rescue, emergency, set-default, \
         set-property, set-environment, unset-environment, import-environment, daemon-reload, daemon-reexec, \
         reboot, poweroff, halt, kexec, suspend, hibernate; service: start, stop, restart, reload",
    ),
    (
        Finding::Connects,
        "ngrok: http, tcp, tls, start; cloudflared: tunnel, access; wormhole: send, tx; croc: send; \
         bore: local; localtunnel:",
    ),
    (
        Finding::StopsMachine,
        "systemctl: stop, restart, reboot, poweroff, halt, kill, disable, mask, isolate, rescue; \
         service: stop, restart; loginctl: terminate-session, terminate-user, kill-session, kill-user, \
         poweroff, reboot; launchctl: bootout, kill, unload, stop, reboot; init: 0, 1, 6; \
         telinit: 0, 1, 6; halt:; kexec:; poweroff:; reboot:; shutdown:",
    ),
    (
        Finding::RunsBySchedule,
        "systemctl: enable, link, edit, set-environment; launchctl: load, bootstrap, submit; at:; batch:; \
         crontab:",
    ),
    (Finding::EndsPrograms, "killall:; killall5:; pkill:; skill:; xkill:"),
];

/// Programs that speak to a hosting service, and the words of theirs that only look.
const FORGES: &str = "gh glab hub tea";
const LOOKS: &str = "checkout checks clone co completion diff download list ls search status sync verify \
                     version view watch";

/// Cloud programs, and beginnings of words that only look.
const CLOUDS: &str = "aws az doctl gcloud gsutil ibmcloud oci";
const LOOKING: &str = "cat configure describe get help info list ls show version wait";

/// The words of every row that is about a program.
fn rows(name: &str) -> impl Iterator<Item = (Finding, &'static str)> {
    VERBS.iter().flat_map(move |(finding, rows)| {
        rows.split("; ")
            .filter_map(move |row| row.strip_prefix(name)?.strip_prefix(':'))
            .map(|verbs| (*finding, verbs.trim_start()))
    })
}

pub(super) fn knows(name: &str) -> bool {
    name == "kill" || among(name, FORGES) || among(name, CLOUDS) || rows(name).next().is_some()
}

/// Whether a word that is not known could be the one that decides.
pub(super) fn is_open(name: &str, args: &[Word]) -> bool {
    let first = args.iter().find(|word| !word.beginning().starts_with(['-', '+']));
    let decides = among(name, FORGES)
        || among(name, CLOUDS)
        || rows(name).any(|(_, verbs)| !verbs.is_empty());
    decides && first.is_some_and(|word| word.known().is_none())
}

pub(super) fn look(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Command { name, args, .. } = *command;
    let known: Vec<&str> = args.iter().filter_map(Word::known).collect();
    let words: Vec<&str> =
        known.iter().copied().filter(|word| !word.starts_with(['-', '+'])).collect();
    if among(name, FORGES) {
        findings.extend(forge(&words, args));
    } else if among(name, CLOUDS) {
        let looks = |word: &str| LOOKING.split(' ').any(|look| word.starts_with(look));
        if !words.is_empty() && !words.iter().any(|word| looks(word)) {
            findings.push(Finding::Deploys);
        }
    } else if name == "kill" && ends_everything(&known) {
        findings.push(Finding::EndsPrograms);
    }
    let only_tells = known.iter().any(|word| among(word, "--help --dry-run"));
    let only_tells = only_tells && !known.iter().any(|word| word.starts_with("--no-"));
    if matches!(known[..], ["-l" | "--version"]) {
        return;
    }
    for (finding, verbs) in rows(name) {
        if verbs.split(", ").any(|verb| passes_on(verb, &known)) {
            findings.push(finding);
        }
    }
    if only_tells {
        return;
    }
    // Npm takes any beginning of a verb that is the only one.
    let is_short = |verb: &&str| verb.len() > 2 && is_meant_in(verb, "publish unpublish");
    if name == "npm" && words.first().is_some_and(is_short) {
        findings.push(Finding::Publishes);
    }
    if name == "docker" && known.contains(&"--push") || is_twine(name, &words) {
        findings.push(Finding::Publishes);
    }
    // A verb may stand behind the value of an option: `kubectl -n space delete`.
    let says = |verb: &str| {
        let verb: Vec<&str> = verb.split(' ').collect();
        words.windows(verb.len()).take(4).any(|window| window == verb)
    };
    for (finding, verbs) in rows(name) {
        let publishes =
            name.starts_with("gradle") && words.iter().any(|word| word.starts_with("publish"));
        if verbs.is_empty() || publishes || verbs.split(", ").any(says) {
            findings.push(finding);
        }
    }
    let down = among(name, "docker docker-compose podman") && words.contains(&"down");
    if down && known.iter().any(|word| among(word, "-v --volumes --rmi")) {
        findings.push(Finding::DropsData);
    }
}

/// Whether a verb is given that runs the words behind it. `--help` there is a word for the program that runs,
/// and means the verb only right behind it.
fn passes_on(verb: &str, known: &[&str]) -> bool {
    let at = known.iter().position(|word| *word == verb);
    matches!(verb, "exec" | "run") && at.is_some_and(|at| known.get(at + 1) != Some(&"--help"))
}

/// `python -m twine upload`.
fn is_twine(name: &str, words: &[&str]) -> bool {
    name.starts_with("python") && matches!(words, ["twine", "upload", ..])
}

fn forge(words: &[&str], args: &[Word]) -> Option<Finding> {
    let (area, rest) = words.split_first()?;
    let first = rest.first().copied();
    match *area {
        "api" => {
            let sends = |word: &Word| {
                let text = word.beginning();
                let options = "-f -F -X --field --raw-field --input --method";
                options.split(' ').any(|option| text.starts_with(option))
            };
            let reads = args.windows(2).any(|pair| {
                matches!(pair[0].known(), Some("-X" | "--method")) && pair[1].known() == Some("GET")
            });
            (args.iter().any(sends) && !reads).then_some(Finding::ActsAtForge)
        }
        "search" | "status" | "version" | "help" | "browse" | "completion" | "config" => None,
        "auth" if first == Some("status") => None,
        "release" if first.is_some_and(|verb| !among(verb, LOOKS)) => Some(Finding::Publishes),
        _ => first.filter(|verb| !among(verb, LOOKS)).map(|_| Finding::ActsAtForge),
    }
}

/// `kill -9 -1`, `kill -- -1`, `kill 1`: everything, or the first process.
fn ends_everything(words: &[&str]) -> bool {
    let targets = match words {
        // The first word with a dash is the signal, unless it is `--`.
        ["-s" | "-n", _, rest @ ..] => rest,
        [first, rest @ ..] if first.starts_with('-') => rest,
        _ => words,
    };
    targets.iter().any(|target| matches!(*target, "-1" | "1"))
}

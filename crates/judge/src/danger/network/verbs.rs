//! Programs of which one word decides whether something leaves this machine.

use crate::{Finding, Word};

/// A program, the words that follow it, and what they do.
type Row = (&'static str, &'static [&'static [&'static str]], Finding);

const VERBS: &[Row] = &[
    (
        "npm",
        &[
            &["publish"],
            &["unpublish"],
            &["deprecate"],
            &["dist-tag", "add"],
            &["dist-tag", "rm"],
            &["owner", "add"],
            &["owner", "rm"],
            &["access"],
            &["star"],
            &["token"],
            &["hook"],
            &["adduser"],
            &["team"],
            &["org"],
        ],
        Finding::Publishes,
    ),
    ("pnpm", &[&["publish"], &["deploy"]], Finding::Publishes),
    ("yarn", &[&["publish"], &["npm", "publish"], &["npm", "tag"]], Finding::Publishes),
    ("bun", &[&["publish"]], Finding::Publishes),
    ("lerna", &[&["publish"]], Finding::Publishes),
    ("changeset", &[&["publish"]], Finding::Publishes),
    ("jsr", &[&["publish"]], Finding::Publishes),
    ("deno", &[&["publish"], &["deploy"]], Finding::Publishes),
    ("semantic-release", &[&[]], Finding::Publishes),
    ("cargo", &[&["publish"], &["yank"], &["owner"], &["release"], &["login"]], Finding::Publishes),
    ("twine", &[&["upload"], &["register"]], Finding::Publishes),
    ("poetry", &[&["publish"]], Finding::Publishes),
    ("flit", &[&["publish"]], Finding::Publishes),
    ("uv", &[&["publish"]], Finding::Publishes),
    ("hatch", &[&["publish"]], Finding::Publishes),
    ("pdm", &[&["publish"]], Finding::Publishes),
    ("maturin", &[&["publish"], &["upload"]], Finding::Publishes),
    ("gem", &[&["push"], &["yank"], &["owner"]], Finding::Publishes),
    ("mvn", &[&["deploy"], &["release:perform"]], Finding::Publishes),
    ("gradle", &[&["publish"], &["uploadArchives"]], Finding::Publishes),
    ("gradlew", &[&["publish"], &["uploadArchives"]], Finding::Publishes),
    ("dotnet", &[&["nuget", "push"], &["nuget", "delete"]], Finding::Publishes),
    ("nuget", &[&["push"], &["delete"]], Finding::Publishes),
    ("mix", &[&["hex.publish"]], Finding::Publishes),
    ("pod", &[&["trunk"], &["repo", "push"]], Finding::Publishes),
    (
        "docker",
        &[&["push"], &["image", "push"], &["compose", "push"], &["manifest", "push"], &["login"]],
        Finding::Publishes,
    ),
    ("podman", &[&["push"], &["image", "push"], &["login"]], Finding::Publishes),
    ("buildah", &[&["push"]], Finding::Publishes),
    ("skopeo", &[&["copy"], &["delete"], &["sync"]], Finding::Publishes),
    ("crane", &[&["push"], &["copy"], &["delete"], &["tag"]], Finding::Publishes),
    ("oras", &[&["push"], &["copy"]], Finding::Publishes),
    ("helm", &[&["push"]], Finding::Publishes),
    ("goreleaser", &[&["release"]], Finding::Publishes),
    ("vsce", &[&["publish"], &["unpublish"]], Finding::Publishes),
    ("ovsx", &[&["publish"]], Finding::Publishes),
    ("huggingface-cli", &[&["upload"], &["repo"]], Finding::Publishes),
    (
        "kubectl",
        &[
            &["apply"],
            &["create"],
            &["delete"],
            &["replace"],
            &["patch"],
            &["edit"],
            &["scale"],
            &["rollout"],
            &["exec"],
            &["run"],
            &["drain"],
            &["cordon"],
            &["set"],
            &["label"],
            &["annotate"],
            &["cp"],
        ],
        Finding::Deploys,
    ),
    (
        "helm",
        &[&["install"], &["upgrade"], &["uninstall"], &["rollback"], &["delete"]],
        Finding::Deploys,
    ),
    (
        "terraform",
        &[&["apply"], &["destroy"], &["import"], &["state"], &["taint"]],
        Finding::Deploys,
    ),
    ("tofu", &[&["apply"], &["destroy"], &["import"], &["state"]], Finding::Deploys),
    ("pulumi", &[&["up"], &["destroy"], &["update"]], Finding::Deploys),
    ("cdk", &[&["deploy"], &["destroy"]], Finding::Deploys),
    ("serverless", &[&["deploy"], &["remove"]], Finding::Deploys),
    ("sls", &[&["deploy"], &["remove"]], Finding::Deploys),
    ("ansible", &[&[]], Finding::Deploys),
    ("ansible-playbook", &[&[]], Finding::Deploys),
    ("fly", &[&["deploy"], &["launch"], &["apps"], &["secrets"], &["ssh"]], Finding::Deploys),
    ("flyctl", &[&["deploy"], &["launch"], &["apps"], &["secrets"], &["ssh"]], Finding::Deploys),
    ("heroku", &[&[]], Finding::Deploys),
    ("vercel", &[&[]], Finding::Deploys),
    ("netlify", &[&["deploy"]], Finding::Deploys),
    ("firebase", &[&["deploy"]], Finding::Deploys),
    ("wrangler", &[&["deploy"], &["publish"], &["delete"], &["secret"]], Finding::Deploys),
    ("surge", &[&[]], Finding::Deploys),
    ("eb", &[&["deploy"], &["terminate"]], Finding::Deploys),
];

/// Programs that speak to a hosting service, of which these words only look.
const FORGES: &[&str] = &["gh", "glab", "hub", "tea"];
const LOOKS: &[&str] = &[
    "checkout",
    "checks",
    "clone",
    "co",
    "completion",
    "diff",
    "download",
    "list",
    "ls",
    "search",
    "status",
    "sync",
    "verify",
    "version",
    "view",
    "watch",
];

/// Cloud programs, of which these beginnings of a word only look.
const CLOUDS: &[&str] = &["aws", "az", "doctl", "gcloud", "gsutil", "ibmcloud", "oci"];
const LOOKING: &[&str] = &[
    "cat",
    "configure",
    "describe",
    "get",
    "help",
    "info",
    "list",
    "ls",
    "show",
    "version",
    "wait",
];

pub(super) fn knows(name: &str) -> bool {
    FORGES.contains(&name)
        || CLOUDS.contains(&name)
        || VERBS.iter().any(|(program, ..)| *program == name)
}

pub(super) fn look(name: &str, args: &[Word]) -> Option<Finding> {
    let words: Vec<&str> = args
        .iter()
        .filter_map(Word::known)
        .filter(|word| !word.starts_with('-') && !word.starts_with('+'))
        .collect();
    if FORGES.contains(&name) {
        return forge(&words, args);
    }
    if CLOUDS.contains(&name) {
        let looks = words.iter().any(|word| LOOKING.iter().any(|look| word.starts_with(look)));
        return (!looks && !words.is_empty()).then_some(Finding::Deploys);
    }
    if name == "docker" && args.iter().any(|word| word.known() == Some("--push")) {
        return Some(Finding::Publishes);
    }
    let is_python = name.starts_with("python");
    if is_python && words.first() == Some(&"twine") && words.get(1) == Some(&"upload") {
        return Some(Finding::Publishes);
    }
    let only_help =
        args.iter().any(|word| matches!(word.known(), Some("--help" | "--dry-run" | "--version")));
    if only_help {
        return None;
    }
    VERBS
        .iter()
        .filter(|(program, ..)| *program == name)
        .find(|(_, verbs, _)| {
            verbs.iter().any(|verb| {
                // A verb may stand behind the value of an option: `kubectl -n space delete`.
                verb.is_empty() && !words.is_empty()
                    || !verb.is_empty()
                        && words.windows(verb.len()).take(4).any(|window| window == *verb)
                    || name.starts_with("gradle")
                        && words.iter().any(|word| word.starts_with("publish"))
            })
        })
        .map(|(.., finding)| *finding)
}

fn forge(words: &[&str], args: &[Word]) -> Option<Finding> {
    let (area, rest) = words.split_first()?;
    let finding = Some(Finding::ActsAtForge);
    match *area {
        "api" => {
            let sends = args.iter().any(|word| {
                let text = word.beginning();
                text.starts_with("-f")
                    || text.starts_with("-F")
                    || text.starts_with("--field")
                    || text.starts_with("--raw-field")
                    || text.starts_with("--input")
                    || text.starts_with("-X")
                    || text.starts_with("--method")
            });
            let reads = args.windows(2).any(|pair| {
                matches!(pair[0].known(), Some("-X" | "--method")) && pair[1].known() == Some("GET")
            });
            if sends && !reads { finding } else { None }
        }
        "search" | "status" | "version" | "help" | "browse" | "completion" | "config" => None,
        "auth" if rest.first() == Some(&"status") => None,
        "release"
            if matches!(
                rest.first(),
                Some(&("create" | "upload" | "delete" | "edit" | "delete-asset"))
            ) =>
        {
            Some(Finding::Publishes)
        }
        _ => match rest.first() {
            Some(verb) if LOOKS.contains(verb) => None,
            None => None,
            Some(_) => finding,
        },
    }
}

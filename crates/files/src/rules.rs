//! Which paths may not be read, and which may not be written.
//!
//! A rule is a pattern in the manner of `.gitignore`: without a slash it means a name at any depth,
//! with one it starts at the root, and a folder stands for everything beneath it. Letter case never
//! matters. Patterns given by a person are added to the built-in ones; nothing takes one away.
//!
//! Rules look at words only. [`crate::files`] asks them twice, for the path as typed and for the
//! place that was really opened, so a symlink to a secret is as secret as the secret; of a hard link,
//! which has no place it came from, the file itself is compared.

use std::sync::{LazyLock, OnceLock};

use globset::{Glob, GlobBuilder, GlobMatcher, GlobSet};
use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

mod masking;
#[cfg(test)]
mod tests;

pub use masking::Masking;

/// Names whose content is never shown.
const SECRET: &[&str] = &[
    ".env",
    ".env.*",
    ".git",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "*.pem",
    "*.key",
    "credentials.json",
    "secrets.*",
    // What was secret where it was deleted stays so.
    ".openspace/trash",
];

/// The one name that a built-in secret pattern covers and that is public by custom.
const PUBLIC: &str = ".env.example";

/// Further names whose content is never shown: stores of keys, log-ins of tools, what infrastructure keeps. Unlike
/// those of [`SECRET`] their templates are shown. With a slash a name means that place, wherever it lies.
const ALSO_SECRET: &[&str] = &[
    "*.p12",
    "*.pfx",
    "*.pkcs12",
    "*.p8",
    "*.ppk",
    "*.jks",
    "*.jceks",
    "*.keystore",
    "*.kdb",
    "*.kdbx",
    "*.keychain",
    "*.keychain-db",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    ".ssh",
    ".gnupg",
    ".netrc",
    "_netrc",
    ".authinfo",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".mylogin.cnf",
    ".envrc",
    ".envrc.*",
    ".pypirc",
    ".dockercfg",
    ".dockerconfigjson",
    ".docker/config.json",
    ".kube/config",
    "kubeconfig.yaml",
    "kubeconfig.yml",
    "*.kubeconfig",
    ".aws/credentials",
    ".azure/accessTokens.json",
    ".azure/msal_token_cache.*",
    ".config/gcloud",
    ".config/gh/hosts.yml",
    ".config/glab-cli/config.yml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    "application_default_credentials.json",
    "service-account*.json",
    "service_account*.json",
    "serviceAccount*.json",
    "*-firebase-adminsdk-*.json",
    "client_secret*.json",
    "*.tfstate",
    "*.tfstate.*",
    "*.tfvars",
    "*.tfvars.json",
    ".terraformrc",
    "terraform.rc",
    "credentials.tfrc.json",
    ".vault-token",
    ".vault_pass",
    ".vault_password",
    ".s3cfg",
    "rclone.conf",
];

/// Names that patterns of [`ALSO_SECRET`] cover and that hold no secret: the key with which everybody signs apps
/// that they try has a password that everybody knows, and no such app is built without it.
const KNOWN_TO_ALL: &[&str] = &["debug.keystore"];

/// Words between dots that make a name that of a template.
const TEMPLATE: &[&str] = &["example", "sample", "template", "tmpl", "dist"];

/// Settings of package managers: they are shown, for nothing can be installed without them, but people write tokens
/// into them. Values in them that are called like a secret are hidden wherever they turn up.
const SETTINGS: &[&str] = &[
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    "bunfig.toml",
    ".bunfig.toml",
    "pip.conf",
    "pip.ini",
    "uv.toml",
    ".condarc",
    ".cargo/config",
    ".cargo/config.toml",
    "gradle.properties",
    ".mvn/settings.xml",
    ".m2/settings.xml",
];

/// Names that are written by their own tools only. Secrets are protected too.
const PROTECTED: &[&str] = &[".git", "node_modules", ".openspace"];

/// A pattern that cannot be used.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[error("the pattern `{pattern}` cannot be used: {reason}")]
pub struct RulesError {
    /// The pattern as it was given.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

#[derive(Clone, Debug)]
struct Rule {
    name: String,
    matcher: GlobMatcher,
}

impl Rule {
    fn new(pattern: &str) -> Result<Self, RulesError> {
        Ok(Self { name: pattern.to_owned(), matcher: matcher(pattern, true)? })
    }

    /// The rule of a built-in pattern, which means a place wherever it lies.
    fn anywhere(pattern: &str) -> Result<Self, RulesError> {
        Ok(Self { name: pattern.to_owned(), matcher: matcher(&anywhere(pattern), true)? })
    }
}

fn anywhere(pattern: &str) -> String {
    format!("**/{pattern}")
}

/// What may not be read and what may not be written in one workspace.
#[derive(Clone, Debug)]
pub struct Rules {
    built_in_secret: Vec<Rule>,
    /// Those with templates that are none.
    also_secret: Vec<Rule>,
    secret: Vec<Rule>,
    protected: Vec<Rule>,
    /// All secret patterns at once: whole trees are asked about, and few names are secret.
    any_secret: GlobSet,
    /// Whether a pattern of a person speaks of a place rather than of a name.
    anchored: bool,
}

impl Rules {
    /// The built-in rules with more secret and more protected patterns.
    pub fn new(secret_extra: &[String], protected_extra: &[String]) -> Result<Self, RulesError> {
        // Compiling takes milliseconds, which every workspace that is opened would wait for twice.
        static BUILT_IN: OnceLock<Rules> = OnceLock::new();
        if !secret_extra.is_empty() || !protected_extra.is_empty() {
            return Self::compile(secret_extra, protected_extra);
        }
        if let Some(rules) = BUILT_IN.get() {
            return Ok(rules.clone());
        }
        let rules = Self::compile(&[], &[])?;
        Ok(BUILT_IN.get_or_init(|| rules).clone())
    }

    fn compile(secret_extra: &[String], protected_extra: &[String]) -> Result<Self, RulesError> {
        let protected = PROTECTED.iter().copied().chain(protected_extra.iter().map(String::as_str));
        let also_secret: Vec<String> =
            ALSO_SECRET.iter().map(|pattern| anywhere(pattern)).collect();
        let all_secret = SECRET.iter().copied().chain(also_secret.iter().map(String::as_str));
        let all_secret = all_secret.chain(secret_extra.iter().map(String::as_str));
        Ok(Self {
            anchored: secret_extra
                .iter()
                .chain(protected_extra)
                .any(|pattern| is_anchored(pattern)),
            any_secret: glob_set(all_secret, true)?,
            built_in_secret: SECRET
                .iter()
                .map(|pattern| Rule::new(pattern))
                .collect::<Result<_, _>>()?,
            also_secret: ALSO_SECRET
                .iter()
                .map(|pattern| Rule::anywhere(pattern))
                .collect::<Result<_, _>>()?,
            secret: secret_extra
                .iter()
                .map(|pattern| Rule::new(pattern))
                .collect::<Result<_, _>>()?,
            protected: protected.map(Rule::new).collect::<Result<_, _>>()?,
        })
    }

    /// The rules for a person, whose own secrets these are. What is protected stays so.
    #[must_use]
    pub(crate) fn for_a_person(&self) -> Self {
        Self {
            built_in_secret: Vec::new(),
            also_secret: Vec::new(),
            secret: Vec::new(),
            protected: self.protected.clone(),
            any_secret: GlobSet::empty(),
            anchored: self.anchored,
        }
    }

    /// Whether anything is secret.
    pub(crate) fn hide_something(&self) -> bool {
        !self.any_secret.is_empty()
    }

    /// Whether something in a folder of this name can be secret or protected, and not under the same name in
    /// another folder.
    pub(crate) fn speak_of_places(&self, folder: &str) -> bool {
        let is_of_place = |rule: &Rule| {
            rule.name.rsplit('/').skip(1).any(|word| word.eq_ignore_ascii_case(folder))
        };
        self.anchored || self.also_secret.iter().any(is_of_place)
    }

    /// Whether the content may be read; the error is the rule that forbids it.
    pub fn may_read(&self, path: &RelPath) -> Result<(), &str> {
        prefixes(path).try_for_each(|prefix| self.may_see(prefix))
    }

    /// Whether a rule names this very path; the folders above it are not asked.
    pub(crate) fn hides(&self, path: &str) -> bool {
        self.may_see(path).is_err()
    }

    /// The error is the rule that names this very path.
    fn may_see(&self, path: &str) -> Result<(), &str> {
        if !self.any_secret.is_match(path) {
            return Ok(());
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        if !name.eq_ignore_ascii_case(PUBLIC) {
            forbid(&self.built_in_secret, path)?;
        }
        if !is_public(name) {
            forbid(&self.also_secret, path)?;
        }
        forbid(&self.secret, path)
    }

    /// Whether the path may be written; the error is the rule that forbids it.
    pub fn may_write(&self, path: &RelPath) -> Result<(), &str> {
        self.may_read(path)?;
        prefixes(path).try_for_each(|prefix| forbid(&self.protected, prefix))
    }
}

/// Whether a name that [`ALSO_SECRET`] covers holds no secret.
fn is_public(name: &str) -> bool {
    let is_one_of =
        |list: &[&str], word: &str| list.iter().any(|one| one.eq_ignore_ascii_case(word));
    is_one_of(KNOWN_TO_ALL, name) || name.split('.').any(|word| is_one_of(TEMPLATE, word))
}

/// Whether this very path is one of settings into which people write tokens.
pub fn is_of_settings(path: &str) -> bool {
    static ALL: LazyLock<Option<GlobSet>> = LazyLock::new(|| {
        let patterns: Vec<String> = SETTINGS.iter().map(|pattern| anywhere(pattern)).collect();
        glob_set(patterns.iter().map(String::as_str), true).ok()
    });
    ALL.as_ref().is_some_and(|all| all.is_match(path))
}

fn forbid<'a>(rules: &'a [Rule], prefix: &str) -> Result<(), &'a str> {
    match rules.iter().find(|rule| rule.matcher.is_match(prefix)) {
        Some(rule) => Err(&rule.name),
        None => Ok(()),
    }
}

/// The path and every folder above it, outermost first: `a`, `a/b`, `a/b/c`.
pub(crate) fn prefixes(path: &RelPath) -> impl Iterator<Item = &str> {
    let text = path.as_str();
    let ends = text.match_indices('/').map(|(at, _)| at);
    ends.chain((!text.is_empty()).then_some(text.len())).map(move |end| &text[..end])
}

/// Compile one pattern in the manner of `.gitignore`; it is to be asked about each of [`prefixes`].
pub(crate) fn matcher(pattern: &str, any_case: bool) -> Result<GlobMatcher, RulesError> {
    Ok(glob(pattern, any_case)?.compile_matcher())
}

/// Compile patterns in the manner of `.gitignore` to be asked together.
pub(crate) fn glob_set<'a>(
    patterns: impl IntoIterator<Item = &'a str>,
    any_case: bool,
) -> Result<GlobSet, RulesError> {
    let mut builder = GlobSet::builder();
    let mut last = "";
    for pattern in patterns {
        builder.add(glob(pattern, any_case)?);
        last = pattern;
    }
    builder.build().map_err(|error| RulesError {
        pattern: error.glob().unwrap_or(last).to_owned(),
        reason: error.kind().to_string(),
    })
}

/// Whether a pattern starts at the root.
fn is_anchored(pattern: &str) -> bool {
    pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/').contains('/')
}

fn glob(pattern: &str, any_case: bool) -> Result<Glob, RulesError> {
    let refuse =
        |reason: &str| RulesError { pattern: pattern.to_owned(), reason: reason.to_owned() };
    let inner = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
    if inner.is_empty() {
        return Err(refuse("it is empty"));
    }
    if inner.starts_with('!') {
        return Err(refuse("it starts with `!`, and a pattern cannot make an exception"));
    }
    if inner.split('/').any(|word| word == "..") {
        return Err(refuse("it contains `..`"));
    }
    let glob = if is_anchored(pattern) {
        inner.strip_prefix('/').unwrap_or(inner).to_owned()
    } else {
        format!("**/{inner}")
    };
    GlobBuilder::new(&glob)
        .literal_separator(true)
        .case_insensitive(any_case)
        .build()
        .map_err(|error| refuse(&error.kind().to_string()))
}

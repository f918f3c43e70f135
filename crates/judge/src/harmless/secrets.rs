//! Files whose contents a command may read without a question: those of the folder it is in that do not
//! look as if they held secrets, and what a system shows to everybody.

/// Folders that are the same on every machine.
const PUBLIC: &str = "\
    /usr/ /lib/ /lib64/ /bin/ /opt/ /etc/os-release /proc/cpuinfo /proc/meminfo /proc/version";

/// Beginnings and endings of names that hold secrets.
const NAMES: &str = "\
    .aws .azure .bash_history .docker .env .git .git-credentials .gnupg .htpasswd .kube .netrc \
    .npmrc .openspace .pgpass .pypirc .ssh .zsh_history credentials id_dsa id_ecdsa id_ed25519 \
    id_rsa secret token";
const ENDINGS: &str = ".jks .kdbx .key .keystore .p12 .pem .pfx";

/// Whether a word that may be a path, or a revision with a path, may be read from.
pub(super) fn may_read(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let outside = lower.starts_with('/')
        && !PUBLIC.split_ascii_whitespace().any(|folder| lower.starts_with(folder))
        || lower.starts_with('~')
        || lower.split('/').any(|name| name == "..");
    let secret = lower.split(['/', ':']).any(|name| {
        let public = name == ".env.example"
            || name == ".gitignore"
            || name == ".gitattributes"
            || name == ".github"
            || name == ".gitlab-ci.yml";
        !public
            && (NAMES.split_ascii_whitespace().any(|secret| name.starts_with(secret))
                || ENDINGS.split_ascii_whitespace().any(|ending| name.ends_with(ending)))
    });
    !outside && !secret
}

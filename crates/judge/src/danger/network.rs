//! What leaves this machine: published, sent, or done elsewhere.

use crate::options::among;
use crate::{
    Finding, Word,
    command::{Command, Feed},
    options::{Argument, Takes, arguments, given, operands},
};

/// Programs that bring something from the network.
pub(super) const DOWNLOADERS: &str = "aria2c axel curl fetch http https lynx wget wget2 xh";

pub(super) fn knows(name: &str) -> bool {
    const OWN: &str = "\
        autossh ftp gnutls-cli lftp mail mailx mosh msmtp mutt nc ncat netcat openssl plink pscp psftp \
        rclone rsh rsync scp sendmail sftp smbclient socat ssh ssh-copy-id swaks telnet tftp";
    among(name, OWN) || among(name, DOWNLOADERS)
}

pub(super) fn look(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Command { name, args, .. } = *command;
    match name {
        "ssh" | "mosh" | "autossh" | "plink" | "rsh" => findings.push(Finding::RunsElsewhere),
        "scp" | "sftp" | "ftp" | "lftp" | "pscp" | "psftp" | "rclone" | "smbclient" | "tftp" => {
            findings.push(Finding::Uploads);
        }
        "ssh-copy-id" => findings.push(Finding::OpensDoor),
        "rsync" if args.iter().any(is_remote) => findings.push(Finding::Uploads),
        "nc" | "ncat" | "netcat" | "socat" | "telnet" | "gnutls-cli" => {
            let mut names = operands(&arguments(args, Takes::default()));
            names.retain(|word| !word.known().is_some_and(is_port));
            // With no name but this machine's it goes nowhere.
            if !all_local(&names) {
                findings.push(Finding::Connects);
            }
        }
        "openssl" if openssl_connects(args) => findings.push(Finding::Connects),
        "mail" | "mailx" | "mutt" | "sendmail" | "msmtp" | "swaks" => {
            findings.push(Finding::SendsMail);
        }
        "curl" if curl_sends(args) => findings.push(Finding::Uploads),
        "wget" | "wget2" if wget_sends(args) => findings.push(Finding::Uploads),
        "http" | "https" | "xh" | "xhs" if httpie_sends(command) => findings.push(Finding::Uploads),
        _ => {}
    }
    if args.iter().any(crate::paths::is_socket) {
        findings.push(Finding::Connects);
    }
}

/// `host:path`, `user@host:path` or `rsync://…`.
fn is_remote(word: &Word) -> bool {
    let text = word.written().trim_matches(['"', '\'']);
    if text.starts_with('-') || text.starts_with('/') || text.starts_with('.') {
        return false;
    }
    text.contains("://")
        || text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

/// An address of this machine.
fn is_local(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    // What stands before `@` is a user: `http://localhost@elsewhere` is elsewhere.
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or(six),
        None => host.split(':').next().unwrap_or(host),
    };
    host == "localhost"
        || host.ends_with(".localhost")
        || host == "::1"
        || host == "0.0.0.0"
        || host.strip_prefix("127.").is_some_and(|rest| {
            rest.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit())
        })
        // httpie's `:3000/path`.
        || host.is_empty() && rest.starts_with(':')
}

fn all_local(addresses: &[&Word]) -> bool {
    !addresses.is_empty() && addresses.iter().all(|word| word.known().is_some_and(is_local))
}

pub(super) fn all_go_nowhere(args: &[Word]) -> bool {
    let written = args.iter().map(|word| word.written().trim_matches(['"', '\'']));
    let mut addresses = written.filter(|text| text.contains("://") || is_local(text)).peekable();
    addresses.peek().is_some() && addresses.all(is_local)
}

/// A port, a range of them, or another number such as a time.
fn is_port(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// `openssl s_client -connect host:port` carries whatever it reads.
fn openssl_connects(args: &[Word]) -> bool {
    let connects = args.iter().any(|word| word.known() == Some("s_client"));
    let address = args
        .windows(2)
        .find(|pair| matches!(pair[0].known(), Some("-connect" | "-host")))
        .and_then(|pair| pair[1].known());
    let elsewhere = args.iter().any(|word| word.known() == Some("-proxy"));
    connects && (elsewhere || !address.is_some_and(is_local))
}

fn is_reading(method: Option<&str>) -> bool {
    method.is_some_and(|method| {
        matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS")
    })
}

fn curl_sends(args: &[Word]) -> bool {
    let takes = Takes {
        short: "AbCcDdEeFHhKmoPQrTtUuwXxYyz",
        long: "\
            url header user-agent output request data data-raw data-binary data-urlencode \
            data-ascii form form-string upload-file json user cookie cookie-jar referer max-time \
            connect-timeout retry retry-delay write-out proxy cacert cert key config range resolve \
            interface mail-from mail-rcpt quote output-dir limit-rate oauth2-bearer max-redirs \
            dump-header proto unix-socket",
    };
    let found = arguments(args, takes);
    let is_data = |name: &str| {
        name.starts_with("dat")
            || name.starts_with("form")
            || name.starts_with("upl")
            || name == "json"
            || name.starts_with("mail-")
            || name.starts_with("quo")
            || name.starts_with("url-")
    };
    // With `-G` data is part of the address.
    let sends = found.iter().any(|argument| match argument {
        Argument::Short('d' | 'F' | 'T' | 'Q' | 'K', _) => true,
        Argument::Short('X', method) => !is_reading(*method),
        // The lines of a file as headers.
        Argument::Short('H', Some(header)) => header.starts_with('@'),
        Argument::Long("header", Some(header)) if header.starts_with('@') => true,
        Argument::Long(name, value) => {
            is_data(name)
                || name.starts_with("req") && *name != "request-target" && !is_reading(*value)
                || name.starts_with("conf")
        }
        Argument::Unclear(word) => {
            word.splits() && word.beginning().is_empty() && !looks_like_address(word)
        }
        _ => false,
    });
    let urls: Vec<&Word> = operands(&found);
    let named = found.iter().filter_map(|argument| match argument {
        Argument::Long("url", value) => *value,
        _ => None,
    });
    let elsewhere = named.clone().any(|url| !is_local(url));
    sends
        && (elsewhere
            || !all_local(&urls) && named.count() == 0
            || !urls.is_empty() && !all_local(&urls))
}

/// `$URL` is most often just that.
fn looks_like_address(word: &Word) -> bool {
    let text = word.written().to_ascii_lowercase();
    text.contains("url") || text.contains("host") || text.contains("://")
}

fn wget_sends(args: &[Word]) -> bool {
    let found = arguments(
        args,
        Takes {
            short: "OoPeTtUwQ",
            long: "\
                post-data post-file method body-data body-file header user password output-document",
        },
    );
    let sends = given(&found, "", "post-data post-file body-data body-file")
        || found.iter().any(|argument| matches!(argument, Argument::Long(name, method) if name.starts_with("met") && !is_reading(*method)));
    sends && !all_local(&operands(&found))
}

/// `http POST address`, fields that make it a POST, or something to read, which does too.
fn httpie_sends(command: &Command<'_>) -> bool {
    let found =
        arguments(command.args, Takes { short: "aAops", long: "auth print style output session" });
    let words = operands(&found);
    let method = words
        .first()
        .and_then(|word| word.known())
        .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase()));
    let rest = &words[usize::from(method.is_some())..];
    let Some((address, fields)) = rest.split_first() else { return false };
    let is_field = |word: &&Word| {
        let text = word.beginning();
        word.known().is_none() || text.contains('=') && !text.contains("==") || text.contains('@')
    };
    let is_fed = command.simple.feed != Feed::Nothing && !given(&found, "", "ignore-stdin");
    let sends = match method {
        Some(method) => !is_reading(Some(method)),
        None => is_fed || fields.iter().any(is_field),
    };
    sends && !all_local(&[*address])
}

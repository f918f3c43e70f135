//! Variables that make programs run something.

use crate::options::among;
use crate::{Doubt, command::Assign};

/// What is in them is a command.
const COMMANDS: &str = "\
    BROWSER EDITOR GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND \
    GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND MANPAGER PAGER PROMPT_COMMAND RUSTC_WRAPPER \
    SSH_ASKPASS VISUAL";

/// What is in them decides what runs, in ways that are not read here.
const POWERFUL: &str = "\
    BASHOPTS BASH_ENV DYLD_INSERT_LIBRARIES ENV GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL \
    GIT_CONFIG_PARAMETERS GIT_CONFIG_SYSTEM GIT_EXEC_PATH JAVA_TOOL_OPTIONS LD_AUDIT LD_PRELOAD \
    LESSCLOSE LESSOPEN PERL5OPT PYTHONSTARTUP RUBYOPT SHELLOPTS";

/// What is in them is expanded when a prompt is shown.
const PROMPTS: &str = "PS0 PS1 PS2 PS3 PS4";

/// The doubt about a variable that is set, and the script that it holds.
pub(crate) fn variable(assign: &Assign) -> (Option<Doubt>, Option<String>) {
    let Assign { name, value } = assign;
    let doubt = || Some(Doubt::SetsVariable(name.clone()));
    let known = value.known();
    let name = name.as_str();
    if among(name, COMMANDS) {
        return match known {
            Some(text) => (None, Some(text.to_owned())),
            None => (doubt(), None),
        };
    }
    let loads = |text: &str| {
        ["-r", "--require", "--import", "--loader", "--experimental-loader"]
            .iter()
            .any(|option| text.split_whitespace().any(|word| word.starts_with(option)))
    };
    let is_open = match name {
        _ if among(name, POWERFUL) || name.starts_with("BASH_FUNC_") => known != Some(""),
        _ if name.starts_with("GIT_CONFIG_KEY_") || name.starts_with("GIT_CONFIG_VALUE_") => true,
        _ if among(name, PROMPTS) => known.is_none_or(|text| text.contains(['$', '`'])),
        "NODE_OPTIONS" => known.is_some_and(loads) || loads(value.written()),
        // An error in arithmetic that is none: the index of a list is run.
        _ => known.is_some_and(super::is_detour),
    };
    (is_open.then(doubt).flatten(), None)
}

//! Every command as a subcommand, built from its schema: `openspace editor open src/main.rs --line 3`.
//!
//! Required arguments are positional in their order, the others are options. Texts are taken as
//! they are, an option for several texts may be repeated, and everything else is read as JSON.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};
use clap::{Arg, ArgAction, ArgMatches, Command as Clap};
use openspace_command::{Definition, ErrorKind, Shown, words_of};
use openspace_workspace::{OpenSpace, Registry, areas::approvals::words::seen};
use serde_json::{Map, Value, json};

use crate::{client::Client, output::complain, output::print, status::exit_code};

#[cfg(test)]
mod tests;

/// A command that the command line asks for.
pub(super) struct Called {
    /// Its canonical id.
    pub(super) id: String,
    /// Its arguments.
    pub(super) args: Value,
    /// The workspace to run it in.
    pub(super) workspace: PathBuf,
    /// Whether to print the answer as JSON.
    pub(super) json: bool,
    /// Arguments that are secrets, which are read from standard input.
    pub(super) secrets: Vec<String>,
}

/// Add a subcommand for each area, with one for each of its commands.
pub(super) fn add_to(mut root: Clap, registry: &Registry) -> Clap {
    for definition in registry.all() {
        if definition.shown == Shown::Hidden {
            continue;
        }
        let Some((area, verb)) = area_and_verb(&definition.id) else { continue };
        let leaf = subcommand(verb, &definition);
        if root.find_subcommand(area).is_none() {
            let about = format!("Commands about {}", plural(area));
            let group = Clap::new(area.to_owned())
                .about(about)
                .subcommand_required(true)
                .arg_required_else_help(true)
                // The area `command` has a `help` of its own.
                .disable_help_subcommand(true);
            root = root.subcommand(group);
        }
        root = root.mut_subcommand(area, |group| group.subcommand(leaf));
    }
    root
}

fn plural(area: &str) -> String {
    match area {
        // There is one of it.
        "code" => area.to_owned(),
        area => format!("{area}s"),
    }
}

fn area_and_verb(id: &str) -> Option<(&str, &str)> {
    id.strip_prefix("openspace.")?.split_once('.')
}

/// `read_output` is typed `read-output`.
fn dashed(name: &str) -> String {
    let mut word = String::new();
    for c in name.chars() {
        match c {
            '_' | '.' => word.push('-'),
            c if c.is_ascii_uppercase() => {
                word.push('-');
                word.push(c.to_ascii_lowercase());
            }
            c => word.push(c),
        }
    }
    word
}

fn subcommand(verb: &str, definition: &Definition<OpenSpace>) -> Clap {
    let mut command = Clap::new(dashed(verb))
        .about(definition.doc.lines().next().unwrap_or_default().to_owned())
        .long_about(definition.doc.clone());
    // What is typed as an argument is seen by everybody on this machine.
    for argument in arguments(definition).iter().filter(|one| !(one.secret && one.required)) {
        command = command.arg(argument.to_clap());
    }
    command
        .arg(Arg::new("json output").long("json").action(ArgAction::SetTrue).help("Print the answer as JSON"))
        .arg(
            Arg::new("in workspace")
                .long("workspace")
                .value_name("FOLDER")
                .default_value(".")
                .value_parser(clap::value_parser!(PathBuf))
                .help("The workspace [default: the current folder or the nearest above it that is served]")
                .hide_default_value(true),
        )
}

/// An argument of a command, as its schema has it.
struct Argument {
    name: String,
    kind: String,
    required: bool,
    help: String,
    values: Vec<String>,
    /// Whether it is a list of texts.
    texts: bool,
    /// What its JSON looks like.
    form: String,
    /// Whether it is a secret, which no argument holds.
    secret: bool,
}

/// What the JSON of a schema looks like, in one line; `?` marks what may be left out.
fn form(schema: &Value) -> String {
    let words = words_of(schema);
    if !words.is_empty() {
        return words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join("|");
    }
    let several = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
    match (schema.get("type").and_then(Value::as_str), several) {
        (Some("array"), _) => format!("[{}, …]", schema.get("items").map_or("…".into(), form)),
        (Some("object"), _) => {
            let required = schema.get("required").and_then(Value::as_array);
            let is_required =
                |name: &String| required.is_some_and(|all| all.iter().any(|word| word == name));
            let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            let members = members.map(|(name, member)| {
                let mark = if is_required(name) { "" } else { "?" };
                format!("\"{name}\"{mark}: {}", form(member))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        (Some("string"), _) => "\"text\"".into(),
        (Some("integer" | "number"), _) => "N".into(),
        (Some("boolean"), _) => "true|false".into(),
        (_, Some(forms)) => forms.iter().map(form).collect::<Vec<_>>().join(" or "),
        _ => "…".into(),
    }
}

fn arguments(definition: &Definition<OpenSpace>) -> Vec<Argument> {
    let schema = &definition.input;
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties
        .map(|(name, schema)| Argument {
            name: name.clone(),
            kind: schema.get("type").and_then(Value::as_str).unwrap_or("value").to_owned(),
            required: required.contains(&name.as_str()),
            help: schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            values: words_of(schema).into_iter().map(str::to_owned).collect(),
            texts: schema.pointer("/items/type").is_some_and(|kind| kind == "string"),
            form: form(schema),
            secret: schema.get("writeOnly") == Some(&Value::Bool(true)),
        })
        .collect()
}

impl Argument {
    fn to_clap(&self) -> Arg {
        if self.secret {
            let help = format!("{} It is read from standard input", self.help);
            return Arg::new(self.name.clone())
                .long(self.option())
                .action(ArgAction::SetTrue)
                .help(help);
        }
        let placeholder = match self.kind.as_str() {
            "array" if self.texts => "TEXT".to_owned(),
            "array" | "object" => "JSON".to_owned(),
            "integer" | "number" => "N".to_owned(),
            _ => dashed(&self.name).to_uppercase(),
        };
        let takes_json = placeholder == "JSON";
        let mut argument =
            Arg::new(self.name.clone()).help(self.help.clone()).value_name(placeholder);
        if takes_json {
            argument = argument.long_help(format!("{}\n\nJSON: {}", self.help, self.form));
        }
        argument =
            if self.required { argument.required(true) } else { argument.long(self.option()) };
        if self.kind == "boolean" && !self.required {
            argument = argument
                .num_args(0..=1)
                // Else the word after a bare flag would be taken for its value.
                .require_equals(true)
                .default_missing_value("true")
                .value_parser(["true", "false"]);
        } else if self.texts {
            argument = argument.action(ArgAction::Append);
        } else if !self.values.is_empty() {
            argument = argument
                .value_parser(clap::builder::PossibleValuesParser::new(self.values.clone()));
        }
        argument.allow_hyphen_values(self.required)
    }

    /// Its option. `--workspace` already says in which folder the command runs.
    fn option(&self) -> String {
        match self.name.as_str() {
            "workspace" => "workspace-id".into(),
            name => dashed(name),
        }
    }

    /// The words on the command line as the value that the schema asks for.
    fn value(&self, words: &[&String]) -> Value {
        let whole = |word: &str| serde_json::from_str::<Value>(word).ok().filter(Value::is_array);
        match words {
            [word] if self.texts => whole(word).unwrap_or_else(|| json!([word])),
            [word] => self.single(word),
            many => json!(many),
        }
    }

    fn single(&self, word: &str) -> Value {
        if self.kind == "string" || !self.values.is_empty() {
            return Value::String(word.to_owned());
        }
        // What cannot be read goes on as text: the server then names the argument in its error.
        serde_json::from_str(word).unwrap_or_else(|_| Value::String(word.to_owned()))
    }
}

/// The command that was asked for, if one was and not another verb.
pub(super) fn called(matches: &ArgMatches) -> Option<Called> {
    let (area, group) = matches.subcommand()?;
    let (verb, leaf) = group.subcommand()?;
    let registry = openspace_workspace::registry();
    let definition = registry.all().into_iter().find(|definition| {
        // A hidden one is no subcommand: what was typed is a verb of its own, such as `policy check`.
        definition.shown != Shown::Hidden
            && area_and_verb(&definition.id).is_some_and(|(a, v)| a == area && dashed(v) == verb)
    })?;
    let mut args = Map::new();
    let mut secrets = Vec::new();
    for argument in arguments(&definition) {
        if argument.secret {
            if argument.required || leaf.get_flag(&argument.name) {
                secrets.push(argument.name);
            }
            continue;
        }
        if let Some(words) = leaf.get_many::<String>(&argument.name) {
            let words: Vec<&String> = words.collect();
            args.insert(argument.name.clone(), argument.value(&words));
        }
    }
    Some(Called {
        id: definition.id.clone(),
        args: Value::Object(args),
        workspace: leaf.get_one::<PathBuf>("in workspace").cloned().unwrap_or_else(|| ".".into()),
        json: leaf.get_flag("json output"),
        secrets,
    })
}

/// Whether who types this command at a shell speaks as the person, with the key that only a person has.
pub(super) fn is_persons_own(id: &str) -> bool {
    matches!(
        id,
        "openspace.chat.answer"
            | "openspace.chat.configure"
            | "openspace.chat.log_in"
            | "openspace.chat.open_log_in"
            | "openspace.chat.finish_log_in"
            | "openspace.chat.log_out"
            | "openspace.code.trust"
    )
}

/// Whether a command prints what is in files or what programs print: that goes through as it is. All else are names,
/// paths and lines that others chose.
fn shows_contents(id: &str) -> bool {
    matches!(
        id.strip_prefix("openspace.").unwrap_or(id),
        "workspace.bash"
            | "workspace.git"
            | "workspace.grep"
            | "workspace.read"
            | "workspace.run_output"
            | "terminal.read_output"
            | "terminal.run"
            | "file.read"
            | "editor.read_file"
            | "command.run"
    )
}

/// Run a command on the server, print the answer, and exit as it ended.
pub(super) async fn call(client: &Client, id: &str, args: &Value, json: bool) -> Result<ExitCode> {
    let answer = client.call(id, args, !json).await?;
    let text = String::from_utf8_lossy(&answer.body);
    let Some(kind) = answer.kind else {
        if answer.status >= 400 {
            anyhow::bail!("the server refused with status {}: {text}", answer.status);
        }
        let text = text.trim_end_matches('\n');
        if json || shows_contents(id) {
            print(text)?;
        } else {
            print(&seen(text))?;
        }
        // What the program that was run says of itself is said of this one.
        return Ok(answer.exit_code.map_or(ExitCode::SUCCESS, ExitCode::from));
    };
    if json {
        print(&text)?;
    } else {
        complain(&seen(&with_typed_names(&text, &openspace_workspace::registry())));
    }
    exit_as(kind)
}

/// The failure with a hint that names commands as they are typed here. What went wrong stays as it is:
/// it may name a file that is called like a tool.
fn with_typed_names(text: &str, registry: &Registry) -> String {
    let Some((error, hint)) = text.split_once("\nHint: ") else { return text.to_owned() };
    let mut typed = format!("{error}\nHint: ");
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = hint;
    while let Some(start) = rest.find(is_of_name) {
        let name = &rest[start..];
        let name = &name[..name.find(|c| !is_of_name(c)).unwrap_or(name.len())];
        typed.push_str(&rest[..start]);
        let found = registry.find(name);
        let found = found.filter(|found| found.tool == name && found.shown != Shown::Hidden);
        match found.as_ref().and_then(|found| area_and_verb(&found.id)) {
            Some((area, verb)) => {
                typed.push_str(&["openspace", area, &dashed(verb)].join(" "));
            }
            None => typed.push_str(name),
        }
        rest = &rest[start + name.len()..];
    }
    typed + rest
}

/// The exit code of a kind of failure.
pub(super) fn exit_as(kind: String) -> Result<ExitCode> {
    let kind: ErrorKind =
        serde_json::from_value(Value::String(kind)).context("the kind of failure")?;
    Ok(ExitCode::from(exit_code(kind)))
}

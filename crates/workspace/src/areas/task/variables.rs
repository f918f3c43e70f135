//! Variables in the words of a task, such as `${workspaceFolder}`: what is known here is put in, and what is
//! not is an error that says what to do instead. Nothing of the server's own environment is ever put in.

use std::{collections::BTreeMap, path::PathBuf};

use openspace_command::{Error, Result};
use openspace_protocol::RelPath;

/// What means something to a shell. Whoever names a file must not write a part of the line.
const READ: &str = "`$;&|<>(){}[]*?!\"'\\#~";

/// What variables stand for in one run.
pub(super) struct Variables<'a> {
    /// The root, as programs in the place see it.
    pub(super) root: PathBuf,
    /// The file that the caller means.
    pub(super) file: Option<RelPath>,
    /// Whether a shell reads what comes of it.
    pub(super) by_shell: bool,
    /// The line that the caller means.
    pub(super) line: Option<u32>,
    /// What the caller answered to the inputs of the file.
    pub(super) inputs: &'a BTreeMap<String, String>,
}

impl Variables<'_> {
    /// A text with all its variables put in.
    pub(super) fn put_into(&self, text: &str) -> Result<String> {
        let mut done = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            done.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                done.push_str("${");
                rest = after;
                continue;
            };
            done.push_str(&self.value(name)?);
            rest = after;
        }
        done.push_str(rest);
        Ok(done)
    }

    fn value(&self, name: &str) -> Result<String> {
        let root = || self.root.to_string_lossy().into_owned();
        Ok(match name {
            "workspaceFolder" | "workspaceRoot" | "cwd" => root(),
            "workspaceFolderBasename" => name_of(&self.root),
            "pathSeparator" | "/" => "/".into(),
            "lineNumber" => self.line.ok_or_else(|| missing(name, "line"))?.to_string(),
            _ => match name.split_once(':') {
                Some(("input", id)) => self.inputs.get(id).cloned().ok_or_else(|| {
                    Error::invalid(format!("argument `inputs`: `{id}` is missing"))
                        .hint("task_list says what the task asks for")
                })?,
                Some(("env", variable)) => {
                    return Err(unknown(name).hint(format!(
                        "the server's environment is not put into tasks; write ${variable}, which the shell looks up"
                    )));
                }
                _ => self.of_file(name)?,
            },
        })
    }

    fn of_file(&self, name: &str) -> Result<String> {
        let known = [
            "file",
            "relativeFile",
            "relativeFileDirname",
            "fileDirname",
            "fileBasename",
            "fileBasenameNoExtension",
            "fileExtname",
            "fileWorkspaceFolder",
            "fileDirnameBasename",
        ];
        if !known.contains(&name) {
            return Err(unknown(name).hint(format!(
                "known are workspaceFolder, workspaceFolderBasename, cwd, pathSeparator, lineNumber, input:…, {}",
                known.join(", ")
            )));
        }
        let file = self.file.as_ref().ok_or_else(|| missing(name, "file"))?;
        if self.by_shell && file.as_str().contains(|c: char| c.is_control() || READ.contains(c)) {
            let message = "the name of the file has characters that a shell would read as its own";
            return Err(Error::invalid(message)
                .hint("a task of the type `process` takes any name, and so does another file"));
        }
        let path = self.root.join(file.as_str());
        let parent = path.parent().unwrap_or(&self.root).to_path_buf();
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        Ok(match name {
            "file" => text(path),
            "relativeFile" => file.to_string(),
            "fileDirname" => text(parent),
            "fileDirnameBasename" => name_of(&parent),
            "fileBasename" => name_of(&path),
            "fileBasenameNoExtension" => {
                path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
            }
            "fileExtname" => path
                .extension()
                .map(|extension| format!(".{}", extension.to_string_lossy()))
                .unwrap_or_default(),
            "fileWorkspaceFolder" => text(self.root.clone()),
            _ => file.parent().map_or_else(|| ".".into(), |parent| parent.to_string()),
        })
    }
}

fn name_of(path: &std::path::Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn unknown(name: &str) -> Error {
    let shown: String = name.chars().take(100).collect();
    Error::invalid(format!("the variable `${{{shown}}}` is not known here"))
}

fn missing(name: &str, argument: &str) -> Error {
    Error::invalid(format!("argument `{argument}`: is missing, and the task has `${{{name}}}`"))
        .hint("open the file that is meant, or name it")
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn variables(inputs: &BTreeMap<String, String>) -> Variables<'_> {
        let file = Some(RelPath::parse("src/a.test.ts").unwrap());
        Variables { root: "/w/app".into(), file, by_shell: true, line: Some(7), inputs }
    }

    #[test]
    fn the_name_of_a_file_is_never_a_part_of_the_line() {
        let inputs = BTreeMap::new();
        for name in ["a;reboot", "$(id).ts", "`id`", "a'b", "x && y", "a\nb"] {
            let file = Some(RelPath::parse(name).unwrap());
            let named = Variables { file: file.clone(), ..variables(&inputs) };
            assert!(named.put_into("cat ${fileBasename}").is_err(), "{name}");
            let process = Variables { file, by_shell: false, ..variables(&inputs) };
            assert_eq!(process.put_into("${relativeFile}").unwrap(), name);
        }
    }

    #[test]
    fn what_is_known_is_put_in() {
        let inputs = BTreeMap::from([("who".to_owned(), "me".to_owned())]);
        let variables = variables(&inputs);
        for (text, wanted) in [
            ("${workspaceFolder}/x ${workspaceFolderBasename}", "/w/app/x app"),
            ("${file}|${relativeFile}|${lineNumber}", "/w/app/src/a.test.ts|src/a.test.ts|7"),
            ("${fileBasename} ${fileBasenameNoExtension} ${fileExtname}", "a.test.ts a.test .ts"),
            ("${fileDirname} ${fileDirnameBasename} ${relativeFileDirname}", "/w/app/src src src"),
            ("${cwd}${/}${pathSeparator} $X ${input:who}", "/w/app// $X me"),
            ("a ${b", "a ${b"),
        ] {
            assert_eq!(variables.put_into(text).unwrap(), wanted);
        }
    }

    #[test]
    fn what_is_not_known_is_an_error_that_names_it() {
        let inputs = BTreeMap::new();
        let all = variables(&inputs);
        let none = Variables { file: None, line: None, ..variables(&inputs) };
        for (variables, text, message) in [
            (&all, "${env:HOME}", "the variable `${env:HOME}` is not known here"),
            (&all, "${command:x.y}", "the variable `${command:x.y}` is not known here"),
            (&all, "${input:who}", "argument `inputs`: `who` is missing"),
            (
                &none,
                "${fileDirname}",
                "argument `file`: is missing, and the task has `${fileDirname}`",
            ),
            (
                &none,
                "${lineNumber}",
                "argument `line`: is missing, and the task has `${lineNumber}`",
            ),
        ] {
            assert_eq!(variables.put_into(text).unwrap_err().message, message);
        }
    }
}

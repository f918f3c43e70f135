//! What is read of a file of tasks, and what is said of what cannot be.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn only(task: &Value) -> Definition {
    let mut file = read(json!({"version": "2.0.0", "tasks": [task]})).unwrap();
    file.tasks.remove(0)
}

#[test]
fn what_is_said_for_this_system_and_for_one_task_is_said_over_the_rest() {
    let file = json!({
        "version": "2.0.0", "type": "shell", "options": {"cwd": "a", "env": {"A": "1", "B": "1"}},
        "presentation": {"panel": "new"},
        "tasks": [{
            "label": "x", "command": "make", "windows": {"command": "nmake"},
            "linux": {"options": {"env": {"B": "2"}}}, "options": {"env": {"C": "3"}},
            "group": {"kind": "build", "isDefault": true},
        }],
    });
    let task = read(file).unwrap().tasks.remove(0);
    let runs = task.runs.unwrap();
    assert_eq!((task.group, task.is_default, task.unusable), (Some(Group::Build), true, None));
    assert_eq!((runs.cwd.as_deref(), runs.by_shell), (Some("a"), true));
    let env: Vec<_> = runs.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(env, ["A=1", "B=2", "C=3"]);
    assert_eq!(runs.shown, Shown { in_new: true, ..Shown::default() });
}

#[test]
fn a_task_of_npm_is_its_script() {
    let task = only(&json!({"type": "npm", "script": "build:all", "path": "web"}));
    let runs = task.runs.unwrap();
    assert_eq!((task.label.as_str(), runs.cwd.as_deref()), ("npm: build:all", Some("web")));
    assert_eq!(runs.args, [Word::Plain("run".into()), Word::Plain("build:all".into())]);
}

#[test]
fn what_cannot_be_run_says_why_and_what_means_nothing_is_noted() {
    for (task, why) in [
        (
            json!({"type": "gulp"}),
            "tasks of the type `gulp` need an extension; known are shell, process and npm",
        ),
        (json!({"type": "npm"}), "it has no `script`"),
        (json!({"type": "shell"}), "it has no `command`"),
        (
            json!({"type": "shell", "command": "x", "options": {"shell": {"executable": "zsh"}}}),
            "`options.shell` is not known here: its terminal has the usual shell",
        ),
        (
            json!({"command": "x", "options": {"env": {"A B": "x"}}}),
            "`options.env`: `A B` is no name of a variable",
        ),
        (
            json!({"dependsOn": ["a"], "dependsOrder": "random"}),
            "`dependsOrder` is `random`, not parallel or sequence",
        ),
        (json!({"command": 3}), "data did not match any variant of untagged enum Word"),
    ] {
        let mut task = task;
        task["label"] = json!("x");
        assert_eq!(only(&task).unusable.as_deref(), Some(why));
    }
    let noted = json!({"label": "x", "command": "y",
        "runOptions": {"runOn": "folderOpen", "instanceLimit": 2}});
    assert_eq!(
        only(&noted).notes,
        ["it does not run by itself when the folder is opened", "it runs once at a time"]
    );
}

#[test]
fn a_file_that_is_none_is_refused_and_an_empty_one_has_no_tasks() {
    assert!(read(Value::Null).unwrap().tasks.is_empty());
    let two = json!([{"label": "a", "command": "x"}, {"label": "a", "command": "y"}]);
    for (file, why) in [
        (json!([]), "`.vscode/tasks.json`: is not an object"),
        (
            json!({"version": "0.1.0"}),
            "`.vscode/tasks.json`: `version` is \"0.1.0\", and 2.0.0 is what can be read",
        ),
        (json!({"tasks": {}}), "`.vscode/tasks.json`: `tasks` is not a list"),
        (json!({"tasks": [{}]}), "`.vscode/tasks.json`: `tasks[0]` has no `label`"),
        (json!({"tasks": [3]}), "`.vscode/tasks.json`: `tasks[0]` is not an object"),
        (json!({"tasks": two}), "`.vscode/tasks.json`: two tasks have the label `a`"),
    ] {
        assert_eq!(read(file).unwrap_err().message, why);
    }
}

#[test]
fn inputs_are_what_a_caller_can_answer() {
    let file = json!({"inputs": [
        {"id": "a", "type": "promptString", "description": "Name", "password": true},
        {"id": "b", "type": "pickString", "options": ["x", {"label": "Why", "value": "y"}],
            "default": "x"},
        {"id": "c", "type": "command", "command": "z"},
    ]});
    assert_eq!(
        json!(read(file).unwrap().inputs),
        json!([
            {"id": "a", "description": "Name", "default": null, "options": [], "password": true},
            {"id": "b", "description": null, "default": "x", "options": ["x", "y"],
                "password": false},
        ])
    );
}

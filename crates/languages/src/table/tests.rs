//! Our own table is right, and a person's own replaces it entry by entry.

use pretty_assertions::assert_eq;

use super::*;

fn ids<'a>(servers: impl Iterator<Item = &'a KnownServer>) -> Vec<&'a str> {
    servers.map(|server| server.id.as_str()).collect()
}

#[test]
fn ours_has_no_mistakes_and_names_languages_that_there_are() {
    let table = Table::with("");
    assert_eq!(table.errors, []);
    for server in &table.servers {
        for language in &server.languages {
            assert!(
                table.languages.iter().any(|it| it.id == *language),
                "{}: {language}",
                server.id
            );
        }
    }
    for language in &table.languages {
        assert!(
            table.servers.iter().any(|it| it.languages.contains(&language.id)),
            "{}",
            language.id
        );
    }
}

#[test]
fn a_file_has_a_language_by_its_name() {
    let table = Table::with("");
    let cases = [
        ("/p/a.ts", Some("typescript")),
        ("/p/a.d.ts", Some("typescript")),
        ("/p/A.TSX", Some("typescriptreact")),
        ("/p/go.mod", Some("go.mod")),
        ("/p/Cargo.lock", Some("toml")),
        ("/p/x.unknown", None),
        ("/p/Makefile", None),
        ("/", None),
    ];
    for (path, expected) in cases {
        let language = table.language_of(Path::new(path));
        assert_eq!(language.map(|it| it.id.as_str()), expected, "{path}");
    }
}

#[test]
fn servers_of_a_language_come_in_order_and_those_that_are_off_do_not() {
    let table = Table::with("");
    assert_eq!(ids(table.servers_for("python")), ["ty", "basedpyright", "pyright", "ruff"]);
    assert_eq!(
        ids(table.servers_for("typescript")),
        ["tsc", "vtsls", "typescript-language-server"]
    );
    assert_eq!(ids(table.servers_for("markdown")), [""; 0]);
    assert_eq!(table.server("tsc").unwrap().ready, ReadyBy::AtOnce);
    assert_eq!(table.server("gopls").unwrap().ready, ReadyBy::Quiet { ms: 300, answered: false });
    assert_eq!(table.server("taplo").unwrap().ready, ReadyBy::default());
}

#[test]
fn a_persons_own_replace_ours_and_new_ones_come_first() {
    let own = r#"
        [[language]]
        id = "python"
        extensions = ["py", "pyw"]

        [[server]]
        id = "ruff"
        name = "My Ruff"
        languages = ["python"]
        command = ["/opt/ruff", "server"]

        [[server]]
        id = "mine"
        name = "Mine"
        languages = ["python"]
        command = ["mine"]
        settings = { "a.b" = 1 }
    "#;
    let table = Table::with(own);
    assert_eq!(table.errors, []);
    assert_eq!(ids(table.servers_for("python")), ["mine", "ty", "basedpyright", "pyright", "ruff"]);
    assert_eq!(table.server("ruff").unwrap().name, "My Ruff");
    assert_eq!(table.language_of(Path::new("a.pyw")).unwrap().id, "python");
    assert_eq!(table.language_of(Path::new("a.pyi")), None);
}

#[test]
fn what_is_wrong_is_named_and_leaves_the_rest_alone() {
    let server = |id: &str, rest: &str| {
        format!(
            "[[server]]\nid = \"{id}\"\nname = \"N\"\nlanguages = [\"rust\"]\ncommand = [\"x\"]\n{rest}\n"
        )
    };
    let cases = [
        (server("Big", ""), "server `Big`: `id` must be a word of a-z, 0-9 and -"),
        (
            server("a", "folders = [\"../x\"]"),
            "server `a`: `folders` has `../x`, which is not a path beneath the project",
        ),
        (server("a", "roots = [\"a/b\"]"), "server `a`: `a/b` is not the name of a file"),
        (server("a", "") + &server("a", ""), "server `a`: there is another with this id"),
        ("[[server]]\nname = \"N\"".to_owned(), "server number 1: missing field `id`"),
        (
            "[[language]]\nid = \"x\"".to_owned(),
            "language `x`: it has neither `extensions` nor `names`, so no file is in it",
        ),
        (
            "[[language]]\nid = \"x\"\nextensions = [\".x\"]".to_owned(),
            "language `x`: `extensions` has `.x`; endings are written without the dot",
        ),
        (
            "[other]".to_owned(),
            "the list of language servers has `other`, which is not known; there are `[[server]]`, \
             `[[language]]`, `[limits]` and `after_edit`",
        ),
        (
            "after_edit = \"all\"".to_owned(),
            "`after_edit` of the list of language servers: unknown variant `all`, expected one of `new`, `errors`, `off`",
        ),
        (
            "server = 7".to_owned(),
            "the list of language servers has `server`, which is not known; there are `[[server]]`, \
             `[[language]]`, `[limits]` and `after_edit`",
        ),
    ];
    for (own, expected) in cases {
        let table = Table::with(&own);
        let errors: Vec<String> = table.errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors, [expected], "{own}");
        assert!(table.server("rust-analyzer").is_some());
    }
    let unknown = Table::with(&server("a", "colour = 7")).errors;
    assert!(
        unknown[0].to_string().starts_with("server `a`: unknown field `colour`"),
        "{unknown:?}"
    );
    let broken = Table::with("[[server").errors;
    assert!(matches!(broken[..], [EntryError::NotToml(_)]), "{broken:?}");
}

#[test]
fn a_person_says_what_servers_may_use_and_what_edits_tell() {
    let said = Table::with("after_edit = \"errors\"\n[limits]\nmemory_mib = 512\n");
    let limits = Limits { memory_mib: 512, ..Limits::default() };
    assert_eq!(
        (said.errors, said.limits, said.after_edit),
        (vec![], Some(limits), AfterEdit::Errors)
    );
    let ours = Table::with("");
    assert_eq!((ours.limits, ours.after_edit), (None, AfterEdit::New));
}

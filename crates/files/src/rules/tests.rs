//! Which paths are secret or protected, in every spelling.

use super::*;

fn rules(secret: &[&str], protected: &[&str]) -> Rules {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    Rules::new(&owned(secret), &owned(protected)).unwrap()
}

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

#[track_caller]
fn check_read(rules: &Rules, text: &str, expected: Result<(), &str>) {
    assert_eq!(rules.may_read(&path(text)), expected, "reading {text}");
}

#[track_caller]
fn check_write(rules: &Rules, text: &str, expected: Result<(), &str>) {
    assert_eq!(rules.may_write(&path(text)), expected, "writing {text}");
}

#[test]
fn secrets_are_denied_at_any_depth_and_in_any_case() {
    let rules = rules(&[], &[]);
    for (text, rule) in [
        (".env", ".env"),
        ("deep/er/.env", ".env"),
        (".ENV", ".env"),
        (".env.local", ".env.*"),
        (".Env.Production", ".env.*"),
        (".git", ".git"),
        (".git/config", ".git"),
        (".GIT/config", ".git"),
        ("vendor/lib/.git/hooks/pre-commit", ".git"),
        ("id_rsa", "id_rsa"),
        ("keys/ID_RSA", "id_rsa"),
        ("id_dsa", "id_dsa"),
        ("id_ecdsa", "id_ecdsa"),
        ("id_ed25519", "id_ed25519"),
        ("tls/server.pem", "*.pem"),
        ("tls/server.KEY", "*.key"),
        ("credentials.json", "credentials.json"),
        ("config/secrets.yaml", "secrets.*"),
        ("config/Secrets.d/token", "secrets.*"),
    ] {
        check_read(&rules, text, Err(rule));
        check_write(&rules, text, Err(rule));
    }
}

#[test]
fn names_that_only_look_like_secrets_are_read() {
    let rules = rules(&[], &[]);
    for text in [
        "",
        ".env.example",
        "deep/.ENV.EXAMPLE",
        ".gitignore",
        ".github/workflows/ci.yml",
        "environment",
        "id_rsa.pub",
        "keyboard.rs",
        "secrets",
        "my.git/x",
    ] {
        check_read(&rules, text, Ok(()));
        check_write(&rules, text, Ok(()));
    }
}

#[test]
fn stores_of_keys_and_log_ins_of_tools_are_secret_wherever_they_lie() {
    let rules = rules(&[], &[]);
    for (text, rule) in [
        ("tls/client.p12", "*.p12"),
        ("tls/client.PFX", "*.pfx"),
        ("android/app/release.jks", "*.jks"),
        ("android/app/upload.keystore", "*.keystore"),
        ("AuthKey_1.p8", "*.p8"),
        ("team.kdbx", "*.kdbx"),
        (".netrc", ".netrc"),
        ("home/_netrc", "_netrc"),
        (".git-credentials", ".git-credentials"),
        (".pypirc", ".pypirc"),
        ("www/.htpasswd", ".htpasswd"),
        (".pgpass", ".pgpass"),
        (".envrc", ".envrc"),
        (".envrc.private", ".envrc.*"),
        (".aws/credentials", ".aws/credentials"),
        ("home/me/.aws/credentials", ".aws/credentials"),
        ("ci/.docker/config.json", ".docker/config.json"),
        (".kube/config", ".kube/config"),
        (".ssh/work", ".ssh"),
        (".config/gcloud/credentials.db", ".config/gcloud"),
        ("key/serviceAccountKey.json", "serviceAccount*.json"),
        ("client_secret_1.apps.json", "client_secret*.json"),
        ("terraform.tfstate", "*.tfstate"),
        ("infra/terraform.tfstate.backup", "*.tfstate.*"),
        ("infra/prod.tfvars", "*.tfvars"),
        ("infra/prod.auto.tfvars.json", "*.tfvars.json"),
    ] {
        check_read(&rules, text, Err(rule));
        check_write(&rules, text, Err(rule));
    }
}

#[test]
fn templates_settings_and_what_everybody_has_are_no_secrets() {
    let rules = rules(&[], &[]);
    for text in [
        "prod.tfvars.example",
        "example.tfvars",
        ".envrc.example",
        ".envrc.sample",
        "service-account.template.json",
        "android/app/debug.keystore",
        ".npmrc",
        ".aws/task-definition.json",
        ".docker/Dockerfile",
        "config.json",
        "credentials",
        "pkg/kubeconfig/load.go",
        "src/tfvars.rs",
        ".cargo/config.toml",
        "locales/en/auth.json",
    ] {
        check_read(&rules, text, Ok(()));
        check_write(&rules, text, Ok(()));
    }
    for (text, expected) in [
        (".npmrc", true),
        ("web/.NPMRC", true),
        (".cargo/config.toml", true),
        ("config.toml", false),
        (".npmrc/x", false),
    ] {
        assert_eq!(is_of_settings(text), expected, "{text}");
    }
}

#[test]
fn the_page_about_security_names_every_rule() {
    let page = include_str!("../../../../docs/concepts/security.md");
    let names = SECRET.iter().chain(ALSO_SECRET).chain(KNOWN_TO_ALL).chain(SETTINGS);
    let names = names.chain(PROTECTED).chain(masking::PACKAGES);
    let missing: Vec<&str> =
        names.copied().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn an_exempt_folder_hides_no_secret() {
    check_read(&rules(&[], &[]), ".env.example/.env", Err(".env"));
    check_read(&rules(&[], &[]), ".env.example.pem", Err(".env.*"));
}

#[test]
fn protected_folders_are_read_and_not_written() {
    let rules = rules(&[], &[]);
    for (text, rule) in [
        ("node_modules/left-pad/index.js", "node_modules"),
        ("web/NODE_MODULES/x", "node_modules"),
        (".openspace/settings.json", ".openspace"),
    ] {
        check_read(&rules, text, Ok(()));
        check_write(&rules, text, Err(rule));
    }
}

#[test]
fn own_patterns_add_to_the_built_in_ones() {
    let rules = rules(
        &["*.token", ".env.example", "private/", "/top.txt"],
        &["dist", "docs/generated/*.md"],
    );
    check_read(&rules, "a/b.TOKEN", Err("*.token"));
    check_read(&rules, ".env.example", Err(".env.example"));
    check_read(&rules, "x/private/y/z", Err("private/"));
    check_read(&rules, "top.txt", Err("/top.txt"));
    check_read(&rules, "sub/top.txt", Ok(()));
    check_read(&rules, ".env", Err(".env"));
    check_write(&rules, "web/dist/app.js", Err("dist"));
    check_write(&rules, "docs/generated/api.md", Err("docs/generated/*.md"));
    check_write(&rules, "docs/generated/deep/api.md", Ok(()));
    check_read(&rules, "web/dist/app.js", Ok(()));
}

#[test]
fn a_bad_pattern_is_named() {
    for (pattern, reason) in [
        ("", "it is empty"),
        ("/", "it is empty"),
        ("!.env", "it starts with `!`, and a pattern cannot make an exception"),
        ("a/../b", "it contains `..`"),
        ("[z-a]", "invalid range; 'z' > 'a'"),
    ] {
        let error = Rules::new(&[], &[pattern.to_owned()]).unwrap_err();
        assert_eq!((error.pattern.as_str(), error.reason.as_str()), (pattern, reason));
    }
}

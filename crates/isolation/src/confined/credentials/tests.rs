//! Settings keep what is of use and lose what is secret.

use super::*;

/// Nothing that begins like this may be left of a text.
const SECRET: &str = "s3cret";

#[track_caller]
fn check(format: Format, text: &str, expected: Option<&str>) {
    let kept = without(format, text);
    assert_eq!(kept.as_deref(), expected);
    assert!(!kept.unwrap_or_default().contains(SECRET));
}

#[test]
fn settings_of_npm_lose_their_tokens() {
    let text = "registry=https://npm.example.org/\n//npm.example.org/:_authToken=s3cret\n\
                _password=s3cret\nkey=s3cret\nproxy=http://me:s3cret@proxy:8080/\n; _auth=s3cret\n\
                save-exact=true\n\"//x/:_authToken\" \"s3cret\"\n";
    let expected = "registry=https://npm.example.org/\nproxy=http://proxy:8080/\nsave-exact=true\n";
    check(Format::Ini, text, Some(expected));
}

#[test]
fn settings_of_pip_lose_the_user_of_an_index() {
    let text = "[global]\nindex-url = https://me:s3cret@pypi.example.org/simple\n\
                extra-index-url =\n    https://s3cret@a/simple\n    https://b/simple\n\
                password =\n    s3cret\n    s3cret-too\ntimeout = 60\n";
    let expected = "[global]\nindex-url = https://pypi.example.org/simple\nextra-index-url =\n    \
                    https://a/simple\n    https://b/simple\ntimeout = 60\n";
    check(Format::Ini, text, Some(expected));
}

#[test]
fn settings_of_git_lose_helpers_and_headers() {
    let text = "[user]\n\tname = Ada\n\temail = ada@example.org\n\tsigningkey = ABCD\n\
                [credential \"https://github.com\"]\n\thelper = \"!echo password=s3cret\"\n\
                [http \"https://a\"]\n\textraHeader = Authorization: s3cret\n\tsslVerify = true\n\
                [url \"https://s3cret@github.com/\"]\n\tinsteadOf = gh:\n\
                [github]\n\ttoken = s3cret \\\n  s3cret\n[alias]\n\tst = status\n";
    let expected = "[user]\n\tname = Ada\n\temail = ada@example.org\n\tsigningkey = ABCD\n\
                    [http \"https://a\"]\n\tsslVerify = true\n[url \"https://github.com/\"]\n\t\
                    insteadOf = gh:\n[github]\n[alias]\n\tst = status\n";
    check(Format::Git, text, Some(expected));
}

#[test]
fn settings_of_cargo_lose_tokens_also_in_tables() {
    let text = "[build]\njobs = 2\n[registries.mine]\nindex = \"https://a\"\ntoken = \"s3cret\"\n\
                [registries]\nother = { index = \"https://b\", token = \"s3cret\" }\n\
                [registry.credentials]\nany = \"s3cret\"\n[env]\nAPI_KEY = \"s3cret\"\nMODE = \"x\"\n\
                secrets = [\n  \"s3cret\",\n]\nlast = 1\n";
    let expected = "[build]\njobs = 2\n[registries.mine]\nindex = \"https://a\"\n[registries]\n\
                    [env]\nMODE = \"x\"\nlast = 1\n";
    check(Format::Toml, text, Some(expected));
    check(Format::Toml, "[a]\ntoken = \"\"\"\ns3cret\n\"\"\"\n", None);
}

#[test]
fn settings_of_yarn_and_conda_lose_tokens() {
    let text = "nodeLinker: node-modules\nnpmAuthToken: s3cret\nnpmScopes:\n  mine:\n    \
                npmAuthToken: s3cret\n    npmRegistryServer: https://a\nsecrets: |\n  s3cret\n  s3cret\n\
                channels:\n  - https://conda.example.org/t/s3cret/main\n";
    let expected = "nodeLinker: node-modules\nnpmScopes:\n  mine:\n    npmRegistryServer: https://a\n\
                    channels:\n  - https://conda.example.org/main\n";
    check(Format::Yaml, text, Some(expected));
}

#[test]
fn settings_of_maven_lose_their_servers() {
    let text = "<settings>\n<localRepository>/x</localRepository>\n<servers>\n<server><id>a</id>\
                <password>s3cret</password></server>\n</servers>\n<proxies><proxy><host>p</host>\
                <username>me</username><password>s3cret</password></proxy></proxies>\n</settings>\n";
    let expected = "<settings>\n<localRepository>/x</localRepository>\n\n<proxies><proxy>\
                    <host>p</host></proxy></proxies>\n</settings>\n";
    check(Format::Xml, text, Some(expected));
    check(Format::Xml, "<settings><servers><password>s3cret", None);
}

#[test]
fn settings_of_docker_keep_what_is_known() {
    let text = r#"{"auths":{"a":{"auth":"s3cret"}},"HttpHeaders":{"X":"s3cret"},"psFormat":"x"}"#;
    check(Format::Docker, text, Some("{\n  \"psFormat\": \"x\"\n}"));
    check(Format::Docker, "{ s3cret", None);
}

#[test]
fn scripts_of_shells_stay_scripts() {
    let text = "export PATH=\"$HOME/bin:$PATH\"\nif true; then export OPENAI_API_KEY='s3cret'; fi\n\
                alias x='curl --token=s3cret a'\nGITHUB_TOKEN=$(cat \"s3cret file\") make\n\
                # AWS_SECRET_ACCESS_KEY=s3cret\nDATABASE_URL=postgres://me:s3cret@db/x\n\
                DB_PWD=s3cret; PWD=/x\nexport GIT_AUTHOR_NAME=Ada\nMULTI_SECRET=\"s3cret\ns3cret\"\n\
                PS1='\\w '\n";
    let expected = "export PATH=\"$HOME/bin:$PATH\"\nif true; then export OPENAI_API_KEY=; fi\n\
                    alias x='curl --token= a'\nGITHUB_TOKEN= make\n# AWS_SECRET_ACCESS_KEY=\n\
                    DATABASE_URL=postgres://db/x\nDB_PWD=; PWD=/x\nexport GIT_AUTHOR_NAME=Ada\n\
                    MULTI_SECRET=\nPS1='\\w '\n";
    check(Format::Shell, text, Some(expected));
    check(Format::Shell, "API_TOKEN='s3cret\n", None);
}

#[test]
fn tokens_are_known_by_their_shape_and_keys_are_never_shown() {
    let text = "say = ghp_0123456789abcdef0123 x\nother = sk-0123456789abcdef0123\nsk-short\n";
    check(Format::Ini, text, Some("say =  x\nother = \nsk-short\n"));
    check(Format::Ini, "ca = -----BEGIN PRIVATE x\n", None);
}

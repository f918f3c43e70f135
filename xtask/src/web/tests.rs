//! What is noticed and what is spared; npm builds nothing here.

use super::*;
use crate::scratch::Scratch;

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_build_counts_until_something_it_was_made_of_changes() {
    let scratch = Scratch::new("web-test").unwrap();
    let web = scratch.path();
    put(web, "package.json", "{}");
    put(web, "src/main.ts", "1");
    let sources = hash_of(web).unwrap();
    put(web, "dist/.built", &sources);
    assert!(!is_built(web, &sources), "the page is missing");
    put(web, "dist/index.html", "");
    assert!(is_built(web, &sources));
    for path in ["node_modules/a/index.js", "e2e/open.spec.ts", "bench/page.ts", "dist/assets/a.js"]
    {
        put(web, path, "2");
    }
    assert_eq!(hash_of(web).unwrap(), sources, "these are no sources");

    put(web, "src/main.ts", "2");
    let changed = hash_of(web).unwrap();
    put(web, "src/main.ts", "1");
    put(web, "src/dist/more.ts", "");
    let more = hash_of(web).unwrap();
    fs::rename(web.join("src/dist"), web.join("src/moved")).unwrap();
    let moved = hash_of(web).unwrap();
    for other in [changed, more, moved] {
        assert!(!is_built(web, &other));
    }
}

#[test]
fn an_app_that_is_built_needs_no_npm() {
    let scratch = Scratch::new("web-test").unwrap();
    let web = scratch.path();
    // Without a lock file an installation would fail.
    put(web, "src/main.ts", "1");
    assert!(build(web).unwrap_err().to_string().starts_with("cannot read "));
    put(web, "dist/index.html", "");
    put(web, "dist/.built", &hash_of(web).unwrap());
    build(web).unwrap();
}

#[test]
fn an_installation_of_this_lock_file_is_not_made_again() {
    let scratch = Scratch::new("web-test").unwrap();
    let web = scratch.path();
    // No npm could install this.
    put(web, "package-lock.json", "not a lock file");
    put(web, "node_modules/.installed", "not a lock file");
    install(web).unwrap();
}

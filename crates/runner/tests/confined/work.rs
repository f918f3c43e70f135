//! Real work in the place: what an agent does all day.

use crate::stage::{Fact, Place, Stage};

const WORK: &[Fact] = &[
    (
        "a program is compiled and run",
        "printf 'int main(){return 7;}' > a.c && gcc -o a a.c && ./a; echo $?",
        "7",
    ),
    (
        "a crate is built offline",
        "mkdir -p crate/src && cd crate && printf '[package]\\nname=\"tiny\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n' > Cargo.toml && \
         echo 'fn main() { println!(\"built\"); }' > src/main.rs && cargo run -q --offline 2>&1",
        "built",
    ),
    (
        "a virtual environment of python is made and used",
        "python3 -m venv --without-pip v 2>&1 && v/bin/python -c 'import sys; print(sys.prefix != sys.base_prefix)'",
        "True",
    ),
    ("npm runs", "npm -v > /dev/null 2>&1 && echo yes", "yes"),
    ("node runs", "node -e 'console.log(6 * 7)'", "42"),
    (
        "commits are made",
        "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m inside 2>&1; git log -1 --format=%s",
        "inside",
    ),
    (
        "a program has a terminal",
        "script -qc 'stty size < /dev/tty > /dev/null && echo terminal' /dev/null | tr -d '\\r'",
        "terminal",
    ),
    ("pipes and temporary files work", "x=$(mktemp) && echo a | tee $x | cat && cat < $x", "a\na"),
    ("processes in the background work", "sleep 0.01 & wait $! && echo waited", "waited"),
    (
        "files keep their owner",
        "touch owned && [ $(stat -c %u owned) = $(stat -c %u .) ] && echo same",
        "same",
    ),
    (
        "file systems are not mixed up",
        "mkdir -p p/q && touch p/x && mv p/x p/q && ln p/q/x p/y && stat -c %h p/y",
        "2",
    ),
];

/// Tools of the machine are where its user has them, so this home is the real one.
#[tokio::test]
async fn tools_work_as_they_do_outside() {
    let mut stage = Stage::new();
    stage.committed();
    let variable = |name: &str| std::env::vars_os().find(|(it, _)| it == name);
    stage.spec.home = variable("HOME").map(|(_, home)| home.into());
    let names = ["PATH", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "PYENV_ROOT", "NVM_DIR"];
    stage.spec.place.environment = names.into_iter().filter_map(variable).collect();
    let mut place = Place::open(&stage.spec).await;
    place.check(WORK).await;
}

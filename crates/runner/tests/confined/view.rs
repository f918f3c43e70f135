//! What of the machine is there.

use crate::stage::Stage;

#[tokio::test]
async fn smoke() {
    let stage = Stage::furnished();
    stage.with(".env", "s3cret\n").with("src/main.rs", "x\n").committed();
    let mut place = stage.open().await;
    println!("{}", place.statement);
    println!("{:?}", place.keeper.kept());
    for script in [
        "id; pwd; ls -la . ~ / ; cat .env; mount | tail -30",
        "env",
        "touch .git/hooks/x .git/config .openspace/y; mv .git x; git status; cat ~/.npmrc",
        "cat .git/config; git stash -u; ls -la .git",
    ] {
        println!("{}", place.run(script).await);
    }
    panic!();
}

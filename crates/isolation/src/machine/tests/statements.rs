//! What a place says of itself.

use super::*;

#[tokio::test]
async fn a_probe_states_what_a_place_holds_without_touching_the_folder() {
    let mut bench = Bench::new("touch made");
    std::os::unix::fs::chown(bench.root(), Some(65534), None).ok();
    let started = bench.start().await;
    let stated = started.statement.clone();
    assert_eq!(finish(started).await.1, ended(0));
    bench.spec.root = "/no/such/folder".into();
    let probed = Machine::default().probe(&bench.spec, Provider::Sandbox).await.unwrap();
    let expected = [
        "user namespace",
        "mount namespace",
        "pid namespace",
        "ipc namespace",
        "uts namespace",
        "cgroup namespace",
        "network namespace",
        "no capabilities",
        "no_new_privs",
        "landlock abi 6",
    ];
    assert_eq!(probed.layers, expected);
    assert_eq!(
        Statement { caveats: Vec::new(), ..probed },
        Statement { caveats: Vec::new(), ..stated }
    );
}

#[tokio::test]
async fn network_and_missing_layers_are_told() {
    let mut bench = Bench::new("true");
    let text = "#!/bin/sh\necho '{\"unconfined\":{\"reason\":\"too old\"}}'\n";
    bench.spec.runner = program(bench.folder.path(), "unconfined", text);
    bench.spec.network = true;
    bench.spec.require_landlock = false;
    let statement = bench.start().await.statement;
    let text = statement.to_string();
    let expected = [
        "sandbox: isolates crashes, files, processes, ipc, privileges\n",
        "kernel: shared with this machine; network: that of this machine\n",
        "but: servers on this machine's loopback can be reached\n",
        "but: without Landlock as the second layer: too old\n",
    ];
    for line in expected {
        assert!(text.contains(line), "{text}");
    }
}

#[tokio::test]
async fn the_local_provider_claims_nothing() {
    let mut bench = Bench::new("true");
    let machine = Machine::default();
    let statement = machine.probe(&bench.spec, Provider::Local).await.unwrap();
    assert_eq!(statement, Statement::local(bench.spec.root.clone()));
    assert_eq!((statement.isolates, statement.limits), (Vec::new(), Vec::new()));
    bench.spec.limits.processes = Some(10);
    let error = machine.probe(&bench.spec, Provider::Local).await.unwrap_err();
    assert!(matches!(error, IsolationError::Unlimited(Provider::Local)));
}

#[test]
fn providers_have_one_name_everywhere() {
    for provider in Provider::ALL {
        assert_eq!(provider.to_string().parse::<Provider>().unwrap(), provider);
        assert_eq!(serde_json::to_value(provider).unwrap(), provider.to_string());
    }
    assert!(matches!("docker".parse::<Provider>(), Err(IsolationError::ProviderUnknown(_))));
}

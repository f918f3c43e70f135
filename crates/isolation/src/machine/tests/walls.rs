//! What cannot be seen, reached or changed from inside.

use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;

use super::*;

#[tokio::test]
async fn only_the_system_and_the_workspace_are_there() {
    let output =
        Bench::output("echo /*; echo /home/* /root/* /sys/* /boot/*; echo /run/*/*; echo /var/*")
            .await;
    let system = ["/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin"];
    let mut expected =
        ["/dev", "/etc", "/home", "/proc", "/run", "/tmp", "/usr", "/var", "/workspace"].to_vec();
    expected.extend(system.iter().filter(|path| Path::new(path).is_dir()));
    expected.sort_unstable();
    let expected = format!(
        "{}\n/home/agent /root/* /sys/* /boot/*\n/run/openspace/output /run/openspace/runner\n/var/tmp\n",
        expected.join(" ")
    );
    assert_eq!(output, expected);
}

#[tokio::test]
async fn secrets_of_the_machine_are_not_there() {
    let bench = Bench::new("");
    let secret = bench.folder.path().join("secret").display().to_string();
    let runner = bench.spec.runner.display().to_string();
    let script = "for path in /etc/shadow /etc/gshadow /etc/ssl/private /etc/sudoers /root/.ssh \
                  /var/log /run/docker.sock /sys/fs/cgroup SECRET RUNNER; do \
                  [ -e $path ] && echo \"$path is there\"; done; cat /etc/passwd";
    let output = Bench::output(&script.replace("SECRET", &secret).replace("RUNNER", &runner)).await;
    let users = "agent:x:1000:1000:agent:/home/agent:/bin/sh\n\
                 nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n";
    assert_eq!(output, users);
}

#[tokio::test]
async fn only_the_workspace_and_temporary_folders_can_be_written() {
    let script = "for folder in / /usr /usr/bin /etc /dev /proc /proc/sys /run /run/openspace /var \
                  /home /workspace /tmp /home/agent /run/openspace/output /dev/shm; do \
                  (: > $folder/new) 2>/dev/null && echo $folder; done; \
                  for file in /usr/bin/env /run/openspace/runner /etc/passwd; do \
                  (: >> $file) 2>/dev/null && echo $file; done";
    let bench = Bench::new(script);
    let (output, _) = bench.run().await;
    assert_eq!(output, "/workspace\n/tmp\n/home/agent\n/run/openspace/output\n/dev/shm\n");
    assert!(bench.root().join("new").is_file());
}

/// The kernel lets a process with the number of root change them without any capability.
#[tokio::test]
async fn settings_of_the_kernel_cannot_be_changed() {
    let script = "for file in kernel/panic vm/swappiness net/ipv4/ip_forward; do \
                  value=$(cat /proc/sys/$file) && \
                  (echo $value > /proc/sys/$file) 2>/dev/null && echo \"$file was written\"; done; \
                  cat /proc/kcore /proc/timer_list 2>/dev/null | head -c 1 | wc -c";
    assert_eq!(Bench::output(script).await, "0\n");
}

#[tokio::test]
async fn links_lead_to_the_inside() {
    let bench = Bench::new("cat out/etc/shadow up/secret absolute 2>&1; echo out/home/*");
    let secret = bench.folder.path().join("secret");
    for (link, target) in [("out", Path::new("/")), ("up", Path::new("..")), ("absolute", &secret)]
    {
        std::os::unix::fs::symlink(target, bench.root().join(link)).unwrap();
    }
    let (output, ending) = bench.run().await;
    let missing = |path: &str| format!("cat: {path}: No such file or directory\n");
    let expected = ["out/etc/shadow", "up/secret", "absolute"].map(missing).concat();
    assert_eq!((output, ending), (format!("{expected}out/home/agent\n"), ended(0)));
}

#[tokio::test]
async fn processes_of_the_machine_cannot_be_seen() {
    let script = "for folder in /proc/[0-9]*; do read name < $folder/comm; echo $name; done";
    assert_eq!(Bench::output(script).await, "bwrap\nsh\n");
}

#[tokio::test]
async fn the_first_process_inside_tells_nothing_of_the_machine() {
    let mut bench = Bench::new("tr '\\0' '\\n' < /proc/1/cmdline; cat /proc/1/environ; true");
    bench.spec.environment = vec![("KEY".into(), "value".into())];
    let (output, _) = bench.run().await;
    let folder = bench.folder.path().display().to_string();
    assert!(output.contains("/run/openspace/runner"), "{output}");
    assert!(!output.contains(&folder) && !output.contains("KEY"), "{output}");
}

#[tokio::test]
async fn there_are_no_capabilities_and_no_way_to_get_any() {
    let script = "grep -E '^(Cap|NoNewPrivs)' /proc/self/status; id -u; id -g; \
                  unshare -U true 2>/dev/null && echo unshared; \
                  mount -t tmpfs none /tmp 2>/dev/null && echo mounted; true";
    let none = "0000000000000000";
    let names = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"];
    let capabilities = names.map(|name| format!("{name}:\t{none}\n")).concat();
    let expected = format!("{capabilities}NoNewPrivs:\t1\n1000\n1000\n");
    assert_eq!(Bench::output(script).await, expected);
}

#[tokio::test]
async fn no_open_file_of_the_server_gets_in() {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let _left_open_for_children = rustix::fs::open("/", flags, Mode::empty()).unwrap();
    assert_eq!(Bench::output("exec ls /proc/self/fd").await, "0\n1\n2\n3\n");
}

async fn reaches_the_machine(network: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo reached");
    let mut bench = Bench::new(&script);
    bench.spec.network = network;
    bench.run().await.0
}

#[tokio::test]
async fn servers_of_the_machine_are_reached_only_with_network() {
    let reached = (reaches_the_machine(false).await, reaches_the_machine(true).await);
    assert_eq!(reached, (String::new(), "reached\n".to_owned()));
}

#[tokio::test]
async fn without_network_there_is_only_a_loopback() {
    let output = Bench::output(
        "tail -n +3 /proc/net/dev | cut -d: -f1; [ -e /etc/resolv.conf ] && echo dns; hostname",
    )
    .await;
    assert_eq!(output, "    lo\nopenspace\n");
}

#[tokio::test]
async fn the_environment_is_the_given_one_made_to_fit() {
    let mut bench = Bench::new("env | grep -v ^_= | sort");
    let given = [
        ("GIT_CONFIG_GLOBAL", "/workspace/.config"),
        ("HOME", "/root"),
        ("PATH", "/root/bin:/usr/bin:/opt/bin:/bin"),
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("TERM", "dumb"),
    ];
    bench.spec.environment = given.map(|(name, value)| (name.into(), value.into())).to_vec();
    let expected = "GIT_CONFIG_GLOBAL=/workspace/.config\nHOME=/home/agent\nLANG=C.UTF-8\n\
                    LOGNAME=agent\nPATH=/usr/bin:/bin\nPWD=/workspace\nSHELL=/usr/bin/bash\nTERM=dumb\n\
                    TMPDIR=/tmp\nUSER=agent\n";
    assert_eq!(bench.run().await, (expected.to_owned(), ended(0)));
}

#[tokio::test]
async fn further_folders_can_be_read_and_not_written() {
    let mut bench = Bench::new("");
    // A path of which nothing is there inside, and no part of a private folder.
    bench.spec.readable = vec!["/etc/init.d".into()];
    bench.spec.arguments[2] =
        "[ -d /etc/init.d ] && echo seen; (: > /etc/init.d/new) 2>/dev/null || echo kept".into();
    assert_eq!(bench.run().await, ("seen\nkept\n".to_owned(), ended(0)));
}

#[tokio::test]
async fn files_made_inside_belong_to_the_owner_of_the_folder() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not tested: only root can give a folder to somebody else");
        return;
    }
    // Whose folder, and who is told to be its owner inside.
    for owner in [0, 65534] {
        let bench =
            Bench::new("touch new; mkdir sub; stat -c %U:%G . new sub; cat /proc/self/uid_map");
        std::os::unix::fs::chown(bench.root(), Some(owner), Some(owner)).unwrap();
        let (output, ending) = bench.run().await;
        let users: Vec<&str> = output.lines().take(3).collect();
        let map: Vec<&str> = output.lines().skip(3).flat_map(str::split_whitespace).collect();
        assert_eq!((users, map.len(), ending), (vec!["agent:agent"; 3], 3, ended(0)));
        let made = std::fs::metadata(bench.root().join("new")).unwrap();
        assert_eq!((made.uid(), made.gid()), (owner, owner));
    }
}

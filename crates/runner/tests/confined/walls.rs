//! Ways out that have nothing to do with files of the workspace.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use openspace_isolation::{ConfinedSpec, IsolationError, Machine, Reach};

use crate::stage::{BESIDE, Fact, Stage, write};

const SYSTEM: &[Fact] = &[
    (
        "the system cannot be written",
        "for f in / /usr /usr/bin /usr/local/bin /etc /opt /var /var/lib /run /home /root /sys /proc /dev; do (: > $f/new) 2>/dev/null && echo $f; done",
        "",
    ),
    (
        "programs of the system cannot be written",
        "for f in /usr/bin/env /etc/passwd /etc/profile /etc/ld.so.cache /run/openspace/runner; do (: >> $f) 2>/dev/null && echo $f; done",
        "",
    ),
    (
        "programs of the system cannot be replaced",
        "mv /usr/bin/env /tmp 2>&1 | grep -c -e Read-only -e denied",
        "1",
    ),
    (
        "jobs cannot be planted",
        "for f in /etc/cron.d /var/spool/cron /etc/systemd/system /etc/init.d ~/.config/systemd/user; do (: > $f/x) 2>/dev/null && echo $f; done",
        "",
    ),
    (
        "what is written to the home does not stay",
        "mkdir -p ~/.config/autostart ~/.ssh && echo x | tee ~/.profile ~/.ssh/authorized_keys ~/.config/autostart/x > /dev/null && echo made",
        "made",
    ),
    (
        "there are no capabilities",
        "grep -h ^Cap /proc/self/status | sort -u -k2 | awk '{print $2}' | sort -u",
        "0000000000000000",
    ),
    (
        "no privileges can be gained",
        "grep NoNewPrivs /proc/self/status | tr -d '\\t'",
        "NoNewPrivs:1",
    ),
    (
        "programs of root give nothing",
        "for f in /bin/su /usr/bin/passwd /bin/mount /usr/bin/chsh; do [ -u $f ] && findmnt -no OPTIONS -T $f | grep -o nosuid; done | sort -u",
        "nosuid",
    ),
    ("other numbers cannot be taken", "./attack setuid 12345", "EINVAL"),
    (
        "nothing can be mounted",
        "./attack mount /tmp; ./attack umount /proc; ./attack bind /usr /tmp",
        "EPERM\nEPERM\nEPERM",
    ),
    (
        "no namespace can be made",
        "./attack unshare_mount; unshare -U true 2>/dev/null && echo made; unshare -n true 2>/dev/null && echo made",
        "EPERM",
    ),
    (
        "no namespace of another can be joined",
        "./attack setns /proc/1/ns/mnt | grep -vx -e EPERM -e EBADF -e EINVAL",
        "",
    ),
    ("no device can be made", "./attack mknod null", "EPERM"),
    (
        "the kernel takes no program",
        "./attack bpf | grep -vx -e EPERM -e EACCES -e EINVAL -e ENOSYS",
        "",
    ),
    ("the kernel takes no module", "./attack module | grep -vx -e EPERM -e ENOSYS", ""),
    (
        "the kernel is not replaced",
        "./attack kexec | grep -vx -e EPERM -e ENOSYS; ./attack reboot",
        "EPERM",
    ),
    ("nobody else's files are watched", "./attack fanotify", "EPERM"),
    ("the name of the machine stays", "./attack hostname", "EPERM"),
    (
        "settings of the kernel stay",
        "for f in kernel/panic kernel/core_pattern vm/swappiness net/ipv4/ip_forward; do v=$(cat /proc/sys/$f); (echo \"$v\" > /proc/sys/$f) 2>/dev/null && echo $f; done",
        "",
    ),
    (
        "memory of the kernel is not shown",
        "cat /proc/kcore /proc/timer_list /proc/keys 2>/dev/null | head -c 1 | wc -c",
        "0",
    ),
    (
        "cgroups cannot be changed",
        "mkdir /sys/fs/cgroup/x 2>&1 | grep -c -e Read-only -e denied -e 'No such'",
        "1",
    ),
    ("no key of the login is there", "./attack keyring", "ENOKEY"),
    (
        "what is read-only stays so",
        "for f in / /usr /etc /proc/sys; do ./attack writable_again $f; ./attack remount $f; done | sort -u",
        "EPERM",
    ),
    ("mounts cannot be moved", "./attack move_mount /usr /tmp", "EPERM"),
    (
        "no namespace can be made by newer calls",
        "./attack clone3_user | grep -vx -e EPERM -e ENOSPC -e EINVAL; ./attack setns_of 1",
        "EPERM",
    ),
    ("nothing can be typed for others", "./attack typed | grep -vx -e ENOTTY -e EPERM -e EIO", ""),
    ("the clock stays", "./attack clock", "EPERM"),
    (
        "nothing is swapped or accounted",
        "touch s; ./attack swap s; ./attack account s",
        "EPERM\nEPERM",
    ),
    ("ports of the machine cannot be driven", "./attack ports | grep -vx -e EPERM -e ENOSYS", ""),
    ("packets cannot be forged or overheard", "./attack raw; ./attack packet", "EPERM\nEPERM"),
    ("no group can be joined", "./attack group 12345", "EINVAL"),
    (
        "nothing is loaded into programs of the machine",
        "for f in /etc/ld.so.preload /etc/ld.so.conf.d/x.conf /etc/environment /etc/bash.bashrc /etc/profile.d/x.sh /usr/lib/x.so; do (: >> $f) 2>/dev/null && echo $f; done",
        "",
    ),
    (
        "no server of the machine is set up anew",
        "for f in /etc/sudoers.d/x /etc/pam.d/x /etc/ssh/sshd_config.d/x /etc/udev/rules.d/x /etc/dbus-1/system.d/x /etc/xdg/autostart/x; do (: >> $f) 2>/dev/null && echo $f; done",
        "",
    ),
    (
        "a program with another owner's rights does not get them",
        "cp /bin/cat own && chmod 4755 own && ./own /proc/self/status | grep -c '^NoNewPrivs:.1'; findmnt -no OPTIONS -T own | grep -o nosuid",
        "1\nnosuid",
    ),
    (
        "what the kernel tells of the machine is not there",
        "for f in /sys/kernel/debug /sys/kernel/tracing /sys/fs/bpf /sys/fs/pstore /sys/kernel/security /sys/firmware/efi/efivars; do ls $f/* 2>/dev/null; done",
        "",
    ),
    (
        "the machine is not asked by its own keys",
        "(echo b > /proc/sysrq-trigger) 2>/dev/null && echo done",
        "",
    ),
];

const PROCESSES: &[Fact] = &[
    (
        "only own processes are there",
        "ls /proc | grep -cE '^[0-9]+$' | awk '{print ($1 < 12)}'",
        "1",
    ),
    (
        "the processes of the machine are not there",
        "cat /proc/[0-9]*/comm | sort -u | grep -vx -e bash -e bwrap -e cat -e sort -e grep",
        "",
    ),
    (
        "the first process tells nothing of the machine",
        "tr '\\0' '\\n' < /proc/1/cmdline | grep -c -e /etc/shadow -e .aws",
        "0",
    ),
    (
        "the first process has no environment",
        "cat /proc/1/environ 2>&1 | grep -v 'Permission denied'",
        "",
    ),
    ("no file of the server is open", "exec ls /proc/self/fd", "0\n1\n2\n3"),
    (
        "no terminal of the machine is there",
        "tty; (: < /dev/tty) 2>&1 | grep -c 'No such device'",
        "not a tty\n1",
    ),
    ("shared memory is its own", "ipcs -m 2>/dev/null | grep -c 0x; true", "0"),
    (
        "the first process is not taken over",
        "for w in ptrace seize vm_read pidfd_getfd memory_of; do ./attack $w 1; done | sort -u | grep -vx -e EPERM -e EACCES",
        "",
    ),
    (
        "nobody's files are reached over processes",
        "cat /proc/1/root/etc/shadow /proc/1/fd/* /proc/1/mem 2>/dev/null | head -c1 | wc -c",
        "0",
    ),
    (
        "the machine is not measured",
        "./attack perf | grep -vx -e EACCES -e EPERM -e EINVAL -e ENOENT -e ENOSYS -e EFAULT",
        "",
    ),
    (
        "nothing leads to an agent, a display or a bus",
        "env | grep -c -e SSH_AUTH_SOCK -e DISPLAY -e XAUTHORITY -e DBUS -e WAYLAND -e XDG_RUNTIME -e DOCKER -e GPG -e TOKEN",
        "0",
    ),
    (
        "programs that ask for more get nothing",
        "for p in 'sudo -n true' 'su -c true' 'pkexec true' 'systemd-run --user true' 'at now' 'crontab -l' 'doas true' 'machinectl list' 'docker ps'; do timeout 5 $p > /dev/null 2>&1 < /dev/null && echo $p; done",
        "",
    ),
    (
        "processes of the machine get no signal",
        "for n in $(seq 2 40); do kill -0 $((n * 997)) 2>/dev/null && echo $n; done",
        "",
    ),
];

#[tokio::test]
async fn nothing_outside_can_be_changed_or_taken_over() {
    let stage = Stage::furnished().with_attack();
    let mut place = stage.open().await;
    place.check(SYSTEM).await;
    place.check(PROCESSES).await;
    for path in [".ssh/authorized_keys", ".profile", ".config/autostart"] {
        assert!(!stage.home().join(path).exists(), "{path}");
    }
}

#[tokio::test]
async fn the_same_holds_for_another_user() {
    let stage = Stage::furnished().with_attack();
    if stage.outside("id -u").trim() != "0" {
        eprintln!("not tested: only root can give a folder to somebody else");
        return;
    }
    stage.give_to(65534);
    let mut place = stage.open().await;
    place.check(SYSTEM).await;
    place.check(PROCESSES).await;
}

#[tokio::test]
async fn the_same_holds_in_a_sandbox() {
    let stage = Stage::furnished().with_attack();
    let mut place = stage.open_sandbox().await;
    place.check(SYSTEM).await;
    place.check(PROCESSES).await;
}

/// Sockets by path are reached wherever they can be seen, so none can be.
#[tokio::test]
async fn sockets_of_the_machine_cannot_be_reached() {
    let stage = Stage::furnished().with_attack();
    let name = format!("openspace-test-{}", std::process::id());
    let _abstract =
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let agent = stage.folder.path().join("agent.sock");
    let _agent = UnixListener::bind(&agent).unwrap();
    let bus = stage.home().join(".cache/bus");
    write(&stage.home().join(".cache/x"), "");
    let _bus = UnixListener::bind(&bus).unwrap();
    let connect = |path: &std::path::Path| {
        format!(
            "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{}\")' 2>&1 | tail -1",
            path.display()
        )
    };
    let missing = "FileNotFoundError: [Errno 2] No such file or directory";
    for provider in BESIDE {
        let mut place = stage.open_beside(provider).await;
        let refused = place.run(&format!("./attack abstract {name}")).await;
        assert!(matches!(refused.as_str(), "EPERM" | "ECONNREFUSED"), "{provider:?}: {refused}");
        assert_eq!(place.run(&connect(&agent)).await, missing);
        assert_eq!(place.run(&connect(&bus)).await, missing);
        for path in [
            "/run/dbus/system_bus_socket",
            "/run/docker.sock",
            "/var/run/docker.sock",
            "/run/user/0/bus",
            "/tmp/.X11-unix/X0",
            "/run/systemd/private",
            "/var/lib/lxd/unix.socket",
            "/nix/var/nix/daemon-socket/socket",
            "/run/podman/podman.sock",
            "/run/containerd/containerd.sock",
            "/run/user/0/wayland-0",
            "/run/user/0/gnupg/S.gpg-agent",
            "/run/user/0/systemd/private",
            "/run/snapd.socket",
            "/var/run/libvirt/libvirt-sock",
            "/run/avahi-daemon/socket",
            "/var/run/nscd/socket",
        ] {
            assert_eq!(place.run(&connect(path.as_ref())).await, missing, "{provider:?}: {path}");
        }
    }
}

#[tokio::test]
async fn the_network_is_the_machines_or_none() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached; ls /sys/class/net | wc -l > /dev/null"
    );
    let stage = Stage::furnished();
    assert_eq!(stage.open().await.run(&script).await, "reached");
    let spec = ConfinedSpec { reach: Reach::None, ..stage.spec.clone() };
    let mut place = crate::stage::Place::open(&spec).await;
    assert_eq!(place.run(&script).await, "");
    assert_eq!(place.run("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").await, "lo");
    let told = place.statement.to_string();
    assert!(told.contains("network: none") && !told.contains("loopback can be reached"), "{told}");
}

/// Once this place's own addresses can be used, tries all that were named.
const LINK_LOCAL: &str = "
import socket, sys, time
def words(): return [line.split() for line in open(\"/proc/net/if_inet6\")]
while any(int(word[4], 16) & 0x40 for word in words()): time.sleep(0.05)
for address in sys.argv[2:]:
    try:
        socket.create_connection((address, int(sys.argv[1])), 2)
        print(\"reached\", address)
    except OSError: pass
print(\"looked\")
";

/// The addresses of this machine that hold on one link alone, with the link.
fn link_locals() -> Vec<String> {
    let all = crate::stage::read("/proc/net/if_inet6".as_ref());
    let words = all.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
    let of_link = words.filter(|words| words[3] == "20");
    let written = of_link.map(|words| {
        let bits = u128::from_str_radix(words[0], 16).unwrap();
        format!("{}%{}", std::net::Ipv6Addr::from_bits(bits), words[5])
    });
    written.collect()
}

#[tokio::test]
async fn a_network_of_its_own_has_a_way_out_and_nothing_of_this_machines_loopback() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let stage = Stage::furnished();
    let spec = ConfinedSpec { reach: Reach::Own, ..stage.spec.clone() };
    let routes = crate::stage::read("/proc/net/route".as_ref());
    let is_default = |line: &str| line.split_ascii_whitespace().nth(1) == Some("00000000");
    if !routes.lines().any(is_default) {
        // A machine that reaches nothing has no way out to give.
        let refused = Machine::default().start_confined(&spec).await.err();
        assert!(matches!(refused, Some(IsolationError::OwnNetwork { .. })), "{refused:?}");
        return;
    }
    let mut place = crate::stage::Place::open(&spec).await;
    let reach = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2> /dev/null && echo reached");
    assert_eq!(place.run(&reach).await, "");
    assert_eq!(place.run("awk '$2 == \"00000000\"' /proc/net/route | wc -l").await, "1");
    assert_eq!(place.run("cat /etc/resolv.conf").await, "nameserver 169.254.53.53");
    let listener = TcpListener::bind("[::]:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let line = format!("python3 -c '{LINK_LOCAL}' {port} {}", link_locals().join(" "));
    assert_eq!(place.run(&line).await, "looked");
    let told = place.statement.to_string();
    assert!(
        told.contains("network: its own") && !told.contains("loopback can be reached"),
        "{told}"
    );
}

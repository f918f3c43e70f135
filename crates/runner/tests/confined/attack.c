/* Ways to get at a file, or out of a place, that no shell offers. Each prints `ok` or the name of the error. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <stddef.h>
#include <unistd.h>

static int tell(long result)
{
    puts(result < 0 ? strerrorname_np(errno) : "ok");
    return result < 0;
}

/* Prints what can be read, or the error. */
static int show(int fd)
{
    char text[256];
    ssize_t count;
    if (fd < 0)
        return tell(-1);
    count = read(fd, text, sizeof text);
    if (count < 0)
        return tell(-1);
    fwrite(text, 1, count, stdout);
    return 0;
}

static int by_io_uring(const char *path)
{
    struct io_uring_params p;
    memset(&p, 0, sizeof p);
    int ring = syscall(SYS_io_uring_setup, 4, &p);
    if (ring < 0)
        return tell(-1);
    char *sq = mmap(0, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
    char *cq = mmap(0, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
    struct io_uring_sqe *sqe = mmap(0, p.sq_entries * sizeof *sqe, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
    memset(sqe, 0, sizeof *sqe);
    sqe->opcode = IORING_OP_OPENAT;
    sqe->fd = AT_FDCWD;
    sqe->addr = (unsigned long)path;
    sqe->open_flags = O_RDONLY;
    ((unsigned *)(sq + p.sq_off.array))[0] = 0;
    __atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, 0, 0) < 0)
        return tell(-1);
    struct io_uring_cqe *cqe = (void *)(cq + p.cq_off.cqes);
    if (cqe->res < 0) {
        errno = -cqe->res;
        return tell(-1);
    }
    return show(cqe->res);
}

static int by_handle(const char *path)
{
    struct { struct file_handle head; char bytes[128]; } handle = {{128, 0}};
    int mount;
    if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) < 0)
        return tell(-1);
    return show(open_by_handle_at(open(".", O_RDONLY), &handle.head, O_RDONLY));
}

static int abstract(const char *name)
{
    struct sockaddr_un address = {AF_UNIX};
    memcpy(address.sun_path + 1, name, strlen(name));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return tell(connect(fd, (void *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)));
}

/* Opens the file in a loop until it can be read, and tells that it was. */
static int spin(const char *path)
{
    char text[64];
    puts("spinning");
    fflush(stdout);
    for (;;) {
        int fd = open(path, O_RDONLY);
        if (fd < 0) {
            if (access("stop", F_OK) == 0)
                return puts("never"), 0;
            continue;
        }
        ssize_t count = read(fd, text, sizeof text);
        close(fd);
        if (count > 0)
            return puts("read it"), 0;
    }
}

int main(int count, char **words)
{
    const char *what = words[1], *path = count > 2 ? words[2] : "";
#define IS(name) (!strcmp(what, name))
    if (IS("open")) return show(open(path, O_RDONLY));
    if (IS("write")) return tell(open(path, O_WRONLY));
    if (IS("create")) return tell(open(path, O_WRONLY | O_CREAT, 0644));
    if (IS("openat2")) {
        unsigned long how[3] = {O_RDONLY, 0, 0};
        return show(syscall(SYS_openat2, AT_FDCWD, path, how, sizeof how));
    }
    if (IS("o_path")) {
        char again[64];
        int fd = open(path, O_PATH);
        sprintf(again, "/proc/self/fd/%d", fd);
        return show(open(again, O_RDONLY));
    }
    if (IS("open_tree")) return show(syscall(SYS_open_tree, AT_FDCWD, path, 0));
    if (IS("open_tree_clone")) return tell(syscall(SYS_open_tree, AT_FDCWD, path, 1));
    if (IS("mmap")) {
        int fd = open(path, O_RDONLY);
        return tell(fd < 0 ? -1 : (long)mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0));
    }
    if (IS("truncate")) return tell(truncate(path, 0));
    if (IS("chmod")) return tell(chmod(path, 0644));
    if (IS("unlink")) return tell(unlink(path));
    if (IS("link")) return tell(link(path, words[3]));
    if (IS("link_o_path")) return tell(linkat(open(path, O_PATH), "", AT_FDCWD, words[3], AT_EMPTY_PATH));
    if (IS("rename")) return tell(rename(path, words[3]));
    if (IS("exchange")) return tell(syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, words[3], 2));
    if (IS("io_uring")) return by_io_uring(path);
    if (IS("handle")) return by_handle(path);
    if (IS("sendfile")) {
        int fd = open(path, O_RDONLY);
        return tell(fd < 0 ? -1 : syscall(SYS_copy_file_range, fd, 0, open("copy", O_CREAT | O_WRONLY, 0600), 0, 100, 0));
    }
    if (IS("mount")) return tell(mount("none", path, "tmpfs", 0, 0));
    if (IS("bind")) return tell(mount(path, words[3], 0, MS_BIND, 0));
    if (IS("umount")) return tell(umount2(path, MNT_DETACH));
    if (IS("pivot")) return tell(syscall(SYS_pivot_root, ".", "."));
    if (IS("chroot")) return tell(chroot(path));
    if (IS("unshare_user")) return tell(unshare(CLONE_NEWUSER));
    if (IS("unshare_mount")) return tell(unshare(CLONE_NEWNS));
    if (IS("clone_user")) return tell(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
    if (IS("setns")) return tell(setns(open(path, O_RDONLY), 0));
    if (IS("fsopen")) return tell(syscall(SYS_fsopen, "tmpfs", 0));
    if (IS("ptrace")) return tell(ptrace(PTRACE_ATTACH, atoi(path), 0, 0));
    if (IS("seize")) return tell(ptrace(PTRACE_SEIZE, atoi(path), 0, 0));
    if (IS("vm_read")) {
        char byte;
        struct { void *at; size_t size; } own = {&byte, 1}, other = {(void *)0x400000, 1};
        return tell(syscall(SYS_process_vm_readv, atoi(path), &own, 1, &other, 1, 0));
    }
    if (IS("pidfd_getfd")) return tell(syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, atoi(path), 0), 0, 0));
    if (IS("abstract")) return abstract(path);
    if (IS("mknod")) return tell(mknod(path, 020666, 0x103));
    if (IS("setuid")) return tell(setuid(atoi(path)));
    if (IS("bpf")) return tell(syscall(SYS_bpf, 0, 0, 0));
    if (IS("perf")) return tell(syscall(SYS_perf_event_open, 0, -1, 0, -1, 0));
    if (IS("kexec")) return tell(syscall(SYS_kexec_load, 0, 0, 0, 0));
    if (IS("module")) return tell(syscall(SYS_init_module, 0, 0, ""));
    if (IS("reboot")) return tell(syscall(SYS_reboot, 0xfee1dead, 672274793, 0, 0));
    if (IS("hostname")) return tell(sethostname("x", 1));
    if (IS("fanotify")) return tell(syscall(SYS_fanotify_init, 4, 0));
    if (IS("keyring")) return tell(syscall(SYS_keyctl, 11, -3, 0, 0) > 0 ? 1 : (errno = ENOKEY, -1));
    if (IS("writable_again")) {
        unsigned long attributes[4] = {0, 1, 0, 0};
        return tell(syscall(SYS_mount_setattr, AT_FDCWD, path, 0, attributes, sizeof attributes));
    }
    if (IS("remount")) return tell(mount(0, path, 0, MS_REMOUNT | MS_BIND, 0));
    if (IS("move_mount")) return tell(syscall(SYS_move_mount, AT_FDCWD, path, AT_FDCWD, words[3], 0));
    if (IS("clone3_user")) {
        unsigned long arguments[11] = {CLONE_NEWUSER, 0, 0, 0, 17};
        return tell(syscall(SYS_clone3, arguments, sizeof arguments));
    }
    if (IS("setns_of")) return tell(setns(syscall(SYS_pidfd_open, atoi(path), 0), CLONE_NEWNS));
    if (IS("typed")) return tell(ioctl(0, TIOCSTI, "x"));
    if (IS("clock")) return tell(settimeofday(&(struct timeval){1, 0}, 0));
    if (IS("swap")) return tell(swapon(path, 0));
    if (IS("account")) return tell(acct(path));
    if (IS("ports")) return tell(syscall(SYS_iopl, 3));
    if (IS("raw")) return tell(socket(AF_INET, SOCK_RAW, 1));
    if (IS("packet")) return tell(socket(AF_PACKET, SOCK_RAW, 0));
    if (IS("group")) return tell(setgid(atoi(path)));
    if (IS("memory_of")) {
        char other[64], byte;
        sprintf(other, "/proc/%s/mem", path);
        int fd = open(other, O_RDWR);
        return tell(fd < 0 ? -1 : pread(fd, &byte, 1, 0x400000));
    }
    if (IS("spin")) return spin(path);
    return puts("what?"), 2;
}

/*
 * System calls by family, for the comparison of decoders: families NAME makes the calls of one, families lists the names. Nothing
 * here depends on time or chance but for what the kernel answers; most failures are wanted.
 */
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/time.h>
#include <stddef.h>
#include <stdint.h>
#include <grp.h>
#include <netinet/in.h>
#include <sys/types.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/if_packet.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "families_tables.h"

#define F "family.tmp"

static int make(void)
{
	return open(F, O_RDWR | O_CREAT | O_TRUNC, 0640);
}

static void family_open(void)
{
	int fd = make();
	close(fd);
	close(open("/dev/null", O_WRONLY | O_APPEND | O_NONBLOCK));
	close(open("/tmp", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	close(open("/tmp", O_TMPFILE | O_RDWR, 0600));
	close(syscall(SYS_open, "/etc/passwd", O_RDONLY | 0100000));
	syscall(SYS_openat, 77, "no\n\"such\\\x1b[31m", O_PATH | O_NOATIME);
	syscall(SYS_open, (char *)1, O_RDONLY);
	syscall(SYS_creat, "/nonexistent/x", 04755);
	unlink(F);
}

static void family_openat2(void)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH };
	syscall(SYS_openat2, AT_FDCWD, "nothing", &how, sizeof(how));
	how = (struct open_how){ .flags = O_RDWR | O_CREAT, .mode = 0600 };
	close(syscall(SYS_openat2, AT_FDCWD, F, &how, sizeof(how)));
	unlink(F);
}

static void family_read_write(void)
{
	char buf[100];
	int fd = make();
	write(fd, "hello\tworld\n", 12);
	write(fd, "\0001\0\1a\377", 6);
	write(fd, "0123456789012345678901234567890123456789", 40);
	lseek(fd, 0, SEEK_SET);
	read(fd, buf, 5);
	read(fd, buf, sizeof(buf));
	read(fd, buf, sizeof(buf));
	pread(fd, buf, 10, 3);
	pwrite(fd, "xyz", 3, 1000);
	lseek(fd, -4, SEEK_END);
	lseek(fd, 0, SEEK_HOLE);
	read(99, buf, 1);
	write(fd, NULL, 3);
	write(fd, "", 0);
	close(fd);
	unlink(F);
}

static void family_vectors(void)
{
	char a[4], b[20];
	int fd = make();
	struct iovec out[3] = { { "one", 3 }, { NULL, 0 }, { "three and more than thirty-two bytes of it", 42 } };
	struct iovec in[2] = { { a, sizeof(a) }, { b, sizeof(b) } };
	writev(fd, out, 3);
	lseek(fd, 0, SEEK_SET);
	readv(fd, in, 2);
	preadv(fd, in, 2, 40);
	pwritev(fd, out, 1, 7);
	preadv2(fd, in, 1, 0, RWF_NOWAIT);
	pwritev2(fd, out, 1, 0, RWF_SYNC | RWF_DSYNC);
	writev(fd, out, 0);
	close(fd);
	unlink(F);
}

static void family_stat(void)
{
	struct stat st;
	struct statx stx;
	syscall(SYS_stat, "/etc/passwd", &st);
	syscall(SYS_lstat, "/dev/null", &st);
	syscall(SYS_fstat, 0, &st);
	syscall(SYS_stat, "/nonexistent", &st);
	fstatat(AT_FDCWD, "/", &st, AT_SYMLINK_NOFOLLOW);
	statx(AT_FDCWD, "/nonexistent", AT_STATX_DONT_SYNC, STATX_BASIC_STATS | STATX_BTIME, &stx);
	statx(AT_FDCWD, "/dev", AT_NO_AUTOMOUNT, STATX_ALL, &stx);
}

static void family_statfs(void)
{
	struct statfs st;
	statfs("/proc", &st);
	statfs("/nonexistent", &st);
	fstatfs(99, &st);
}

static void family_names(void)
{
	char buf[64];
	mkdir("d", 0755);
	mkdirat(AT_FDCWD, "d/e", 01777);
	symlink("target", "l");
	symlinkat("target", AT_FDCWD, "d/l");
	readlink("l", buf, sizeof(buf));
	readlinkat(AT_FDCWD, "d/l", buf, 3);
	rename("l", "m");
	renameat(AT_FDCWD, "m", AT_FDCWD, "n");
	syscall(SYS_renameat2, AT_FDCWD, "n", AT_FDCWD, "d/l", RENAME_EXCHANGE);
	link("n", "o");
	linkat(AT_FDCWD, "n", AT_FDCWD, "p", AT_SYMLINK_FOLLOW);
	unlink("n");
	unlink("o");
	unlinkat(AT_FDCWD, "d/l", 0);
	unlinkat(AT_FDCWD, "d/e", AT_REMOVEDIR);
	rmdir("d");
	access("/etc", R_OK | X_OK);
	access("/etc", F_OK);
	faccessat(AT_FDCWD, "/nonexistent", W_OK, AT_EACCESS);
	chdir("/nonexistent");
	fchdir(99);
	getcwd(buf, 2);
	chroot("/nonexistent");
	syscall(SYS_rmdir, "");
}

static void family_modes(void)
{
	int fd = make();
	struct timespec times[2] = { { 1, 2 }, { .tv_nsec = UTIME_OMIT } };
	struct utimbuf ub = { 5, 6 };
	chmod(F, 0600);
	fchmod(fd, 04711);
	fchmodat(AT_FDCWD, F, 0640, 0);
	syscall(SYS_chown, F, 0, -1);
	fchown(fd, -1, 0);
	fchownat(AT_FDCWD, F, 0, 0, AT_SYMLINK_NOFOLLOW);
	lchown("/nonexistent", 1000, 1000);
	umask(022);
	utimensat(AT_FDCWD, F, times, 0);
	syscall(SYS_utime, F, &ub);
	truncate(F, 100);
	ftruncate(fd, 1000000);
	fallocate(fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, 4096);
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE);
	fsync(fd);
	fdatasync(fd);
	syncfs(99);
	mknod("fifo", S_IFIFO | 0600, 0);
	mknod("dev", S_IFCHR | 0600, 0x103);
	unlink("fifo");
	unlink("dev");
	close(fd);
	unlink(F);
}

static void family_descriptors(void)
{
	int fd = make(), p[2];
	dup(fd);
	dup2(fd, 20);
	dup3(fd, 21, O_CLOEXEC);
	dup3(fd, fd, 0);
	pipe(p);
	pipe2(p, O_CLOEXEC | O_NONBLOCK);
	pipe2(NULL, 0);
	flock(fd, LOCK_EX | LOCK_NB);
	flock(fd, LOCK_UN);
	syscall(SYS_close_range, 20, 30, 0);
	syscall(SYS_close_range, 30, ~0U, CLOSE_RANGE_CLOEXEC);
	close(99);
	close(fd);
	unlink(F);
}

static void family_fcntl(void)
{
	int fd = make();
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10 };
	fcntl(fd, F_GETFD);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_GETFD);
	fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND);
	fcntl(fd, F_DUPFD, 30);
	fcntl(fd, F_DUPFD_CLOEXEC, 40);
	fcntl(fd, F_SETLK, &lock);
	fcntl(fd, F_GETLK, &lock);
	fcntl(fd, F_OFD_SETLK, &lock);
	fcntl(fd, F_GETOWN);
	fcntl(fd, F_SETSIG, SIGUSR1);
	fcntl(fd, F_SETLEASE, F_RDLCK);
	fcntl(99, F_GETPIPE_SZ);
	fcntl(99, F_SETPIPE_SZ, 4096);
	fcntl(fd, F_GET_SEALS);
	close(fd);
	unlink(F);
}

static void family_ioctl(void)
{
	struct winsize ws;
	struct ifreq ifr = { .ifr_name = "lo" };
	struct termios terminal;
	int n = 1, fd = socket(AF_INET, SOCK_DGRAM, 0), p[2];
	pipe(p);
	write(p[1], "abc", 3);
	ioctl(p[0], FIONREAD, &n);
	ioctl(p[0], FIONBIO, &n);
	ioctl(0, TIOCGWINSZ, &ws);
	ioctl(99, TIOCSPGRP, &n);
	ioctl(fd, SIOCGIFINDEX, &ifr);
	ioctl(fd, SIOCGIFFLAGS, &ifr);
	ioctl(99, FIOCLEX);
	n = posix_openpt(O_RDWR | O_NOCTTY);
	ioctl(n, TCGETS, &terminal);
	terminal.c_iflag ^= IXON | IUTF8;
	terminal.c_oflag |= TABDLY | OCRNL;
	terminal.c_cflag = (terminal.c_cflag & ~(CBAUD | CSIZE)) | B115200 | CS7 | PARENB;
	terminal.c_lflag &= ~(ICANON | ECHO);
	ioctl(n, TCSETSF, &terminal);
	ioctl(n, TCGETS, &terminal);
	close(n);
	ioctl(99, 0x12345678, 0);
	ioctl(99, _IOR('z', 200, int), 1);
}

static void family_directories(void)
{
	char buf[1024];
	int fd = open("/nonexistent", O_RDONLY | O_DIRECTORY);
	syscall(SYS_getdents64, fd, buf, sizeof(buf));
	syscall(SYS_getdents, 99, buf, sizeof(buf));
}

static void family_xattr(void)
{
	char value[32];
	int fd = make();
	setxattr(F, "user.a", "some\0value", 10, XATTR_CREATE);
	setxattr(F, "user.b", NULL, 0, 0);
	getxattr("/nonexistent", "user.a", value, sizeof(value));
	fgetxattr(99, "user.a", value, sizeof(value));
	listxattr("/nonexistent", value, sizeof(value));
	lremovexattr("/nonexistent", "user.a");
	close(fd);
	unlink(F);
}

static void family_splice(void)
{
	int fd = make(), p[2], q[2];
	off_t at = 0;
	loff_t in = 0;
	pipe(p);
	pipe(q);
	write(fd, "0123456789", 10);
	splice(fd, &in, p[1], NULL, 5, SPLICE_F_MOVE | SPLICE_F_MORE);
	tee(p[0], q[1], 3, SPLICE_F_NONBLOCK);
	vmsplice(q[1], &(struct iovec){ "abc", 3 }, 1, 0);
	sendfile(q[1], fd, &at, 4);
	copy_file_range(99, NULL, fd, NULL, 1, 0);
	close(fd);
	unlink(F);
}

static void family_memory(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	mprotect(p, 4096, PROT_NONE);
	mprotect(p, 4096, PROT_READ | PROT_EXEC);
	madvise(p, 4096, MADV_DONTNEED);
	madvise(p, 8192, MADV_HUGEPAGE);
	msync(p, 4096, MS_SYNC | MS_INVALIDATE);
	mlock(p, 4096);
	munlock(p, 4096);
	syscall(SYS_mlock2, p, 4096, 1);
	munlockall();
	mremap(p, 8192, 4096, 0);
	mremap(p, 4096, 16384, MREMAP_MAYMOVE);
	mmap((void *)0x10000000, 4096, PROT_READ, MAP_SHARED | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 99, 0x1000);
	munmap((void *)0x10000000, 4096);
	munmap((void *)1, 4096);
	syscall(SYS_brk, 0);
	syscall(SYS_memfd_create, "name", 1);
	syscall(SYS_get_mempolicy, NULL, NULL, 0, NULL, 0);
	syscall(SYS_pkey_alloc, 0, 0);
	syscall(SYS_membarrier, 0, 0, 0);
}

static void handler(int sig)
{
}

static void family_signals(void)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
	stack_t ss = { .ss_flags = SS_DISABLE };
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR2);
	sigaddset(&sa.sa_mask, SIGTERM);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR1, NULL, &sa);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, &old);
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	sigpending(&set);
	kill(getpid(), SIGUSR1);
	kill(getpid(), 0);
	kill(999999, SIGTERM);
	syscall(SYS_tkill, -1, SIGRTMIN + 2);
	syscall(SYS_tgkill, -1, -1, SIGSTOP);
	sigaltstack(&ss, NULL);
	sigaltstack(NULL, &ss);
	struct timespec ts = { 0, 1000 };
	siginfo_t info;
	sigemptyset(&set);
	sigtimedwait(&set, &info, &ts);
	close(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
	syscall(SYS_rt_sigaction, 99, NULL, NULL, 8);
}

static void family_processes(void)
{
	int status;
	siginfo_t info;
	pid_t pid = fork();
	if (!pid)
		_exit(3);
	waitpid(pid, &status, 0);
	pid = vfork();
	if (!pid)
		_exit(0);
	wait4(pid, &status, WUNTRACED, NULL);
	waitpid(-1, &status, WNOHANG);
	waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
	setpgid(999999, 0);
	getpgid(999999);
	getsid(999999);
	getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_USER, 99999, 5);
	execve("/nonexistent", (char *[]){ "a", "b \"c\"", NULL }, (char *[]){ "X=1", NULL });
	execve("/nonexistent", (char *[]){ NULL }, NULL);
	syscall(SYS_pidfd_open, 999999, 0);
	syscall(SYS_pidfd_send_signal, 99, SIGTERM, NULL, 0);
	unshare(CLONE_FS | CLONE_NEWUTS);
	setns(99, CLONE_NEWNET);
	syscall(SYS_kcmp, 999999, 999999, 1, 0, 0);
}

/* Of each kind one that fails and one that does not, after which the call has another number. */
static void family_execs(void)
{
	/* On the stack: a child of fork has that in memory from the beginning. */
	char program[] = "/bin/true", nothing[] = "", first[] = "true", second[] = "x", locale[] = "LC_ALL=C";
	char *argv[] = { first, second, NULL }, *envp[] = { locale, NULL };
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	syscall(SYS_execveat, 99, "", argv, envp, AT_EMPTY_PATH);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		if (pid) {
			waitpid(pid, NULL, 0);
		} else if (i == 0) {
			execve(program, argv, envp);
		} else if (i == 1) {
			syscall(SYS_execveat, fd, nothing, argv, envp, AT_EMPTY_PATH);
		} else {
			syscall(SYS_execveat, AT_FDCWD, program, argv, envp, 0);
		}
	}
}

static void *body(void *p)
{
	return p;
}

static void family_threads(void)
{
	pthread_t t;
	pthread_create(&t, NULL, body, NULL);
	pthread_join(t, NULL);
}

static void family_clone3(void)
{
	struct clone_args a = { .flags = CLONE_CLEAR_SIGHAND, .exit_signal = SIGCHLD };
	int status;
	long pid = syscall(SYS_clone3, &a, sizeof(a));
	if (!pid)
		syscall(SYS_exit, 7);
	waitpid((pid_t)pid, &status, 0);
	syscall(SYS_clone3, NULL, 64);
}

static void family_identity(void)
{
	gid_t groups[4];
	uid_t r, e, s;
	struct __user_cap_header_struct head = { .version = 0x20080522 };
	struct __user_cap_data_struct data[2];
	getuid();
	getegid();
	getgroups(0, NULL);
	setgroups(1, (gid_t[]){ 0 });
	getgroups(4, groups);
	getresuid(&r, &e, &s);
	syscall(SYS_setresuid, -1, 0, -1);
	syscall(SYS_setreuid, 0, -1);
	setfsuid(0);
	getppid();
	syscall(SYS_capget, &head, data);
	sethostname((char *)1, 3);
}

static void family_limits(void)
{
	struct rlimit r = { 1024, RLIM_INFINITY };
	struct rusage ru;
	getrlimit(RLIMIT_NOFILE, &r);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	prlimit(999999, RLIMIT_STACK, NULL, (void *)&r);
	syscall(SYS_getrlimit, RLIMIT_CPU, &r);
	getrusage(RUSAGE_CHILDREN, &ru);
	getrusage(77, &ru);
}

static void family_prctl(void)
{
	char name[16];
	int n;
	prctl(PR_SET_NAME, "renamed");
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	prctl(PR_GET_PDEATHSIG, &n);
	prctl(PR_GET_DUMPABLE);
	prctl(PR_SET_KEEPCAPS, 0);
	prctl(PR_CAPBSET_READ, 5);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	prctl(PR_GET_SECCOMP);
	syscall(SYS_arch_prctl, 0x1003, &n - 100);
	personality(0xffffffff);
	personality(PER_LINUX);
}

static void family_sched(void)
{
	struct sched_param p = {};
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_yield();
	sched_getscheduler(0);
	sched_setscheduler(0, SCHED_OTHER, &p);
	sched_getparam(0, &p);
	sched_get_priority_max(SCHED_FIFO);
	sched_get_priority_min(SCHED_RR);
	sched_setaffinity(999999, 8, &set);
	syscall(SYS_ioprio_get, 1, 0);
	syscall(SYS_ioprio_set, 1, 999999, 2 << 13 | 4);
}

static void family_time(void)
{
	struct timespec ts = { 0, 1000 };
	struct itimerval it = { .it_value = { 100, 0 } };
	clock_getres(CLOCK_MONOTONIC, &ts);
	syscall(SYS_clock_getres, CLOCK_REALTIME_COARSE, NULL);
	syscall(SYS_clock_gettime, 77, &ts);
	ts = (struct timespec){ 0, 1000 };
	syscall(SYS_nanosleep, &ts, NULL);
	syscall(SYS_nanosleep, &ts, &ts);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	it = (struct itimerval){};
	setitimer(ITIMER_PROF, &it, NULL);
	alarm(0);
	syscall(SYS_settimeofday, (void *)1, NULL);
}

static void family_timers(void)
{
	timer_t t;
	struct itimerspec its = { .it_value = { 100, 5 } }, old;
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	timerfd_settime(fd, 0, &its, NULL);
	its = (struct itimerspec){};
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &its, NULL);
	timerfd_gettime(fd, &old);
	timer_create(CLOCK_REALTIME, &ev, &t);
	timer_settime(t, TIMER_ABSTIME, &its, NULL);
	timer_gettime(t, &old);
	timer_getoverrun(t);
	timer_delete(t);
}

static void family_poll(void)
{
	int p[2];
	pipe(p);
	write(p[1], "x", 1);
	struct pollfd fds[2] = { { p[0], POLLIN | POLLPRI, 0 }, { p[1], POLLOUT, 0 } };
	struct timespec ts = { 0, 1000 };
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	poll(fds, 2, 0);
	fds[1].fd = -1;
	poll(fds, 2, 0);
	poll(fds, 1, -1);
	fds[0].events = POLLPRI;
	poll(fds, 1, 0);
	ppoll(fds, 1, &ts, &set);
	poll(NULL, 0, 0);
}

static void family_select(void)
{
	int p[2];
	pipe(p);
	write(p[1], "x", 1);
	fd_set in, out;
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(p[0], &in);
	FD_SET(p[1], &out);
	struct timeval tv = { 0, 0 };
	syscall(SYS_select, p[1] + 1, &in, &out, NULL, &tv);
	FD_ZERO(&in);
	syscall(SYS_select, 1, &in, NULL, NULL, &tv);
	syscall(SYS_select, -1, NULL, NULL, NULL, NULL);
}

static void family_epoll(void)
{
	int fd = epoll_create1(EPOLL_CLOEXEC), p[2];
	struct epoll_event ev = { EPOLLIN | EPOLLET, { .u64 = 5 } }, got[4];
	pipe(p);
	epoll_create(1);
	epoll_ctl(fd, EPOLL_CTL_ADD, p[0], &ev);
	epoll_wait(fd, got, 4, 0);
	write(p[1], "x", 1);
	epoll_wait(fd, got, 4, -1);
	epoll_pwait(fd, got, 4, 0, NULL);
	ev.events = EPOLLOUT | EPOLLONESHOT | EPOLLRDHUP;
	epoll_ctl(fd, EPOLL_CTL_DEL, p[0], &ev);
	epoll_ctl(fd, EPOLL_CTL_ADD, p[0], &ev);
	epoll_ctl(fd, EPOLL_CTL_MOD, p[0], &ev);
	epoll_ctl(fd, EPOLL_CTL_DEL, p[0], NULL);
	epoll_ctl(fd, EPOLL_CTL_DEL, 99, NULL);
	eventfd(5, EFD_SEMAPHORE | EFD_NONBLOCK);
	syscall(SYS_eventfd, 1);
}

static void family_inotify(void)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	inotify_add_watch(fd, "/tmp", IN_CREATE | IN_DELETE | IN_MOVED_TO);
	inotify_add_watch(fd, "/nonexistent", IN_ALL_EVENTS);
	inotify_rm_watch(fd, 1);
	close(fd);
}

static void family_futex(void)
{
	static uint32_t word = 1;
	struct timespec ts = { 0, 1000 };
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &ts, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, NULL, NULL, -1);
	syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 2, &word + 1, 5);
	syscall(SYS_futex, &word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 3, NULL, NULL, 0xff);
	syscall(SYS_set_robust_list, NULL, 5);
}

static void family_tcp(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_storage got;
	socklen_t n = sizeof(got);
	int one = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char buf[50];
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	a.sin_port = htons(45321);
	bind(s, (void *)&a, sizeof(a));
	listen(s, 5);
	int c = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	connect(c, (void *)&a, sizeof(a));
	setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	int d = accept4(s, NULL, NULL, SOCK_NONBLOCK);
	send(c, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL);
	recv(d, buf, sizeof(buf), 0);
	recv(d, buf, sizeof(buf), MSG_DONTWAIT | MSG_PEEK);
	getsockname(s, (void *)&got, &n);
	n = sizeof(one);
	getsockopt(c, SOL_SOCKET, SO_ERROR, &one, &n);
	getsockopt(c, SOL_SOCKET, SO_TYPE, &one, &n);
	struct linger l = { 1, 0 };
	setsockopt(c, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	shutdown(d, SHUT_WR);
	close(c);
	a.sin_port = htons(1);
	connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&a, sizeof(a));
}

static void family_inet6(void)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(9), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int one = 1, s = socket(AF_INET6, SOCK_DGRAM, IPPROTO_UDP);
	setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	sendto(s, "datagram", 8, MSG_DONTWAIT, (void *)&a, sizeof(a));
	bind(99, (void *)&a, sizeof(a));
}

static void family_unix(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "family.sock" };
	struct sockaddr_un b = { .sun_family = AF_UNIX, .sun_path = "\0abstract" };
	int p[2], s = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	bind(s, (void *)&a, sizeof(a));
	connect(s, (void *)&b, offsetof(struct sockaddr_un, sun_path) + 9);
	unlink("family.sock");
	socketpair(AF_UNIX, SOCK_STREAM, 0, p);
	sendto(s, "x", 1, 0, (void *)&a, sizeof(a));
}

static void family_messages(void)
{
	int p[2];
	char a[4], b[20], control[64];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, p);
	struct iovec out[2] = { { "hello ", 6 }, { "world", 5 } }, in[2] = { { a, sizeof(a) }, { b, sizeof(b) } };
	struct msghdr m = { .msg_iov = out, .msg_iovlen = 2 };
	sendmsg(p[0], &m, MSG_NOSIGNAL);
	struct msghdr r = { .msg_iov = in, .msg_iovlen = 2 };
	recvmsg(p[1], &r, 0);
	m.msg_control = control;
	m.msg_controllen = CMSG_SPACE(sizeof(int));
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(c), &p[0], sizeof(int));
	sendmsg(p[0], &m, 0);
	r = (struct msghdr){ .msg_iov = in, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof(control) };
	recvmsg(p[1], &r, MSG_CMSG_CLOEXEC);
	struct mmsghdr mm[1] = { { .msg_hdr = { .msg_iov = out, .msg_iovlen = 1 } } };
	sendmmsg(p[0], mm, 1, 0);
	mm[0].msg_hdr.msg_iov = in;
	recvmmsg(p[1], mm, 1, MSG_DONTWAIT, NULL);
	recvmsg(99, &r, 0);
	sendmsg(99, NULL, 0);
}

static void family_netlink(void)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	bind(s, (void *)&a, sizeof(a));
	close(s);
	socket(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT);
	socket(77, SOCK_SEQPACKET, 5);
}

static void family_ipc(void)
{
	int q = msgget(IPC_PRIVATE, IPC_CREAT | 0600), s = semget(IPC_PRIVATE, 2, 0600), m;
	struct sembuf op[2] = { { 0, 1, SEM_UNDO }, { 1, -1, IPC_NOWAIT } };
	semop(s, op, 2);
	semctl(s, 0, IPC_RMID);
	msgctl(q, IPC_RMID, NULL);
	m = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	void *p = shmat(m, NULL, SHM_RDONLY);
	shmdt(p);
	shmctl(m, IPC_RMID, NULL);
	shmget(0x1234567, 1, 0);
	shmat(-1, NULL, 0);
}

static void family_system(void)
{
	struct utsname u;
	uname(&u);
	syscall(SYS_sysinfo, (void *)1);
	sync();
	syscall(SYS_syslog, 77, NULL, 0);
	mount("none", "/nonexistent", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m");
	umount2("/nonexistent", MNT_DETACH);
	syscall(SYS_swapoff, "/nonexistent");
	syscall(SYS_reboot, 1, 2, 3, NULL);
	syscall(SYS_delete_module, "nonexistent", O_NONBLOCK);
	syscall(SYS_acct, "/nonexistent");
	syscall(SYS_pivot_root, "/nonexistent", "/nonexistent");
	syscall(SYS_vhangup + 1000);
}

static void family_random(void)
{
	char buf[8];
	getrandom(buf, 0, GRND_NONBLOCK);
	getrandom((void *)1, 8, GRND_RANDOM | GRND_NONBLOCK);
}

static void family_seccomp(void)
{
	struct sock_fprog prog = {};
	uint32_t action = SECCOMP_RET_ALLOW;
	syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, &prog);
}

static void family_keys(void)
{
	syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_THREAD_KEYRING, 0);
	syscall(SYS_add_key, "nothing", "name", "data", 4, KEY_SPEC_PROCESS_KEYRING);
	syscall(SYS_request_key, "nothing", "name", NULL, KEY_SPEC_SESSION_KEYRING);
}

static void family_namespaces(void)
{
	syscall(SYS_fsopen, "nothing", 1);
	syscall(SYS_open_tree, AT_FDCWD, "/nonexistent", 1);
	syscall(SYS_move_mount, AT_FDCWD, "/nonexistent", AT_FDCWD, "/nonexistent", 0);
	syscall(SYS_name_to_handle_at, AT_FDCWD, "/nonexistent", NULL, NULL, 0);
}

static void family_rseq(void)
{
	syscall(SYS_rseq, NULL, 5, 1, 2);
	syscall(SYS_set_tid_address, NULL);
	syscall(SYS_get_robust_list, 999999, NULL, NULL);
}

#if defined(__x86_64__)
/* As 32-bit programs call: numbers and structs of i386, memory below 4 GB. */
static long call32(long number, long a, long b, long c, long d, long e, long f)
{
	long ret;
	register long bp __asm__("r8") = f;
	__asm__ volatile("push %%rbp; mov %%r8, %%rbp; int $0x80; pop %%rbp"
			 : "=a"(ret)
			 : "0"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), "r"(bp)
			 : "memory", "r9", "r10", "r11");
	return ret;
}

static void family_compat(void)
{
	char *low = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long p = (long)low;
	uint32_t *words = (uint32_t *)(low + 1024);
	strcpy(low, F);
	strcpy(low + 64, "some text");
	long fd = call32(5, p, O_RDWR | O_CREAT | O_TRUNC, 0640, 0, 0, 0);
	call32(4, fd, p + 64, 9, 0, 0, 0);                   /* write */
	call32(180, fd, p + 128, 4, 2, 0, 0);                /* pread64: the position in two registers */
	call32(194, fd, 1, 1, 0, 0, 0);                      /* ftruncate64: 4 GB and a byte */
	call32(140, fd, 0, 5, p + 256, SEEK_SET, 0);         /* _llseek */
	words[0] = 0, words[1] = 1000;
	call32(162, p + 1024, 0, 0, 0, 0, 0);                /* nanosleep: words of four bytes */
	words[0] = (uint32_t)p + 64, words[1] = 4, words[2] = (uint32_t)p, words[3] = 3;
	call32(146, fd, p + 1024, 2, 0, 0, 0);               /* writev */
	call32(221, fd, F_GETFL, 0, 0, 0, 0);                /* fcntl64 */
	call32(192, 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* mmap2 */
	call32(199, 0, 0, 0, 0, 0, 0);                       /* getuid32 */
	call32(24, 0, 0, 0, 0, 0, 0);                        /* getuid */
	call32(76, RLIMIT_CORE, 1, 0, 0, 0, 0);              /* getrlimit */
	words[0] = 100, words[1] = 0, words[2] = 0, words[3] = 0;
	call32(407, CLOCK_MONOTONIC, 77, p + 1024, 0, 0, 0); /* clock_nanosleep_time64 */
	call32(10, p, 0, 0, 0, 0, 0);                        /* unlink */
	call32(6, fd, 0, 0, 0, 0, 0);                        /* close */
}
#else
static void family_compat(void)
{
}
#endif

static void *many(void *p)
{
	for (int i = 0; i < 50; i++)
		syscall(SYS_lseek, 99, (long)p + i, SEEK_CUR);
	return NULL;
}

static void family_manythreads(void)
{
	pthread_t t[4];
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, many, (void *)(1000 * i));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void family_perf(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK,
					.disabled = 1, .exclude_hv = 1, .sample_period = 5,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	syscall(SYS_perf_event_open, &attr, 0, -1, 99, PERF_FLAG_FD_CLOEXEC);
	syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);
	((uint64_t *)&attr)[5] |= 5ULL << 61; /* bits without a name */
	syscall(SYS_perf_event_open, &attr, 0, -1, 99, 0);
}

static void family_bpf(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 5 };
	syscall(SYS_bpf, 77, &attr, sizeof(attr));
	syscall(SYS_bpf, BPF_MAP_CREATE, NULL, 0);
}

static void family_uring(void)
{
	struct io_uring_params p = { .flags = 0x80000000 };
	syscall(SYS_io_uring_setup, 8, NULL);
	syscall(SYS_io_uring_enter, 99, 1, 2, IORING_ENTER_GETEVENTS, NULL, 8);
	syscall(SYS_io_uring_register, 99, IORING_REGISTER_FILES, NULL, 3);
	syscall(SYS_io_uring_register, 99, IORING_REGISTER_FILES, (int[]){ 5, 6, 7 }, 3);
	syscall(SYS_io_uring_register, 99, IORING_REGISTER_BUFFERS, &(struct iovec){ &p, 8 }, 1);
	(void)p;
}

/* Its first struct has grown: only so much of it is there as the size says. */
static void family_landlock(void)
{
	uint64_t rules[] = { LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_DIR, ~0ULL, ~0ULL };
	struct landlock_path_beneath_attr beneath = { LANDLOCK_ACCESS_FS_EXECUTE, 7 };
	syscall(SYS_landlock_create_ruleset, rules, 8, 0);
	syscall(SYS_landlock_add_rule, 99, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
}

static void family_fanotify(void)
{
	syscall(SYS_fanotify_mark, 99, 1, 8ULL, AT_FDCWD, "/nonexistent");
}

static void family_aio(void)
{
	syscall(SYS_io_setup, 0, NULL);
	syscall(SYS_io_destroy, NULL);
}

static void family_queues(void)
{
	syscall(SYS_mq_open, "nothing", O_RDONLY | O_NONBLOCK);
	syscall(SYS_mq_unlink, "nothing");
	syscall(SYS_mq_timedsend, 99, "text", 4, 7, NULL);
}

static void family_numa(void)
{
	syscall(SYS_migrate_pages, 999999, 0, NULL, NULL);
	syscall(SYS_getcpu, NULL, NULL, NULL);
}

static void family_usernames(void)
{
	syscall(SYS_setfsuid, -1);
	syscall(SYS_setpgid, -1, -1);
	syscall(SYS_getpgid, 0x7fffffff);
}

/* n bytes before the end of what can be read, with a copy of those. */
static void *at_end(const void *from, size_t n)
{
	char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(two + 4096, 4096);
	return memcpy(two + 4096 - n, from, n);
}

/* Structs that end where the memory ends, and some that do not end before. */
static void family_edges(void)
{
	struct { int type, pid; } owner = { 1, 1 };
	struct epoll_event event = { EPOLLIN, { .u64 = 7 } };
	struct flock lock = { .l_type = F_RDLCK, .l_len = 10 };
	struct timespec ts = { 0, 1000 };
	struct timeval tv = { 0, 1 };
	uint32_t action = 0x7fff0000;
	uint64_t set = 1;
	int p[2], zero = 0;
	pipe(p);
	fcntl(p[0], F_SETOWN_EX, at_end(&owner, 8));
	fcntl(p[0], F_GETOWN_EX, at_end(&owner, 8));
	fcntl(p[0], F_SETOWN_EX, at_end(&owner, 7));
	fcntl(p[0], F_SETLK, at_end(&lock, sizeof(lock)));
	prctl(PR_GET_PDEATHSIG, at_end(&zero, 4));
	prctl(PR_GET_CHILD_SUBREAPER, at_end(&zero, 4));
	prctl(PR_SET_NAME, at_end("ab", 3));
	syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, at_end(&action, 4));
	epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, p[0], at_end(&event, 12));
	syscall(SYS_select, 12, at_end(&set, 8), NULL, NULL, at_end(&tv, 16));
	syscall(SYS_nanosleep, at_end(&ts, 16), NULL);
	syscall(SYS_nanosleep, at_end(&ts, 8), NULL);
	syscall(SYS_setgroups, 3, at_end(&set, 8));
	writev(-1, &(struct iovec){ "more than thirty-two bytes of text", SIZE_MAX }, 1);
	syscall(SYS_memfd_create, at_end("unending", 8), 0);
	open(at_end("unending", 8), O_RDONLY);
	syscall(SYS_mincore, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096, at_end(&zero, 1));
	syscall(SYS_rt_sigpending, at_end(&zero, 4), 4);
}

/* Arguments wider than what the kernel looks at, or not. */
static void family_widths(void)
{
	syscall(SYS_umask, 0xffff0022);
	syscall(SYS_mkdir, "/proc/nonexistent", 0xdeadffffUL);
	syscall(SYS_chmod, "/nonexistent", 0xffff81a4UL);
	syscall(SYS_mknod, "/proc/nonexistent", 0xffff81a4UL, 0);
	syscall(SYS_mprotect, NULL, 0, 0x1234567800000001UL);
	syscall(SYS_unshare, 0x1234567800000000UL);
	mount("a", "/nonexistent", "b", MS_MGC_VAL | MS_RDONLY | MS_NODEV, NULL);
	mount("a", "/nonexistent", "b", MS_MGC_VAL, NULL);
}

static void family_multicast(void)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0), six = socket(AF_INET6, SOCK_DGRAM, 0);
	struct ip_mreq m = { { inet_addr("224.0.0.3") }, { inet_addr("127.0.0.1") } };
	struct ipv6_mreq m6 = { .ipv6mr_interface = 99 };
	struct group_req g = { .gr_interface = 99 };
	inet_pton(AF_INET6, "ff01::c", &m6.ipv6mr_multiaddr);
	setsockopt(s, IPPROTO_IP, IP_ADD_MEMBERSHIP, &m, sizeof(m));
	setsockopt(s, IPPROTO_IP, IP_DROP_MEMBERSHIP, at_end(&m, sizeof(m)), sizeof(m));
	setsockopt(s, IPPROTO_IP, IP_ADD_MEMBERSHIP, &m, 7);
	setsockopt(six, IPPROTO_IPV6, IPV6_JOIN_ANYCAST, &m6, sizeof(m6));
	((struct sockaddr_in *)&g.gr_group)->sin_family = AF_INET;
	((struct sockaddr_in *)&g.gr_group)->sin_addr.s_addr = inet_addr("224.0.0.3");
	setsockopt(s, IPPROTO_IP, MCAST_JOIN_GROUP, &g, sizeof(g));
	setsockopt(s, IPPROTO_IP, MCAST_LEAVE_GROUP, &g, sizeof(g));
	setsockopt(-1, SOL_RAW, 1, &(int){ ~0x21 }, 4);
	setsockopt(-1, SOL_RAW, 1, &(int){ 0x9 }, 4);
	setsockopt(-1, SOL_PACKET, PACKET_RX_RING, (int[]){ 1, 2, 3, 4 }, 16);
}

static void send_control(int s, int level, int type, const void *data, size_t n)
{
	char text[] = "text", control[256] = "";
	struct iovec v = { text, 4 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_LEN(n) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_len = CMSG_LEN(n);
	c->cmsg_level = level;
	c->cmsg_type = type;
	memcpy(CMSG_DATA(c), data, n);
	sendmsg(s, &m, MSG_DONTWAIT);
}

/* What comes with messages, and how long addresses may be and are. */
static void family_control(void)
{
	char text[32], control[128];
	struct sockaddr_un a = { AF_UNIX, "control.socket" }, peer;
	struct iovec v = { text, sizeof(text) };
	struct msghdr m = { &peer, sizeof(peer), &v, 1, control, sizeof(control), 0 };
	struct mmsghdr mm = { .msg_hdr = m };
	struct { uint32_t index, source, address; } info = { 99, inet_addr("1.2.3.4"), inet_addr("5.6.7.8") };
	struct timespec ts = { 5, 1 };
	uint64_t mask = 1 << 5;
	struct { void *set; size_t n; } both = { &mask, 8 };
	int s = socket(AF_UNIX, SOCK_DGRAM, 0), fds[2] = { 0, 1 };
	socklen_t n = 6;
	send_control(-1, SOL_SOCKET, SCM_RIGHTS, fds, sizeof(fds));
	send_control(-1, SOL_SOCKET, 2, (int[]){ 1, 2, 3 }, 12);
	send_control(-1, SOL_IP, IP_PKTINFO, &info, sizeof(info));
	send_control(-1, SOL_IP, IP_TTL, &(int){ 64 }, 4);
	send_control(-1, SOL_IP, IP_TOS, &(char){ 16 }, 1);
	send_control(-1, SOL_IP, IP_RECVOPTS, "AB", 2);
	send_control(-1, SOL_SOCKET, 63, (long[]){ 1, 2 }, 16);
	send_control(-1, SOL_SOCKET, 64, (long[]){ 1, 2 }, 16);
	unlink("control.socket");
	bind(s, (void *)&a, sizeof(a));
	sendto(s, "text", 4, 0, (void *)&a, sizeof(a));
	recvmsg(s, &m, 0);
	sendto(s, "text", 4, 0, (void *)&a, sizeof(a));
	recvmmsg(s, &mm, 1, MSG_DONTWAIT, &ts);
	recvmmsg(-1, &mm, 1, MSG_DONTWAIT, &(struct timespec){ 5, 1 });
	getsockname(s, (void *)&peer, &n);
	connect(s, (void *)&a, sizeof(a));
	n = 6;
	getpeername(s, (void *)&peer, &n);
	memset(a.sun_path, 'x', sizeof(a.sun_path));
	connect(-1, (void *)&a, sizeof(a));
	syscall(SYS_pselect6, 0, NULL, NULL, NULL, &(struct timespec){ 0, 1 }, &both);
	syscall(SYS_io_pgetevents, NULL, 0L, 0L, NULL, NULL, &both);
	unlink("control.socket");
}

/* Messages of netlink: requests, attributes, what the kernel answers. */
static void family_netlink_messages(void)
{
	int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct { struct nlmsghdr h; unsigned char family, pad; unsigned short type; int index; unsigned flags, change;
		struct { unsigned short len, type; unsigned value; } a[2]; } m = {
		{ sizeof(m), 18, NLM_F_REQUEST | NLM_F_ACK, 7, 0 }, 0, 0, 1, 0, 1, 0, { { 8, 4, 1500 }, { 8, 29, 1 } } };
	struct { struct nlmsghdr h; unsigned char family, prefix, flags, scope; unsigned index; struct { unsigned short len, type;
		unsigned char address[4]; } a; } addr = { { sizeof(addr), 20, NLM_F_CREATE | NLM_F_EXCL, 1, 2 }, 2, 24, 0x80, 0, 99,
		{ 8, 1, { 10, 1, 2, 3 } } };
	struct { struct nlmsghdr h; int error; struct nlmsghdr of; } error = { { sizeof(error), NLMSG_ERROR, 0, 1, 2 }, -13,
		{ 16, 18, 1, 3, 4 } };
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	struct iovec v = { &addr, sizeof(addr) };
	struct msghdr message = { &to, sizeof(to), &v, 1, NULL, 0, 0 };
	m.h.nlmsg_type = 77; /* none that the kernel knows */
	send(s, &m, sizeof(m), MSG_DONTWAIT);
	m.h.nlmsg_type = 18;
	send(99, &m, sizeof(m), MSG_DONTWAIT); /* not a socket of netlink */
	addr.h.nlmsg_flags = NLM_F_CREATE; /* not a request: the kernel looks no further */
	sendmsg(s, &message, MSG_DONTWAIT);
	m.h.nlmsg_flags = 0;
	send(s, &m, sizeof(m), MSG_DONTWAIT);
	send(s, &error, sizeof(error), MSG_DONTWAIT);
	send(s, &(struct nlmsghdr){ 16, NLMSG_DONE, 0, 1, 2 }, 16, MSG_DONTWAIT);
	send(s, "\x20\0\0\0short", 10, MSG_DONTWAIT);
}

/* Counts, and structs that are longer than what is known of them. */
static void family_lists(void)
{
	struct sembuf op = { 0, 1, SEM_UNDO };
	struct { uint64_t how[4]; } how = { { O_RDWR, 0, 0, 0x8786858483828180 } }, same = { { O_RDWR } };
	uint64_t page[2] = { 4096, 8192 };
	int nodes[2] = { 0, 1 }, status[2];
	syscall(SYS_semop, -1, &op, 0xffffffff00000001UL);
	syscall(SYS_openat2, -1, "nonexistent", &how, 32);
	syscall(SYS_openat2, -1, "nonexistent", &same, 32);
	syscall(SYS_openat2, -1, "nonexistent", at_end(&same, 24), 32);
	syscall(SYS_futex, &nodes, FUTEX_WAKE_OP, 1, 1, &status, FUTEX_OP(FUTEX_OP_OR, 0xcaf, FUTEX_OP_CMP_NE, 0xfee));
	syscall(SYS_futex, &nodes, FUTEX_WAKE_OP, 1, 1, &status, FUTEX_OP(FUTEX_OP_SET | 8, 0, FUTEX_OP_CMP_EQ, 0));
	syscall(SYS_move_pages, 0x7fffffff, 2, page, nodes, status, 2);
	syscall(SYS_fanotify_mark, -1, 0, 1UL, -1, "nonexistent");
	syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_PROCESS_KEYRING, "nothing", "name", 0);
	syscall(SYS_keyctl, KEYCTL_REJECT, 1, 7, ENOENT, KEY_SPEC_THREAD_KEYRING);
	syscall(SYS_quotactl, 0x80000500, "/nonexistent", 7, NULL);
	ioctl(-1, 0xc138fd00, NULL);
}

static void family_prctl_options(void)
{
	syscall(SYS_prctl, PR_SET_DUMPABLE, 1);
	syscall(SYS_prctl, PR_SET_DUMPABLE, 3);
	syscall(SYS_prctl, PR_GET_TSC, &(int){ 0 });
	syscall(SYS_prctl, PR_MCE_KILL, PR_MCE_KILL_SET, 77, 0, 0);
	syscall(SYS_prctl, PR_SET_SECUREBITS, 0);
	syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_RAW, 0, 0);
	syscall(SYS_prctl, 60, 1, 2, 0, 0);
	syscall(SYS_prctl, 0x53564d41, 0, 4096, 1, "name");
	syscall(SYS_prctl, PR_SET_PDEATHSIG, 0x1234567890UL);
	syscall(SYS_prctl, 0x7fffffff, 1, 2, 3, 4);
}

static const struct {
	const char *name;
	void (*run)(void);
} families[] = {
#define FAMILY(name) { #name, family_##name }
	FAMILY(open), FAMILY(openat2), FAMILY(read_write), FAMILY(vectors), FAMILY(stat), FAMILY(statfs), FAMILY(names),
	FAMILY(modes), FAMILY(descriptors), FAMILY(fcntl), FAMILY(ioctl), FAMILY(directories), FAMILY(xattr), FAMILY(splice),
	FAMILY(memory), FAMILY(signals), FAMILY(processes), FAMILY(threads), FAMILY(clone3), FAMILY(identity), FAMILY(limits),
	FAMILY(prctl), FAMILY(sched), FAMILY(time), FAMILY(timers), FAMILY(poll), FAMILY(select), FAMILY(epoll),
	FAMILY(inotify), FAMILY(futex), FAMILY(tcp), FAMILY(inet6), FAMILY(unix), FAMILY(messages), FAMILY(netlink),
	FAMILY(ipc), FAMILY(system), FAMILY(random), FAMILY(seccomp), FAMILY(keys), FAMILY(namespaces), FAMILY(rseq),
	FAMILY(compat), FAMILY(manythreads), FAMILY(perf), FAMILY(bpf), FAMILY(uring), FAMILY(landlock), FAMILY(fanotify), FAMILY(aio),
	FAMILY(queues), FAMILY(numa), FAMILY(usernames), FAMILY(execs),
	FAMILY(edges), FAMILY(widths), FAMILY(multicast), FAMILY(control), FAMILY(prctl_options), FAMILY(netlink_messages),
	FAMILY(netlink_tables), FAMILY(ioctl_structs), FAMILY(lists),
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		if (argc < 2)
			puts(families[i].name);
		else if (!strcmp(families[i].name, argv[1])) {
			close(-12345); /* what comes before is the loader's */
			families[i].run();
		}
	}
	return 0;
}

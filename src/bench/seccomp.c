/*
 * sched seccomp-notify: a thread's system calls, answered by another thread through a listener of the seccomp filter.
 *
 * The filter applies only to the first thread and ends with it. That thread makes all its calls even after a failure: without a
 * listener they return ENOSYS, so that neither thread waits for ever.
 *
 * Source: seccomp(2), seccomp_unotify(2); SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP of include/uapi/linux/seccomp.h (Linux 6.6).
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/priv.h"
#include "bench/tasks.h"

#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS      _IOW(SECCOMP_IOC_MAGIC, 4, uint64_t)
#endif

#define LOOPS  1000000
#define ANSWER 0x5eccc0

struct notifying {
	uint64_t loops, ns;
	bool sync;
	int listener; /* -1: none */
	sem_t is_installed;
};

/* Returns the listener's descriptor, or -1 with errno. */
static int install(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) /* of this thread */
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static int call(void *arg)
{
	struct notifying *n = arg;
	int e = 0;
	n->listener = install();
	if (n->listener < 0)
		e = errno;
	sem_post(&n->is_installed);
	if (e)
		return e;
	uint64_t start_ns = bench_clock_ns();
	for (uint64_t i = 0; i < n->loops; i++)
		if (syscall(SYS_getpgid, 0) != ANSWER)
			e = EPROTO;
	n->ns = bench_clock_ns() - start_ns;
	return e;
}

static int answer_all(struct notifying *n)
{
	if (n->sync && ioctl(n->listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP))
		return errno;
	for (uint64_t i = 0; i < n->loops;) {
		struct seccomp_notif request = {};
		if (ioctl(n->listener, SECCOMP_IOCTL_NOTIF_RECV, &request)) {
			if (errno == EINTR || errno == ENOENT)
				continue;
			return errno;
		}
		struct seccomp_notif_resp response = { .id = request.id, .val = ANSWER };
		if (ioctl(n->listener, SECCOMP_IOCTL_NOTIF_SEND, &response) && errno != ENOENT)
			return errno;
		i++;
	}
	return 0;
}

static int answer(void *arg)
{
	struct notifying *n = arg;
	while (sem_wait(&n->is_installed))
		;
	if (n->listener < 0)
		return 0; /* the other thread returns the error */
	int e = answer_all(n);
	close(n->listener);
	return e;
}

static struct strobe_error *run(struct notifying *n)
{
	struct bench_tasks tasks;
	uint64_t ns;
	TRY(bench_tasks_init(&tasks, true));
	struct strobe_error *err = bench_task_start(&tasks, call, n, -1);
	err = err ? err : bench_task_start(&tasks, answer, n, -1);
	err = err ? err : bench_tasks_run(&tasks, &ns);
	bench_tasks_end(&tasks);
	return err;
}

struct strobe_error *bench_seccomp_notify(const struct bench_settings *s, struct bench_report *r)
{
	struct notifying n = { .loops = s->loops ? s->loops : LOOPS, .sync = s->sync, .listener = -1 };
	bench_setting(r, "loops", n.loops);
	sem_init(&n.is_installed, 0, 0);
	struct strobe_error *err = run(&n);
	sem_destroy(&n.is_installed);
	if (err)
		return error_prefix(err, s->sync ? "cannot answer system calls (-s requires Linux 6.6)" :
						   "cannot answer system calls by a seccomp filter");
	bench_text(r, "# Executed %" PRIu64 " system calls\n\n", n.loops);
	bench_operations(r, n.ns, n.loops);
	return NULL;
}

#include "bench/futex.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/tasks.h"

#ifndef PR_FUTEX_HASH
#define PR_FUTEX_HASH           78
#define PR_FUTEX_HASH_SET_SLOTS 1
#define PR_FUTEX_HASH_GET_SLOTS 2
#endif

#define TASKS_MAX (1 << 20)

long futex_call(futex *f, int op, const struct bench_settings *s, uint32_t value, uintptr_t timeout, futex *other, uint32_t value3)
{
	return syscall(SYS_futex, f, s->shared ? op : op | FUTEX_PRIVATE_FLAG, value, timeout, other, value3);
}

const char *futex_sharing(const struct bench_settings *s)
{
	return s->shared ? "shared" : "private";
}

struct strobe_error *futex_prepare(const struct bench_settings *s, struct bench_report *r, uint64_t *ret_tasks)
{
	*ret_tasks = s->tasks ? s->tasks : bench_cpus_nr();
	if (*ret_tasks > TASKS_MAX)
		return error_create(ERROR_USAGE, "-t: at most %d threads", TASKS_MAX);
	if (s->lock_memory && mlockall(MCL_CURRENT | MCL_FUTURE))
		return error_errno(errno, "cannot lock memory (-m)");
	if (s->has_buckets && prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_SET_SLOTS, s->buckets, 0, 0))
		return error_errno(errno, "cannot set the number of hash buckets (-b: a power of two, from Linux 6.16 on)");
	bench_setting(r, "threads", *ret_tasks);
	return NULL;
}

void futex_put_buckets(const struct bench_settings *s, struct bench_report *r)
{
	int n = prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_GET_SLOTS, 0, 0, 0);
	if (n > 0 && s->has_buckets)
		bench_text(r, "Futex hashing: %d hash buckets\n", n);
	else if (n > 0)
		bench_text(r, "Futex hashing: auto resized to %d buckets\n", n);
	else if (!n)
		bench_text(r, "Futex hashing: global hash\n");
}

#include "bench/epoll.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/limits.h"

#define FDS          64
#define TASKS_MAX    (1 << 16)
#define SPARE_FDS_NR 64 /* open already, or opened by libc */

/* Raises the soft limit if the descriptors require it; it stays raised. */
static struct strobe_error *raise_limit(uint64_t fds_nr, const struct bench_settings *s, struct bench_report *r)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return error_errno(errno, "cannot read the limit of open files");
	fds_nr += SPARE_FDS_NR;
	if (limit.rlim_cur >= fds_nr)
		return NULL;
	if (s->verbose)
		bench_text(r, "Setting RLIMIT_NOFILE rlimit from %" PRIu64 " to: %" PRIu64 "\n", (uint64_t)limit.rlim_cur, fds_nr);
	if (sys_raise_nofile(fds_nr) >= fds_nr)
		return NULL;
	return error_create(ERROR_LIMIT, "cannot open %" PRIu64 " files: try fewer (-f), fewer threads (-t) or a higher limit (ulimit -n)",
			    fds_nr);
}

struct strobe_error *epoll_prepare(const struct bench_settings *s, struct bench_report *r, uint64_t default_tasks, bool is_multi,
				   struct epoll_set *ret)
{
	*ret = (struct epoll_set){ .tasks = s->tasks ? s->tasks : default_tasks, .fds_nr = s->fds ? s->fds : FDS, .nested = s->nested };
	if (ret->tasks > TASKS_MAX)
		return error_create(ERROR_USAGE, "-t: at most %d threads", TASKS_MAX);
	if (ret->fds_nr > INT32_MAX / ret->tasks)
		return error_create(ERROR_USAGE, "-f: too many files");
	if (ret->nested > EPOLL_NESTS_MAX)
		return error_create(ERROR_USAGE, "-N: the kernel allows at most %d levels", EPOLL_NESTS_MAX);
	ret->instances_nr = is_multi ? ret->tasks : 1;
	bench_setting(r, "threads", ret->tasks);
	bench_setting(r, "fds", ret->fds_nr);
	bench_setting(r, "nested", ret->nested);
	return raise_limit(ret->tasks * ret->fds_nr + ret->instances_nr * (ret->nested + 1), s, r);
}

static struct strobe_error *open_chain(int *chain, uint64_t nested)
{
	for (uint64_t i = 0; i <= nested; i++) {
		struct epoll_event inner = { .events = EPOLLIN };
		chain[i] = epoll_create1(EPOLL_CLOEXEC);
		if (chain[i] < 0)
			return error_errno(errno, "cannot create an epoll instance");
		if (i && epoll_ctl(chain[i], EPOLL_CTL_ADD, chain[i - 1], &inner))
			return error_errno(errno, "cannot nest epoll instances");
	}
	return NULL;
}

struct strobe_error *epoll_set_open(struct epoll_set *set)
{
	uint64_t fds = set->tasks * set->fds_nr, instances = set->instances_nr * (set->nested + 1);
	set->fds = xcalloc(fds, sizeof(*set->fds));
	set->instances = xcalloc(instances, sizeof(*set->instances));
	for (uint64_t i = 0; i < fds; i++)
		set->fds[i] = -1;
	for (uint64_t i = 0; i < instances; i++)
		set->instances[i] = -1;
	for (uint64_t i = 0; i < fds; i++) {
		set->fds[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (set->fds[i] < 0)
			return error_errno(errno, "cannot open an eventfd");
	}
	for (uint64_t i = 0; i < set->instances_nr; i++)
		TRY(open_chain(set->instances + i * (set->nested + 1), set->nested));
	return NULL;
}

static void close_all(int *fds, uint64_t n)
{
	for (uint64_t i = 0; fds && i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
}

void epoll_set_close(struct epoll_set *set)
{
	close_all(set->instances, set->instances_nr * (set->nested + 1));
	close_all(set->fds, set->tasks * set->fds_nr);
}

/* sched messaging, known as hackbench: groups of 20 senders and 20 receivers; each sender writes to each receiver of its group. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/priv.h"
#include "bench/tasks.h"

#define PAIRS         20
#define MESSAGE_BYTES 100
#define GROUPS        10
#define LOOPS         100

struct group {
	int fds[PAIRS][2]; /* read from the first, written to the second; -1: closed */
	uint64_t loops;
};

struct receiver {
	const struct group *group;
	int fd;
};

struct messaging {
	struct bench_tasks tasks;
	struct group *groups;
	struct receiver *receivers;
};

/* Returns 0 or an errno. */
static int read_whole(int fd, char *bytes, size_t n)
{
	while (n) {
		ssize_t got = read(fd, bytes, n);
		if (!got)
			return EPIPE;
		if (got < 0 && errno != EINTR)
			return errno;
		if (got > 0)
			bytes += got, n -= (size_t)got;
	}
	return 0;
}

static int write_whole(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t put = write(fd, bytes, n);
		if (put < 0 && errno != EINTR)
			return errno;
		if (put > 0)
			bytes += put, n -= (size_t)put;
	}
	return 0;
}

static int receive(void *arg)
{
	const struct receiver *r = arg;
	char message[MESSAGE_BYTES];
	for (uint64_t i = 0; i < PAIRS * r->group->loops; i++) {
		int e = read_whole(r->fd, message, sizeof(message));
		if (e)
			return e;
	}
	return 0;
}

static int send_all(void *arg)
{
	const struct group *g = arg;
	static const char message[MESSAGE_BYTES];
	for (uint64_t i = 0; i < g->loops; i++)
		for (int to = 0; to < PAIRS; to++) {
			int e = write_whole(g->fds[to][1], message, sizeof(message));
			if (e)
				return e;
		}
	return 0;
}

static void close_fds(struct group *g, int side)
{
	for (int i = 0; i < PAIRS; i++) {
		if (g->fds[i][side] >= 0)
			close(g->fds[i][side]);
		g->fds[i][side] = -1;
	}
}

static struct strobe_error *start_group(struct messaging *m, struct group *g, struct receiver *receivers, bool pipes)
{
	for (int i = 0; i < PAIRS; i++) {
		if (pipes ? pipe(g->fds[i]) : socketpair(AF_UNIX, SOCK_STREAM, 0, g->fds[i])) {
			g->fds[i][0] = g->fds[i][1] = -1;
			return error_errno(errno, "cannot open a %s: try fewer groups (-g) or more open files (ulimit -n)",
					   pipes ? "pipe" : "pair of sockets");
		}
		receivers[i] = (struct receiver){ .group = g, .fd = g->fds[i][0] };
		TRY(bench_task_start(&m->tasks, receive, &receivers[i], -1));
	}
	for (int i = 0; i < PAIRS; i++)
		TRY(bench_task_start(&m->tasks, send_all, g, -1));
	if (!m->tasks.threads) {
		close_fds(g, 0);
		close_fds(g, 1);
	}
	return NULL;
}

static struct strobe_error *run_groups(struct messaging *m, uint64_t groups, uint64_t loops, bool pipes, uint64_t *ret_ns)
{
	for (uint64_t i = 0; i < groups; i++) {
		struct group *g = &m->groups[i];
		g->loops = loops;
		for (int k = 0; k < PAIRS; k++)
			g->fds[k][0] = g->fds[k][1] = -1;
	}
	for (uint64_t i = 0; i < groups; i++)
		TRY(start_group(m, &m->groups[i], &m->receivers[i * PAIRS], pipes));
	return bench_tasks_run(&m->tasks, ret_ns);
}

struct strobe_error *bench_messaging(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t groups = s->groups ? s->groups : GROUPS, loops = s->loops ? s->loops : LOOPS, ns = 0;
	const char *tasks = s->threads ? "threads" : "processes";
	struct messaging m;
	if (groups > INT32_MAX / (2 * PAIRS) || loops > UINT64_MAX / PAIRS)
		return error_create(ERROR_USAGE, "too many groups or loops");
	bench_setting(r, "groups", groups);
	bench_setting(r, "loops", loops);
	TRY(bench_tasks_init(&m.tasks, s->threads));
	m.groups = xcalloc(groups, sizeof(*m.groups));
	m.receivers = xcalloc(groups * PAIRS, sizeof(*m.receivers));
	struct strobe_error *err = run_groups(&m, groups, loops, s->pipes, &ns);
	bench_tasks_end(&m.tasks);
	for (uint64_t i = 0; i < groups; i++) {
		close_fds(&m.groups[i], 0);
		close_fds(&m.groups[i], 1);
	}
	free(m.groups);
	free(m.receivers);
	if (err)
		return err;
	bench_text(r, "# %d sender and receiver %s per group\n", PAIRS, tasks);
	bench_text(r, "# %" PRIu64 " groups == %" PRIu64 " %s run\n\n", groups, groups * 2 * PAIRS, tasks);
	bench_total_time(r, ns);
	return NULL;
}

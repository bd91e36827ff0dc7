/* epoll ctl: threads that add, modify and delete descriptors of an epoll instance. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/epoll.h"

#define RUNTIME_S 8

enum { ADD, MOD, DEL, OPERATIONS_NR };

struct changer {
	const struct bench_timed *timed;
	int epoll;
	int *fds;
	uint64_t fds_nr, random; /* random: state of the generator; 0: descriptors and operations in order */
	uint64_t done[OPERATIONS_NR];
} THREAD_OWN;

static int change(struct changer *c, int operation, int fd)
{
	static const int ops[] = { [ADD] = EPOLL_CTL_ADD, [MOD] = EPOLL_CTL_MOD, [DEL] = EPOLL_CTL_DEL };
	struct epoll_event event = { .events = EPOLLIN | (operation == MOD ? EPOLLOUT : 0), .data.fd = fd };
	if (!epoll_ctl(c->epoll, ops[operation], fd, &event)) {
		c->done[operation]++;
		return 0;
	}
	return c->random && (errno == EEXIST || errno == ENOENT) ? 0 : errno; /* in random order some must fail */
}

static int change_in_order(struct changer *c)
{
	for (uint64_t i = 0; i < c->fds_nr; i++)
		for (int operation = 0; operation < OPERATIONS_NR; operation++) {
			int e = change(c, operation, c->fds[i]);
			if (e)
				return e;
		}
	return 0;
}

static int change_any(struct changer *c)
{
	uint64_t n = epoll_random(&c->random);
	return change(c, (int)((n >> 32) % OPERATIONS_NR), c->fds[(uint32_t)n % c->fds_nr]);
}

static int change_all(void *arg)
{
	struct changer *c = arg;
	int e;
	do
		e = c->random ? change_any(c) : change_in_order(c);
	while (!e && !bench_timed_is_over(c->timed));
	return e;
}

static struct strobe_error *run(struct epoll_set *set, struct changer *changers, const struct bench_settings *s, uint64_t runtime_s,
				uint64_t *ret_ns)
{
	struct bench_timed timed;
	TRY(epoll_set_open(set));
	TRY(bench_timed_init(&timed, runtime_s));
	struct strobe_error *err = NULL;
	for (uint64_t i = 0; i < set->tasks && !err; i++) {
		changers[i] = (struct changer){ .timed = &timed, .epoll = epoll_of(set, i), .fds = epoll_fds_of(set, i),
						.fds_nr = set->fds_nr, .random = s->randomize ? i + 1 : 0 };
		err = bench_task_start(&timed.tasks, change_all, &changers[i], s->no_affinity ? -1 : bench_cpu(i));
	}
	err = err ? err : bench_timed_run(&timed, ret_ns);
	bench_timed_end(&timed);
	return err;
}

static void put(struct bench_report *r, const struct epoll_set *set, const struct changer *changers, uint64_t ns)
{
	static const struct {
		const char *text, *name;
	} words[] = { [ADD] = { "ADD", "add" }, [MOD] = { "MOD", "mod" }, [DEL] = { "DEL", "del" } };
	struct stats done[OPERATIONS_NR] = {};
	for (uint64_t i = 0; i < set->tasks; i++) {
		const struct changer *c = &changers[i];
		bench_text(r, "[thread %2" PRIu64 "] fdmap: %p ... %p [ add: %04" PRIu64 " ops; mod: %04" PRIu64 " ops; del: %04" PRIu64
			   " ops ]\n", i, (void *)c->fds, (void *)(c->fds + c->fds_nr - 1), c->done[ADD], c->done[MOD], c->done[DEL]);
		for (int k = 0; k < OPERATIONS_NR; k++)
			stats_add(&done[k], (double)c->done[k]);
	}
	bench_text(r, "\n");
	for (int k = 0; k < OPERATIONS_NR; k++) {
		bench_text(r, "Averaged %" PRIu64 " %s operations (+- %.2f%%)\n", (uint64_t)done[k].mean, words[k].text,
			   bench_error_percent(&done[k]));
		bench_simple(r, "%" PRIu64 "\n", (uint64_t)done[k].mean);
		bench_figure(r, NULL, words[k].name, "1/s", bench_per_second((uint64_t)done[k].mean, ns));
	}
}

struct strobe_error *bench_epoll_ctl(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t runtime_s = s->runtime_s ? s->runtime_s : RUNTIME_S, ns = 0;
	struct epoll_set set;
	TRY(epoll_prepare(s, r, bench_cpus_nr(), false, &set));
	bench_text(r, "Run summary [PID %d]: %" PRIu64 " threads doing epoll_ctl ops %" PRIu64 " file-descriptors for %" PRIu64
		   " secs.\n\n", (int)getpid(), set.tasks, set.fds_nr, runtime_s);
	struct changer *changers = xcalloc_apart(set.tasks, sizeof(*changers));
	struct strobe_error *err = run(&set, changers, s, runtime_s, &ns);
	if (!err)
		put(r, &set, changers, ns);
	epoll_set_close(&set);
	free(changers);
	return err;
}

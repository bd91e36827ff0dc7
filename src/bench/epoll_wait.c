/*
 * epoll wait: threads that wait for descriptors to which a writer thread writes.
 *
 * A descriptor that stays readable, in each instance, ends all waits when the time is over: since it is level-triggered, it wakes one
 * thread after the other.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/epoll.h"

#define RUNTIME_S 8

struct waiter {
	const struct bench_settings *s;
	const struct bench_timed *timed;
	int epoll, end;
	uint32_t events; /* the events to watch */
	uint64_t operations;
} THREAD_OWN;

struct writer {
	const struct bench_timed *timed;
	const struct epoll_set *set;
	bool randomize;
	int end;
	uint64_t rounds;
};

struct waits {
	struct epoll_set set;
	struct waiter *waiters;
	struct writer writer;
};

static int wait_for_events(void *arg)
{
	struct waiter *w = arg;
	uint64_t value;
	do {
		struct epoll_event event;
		int n = epoll_wait(w->epoll, &event, 1, w->s->nonblocking ? 0 : -1);
		if (n < 0 && errno != EINTR)
			return errno;
		if (n <= 0)
			continue;
		if (event.data.fd == w->end)
			break;
		if (read(event.data.fd, &value, sizeof(value)) < 0 && errno != EAGAIN) /* another thread may have read it first */
			return errno;
		event.events = w->events;
		if (w->s->oneshot && epoll_ctl(w->epoll, EPOLL_CTL_MOD, event.data.fd, &event))
			return errno;
		w->operations++;
	} while (!bench_timed_is_over(w->timed));
	return 0;
}

static int write_to_all(void *arg)
{
	struct writer *w = arg;
	const uint64_t one = 1, n = w->set->tasks * w->set->fds_nr;
	uint64_t state = 88172645463325252;
	for (; !bench_timed_is_over(w->timed); w->rounds++)
		for (uint64_t i = 0; i < n && !bench_timed_is_over(w->timed); i++)
			if (write(w->set->fds[w->randomize ? epoll_random(&state) % n : i], &one, sizeof(one)) < 0 && errno != EAGAIN)
				return errno;
	return write(w->end, &one, sizeof(one)) == sizeof(one) ? 0 : errno;
}

/* ---- set up ---- */

static struct strobe_error *watch(int epoll, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };
	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? error_errno(errno, "cannot watch a file") : NULL;
}

static struct strobe_error *watch_all(struct waits *w, const struct bench_settings *s)
{
	const struct epoll_set *set = &w->set;
	uint32_t events = EPOLLIN | (s->edge ? EPOLLET : 0) | (s->oneshot ? EPOLLONESHOT : 0);
	w->writer.end = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (w->writer.end < 0)
		return error_errno(errno, "cannot open an eventfd");
	for (uint64_t i = 0; i < set->instances_nr; i++)
		TRY(watch(epoll_of(set, i), w->writer.end, EPOLLIN));
	for (uint64_t i = 0; i < set->tasks; i++) {
		w->waiters[i] = (struct waiter){ .s = s, .epoll = epoll_of(set, i), .end = w->writer.end, .events = events };
		for (uint64_t k = 0; k < set->fds_nr; k++)
			TRY(watch(epoll_of(set, i), epoll_fds_of(set, i)[k], events));
	}
	return NULL;
}

static struct strobe_error *run(struct waits *w, const struct bench_settings *s, uint64_t runtime_s, uint64_t *ret_ns)
{
	struct bench_timed timed;
	TRY(epoll_set_open(&w->set));
	TRY(watch_all(w, s));
	TRY(bench_timed_init(&timed, runtime_s));
	struct strobe_error *err = NULL;
	for (uint64_t i = 0; i < w->set.tasks && !err; i++) {
		w->waiters[i].timed = &timed;
		err = bench_task_start(&timed.tasks, wait_for_events, &w->waiters[i], s->no_affinity ? -1 : bench_cpu(i));
	}
	w->writer.timed = &timed;
	err = err ? err : bench_task_start(&timed.tasks, write_to_all, &w->writer, -1);
	err = err ? err : bench_timed_run(&timed, ret_ns);
	bench_timed_end(&timed);
	return err;
}

/* ---- report ---- */

static void put(struct bench_report *r, const struct bench_settings *s, const struct waits *w, uint64_t ns)
{
	struct stats rates = {};
	if (s->verbose)
		bench_text(r, "exiting writer-thread (total full-loops: %" PRIu64 ")\n", w->writer.rounds);
	for (uint64_t i = 0; i < w->set.tasks; i++) {
		const int *fds = epoll_fds_of(&w->set, i);
		double rate = bench_per_second(w->waiters[i].operations, ns);
		stats_add(&rates, rate);
		bench_text(r, "[thread %2" PRIu64 "] fdmap: %p ... %p [ %" PRIu64 " ops/sec ]\n", i, (const void *)fds,
			   (const void *)(fds + w->set.fds_nr - 1), (uint64_t)rate);
	}
	bench_text(r, "\n");
	bench_average(r, &rates, ns);
}

struct strobe_error *bench_epoll_wait(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t runtime_s = s->runtime_s ? s->runtime_s : RUNTIME_S, ns = 0, cpus = bench_cpus_nr();
	struct waits w = { .writer = { .randomize = s->randomize, .end = -1 } };
	TRY(epoll_prepare(s, r, cpus > 1 ? cpus - 1 : 1, s->multi, &w.set)); /* one CPU is reserved for the writer */
	if (s->verbose)
		bench_text(r, "Using %s queue model\nNesting level(s): %" PRIu64 "\n", s->multi ? "multi" : "single", w.set.nested);
	bench_text(r, "Run summary [PID %d]: %" PRIu64 " threads monitoring%s on %" PRIu64 " file-descriptors for %" PRIu64 " secs.\n\n",
		   (int)getpid(), w.set.tasks, s->oneshot ? " (EPOLLONESHOT semantics)" : "", w.set.fds_nr, runtime_s);
	w.waiters = xcalloc_apart(w.set.tasks, sizeof(*w.waiters));
	w.writer.set = &w.set;
	struct strobe_error *err = run(&w, s, runtime_s, &ns);
	if (!err)
		put(r, s, &w, ns);
	epoll_set_close(&w.set);
	if (w.writer.end >= 0)
		close(w.writer.end);
	free(w.waiters);
	return err;
}

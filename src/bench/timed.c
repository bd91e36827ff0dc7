#include "bench/timed.h"

#include <errno.h>

#include "base/clock.h"

struct strobe_error *bench_timed_init(struct bench_timed *t, uint64_t runtime_s)
{
	sigset_t interrupt;
	t->runtime_s = runtime_s;
	atomic_init(&t->is_over, false);
	TRY(bench_tasks_init(&t->tasks, true));
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, &t->before);
	return NULL;
}

struct strobe_error *bench_timed_run(struct bench_timed *t, uint64_t *ret_ns)
{
	sigset_t interrupt;
	uint64_t start_ns;
	const uint64_t most_s = UINT64_C(1) << 32;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	TRY(bench_tasks_go(&t->tasks, &start_ns));
	uint64_t end_ns = start_ns + (t->runtime_s < most_s ? t->runtime_s : most_s) * NS_PER_S;
	for (uint64_t now = start_ns; now < end_ns; now = bench_clock_ns()) {
		struct timespec left = ns_timespec(end_ns - now);
		if (sigtimedwait(&interrupt, NULL, &left) == SIGINT)
			break;
	}
	atomic_store(&t->is_over, true);
	*ret_ns = bench_clock_ns() - start_ns;
	return bench_tasks_join(&t->tasks);
}

void bench_timed_end(struct bench_timed *t)
{
	atomic_store(&t->is_over, true);
	bench_tasks_end(&t->tasks);
	pthread_sigmask(SIG_SETMASK, &t->before, NULL);
}

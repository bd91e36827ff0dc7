/* BPF programs: load, attach, and count known numbers of calls. */
#include <inttypes.h>
#include <unistd.h>

#include "bpf/count/event_counts.h"
#include "bpf/count/kwork_counts.h"
#include "bpf/count/lock_counts.h"
#include "bpf/count/sched_counts.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "bpf/task_filter.h"
#include "selftest/priv.h"

#define ENTRIES 1024

static struct selftest_outcome built(const struct selftest *t)
{
	(void)t;
	const char *missing = bpf_image_missing();
	return missing ? selftest_skip("%s", missing) : selftest_of_error(bpf_check_kernel(sys_live()));
}

/* A map returns the stored value. */
static struct selftest_outcome map(const struct selftest *t)
{
	struct bpf_map_shape shape = { .type = BPF_MAP_TYPE_HASH, .key_bytes = 8, .value_bytes = 8, .entries = ENTRIES };
	int fd = -1;
	(void)t;
	struct strobe_error *err = bpf_map_make(sys_live(), "strobe_test", shape, &fd);
	if (err)
		return selftest_of_error(err);
	uint64_t held = 0;
	for (uint64_t key = 0, value; key < ENTRIES; key++) {
		value = key * key;
		error_destroy(bpf_map_set(fd, &key, &value));
	}
	for (uint64_t key = 0, value; key < ENTRIES; key++)
		held += bpf_map_get(fd, &key, &value) && value == key * key;
	close(fd);
	EXPECT(held == ENTRIES, "%" PRIu64 " of %d values are as they were set", held, ENTRIES);
	return selftest_ok();
}

static struct selftest_outcome task_filter(const struct selftest *t)
{
	struct task_filter_options o = { .sys = sys_live() };
	struct task_filter *f = NULL;
	(void)t;
	struct strobe_error *err = task_filter_create(&o, &f);
	if (!err)
		task_filter_destroy(f);
	return selftest_of_error(err);
}

static struct selftest_outcome locks(const struct selftest *t)
{
	struct lock_counts_options o = { .sys = sys_live(), .frames = 8, .entries = ENTRIES };
	struct lock_counts *c = NULL;
	(void)t;
	struct strobe_error *err = lock_counts_open(&o, &c);
	if (!err)
		lock_counts_close(c);
	return selftest_of_error(err);
}

static struct selftest_outcome scheduler(const struct selftest *t)
{
	struct sched_counts_options o = { .sys = sys_live(), .entries = ENTRIES };
	struct sched_counts *c = NULL;
	(void)t;
	struct strobe_error *err = sched_counts_open(&o, &c);
	if (!err)
		sched_counts_close(c);
	return selftest_of_error(err);
}

static struct selftest_outcome work(const struct selftest *t)
{
	struct kwork_counts_options o = { .sys = sys_live(), .kinds = 1, .entries = ENTRIES };
	struct kwork_counts *c = NULL;
	(void)t;
	struct strobe_error *err = kwork_counts_open(&o, &c);
	if (!err)
		kwork_counts_close(c);
	return selftest_of_error(err);
}

static void add_own(void *ctx, const struct event_count *e)
{
	if (e->tid == (uint32_t)getpid())
		*(uint64_t *)ctx += e->count;
}

/* A program on the entry of all system calls counts ours. */
static struct selftest_outcome counts(const struct selftest *t)
{
	struct event_counts_options o = { .sys = sys_live(), .tracepoint = "sys_enter" };
	struct event_counts *c = NULL;
	struct strobe_error *err = bpf_check_pid_namespace(sys_live());
	if (!err)
		err = event_counts_open(&o, &c);
	if (err)
		return selftest_of_error(err);
	uint64_t counted = 0;
	event_counts_enable(c, true);
	t->load(t->n);
	event_counts_turn(c);
	bpf_wait_for_programs();
	event_counts_read(c, add_own, &counted);
	uint64_t lost = event_counts_lost(c);
	event_counts_close(c);
	EXPECT(!lost && counted >= t->least && counted <= t->most,
	       "%" PRIu64 " counted, %" PRIu64 " lost, %" PRIu64 " to %" PRIu64 " expected", counted, lost, t->least, t->most);
	return selftest_ok();
}

#define S .subject = "BPF"

const struct selftest selftests_bpf[] = {
	{ "this build and this kernel have programs", S, built },
	{ "a map holds what is put into it", S, map },
	{ "programs that follow tasks are loaded", S, task_filter },
	{ "programs for locks are loaded", S, locks },
	{ "programs for the scheduler are loaded", S, scheduler },
	{ "programs for interrupts are loaded", S, work },
	{ "a program counts each call", S, counts, .load = load_calls, .n = 1000, .least = 1000, .most = 1020 },
	{},
};

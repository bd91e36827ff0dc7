/* Building blocks of checks: an event of this process, workloads of known size, outcomes. */
#pragma once
#include <stdint.h>

#include "capture/ring.h"
#include "event/event.h"
#include "record/sample.h"
#include "selftest/selftest.h"

struct selftest {
	const char *name, *subject;
	struct selftest_outcome (*run)(const struct selftest *t);
	/* For checks that differ only in these: */
	const char *text;                 /* an event, a clock, a library */
	void (*load)(uint64_t n);
	uint64_t n, least, most;          /* the workload's size, and the range of the expected result */
};

extern const struct selftest selftests_counting[], selftests_sampling[], selftests_tracing[], selftests_bpf[], selftests_names[],
	selftests_files[]; /* each ends with a NULL name */

struct selftest_outcome selftest_ok(void);
struct selftest_outcome selftest_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
struct selftest_outcome selftest_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Takes ownership of the error: lack of permission or support is a skip, everything else a failure; NULL is ok. */
struct selftest_outcome selftest_of_error(struct strobe_error *err);

/* Ends the check if a condition does not hold. */
#define EXPECT(condition, ...)                          \
	do {                                            \
		if (!(condition))                       \
			return selftest_fail(__VA_ARGS__); \
	} while (0)

/* An event of this process, initially disabled. */
struct own_event {
	struct event_list list;
	struct perf_event_attr attr;
	int fd;
	struct ring ring; /* page NULL: none */
	struct sample_layout layout;
};

/* Opens an event given as for -e, modified by change (may be NULL). False: *ret has the reason; nothing is to be closed. */
bool own_event_open(struct own_event *e, const char *text, void (*change)(struct perf_event_attr *attr), struct selftest_outcome *ret);
/* The same for an attr. what: for messages. */
bool own_event_open_attr(struct own_event *e, const struct perf_event_attr *attr, const char *what, struct selftest_outcome *ret);
/* Maps a ring with that many pages. */
bool own_event_map(struct own_event *e, uint64_t pages, struct selftest_outcome *ret);
void own_event_close(struct own_event *e);
void own_event_enable(const struct own_event *e, bool on);
uint64_t own_event_count(const struct own_event *e);
/* The next sample in the ring; false: none. Skips other records, adds LOST ones to *lost (may be NULL). */
bool own_event_next(struct own_event *e, struct sample *ret, uint64_t *lost);

struct selftest_outcome selftest_in_range(const char *what, uint64_t count, uint64_t least, uint64_t most);
/* Runs the check's workload, counted by the event in its text. */
struct selftest_outcome selftest_count_load(const struct selftest *t);
/*
 * The same for an event that counts switches to other threads, compared with getrusage(2): a sleep may be none, as its timer can expire
 * before the thread leaves the CPU (seen in an emulated machine beside other load).
 */
struct selftest_outcome selftest_count_switches(const struct selftest *t);

/* Workloads. */
void load_pages(uint64_t n);      /* touches that many new pages */
void load_spin_us(uint64_t us);   /* uses CPU time */
void load_sleeps(uint64_t n);     /* of a millisecond */
void load_calls(uint64_t n);      /* getppid(2) */
void load_hits(uint64_t n);       /* calls own_hit() */
void load_loop(uint64_t n);       /* passes of a loop: at least two instructions, one of them a branch */
void load_migrations(uint64_t n); /* moves to another CPU, if there is one */
void load_forks(uint64_t n);      /* forks children that end immediately */
/* The function that load_hits() calls, and the variable that it writes each time. */
uint64_t own_hit(uint64_t argument);
volatile uint64_t *own_hits(void);
/* The file offset of one of our functions; 0: unknown. */
uint64_t own_file_offset(const void *function);
/* The path of this program; owned. NULL: unknown. */
char *own_path(void);

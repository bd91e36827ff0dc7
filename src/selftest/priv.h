/* What checks are made of: an event of this process, loads of known size, outcomes. */
#pragma once
#include <stdint.h>

#include "capture/ring.h"
#include "event/event.h"
#include "record/sample.h"
#include "selftest/selftest.h"

struct selftest {
	const char *name, *subject;
	struct selftest_outcome (*run)(const struct selftest *t);
	/* Of the checks that differ in these alone: */
	const char *text;                 /* an event, a clock, a library */
	void (*load)(uint64_t n);
	uint64_t n, least, most;          /* the load's size, and what it is to come to */
};

extern const struct selftest selftests_counting[], selftests_sampling[], selftests_tracing[], selftests_bpf[], selftests_names[],
	selftests_files[]; /* each ends with a NULL name */

struct selftest_outcome selftest_ok(void);
struct selftest_outcome selftest_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
struct selftest_outcome selftest_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The error is destroyed: a lack of rights or support is a skip, everything else a failure; NULL is ok. */
struct selftest_outcome selftest_of_error(struct strobe_error *err);

/* Ends the check where a condition does not hold. */
#define EXPECT(condition, ...)                          \
	do {                                            \
		if (!(condition))                       \
			return selftest_fail(__VA_ARGS__); \
	} while (0)

/* One event of this process, not enabled yet. */
struct own_event {
	struct event_list list;
	struct perf_event_attr attr;
	int fd;
	struct ring ring; /* page NULL: none */
	struct sample_layout layout;
};

/* By the text that -e takes, changed by change (may be NULL). False: *ret says why; nothing is to be closed. */
bool own_event_open(struct own_event *e, const char *text, void (*change)(struct perf_event_attr *attr), struct selftest_outcome *ret);
/* The same of an attr. what: for messages. */
bool own_event_open_attr(struct own_event *e, const struct perf_event_attr *attr, const char *what, struct selftest_outcome *ret);
/* Gives it a ring of so many pages. */
bool own_event_map(struct own_event *e, uint64_t pages, struct selftest_outcome *ret);
void own_event_close(struct own_event *e);
void own_event_enable(const struct own_event *e, bool on);
uint64_t own_event_count(const struct own_event *e);
/* The next sample of the ring; false: none. Other records are passed by, LOST ones added to *lost (may be NULL). */
bool own_event_next(struct own_event *e, struct sample *ret, uint64_t *lost);

struct selftest_outcome selftest_in_range(const char *what, uint64_t count, uint64_t least, uint64_t most);
/* The check's load, counted by the event of its text. */
struct selftest_outcome selftest_count_load(const struct selftest *t);

/* Loads. */
void load_pages(uint64_t n);      /* touches so many pages that were never touched */
void load_spin_us(uint64_t us);   /* uses CPU time */
void load_sleeps(uint64_t n);     /* of a millisecond */
void load_calls(uint64_t n);      /* getppid(2) */
void load_hits(uint64_t n);       /* calls own_hit() */
void load_loop(uint64_t n);       /* passes of a loop: at least two instructions, one of them a branch */
void load_migrations(uint64_t n); /* moves to another CPU, where there is one */
void load_forks(uint64_t n);      /* of children that end at once */
/* The function that load_hits() calls, and the variable that it writes each time. */
uint64_t own_hit(uint64_t argument);
volatile uint64_t *own_hits(void);
/* Where a function of ours lies in the file of this program; 0: unknown. */
uint64_t own_file_offset(const void *function);
/* The path of this program; owned. NULL: unknown. */
char *own_path(void);

/* Checks and their results. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "sys/perf_abi.h"
#include "sys/sys.h"

enum finding_state { FINDING_OK, FINDING_PARTLY, FINDING_MISSING };

struct finding {
	enum finding_state state;
	const char *found;  /* current state */
	const char *loss;   /* what does not work without it; NULL if all is well */
	const char *remedy; /* how to get it; likewise */
};

/* The machine and user to examine. */
struct doctor {
	const struct sys *sys;
	struct arena arena; /* for allocated texts */
	bool is_root;
	bool is_perfmon;    /* kernel.perf_event_paranoid does not apply */
	bool is_virtual;    /* a virtual machine */
};

struct check {
	const char *key, *title;
	struct finding (*examine)(struct doctor *d);
};

/* By subject; each ends with a NULL key. */
extern const struct check checks_events[], checks_tracing[], checks_bpf[], checks_symbols[], checks_limits[];

static inline struct finding finding_ok(const char *found)
{
	return (struct finding){ FINDING_OK, found, NULL, NULL };
}

/* 0 if the event opens for this task, else the errno. */
int doctor_try_event(const struct doctor *d, struct perf_event_attr attr, pid_t pid, int cpu);
/* The number in a file of /proc/sys; -1: none. */
int64_t doctor_sysctl(const struct doctor *d, const char *name);

/*
 * Exits of the guests that run now, as a table after each interval, until a signal (INT, TERM), the key q, or the end of all of them.
 *
 * The events are those of `kvm stat record`, read from the kernel's rings in order of time; what is counted is as in kvm.h. The counts of
 * each interval begin at zero. One thread. Everything that the request points to must outlive the call.
 */
#pragma once
#include "analysis/kvm/kvm.h"
#include "sys/sys.h"

struct kvm_live_request {
	struct kvm_request kvm; /* but for its input; its pids are the processes whose threads are followed; NULL: all */
	const struct sys *sys;
	uint64_t interval_ns;
	uint64_t mmap_pages;          /* of each ring, a power of two; 0: enough for a second of 100,000 exits */
	uint64_t map_timeout_ms;      /* as in struct capture_options; no mappings are read now */
	int key_fd;                   /* where keys are read; -1: none */
	/* Called after each interval, and at the end; lost: events that the rings had no room for. An error ends the run. */
	struct strobe_error *(*show)(void *ctx, const struct kvm_exits *x, uint64_t lost); /* with kvm.ctx */
};

/* ERROR_UNSUPPORTED if this machine cannot trace guests. */
struct strobe_error *kvm_live_run(const struct kvm_live_request *q) _must_check_;

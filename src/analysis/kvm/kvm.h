/*
 * The time that the host spends for guests: exits and entries of virtual CPUs in a recording of kvm's tracepoints, on x86-64 and arm64.
 *
 *	err = kvm_run(&request, &k);	*ret in any case; on an error it holds the complete part
 *	kvm_text(out, kvm_exits(k), …);
 *	kvm_destroy(k);
 *
 * The time of an exit lasts until the next entry; that of an access to memory, a port or an MSR is computed as in perf. Names of reasons
 * are those of the recorded kernel. One thread. Everything that the request points to must outlive it.
 * Source: the trace.h of kvm on x86; the rules of perf 7.2.
 */
#pragma once
#include "analysis/kvm/kvm_exits.h"
#include "analysis/recorded_events.h"
#include "session/host.h"
#include "session/session.h"

struct kvm_slow_exit {
	uint64_t time_ns; /* of the entry after it */
	uint32_t pid, vcpu;
	const char *name; /* of its reason, or of the access */
	uint64_t took_ns;
};

struct kvm_request {
	const struct session_host *host;
	const char *input; /* as in session_open() */
	bool force;
	enum kvm_subject subject;
	enum kvm_sort sort;
	int64_t vcpu;     /* or KVM_ALL_VCPUS */
	const char *pids; /* "12,13", or NULL */
	/* Called for each exit that took longer than slow_ns, except those of idle guests. NULL: not called. */
	void (*slow)(void *ctx, const struct kvm_slow_exit *e);
	uint64_t slow_ns;
	void *ctx;
};

struct kvm;

/* The events that `kvm stat record` records. ERROR_UNSUPPORTED if this machine cannot trace guests. */
struct strobe_error *kvm_recorded_events(const struct sys *sys, struct recorded_events *ret) _must_check_;

struct strobe_error *kvm_run(const struct kvm_request *q, struct kvm **ret) _must_check_;
/* The same for an open source in order of time, which it takes, in place of an input; *ret is set before the first record is read. */
struct strobe_error *kvm_run_source(const struct kvm_request *q, struct record_source *source, struct kvm **ret) _must_check_;
/* Within kvm_run_source(): sorts what was counted up to now; kvm_restart() must follow, after which counts are zero. */
void kvm_sort(struct kvm *k);
void kvm_restart(struct kvm *k);
void kvm_destroy(struct kvm *k);
/* Sorted. */
const struct kvm_exits *kvm_exits(const struct kvm *k);
void kvm_remarks(const struct kvm *k);

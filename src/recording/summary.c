/* Messages of a recording: changes by the kernel, before it; losses, limits and files, after it. */
#include <sched.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "recording/priv.h"

/* Minimum number of ended tasks for the message that most of the time may be in tasks too short to sample. */
#define ENDED_MIN	  100
#define SAMPLES_EACH_MIN 4

void recorder_say_freq(const struct recorder *r)
{
	const struct event_set *s = capture_events(r->capture);
	unsigned long long requested = s->requested_freq, got = s->lowered_freq;
	if (r->o.capture.freq_hz == CAPTURE_FREQ_MAX)
		log_info("the maximum frequency: kernel.perf_event_max_sample_rate");
	if (!got)
		return;
	if (r->o.capture.freq_set)
		recorder_say(r, RECORDER_NOTE,
			     "maximum frequency rate (%llu Hz) exceeded: recording at %llu Hz. The limit is "
			     "/proc/sys/kernel/perf_event_max_sample_rate; --strict-freq refuses instead",
			     requested, got);
	else
		recorder_say(r, RECORDER_NOTE,
			     "Lowering default frequency rate to %llu. Please consider tweaking "
			     "/proc/sys/kernel/perf_event_max_sample_rate.",
			     got);
}

void recorder_say_notes(const struct recorder *r)
{
	const char *const *notes;
	size_t n = capture_notes(r->capture, &notes);
	for (size_t i = 0; i < n; i++)
		recorder_say(r, RECORDER_NOTE, "%s", notes[i]);
}

/* Rings count all lost records, events only their own: the rest are stacks of eh, and starts and ends of tasks. */
static void say_lost(const struct recorder *r, const struct recorder_outcome *o)
{
	const struct capture_totals *t = &o->totals;
	uint64_t lost = t->lost_samples ? t->lost_samples : t->lost_events;
	uint64_t others = t->lost_events > lost ? t->lost_events - lost : 0, all = t->samples + lost;
	if (!lost)
		return;
	_cleanup_strbuf_ struct strbuf what = {};
	if (*o->lost_by_event)
		strbuf_addf(&what, " (%s)", o->lost_by_event);
	if (others)
		strbuf_addf(&what, ", and %llu other records", (unsigned long long)others);
	recorder_say(r, RECORDER_LOSS,
		     "LOST %llu of %llu samples, %.1f %%%s: buffers were full. Larger buffers (-m 32M), fewer events (--filter, "
		     "-c, a lower -F)%s help.",
		     (unsigned long long)lost, (unsigned long long)all, 100.0 * (double)lost / (double)all, strbuf_str(&what),
		     o->is_realtime ? "" : ", or real-time priority (as root, or ulimit -r)");
}

static void say_stacks(const struct recorder *r, const struct stack_unwinder_totals *t)
{
	unsigned long long stacks = t->stacks, deep = t->deep, others = t->cut - t->deep;
	if (deep)
		recorder_say(r, RECORDER_NOTE, "%llu of %llu stacks are truncated: they exceed the maximum number of frames", deep, stacks);
	if (others * 100 > stacks)
		recorder_say(r, RECORDER_NOTE,
			     "%llu of %llu stacks are truncated: they pass through code without call frame information or frame pointers",
			     others, stacks);
	if (t->in_exec * 100 > stacks)
		recorder_say(r, RECORDER_NOTE,
			     "%llu of %llu stacks end at a call of execve: the memory of its callers had been released",
			     (unsigned long long)t->in_exec, stacks);
}

static void say_short_tasks(const struct recorder *r, const struct capture_totals *t)
{
	if (!r->lacks_filter || t->exits < ENDED_MIN || t->samples >= SAMPLES_EACH_MIN * t->exits)
		return;
	recorder_say(r, RECORDER_NOTE,
		     "%llu tasks ended after few samples or none: each task starts with a new sampling period, so short tasks are "
		     "undersampled. As root (CAP_PERFMON and CAP_BPF, Linux 5.12 or later) CPUs are sampled instead of tasks",
		     (unsigned long long)t->exits);
}

static void say_written(const struct recorder *r, const struct recorder_outcome *o)
{
	bool is_row = r->o.timestamp_filename && !r->output.pipe;
	const char *name = r->output.pipe ? "-" : is_row && !o->is_incomplete ? r->output.path : o->name;
	double mib = (double)o->bytes / 1048576, taken = (double)o->totals.bytes;
	if (o->is_incomplete) { /* the file lacks some of the data read from the rings */
		recorder_say(r, RECORDER_RESULT, "Wrote %.3f MB %s, which is incomplete", mib, name);
		return;
	}
	_cleanup_strbuf_ struct strbuf line = {};
	strbuf_addf(&line, "Captured and wrote %.3f MB %s%s", mib, name, is_row ? ".<timestamp>" : "");
	if (r->o.compress_level)
		strbuf_addf(&line, ", compressed (original %.3f MB, ratio is %.3f)", taken / 1048576,
			    o->bytes ? taken / (double)o->bytes : 0);
	if (o->totals.samples)
		strbuf_addf(&line, " (%llu samples)", (unsigned long long)o->totals.samples);
	recorder_say(r, RECORDER_RESULT, "%s", strbuf_str(&line));
}

void recorder_say_outcome(const struct recorder *r, const struct recorder_outcome *o)
{
	recorder_say(r, RECORDER_RESULT, "Woken up %llu times to write data", (unsigned long long)o->totals.wakeups);
	say_lost(r, o);
	if (o->totals.throttled)
		recorder_say(r, RECORDER_NOTE,
			     "the kernel throttled events %llu times: samples came faster than "
			     "kernel.perf_event_max_sample_rate and "
			     "kernel.perf_cpu_time_max_percent allow",
			     (unsigned long long)o->totals.throttled);
	say_stacks(r, &o->stacks);
	say_short_tasks(r, &o->totals);
	say_written(r, o);
}

void recorder_say_result(const struct recorder *r, const char *name, bool failed)
{
	_cleanup_strbuf_ struct strbuf by_event = {};
	const struct event_set *s = capture_events(r->capture);
	struct recorder_outcome o = { .totals = capture_totals(r->capture), .bytes = r->output.bytes, .name = name,
				      .is_incomplete = failed, .is_realtime = sched_getscheduler(0) & SCHED_FIFO };
	if (r->unwinder) {
		o.stacks = stack_unwinder_totals(r->unwinder);
		o.totals.samples -= o.stacks.records; /* records with only stacks are not samples */
		o.totals.samples += o.stacks.waits;
		log_info("%llu stacks unwound by the BPF program, %llu of them completed in user space; %llu are truncated",
			 (unsigned long long)o.stacks.stacks, (unsigned long long)o.stacks.copied, (unsigned long long)o.stacks.cut);
	}
	for (size_t i = 0; i < s->events.len; i++) {
		unsigned long long n = capture_lost_of_event(r->capture, i);
		if (n)
			strbuf_addf(&by_event, "%s%s %llu", by_event.len ? ", " : "", s->events.data[i].name, n);
	}
	o.lost_by_event = strbuf_str(&by_event);
	recorder_say_outcome(r, &o);
	_cleanup_free_ char *of_probes = probe_samples_losses(r->probes);
	if (of_probes)
		recorder_say(r, RECORDER_LOSS, "%s", of_probes);
}

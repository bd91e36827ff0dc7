/* What `strobe record` tells its user. */
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/record/priv.h"

void record_say(const struct recording *r, const char *fmt, ...)
{
	va_list ap;
	if (r->o->quiet)
		return;
	va_start(ap, fmt);
	_cleanup_free_ char *line = xvasprintf(fmt, ap);
	va_end(ap);
	cmd_say(r->ctx, "%s", line);
}

void record_report(const struct recording *r, const char *fmt, ...)
{
	va_list ap;
	if (r->o->quiet)
		return;
	va_start(ap, fmt);
	_cleanup_free_ char *line = xvasprintf(fmt, ap);
	va_end(ap);
	cmd_say_plain("[ %s record: %s ]", r->ctx->program, line);
}

void record_say_freq(const struct recording *r)
{
	const struct event_set *s = capture_events(r->capture);
	unsigned long long asked = s->requested_freq, got = s->lowered_freq;
	if (r->o->sampling.capture.freq_hz == CAPTURE_FREQ_MAX)
		log_info("the maximum frequency: kernel.perf_event_max_sample_rate");
	if (!got)
		return;
	if (r->o->sampling.capture.freq_set)
		record_say(r,
			   "maximum frequency rate (%llu Hz) exceeded: recording at %llu Hz. The limit is "
			   "/proc/sys/kernel/perf_event_max_sample_rate; --strict-freq refuses instead",
			   asked, got);
	else
		record_say(r,
			   "Lowering default frequency rate to %llu. Please consider tweaking "
			   "/proc/sys/kernel/perf_event_max_sample_rate.",
			   got);
}

void record_say_notes(const struct recording *r)
{
	const char *const *notes;
	size_t n = capture_notes(r->capture, &notes);
	for (size_t i = 0; i < n; i++)
		record_say(r, "%s", notes[i]);
}

/* Rings count whatever they had no room for, events only what was theirs: the rest are stacks of eh, starts and ends of tasks. */
static void say_lost(const struct recording *r, const struct capture_totals *t)
{
	uint64_t lost = t->lost_samples ? t->lost_samples : t->lost_events;
	uint64_t others = t->lost_events > lost ? t->lost_events - lost : 0;
	if (!lost)
		return;
	_cleanup_strbuf_ struct strbuf by_event = {};
	_cleanup_free_ char *more = others ? xasprintf(", and %llu other records", (unsigned long long)others) : xstrdup("");
	const struct event_set *s = capture_events(r->capture);
	for (size_t i = 0; i < s->events.len; i++) {
		unsigned long long n = capture_lost_of_event(r->capture, i);
		if (n)
			strbuf_addf(&by_event, "%s%s %llu", by_event.len ? ", " : " (", s->events.data[i].name, n);
	}
	if (by_event.len)
		strbuf_addch(&by_event, ')');
	uint64_t all = t->samples + lost;
	const char *faster =
		sched_getscheduler(0) & SCHED_FIFO ? "" : ", or real-time priority (as root, or ulimit -r)";
	cmd_say(r->ctx,
		"LOST %llu of %llu samples, %.1f %%%s%s: buffers were full. Larger buffers (-m 32M), fewer events (--filter, "
		"-c, a lower -F)%s help.",
		(unsigned long long)lost, (unsigned long long)all, 100.0 * (double)lost / (double)all,
		strbuf_str(&by_event), more, faster);
}

static void say_stacks(const struct recording *r)
{
	if (!r->unwinder)
		return;
	struct stack_unwinder_totals t = stack_unwinder_totals(r->unwinder);
	log_info("%llu stacks unwound by the BPF program, %llu of them completed in user space; %llu are truncated",
		 (unsigned long long)t.stacks, (unsigned long long)t.copied, (unsigned long long)t.cut);
	if (t.deep)
		record_say(r, "%llu of %llu stacks are truncated: they exceed the maximum number of frames", (unsigned long long)t.deep,
			   (unsigned long long)t.stacks);
	if ((t.cut - t.deep) * 100 > t.stacks)
		record_say(r, "%llu of %llu stacks are truncated: they pass through code without call frame information or frame pointers",
			   (unsigned long long)(t.cut - t.deep), (unsigned long long)t.stacks);
}

/* Not for a script or two: where most of the time may be that of tasks that were too short. */
#define ENDED_MIN	  100
#define SAMPLES_EACH_MIN 4

static void say_short_tasks(const struct recording *r, const struct capture_totals *t)
{
	if (!r->lacks_filter || t->exits < ENDED_MIN || t->samples >= SAMPLES_EACH_MIN * t->exits)
		return;
	record_say(r, "%llu tasks ended after few samples or none, for each begins a sampling period of its own: short ones have "
		   "too small a share. As root (CAP_PERFMON and CAP_BPF, Linux 5.12 or later) CPUs are sampled instead of tasks",
		   (unsigned long long)t->exits);
}

void record_say_result(const struct recording *r, const char *name, bool failed)
{
	struct capture_totals t = capture_totals(r->capture);
	uint64_t bytes = r->output.bytes;
	if (r->unwinder) /* what carried stacks is no sample */
		t.samples -= stack_unwinder_totals(r->unwinder).records;
	record_report(r, "Woken up %llu times to write data", (unsigned long long)t.wakeups);
	say_lost(r, &t);
	if (t.throttled)
		record_say(r,
			   "the kernel throttled events %llu times: samples came faster than "
			   "kernel.perf_event_max_sample_rate and "
			   "kernel.perf_cpu_time_max_percent allow",
			   (unsigned long long)t.throttled);
	say_stacks(r);
	say_short_tasks(r, &t);
	if (failed) { /* what was read from the rings is not what is in the file */
		record_report(r, "Wrote %.3f MB %s, which is incomplete", (double)bytes / 1048576,
			      r->output.pipe ? "-" : name);
		return;
	}
	_cleanup_free_ char *samples =
		t.samples ? xasprintf(" (%llu samples)", (unsigned long long)t.samples) : xstrdup("");
	_cleanup_free_ char *packed = NULL;
	if (r->o->compress_level)
		packed = xasprintf(", compressed (original %.3f MB, ratio is %.3f)", (double)t.bytes / 1048576,
				   bytes ? (double)t.bytes / (double)bytes : 0);
	record_report(r, "Captured and wrote %.3f MB %s%s%s%s", (double)bytes / 1048576,
		      r->output.pipe             ? "-"
		      : r->o->timestamp_filename ? r->output.path
						 : name,
		      r->o->timestamp_filename && !r->output.pipe ? ".<timestamp>" : "", packed ? packed : "", samples);
}

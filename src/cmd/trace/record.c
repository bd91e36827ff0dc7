/* `trace record`: the command record with entries and exits of system calls, and the events of -e and -F. */
#include <string.h>

#include "cmd/frame.h"
#include "cmd/trace/run.h"
#include "tracing/recorded.h"

/* Most options before the word `record` control printing; only those that select events are accepted. */
static struct strobe_error *check_options(const struct trace_options *o)
{
	const struct trace_selection *s = &o->selection;
	/* Compared byte by byte: padding is zero in both, as cmd_run() allocates options by calloc. */
	struct trace_options plain;
	memset(&plain, 0, sizeof(plain));
	trace_options_defaults(&plain);
	trace_options_deinit(&plain);
	plain.verbose = o->verbose;
	plain.last_events = o->last_events;
	plain.selection.calls = s->calls;
	plain.selection.events = s->events;
	plain.selection.minor_faults = s->minor_faults;
	plain.selection.major_faults = s->major_faults;
	plain.selection.syscalls = s->syscalls;
	plain.selection.syscalls_set = s->syscalls_set;
	bool differs = memcmp(&plain, o, sizeof(plain)) != 0; /* NOLINT(bugprone-suspicious-memory-comparison) */
	for (size_t i = 0; i < s->events.events.len; i++)
		differs |= s->events.events.data[i].filter != NULL;
	if (differs)
		return error_create(ERROR_USAGE, "only -e, -F, --no-syscalls and -v may precede record; options for recording "
			"follow it, options for printing are used with trace -i");
	if (!trace_selects_anything(s))
		return error_create(ERROR_USAGE, "nothing to record: with --no-syscalls, specify tracepoints (-e) or page faults (-F)");
	return NULL;
}

int trace_record(struct cmd_context *ctx, const struct trace_options *o, int argc, char **argv)
{
	struct recorded_words recorded = { .arena = &ctx->words };
	struct cmd_words words = {};
	struct strobe_error *err = check_options(o);
	if (!err)
		err = trace_recorded_words(&o->selection, &recorded);
	for (size_t i = 0; !err && i < recorded.list.len; i++)
		cmd_add_word(ctx, &words, recorded.list.data[i]);
	vec_deinit(&recorded.list);
	return err ? cmd_fail_either(ctx, err) : cmd_run_words(ctx, &words, argc, argv);
}

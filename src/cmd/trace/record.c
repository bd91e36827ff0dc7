/* `trace record`: the command record, with the beginnings and ends of system calls as events, and what -e and -F add. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/frame.h"
#include "cmd/trace/run.h"
#include "tracing/call_choice.h"

#define ENTER "raw_syscalls:sys_enter"
#define EXIT  "raw_syscalls:sys_exit"

/* Options before the word `record` are those of printing; of these only the ones that choose events apply here. */
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

static struct strobe_error *choose(const struct trace_options *o, char **ret_filter)
{
	struct call_choice choice;
	if (!o->selection.calls)
		return NULL;
	struct strobe_error *err = call_choice_make(&choice, arch_native(), o->selection.calls);
	if (!err && !choice.native)
		err = error_create(ERROR_UNSUPPORTED, "no system call table for this architecture");
	/* By number alone: a filter does not see which width a call is of. */
	if (!err)
		*ret_filter = call_choice_filter(&choice.chosen);
	call_choice_deinit(&choice);
	return err;
}

static void add_event(struct cmd_context *ctx, struct cmd_words *words, const char *event)
{
	cmd_add_word(ctx, words, "-e");
	cmd_add_word(ctx, words, event);
}

/* The command line of record. */
static void make_words(struct cmd_context *ctx, const struct trace_options *o, const char *filter, struct cmd_words *words)
{
	const char *const first[] = { "record", "-R", "-m", "1024", "-c", "1" };
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		cmd_add_word(ctx, words, first[i]);
	if (trace_selects_calls(&o->selection))
		add_event(ctx, words, ENTER "," EXIT);
	uint64_t registers = call_choice_registers();
	if (trace_selects_calls(&o->selection) && registers) {
		const char *name = sample_reg_name((unsigned)__builtin_ctzll(registers));
		cmd_add_word(ctx, words, arena_printf(&ctx->words, "--user-regs=%s", name));
	}
	if (trace_selects_calls(&o->selection) && filter) {
		cmd_add_word(ctx, words, "--filter");
		cmd_add_word(ctx, words, filter);
	}
	for (size_t i = 0; i < o->selection.events.events.len; i++)
		add_event(ctx, words, o->selection.events.events.data[i].name);
	if (o->selection.major_faults)
		add_event(ctx, words, "major-faults");
	if (o->selection.minor_faults)
		add_event(ctx, words, "minor-faults");
	if (o->selection.major_faults || o->selection.minor_faults)
		cmd_add_word(ctx, words, "-d"); /* where they were */
}

int trace_record(struct cmd_context *ctx, const struct trace_options *o, int argc, char **argv)
{
	_cleanup_free_ char *filter = NULL;
	struct cmd_words words = {};
	struct strobe_error *err = check_options(o);
	if (!err)
		err = choose(o, &filter);
	if (err)
		return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
	make_words(ctx, o, filter, &words);
	return cmd_run_words(ctx, &words, argc, argv);
}

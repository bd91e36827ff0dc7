/* `trace record`: the command record, told to record the beginnings and ends of system calls, and what -e and -F add. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmd/frame.h"
#include "cmd/trace/rings.h"
#include "cmd/trace/run.h"
#include "tracing/events.h"

#define ENTER "raw_syscalls:sys_enter"
#define EXIT  "raw_syscalls:sys_exit"

char *trace_calls_filter(const struct syscall_set *calls)
{
	struct strbuf text = {};
	for (unsigned i = 0; i < SYSCALL_NUMBERS; i++) {
		unsigned last = i;
		if (!syscall_set_has(calls, i))
			continue;
		while (syscall_set_has(calls, last + 1))
			last++;
		strbuf_addf(&text, "%s", text.len ? " || " : "");
		if (last > i)
			strbuf_addf(&text, "(id >= %u && id <= %u)", i, last);
		else
			strbuf_addf(&text, "id == %u", i);
		i = last;
	}
	if (!text.len)
		strbuf_addf(&text, "id == %u", SYSCALL_NUMBERS); /* none */
	return strbuf_take(&text);
}

/* Options before the word `record` are those of printing; of these only the ones that choose events apply here. */
static struct strobe_error *check_options(const struct trace_options *o)
{
	/* Compared byte by byte: padding is zero in both, as cmd_run() allocates options by calloc. */
	struct trace_options plain, given;
	memset(&plain, 0, sizeof(plain));
	memcpy(&given, o, sizeof(given));
	trace_options_defaults(&plain);
	given.calls = NULL;
	given.calls_owned = NULL;
	given.verbose = 0;
	given.events = plain.events;
	given.last_events = plain.last_events;
	given.minor_faults = plain.minor_faults;
	given.major_faults = plain.major_faults;
	given.syscalls = plain.syscalls;
	given.syscalls_set = plain.syscalls_set;
	bool differs = o->excluded.len || memcmp(&plain, &given, sizeof(plain)) != 0; /* NOLINT(bugprone-suspicious-memory-comparison) */
	trace_options_deinit(&plain);
	for (size_t i = 0; i < o->events.events.len; i++)
		differs |= o->events.events.data[i].filter != NULL;
	if (differs)
		return error_create(ERROR_USAGE, "only -e, -F, --no-syscalls and -v may precede record; options for recording "
			"follow it, options for printing are used with trace -i");
	if (!trace_wants_calls(o) && !o->events.events.len && !o->minor_faults && !o->major_faults)
		return error_create(ERROR_USAGE, "nothing to record: with --no-syscalls, specify tracepoints (-e) or page faults (-F)");
	return NULL;
}

static struct strobe_error *choose(const struct trace_options *o, char **ret_filter)
{
	_cleanup_syscall_table_ struct syscall_table *table = arch_native() ? syscall_table_create(arch_native()) : NULL;
	struct syscall_set chosen = {};
	*ret_filter = NULL;
	if (!o->calls)
		return NULL;
	if (!table)
		return error_create(ERROR_UNSUPPORTED, "no system call table for this architecture");
	TRY(syscall_select(table, o->calls, &chosen));
	/* By number alone: a filter does not see which width a call is of. */
	*ret_filter = trace_calls_filter(&chosen);
	return NULL;
}

typedef VEC(char *) word_list;

static void add(struct cmd_context *ctx, word_list *words, const char *word)
{
	vec_push(words, arena_strdup(&ctx->words, word));
}

static void add_event(struct cmd_context *ctx, word_list *words, const char *event)
{
	add(ctx, words, "-e");
	add(ctx, words, event);
}

/* The command line of record. The parser moves words about: they are to be ours. */
static void make_words(struct cmd_context *ctx, const struct trace_options *o, const char *filter, word_list *words)
{
	const char *const first[] = { "record", "-R", "-m", "1024", "-c", "1" };
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		add(ctx, words, first[i]);
	if (trace_wants_calls(o))
		add_event(ctx, words, ENTER "," EXIT);
	uint64_t registers = trace_call_registers();
	if (trace_wants_calls(o) && registers)
		add(ctx, words, arena_printf(&ctx->words, "--user-regs=%s", sample_reg_name((unsigned)__builtin_ctzll(registers))));
	if (trace_wants_calls(o) && filter) {
		add(ctx, words, "--filter");
		add(ctx, words, filter);
	}
	for (size_t i = 0; i < o->events.events.len; i++)
		add_event(ctx, words, o->events.events.data[i].name);
	if (o->major_faults)
		add_event(ctx, words, "major-faults");
	if (o->minor_faults)
		add_event(ctx, words, "minor-faults");
	if (o->major_faults || o->minor_faults)
		add(ctx, words, "-d"); /* where they were */
}

int trace_record(struct cmd_context *ctx, const struct trace_options *o, int argc, char **argv)
{
	_cleanup_free_ char *filter = NULL;
	word_list words = {};
	struct strobe_error *err = check_options(o);
	if (!err)
		err = choose(o, &filter);
	if (err)
		return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
	make_words(ctx, o, filter, &words);
	for (int i = 1; i < argc; i++)
		vec_push(&words, argv[i]);
	vec_push(&words, NULL);
	int status = cmd_run(ctx, cmd_find("record"), (int)words.len - 1, words.data);
	vec_deinit(&words);
	return status;
}

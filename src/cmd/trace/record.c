/* `trace record`: the command record, told to record the beginnings and ends of system calls. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmd/frame.h"
#include "cmd/trace/run.h"

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

/* What stands before the word `record` concerns showing; of it only -e means something here. */
static struct strobe_error *check_options(const struct trace_options *o)
{
	struct trace_options plain = {}, given = *o;
	trace_options_defaults(&plain);
	given.calls = NULL;
	given.calls_owned = NULL;
	given.verbose = 0;
	bool differs = o->events.events.len || o->excluded.len;
	given.events = plain.events;
	given.last_events = plain.last_events;
	differs |= memcmp(&plain, &given, sizeof(plain)) != 0;
	trace_options_deinit(&plain);
	if (differs)
		return error_create(ERROR_USAGE, "before the word record only -e with system calls and -v can stand; options of the recording stand "
						 "behind it, those of showing it go with trace -i");
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
		return error_create(ERROR_UNSUPPORTED, "no table of system calls for this architecture");
	TRY(syscall_select(table, o->calls, &chosen));
	*ret_filter = trace_calls_filter(&chosen);
	return NULL;
}

int trace_record(struct cmd_context *ctx, const struct trace_options *o, int argc, char **argv)
{
	_cleanup_free_ char *filter = NULL;
	struct strobe_error *err = check_options(o);
	if (!err)
		err = choose(o, &filter);
	if (err)
		return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
	const char *const own[] = { "record", "-R", "-m", "1024", "-c", "1", "-e", ENTER "," EXIT };
	size_t own_nr = sizeof(own) / sizeof(*own), n = 0;
	/* The parser moves words about: they are to be ours. */
	_cleanup_free_ char **words = xcalloc(own_nr + 2 + (size_t)argc + 1, sizeof(*words));
	for (; n < own_nr; n++)
		words[n] = arena_strdup(&ctx->words, own[n]);
	if (filter) {
		words[n++] = arena_strdup(&ctx->words, "--filter");
		words[n++] = filter;
	}
	for (int i = 1; i < argc; i++)
		words[n++] = argv[i];
	return cmd_run(ctx, cmd_find("record"), (int)n, words);
}

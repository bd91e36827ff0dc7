#include "tracing/recorded.h"

#include "base/cleanup.h"
#include "capture/options.h"
#include "tracing/call_choice.h"

#define ENTER "raw_syscalls:sys_enter"
#define EXIT  "raw_syscalls:sys_exit"

/* NULL: all calls. Only by number: a filter cannot test the width of a call. */
static struct strobe_error *make_filter(const char *calls, char **ret)
{
	struct call_choice choice;
	*ret = NULL;
	if (!calls)
		return NULL;
	struct strobe_error *err = call_choice_make(&choice, arch_native(), calls);
	if (!err && !choice.native)
		err = error_create(ERROR_UNSUPPORTED, "no system call table for this architecture");
	if (!err)
		*ret = call_choice_filter(&choice.chosen);
	call_choice_deinit(&choice);
	return err;
}

static void add(struct recorded_words *words, const char *option, const char *value)
{
	vec_push(&words->list, option);
	if (value)
		vec_push(&words->list, arena_strdup(words->arena, value));
}

static void add_calls(struct recorded_words *words, const char *filter)
{
	uint64_t registers = call_choice_registers();
	add(words, "-e", ENTER "," EXIT);
	if (registers)
		add(words, arena_printf(words->arena, "--user-regs=%s", sample_reg_name((unsigned)__builtin_ctzll(registers))), NULL);
	if (filter)
		add(words, "--filter", filter);
}

struct strobe_error *trace_recorded_words(const struct trace_selection *s, struct recorded_words *words)
{
	static const char *const first[] = { "record", "-R", "-m", "1024", "-c", "1" };
	_cleanup_free_ char *filter = NULL;
	TRY(make_filter(s->calls, &filter));
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		vec_push(&words->list, first[i]);
	if (trace_selects_calls(s))
		add_calls(words, filter);
	for (size_t i = 0; i < s->events.events.len; i++)
		add(words, "-e", s->events.events.data[i].name);
	if (s->major_faults)
		add(words, "-e", "major-faults");
	if (s->minor_faults)
		add(words, "-e", "minor-faults");
	if (s->major_faults || s->minor_faults)
		vec_push(&words->list, "-d"); /* where they were */
	return NULL;
}

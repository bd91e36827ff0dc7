#include "cmd/timechart/record.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/frame.h"
#include "event/tracepoint.h"
#include "sys/tracefs.h"

static const char *const task_events[] = { "sched_wakeup", "sched_switch", NULL };
/* perf's timechart ignores it; sched_wakeup may come in an interrupt of another CPU than the waker's. */
static const char *const waker_events[] = { "sched_waking", NULL };
static const char *const power_events[] = { "cpu_frequency", "cpu_idle", NULL };

static const char *const calls[] = {
#define EVENT(system, name, kind, first, second)
#define CALL(name, kind) name,
#include "analysis/timechart_events.def"
#undef EVENT
#undef CALL
};

static void add_events(struct cmd_context *ctx, struct cmd_words *words, const char *system, const char *const *names)
{
	for (; *names; names++)
		cmd_add_event(ctx, words, system, *names, "");
}

/* Those that this architecture has. */
static struct strobe_error *add_calls(struct cmd_context *ctx, struct cmd_words *words)
{
	bool found = false;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		_cleanup_free_ char *enter = xasprintf("sys_enter_%s", calls[i]), *leave = xasprintf("sys_exit_%s", calls[i]);
		if (!tracepoint_exists(sys_live(), "syscalls", enter) || !tracepoint_exists(sys_live(), "syscalls", leave))
			continue;
		_cleanup_free_ char *terms = xasprintf(",syscalls:%s", leave);
		cmd_add_event(ctx, words, "syscalls", enter, terms);
		found = true;
	}
	return found ? NULL : error_create(ERROR_UNSUPPORTED, "-I: this kernel has no tracepoints of system calls "
		"(CONFIG_FTRACE_SYSCALLS)");
}

/* How many words are options of the subcommand's own; -g is one of record, too. */
static int take_own_options(struct timechart_events *e, int argc, char **argv)
{
	const struct {
		const char *option, *name;
		bool *value;
	} own[] = {
		{ "-P", "--power-only", &e->power_only },
		{ "-T", "--tasks-only", &e->tasks_only },
		{ "-I", "--io-only", &e->io_only },
		{ "-g", "--callchain", NULL },
	};
	const size_t nr = sizeof(own) / sizeof(*own);
	for (int i = 1; i < argc; i++) {
		size_t j = 0;
		while (j < nr && strcmp(argv[i], own[j].option) && strcmp(argv[i], own[j].name))
			j++;
		if (j == nr)
			return i - 1;
		if (own[j].value)
			*own[j].value = true;
	}
	return argc - 1;
}

static bool has_stacks(int n, char **argv)
{
	for (int i = 1; i <= n; i++)
		if (!strcmp(argv[i], "-g") || !strcmp(argv[i], "--callchain"))
			return true;
	return false;
}

int timechart_record(struct cmd_context *ctx, struct timechart_events e, int argc, char **argv)
{
	static const char *const first[] = { "record", "-a", "-R", "-c", "1", NULL };
	struct cmd_words words = {};
	_cleanup_free_ char *tracefs = NULL;
	int own = take_own_options(&e, argc, argv);
	if (e.power_only + e.tasks_only + e.io_only > 1)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "-P, -T and -I exclude each other"));
	struct strobe_error *err = sys_tracefs(sys_live(), &tracefs);
	cmd_add_words(ctx, &words, first);
	if (has_stacks(own, argv))
		cmd_add_word(ctx, &words, "-g");
	if (!err && e.io_only)
		err = add_calls(ctx, &words);
	if (!e.io_only && !e.power_only)
		add_events(ctx, &words, "sched", task_events);
	if (!e.io_only && !e.power_only && tracepoint_exists(sys_live(), "sched", "sched_waking"))
		add_events(ctx, &words, "sched", waker_events);
	if (!e.io_only && !e.tasks_only && tracepoint_exists(sys_live(), "power", "cpu_idle"))
		add_events(ctx, &words, "power", power_events);
	if (err) {
		vec_deinit(&words.list);
		return cmd_fail(ctx, err);
	}
	return cmd_run_words(ctx, &words, argc - own, argv + own);
}

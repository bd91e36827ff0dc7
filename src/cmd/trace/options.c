#include "cmd/trace/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "capture/options.h"

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)
#define AT(field)  offsetof(struct trace_options, field)

CALL(parse_mode)
{
	struct trace_options *o = options;
	if (negated || !strcmp(value, "thread"))
		o->by = SYSCALL_STATS_BY_THREAD;
	else if (!strcmp(value, "total"))
		o->by = SYSCALL_STATS_BY_NOTHING;
	else if (!strcmp(value, "cgroup"))
		o->by = SYSCALL_STATS_BY_CGROUP;
	else
		return error_create(ERROR_USAGE, "\"%s\" is no way to sum up: thread, total or cgroup", value);
	return NULL;
}

CALL(parse_format)
{
	struct trace_options *o = options;
	o->format = trace_format_find(negated ? "text" : value);
	if (!o->format)
		return error_create(ERROR_USAGE, "\"%s\" is no format: %s", value, trace_format_names());
	return NULL;
}

CALL(parse_excluded)
{
	struct trace_options *o = options;
	vec_clear(&o->excluded);
	_cleanup_free_ char *list = xstrdup(negated ? "" : value);
	char *save;
	for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		uint64_t pid;
		if (!text_to_u64(word, &pid) || !pid || pid > INT32_MAX)
			return error_create(ERROR_USAGE, "\"%s\" is no process id", word);
		vec_push(&o->excluded, (pid_t)pid);
	}
	return NULL;
}

CALL(parse_pages)
{
	struct trace_options *o = options;
	uint64_t pages = 0;
	if (!negated)
		TRY(mmap_pages_parse(value, &pages));
	o->ring_bytes = pages << 12;
	return NULL;
}

CALL(parse_expr)
{
	struct trace_options *o = options;
	o->calls = negated ? NULL : value;
	return NULL;
}

#undef CALL

const struct option trace_option_table[] = {
	{ OPTION_GROUP, .help = "Whom to trace" },
	{ OPTION_BOOL, 'a', "all-cpus", AT(target.system_wide), .help = "the whole system" },
	{ OPTION_STRING, 'C', "cpu", AT(target.cpus), .arg = "cpu", .help = "calls on these CPUs, of all tasks" },
	{ OPTION_STRING, 'p', "pid", AT(target.pids), .arg = "pid", .help = "processes that are there, with all their threads" },
	{ OPTION_STRING, 't', "tid", AT(target.tids), .arg = "tid", .help = "threads that are there" },
	{ OPTION_STRING, 'u', "uid", AT(target.uid), .arg = "user", .help = "the processes of a user" },
	{ OPTION_STRING, 'G', "cgroup", AT(cgroup), .arg = "name", .help = "tasks of a cgroup (version 2) and of those below it" },
	{ OPTION_CALL, 0, "filter-pids", .arg = "pids", .parse = parse_excluded, .help = "leave these out (with -a)" },
	{ OPTION_BOOL, 0, "no-inherit", AT(no_inherit), .help = "not what they start" },
	{ OPTION_I64, 'D', "delay", AT(delay_ms), .arg = "ms", .help = "wait before tracing" },
	{ OPTION_GROUP, .help = "What to trace" },
	{ OPTION_CALL, 'e', "event", .arg = "calls", .parse = parse_expr,
	  .help = "system calls by name, glob (open*), class (%file), number or /regex; ! before the list: all but these" },
	{ OPTION_CALL, 0, "expr", .arg = "calls", .parse = parse_expr, .help = "the same" },
	{ OPTION_BOOL, 0, "failure", AT(failure), .help = "only calls that failed" },
	{ OPTION_F64, 0, "duration", AT(duration_ms), .arg = "ms", .set_offset = AT(duration_set),
	  .help = "only calls that took longer" },
	{ OPTION_GROUP, .help = "How it is shown" },
	{ OPTION_BOOL, 's', "summary", AT(summary), .help = "only statistics, counted in the kernel" },
	{ OPTION_BOOL, 'S', "with-summary", AT(with_summary), .help = "all calls, and statistics behind them" },
	{ OPTION_BOOL, 0, "errno-summary", AT(errnos), .help = "statistics with the errors by number (with -s or -S)" },
	{ OPTION_CALL, 0, "summary-mode", .arg = "thread|total|cgroup", .parse = parse_mode, .help = "how -s sums up" },
	{ OPTION_U64, 0, "max-summary", AT(max_summary), .arg = "n", .help = "so many calls of each thread" },
	{ OPTION_BOOL, 0, "hist", AT(histograms), .help = "statistics with histograms of the durations (powers of two)" },
	{ OPTION_BOOL, 'T', "time", AT(full_time), .help = "times of the clock since boot, not since the first line" },
	{ OPTION_BOOL, 0, "no-comm", AT(no_comm), .help = "no names of threads before their ids" },
	{ OPTION_U64, 0, "max-events", AT(max_events), .arg = "n", .help = "end after so many lines" },
	{ OPTION_U64, 0, "str-limit", AT(str_limit), .arg = "bytes", .help = "bytes of strings and buffers that are shown (32)" },
	{ OPTION_BOOL, 0, "strace", AT(strace_style), .help = "arguments as strace writes them" },
	{ OPTION_CALL, 0, "format", .arg = "text|json", .parse = parse_format, .help = "json: an object a line; of -s one document" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "write here instead of standard error" },
	{ OPTION_CALL, 'm', "mmap-pages", .arg = "pages", .parse = parse_pages, .help = "size of the kernel's buffer (8M)" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say more" },
	OPTIONS_END,
};

void trace_options_defaults(void *options)
{
	struct trace_options *o = options;
	o->format = &trace_format_text;
	o->str_limit = 32;
	o->ring_bytes = 8 << 20;
}

void trace_options_deinit(void *options)
{
	struct trace_options *o = options;
	vec_deinit(&o->excluded);
}

struct strobe_error *trace_options_check(const struct trace_options *o, int argc)
{
	if (o->summary && (o->failure || o->duration_set || o->max_events))
		return error_create(ERROR_USAGE, "--failure, --duration and --max-events choose lines: with -S, not with -s");
	if ((o->errnos || o->histograms || o->by != SYSCALL_STATS_BY_THREAD) && !o->summary && !o->with_summary)
		return error_create(ERROR_USAGE, "--errno-summary, --hist and --summary-mode are of the statistics: add -s or -S");
	if (o->with_summary && o->by == SYSCALL_STATS_BY_CGROUP)
		return error_create(ERROR_USAGE, "--summary-mode cgroup goes with -s");
	if (o->duration_ms < 0 || o->delay_ms < 0)
		return error_create(ERROR_USAGE, "times are not negative");
	if (!o->str_limit || o->str_limit > 1024)
		return error_create(ERROR_USAGE, "--str-limit %llu: 1 to 1024 bytes can be fetched", (unsigned long long)o->str_limit);
	return NULL;
}

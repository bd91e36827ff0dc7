#include "ftrace/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "sys/tracefs.h"

#define GRAPH    "function_graph"
#define FUNCTION "function"
#define MASK_BITS 32 /* per word of tracing_cpumask */

/* ---- options ---- */

struct named_option {
	const char *name;
	size_t flag, number; /* offset of a bool, or of a uint64_t; the other is 0 */
};

#define FLAG(name, field)   { name, offsetof(struct ftrace_settings, field), 0 }
#define NUMBER(name, field) { name, 0, offsetof(struct ftrace_settings, field) }

static const struct named_option function_options[] = { FLAG("call-graph", call_graph), FLAG("irq-info", irq_info), {} };
static const struct named_option graph_options[] = {
	FLAG("args", arguments),
	FLAG("retval", return_values),
	FLAG("retval-hex", return_values_hex),
	FLAG("retaddr", return_addresses),
	FLAG("nosleep-time", no_sleep_time),
	FLAG("noirqs", no_irqs),
	FLAG("verbose", verbose),
	FLAG("tail", tail),
	NUMBER("thresh", threshold_us),
	NUMBER("depth", depth),
	{},
};

static struct strobe_error *set_option(const struct named_option *o, char *word, struct ftrace_settings *s)
{
	char *value = strchr(word, '=');
	if (value)
		*value++ = 0;
	while (o->name && strcmp(o->name, word) != 0)
		o++;
	if (!o->name)
		return error_create(ERROR_USAGE, "unknown option '%s'", word);
	if (o->flag && value)
		return error_create(ERROR_USAGE, "'%s' has no value", word);
	if (o->flag)
		*(bool *)((char *)s + o->flag) = true;
	else if (!value || !text_to_u64(value, (uint64_t *)((char *)s + o->number)))
		return error_create(ERROR_USAGE, "'%s' requires a number: %s=10", word, word);
	return NULL;
}

static struct strobe_error *set_options(const struct named_option *known, const char *text, struct ftrace_settings *s)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy;
	for (char *word; (word = strsep(&rest, ","));)
		TRY(set_option(known, word, s));
	return NULL;
}

struct strobe_error *ftrace_function_options_parse(const char *text, struct ftrace_settings *s)
{
	return set_options(function_options, text, s);
}

struct strobe_error *ftrace_graph_options_parse(const char *text, struct ftrace_settings *s)
{
	return set_options(graph_options, text, s);
}

const char *ftrace_tracer_of(const struct ftrace_settings *s)
{
	if (s->is_of_durations || s->graph_functions.len || s->no_graph_functions.len)
		return GRAPH;
	if (s->functions.len || s->no_functions.len)
		return FUNCTION;
	return s->tracer ? s->tracer : GRAPH;
}

/* ---- where ---- */

static const char *path_in(struct ftrace_plan *p, const char *folder, const char *name)
{
	return arena_printf(&p->arena, "%s/%s", folder, name);
}

const char *ftrace_plan_path(struct ftrace_plan *p, const char *name)
{
	const char *path = p->instance ? path_in(p, p->instance, name) : NULL;
	return path && sys_exists(p->sys, path) ? path : path_in(p, p->top, name);
}

/* The first line, or a placeholder for an empty file. */
static const char *line_of(struct ftrace_plan *p, const char *path)
{
	_cleanup_free_ char *line = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(p->sys, path, &line);
	return err || !line ? "" : arena_strdup(&p->arena, line);
}

static bool has_tracer(struct ftrace_plan *p, const char *folder, const char *tracer)
{
	_cleanup_free_ char *words = xstrdup(line_of(p, path_in(p, folder, "available_tracers")));
	char *rest = words;
	for (char *word; (word = strsep(&rest, " "));)
		if (!strcmp(word, tracer))
			return true;
	return false;
}

static struct strobe_error *no_tracer(struct ftrace_plan *p, const char *tracer)
{
	const char *option = !strcmp(tracer, GRAPH)    ? "CONFIG_FUNCTION_GRAPH_TRACER" :
			     !strcmp(tracer, FUNCTION) ? "CONFIG_FUNCTION_TRACER" :
							 NULL;
	const char *known = line_of(p, path_in(p, p->top, "available_tracers"));
	if (!option)
		return error_create(ERROR_USAGE, "the kernel has no tracer '%s'; it has %s", tracer, known);
	return error_create(ERROR_UNSUPPORTED,
			    "the kernel has no tracer '%s': it was built without %s (available: %s); 'strobe trace --func' traces "
			    "functions by BPF",
			    tracer, option, *known ? known : "none");
}

/*
 * Creates an instance of our own, which the guard removes even if we are killed; none if the kernel, or the tracer, does not support
 * instances.
 */
static struct strobe_error *make_instance(struct ftrace_plan *p, const char *tracer)
{
	const char *path = arena_printf(&p->arena, "%s/instances/strobe-ftrace-%d-%" PRIx64, p->top, (int)getpid(),
					sys_clock_ns(p->sys, CLOCK_MONOTONIC));
	_cleanup_free_ char *full = sys_path(p->sys, path);
	TRY(guard_start(&p->of_instance, NULL, 0, full));
	if (!mkdir(full, 0700) && has_tracer(p, path, tracer))
		p->instance = path;
	else
		guard_end(&p->of_instance);
	return NULL;
}

/* ---- what ---- */

/* The placeholders of an empty list: "#### all functions enabled ####", "no pid". */
static bool is_empty(const char *line)
{
	return !*line || *line == '#' || !strcmp(line, "no pid");
}

/* The value to restore. buffer_size_kb of "7 (expanded: 1408)" is 1408 after the first use. */
static const char *old_value(struct ftrace_plan *p, const char *path)
{
	static const char expanded[] = "(expanded: ";
	const char *line = line_of(p, path), *number = strstr(line, expanded);
	if (number)
		return arena_strndup(&p->arena, number + sizeof(expanded) - 1, strspn(number + sizeof(expanded) - 1, "0123456789"));
	return is_empty(line) ? "\n" : line;
}

static void keep_old(struct ftrace_plan *p, const char *path)
{
	_cleanup_free_ char *full = sys_path(p->sys, path);
	for (uint32_t i = 0; i < p->undo.len; i++)
		if (!strcmp(p->undo.data[i].path, full))
			return;
	struct guard_write back = { arena_strdup(&p->arena, full), old_value(p, path) };
	vec_push(&p->undo, back);
}

/*
 * Settings of the instance end with it; those of the whole system are restored. Options of a tracer are shared by all instances, at least
 * before Linux 6.11, whichever of their files is written.
 */
static struct strobe_error *plan(struct ftrace_plan *p, const char *name, const char *value, bool append)
{
	const char *path = ftrace_plan_path(p, name);
	if (!sys_exists(p->sys, path))
		return error_create(ERROR_UNSUPPORTED, "the kernel has no %s in %s, which this option needs", name, p->top);
	const char *shared = text_has_prefix(name, "options/") ? path_in(p, p->top, name) : path;
	if (!p->instance || !text_has_prefix(shared, p->instance))
		keep_old(p, shared);
	struct ftrace_write w = { path, value, append };
	vec_push(&p->writes, w);
	return NULL;
}

/* Lists filled by another user must not be changed. */
static struct strobe_error *plan_list(struct ftrace_plan *p, const char *name, const ftrace_names *values)
{
	if (!values->len)
		return NULL;
	const char *path = ftrace_plan_path(p, name), *line = line_of(p, path);
	if (!is_empty(line))
		return error_create(ERROR_OTHER, "%s is in use: it holds '%s'; empty it with: echo > %s", path, line, path);
	for (uint32_t i = 0; i < values->len; i++)
		TRY(plan(p, name, values->data[i], true));
	return NULL;
}

static struct strobe_error *plan_flag(struct ftrace_plan *p, bool is_set, const char *name, const char *value)
{
	return is_set ? plan(p, arena_printf(&p->arena, "options/%s", name), value, false) : NULL;
}

static struct strobe_error *plan_number(struct ftrace_plan *p, uint64_t number, const char *name)
{
	return number ? plan(p, name, arena_printf(&p->arena, "%" PRIu64, number), false) : NULL;
}

/* "3,00000001": words for 32 CPUs, the last first. */
static const char *cpu_mask(struct ftrace_plan *p, const struct target_map *target)
{
	int last = 0;
	for (uint32_t i = 0; i < target->cpus.len; i++)
		last = target->cpus.data[i] > last ? target->cpus.data[i] : last;
	_cleanup_strbuf_ struct strbuf text = {};
	for (int word = last / MASK_BITS; word >= 0; word--) {
		uint32_t bits = 0;
		for (uint32_t i = 0; i < target->cpus.len; i++)
			if (target->cpus.data[i] / MASK_BITS == word)
				bits |= 1U << (target->cpus.data[i] % MASK_BITS);
		strbuf_addf(&text, text.len ? ",%08x" : "%x", bits);
	}
	return arena_strdup(&p->arena, strbuf_str(&text));
}

static struct strobe_error *plan_target(struct ftrace_plan *p, const struct target_map *target)
{
	if (target->system_wide)
		return plan(p, "tracing_cpumask", cpu_mask(p, target), false);
	ftrace_names tasks = {};
	for (uint32_t i = 0; i < target->threads.len; i++)
		vec_push(&tasks, arena_printf(&p->arena, "%d", (int)target->threads.data[i].tid));
	struct strobe_error *err = plan_list(p, "set_ftrace_pid", &tasks);
	vec_deinit(&tasks);
	return err;
}

static struct strobe_error *plan_flags(struct ftrace_plan *p, const struct ftrace_settings *s)
{
	TRY(plan_flag(p, s->call_graph, "func_stack_trace", "1"));
	TRY(plan_flag(p, s->irq_info, "irq-info", "1"));
	TRY(plan_flag(p, s->inherit, "function-fork", "1"));
	TRY(plan_flag(p, s->no_sleep_time, "sleep-time", "0"));
	TRY(plan_flag(p, s->arguments, "funcgraph-args", "1"));
	TRY(plan_flag(p, s->return_values || s->return_values_hex, "funcgraph-retval", "1"));
	TRY(plan_flag(p, s->return_values_hex, "funcgraph-retval-hex", "1"));
	TRY(plan_flag(p, s->return_addresses, "funcgraph-retaddr", "1"));
	TRY(plan_flag(p, s->no_irqs, "funcgraph-irqs", "0"));
	TRY(plan_flag(p, s->verbose, "funcgraph-proc", "1"));
	TRY(plan_flag(p, s->verbose, "funcgraph-abstime", "1"));
	TRY(plan_flag(p, s->verbose, "latency-format", "1"));
	return plan_flag(p, s->tail, "funcgraph-tail", "1");
}

static struct strobe_error *plan_all(struct ftrace_plan *p, const struct ftrace_settings *s, const struct target_map *target)
{
	const char *tracer = ftrace_tracer_of(s);
	/* also undone in this order: the tracer stops before its filters are removed */
	TRY(plan(p, "tracing_on", "0", false));
	TRY(plan(p, "current_tracer", "nop", false));
	TRY(plan(p, "trace", "", false));
	TRY(plan_target(p, target));
	TRY(plan_list(p, "set_ftrace_filter", &s->functions));
	TRY(plan_list(p, "set_ftrace_notrace", &s->no_functions));
	TRY(plan_list(p, "set_graph_function", &s->graph_functions));
	TRY(plan_list(p, "set_graph_notrace", &s->no_graph_functions));
	TRY(plan_number(p, s->depth, "max_graph_depth"));
	TRY(plan_number(p, s->buffer_bytes / 1024, "buffer_size_kb"));
	TRY(plan_number(p, s->threshold_us, "tracing_thresh"));
	TRY(plan_flags(p, s));
	return plan(p, "current_tracer", tracer, false);
}

/* tracing_on is restored last. */
static void order_undo(struct ftrace_plan *p)
{
	if (!p->undo.len || p->instance)
		return;
	struct guard_write on = p->undo.data[0];
	p->undo.data[0].text = "0";
	vec_push(&p->undo, on);
}

struct strobe_error *ftrace_plan_make(struct ftrace_plan *p, const struct sys *sys, const struct ftrace_settings *s,
				      const struct target_map *target)
{
	const char *tracer = ftrace_tracer_of(s);
	_cleanup_free_ char *top = NULL;
	*p = (struct ftrace_plan){ .sys = sys };
	arena_init(&p->arena);
	TRY(sys_tracefs(sys, &top));
	p->top = arena_strdup(&p->arena, top);
	if (!has_tracer(p, p->top, tracer))
		return no_tracer(p, tracer);
	TRY(make_instance(p, tracer));
	const char *current = line_of(p, path_in(p, p->top, "current_tracer"));
	if (!p->instance && strcmp(current, "nop") != 0)
		return error_create(ERROR_OTHER, "tracefs is in use: its tracer is '%s'; end that with: echo nop > %s/current_tracer",
				    current, p->top);
	TRY(plan_all(p, s, target));
	order_undo(p);
	return NULL;
}

void ftrace_plan_deinit(struct ftrace_plan *p)
{
	guard_end(&p->of_values);
	guard_end(&p->of_instance);
	vec_deinit(&p->writes);
	vec_deinit(&p->undo);
	arena_deinit(&p->arena);
}

/* ---- writing ---- */

static struct strobe_error *refusal(int errnum, const char *path, const char *value)
{
	bool is_list = strstr(path, "/set_");
	if (errnum == EPERM || errnum == EACCES)
		return error_with_check("lockdown", error_create(ERROR_PERMISSION,
								 "not permitted to write '%s' to %s: run as root, on a kernel that is "
								 "not locked down",
								 value, path));
	if (errnum == EINVAL && is_list)
		return error_create(ERROR_NOT_FOUND, "the kernel cannot trace a function '%s': 'strobe ftrace -F' lists them", value);
	return error_errno(errnum, "cannot write '%s' to %s", value, path);
}

struct strobe_error *ftrace_file_write(const struct sys *sys, const char *path, const char *value, bool append)
{
	_cleanup_close_ int fd = sys_open(sys, path, O_WRONLY | (append ? O_APPEND : O_TRUNC));
	if (fd < 0)
		return refusal(-fd, path, value);
	/* with its newline: so the kernel also reports an error at the end of a word */
	_cleanup_free_ char *line = xasprintf("%s\n", value);
	ssize_t n = write(fd, line, strlen(line));
	return n == (ssize_t)strlen(line) ? NULL : refusal(n < 0 ? errno : EIO, path, value);
}

struct strobe_error *ftrace_plan_apply(struct ftrace_plan *p)
{
	if (p->undo.len)
		TRY(guard_start(&p->of_values, p->undo.data, p->undo.len, NULL));
	for (uint32_t i = 0; i < p->writes.len; i++) {
		const struct ftrace_write *w = &p->writes.data[i];
		TRY(ftrace_file_write(p->sys, w->path, w->value, w->is_appended));
	}
	return NULL;
}

/* strobe list: what -e, -M and the other options that take names can be given here. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/list/list.h"
#include "counter/metrics.h"
#include "event/describe.h"
#include "event/event.h"
#include "event/names.h"
#include "event/pfm.h"
#include "event/pmu.h"
#include "probe/sdt_cache.h"
#include "sys/limits.h"
#include "sys/tracefs.h"

#define FORMAT_MAX_BYTES (1 << 20)

/* What one word of the command line, or no word, asks for. */
struct selection {
	unsigned groups; /* EVENT_GROUP_* */
	bool sdt, metrics, metric_groups, vendor, patterns;
	const char *glob; /* folded to lower case; NULL = everything */
	bool whole_tracepoint; /* the glob is over "system:name", and only tracepoints and markers are meant */
};

struct lister {
	struct cmd_context *ctx;
	const struct list_options *options;
	const struct sys *sys;
	struct list_printer printer;
	const struct selection *selection;
	const char *pmu;    /* --unit, --cputype */
	char *tracefs;
	struct tracepoints *formats;
	bool denied;        /* an event could not be tried for want of rights */
	bool any_vendor;    /* libpfm4 had an event */
	struct pmu_set pmus;
	uint64_t uncountable; /* vendor events that were left out */
	struct strobe_error *error; /* of the selection: rights that are missing */
};

static bool matches(const struct lister *l, const char *name)
{
	if (!l->selection->glob)
		return true;
	if (!name)
		return false;
	_cleanup_free_ char *low = xstrdup(name);
	for (char *c = low; *c; c++)
		*c |= *c >= 'A' && *c <= 'Z' ? 0x20 : 0;
	return text_glob(l->selection->glob, low);
}

/* Whether the kernel would count it here. What cannot be tried for want of rights is taken to be there. */
static bool is_supported(struct lister *l, const struct event_name *n)
{
	struct perf_event_attr attr;
	event_attr_defaults(&attr);
	attr.type = n->type;
	attr.config = n->config;
	attr.disabled = 1;
	int fd = sys_perf_event_open(l->sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd == -EACCES || fd == -EPERM) {
		attr.exclude_kernel = 1;
		fd = sys_perf_event_open(l->sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		l->denied |= fd == -EACCES || fd == -EPERM;
	}
	if (fd >= 0)
		close(fd);
	return fd >= 0 || (fd != -ENOENT && fd != -EOPNOTSUPP && fd != -ENODEV && fd != -EINVAL);
}

/* The fields of a tracepoint, read from its format; NULL where that cannot be read. */
static const struct tracepoint *fields_of(struct lister *l, const char *full_name)
{
	const char *colon = strchr(full_name, ':');
	if (!l->tracefs || !colon)
		return NULL;
	_cleanup_free_ char *system = xstrndup(full_name, (size_t)(colon - full_name));
	_cleanup_free_ char *path = xasprintf("%s/events/%s/%s/format", l->tracefs, system, colon + 1);
	_cleanup_strbuf_ struct strbuf text = {};
	if (!l->formats)
		l->formats = tracepoints_create(false, sizeof(long));
	_cleanup_error_ struct strobe_error *err = sys_read(l->sys, path, &text, FORMAT_MAX_BYTES);
	if (err)
		return NULL;
	_cleanup_error_ struct strobe_error *wrong = tracepoints_add(l->formats, system, strbuf_str(&text), text.len);
	return tracepoints_by_name(l->formats, system, colon + 1);
}

static const char *type_of(const struct event_name *n)
{
	switch (n->group) {
	case EVENT_GROUP_HARDWARE:
		return "Hardware event";
	case EVENT_GROUP_SOFTWARE:
		return "Software event";
	case EVENT_GROUP_TOOL:
		return "Tool event";
	case EVENT_GROUP_CACHE:
		return "Hardware cache event";
	case EVENT_GROUP_PMU:
		return "Kernel PMU event";
	default:
		return "Tracepoint event";
	}
}

static char *encoding_of(const struct event_name *n)
{
	if (n->group == EVENT_GROUP_PMU)
		return xasprintf("%s/%s/", n->pmu, n->terms ? n->terms : "");
	if (n->group == EVENT_GROUP_TRACEPOINT || n->group == EVENT_GROUP_TOOL)
		return NULL;
	return xasprintf("%" PRIu32 ":0x%" PRIx64, n->type, n->config);
}

static bool list_event(void *ctx, const struct event_name *n)
{
	struct lister *l = ctx;
	bool tracepoint = n->group == EVENT_GROUP_TRACEPOINT, of_pmu = n->group == EVENT_GROUP_PMU;
	bool core = of_pmu && !strcmp(n->pmu, "cpu");
	if (l->selection->whole_tracepoint && !tracepoint)
		return true;
	if (!matches(l, n->name) && (of_pmu || !matches(l, n->alias)))
		return true;
	if (l->pmu && (!of_pmu || strcasecmp(l->pmu, n->pmu)))
		return true;
	if ((n->group & (EVENT_GROUP_HARDWARE | EVENT_GROUP_SOFTWARE | EVENT_GROUP_CACHE)) && !is_supported(l, n))
		return true;
	_cleanup_free_ char *encoding = encoding_of(n);
	struct list_row row = {
		/* Events of the CPU itself go by their bare names too. */
		.name = core ? n->alias : n->name,
		.alias = core ? n->name : of_pmu ? NULL : n->alias,
		.type = type_of(n),
		.pmu = n->pmu,
		.desc = event_describe(n),
		.encoding = encoding,
		.unit = n->unit,
		.scale = n->scale,
		.tracepoint = tracepoint && l->options->details ? fields_of(l, n->name) : NULL,
	};
	list_row(&l->printer, &row);
	return !out_failed(l->printer.out);
}

static bool list_vendor(void *ctx, const struct pfm_name *n)
{
	struct lister *l = ctx;
	l->any_vendor = true;
	if (!matches(l, n->name) || (l->pmu && strcasecmp(l->pmu, n->pmu)))
		return true;
	_cleanup_free_ char *encoding = NULL;
	struct perf_event_attr attr = {};
	_cleanup_error_ struct strobe_error *err = pfm_encode(n->name, &attr);
	/* libpfm4 looks at the processor: in a virtual machine there may be no counters of it. */
	bool countable = !err && pmu_has_type(&l->pmus, attr.type);
	if (!countable && !l->options->all) {
		l->uncountable++;
		return true;
	}
	if (!err && (l->options->details || l->options->json))
		encoding = xasprintf("%" PRIu32 ":0x%" PRIx64, attr.type, (uint64_t)attr.config);
	_cleanup_free_ char *both = n->umask_desc ? xasprintf("%s. %s", n->desc, n->umask_desc) : xstrdup(n->desc);
	struct list_row row = {
		.name = n->name,
		.type = countable ? "Vendor event" : "Vendor event, not supported here",
		.pmu = n->pmu,
		.desc = n->umask_desc ? n->umask_desc : n->desc,
		.long_desc = both,
		.encoding = encoding,
		.deprecated = strcasestr(both, "deprecated") != NULL,
	};
	list_row(&l->printer, &row);
	return !out_failed(l->printer.out);
}

static bool list_marker(void *ctx, const struct sdt_marker *m)
{
	struct lister *l = ctx;
	if (!matches(l, m->name))
		return true;
	_cleanup_free_ char *name = m->shared_name ? xasprintf("%s@%s(%.12s)", m->name, m->path, m->build_id) :
						     xstrdup(m->name);
	struct list_row row = { .name = name, .type = "SDT event", .encoding = m->path };
	list_row(&l->printer, &row);
	return !out_failed(l->printer.out);
}

/* Of those with one name the first stands for all. */
static bool is_repeated(size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(metrics_builtin[i].name, metrics_builtin[index].name))
			return true;
	return false;
}

static void list_metrics(struct lister *l)
{
	bool heading = l->selection->glob != NULL;
	for (size_t i = 0; i < metrics_builtin_nr; i++) {
		const struct metric *m = &metrics_builtin[i];
		if (is_repeated(i) || !matches(l, m->name))
			continue;
		if (!heading && !i)
			list_heading(&l->printer, "Metrics");
		struct list_row row = { .name = m->name, .type = "Metric", .topic = m->groups, .desc = m->desc, .long_desc = m->desc,
					.encoding = m->expr, .unit = m->unit, .no_event = true };
		list_row(&l->printer, &row);
	}
}

static bool is_new_group(size_t index, const char *group)
{
	for (size_t i = 0; i < index; i++)
		if (metric_is_in_group(&metrics_builtin[i], group))
			return false;
	return true;
}

static void list_metric_groups(struct lister *l)
{
	list_heading(&l->printer, "Metric Groups");
	for (size_t i = 0; i < metrics_builtin_nr; i++) {
		_cleanup_free_ char *copy = xstrdup(metrics_builtin[i].groups);
		char *rest = copy;
		for (char *group; (group = strsep(&rest, ";"));) {
			if (!is_new_group(i, group))
				continue;
			struct list_row row = { .name = group, .no_event = true };
			list_row(&l->printer, &row);
		}
	}
}

static void list_patterns(struct lister *l)
{
	static const struct list_row rows[] = {
		{ .name = "rNNN", .type = "Raw hardware event descriptor", .no_event = true },
		{ .name = "cpu/t1=v1[,t2=v2,t3 ...]/modifier", .type = "Raw hardware event descriptor", .no_event = true },
		{ .name = "mem:<addr>[/len][:access]", .type = "Hardware breakpoint", .no_event = true },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		list_row(&l->printer, &rows[i]);
}

/* Keeps the first thing that could not be listed; err may be NULL. */
static void note_error(struct lister *l, struct strobe_error *err)
{
	if (l->error)
		error_destroy(err);
	else
		l->error = err;
}

static void list_selection(struct lister *l, const struct selection *s)
{
	l->selection = s;
	note_error(l, event_names_each(l->sys, s->groups & ~EVENT_GROUP_TRACEPOINT, list_event, l));
	if (s->vendor) {
		struct strobe_error *err = pfm_names_each(list_vendor, l);
		bool by_name = !s->groups && !s->glob;
		if (!err && by_name && !l->any_vendor)
			err = error_create(ERROR_UNSUPPORTED, "libpfm4 has no events for this CPU; set LIBPFM_FORCE_PMU=skl "
				"(or another of its PMU names) to list those of another CPU");
		/* Without the library there is nothing to miss, unless it was asked for by name. */
		if (error_is(err, ERROR_UNSUPPORTED) && !by_name)
			error_destroy(err);
		else
			note_error(l, err);
	}
	if (s->patterns && !l->pmu)
		list_patterns(l);
	if (s->groups & EVENT_GROUP_TRACEPOINT && !l->pmu)
		note_error(l, event_names_each(l->sys, EVENT_GROUP_TRACEPOINT, list_event, l));
	if (s->metrics && !s->whole_tracepoint && !l->pmu)
		list_metrics(l);
	if (s->sdt && !l->pmu) {
		const char *dir;
		struct strobe_error *err = cmd_buildid_dir(l->ctx, &dir);
		if (!err && dir)
			sdt_cache_each(l->sys, dir, list_marker, l);
		note_error(l, err);
	}
	if (s->metric_groups && !l->pmu)
		list_metric_groups(l);
}

/* A word of the command line; glob_room holds the folded pattern. */
static struct selection select_by_word(const char *word, char **glob_room)
{
	static const struct {
		const char *name;
		struct selection selection;
	} rows[] = {
		{ "tracepoint", { .groups = EVENT_GROUP_TRACEPOINT } },
		{ "hw", { .groups = EVENT_GROUP_HARDWARE } },
		{ "hardware", { .groups = EVENT_GROUP_HARDWARE } },
		{ "sw", { .groups = EVENT_GROUP_SOFTWARE | EVENT_GROUP_TOOL } },
		{ "software", { .groups = EVENT_GROUP_SOFTWARE | EVENT_GROUP_TOOL } },
		{ "tool", { .groups = EVENT_GROUP_TOOL } },
		{ "cache", { .groups = EVENT_GROUP_CACHE } },
		{ "hwcache", { .groups = EVENT_GROUP_CACHE } },
		{ "pmu", { .groups = EVENT_GROUP_PMU } },
		{ "pfm", { .vendor = true } },
		{ "sdt", { .sdt = true } },
		{ "metric", { .metrics = true } },
		{ "metrics", { .metrics = true } },
		{ "metricgroup", { .metric_groups = true } },
		{ "metricgroups", { .metric_groups = true } },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, word))
			return rows[i].selection;
	bool whole = strchr(word, ':') && !strstr(word, "::");
	char *glob = whole ? xstrdup(word) : xasprintf("*%s*", word);
	for (char *c = glob; *c; c++)
		*c |= *c >= 'A' && *c <= 'Z' ? 0x20 : 0;
	*glob_room = glob;
	return (struct selection){ .groups = EVENT_GROUP_ALL, .sdt = true, .metrics = true, .vendor = true, .glob = glob,
				   .whole_tracepoint = whole };
}

static void list_words(struct lister *l)
{
	static const struct selection everything = { .groups = EVENT_GROUP_ALL, .sdt = true, .metric_groups = true,
						     .vendor = true, .patterns = true };
	const struct options_result *rest = &l->ctx->rest;
	for (int i = 0; i < rest->argc; i++) {
		_cleanup_free_ char *glob = NULL;
		struct selection s = select_by_word(rest->argv[i], &glob);
		list_selection(l, &s);
	}
	if (!rest->argc)
		list_selection(l, &everything);
}

/* --unit names a PMU, --cputype the kind of core of a hybrid machine. */
static void choose_pmu(struct lister *l, char **room)
{
	if (l->options->unit)
		*room = xstrdup(l->options->unit);
	else if (l->options->cputype)
		*room = xasprintf("cpu_%s", l->options->cputype);
	if (!*room)
		return;
	_cleanup_free_ char *dir = xasprintf("/sys/bus/event_source/devices/%s", *room);
	if (l->options->unit || sys_exists(l->sys, dir))
		l->pmu = *room;
	else
		cmd_say(l->ctx, "--cputype is ignored: this machine has no PMU %s, all cores are of the same type", *room);
}

static void say_denied(const struct lister *l)
{
	if (l->denied)
		cmd_say(l->ctx,
			"cannot determine which hardware events are supported: kernel.perf_event_paranoid is %d and "
			"CAP_PERFMON is missing; as root: sysctl kernel.perf_event_paranoid=2",
			sys_perf_event_paranoid(l->sys));
}

static void say_uncountable(const struct lister *l)
{
	if (l->uncountable && !l->options->raw_dump && !l->options->json)
		cmd_say(l->ctx, "%" PRIu64 " vendor events of this processor are not listed: this machine has no PMU that "
			"supports them (--all lists them)", l->uncountable);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct list_options *o = options;
	struct out out;
	bool json;
	struct lister l = { .ctx = ctx, .options = o, .sys = sys_live(), .printer = { .options = o, .out = &out } };
	_cleanup_free_ char *pmu = NULL;
	_cleanup_close_ int fd = -1;

	struct strobe_error *wrong = cmd_format_is_json(o->format, &json);
	if (wrong)
		return cmd_fail_usage(ctx, wrong);
	o->json |= json;
	o->document = json;
	cmd_set_verbosity(o->debug ? 2 : 0);
	pmu_set_init(&l.pmus, l.sys);
	choose_pmu(&l, &pmu);
	if (o->output) {
		struct strobe_error *err = cmd_open_file(o->output, false, &fd);
		if (err)
			return cmd_fail(ctx, err);
		out_init_fd(&out, fd);
	} else {
		cmd_open_output(ctx, &out);
	}
	l.printer.columns = terminal_columns();
	if (o->details) {
		struct strobe_error *err = sys_tracefs(l.sys, &l.tracefs);
		error_destroy(err); /* listing the tracepoints says it */
	}
	list_begin(&l.printer, !o->output && terminal_is_tty(STDOUT_FILENO));
	list_words(&l);
	list_end(&l.printer);
	pmu_set_deinit(&l.pmus);
	tracepoints_destroy(l.formats);
	free(l.tracefs);
	int status = o->output ? cmd_fail(ctx, out_close(&out)) : cmd_close_output(ctx, &out);
	say_denied(&l);
	say_uncountable(&l);
	if (ctx->rest.argc && !l.printer.rows && !l.error && !l.uncountable && !o->raw_dump)
		cmd_say(ctx, "no matching events; run 'list' without arguments to show all");
	if (l.error && !status && !ctx->rest.argc) {
		/* Everything was asked for, and what may be seen was listed. */
		cmd_say(ctx, "some events could not be listed: %s", l.error->message);
		error_destroy(l.error);
		return CMD_OK;
	}
	int failed = cmd_fail(ctx, l.error);
	return status ? status : failed;
}

#define AT(field) offsetof(struct list_options, field)

static const struct option table[] = {
	{ OPTION_BOOL, 'd', "desc", AT(desc), .help = "print descriptions (on)" },
	{ OPTION_BOOL, 'v', "long-desc", AT(long_desc), .help = "print long descriptions" },
	{ OPTION_BOOL, 'j', "json", AT(json), .help = "print a JSON array, as perf does" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json", .help = "output format; json: one document in strobe's schema" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "write to this file instead of standard output" },
	{ OPTION_STRING, 0, "cputype", AT(cputype), .arg = "type",
	  .help = "on a hybrid machine, list the events of this type of core (core, atom)" },
	{ OPTION_STRING, 0, "unit", AT(unit), .arg = "PMU", .help = "list only the events of this PMU" },
	{ OPTION_BOOL, 0, "all", AT(all), .help = "also list vendor events that are not supported on this machine" },
	{ OPTION_BOOL, 0, "deprecated", AT(deprecated), .help = "also list deprecated events" },
	{ OPTION_BOOL, 0, "details", AT(details),
	  .help = "show the encoding of events, and the fields of tracepoints" },
	{ OPTION_BOOL, 0, "debug", AT(debug), .help = "print debug messages" },
	{ OPTION_BOOL, 0, "raw-dump", AT(raw_dump), .help = "print names only, on one line, for completion", .hidden = true },
	OPTIONS_END,
};

const struct cmd cmd_list = {
	.name = "list",
	.summary = "List the events that can be counted and recorded here",
	.usage = (const char *const[]){
		"list [<options>] [hw|sw|cache|tracepoint|pmu|pfm|sdt|metric|metricgroup|GLOB]...", NULL },
	.options = table,
	.options_bytes = sizeof(struct list_options),
	.run = run,
	.permute = true,
};

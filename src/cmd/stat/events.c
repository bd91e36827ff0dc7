#include "cmd/stat/events.h"

#include <dirent.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/counter.h"
#include "event/pmu.h"

#define FREEZE_ON_SMI "/sys/devices/cpu/freeze_on_smi"
#define CGROUP_DEPTH  32

static struct strobe_error *define_own(struct cmd_context *ctx, struct metric_set *metrics)
{
	const struct config *config;
	TRY(cmd_config(ctx, &config));
	for (size_t i = 0; i < config_count(config); i++) {
		const char *key, *value;
		config_at(config, i, &key, &value);
		if (text_has_prefix(key, "metric."))
			metric_set_define(metrics, key + strlen("metric."), value);
	}
	return NULL;
}

/* Fails where all that the option stands for is missing. */
static struct strobe_error *add_metrics(struct metric_set *metrics, struct stat_options *o, const struct sys *sys, const char *option,
					const char *names)
{
	size_t first = metrics->uses.len;
	struct metric_options options = { .no_group = o->metric_no_group, .no_merge = o->metric_no_merge,
				  .no_threshold = o->metric_no_threshold, .of_cpus = o->target.system_wide || o->target.cpus };
	TRY(error_prefix(metric_set_add(metrics, &o->events, sys, names, options), "%s", option));
	for (size_t i = first; i < metrics->uses.len; i++)
		if (!metrics->uses.data[i].missing)
			return NULL;
	if (metrics->uses.len == first || !strcmp(option, "-M"))
		return NULL;
	return error_create(ERROR_UNSUPPORTED, "%s: this machine does not support the required events: %s", option,
			    metrics->uses.data[first].missing);
}

static struct strobe_error *add_smi(struct metric_set *metrics, struct stat_options *o, const struct sys *sys)
{
	int64_t frozen;
	struct strobe_error *err = sys_read_i64(sys, FREEZE_ON_SMI, &frozen);
	if (err) {
		error_destroy(err);
		return error_create(ERROR_UNSUPPORTED, "--smi-cost: this CPU cannot freeze counters during system management "
			"interrupts (no %s)", FREEZE_ON_SMI);
	}
	if (!frozen)
		return error_create(ERROR_USAGE, "--smi-cost: freeze counters during system management interrupts first: echo 1 > %s",
				    FREEZE_ON_SMI);
	return add_metrics(metrics, o, sys, "--smi-cost", "smi");
}

#define TOPDOWN_LEVELS 2

/* As deep as asked for; 0: as deep as this machine can. */
static struct strobe_error *add_topdown(struct metric_set *metrics, struct stat_options *o, const struct sys *sys)
{
	if (o->topdown_level > TOPDOWN_LEVELS)
		return error_create(ERROR_USAGE, "--td-level %" PRIu64 ": there are %d levels", o->topdown_level, TOPDOWN_LEVELS);
	TRY(add_metrics(metrics, o, sys, "--topdown", "topdown"));
	if (o->topdown_level > 1)
		return add_metrics(metrics, o, sys, "--td-level 2", "topdown2");
	if (o->topdown_level == 1 || !sys_exists(sys, "/sys/bus/event_source/devices/cpu/events/topdown-heavy-ops"))
		return NULL;
	return add_metrics(metrics, o, sys, "--topdown", "topdown2");
}

static void group_all(struct event_list *list)
{
	for (size_t i = 0; i < list->events.len; i++)
		if (list->events.data[i].kind != EVENT_TOOL)
			list->events.data[i].leader = 0;
}

/* Of the events of PMUs whose names begin so, those of one PMU stay. */
static size_t keep_pmu(struct event_list *events, const char *prefix, const char *pmu)
{
	size_t kept = 0;
	struct event *data = events->events.data;
	for (size_t i = 0; i < events->events.len; i++) {
		if (data[i].pmu && text_has_prefix(data[i].pmu, prefix) && strcmp(data[i].pmu, pmu) != 0) {
			vec_deinit(&data[i].cpus);
			continue;
		}
		/* Leaders are indexes: those behind a gap move up by as much. */
		uint32_t shift = (uint32_t)(i - kept);
		data[i].leader = data[i].leader == i ? (uint32_t)kept : data[i].leader >= shift ? data[i].leader - shift : (uint32_t)kept;
		data[kept++] = data[i];
	}
	events->events.len = kept;
	return kept;
}

/* --cputype: of a hybrid machine, only the events of one kind of core stay. */
static struct strobe_error *keep_cputype(struct stat_options *o, const struct sys *sys)
{
	_cleanup_free_ char *kind = xasprintf(PMU_DIR "/cpu_%s", o->cputype), *whole = xasprintf(PMU_DIR "/%s/type", o->cputype);
	if (sys_exists(sys, kind))
		return keep_pmu(&o->events, "cpu_", kind + strlen(PMU_DIR "/")) ?
			       NULL :
			       error_create(ERROR_USAGE, "--cputype %s: no events left to count", o->cputype);
	/* A PMU's whole name: all cores are of this kind where it is the only one of the CPUs. */
	if (!*o->cputype || strchr(o->cputype, '/') || !sys_exists(sys, whole))
		return error_create(ERROR_USAGE, "--cputype: this machine has no cores of type '%s'", o->cputype);
	if (!text_has_prefix(o->cputype, "cpu_"))
		return NULL;
	return keep_pmu(&o->events, "cpu_", o->cputype) ? NULL : error_create(ERROR_USAGE, "--cputype %s: no events left to "
		"count", o->cputype);
}

static struct strobe_error *filter_pmu(struct stat_options *o, const struct sys *sys)
{
	_cleanup_free_ char *dir = xasprintf("/sys/bus/event_source/devices/%s", o->pmu_filter);
	if (!*o->pmu_filter || !sys_exists(sys, dir))
		return error_create(ERROR_USAGE, "--pmu-filter: this machine has no PMU '%s'", o->pmu_filter);
	return keep_pmu(&o->events, "", o->pmu_filter) ? NULL :
	       error_create(ERROR_USAGE, "--pmu-filter %s: no events left to count", o->pmu_filter);
}

typedef VEC(char *) name_list;

static void free_names(name_list *names)
{
	for (size_t i = 0; i < names->len; i++)
		free(names->data[i]);
	vec_deinit(names);
}

/* Paths below the hierarchy that match, the deepest last. */
static void match_cgroups(const struct sys *sys, const char *root, const char *below, const regex_t *re, unsigned depth,
			  name_list *ret)
{
	_cleanup_free_ char *path = xasprintf("%s%s%s", root, *below ? "/" : "", below);
	sys_names names = {};
	_cleanup_error_ struct strobe_error *err = sys_list(sys, path, &names);
	for (size_t i = 0; !err && depth < CGROUP_DEPTH && i < names.len; i++) {
		_cleanup_free_ char *inner = xasprintf("%s%s%s", below, *below ? "/" : "", names.data[i]);
		_cleanup_free_ char *probe = xasprintf("%s/%s/.", root, inner);
		if (!sys_exists(sys, probe))
			continue;
		if (!regexec(re, inner, 0, NULL, 0))
			vec_push(ret, xstrdup(inner));
		match_cgroups(sys, root, inner, re, depth + 1, ret);
	}
	sys_names_deinit(&names);
}

static struct strobe_error *expand_names(const struct sys *sys, const char *text, name_list *ret)
{
	static const char *const roots[] = { "/sys/fs/cgroup/perf_event", "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
	if (!strpbrk(text, "*?[]^$()|+{}\\")) {
		_cleanup_free_ char *copy = xstrdup(text);
		char *rest = copy;
		for (char *word; (word = strsep(&rest, ","));)
			if (*word)
				vec_push(ret, xstrdup(word));
		return NULL;
	}
	regex_t re;
	if (regcomp(&re, text, REG_EXTENDED | REG_NOSUB))
		return error_create(ERROR_USAGE, "--for-each-cgroup: invalid regular expression \"%s\"", text);
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots) && !ret->len; i++)
		match_cgroups(sys, roots[i], "", &re, 0, ret);
	regfree(&re);
	return ret->len ? NULL : error_create(ERROR_NOT_FOUND, "--for-each-cgroup: no cgroup matches \"%s\"", text);
}

/* All events once for each of the cgroups. */
static struct strobe_error *expand_cgroups(struct stat_options *o, const struct sys *sys)
{
	name_list names = {};
	for (size_t i = 0; i < o->events.events.len; i++)
		if (o->events.events.data[i].cgroup)
			return error_create(ERROR_USAGE, "-G and --for-each-cgroup exclude each other");
	struct strobe_error *err = expand_names(sys, o->for_each_cgroup, &names);
	size_t n = o->events.events.len;
	for (size_t c = 0; !err && c < names.len; c++) {
		const char *name = arena_strdup(&o->events.arena, names.data[c]);
		for (size_t i = 0; i < n; i++) {
			struct event e = o->events.events.data[i];
			if (!c) {
				o->events.events.data[i].cgroup = name;
				continue;
			}
			e.cgroup = name;
			e.leader += (uint32_t)(c * n);
			e.cpus = (sys_cpus){};
			for (size_t k = 0; k < o->events.events.data[i].cpus.len; k++)
				vec_push(&e.cpus, o->events.events.data[i].cpus.data[k]);
			vec_push(&o->events.events, e);
		}
	}
	free_names(&names);
	return err;
}

/* Terms that say how samples are taken mean nothing to counts. */
static struct strobe_error *refuse_sampling(const struct event_list *events)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} terms[] = {
		{ EVENT_TERM_FREQ, "freq" },
		{ EVENT_TERM_TIME, "time" },
		{ EVENT_TERM_CALL_GRAPH, "call-graph" },
		{ EVENT_TERM_STACK_SIZE, "stack-size" },
		{ EVENT_TERM_MAX_STACK, "max-stack" },
		{ EVENT_TERM_OVERWRITE, "overwrite" },
		{ EVENT_TERM_AUX_OUTPUT, "aux-output" },
		{ EVENT_TERM_AUX_SAMPLE_SIZE, "aux-sample-size" },
		{ EVENT_TERM_AUX_ACTION, "aux-action" },
		{ EVENT_TERM_BRANCH_TYPE, "branch_type" },
	};
	for (size_t i = 0; i < events->events.len; i++)
		for (size_t k = 0; k < sizeof(terms) / sizeof(*terms); k++)
			if (events->events.data[i].terms.set & terms[k].bit)
				return error_create(ERROR_USAGE, "event '%s': the term '%s' applies to sampling only",
						    events->events.data[i].name, terms[k].name);
	return NULL;
}

struct strobe_error *stat_choose_events(struct cmd_context *ctx, struct stat_options *o, const struct sys *sys,
					const struct target *target, struct metric_set *metrics)
{
	bool wants_metrics = o->metrics || o->topdown || o->transaction || o->smi_cost || o->iostat_set;
	if (o->null_run)
		return NULL;
	TRY(refuse_sampling(&o->events));
	if (wants_metrics)
		TRY(define_own(ctx, metrics));
	if (o->topdown)
		TRY(add_topdown(metrics, o, sys));
	if (o->transaction)
		TRY(add_metrics(metrics, o, sys, "-T", "transaction"));
	if (o->smi_cost)
		TRY(add_smi(metrics, o, sys));
	if (o->iostat_set)
		TRY(add_metrics(metrics, o, sys, "--iostat", "iostat"));
	if (o->metrics)
		TRY(add_metrics(metrics, o, sys, "-M", o->metrics));
	if (!o->events.events.len && !wants_metrics)
		TRY(counter_defaults(&o->events, sys, target->system_wide || target->cpus, o->detail));
	else
		TRY(counter_defaults_detail(&o->events, sys, o->detail));
	if (o->hybrid_merge)
		counter_merge_hybrid(&o->events);
	if (o->cputype)
		TRY(keep_cputype(o, sys));
	if (o->pmu_filter)
		TRY(filter_pmu(o, sys));
	if (o->group)
		group_all(&o->events);
	return o->for_each_cgroup ? expand_cgroups(o, sys) : NULL;
}

struct counter_options stat_counter_options(const struct stat_options *o, bool counts_command)
{
	return (struct counter_options){
		.start = counts_command && !o->delay_ms ? COUNTER_START_ON_EXEC : COUNTER_START_CALLED,
		.no_inherit = o->no_inherit,
		.all_user = o->all_user,
		.all_kernel = o->all_kernel,
		.no_scale = !o->scale,
		.no_affinity = !o->affinity,
		.bundle = true,
		.hold_tracepoints = o->runs != 1,
	};
}

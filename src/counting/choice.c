#include "counting/choice.h"

#include <inttypes.h>
#include <string.h>

#include "counter/counter.h"
#include "event/narrow.h"
#include "event/pmu.h"

#define FREEZE_ON_SMI  "/sys/devices/cpu/freeze_on_smi"
#define TOPDOWN_LEVELS 2

struct chooser {
	struct event_list *events;
	const struct sys *sys;
	const struct event_choice *choice;
	struct metric_set *metrics;
};

/* Fails if all events of an option are missing. */
static struct strobe_error *add_metrics(struct chooser *c, const char *option, const char *names)
{
	struct metric_set *metrics = c->metrics;
	size_t first = metrics->uses.len;
	TRY(error_prefix(metric_set_add(metrics, c->events, c->sys, names, c->choice->metric), "%s", option));
	for (size_t i = first; i < metrics->uses.len; i++)
		if (!metrics->uses.data[i].missing)
			return NULL;
	if (metrics->uses.len == first || !strcmp(option, "-M"))
		return NULL;
	return error_create(ERROR_UNSUPPORTED, "%s: this machine does not support the required events: %s", option,
			    metrics->uses.data[first].missing);
}

static struct strobe_error *add_smi(struct chooser *c)
{
	int64_t frozen;
	struct strobe_error *err = sys_read_i64(c->sys, FREEZE_ON_SMI, &frozen);
	if (err) {
		error_destroy(err);
		return error_create(ERROR_UNSUPPORTED, "--smi-cost: this CPU cannot freeze counters during system management "
			"interrupts (no %s)", FREEZE_ON_SMI);
	}
	if (!frozen)
		return error_create(ERROR_USAGE, "--smi-cost: freeze counters during system management interrupts first: echo 1 > %s",
				    FREEZE_ON_SMI);
	return add_metrics(c, "--smi-cost", "smi");
}

static struct strobe_error *add_topdown(struct chooser *c)
{
	uint64_t level = c->choice->topdown_level;
	if (level > TOPDOWN_LEVELS)
		return error_create(ERROR_USAGE, "--td-level %" PRIu64 ": there are %d levels", level, TOPDOWN_LEVELS);
	TRY(add_metrics(c, "--topdown", "topdown"));
	if (level > 1)
		return add_metrics(c, "--td-level 2", "topdown2");
	if (level == 1 || !sys_exists(c->sys, PMU_DIR "/cpu/events/topdown-heavy-ops"))
		return NULL;
	return add_metrics(c, "--topdown", "topdown2");
}

bool event_choice_has_metrics(const struct event_choice *c)
{
	return !c->none && (c->metrics || c->topdown || c->transaction || c->smi_cost || c->iostat);
}

static struct strobe_error *add_all(struct chooser *c)
{
	const struct event_choice *choice = c->choice;
	if (choice->topdown)
		TRY(add_topdown(c));
	if (choice->transaction)
		TRY(add_metrics(c, "-T", "transaction"));
	if (choice->smi_cost)
		TRY(add_smi(c));
	if (choice->iostat)
		TRY(add_metrics(c, "--iostat", "iostat"));
	if (choice->metrics)
		TRY(add_metrics(c, "-M", choice->metrics));
	if (!c->events->events.len && !event_choice_has_metrics(choice))
		return counter_defaults(c->events, c->sys, choice->metric.of_cpus, choice->detail);
	return counter_defaults_detail(c->events, c->sys, choice->detail);
}

struct strobe_error *events_choose(struct event_list *events, const struct sys *sys, const struct event_choice *choice,
				   struct metric_set *metrics)
{
	struct chooser c = { events, sys, choice, metrics };
	if (choice->none)
		return NULL;
	TRY(event_list_check_counting(events));
	TRY(add_all(&c));
	if (choice->hybrid_merge)
		counter_merge_hybrid(events);
	if (choice->core_type)
		TRY(event_list_keep_core_type(events, sys, choice->core_type));
	if (choice->pmu)
		TRY(event_list_keep_pmu(events, sys, choice->pmu));
	if (choice->one_group)
		event_list_group_all(events);
	return choice->for_each_cgroup ? event_list_for_each_cgroup(events, sys, choice->for_each_cgroup) : NULL;
}

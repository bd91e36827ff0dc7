#include "cmd/sampling_options.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

#define PARSER(name) struct strobe_error *sampling_##name(void *options, const char *value, bool negated)
#define OPTIONS      struct sampling_options *o = options

void sampling_options_init(struct sampling_options *o)
{
	capture_options_init(&o->capture);
	event_list_init(&o->events);
}

void sampling_options_deinit(struct sampling_options *o)
{
	event_list_deinit(&o->events);
}

PARSER(parse_event)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "events cannot be negated");
	o->last_event = o->events.events.len;
	return event_parse(&o->events, sys_live(), value);
}

PARSER(parse_filter)
{
	OPTIONS;
	return negated ? error_create(ERROR_USAGE, "filters cannot be negated") :
			 event_list_add_filter(&o->events, o->last_event, value);
}

PARSER(parse_cgroup)
{
	OPTIONS;
	if (negated)
		return error_create(ERROR_USAGE, "cgroups cannot be negated");
	return event_list_set_cgroups(&o->events, value);
}

PARSER(parse_freq)
{
	OPTIONS;
	struct capture_options *c = &o->capture;
	if (negated) {
		c->freq_set = false;
		c->freq_hz = 4000;
		return NULL;
	}
	uint64_t hz;
	if (!strcmp(value, "max"))
		hz = CAPTURE_FREQ_MAX;
	else if (!text_to_u64(value, &hz) || !hz)
		return error_create(ERROR_USAGE, "invalid frequency \"%s\": expected samples per second, or max", value);
	c->freq_hz = hz;
	c->freq_set = true;
	return NULL;
}

PARSER(parse_count)
{
	OPTIONS;
	struct capture_options *c = &o->capture;
	if (negated) {
		c->period_set = false;
		return NULL;
	}
	if (!text_to_u64(value, &c->period) || !c->period)
		return error_create(ERROR_USAGE, "invalid count \"%s\": expected a number of events", value);
	c->period_set = true;
	return NULL;
}

PARSER(parse_branch_any)
{
	OPTIONS;
	return negated ? (o->capture.branch_mask = 0, NULL) : branch_filter_parse("any", &o->capture.branch_mask);
}

PARSER(parse_branch)
{
	OPTIONS;
	return negated ? (o->capture.branch_mask = 0, NULL) : branch_filter_parse(value, &o->capture.branch_mask);
}

PARSER(parse_mmap_pages)
{
	OPTIONS;
	o->capture.mmap_pages = o->capture.aux_pages = 0;
	if (negated)
		return NULL;
	_cleanup_free_ char *copy = xstrdup(value);
	char *comma = strchr(copy, ',');
	if (comma) {
		*comma++ = '\0';
		TRY(mmap_pages_parse(comma, &o->capture.aux_pages));
		if (o->capture.aux_pages)
			return error_create(ERROR_UNSUPPORTED,
					    "recording AUX area traces (Intel PT, CoreSight) is not supported");
	}
	return *copy ? mmap_pages_parse(copy, &o->capture.mmap_pages) : NULL;
}

PARSER(parse_realtime)
{
	OPTIONS;
	uint64_t prio = 0;
	if (!negated && (!text_to_u64(value, &prio) || prio < 1 || prio > 99))
		return error_create(ERROR_USAGE, "invalid real-time priority \"%s\": expected 1 to 99", value);
	o->capture.rt_prio = (int)prio;
	return NULL;
}

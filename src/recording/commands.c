/* Commands received through --control while a recording is in progress. */
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "record/attr_text.h"
#include "record/wait_layout.h"
#include "recording/priv.h"

void recorder_list_events(const struct event_set *s, const char *argument, struct strbuf *ret)
{
	bool by_group = !strcmp(argument, "-g"), with_freq = !strcmp(argument, "-F"), with_attr = !strcmp(argument, "-v");
	for (size_t i = 0; i < s->events.len; i++) {
		const struct capture_event *e = &s->events.data[i];
		bool opens = by_group && i + 1 < s->events.len && s->events.data[i + 1].leader == i;
		bool member = by_group && e->leader != i;
		bool closes = member && (i + 1 == s->events.len || s->events.data[i + 1].leader != e->leader);
		strbuf_addf(ret, "%s%s%s", opens ? "{" : "", e->name, closes ? "}" : "");
		if (with_freq)
			strbuf_addf(ret, ": %s=%llu", e->attr.freq ? "sample_freq" : "sample_period",
				    (unsigned long long)e->attr.sample_freq);
		strbuf_addch(ret, opens || (member && !closes) ? ',' : '\n');
		if (with_attr)
			attr_lines(&e->attr, NULL, ret);
	}
	if (ret->len)
		ret->data[--ret->len] = '\0';
}

/* Enables or disables one event, or all. False: unknown name. */
static bool set_enabled(struct recorder *r, const char *event, bool on)
{
	bool found = capture_set_enabled(r->capture, *event ? event : NULL, on);
	if (!*event || !strcmp(event, WAIT_EVENT) || !strcmp(event, OFFCPU_EVENT))
		stack_unwinder_enable_waits(r->unwinder, on);
	if (found)
		recorder_say(r, RECORDER_NOTE, "%s %s", *event ? event : "events", on ? "enabled" : "disabled");
	else
		recorder_say(r, RECORDER_NOTE, "--control: unknown event %s", event);
	return found;
}

/* *ret_done: whether to acknowledge it. */
static struct strobe_error *take_command(struct recorder *r, const struct control_command *c, bool *ret_done)
{
	_cleanup_strbuf_ struct strbuf list = {};
	bool has_snapshots;
	*ret_done = true;
	switch (c->verb) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		*ret_done = set_enabled(r, c->argument, c->verb == CONTROL_ENABLE);
		break;
	case CONTROL_SNAPSHOT:
		TRY(recorder_snapshot(r, r->o.switching.on, &has_snapshots));
		if (!has_snapshots)
			recorder_say(r, RECORDER_NOTE, "--control: snapshot has no effect without --overwrite or --switch-output");
		break;
	case CONTROL_EVLIST:
		recorder_list_events(capture_events(r->capture), c->argument, &list);
		recorder_say(r, RECORDER_LIST, "%s", strbuf_str(&list));
		break;
	case CONTROL_STOP:
		r->done = true;
		break;
	case CONTROL_UNKNOWN:
		recorder_say(r, RECORDER_NOTE, "--control: unknown command \"%s\"", c->argument);
		*ret_done = false;
		break;
	default:
		break;
	}
	return NULL;
}

struct strobe_error *recorder_take_commands(struct recorder *r)
{
	struct control_command command;
	bool end = false, done;
	while (control_next(&r->control, &command, &end)) {
		TRY(take_command(r, &command, &done));
		if (done)
			control_ack(&r->control);
	}
	if (end)
		control_close(&r->control);
	return NULL;
}

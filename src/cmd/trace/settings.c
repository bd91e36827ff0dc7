/* The settings of perf-config(1) for trace: defaults of options. */
#include "cmd/trace/settings.h"

#include <string.h>

#include "base/text.h"

#define ALIGN_MAX 1000

static struct strobe_error *set_flags(const struct config *config, struct trace_options *o)
{
	const struct {
		const char *key;
		bool *flag;
		bool is_absence; /* the flag has the opposite meaning */
	} flags[] = {
		{ "trace.show_zeros", &o->display.show_zeros, false },       { "trace.show_prefix", &o->display.show_prefix, false },
		{ "trace.show_arg_names", &o->display.no_arg_names, true },  { "trace.show_timestamp", &o->display.no_time, true },
		{ "trace.show_duration", &o->display.no_duration, true },    { "trace.no_inherit", &o->live.no_inherit, false },
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		bool value;
		/* Set by an option, or without effect on a recording. */
		if (*flags[i].flag || (o->input && flags[i].flag == &o->live.no_inherit))
			continue;
		TRY(config_bool(config, flags[i].key, flags[i].is_absence, &value));
		*flags[i].flag = value != flags[i].is_absence;
	}
	/* Without names the position identifies an argument. */
	o->display.show_zeros |= o->display.no_arg_names;
	return NULL;
}

static struct strobe_error *set_alignment(const struct config *config, struct trace_options *o)
{
	const char *text = config_get(config, "trace.args_alignment");
	uint64_t columns;
	if (!text)
		return NULL;
	if (!text_to_u64(text, &columns) || columns > ALIGN_MAX)
		return error_create(ERROR_USAGE, "setting trace.args_alignment: invalid number of columns \"%s\" (expected 0 to %d)", text,
				    ALIGN_MAX);
	o->display.align = (uint32_t)columns;
	return NULL;
}

static struct strobe_error *set_beautifiers(const struct config *config, struct trace_options *o)
{
	const char *text = config_get(config, "trace.tracepoint_beautifiers");
	if (!text || !strcmp(text, "libbeauty"))
		return NULL;
	if (strcmp(text, "libtraceevent") != 0)
		return error_create(ERROR_USAGE, "setting trace.tracepoint_beautifiers: unknown value \"%s\" (expected "
			"libbeauty or libtraceevent)", text);
	o->display.points_as_kernel = true;
	return NULL;
}

struct strobe_error *trace_settings_apply(const struct config *config, struct trace_options *o)
{
	const char *events = config_get(config, "trace.add_events");
	TRY(set_flags(config, o));
	TRY(set_alignment(config, o));
	TRY(set_beautifiers(config, o));
	return events ? error_prefix(trace_selection_add(&o->selection, sys_live(), events), "setting trace.add_events") : NULL;
}

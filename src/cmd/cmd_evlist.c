/* strobe evlist: the events of a recording. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "decode/tracepoint.h"
#include "perfdata/reader.h"
#include "record/attr_text.h"
#include "session/input.h"

struct evlist_options {
	const char *input, *format;
	bool force, freq, group, trace_fields;
	unsigned verbose;
};

/* Fields of one event's line: ": " before the first, ", " before the others. */
struct fields {
	struct out *out;
	bool some;
};

static void add_field(void *ctx, const char *name, const char *value)
{
	struct fields *f = ctx;
	out_f(f->out, "%s %s: ", f->some ? "," : ":", name);
	out_text_str(f->out, value);
	f->some = true;
}

static bool is_tracepoint(const struct env_event *ev)
{
	return ev->attr.type == PERF_TYPE_TRACEPOINT;
}

static void add_trace_fields(struct fields *f, const struct env_event *ev, const struct tracepoints *formats)
{
	_cleanup_strbuf_ struct strbuf names = {};
	const struct tracepoint *tp = is_tracepoint(ev) ? tracepoints_by_id(formats, (uint32_t)ev->attr.config) : NULL;

	if (!tp) {
		out_str(f->out, f->some ? ", " : ": ");
		out_str(f->out, is_tracepoint(ev) ? "(no trace field)" : "(not a tracepoint)");
		return;
	}
	for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++)
		strbuf_addf(&names, "%s%s", i > tp->common_nr ? "," : "", tp->fields[i].name);
	if (names.len)
		add_field(f, "trace_fields", strbuf_str(&names));
}

static void add_freq(struct fields *f, const struct env_event *ev)
{
	out_f(f->out, "%s %s=%" PRIu64, f->some ? "," : ":", ev->attr.freq ? "sample_freq" : "sample_period",
	      (uint64_t)ev->attr.sample_period);
	f->some = true;
}

static void out_name(struct out *out, const char *name)
{
	out_text(out, name, strlen(name));
}

/* A group's leader with its members; members say nothing of their own. */
static void print_group(struct out *out, const struct env *env, const struct env_event *ev)
{
	size_t index = (size_t)(ev - env->events.data);
	bool group = ev->group_members > 1;

	if (ev->leader != index)
		return;
	if (group) {
		out_name(out, ev->group_name ? ev->group_name : "");
		out_ch(out, '{');
	}
	out_name(out, ev->name);
	for (uint32_t i = 1; group && i < ev->group_members; i++) {
		out_ch(out, ',');
		out_name(out, ev[i].name);
	}
	out_str(out, group ? "}\n" : "\n");
}

static void print_event(struct out *out, const struct evlist_options *o, const struct env *env, const struct env_event *ev,
			const struct tracepoints *formats)
{
	struct fields f = { .out = out };
	struct attr_names names = env_attr_names(env, ev);

	out_name(out, ev->name);
	if (o->verbose)
		attr_each_field(&ev->attr, &names, add_field, &f);
	else if (o->freq)
		add_freq(&f, ev);
	if (o->trace_fields)
		add_trace_fields(&f, ev, formats);
	out_ch(out, '\n');
}

static void print_text(struct cmd_context *ctx, struct out *out, const struct evlist_options *o, const struct env *env,
		       const struct tracepoints *formats)
{
	bool tip = false;

	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *ev = &env->events.data[i];
		if (o->group)
			print_group(out, env, ev);
		else
			print_event(out, o, env, ev, formats);
		tip |= is_tracepoint(ev) && !o->trace_fields;
	}
	if (tip)
		out_f(out, "# Tip: use '%s evlist --trace-fields' to show fields for tracepoint events\n", ctx->program);
}

static void json_attr_field(void *ctx, const char *name, const char *value)
{
	struct json *j = ctx;
	/* "{ sample_period, sample_freq }": two names of one field; the first is the key. */
	size_t n = strcspn(name + 2 * (*name == '{'), ",");
	char key[40];

	if (n >= sizeof(key))
		return;
	memcpy(key, name + 2 * (*name == '{'), n);
	key[n] = '\0';
	json_key(j, key);
	uint64_t number;
	if (text_to_u64(value, &number) && value[1] != 'x')
		json_u64(j, number);
	else
		json_str(j, value);
}

static void json_event(struct json *j, const struct env *env, const struct env_event *ev, const struct tracepoints *formats)
{
	const struct tracepoint *tp = is_tracepoint(ev) ? tracepoints_by_id(formats, (uint32_t)ev->attr.config) : NULL;

	json_object(j);
	json_key(j, "name");
	json_str(j, ev->name);
	json_key(j, "type");
	json_u64(j, ev->attr.type);
	json_key(j, "config");
	json_hex(j, ev->attr.config);
	json_key(j, ev->attr.freq ? "sample_freq" : "sample_period");
	json_u64(j, ev->attr.sample_period);
	json_key(j, "attr");
	json_object(j);
	attr_each_field(&ev->attr, NULL, json_attr_field, j);
	json_end(j);
	json_key(j, "ids");
	json_array(j);
	for (uint32_t i = 0; i < ev->ids_nr; i++)
		json_u64(j, ev->ids[i]);
	json_end(j);
	json_key(j, "leader");
	json_u64(j, ev->leader);
	if (ev->unit) {
		json_key(j, "unit");
		json_str(j, ev->unit);
	}
	if (tp) {
		json_key(j, "trace_fields");
		json_array(j);
		for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++)
			json_str(j, tp->fields[i].name);
		json_end(j);
	}
	json_end(j);
}

static void print_json(struct out *out, const struct env *env, const struct tracepoints *formats)
{
	struct json j;

	json_init(&j, out, true);
	json_object(&j);
	json_format(&j, "strobe-evlist", 1);
	json_key(&j, "events");
	json_array(&j);
	for (size_t i = 0; i < env->events.len; i++)
		json_event(&j, env, &env->events.data[i], formats);
	json_end(&j);
	json_end(&j);
}

static int print(struct cmd_context *ctx, const struct evlist_options *o, bool json, const struct env *env)
{
	struct tracepoints *formats = NULL;
	struct strobe_error *err = tracepoints_read(env, &formats);
	struct out out;

	/* Of damaged formats, those that are whole are listed. */
	if (err && (o->trace_fields || json))
		cmd_say(ctx, "%s", err->message);
	error_destroy(err);
	cmd_open_output(ctx, &out);
	if (json)
		print_json(&out, env, formats);
	else
		print_text(ctx, &out, o, env, formats);
	tracepoints_destroy(formats);
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct evlist_options *o = options;
	struct record_source *source;

	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s': specify a recording with -i",
							ctx->rest.argv[0]));
	if (o->group && (o->verbose || o->freq))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--group cannot be combined with --verbose or --freq"));
	bool json;
	struct strobe_error *err = cmd_format_is_json(o->format, &json);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose > 1 ? o->verbose - 1 : 0);
	err = input_open(o->input, o->force, &source);
	if (err)
		return cmd_fail(ctx, err);
	int status = print(ctx, o, json, source_env(source));
	if (!status)
		status = cmd_fail(ctx, reader_check_whole(source));
	input_remarks(cmd_host(ctx), source, NULL);
	source_destroy(source);
	return status;
}

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", offsetof(struct evlist_options, input), .arg = "file",
	  .help = "input file (default: perf.data, or standard input if that is a pipe)" },
	{ OPTION_BOOL, 'f', "force", offsetof(struct evlist_options, force), .help = "skip the ownership check" },
	{ OPTION_BOOL, 'F', "freq", offsetof(struct evlist_options, freq), .help = "show frequency or period" },
	{ OPTION_COUNT, 'v', "verbose", offsetof(struct evlist_options, verbose), .help = "show all fields of each perf_event_attr" },
	{ OPTION_BOOL, 'g', "group", offsetof(struct evlist_options, group), .help = "show events by group" },
	{ OPTION_BOOL, 0, "trace-fields", offsetof(struct evlist_options, trace_fields),
	  .help = "show the fields of tracepoints" },
	{ OPTION_STRING, 0, "format", offsetof(struct evlist_options, format), .arg = "text|json", .help = "output format" },
	OPTIONS_END,
};

const struct cmd cmd_evlist = {
	.name = "evlist",
	.summary = "List the events of a recording",
	.usage = (const char *const[]){ "evlist [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct evlist_options),
	.run = run,
	.permute = true,
};

/* strobe convert: a profile of one format as one of another. */
#include <string.h>

#include "base/cleanup.h"
#include "base/new_file.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "session/profile_input.h"
#include "view/data/folded.h"
#include "view/text/pprof.h"

struct convert_command {
	const char *from, *to;
	bool force;
	unsigned verbose;
};

#define AT(field) offsetof(struct convert_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 0, "from", AT(from), .arg = "format", .help = "format of the input (default: detected)" },
	{ OPTION_STRING, 0, "to", AT(to), .arg = "format",
	  .help = "format of the output (default: by its name): pprof, pprof-raw, folded, speedscope, firefox, chrome-trace, "
	  	"callgrind, heap, csv or json" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "skip the ownership check of the recording" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

/* Folded text is a view: it shows one event by the names of its frames. */
static struct strobe_error *write_folded(const struct profile *p, struct out *out)
{
	struct folded_options options = {
		.event = p->origin.events_are_values && p->events.len ? (uint32_t)p->events.len - 1 : 0,
		/* marks that came in go out again */
		.names = { .mark_kernel = p->origin.events_are_values, .mark_inlined = p->origin.events_are_values },
	};
	return view_folded(p, &options, out);
}

static const struct exchange_format folded = {
	.name = "folded",
	.write = write_folded,
};

/* So is callgrind's: calls between addresses, of one event. */
static struct strobe_error *write_callgrind(const struct profile *p, struct out *out)
{
	struct pprof_graph_options options = { .divide_by = 1, .unit = "minimum" };
	TRY(profile_choose_event(p, "", &options.event));
	return view_pprof_callgrind(p, &options, out);
}

static const struct exchange_format callgrind = {
	.name = "callgrind",
	.write = write_callgrind,
};

static const struct exchange_format *writer_of(const char *name)
{
	if (!strcmp(name, "folded"))
		return &folded;
	if (!strcmp(name, "callgrind"))
		return &callgrind;
	const struct exchange_format *f = exchange_find(name);
	return f && f->write ? f : NULL;
}

static struct strobe_error *known_formats(const char *what, const char *name, bool writers)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (size_t i = 0; i < exchange_formats_nr; i++)
		if (writers ? writer_of(exchange_formats[i].name) != NULL : exchange_formats[i].read != NULL)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", exchange_formats[i].name);
	if (writers)
		strbuf_addstr(&names, ", callgrind");
	return error_create(ERROR_USAGE, "%s '%s'; known formats: %s", what, name, strbuf_str(&names));
}

static struct strobe_error *choose_reader(const struct convert_command *o, const struct exchange_format **ret)
{
	*ret = o->from ? exchange_find(o->from) : NULL;
	if (o->from && (!*ret || !(*ret)->read))
		return known_formats("unknown input format", o->from, false);
	return NULL;
}

static struct strobe_error *choose_writer(const struct convert_command *o, const char *path,
					  const struct exchange_format **ret)
{
	const struct exchange_format *by_path = exchange_by_path(path);
	bool is_folded = text_has_suffix(path, ".folded"), is_callgrind = text_has_suffix(path, ".callgrind");
	*ret = o->to ? writer_of(o->to) : is_folded ? &folded : is_callgrind ? &callgrind : by_path;
	if (*ret)
		return NULL;
	if (o->to)
		return known_formats("unknown output format", o->to, true);
	return error_create(ERROR_USAGE, "cannot determine the format of '%s' from its name; use --to", path);
}

struct conversion {
	const struct profile *profile;
	const struct exchange_format *format;
};

static struct strobe_error *write_profile(void *ctx, struct out *out)
{
	const struct conversion *c = ctx;
	return c->format->write(c->profile, out);
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct convert_command *o = options;
	const struct exchange_format *reader, *writer;
	struct profile *p = NULL;
	if (ctx->rest.argc != 2)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "two files are required: convert INPUT OUTPUT"));
	struct strobe_error *err = choose_reader(o, &reader);
	if (!err)
		err = choose_writer(o, ctx->rest.argv[1], &writer);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	struct profile_input input = { .path = ctx->rest.argv[0], .format = reader, .force = o->force };
	err = profile_input_read(cmd_host(ctx), &input, &p);
	if (!err)
		err = new_file_write_by(ctx->rest.argv[1], write_profile, &(struct conversion){ p, writer });
	profile_destroy(p);
	return cmd_fail(ctx, err);
}

const struct cmd cmd_convert = {
	.name = "convert",
	.summary = "Convert a recording or a profile to another format",
	.usage = (const char *const[]){ "convert [<options>] INPUT OUTPUT", NULL },
	.options = table,
	.options_bytes = sizeof(struct convert_command),
	.run = run,
	.permute = true,
};

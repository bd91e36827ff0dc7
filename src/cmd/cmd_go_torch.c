/* strobe go-torch: the options of Uber's go-torch, for `strobe flamegraph`. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/frame.h"

struct torch_options {
	const char *url, *suffix, *input, *binary, *pprof_args;
	int64_t seconds;
	const char *file, *title, *width, *colours;
	bool print, raw, hash, palette, inverted;
};

#define AT(field) offsetof(struct torch_options, field)

static const struct option option_table[] = {
	{ OPTION_STRING, 'u', "url", AT(url), .arg = "url", .help = "address of the Go program (default: http://localhost:8080)" },
	{ OPTION_STRING, 0, "suffix", AT(suffix), .arg = "path", .help = "path of the profile there (default: /debug/pprof/profile)" },
	{ OPTION_STRING, 'b', "binaryinput", AT(input), .arg = "file", .help = "read this profile instead of fetching one" },
	{ OPTION_STRING, 0, "binaryname", AT(binary), .arg = "file", .help = "program of the profile" },
	{ OPTION_I64, 't', "seconds", AT(seconds), .arg = "n", .help = "duration of the profile in seconds (default: 30)" },
	{ OPTION_STRING, 0, "pprofArgs", AT(pprof_args), .arg = "args",
	  .help = "arguments of pprof: -sample_index=NAME, -inuse_space and the like, -seconds=N, or a profile" },
	{ OPTION_GROUP, .help = "Output" },
	{ OPTION_STRING, 'f', "file", AT(file), .arg = "file", .help = "output file (default: torch.svg)" },
	{ OPTION_BOOL, 'p', "print", AT(print), .help = "write the picture to standard output" },
	{ OPTION_BOOL, 'r', "raw", AT(raw), .help = "print folded stacks instead of drawing a picture" },
	{ OPTION_STRING, 0, "title", AT(title), .arg = "text", .help = "title of the picture (default: Flame Graph)" },
	{ OPTION_STRING, 0, "width", AT(width), .arg = "pixels", .help = "width of the picture (default: 1200)" },
	{ OPTION_BOOL, 0, "hash", AT(hash), .help = "choose colours by name" },
	{ OPTION_STRING, 0, "colors", AT(colours), .arg = "palette", .help = "palette, as flamegraph names them (default: hot)" },
	{ OPTION_BOOL, 0, "cp", AT(palette), .help = "use and extend the colour map palette.map" },
	{ OPTION_BOOL, 0, "inverted", AT(inverted), .help = "draw an icicle graph, growing downwards" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	*(struct torch_options *)options = (struct torch_options){ .url = "http://localhost:8080", .suffix = "/debug/pprof/profile",
								   .seconds = 30 };
}

static struct strobe_error *take_pprof_arg(struct torch_options *o, const char *arg, const char **event)
{
	static const char *const values[] = { "inuse_space", "inuse_objects", "alloc_space", "alloc_objects" };
	const char *name = arg + strspn(arg, "-");
	if (name == arg) {
		o->input = arg;
		return NULL;
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (!strcmp(name, values[i]))
			*event = values[i];
	if (text_has_prefix(name, "sample_index="))
		*event = strchr(name, '=') + 1;
	else if (text_has_prefix(name, "seconds=") && text_to_i64(strchr(name, '=') + 1, &o->seconds))
		return NULL;
	return *event && strstr(name, *event) ? NULL : error_create(ERROR_UNSUPPORTED, "--pprofArgs: '%s' does not affect a "
		"flame graph, or is not supported; try `strobe pprof`", arg);
}

static struct strobe_error *take_pprof_args(struct cmd_context *ctx, struct torch_options *o, const char **event)
{
	char *rest = o->pprof_args ? arena_strdup(&ctx->words, o->pprof_args) : NULL, *next;
	for (char *arg = rest ? strtok_r(rest, " ", &next) : NULL; arg; arg = strtok_r(NULL, " ", &next))
		TRY(take_pprof_arg(o, arg, event));
	return NULL;
}

/* [binary] <profile source>, which may be an address. */
static struct strobe_error *take_words(const struct cmd_context *ctx, struct torch_options *o)
{
	int n = ctx->rest.argc;
	if (n > 2)
		return error_create(ERROR_USAGE, "unexpected argument '%s'", ctx->rest.argv[2]);
	if (n == 2)
		o->binary = ctx->rest.argv[0];
	if (n && strstr(ctx->rest.argv[n - 1], "://")) {
		o->url = ctx->rest.argv[n - 1];
		o->suffix = "";
	} else if (n) {
		o->input = ctx->rest.argv[n - 1];
	}
	return NULL;
}

static void add_option(struct cmd_context *ctx, struct cmd_words *words, const char *name, const char *value)
{
	if (value)
		vec_push(&words->list, arena_printf(&ctx->words, "--%s=%s", name, value));
}

static void add_source(struct cmd_context *ctx, struct cmd_words *words, const struct torch_options *o)
{
	add_option(ctx, words, "input", o->input);
	add_option(ctx, words, "binary", o->binary);
	if (o->input)
		return;
	size_t n = strlen(o->url);
	bool has_slash = n && o->url[n - 1] == '/' && *o->suffix == '/';
	add_option(ctx, words, "url", arena_printf(&ctx->words, "%s%s", o->url, o->suffix + has_slash));
	add_option(ctx, words, "seconds", arena_printf(&ctx->words, "%lld", (long long)o->seconds));
}

static int run(struct cmd_context *ctx, void *options)
{
	struct torch_options *o = options;
	struct cmd_words words = {};
	const char *event = NULL;
	struct strobe_error *err = take_words(ctx, o);
	if (!err)
		err = take_pprof_args(ctx, o, &event);
	if (err)
		return error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
	cmd_add_word(ctx, &words, "flamegraph");
	add_source(ctx, &words, o);
	add_option(ctx, &words, "event", event);
	add_option(ctx, &words, "output", o->print || o->raw ? "-" : o->file ? o->file : "torch.svg");
	add_option(ctx, &words, "title", o->title);
	add_option(ctx, &words, "width", o->width);
	add_option(ctx, &words, "colors", o->colours);
	const char *const flags[] = { o->raw ? "--folded" : NULL, o->hash ? "--hash" : NULL, o->palette ? "--cp" : NULL,
				      o->inverted ? "--inverted" : NULL };
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (flags[i])
			cmd_add_word(ctx, &words, flags[i]);
	return cmd_run_words(ctx, &words, 0, NULL);
}

const struct cmd cmd_go_torch = {
	.name = "go-torch",
	.summary = "Draw a flame graph of a Go program, with the options of go-torch",
	.usage = (const char *const[]){ "go-torch [<options>] [[<binary>] <file>|<url>]", NULL },
	.options = option_table,
	.options_bytes = sizeof(struct torch_options),
	.defaults = defaults,
	.run = run,
	.permute = true,
};

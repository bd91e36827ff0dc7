/* strobe version: which version this is, and what it was built with. */
#include "cmd/frame.h"
#include "config.h"

struct version_options {
	bool build_options;
};

static const struct {
	const char *name, *macro;
	bool on;
} features[] = {
	{ "zstd", "HAVE_ZSTD", HAVE_ZSTD },
	{ "zlib", "HAVE_ZLIB", HAVE_ZLIB },
	{ "lzma", "HAVE_LZMA", HAVE_LZMA },
	{ "libpfm4", "HAVE_PFM", HAVE_PFM },
	{ "bpf_programs", "HAVE_BPF_PROGRAMS", HAVE_BPF_PROGRAMS },
	{ "zydis", "HAVE_ZYDIS", HAVE_ZYDIS },
	{ "capstone", "HAVE_CAPSTONE", HAVE_CAPSTONE },
	{ "microhttpd", "HAVE_MICROHTTPD", HAVE_MICROHTTPD },
	{ "libedit", "HAVE_HISTEDIT", HAVE_HISTEDIT },
};

void version_print(struct out *out, const char *program, bool build_options)
{
	out_f(out, "%s version %s\n", program, STROBE_VERSION);
	for (size_t i = 0; build_options && i < sizeof(features) / sizeof(*features); i++)
		out_f(out, "%22s: [ %-3s ]  # %s\n", features[i].name, features[i].on ? "on" : "OFF", features[i].macro);
}

static const struct option table[] = {
	{ OPTION_BOOL, 0, "build-options", offsetof(struct version_options, build_options),
	  .help = "show build features" },
	OPTIONS_END,
};

static int run(struct cmd_context *ctx, void *options)
{
	const struct version_options *o = options;
	struct out out;
	cmd_open_output(ctx, &out);
	version_print(&out, ctx->program, o->build_options);
	return cmd_close_output(ctx, &out);
}

const struct cmd cmd_version = {
	.name = "version",
	.summary = "Show the version of this program",
	.usage = (const char *const[]){ "version [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct version_options),
	.run = run,
};

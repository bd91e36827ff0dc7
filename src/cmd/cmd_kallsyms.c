/* strobe kallsyms: symbols of the kernel by their names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/table_output.h"
#include "symbol/kallsyms_names.h"
#include "sys/kernel_modules.h"

struct kallsyms_options {
	const char *kallsyms, *format;
	unsigned verbose;
};

#define AT(field) offsetof(struct kallsyms_options, field)

static const struct option table[] = {
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "show every symbol of a name, not only the first" },
	{ OPTION_STRING, 0, "kallsyms", AT(kallsyms), .arg = "file", .help = "read symbols from this file" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

static void put_place(struct out *out, const struct kallsyms_place *p, const struct kernel_modules *modules)
{
	_cleanup_free_ char *file = p->module_bytes > 2 ? kernel_modules_path(modules, p->module + 1, p->module_bytes - 2) : NULL;
	out_str(out, ": ");
	out_text(out, file ? p->module : "[kernel]", file ? p->module_bytes : strlen("[kernel]"));
	out_ch(out, ' ');
	out_text_str(out, file ? file : "[kernel.kallsyms]");
	out_f(out, " 0x%" PRIx64 "-0x%" PRIx64 " (0x%" PRIx64 "-0x%" PRIx64 ")\n", p->start, p->end, p->start, p->end);
}

static int print_text(struct cmd_context *ctx, const kallsyms_places *places, bool all)
{
	struct out out;
	struct kernel_modules modules;
	kernel_modules_load(sys_live(), &modules);
	cmd_open_output(ctx, &out);
	size_t at = 0;
	for (size_t i = 0; i < (size_t)ctx->rest.argc; i++) {
		size_t first = at;
		for (; at < places->len && places->data[at].name_index == i; at++) {
			if (at > first && !all)
				continue;
			out_text_str(&out, ctx->rest.argv[i]);
			put_place(&out, &places->data[at], &modules);
		}
		if (at == first) {
			out_text_str(&out, ctx->rest.argv[i]);
			out_str(&out, ": not found\n");
		}
	}
	kernel_modules_deinit(&modules);
	return cmd_close_output(ctx, &out);
}

static void set_hex(struct table *t, size_t column, uint64_t value)
{
	char text[32];
	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	table_set_text(t, column, text);
}

static int print_data(struct cmd_context *ctx, const kallsyms_places *places, enum table_format format)
{
	static const char *const keys[] = { "symbol", "type", "module", "start", "end" };
	struct table t;
	table_init(&t, "strobe-kallsyms", 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		table_column(&t, (struct table_column){ .key = keys[i], .type = TABLE_TEXT, .is_optional = i == 2 });
	for (size_t i = 0; i < places->len; i++) {
		const struct kallsyms_place *p = &places->data[i];
		_cleanup_free_ char *module = p->module_bytes ? xasprintf("%.*s", (int)p->module_bytes, p->module) : NULL;
		table_row(&t);
		table_set_text(&t, 0, ctx->rest.argv[p->name_index]);
		table_set_text(&t, 1, (const char[]){ p->type, '\0' });
		if (module)
			table_set_text(&t, 2, module);
		set_hex(&t, 3, p->start);
		set_hex(&t, 4, p->end);
	}
	return cmd_print_table(ctx, &t, format);
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct kallsyms_options *o = options;
	enum table_format format;
	_cleanup_strbuf_ struct strbuf text = {};
	if (!ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "no symbol name given"));
	struct strobe_error *err = table_format_parse(o->format, &format);
	if (err)
		return cmd_fail_usage(ctx, err);
	if ((err = kallsyms_read(o->kallsyms, &text)))
		return cmd_fail(ctx, err);
	kallsyms_places places = {};
	bool shown = kallsyms_find_names(strbuf_str(&text), text.len, (const char *const *)ctx->rest.argv, (size_t)ctx->rest.argc,
					 &places);
	int status = !shown ? cmd_fail(ctx, kallsyms_hidden_error(o->kallsyms))
		     : format == TABLE_AS_TEXT ? print_text(ctx, &places, o->verbose)
						    : print_data(ctx, &places, format);
	vec_deinit(&places);
	return status;
}

const struct cmd cmd_kallsyms = {
	.name = "kallsyms",
	.summary = "Find symbols of the running kernel",
	.usage = (const char *const[]){ "kallsyms [<options>] symbol_name...", NULL },
	.options = table,
	.options_bytes = sizeof(struct kallsyms_options),
	.run = run,
	.permute = true,
};

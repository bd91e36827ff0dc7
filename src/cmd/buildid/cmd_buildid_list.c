/* strobe buildid-list: which files a recording has samples in, by build-id. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "object/buildid_cache.h"
#include "object/object.h"
#include "session/input.h"
#include "session/recorded_files.h"
#include "sys/sys.h"
#include "table/table.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

#define BUILD_ID_COLUMNS 40 /* of a SHA-1 */

struct buildid_options {
	const char *input, *format;
	bool json; /* what format says */
	bool force, with_hits, kernel, kernel_maps;
	unsigned verbose;
};

/* With paths where there are any: a program or a kernel has only its own ID. */
static void fill(struct table *t, const struct recorded_files *files)
{
	table_init(t, "strobe-buildid-list", 1);
	t->rows_key = "files";
	t->has_no_notes = true;
	t->layout = (struct table_layout){ .row = "", .gap = " ", .has_no_titles = true };
	size_t id = table_column(t, (struct table_column){ "build_id", NULL, TABLE_TEXT });
	size_t path = table_column(t, (struct table_column){ "path", NULL, TABLE_TEXT, .is_optional = true });
	for (size_t i = 0; i < files->list.len; i++) {
		const struct recorded_file *r = &files->list.data[i];
		char hex[BUILDID_HEX_MAX];
		buildid_hex(r->build_id, r->build_id_len, hex);
		table_row(t);
		table_show(t, id, "%-*s", BUILD_ID_COLUMNS, hex);
		if (*hex)
			table_set_text(t, id, hex);
		if (r->path)
			table_set_text(t, path, r->path);
	}
}

static int print(struct cmd_context *ctx, const struct buildid_options *o, const struct recorded_files *files)
{
	struct table t;
	struct out out;

	fill(&t, files);
	cmd_open_output(ctx, &out);
	if (o->json)
		table_json(&out, &t);
	else
		table_text(&out, &t, NULL);
	table_deinit(&t);
	return cmd_close_output(ctx, &out);
}

static int list_recording(struct cmd_context *ctx, const struct buildid_options *o)
{
	struct recorded_files files = {};
	struct strobe_error *err = recorded_files_read(o->input, o->force, o->with_hits ? RECORDED_HIT : RECORDED_LISTED, &files);

	int status = !err || files.source ? print(ctx, o, &files) : 0;
	if (err)
		status = cmd_fail(ctx, err);
	if (files.machine)
		input_remarks(cmd_host(ctx), files.reader, NULL);
	recorded_files_deinit(&files);
	return status;
}

/* A program instead of a recording: its own id. False where it is none, or has none. */
static bool list_object(struct cmd_context *ctx, const struct buildid_options *o, int *ret_status)
{
	const char *path = input_path(o->input);
	uint8_t id[OBJECT_BUILD_ID_MAX];
	struct object *object;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	struct strobe_error *err = object_open(path, &object);
	if (err) {
		error_destroy(err);
		return false;
	}
	size_t len = object_build_id(object, id);
	object_close(object);
	if (!len)
		return false;
	struct recorded_files files = {};
	recorded_files_add(&files, id, len, NULL);
	*ret_status = print(ctx, o, &files);
	recorded_files_deinit(&files);
	return true;
}

/* The running kernel. */

static int list_kernel(struct cmd_context *ctx, const struct buildid_options *o)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t len = object_build_id_of_notes(KERNEL_NOTES, id);
	struct recorded_files files = {};

	if (!len)
		return cmd_fail(ctx, error_create(ERROR_NOT_FOUND, "no build ID of the kernel in " KERNEL_NOTES));
	recorded_files_add(&files, id, len, NULL);
	int status = print(ctx, o, &files);
	recorded_files_deinit(&files);
	return status;
}

/* The address of a symbol in the text of /proc/kallsyms: "ffffffff81000000 T _text". */
static bool kallsyms_address(const struct strbuf *text, const char *name, uint64_t *ret)
{
	size_t length = strlen(name);

	for (const char *at = text->data; (at = strstr(at, name)); at += length) {
		const char *line = at;
		while (line > text->data && line[-1] != '\n')
			line--;
		if (at[-1] == ' ' && at[length] == '\n' && at - line > 3) {
			*ret = strtoull(line, NULL, 16);
			return true;
		}
	}
	return false;
}

static void print_map(struct out *out, const uint8_t *id, size_t len, uint64_t start, uint64_t end, const char *name)
{
	char hex[BUILDID_HEX_MAX];
	buildid_hex(id, len, hex);
	out_f(out, "%s %16" PRIx64 " %16" PRIx64 " ", hex, start, end);
	out_text_str(out, name);
	out_ch(out, '\n');
}

/* "name size refs users state 0xaddress …" of /proc/modules, newest first. */
static void print_module(struct out *out, char *line)
{
	char name[128];
	unsigned long long bytes, start;
	uint8_t id[OBJECT_BUILD_ID_MAX];

	if (sscanf(line, "%127s %llu %*s %*s %*s 0x%llx", name, &bytes, &start) != 3)
		return;
	_cleanup_free_ char *notes = xasprintf("/sys/module/%s/notes/.note.gnu.build-id", name);
	_cleanup_free_ char *shown = xasprintf("[%s]", name);
	print_map(out, id, object_build_id_of_notes(notes, id), start, start + bytes, shown);
}

static int list_kernel_maps(struct cmd_context *ctx)
{
	_cleanup_strbuf_ struct strbuf kallsyms = {}, modules = {};
	uint8_t id[OBJECT_BUILD_ID_MAX];
	uint64_t start = 0, end = 0;
	struct out out;

	struct strobe_error *err = sys_read(sys_live(), "/proc/kallsyms", &kallsyms, 0);
	if (err)
		return cmd_fail(ctx, err);
	if (!kallsyms.len || !(kallsyms_address(&kallsyms, "_text", &start) || kallsyms_address(&kallsyms, "_stext", &start)) ||
	    !start)
		return cmd_fail(ctx, error_create(ERROR_PERMISSION, "addresses in /proc/kallsyms are hidden: run as root, or "
			"set /proc/sys/kernel/kptr_restrict to 0"));
	if (!kallsyms_address(&kallsyms, "_edata", &end))
		kallsyms_address(&kallsyms, "_etext", &end);
	error_destroy(sys_read(sys_live(), "/proc/modules", &modules, 0)); /* absent where the kernel loads none */
	cmd_open_output(ctx, &out);
	print_map(&out, id, object_build_id_of_notes(KERNEL_NOTES, id), start, end, "[kernel.kallsyms]");
	for (char *save = NULL, *line = modules.len ? strtok_r(modules.data, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		print_module(&out, line);
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct buildid_options *o = options;
	struct strobe_error *err = cmd_format_is_json(o->format, &o->json);
	int status;

	if (!err && o->json && o->kernel_maps)
		err = error_create(ERROR_USAGE, "-m prints text and cannot be combined with --format json");
	if (err)
		return cmd_fail_usage(ctx, err);
	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s': specify a recording with -i",
							ctx->rest.argv[0]));
	cmd_set_verbosity(o->verbose);
	if (o->kernel)
		return list_kernel(ctx, o);
	if (o->kernel_maps)
		return list_kernel_maps(ctx);
	if (list_object(ctx, o, &status))
		return status;
	return list_recording(ctx, o);
}

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", offsetof(struct buildid_options, input), .arg = "file",
	  .help = "input file: a recording (default: perf.data, or standard input if that is a pipe), or an ELF file" },
	{ OPTION_BOOL, 'f', "force", offsetof(struct buildid_options, force), .help = "skip the ownership check" },
	{ OPTION_BOOL, 'H', "with-hits", offsetof(struct buildid_options, with_hits), .help = "list only files with samples" },
	{ OPTION_BOOL, 'k', "kernel", offsetof(struct buildid_options, kernel), .help = "show the running kernel's build-id" },
	{ OPTION_BOOL, 'm', "kernel-maps", offsetof(struct buildid_options, kernel_maps),
	  .help = "show build-ids and addresses of the running kernel and its modules" },
	{ OPTION_COUNT, 'v', "verbose", offsetof(struct buildid_options, verbose), .help = "be more verbose" },
	{ OPTION_STRING, 0, "format", offsetof(struct buildid_options, format), .arg = "text|json", .help = "output format" },
	OPTIONS_END,
};

const struct cmd cmd_buildid_list = {
	.name = "buildid-list",
	.summary = "List the build-ids of a recording",
	.usage = (const char *const[]){ "buildid-list [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct buildid_options),
	.run = run,
	.permute = true,
};

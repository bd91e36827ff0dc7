/* strobe buildid-list: which files a recording has samples in, by build-id. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/u64map.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "machine/machine.h"
#include "object/object.h"
#include "record/order.h"
#include "sys/sys.h"

#define BUILD_ID_COLUMNS 40 /* of a SHA-1 */

struct buildid_options {
	const char *input, *format;
	bool force, with_hits, kernel, kernel_maps;
	unsigned verbose;
};

/* What is to be listed, gathered before it is printed: a row may come from the feature, the machine or an ELF file. */
struct row {
	const uint8_t *build_id;
	size_t build_id_len;
	const char *path; /* NULL: the id alone */
};

struct rows {
	VEC(struct row) list;
	struct arena names; /* of what has none of its own */
	struct u64map seen;
	struct u64map ids;  /* path's hash → index in env->build_ids */
};

static void rows_deinit(struct rows *rows)
{
	vec_deinit(&rows->list);
	arena_deinit(&rows->names);
	u64map_deinit(&rows->seen);
	u64map_deinit(&rows->ids);
}

static void add_row(struct rows *rows, const uint8_t *build_id, size_t len, const char *path)
{
	/* Some recorders list a file once a process. */
	if (path) {
		bool is_new;
		u64map_put(&rows->seen, hash_combine(hash_str(path), hash_bytes(build_id, len)), &is_new);
		if (!is_new)
			return;
	}
	vec_push(&rows->list, ((struct row){ build_id, len, path }));
}

static void print_id(struct out *out, const uint8_t *id, size_t len)
{
	for (size_t i = 0; i < len; i++)
		out_hex_width(out, id[i], 2, '0');
}

static void print_text(struct out *out, const struct rows *rows)
{
	for (size_t i = 0; i < rows->list.len; i++) {
		const struct row *r = &rows->list.data[i];
		print_id(out, r->build_id, r->build_id_len);
		if (r->path) {
			size_t width = r->build_id_len * 2;
			out_fill(out, ' ', (width < BUILD_ID_COLUMNS ? BUILD_ID_COLUMNS - width : 0) + 1);
			out_text(out, r->path, strlen(r->path));
		}
		out_ch(out, '\n');
	}
}

static void print_json(struct out *out, const struct rows *rows)
{
	struct json j;

	json_init(&j, out, true);
	json_object(&j);
	json_key(&j, "schema");
	json_str(&j, "strobe.buildid-list");
	json_key(&j, "version");
	json_u64(&j, 1);
	json_key(&j, "files");
	json_array(&j);
	for (size_t i = 0; i < rows->list.len; i++) {
		const struct row *r = &rows->list.data[i];
		char hex[2 * 255 + 1] = "";
		for (size_t k = 0; k < r->build_id_len && k < 255; k++)
			snprintf(hex + k * 2, 3, "%02x", r->build_id[k]);
		json_object(&j);
		json_key(&j, "build_id");
		if (*hex)
			json_str(&j, hex);
		else
			json_null(&j);
		if (r->path) {
			json_key(&j, "path");
			json_str(&j, r->path);
		}
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}

static int print(struct cmd_context *ctx, const struct buildid_options *o, const struct rows *rows)
{
	struct out out;

	cmd_open_output(ctx, &out);
	if (o->format && !strcmp(o->format, "json"))
		print_json(&out, rows);
	else
		print_text(&out, rows);
	return cmd_close_output(ctx, &out);
}

/* Which files samples fell into, by the ids of the machine's files. */
struct hits {
	struct machine *machine;
	VEC(bool) hit;
	/* The answer to the last question, which holds for the next one more often than not. */
	struct machine_view view;
	uint32_t pid, tid;
	uint64_t generation;
	bool have_view;
};

static void count_sample(struct hits *h, const struct env *env, struct record r)
{
	struct sample_hot s;
	uint32_t event = env_event_of_sample(env, r);

	if (event >= env->events.len || !sample_decode_hot(&env->events.data[event].layout, r, &s))
		return;
	if (!h->have_view || s.pid != h->pid || s.tid != h->tid || s.time < h->view.from_ns || s.time >= h->view.until_ns ||
	    h->generation != machine_generation(h->machine)) {
		h->view = machine_view(h->machine, s.pid, s.tid, s.time);
		h->pid = s.pid;
		h->tid = s.tid;
		h->generation = machine_generation(h->machine);
		h->have_view = true;
	}
	const struct map *map = machine_space_map(h->machine, h->view.space, s.misc & PERF_RECORD_MISC_CPUMODE_MASK, s.ip);
	if (!map)
		return;
	while (h->hit.len <= map->file->id)
		vec_push(&h->hit, false);
	h->hit.data[map->file->id] = true;
}

static struct strobe_error *find_hits(struct hits *h, struct record_source *ordered)
{
	for (;;) {
		struct record r;
		uint64_t time = 0;
		bool end;

		TRY(source_next(ordered, &r, &end));
		if (end)
			return NULL;
		const struct env *env = source_env(ordered);
		if (r.hdr->type == PERF_RECORD_SAMPLE) {
			count_sample(h, env, r);
		} else {
			env_record_time(env, r, &time);
			machine_apply(h->machine, r, time);
		}
	}
}

/* Memory where a run-time compiler may have put code: its symbols are in the process's perf map, which is what is named. */
static bool is_no_file(const char *path)
{
	static const char *const prefixes[] = { "//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV", "[heap]" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (text_has_prefix(path, prefixes[i]))
			return true;
	return false;
}

/* A file's id: as mapped, or as the recorder listed it later than it was mapped. */
static void add_hit(struct rows *rows, const struct env *env, const struct mapped_file *file)
{
	const uint8_t *id = file->build_id;
	size_t len = file->build_id_len;

	const uint64_t *index = len ? NULL : u64map_get(&rows->ids, hash_str(file->path));
	if (index && !strcmp(env->build_ids.data[*index].filename, file->path)) {
		id = env->build_ids.data[*index].build_id;
		len = env->build_ids.data[*index].build_id_len;
	}
	add_row(rows, id, len, is_no_file(file->path) ? arena_printf(&rows->names, "/tmp/perf-%u.map", file->pid) : file->path);
}

static int list_hits(struct cmd_context *ctx, const struct buildid_options *o, struct record_source *source)
{
	struct record_source *ordered = order_create(source);
	struct hits h = { .machine = machine_create(source_env(ordered)) };
	struct rows rows = {};
	/* What was whole is listed, then the damage told. */
	struct strobe_error *err = find_hits(&h, ordered);

	const struct env *env = source_env(ordered);
	for (size_t i = 0; i < env->build_ids.len; i++)
		*u64map_put(&rows.ids, hash_str(env->build_ids.data[i].filename), NULL) = i;
	for (size_t i = 0; i < machine_files_count(h.machine); i++) {
		const struct mapped_file *file = machine_file_at(h.machine, i);
		if (file->id < h.hit.len && h.hit.data[file->id])
			add_hit(&rows, env, file);
	}
	int status = print(ctx, o, &rows);
	if (err)
		status = cmd_fail(ctx, err);
	input_remarks(ctx, source, NULL);
	rows_deinit(&rows);
	vec_deinit(&h.hit);
	machine_destroy(h.machine);
	source_destroy(ordered);
	return status;
}

static int list_feature(struct cmd_context *ctx, const struct buildid_options *o, struct record_source *source)
{
	const struct env *env = source_env(source);
	struct rows rows = {};

	for (size_t i = 0; i < env->build_ids.len; i++) {
		const struct env_build_id *b = &env->build_ids.data[i];
		add_row(&rows, b->build_id, b->build_id_len, b->filename);
	}
	int status = print(ctx, o, &rows);
	rows_deinit(&rows);
	source_destroy(source);
	return status;
}

/*
 * A list in the header is taken as it is, unless hits are asked for. Without one (streams, and recorders that write ids
 * into MMAP2) the samples tell which files matter. Traces in AUX data are not decoded for this: all files are listed then.
 */
static int list_recording(struct cmd_context *ctx, const struct buildid_options *o)
{
	struct record_source *source;
	struct strobe_error *err = input_open(o->input, o->force, &source);

	if (err)
		return cmd_fail(ctx, err);
	const struct env *env = source_env(source);
	bool with_hits = (o->with_hits && !env_section(env, FEATURE_AUXTRACE)) || !env_section(env, FEATURE_BUILD_ID);
	return with_hits ? list_hits(ctx, o, source) : list_feature(ctx, o, source);
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
	struct rows rows = {};
	add_row(&rows, id, len, NULL);
	*ret_status = print(ctx, o, &rows);
	rows_deinit(&rows);
	return true;
}

/* The running kernel. */

static size_t notes_id(const char *path, uint8_t ret[OBJECT_BUILD_ID_MAX])
{
	_cleanup_strbuf_ struct strbuf notes = {};
	struct strobe_error *err = sys_read(sys_live(), path, &notes, 0);
	size_t len = err ? 0 : object_build_id_in_notes(notes.data, notes.len, false, ret);

	error_destroy(err);
	return len;
}

static int list_kernel(struct cmd_context *ctx, const struct buildid_options *o)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t len = notes_id("/sys/kernel/notes", id);
	struct rows rows = {};

	if (!len)
		return cmd_fail(ctx, error_create(ERROR_NOT_FOUND, "this kernel tells no build-id in /sys/kernel/notes"));
	add_row(&rows, id, len, NULL);
	int status = print(ctx, o, &rows);
	rows_deinit(&rows);
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
	print_id(out, id, len);
	out_f(out, " %16" PRIx64 " %16" PRIx64 " %s\n", start, end, name);
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
	print_map(out, id, notes_id(notes, id), start, start + bytes, shown);
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
		return cmd_fail(ctx, error_create(ERROR_PERMISSION, "/proc/kallsyms shows no addresses: be root, or set "
								    "/proc/sys/kernel/kptr_restrict to 0"));
	if (!kallsyms_address(&kallsyms, "_edata", &end))
		kallsyms_address(&kallsyms, "_etext", &end);
	error_destroy(sys_read(sys_live(), "/proc/modules", &modules, 0)); /* absent where the kernel loads none */
	cmd_open_output(ctx, &out);
	print_map(&out, id, notes_id("/sys/kernel/notes", id), start, end, "[kernel.kallsyms]");
	for (char *save = NULL, *line = modules.len ? strtok_r(modules.data, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		print_module(&out, line);
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct buildid_options *o = options;
	int status;

	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "'%s' is one word too many: name a recording with -i",
							ctx->rest.argv[0]));
	if (o->format && strcmp(o->format, "json") && strcmp(o->format, "text"))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--format %s: it is text or json", o->format));
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
	  .help = "a recording (perf.data, or standard input where that is a pipe), or an ELF file" },
	{ OPTION_BOOL, 'f', "force", offsetof(struct buildid_options, force), .help = "read a file of another owner" },
	{ OPTION_BOOL, 'H', "with-hits", offsetof(struct buildid_options, with_hits), .help = "list only files with samples" },
	{ OPTION_BOOL, 'k', "kernel", offsetof(struct buildid_options, kernel), .help = "show the running kernel's build-id" },
	{ OPTION_BOOL, 'm', "kernel-maps", offsetof(struct buildid_options, kernel_maps),
	  .help = "show build-ids and addresses of the running kernel and its modules" },
	{ OPTION_COUNT, 'v', "verbose", offsetof(struct buildid_options, verbose), .help = "tell more" },
	{ OPTION_STRING, 0, "format", offsetof(struct buildid_options, format), .arg = "text|json", .help = "how to print" },
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

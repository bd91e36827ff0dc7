/* strobe buildid-cache: files added to the build-id cache, taken out of it, listed and looked for. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/out.h"
#include "cmd/cmd.h"
#include "object/buildid_cache.h"
#include "object/debuginfod.h"
#include "session/cached_file.h"
#include "session/input.h"
#include "session/recorded_files.h"
#include "symbol/kcore.h"

enum action { ADD, REMOVE, PURGE, UPDATE };

struct cache_options {
	VEC(char *) files[UPDATE + 1]; /* by action, in the order given */
	const char *missing, *debuginfod, *kcore;
	bool purge_all, list, force;
	uint64_t target_ns;
	unsigned verbose;
};

struct cache {
	struct cmd_context *ctx;
	const struct cache_options *o;
	const char *dir;
	struct debuginfod *servers; /* or NULL */
	int status;
};

static void say_done(const struct cache *c, const char *doing, const char *hex, const char *path)
{
	if (c->o->verbose)
		cmd_say(c->ctx, "%s %s%s%s: Ok", doing, hex, *hex ? " " : "", path);
}

/* One that fails does not keep the others from being done. */
static void fail(struct cache *c, struct strobe_error *err)
{
	int status = cmd_fail(c->ctx, err);
	if (status)
		c->status = status;
}

static struct strobe_error *add(struct cache *c, const char *file)
{
	struct cached_file f;
	TRY(cached_file_open(file, (uint32_t)c->o->target_ns, &f));
	struct strobe_error *err = cached_file_add(c->dir, &f, c->servers);
	if (!err)
		say_done(c, "Adding", f.hex, file);
	cached_file_close(&f);
	return err;
}

static struct strobe_error *remove_one(struct cache *c, const char *file)
{
	struct cached_file f;
	TRY(cached_file_open(file, (uint32_t)c->o->target_ns, &f));
	struct strobe_error *err = buildid_cache_remove(c->dir, f.hex);
	if (!err)
		say_done(c, "Removing", f.hex, file);
	cached_file_close(&f);
	return err;
}

/* What a purge takes away: whatever was kept of that path. */
struct by_path {
	const char *path;
	VEC(char *) found;
};

static bool match_path(void *ctx, const struct buildid_cache_entry *e)
{
	struct by_path *b = ctx;
	if (!strcmp(e->path, b->path))
		vec_push(&b->found, xstrdup(e->hex));
	return true;
}

static struct strobe_error *remove_path(struct cache *c, const char *file)
{
	char real[PATH_MAX];
	struct by_path b = { .path = realpath(file, real) ? real : file };
	struct strobe_error *err = NULL;
	buildid_cache_each(c->dir, match_path, &b);
	for (size_t i = 0; i < b.found.len; i++) {
		if (!err)
			err = buildid_cache_remove(c->dir, b.found.data[i]);
		if (!err)
			say_done(c, "Removing", b.found.data[i], file);
		free(b.found.data[i]);
	}
	if (!err && !b.found.len)
		err = error_create(ERROR_NOT_FOUND, "%s is not in the cache %s", file, c->dir);
	vec_deinit(&b.found);
	return err;
}

/* In place of what is there of the same build-id; older files of the path stay: older recordings want them. */
static struct strobe_error *update(struct cache *c, const char *file)
{
	struct cached_file f;
	TRY(cached_file_open(file, (uint32_t)c->o->target_ns, &f));
	struct strobe_error *err = buildid_cache_has(c->dir, f.hex) ? buildid_cache_remove(c->dir, f.hex) : NULL;
	if (!err)
		err = cached_file_add(c->dir, &f, c->servers);
	if (!err)
		say_done(c, "Updating", f.hex, file);
	cached_file_close(&f);
	return err;
}

static struct strobe_error *act(struct cache *c, enum action action, const char *file)
{
	switch (action) {
	case ADD:
		return add(c, file);
	case REMOVE:
		return remove_one(c, file);
	case PURGE:
		return remove_path(c, file);
	case UPDATE:
		break;
	}
	return update(c, file);
}

static struct strobe_error *add_kcore(struct cache *c)
{
	_cleanup_free_ char *path = NULL;
	bool old;
	TRY(kcore_cache_add(c->dir, c->o->kcore, &path, &old));
	if (c->o->verbose)
		cmd_say(c->ctx, "%s: %s", path, old ? "already cached" : "added");
	return NULL;
}

static bool purge_entry(void *ctx, const struct buildid_cache_entry *e)
{
	struct cache *c = ctx;
	struct strobe_error *err = buildid_cache_remove(c->dir, e->hex);
	if (!err)
		say_done(c, "Removing", e->hex, e->path);
	fail(c, err);
	return true;
}

static void out_entry(struct out *out, const char *hex, const char *path)
{
	out_f(out, "%s ", hex);
	out_text_str(out, path);
	out_ch(out, '\n');
}

static bool list_entry(void *ctx, const struct buildid_cache_entry *e)
{
	out_entry(ctx, e->hex, e->path);
	return true;
}

static void list(struct cache *c)
{
	struct out out;
	cmd_open_output(c->ctx, &out);
	buildid_cache_each(c->dir, list_entry, &out);
	int status = cmd_close_output(c->ctx, &out);
	if (status)
		c->status = status;
}

static void list_missing(struct cache *c)
{
	struct recorded_files files = {};
	struct out out;
	struct strobe_error *err = recorded_files_read(c->o->missing, c->o->force, RECORDED_LISTED, &files);
	cmd_open_output(c->ctx, &out);
	for (size_t i = 0; i < files.list.len; i++) {
		const struct recorded_file *f = &files.list.data[i];
		char hex[BUILDID_HEX_MAX];
		buildid_hex(f->build_id, f->build_id_len, hex);
		if (f->build_id_len && !buildid_cache_has(c->dir, hex))
			out_entry(&out, hex, f->path ? f->path : "");
	}
	int status = cmd_close_output(c->ctx, &out);
	if (status)
		c->status = status;
	fail(c, err);
	if (files.machine)
		input_remarks(cmd_host(c->ctx), files.reader, NULL);
	recorded_files_deinit(&files);
}

static bool has_files(const struct cache_options *o)
{
	for (enum action a = ADD; a <= UPDATE; a++)
		if (o->files[a].len)
			return true;
	return false;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct cache_options *o = options;
	struct cache c = { .ctx = ctx, .o = o };
	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s': specify files with -a, -r, -p or -u",
							ctx->rest.argv[0]));
	if (!has_files(o) && !o->purge_all && !o->list && !o->missing && !o->kcore)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "nothing to do: specify -a, -r, -p, -u, -P, -k, -l or -M"));
	struct strobe_error *err = cmd_buildid_dir(ctx, &c.dir);
	if (!err && !c.dir)
		err = error_create(ERROR_USAGE, "no home directory for the build ID cache: specify a directory with --buildid-dir");
	if (err)
		return cmd_fail(ctx, err);
	if (o->debuginfod) {
		bool by_environment = !*o->debuginfod || !strcmp(o->debuginfod, "system");
		c.servers = debuginfod_from_environment(by_environment ? NULL : o->debuginfod);
		if (!c.servers)
			return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--debuginfod: no servers given, neither here nor "
				"in DEBUGINFOD_URLS"));
	}
	if (o->list)
		list(&c);
	if (o->purge_all)
		buildid_cache_each(c.dir, purge_entry, &c);
	static const enum action order[] = { ADD, REMOVE, PURGE, UPDATE };
	for (size_t k = 0; k < sizeof(order) / sizeof(*order); k++) {
		for (size_t i = 0; i < o->files[order[k]].len; i++) {
			fail(&c, act(&c, order[k], o->files[order[k]].data[i]));
			free(o->files[order[k]].data[i]);
		}
		vec_deinit(&o->files[order[k]]);
	}
	if (o->kcore)
		fail(&c, add_kcore(&c));
	if (o->missing)
		list_missing(&c);
	debuginfod_destroy(c.servers);
	return c.status;
}

/* Names with commas between them; the option may be given again. */
static struct strobe_error *add_names(struct cache_options *o, enum action action, const char *value)
{
	for (const char *at = value; at && *at; at += strcspn(at, ","), at += *at == ',') {
		size_t n = strcspn(at, ",");
		if (n)
			vec_push(&o->files[action], xstrndup(at, n));
	}
	return NULL;
}

#define PARSER(name, action)                                                                      \
	static struct strobe_error *name(void *options, const char *value, bool negated)          \
	{                                                                                         \
		return negated ? NULL : add_names(options, action, value);                        \
	}
PARSER(parse_add, ADD)
PARSER(parse_remove, REMOVE)
PARSER(parse_purge, PURGE)
PARSER(parse_update, UPDATE)

#define AT(field) offsetof(struct cache_options, field)
static const struct option table[] = {
	{ OPTION_CALL, 'a', "add", .arg = "file list", .parse = parse_add, .help = "add these files and their debug files" },
	{ OPTION_CALL, 'r', "remove", .arg = "file list", .parse = parse_remove, .help = "remove these files" },
	{ OPTION_CALL, 'p', "purge", .arg = "file list", .parse = parse_purge,
	  .help = "remove all cached versions of these paths" },
	{ OPTION_BOOL, 'P', "purge-all", AT(purge_all), .help = "remove everything" },
	{ OPTION_CALL, 'u', "update", .arg = "file list", .parse = parse_update,
	  .help = "replace the cached files with the same build IDs" },
	{ OPTION_STRING, 'M', "missing", AT(missing), .arg = "recording",
	  .help = "list the files of a recording that are not in the cache" },
	{ OPTION_BOOL, 'l', "list", AT(list), .help = "list the contents of the cache" },
	{ OPTION_STRING, 'k', "kcore", AT(kcore), .arg = "file",
	  .help = "add the code of the running kernel and its modules: /proc/kcore, with kallsyms and modules" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "skip the ownership check of the recording" },
	{ OPTION_STRING, 0, "debuginfod", AT(debuginfod), .arg = "debuginfod urls", .optional_arg = true, .default_arg = "",
	  .help = "with -a and -u, fetch debug files that are not installed, from these servers or those of DEBUGINFOD_URLS" },
	{ OPTION_U64, 0, "target-ns", AT(target_ns), .arg = "pid", .help = "look up files in the mount namespace of this process" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "report actions" },
	OPTIONS_END,
};

const struct cmd cmd_buildid_cache = {
	.name = "buildid-cache",
	.summary = "Manage the build ID cache",
	.usage = (const char *const[]){ "buildid-cache [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct cache_options),
	.run = run,
	.permute = true,
};

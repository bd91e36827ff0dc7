/* strobe buildid-cache: adds files to the build-id cache, removes, lists and finds them. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/table_output.h"
#include "object/debuginfod.h"
#include "session/buildid/file_cache.h"
#include "session/buildid/lists.h"
#include "session/input.h"
#include "symbol/kcore.h"

enum action { ADD, REMOVE, PURGE, UPDATE, ACTIONS };

struct cache_options {
	VEC(char *) files[ACTIONS]; /* names by action, in the order given */
	const char *missing, *debuginfod, *kcore, *format_name;
	enum table_format format;
	bool purge_all, list, force;
	uint64_t target_ns;
	unsigned verbose;
};

struct cache {
	struct cmd_context *ctx;
	const struct cache_options *o;
	struct file_cache files;
	int status;
};

static void say_done(void *ctx, const char *doing, const char *hex, const char *path)
{
	const struct cache *c = ctx;
	if (c->o->verbose)
		cmd_say(c->ctx, "%s %s%s%s: Ok", doing, hex, *hex ? " " : "", path);
}

/* A failure does not stop the remaining actions. */
static void fail(void *ctx, struct strobe_error *err)
{
	struct cache *c = ctx;
	int status = cmd_fail(c->ctx, err);
	if (status)
		c->status = status;
}

static struct strobe_error *add_kcore(struct cache *c)
{
	_cleanup_free_ char *path = NULL;
	bool old;
	TRY(kcore_cache_add(c->files.dir, c->o->kcore, &path, &old));
	if (c->o->verbose)
		cmd_say(c->ctx, "%s: %s", path, old ? "already cached" : "added");
	return NULL;
}

static void print(struct cache *c, struct table *t)
{
	int status = cmd_print_table(c->ctx, t, c->o->format);
	if (status)
		c->status = status;
}

static void list(struct cache *c)
{
	struct table t;
	buildid_cache_table(c->files.dir, &t);
	print(c, &t);
}

static void list_missing(struct cache *c)
{
	struct recorded_files files = {};
	struct table t;
	struct strobe_error *err = recorded_files_read(c->o->missing, c->o->force, RECORDED_LISTED, &files);
	recorded_files_missing_table(&files, c->files.dir, &t);
	print(c, &t);
	fail(c, err);
	if (files.machine)
		input_remarks(cmd_host(c->ctx), files.reader, NULL);
	recorded_files_deinit(&files);
}

static bool has_files(const struct cache_options *o)
{
	for (enum action a = ADD; a < ACTIONS; a++)
		if (o->files[a].len)
			return true;
	return false;
}

static struct strobe_error *check(const struct cache_options *o, const struct options_result *rest)
{
	if (rest->argc)
		return error_create(ERROR_USAGE, "unexpected argument '%s': specify files with -a, -r, -p or -u", rest->argv[0]);
	if (!has_files(o) && !o->purge_all && !o->list && !o->missing && !o->kcore)
		return error_create(ERROR_USAGE, "nothing to do: specify -a, -r, -p, -u, -P, -k, -l or -M");
	if (o->format_name && o->list == (o->missing != NULL))
		return error_create(ERROR_USAGE, "--format requires one list: -l or -M");
	return NULL;
}

static struct strobe_error *find_dir(struct cache *c)
{
	TRY(cmd_buildid_dir(c->ctx, &c->files.dir));
	return c->files.dir ? NULL :
			      error_create(ERROR_USAGE, "no home directory for the build ID cache: specify a directory with --buildid-dir");
}

static struct strobe_error *find_servers(struct cache *c)
{
	const char *urls = c->o->debuginfod;
	bool by_environment = urls && (!*urls || !strcmp(urls, "system"));
	c->files.servers = urls ? debuginfod_from_environment(by_environment ? NULL : urls) : NULL;
	return !urls || c->files.servers ? NULL :
					   error_create(ERROR_USAGE, "--debuginfod: no servers given, neither here nor in DEBUGINFOD_URLS");
}

/* In the order of the actions, however the options were given. */
static void act_on_files(struct cache *c)
{
	static struct strobe_error *(*const actions[])(const struct file_cache *, const char *) = {
		[ADD] = file_cache_add, [REMOVE] = file_cache_remove, [PURGE] = file_cache_purge, [UPDATE] = file_cache_update,
	};
	for (enum action a = ADD; a < ACTIONS; a++)
		for (size_t i = 0; i < c->o->files[a].len; i++)
			fail(c, actions[a](&c->files, c->o->files[a].data[i]));
}

static int run(struct cmd_context *ctx, void *options)
{
	struct cache_options *o = options;
	struct cache c = { .ctx = ctx, .o = o, .files = { .pid = (uint32_t)o->target_ns, .done = say_done, .ctx = &c } };
	struct strobe_error *err = check(o, &ctx->rest);
	if (!err)
		err = table_format_parse(o->format_name, &o->format);
	if (err)
		return cmd_fail_usage(ctx, err);
	err = find_dir(&c);
	if (err)
		return cmd_fail(ctx, err);
	err = find_servers(&c);
	if (err)
		return cmd_fail_usage(ctx, err);
	if (o->list)
		list(&c);
	if (o->purge_all)
		file_cache_clear(&c.files, fail);
	act_on_files(&c);
	if (o->kcore)
		fail(&c, add_kcore(&c));
	if (o->missing)
		list_missing(&c);
	debuginfod_destroy(c.files.servers);
	return c.status;
}

static void release(void *options)
{
	struct cache_options *o = options;
	for (enum action a = ADD; a < ACTIONS; a++) {
		for (size_t i = 0; i < o->files[a].len; i++)
			free(o->files[a].data[i]);
		vec_deinit(&o->files[a]);
	}
}

/* Names separated by commas; the option may be repeated. */
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
	{ OPTION_CALL, 'r', "remove", .arg = "file list", .parse = parse_remove, .help = "remove these files from the cache" },
	{ OPTION_CALL, 'p', "purge", .arg = "file list", .parse = parse_purge,
	  .help = "remove all cached versions of these paths" },
	{ OPTION_BOOL, 'P', "purge-all", AT(purge_all), .help = "remove all files from the cache" },
	{ OPTION_CALL, 'u', "update", .arg = "file list", .parse = parse_update,
	  .help = "replace the cached files with the same build IDs" },
	{ OPTION_STRING, 'M', "missing", AT(missing), .arg = "recording",
	  .help = "list the files of a recording that are not in the cache" },
	{ OPTION_BOOL, 'l', "list", AT(list), .help = "list the contents of the cache" },
	{ OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format of -l and -M" },
	{ OPTION_STRING, 'k', "kcore", AT(kcore), .arg = "file",
	  .help = "add the code of the running kernel and its modules: /proc/kcore, with kallsyms and modules" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "skip the ownership check of the recording" },
	{ OPTION_STRING, 0, "debuginfod", AT(debuginfod), .arg = "debuginfod urls", .optional_arg = true, .default_arg = "",
	  .help = "with -a and -u, fetch debug files that are not installed, from these servers or those of DEBUGINFOD_URLS" },
	{ OPTION_U64, 0, "target-ns", AT(target_ns), .arg = "pid", .help = "look up files in the mount namespace of this process" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "report each action" },
	OPTIONS_END,
};

const struct cmd cmd_buildid_cache = {
	.name = "buildid-cache",
	.summary = "Manage the build ID cache",
	.usage = (const char *const[]){ "buildid-cache [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct cache_options),
	.release = release,
	.run = run,
	.permute = true,
};

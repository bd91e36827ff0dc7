#include "cmd/flame_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/filemap.h"
#include "cli/lists.h"
#include "cmd/input.h"
#include "exchange/exchange.h"

#define MAGIC_BYTES 8

/* The first bytes of a pipe, which stay in it: tee(2) copies them into another. False where it ends before. */
static bool peek_pipe(int fd, char ret[MAGIC_BYTES])
{
	int copy[2];
	ssize_t n;
	if (pipe2(copy, O_CLOEXEC) < 0)
		return false;
	do
		n = tee(fd, copy[1], MAGIC_BYTES, 0);
	while (n < 0 && errno == EINTR);
	if (n == MAGIC_BYTES)
		n = read(copy[0], ret, MAGIC_BYTES);
	close(copy[0]);
	close(copy[1]);
	return n == MAGIC_BYTES;
}

static bool peek(const char *path, char ret[MAGIC_BYTES])
{
	struct stat st;
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool good = false;
	if (fd < 0 || fstat(fd, &st) < 0)
		good = false;
	else if (S_ISREG(st.st_mode))
		good = pread(fd, ret, MAGIC_BYTES, is_stdin ? lseek(fd, 0, SEEK_CUR) : 0) == MAGIC_BYTES;
	else if (is_stdin && S_ISFIFO(st.st_mode))
		good = peek_pipe(fd, ret);
	if (!is_stdin && fd >= 0)
		close(fd);
	return good;
}

/* What cannot be looked into (a directory, a device, nothing at all) is left to the reader of recordings. */
static bool is_foreign(const char *path)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP" };
	char head[MAGIC_BYTES];
	struct stat st;
	if (!peek(path, head)) /* of the shortest text, too */
		return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size && st.st_size < MAGIC_BYTES;
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (!memcmp(head, magics[i], MAGIC_BYTES))
			return false;
	return true;
}

/* ---- what another program wrote ---- */

static struct strobe_error *read_text(const struct filemap *m, const char *name, const struct flame_input_options *o,
				      struct flame_input *ret)
{
	ret->is_folded = exchange_probe(m->data, m->bytes) == exchange_find("folded");
	if (!ret->is_folded)
		return exchange_read(m->data, m->bytes, name, NULL, &ret->profile);
	struct folded_form form = {
		.two_values = !o->single && folded_has_two_values(m->data, m->bytes),
		.keep_order = o->in_time,
	};
	ret->two_values = form.two_values;
	return error_prefix(folded_read_as(m->data, m->bytes, form, &ret->profile), "cannot read %s", name);
}

static struct strobe_error *read_foreign(const char *path, const struct flame_input_options *o, struct flame_input *ret)
{
	struct filemap map;
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	if (o->cpus || o->comms || o->pids || o->tids || o->times || o->max_stack)
		return error_create(ERROR_USAGE, "%s is no recording: -C, --comms, --pid=LIST, --tid=LIST, --time and --max-stack "
						 "choose samples of recordings",
				    name);
	TRY(is_stdin ? filemap_open_fd(&map, STDIN_FILENO, name) : filemap_open(&map, path));
	struct strobe_error *err = read_text(&map, name, o, ret);
	filemap_close(&map);
	if (!err && o->in_time && !ret->is_folded && !ret->profile->log.len)
		err = error_create(ERROR_UNSUPPORTED, "%s does not say when its samples were taken", name);
	return err;
}

/* ---- recordings ---- */

static struct strobe_error *make_filter(struct flame_input *in, const struct flame_input_options *o, struct resolve_filter *ret)
{
	const struct env *env = source_env(in->source);
	struct list_numbers cpus, pids, tids;
	struct list_strings comms;
	struct list_spans spans;
	TRY(list_cpus_parse(&in->arena, o->cpus, &cpus));
	TRY(list_numbers_parse(&in->arena, "process", o->pids, &pids));
	TRY(list_numbers_parse(&in->arena, "thread", o->tids, &tids));
	TRY(list_strings_parse(&in->arena, o->comms, &comms));
	TRY(list_spans_parse(&in->arena, o->times, env->first_sample_ns, env->last_sample_ns, &spans));
	struct time_range *times = arena_new_array(&in->arena, struct time_range, spans.nr ? spans.nr : 1);
	for (uint32_t i = 0; i < spans.nr; i++)
		times[i] = (struct time_range){ spans.data[i].from_ns, spans.data[i].to_ns };
	*ret = (struct resolve_filter){
		.cpus = cpus.data, .cpus_nr = cpus.nr, .pids = pids.data, .pids_nr = pids.nr, .tids = tids.data,
		.tids_nr = tids.nr, .comms = comms.data, .comms_nr = comms.nr, .times = times, .times_nr = spans.nr,
	};
	return NULL;
}

static struct strobe_error *aggregate(struct cmd_context *ctx, struct flame_input *in, const struct flame_input_options *o)
{
	static const char *const keys[] = { "comm", "pid", "tid" };
	struct resolve_options options = {
		.label_keys = keys,
		.label_keys_nr = o->with_tid ? 3 : o->with_pid ? 2 : 1,
		.with_chains = true,
		.with_inlines = o->inlines,
		.keep_time_log = o->in_time,
		.max_stack = o->max_stack > UINT32_MAX ? UINT32_MAX : (uint32_t)o->max_stack,
	};
	struct symbols_options symbols = {
		.symfs = o->symfs,
		.vmlinux = o->vmlinux,
		.kallsyms = o->kallsyms,
		.use_modules = true,
		.no_demangle = !o->demangle,
		.demangle_kernel = o->demangle_kernel,
	};
	TRY(cmd_buildid_dir(ctx, &symbols.buildid_dir));
	TRY(make_filter(in, o, &options.filter));
	in->resolver = resolver_create(in->source, symbols, options);
	return resolve_aggregate(in->resolver, &in->profile);
}

struct strobe_error *flame_input_read(struct cmd_context *ctx, const char *path, const struct flame_input_options *o,
				      struct flame_input *ret)
{
	*ret = (struct flame_input){ .path = input_path(path) };
	arena_init(&ret->arena);
	if (is_foreign(ret->path))
		return read_foreign(ret->path, o, ret);
	TRY(input_open(path, o->force, &ret->source));
	return aggregate(ctx, ret, o);
}

void flame_input_close(struct flame_input *in)
{
	profile_destroy(in->profile);
	resolver_destroy(in->resolver);
	source_destroy(in->source);
	arena_deinit(&in->arena);
}

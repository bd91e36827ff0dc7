/* strobe inject: a recording copied, with something added or made over on the way. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/u64map.h"
#include "cmd/cmd.h"
#include "cmd/inject/jit.h"
#include "cmd/inject/sleeps.h"
#include "cmd/input.h"
#include "cmd/refused.h"
#include "object/object.h"
#include "perfdata/reader.h"
#include "perfdata/rewrite.h"
#include "record/order.h"
#include "resolve/convert.h"

#define MAX_STACK 4096 /* frames of a converted chain: it has to fit into a record, beside the rest of its sample */

struct inject_options {
	const char *input, *output;
	const char *known_ids;
	struct symbols_options symbol_files;
	bool force, build_ids, all_build_ids, convert, jit, sleeps;
	unsigned verbose;
};

struct inject {
	struct rewrite_filter filter; /* first: the filter is handed back */
	struct cmd_context *ctx;
	const struct inject_options *o;
	struct record_source *source;
	struct resolver *resolver;
	struct converter *converter; /* NULL where dumps stay as they are */
	struct jit_injection *jit;   /* NULL where jitdumps stay aside */
	struct sleeps *sleeps;       /* NULL where sched_stat samples stay as they are */
	struct record_source *ordered; /* the same recording in order of time, for sleeps; or NULL */
	struct env env;              /* of the new recording */
	VEC(bool) hit;               /* by mapped file */
	struct strbuf known_ids;     /* "HEX PATH" lines that the user gave */
	struct new_file file;        /* none: a pipe */
	struct writer *writer;
};

static void mark(struct inject *in, const struct machine_view *v, uint16_t cpumode, uint64_t ip)
{
	const struct map *map = machine_space_map(resolver_machine(in->resolver), v->space, cpumode, ip);
	if (!map)
		return;
	while (in->hit.len <= map->file->id)
		vec_push(&in->hit, false);
	in->hit.data[map->file->id] = true;
}

/* The files of the sample and of the callers in its recorded chain. */
static void mark_sample(struct inject *in, struct record r)
{
	const struct env *env = source_env(in->source);
	uint32_t event = env_event_of_sample(env, r);
	struct sample_hot s;
	if (event >= env->events.len || !sample_decode_hot(&env->events.data[event].layout, r, &s))
		return;
	struct machine_view v = machine_view(resolver_machine(in->resolver), s.pid, s.tid, s.time);
	mark(in, &v, s.misc & PERF_RECORD_MISC_CPUMODE_MASK, s.ip);
	for (uint64_t i = 0; i < s.callchain_nr; i++)
		if (s.callchain[i] < PERF_CONTEXT_MAX)
			mark(in, &v, CPUMODE_UNKNOWN, s.callchain[i]);
}

static struct strobe_error *filter_record(struct rewrite_filter *f, struct record r, struct record_sink *out, bool *ret_keep)
{
	struct inject *in = (struct inject *)f;
	if (r.hdr->type == PERF_RECORD_SAMPLE && in->o->build_ids && !in->o->all_build_ids)
		mark_sample(in, r);
	if (in->sleeps)
		TRY(sleeps_record(in->sleeps, r, out, ret_keep));
	if (in->jit && *ret_keep)
		TRY(jit_injection_record(in->jit, r, out, ret_keep));
	return in->converter && *ret_keep ? converter_record(in->converter, r, out, ret_keep) : NULL;
}

/* Words of the option, or a file of such lines: "@FILE". Entries are parted by commas or lines. */
static struct strobe_error *read_known_ids(struct inject *in)
{
	const char *given = in->o->known_ids;
	if (!given)
		return NULL;
	strbuf_addch(&in->known_ids, '\n');
	if (*given == '@')
		TRY(file_read(given + 1, &in->known_ids, 0));
	else
		strbuf_addstr(&in->known_ids, given);
	for (size_t i = 0; i < in->known_ids.len; i++)
		if (in->known_ids.data[i] == ',')
			in->known_ids.data[i] = '\n';
	strbuf_addch(&in->known_ids, '\n');
	return NULL;
}

/* What the user says of a path; 0 where that is nothing, or no build-id. */
static uint8_t known_id_of(struct inject *in, const char *path, uint8_t ret[OBJECT_BUILD_ID_MAX])
{
	_cleanup_free_ char *behind = xasprintf(" %s\n", path);
	const char *found = strstr(strbuf_str(&in->known_ids), behind), *start = found;
	while (start && start[-1] != '\n')
		start--;
	size_t digits = start ? (size_t)(found - start) : 0;
	bool is_id = !(digits % 2) && digits / 2 <= RECORD_BUILD_ID_MAX && text_hex_to_bytes(start, digits / 2, ret);
	return is_id ? (uint8_t)(digits / 2) : 0;
}

/* As it was mapped, or as its file has it by now. */
static uint8_t build_id_of(struct inject *in, const struct mapped_file *file, uint8_t ret[OBJECT_BUILD_ID_MAX])
{
	struct object *debug, *o;
	uint8_t known = known_id_of(in, file->path, ret);
	if (known)
		return known;
	if (file->build_id_len) {
		memcpy(ret, file->build_id, file->build_id_len);
		return file->build_id_len;
	}
	if (file->kind != MAPPED_FILE && file->kind != MAPPED_VDSO)
		return 0;
	o = dso_object(symbols_dso(resolver_symbols(in->resolver), file), &debug);
	size_t n = o ? object_build_id(o, ret) : 0;
	return n < RECORD_BUILD_ID_MAX ? (uint8_t)n : RECORD_BUILD_ID_MAX;
}

static bool is_listed(const struct env *env, const char *path)
{
	for (size_t i = 0; i < env->build_ids.len; i++)
		if (!strcmp(env->build_ids.data[i].filename, path))
			return true;
	return false;
}

static void add_build_ids(struct inject *in)
{
	struct machine *m = resolver_machine(in->resolver);
	const struct env *from = source_env(in->source);
	/* A list of our own: the source's stays as it is. */
	memset(&in->env.build_ids, 0, sizeof(in->env.build_ids));
	for (size_t i = 0; i < from->build_ids.len; i++)
		vec_push(&in->env.build_ids, from->build_ids.data[i]);
	for (size_t i = 0; i < machine_files_count(m); i++) {
		const struct mapped_file *file = machine_file_at(m, i);
		uint8_t id[OBJECT_BUILD_ID_MAX];
		bool wanted = in->o->all_build_ids || (file->id < in->hit.len && in->hit.data[file->id]);
		uint8_t n = wanted && !is_listed(&in->env, file->path) ? build_id_of(in, file, id) : 0;
		if (!n)
			continue;
		bool kernel = file->kind == MAPPED_KERNEL || file->kind == MAPPED_MODULE;
		struct env_build_id b = {
			.pid = -1,
			.cpumode = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
			.build_id_len = n,
			.filename = file->path,
		};
		memcpy(b.build_id, id, n);
		vec_push(&in->env.build_ids, b);
		if (in->o->verbose)
			cmd_say(in->ctx, "build-id added: %s", file->path);
	}
}

/* The input is mapped: writing over it would change what is read. */
static struct strobe_error *check_output(const struct inject_options *o)
{
	struct stat in, out;
	if (!strcmp(o->output, "-"))
		return isatty(STDOUT_FILENO) ? error_create(ERROR_USAGE, "a recording is binary data and standard output is "
									 "a terminal: name a file with -o") :
					       NULL;
	if (!stat(input_path(o->input), &in) && !stat(o->output, &out) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
		return error_create(ERROR_USAGE, "%s is the input, too: name another file with -o", o->output);
	return NULL;
}

static struct strobe_error *open_output(struct inject *in)
{
	const char *path = in->o->output;
	bool pipe = !strcmp(path, "-");
	if (!pipe)
		TRY(new_file_create(path, &in->file));
	int fd = fcntl(pipe ? STDOUT_FILENO : in->file.fd, F_DUPFD_CLOEXEC, 3); /* the writer's own */
	if (fd < 0)
		return error_errno(errno, "cannot create %s", pipe ? "standard output" : path);
	return writer_create(fd, pipe ? "standard output" : path, &in->env, (struct writer_options){ .pipe = pipe }, &in->writer);
}

static struct strobe_error *commit(struct inject *in)
{
	TRY(writer_finish(in->writer, &in->env));
	return in->file.fd >= 0 ? new_file_keep(&in->file, 0600) : NULL;
}

/* What a task waits for may be told on another CPU than where it went to sleep: what is joined has to be in order. */
static struct strobe_error *join_sleeps(struct inject *in)
{
	struct record_source *again;
	TRY(sleeps_create(source_env(in->source), &in->sleeps));
	TRY(input_open(in->o->input, in->o->force, &again));
	in->ordered = order_create(again);
	return NULL;
}

static struct strobe_error *inject(struct inject *in)
{
	struct symbols_options symbols = in->o->symbol_files;
	TRY(check_output(in->o));
	TRY(read_known_ids(in));
	TRY(cmd_symbols_options(in->ctx, source_env(in->source), in->o->force, &symbols));
	in->resolver = resolver_create(in->source, symbols,
				       (struct resolve_options){ .with_chains = true, .max_stack = MAX_STACK, .threads = 1 });
	/* Twice over the input: who mapped what has to be known before the first sample is looked at. */
	if (in->source->ops->rewind) {
		struct strobe_error *err = in->source->ops->rewind(in->source);
		if (err)
			return error_prefix(err, "%s has to be read twice: save it to a file first", input_path(in->o->input));
	}
	TRY(resolve_count(in->resolver));
	if (in->source->ops->rewind)
		TRY(in->source->ops->rewind(in->source));
	if (in->o->convert) {
		in->converter = converter_create(in->resolver);
		in->env = *converter_env(in->converter);
	} else {
		in->env = *source_env(in->source);
	}
	if (in->o->jit)
		TRY(jit_injection_create(in->resolver, &in->env, &in->jit));
	if (in->o->sleeps)
		TRY(join_sleeps(in));
	TRY(open_output(in));
	TRY(rewrite(in->ordered ? in->ordered : in->source, in->writer, &in->filter));
	if (in->jit)
		TRY(jit_injection_finish(in->jit, &in->writer->sink));
	if (in->o->build_ids)
		add_build_ids(in);
	return commit(in);
}

static void say_converted(struct inject *in)
{
	struct stat before, after;
	converter_finish(in->converter);
	uint64_t n = converter_samples(in->converter);
	if (!n)
		cmd_say(in->ctx, "%s has no samples with stack dumps: nothing was converted", input_path(in->o->input));
	else if (in->o->verbose && !stat(input_path(in->o->input), &before) && !stat(in->o->output, &after))
		cmd_say(in->ctx, "%" PRIu64 " stacks converted: %lld bytes before, %lld after", n, (long long)before.st_size,
			(long long)after.st_size);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct inject_options *o = options;
	struct inject in = { .filter.record = filter_record, .ctx = ctx, .o = o, .file = NEW_FILE_NONE };
	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "'%s' is one word too many: name a recording with -i",
							ctx->rest.argv[0]));
	o->build_ids |= o->all_build_ids;
	if (!o->build_ids && !o->convert && !o->jit && !o->sleeps)
		return cmd_fail_usage(ctx,
				      error_create(ERROR_USAGE,
						   "nothing to do: say -b, --buildid-all, -j, -s or --convert-callchain"));
	/* Samples of sched_switch would come out twice changed: as chains, and at another time. */
	if (o->sleeps && o->convert)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "-s and --convert-callchain want a step each: "
								     "convert first, then join"));
	struct strobe_error *err = input_open(o->input, o->force, &in.source);
	if (err)
		return cmd_fail(ctx, err);
	err = inject(&in);
	if (!err && in.converter)
		say_converted(&in);
	if (!err && in.jit && !jit_injection_functions(in.jit))
		cmd_say(ctx, "no jitdump of %s could be read, or none tells of code", input_path(o->input));
	if (!err && in.sleeps && o->verbose)
		cmd_say(ctx, "%" PRIu64 " sleeps joined with where they began", sleeps_joined(in.sleeps));
	if (in.resolver)
		input_remarks(ctx, in.source, resolver_stats(in.resolver));
	if (o->build_ids && in.env.build_ids.data != source_env(in.source)->build_ids.data)
		vec_deinit(&in.env.build_ids);
	writer_destroy(in.writer);
	new_file_deinit(&in.file);
	vec_deinit(&in.hit);
	strbuf_deinit(&in.known_ids);
	converter_destroy(in.converter);
	jit_injection_destroy(in.jit);
	sleeps_destroy(in.sleeps);
	source_destroy(in.ordered);
	resolver_destroy(in.resolver);
	source_destroy(in.source);
	return cmd_fail(ctx, err);
}

static void defaults(void *options)
{
	((struct inject_options *)options)->output = "-";
}

#define AT(field) offsetof(struct inject_options, field)
static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "the recording (perf.data)" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "where to write; - is standard output, in pipe form (-)" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "read a file of another owner" },
	{ OPTION_BOOL, 'b', "build-ids", AT(build_ids), .help = "add build-ids of the files that samples fell into" },
	{ OPTION_BOOL, 0, "buildid-all", AT(all_build_ids), .help = "add build-ids of all files that were mapped" },
	{ OPTION_STRING, 0, "known-build-ids", AT(known_ids), .arg = "buildid path,...",
	  .help = "build-ids that -b takes for these paths, \"BUILD-ID PATH\" each; @FILE holds a line for each" },
	{ OPTION_BOOL, 'j', "jit", AT(jit), .help = "write the code of jitdumps into files, and maps of them into the recording" },
	{ OPTION_BOOL, 's', "sched-stat", AT(sleeps),
	  .help = "make of samples that tell how long a task slept the sched_switch that began it, with its call chain" },
	{ OPTION_STRING, 'k', "vmlinux", AT(symbol_files.vmlinux), .arg = "file", .help = "the kernel's image" },
	{ OPTION_STRING, 0, "kallsyms", AT(symbol_files.kallsyms), .arg = "file", .help = "the kernel's symbols" },
	{ OPTION_BOOL, 0, "ignore-vmlinux", AT(symbol_files.ignore_vmlinux), .help = "do not look for the kernel's image" },
	{ OPTION_BOOL, 0, "convert-callchain", AT(convert),
	  .help = "unwind stack dumps and write call chains in their place" },
	NEEDLESS_OPTION("unwind-style"),
	REFUSED_OPTION("itrace", refused_trace_decoder),
	REFUSED_OPTION("strip", refused_trace_decoder),
	REFUSED_OPTION("vm-time-correlation", refused_trace_decoder),
	REFUSED_OPTION("guest-data", refused_guests),
	REFUSED_OPTION("guestmount", refused_guests),
	REFUSED_SHORT_OPTION('B', "mmap2-buildids", refused_mmap_rewrite),
	REFUSED_OPTION("mmap2-buildid-all", refused_mmap_rewrite),
	REFUSED_OPTION("aslr", refused_aslr),
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say what was added and how much smaller the file became" },
	OPTIONS_END,
};

const struct cmd cmd_inject = {
	.name = "inject",
	.summary = "Copy a recording with build-ids or call chains added",
	.usage = (const char *const[]){ "inject [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct inject_options),
	.defaults = defaults,
	.run = run,
	.permute = true,
};

/* strobe inject: a recording copied, with something added or made over on the way. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"
#include "cmd/cmd.h"
#include "cmd/unsupported.h"
#include "perfdata/reader.h"
#include "perfdata/rewrite.h"
#include "perfdata/spool.h"
#include "record/order.h"
#include "resolve/convert.h"
#include "rewrite/aslr.h"
#include "rewrite/build_ids.h"
#include "rewrite/jit.h"
#include "rewrite/mmap_ids.h"
#include "rewrite/sleeps.h"
#include "session/input.h"
#include "session/session.h"

#define MAX_STACK 4096 /* frames of a converted chain: it has to fit into a record, beside the rest of its sample */

struct inject_options {
	const char *input, *output;
	const char *known_ids;
	struct symbols_options symbol_files;
	bool force, build_ids, all_build_ids, mmap_ids, drop_unused, convert, jit, sleeps, aslr;
	unsigned verbose;
};

struct inject {
	struct rewrite_filter filter; /* first: the filter is handed back */
	struct cmd_context *ctx;
	const struct inject_options *o;
	struct session session;        /* its source is the reader, or the reader's records in order of time */
	struct spool *spool;           /* what a stream that has to be read twice is kept in; or NULL */
	struct build_ids *ids;
	struct mmap_ids *mmaps;      /* NULL where mappings stay as they are */
	struct aslr *aslr;           /* NULL where addresses do */
	struct converter *converter; /* NULL where dumps stay as they are */
	struct jit_injection *jit;   /* NULL where jitdumps stay aside */
	struct sleeps *sleeps;       /* NULL where sched_stat samples stay as they are */
	bool live;                   /* the machine learns from each record as it passes: it was not read before */
	struct env env;              /* of the new recording */
	struct new_file file;        /* none: a pipe */
	struct writer *writer;
};

static bool is_pipe(const struct inject *in)
{
	return in->file.fd < 0;
}

static void apply(struct inject *in, struct record r)
{
	uint64_t time;
	if (!env_record_time(source_env(in->session.reader), r, &time))
		time = r.file_offset;
	machine_apply(resolver_machine(in->session.resolver), r, time);
}

static struct strobe_error *filter_record(struct rewrite_filter *f, struct record r, struct record_sink *out, bool *ret_keep)
{
	struct inject *in = (struct inject *)f;
	struct record mapping = r;
	if (in->live)
		apply(in, r);
	if (in->o->build_ids) {
		build_ids_mark(in->ids, r);
		if (is_pipe(in))
			TRY(build_ids_stream(in->ids, in->writer));
	}
	if (in->sleeps)
		TRY(sleeps_record(in->sleeps, r, out, ret_keep));
	if (in->jit && *ret_keep)
		TRY(jit_injection_record(in->jit, r, out, ret_keep));
	if (in->converter && *ret_keep)
		TRY(converter_record(in->converter, r, out, ret_keep));
	if (in->mmaps && *ret_keep)
		*ret_keep = mmap_ids_record(in->mmaps, &mapping);
	if (in->aslr && *ret_keep)
		TRY(aslr_record(in->aslr, mapping, out, ret_keep));
	if (!*ret_keep || mapping.hdr == r.hdr)
		return NULL;
	*ret_keep = false;
	return sink_write(out, mapping.hdr, mapping.hdr->size);
}

/* The input is mapped: writing over it would change what is read. */
static struct strobe_error *check_output(const struct inject_options *o)
{
	struct stat in, out;
	if (!strcmp(o->output, "-"))
		return isatty(STDOUT_FILENO) ? error_create(ERROR_USAGE, "refusing to write binary data to a terminal: specify "
			"a file with -o") :
					       NULL;
	if (!stat(input_path(o->input), &in) && !stat(o->output, &out) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
		return error_create(ERROR_USAGE, "input and output are the same file: %s", o->output);
	return NULL;
}

static struct strobe_error *open_output(struct inject *in)
{
	const char *path = in->o->output;
	bool pipe = !strcmp(path, "-");
	if (!pipe)
		TRY(error_with_status(new_file_create(path, &in->file), OUTPUT_OPEN_STATUS));
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

/* Whether what is done to records needs more than what passed before them. */
static bool needs_two_passes(const struct inject_options *o)
{
	return o->convert || o->jit || o->sleeps || o->drop_unused;
}

/* A stream that has to be read twice is kept until it has ended. */
static struct strobe_error *open_input(struct inject *in)
{
	const char *path = input_path(in->o->input);
	in->live = !needs_two_passes(in->o);
	if (in->live || !spool_is_stream(path))
		return session_open(&in->session, cmd_host(in->ctx), in->o->input, in->o->force);
	TRY(spool_start(path, &in->spool));
	struct pollfd end = { .fd = spool_end_fd(in->spool), .events = POLLIN };
	while (!spool_ended(in->spool))
		(void)poll(&end, 1, -1);
	TRY(spool_error(in->spool));
	struct record_source *reader;
	TRY(reader_open(spool_path(in->spool), (struct reader_options){ .force = true, .name = spool_name(in->spool) }, &reader));
	session_open_source(&in->session, cmd_host(in->ctx), reader, in->o->force);
	return NULL;
}

static struct strobe_error *rewind_input(struct inject *in)
{
	struct record_source *reader = in->session.reader;
	return reader->ops->rewind ? reader->ops->rewind(reader) : NULL;
}

/* The first pass: who mapped what, and what of that was hit. */
static struct strobe_error *read_first(struct inject *in)
{
	TRY(resolve_count(in->session.resolver));
	TRY(rewind_input(in));
	if (!in->o->drop_unused)
		return NULL;
	TRY(mmap_ids_drop_unused(in->mmaps, in->session.reader));
	return rewind_input(in);
}

static void say_added(void *inject, const char *path)
{
	const struct inject *in = inject;
	cmd_say(in->ctx, "build-id added: %s", path);
}

/* What changes the environment comes before the output is opened. */
static struct strobe_error *create_filters(struct inject *in)
{
	const struct inject_options *o = in->o;
	const struct env *from = source_env(in->session.reader);
	in->ids = build_ids_create(in->session.resolver, from, o->all_build_ids);
	if (o->verbose)
		build_ids_report(in->ids, say_added, in);
	if (o->known_ids)
		TRY(build_ids_read_known(in->ids, o->known_ids));
	if (o->mmap_ids)
		in->mmaps = mmap_ids_create(in->session.resolver, from, in->ids);
	if (!in->live)
		TRY(read_first(in));
	in->env = *from;
	if (o->convert) {
		in->converter = converter_create(in->session.resolver);
		in->env = *converter_env(in->converter);
	}
	if (o->aslr) {
		in->aslr = aslr_create(in->session.resolver, from);
		in->env = *aslr_env(in->aslr);
	}
	if (o->jit)
		TRY(jit_injection_create(in->session.resolver, &in->env, &in->jit));
	if (o->sleeps)
		TRY(sleeps_create(from, &in->sleeps));
	/* What is joined, or looked up as it passes, has to be in order. A plain copy is not. */
	bool looks_up = o->build_ids || o->aslr;
	if (o->sleeps || o->aslr || (in->live && looks_up))
		in->session.source = order_create(in->session.reader);
	in->live &= looks_up || o->mmap_ids;
	return NULL;
}

static struct strobe_error *inject(struct inject *in)
{
	const struct session_request request = {
		.symbols = in->o->symbol_files,
		.resolve = { .with_chains = true, .max_stack = MAX_STACK, .threads = 1 },
	};
	TRY(check_output(in->o));
	TRY(session_resolve(&in->session, &request));
	TRY(create_filters(in));
	TRY(open_output(in));
	TRY(rewrite(in->session.source, in->session.reader, in->writer, &in->filter));
	if (in->jit)
		TRY(jit_injection_finish(in->jit, &in->writer->sink));
	/* A stream may have brought more of it. */
	if (in->aslr)
		in->env = *aslr_env(in->aslr);
	else if (!in->converter)
		in->env = *source_env(in->session.reader);
	if (in->o->build_ids && !is_pipe(in))
		build_ids_list(in->ids, &in->env);
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

static void say_results(struct inject *in)
{
	if (in->converter)
		say_converted(in);
	if (in->jit && !jit_injection_functions(in->jit))
		cmd_say(in->ctx, "%s has no readable jitdumps with code", input_path(in->o->input));
	if (in->sleeps && in->o->verbose)
		cmd_say(in->ctx, "%" PRIu64 " sleeps merged with their sched_switch samples", sleeps_joined(in->sleeps));
	if (in->aslr && aslr_dropped(in->aslr))
		cmd_say(in->ctx, "%" PRIu64 " samples were dropped: their raw data, stacks, physical addresses or AUX data may reveal "
				 "addresses", aslr_dropped(in->aslr));
}

static void inject_deinit(struct inject *in)
{
	writer_destroy(in->writer);
	new_file_deinit(&in->file);
	build_ids_destroy(in->ids);
	mmap_ids_destroy(in->mmaps);
	aslr_destroy(in->aslr);
	converter_destroy(in->converter);
	jit_injection_destroy(in->jit);
	sleeps_destroy(in->sleeps);
	session_close(&in->session);
	spool_destroy(in->spool);
}

/* NULL where the options go together. */
static struct strobe_error *check_options(const struct inject_options *o)
{
	/* Samples of sched_switch would come out twice changed: as chains, and at another time. */
	if (o->sleeps && o->convert)
		return error_create(ERROR_USAGE, "-s cannot be combined with --convert-callchain: use --convert-callchain "
			"first, then -s on its output");
	/* Converted chains are written as they were unwound, joined samples and maps of JIT code as they are made. */
	if (o->aslr && (o->convert || o->sleeps || o->jit))
		return error_create(ERROR_USAGE, "--aslr cannot be combined with --convert-callchain, -j or -s: apply it to their result");
	return NULL;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct inject_options *o = options;
	struct inject in = { .filter.record = filter_record, .ctx = ctx, .o = o, .file = NEW_FILE_NONE };
	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s': specify a recording with -i",
							ctx->rest.argv[0]));
	o->build_ids |= o->all_build_ids;
	o->mmap_ids |= o->drop_unused;
	struct strobe_error *err = check_options(o);
	if (err)
		return cmd_fail_usage(ctx, err);
	err = open_input(&in);
	if (!err)
		err = inject(&in);
	if (!err)
		say_results(&in);
	if (in.session.resolver)
		input_remarks(cmd_host(ctx), in.session.reader, needs_two_passes(o) ? resolver_stats(in.session.resolver) : NULL);
	inject_deinit(&in);
	return cmd_fail(ctx, err);
}

static void defaults(void *options)
{
	((struct inject_options *)options)->output = "-";
}

#define AT(field) offsetof(struct inject_options, field)
static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "input file (default: perf.data)" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "output file; - for standard output, in pipe format (default)" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "skip the ownership check" },
	{ OPTION_BOOL, 'b', "build-ids", AT(build_ids), .help = "add build IDs of the files with samples" },
	{ OPTION_BOOL, 0, "buildid-all", AT(all_build_ids), .help = "add build IDs of all mapped files" },
	{ OPTION_BOOL, 'B', "mmap2-buildids", AT(drop_unused),
	  .help = "add build IDs to MMAP2 records, and drop mappings without samples" },
	{ OPTION_BOOL, 0, "mmap2-buildid-all", AT(mmap_ids), .help = "add build IDs to the MMAP2 records of all mappings" },
	{ OPTION_BOOL, 0, "aslr", AT(aslr),
	  .help = "replace addresses, so that they do not reveal address space layouts" },
	{ OPTION_STRING, 0, "known-build-ids", AT(known_ids), .arg = "buildid path,...",
	  .help = "build IDs of these paths, as \"BUILD-ID PATH\"; @FILE or file://FILE: one per line" },
	{ OPTION_BOOL, 'j', "jit", AT(jit), .help = "write the code of jitdumps to ELF files, and add mmap records for them" },
	{ OPTION_BOOL, 's', "sched-stat", AT(sleeps),
	  .help = "merge sched_stat samples with the sched_switch samples where the sleeps began" },
	{ OPTION_STRING, 'k', "vmlinux", AT(symbol_files.vmlinux), .arg = "file", .help = "kernel image" },
	{ OPTION_STRING, 0, "kallsyms", AT(symbol_files.kallsyms), .arg = "file", .help = "kernel symbols" },
	{ OPTION_BOOL, 0, "ignore-vmlinux", AT(symbol_files.ignore_vmlinux), .help = "do not search for a kernel image" },
	{ OPTION_BOOL, 0, "convert-callchain", AT(convert),
	  .help = "unwind stack dumps and replace them by call chains" },
	NEEDLESS_OPTION("unwind-style"),
	UNSUPPORTED_OPTION("itrace", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("strip", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("vm-time-correlation", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("guest-data", unsupported_guests),
	UNSUPPORTED_OPTION("guestmount", unsupported_guests),
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "report what was added, and the change in size" },
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

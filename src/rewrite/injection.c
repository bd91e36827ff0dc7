#include "rewrite/injection.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"
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

#define MAX_STACK 4096 /* frames of a converted chain: it must fit into a record, besides the rest of its sample */

struct injection {
	struct rewrite_filter filter; /* first: cast back in filter_record() */
	const struct session_host *host;
	const struct injection_options *o;
	struct session session;        /* its source is the reader, or the reader's records in order of time */
	struct spool *spool;           /* stores a stream that must be read twice; or NULL */
	struct build_ids *ids;
	struct mmap_ids *mmaps;      /* NULL: mappings are unchanged */
	struct aslr *aslr;           /* NULL: addresses are unchanged */
	struct converter *converter; /* NULL: dumps are unchanged */
	struct jit_injection *jit;   /* NULL: jitdumps are ignored */
	struct sleeps *sleeps;       /* NULL: sched_stat samples are unchanged */
	bool live;                   /* the machine learns from each record during the copy: it was not read before */
	struct env env;              /* of the new recording */
	struct new_file file;        /* NONE: a pipe */
	struct writer *writer;
};

static bool is_pipe(const struct injection *in)
{
	return in->file.fd < 0;
}

static void apply(struct injection *in, struct record r)
{
	uint64_t time;
	if (!env_record_time(source_env(in->session.reader), r, &time))
		time = r.file_offset;
	machine_apply(resolver_machine(in->session.resolver), r, time);
}

static struct strobe_error *filter_record(struct rewrite_filter *f, struct record r, struct record_sink *out, bool *ret_keep)
{
	struct injection *in = (struct injection *)f;
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

/* The input is mapped: overwriting it would change the data being read. */
static struct strobe_error *check_output(const struct injection_options *o)
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

static struct strobe_error *open_output(struct injection *in)
{
	const char *path = in->o->output;
	bool pipe = !strcmp(path, "-");
	if (!pipe)
		TRY(error_with_status(new_file_create(path, &in->file), OUTPUT_OPEN_STATUS));
	int fd = fcntl(pipe ? STDOUT_FILENO : in->file.fd, F_DUPFD_CLOEXEC, 3); /* owned by the writer */
	if (fd < 0)
		return error_errno(errno, "cannot create %s", pipe ? "standard output" : path);
	return writer_create(fd, pipe ? "standard output" : path, &in->env, (struct writer_options){ .pipe = pipe }, &in->writer);
}

static struct strobe_error *commit(struct injection *in)
{
	TRY(writer_finish(in->writer, &in->env));
	return is_pipe(in) ? NULL : new_file_keep(&in->file, 0600);
}

/* Whether the changes to a record require more than the preceding records. */
static bool needs_two_passes(const struct injection_options *o)
{
	return o->convert || o->jit || o->sleeps || o->drop_unused;
}

/* A stream that must be read twice is stored until its end. */
static struct strobe_error *open_input(struct injection *in)
{
	const char *path = input_path(in->o->input);
	in->live = !needs_two_passes(in->o);
	struct record_source *reader;
	if (in->live || !spool_is_stream(path)) {
		TRY(input_open(in->o->input, in->o->force, &reader));
		session_open_source(&in->session, in->host, reader, in->o->force); /* records are unchanged */
		return NULL;
	}
	TRY(spool_start(path, &in->spool));
	struct pollfd end = { .fd = spool_end_fd(in->spool), .events = POLLIN };
	while (!spool_ended(in->spool))
		(void)poll(&end, 1, -1);
	TRY(spool_error(in->spool));
	TRY(reader_open(spool_path(in->spool), (struct reader_options){ .force = true, .name = spool_name(in->spool) }, &reader));
	session_open_source(&in->session, in->host, reader, in->o->force);
	return NULL;
}

static struct strobe_error *rewind_input(struct injection *in)
{
	struct record_source *reader = in->session.reader;
	return reader->ops->rewind ? reader->ops->rewind(reader) : NULL;
}

/* The first pass: finds mappings, and which of them have samples. */
static struct strobe_error *read_first(struct injection *in)
{
	TRY(resolve_count(in->session.resolver));
	TRY(rewind_input(in));
	if (!in->o->drop_unused)
		return NULL;
	TRY(mmap_ids_drop_unused(in->mmaps, in->session.reader));
	return rewind_input(in);
}

static void say_added(void *ctx, const char *path)
{
	const struct injection *in = ctx;
	session_say(in->host, "build-id added: %s", path);
}

/* Changes to the environment precede opening the output. */
static struct strobe_error *create_filters(struct injection *in)
{
	const struct injection_options *o = in->o;
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
	/* Records that are merged, or looked up during the copy, must be in order of time. A plain copy keeps its order. */
	bool looks_up = o->build_ids || o->aslr;
	if (o->sleeps || o->aslr || (in->live && looks_up))
		in->session.source = order_create(in->session.reader);
	in->live &= looks_up || o->mmap_ids;
	return NULL;
}

static struct strobe_error *copy(struct injection *in)
{
	struct session_request request = {
		.symbols = in->o->symbol_files,
		.resolve = { .with_chains = true, .max_stack = MAX_STACK, .threads = 1 },
	};
	request.symbols.no_symbols = true; /* of files, IDs and unwind tables are read */
	TRY(check_output(in->o));
	TRY(session_resolve(&in->session, &request));
	TRY(create_filters(in));
	TRY(open_output(in));
	TRY(rewrite(in->session.source, in->session.reader, in->writer, &in->filter));
	if (in->jit)
		TRY(jit_injection_finish(in->jit, &in->writer->sink));
	/* A stream may have added to it. */
	if (in->aslr)
		in->env = *aslr_env(in->aslr);
	else if (!in->converter)
		in->env = *source_env(in->session.reader);
	if (in->o->build_ids && !is_pipe(in))
		build_ids_list(in->ids, &in->env);
	return commit(in);
}

static void say_converted(struct injection *in)
{
	struct stat before, after;
	converter_finish(in->converter);
	uint64_t n = converter_samples(in->converter);
	if (!n)
		session_say(in->host, "%s has no samples with stack dumps: nothing was converted", input_path(in->o->input));
	else if (in->o->verbose && !stat(input_path(in->o->input), &before) && !stat(in->o->output, &after))
		session_say(in->host, "%" PRIu64 " stacks converted: %lld bytes before, %lld after", n, (long long)before.st_size,
			(long long)after.st_size);
}

static void say_results(struct injection *in)
{
	if (in->converter)
		say_converted(in);
	if (in->jit && !jit_injection_functions(in->jit))
		session_say(in->host, "%s has no readable jitdumps with code", input_path(in->o->input));
	if (in->sleeps && in->o->verbose)
		session_say(in->host, "%" PRIu64 " sleeps merged with their sched_switch samples", sleeps_joined(in->sleeps));
	if (in->aslr && aslr_dropped(in->aslr))
		session_say(in->host, "%" PRIu64 " samples were dropped: their raw data, stacks, physical addresses or AUX data may reveal "
				 "addresses", aslr_dropped(in->aslr));
}

static void injection_deinit(struct injection *in)
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

struct strobe_error *injection_check(const struct injection_options *o)
{
	/* Samples of sched_switch would be written twice: as chains, and at another time. */
	if (o->sleeps && o->convert)
		return error_create(ERROR_USAGE, "-s cannot be combined with --convert-callchain: use --convert-callchain "
			"first, then -s on its output");
	/* Converted chains, merged samples and maps of JIT code are written with their original addresses. */
	if (o->aslr && (o->convert || o->sleeps || o->jit))
		return error_create(ERROR_USAGE, "--aslr cannot be combined with --convert-callchain, -j or -s: apply it to their result");
	return NULL;
}

struct strobe_error *injection_run(const struct session_host *host, const struct injection_options *options)
{
	struct injection_options o = *options;
	struct injection in = { .filter.record = filter_record, .host = host, .o = &o, .file = NEW_FILE_NONE };
	o.build_ids |= o.all_build_ids;
	o.mmap_ids |= o.drop_unused;
	struct strobe_error *err = open_input(&in);
	if (!err)
		err = copy(&in);
	if (!err)
		say_results(&in);
	if (in.session.resolver)
		input_remarks(host, in.session.reader, needs_two_passes(&o) ? resolver_stats(in.session.resolver) : NULL);
	injection_deinit(&in);
	return err;
}

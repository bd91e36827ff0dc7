#include "session/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "perfdata/reader.h"
#include "symbol/debug_package.h"
#include "symbol/source.h"

const char *input_path(const char *given)
{
	struct stat st;
	if (given && *given)
		return given;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

#define MAGIC_BYTES 8

/* Waits until a pipe has MAGIC_BYTES, or its end; returns the number of bytes. */
static size_t wait_for_bytes(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int bytes = 0;
	for (;; usleep(1000)) {
		bool is_ended = poll(&wait, 1, -1) > 0 && wait.revents & (POLLHUP | POLLERR);
		if (ioctl(fd, FIONREAD, &bytes) || bytes >= MAGIC_BYTES || is_ended)
			return bytes > 0 ? (size_t)bytes : 0;
	}
}

/* The first bytes of a pipe, which stay in it: tee(2) copies them into another. */
static size_t peek_pipe(int fd, char ret[MAGIC_BYTES])
{
	int copy[2];
	ssize_t n;
	if (!wait_for_bytes(fd) || pipe2(copy, O_CLOEXEC) < 0)
		return 0;
	do
		n = tee(fd, copy[1], MAGIC_BYTES, 0);
	while (n < 0 && errno == EINTR);
	n = n > 0 ? read(copy[0], ret, (size_t)n) : 0;
	close(copy[0]);
	close(copy[1]);
	return n > 0 ? (size_t)n : 0;
}

/* Reads the first bytes of a file or of standard input; returns their number; 0: impossible. */
static size_t peek(const char *path, char ret[MAGIC_BYTES])
{
	struct stat st = {};
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = 0;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		n = pread(fd, ret, MAGIC_BYTES, is_stdin ? lseek(fd, 0, SEEK_CUR) : 0);
	else if (is_stdin && S_ISFIFO(st.st_mode))
		n = (ssize_t)peek_pipe(fd, ret);
	if (!is_stdin && fd >= 0)
		close(fd);
	return n > 0 ? (size_t)n : 0;
}

bool input_is_foreign(const char *path)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP" };
	char head[MAGIC_BYTES];
	size_t n = peek(path, head);
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (!memcmp(head, magics[i], n))
			return false;
	return true;
}

bool input_is_recording(const char *path)
{
	char head[MAGIC_BYTES];
	return peek(path, head) == MAGIC_BYTES && (!memcmp(head, "PERFILE2", MAGIC_BYTES) || !memcmp(head, "2ELIFREP", MAGIC_BYTES));
}

struct strobe_error *input_open(const char *given, bool force, struct record_source **ret)
{
	const char *path = input_path(given);
	struct strobe_error *err = reader_open(path, (struct reader_options){ .force = force }, ret);
	err = error_with_status(err, INPUT_OPEN_STATUS);
	if (err && err->code == ERROR_NOT_FOUND && !given)
		return error_prefix(err, "no recording found; create one with 'record', or specify one with -i");
	return err;
}

#define DUMP_MAX 65528 /* a record has 64 KB */

/* Rounds to a number that is easy to type. */
static uint64_t round_dump(uint64_t bytes)
{
	uint64_t up = (bytes + 1023) & ~(uint64_t)1023;
	return up < DUMP_MAX ? up : DUMP_MAX;
}

/* Every thread briefly begins in code that cannot be unwound: reported if at least one in this many dumps is affected. */
#define SHARE_SAID 100

/* more: another possible reason. */
static void say_unled(const struct session_host *host, uint64_t n, uint64_t of, const char *more)
{
	if (n)
		session_say(host,
			"%" PRIu64 " of %" PRIu64 " stacks are truncated: they pass through code without call frame "
			"information or frame pointers%s", n, of, more);
}

static void say_dumps(const struct session_host *host, const struct resolve_dump_stats *d)
{
	if (d->continued)
		session_say(host, "%" PRIu64 " of %" PRIu64 " stack dumps are too short for their stacks; the rest was unwound "
			"by frame pointers",
			d->continued, d->stacks);
	if (d->switched)
		session_say(host,
			"%" PRIu64 " of %" PRIu64 " stacks are truncated: a signal handler ran on an alternate stack, and a dump holds one "
			"stack only (record --call-graph eh follows both)", d->switched, d->stacks);
	say_unled(host, d->broken * SHARE_SAID > d->stacks ? d->broken : 0, d->stacks, "");
	if (!d->cut)
		return;
	if (d->needed_bytes > DUMP_MAX || (!d->needed_is_known && d->dump_bytes >= round_dump(DUMP_MAX)))
		session_say(host,
			"%" PRIu64 " of %" PRIu64 " stacks are truncated: they are deeper than their dumps of %" PRIu64
			" bytes, and than the maximum of %d bytes per sample",
			d->cut, d->stacks, d->dump_bytes, DUMP_MAX);
	else
		session_say(host,
			"%" PRIu64 " of %" PRIu64 " stacks are truncated: they are deeper than their dumps of %" PRIu64 " bytes; %s%" PRIu64
			" bytes would have been enough (record --call-graph dwarf,%" PRIu64 ")",
			d->cut, d->stacks, d->dump_bytes, d->needed_is_known ? "" : "at least ", d->needed_bytes,
			round_dump(d->needed_is_known ? d->needed_bytes : 2 * d->needed_bytes));
}

void input_say_lost(const struct session_host *host, uint64_t records, uint64_t samples)
{
	_cleanup_free_ char *of_them = records > samples && samples ? xasprintf(", %" PRIu64 " of them samples", samples) : xstrdup("");
	if (!records && !samples)
		return;
	session_say(host, "%" PRIu64 " %s were lost while recording%s: the result is incomplete. Record fewer events or at a lower rate, "
			  "or with larger buffers (-m)",
		    records > samples ? records : samples, records > samples ? "records" : "samples", of_them);
}

/* perf's wording, for scripts that search for it. */
static void say_short(const struct session_host *host, const struct resolve_stats *s)
{
	uint32_t type = s->first_short.type;
	if (!s->short_records)
		return;
	session_say(host, "at offset 0x%" PRIx64 ": %s (%u) event size %u too small (min %u): skipped",
		s->first_short.file_offset, record_type_name(type), type, s->first_short.bytes, record_least_bytes(type));
	if (s->short_records > 1)
		session_say(host, "%" PRIu64 " more records are too small for their type: skipped", s->short_records - 1);
}

void input_say_untimely(const struct session_host *host, uint64_t late, uint64_t misdated)
{
	if (late)
		session_say(host, "%" PRIu64 " record%s too late to be put in order of time: what was between them and those before is not "
				  "certain", late, late > 1 ? "s came" : " came");
	if (misdated)
		session_say(host, "%" PRIu64 " record%s skipped: the time is damaged, far after that of all records that follow", misdated,
			    misdated > 1 ? "s were" : " was");
}

void input_remarks(const struct session_host *host, struct record_source *source, const struct resolve_stats *stats)
{
	struct reader_damage damage = reader_damage(source);
	if (reader_was_unfinished(source))
		session_say(host, "this recording is incomplete: it was read up to its last complete record");
	if (damage.bad_records)
		session_say(host, "%" PRIu64 " damaged records (%" PRIu64 " bytes) were skipped", damage.bad_records,
			damage.skipped_bytes);
	if (!stats)
		return;
	if (stats->deep_chains)
		session_say(host, "%" PRIu64 " of %" PRIu64 " stacks are truncated: they exceed the maximum number of "
			"frames", stats->deep_chains,
			stats->records[PERF_RECORD_SAMPLE]);
	if (stats->cut_chains > stats->deep_chains)
		say_unled(host, stats->cut_chains - stats->deep_chains, stats->records[PERF_RECORD_SAMPLE],
			  ", or switch to another stack that was not recorded");
	input_say_lost(host, stats->lost_records, stats->lost_samples);
	say_short(host, stats);
	input_say_untimely(host, stats->late_records, stats->misdated_records);
	if (stats->bad_samples)
		session_say(host, "%" PRIu64 " samples are shorter than their event's format and were skipped", stats->bad_samples);
	if (stats->unknown_id_samples)
		session_say(host, "%" PRIu64 " samples do not belong to any event of this recording and were skipped",
			stats->unknown_id_samples);
	say_dumps(host, &stats->dumps);
}

struct remarks {
	const struct session_host *host;
	bool verbose;
};

static void remark(void *ctx, struct dso *d)
{
	const struct remarks *r = ctx;
	struct dso_facts f = dso_facts(d);
	const struct dso_try *tries;
	if (!f.loaded)
		return;
	if (!r->verbose) {
		if (f.replaced)
			session_say(r->host, "%s", f.problem);
		return;
	}
	const char *lines = dso_source_origin(d);
	session_say(r->host, "%s: symbols from %s%s%s", f.long_name, f.source ? f.source : "nowhere", lines ? ", lines from " : "",
		lines ? lines : "");
	size_t n = dso_tries(d, &tries);
	for (size_t i = 0; i < n; i++)
		session_say(r->host, "  %s: %s", tries[i].path, tries[i].outcome);
	if (f.problem)
		session_say(r->host, "  %s", f.problem);
}

/* Fewer do not matter in files other than the recorded program: a shell that started it. */
#define FUNCTIONS_WORTH_NAMES 8

struct stripped {
	const struct env *env; /* or NULL */
	struct dso *most; /* with the most functions without a name; the recorded program, if it is one of them */
	bool is_program;
	uint32_t functions, others;
};

/* Whether the file is a word of the recording's command line. */
static bool was_started(const struct env *env, const char *path)
{
	for (uint32_t i = 0; env && i < env->cmdline_nr; i++)
		if (!strcmp(text_base_name(env->cmdline[i]), text_base_name(path)))
			return true;
	return false;
}

static void count_stripped(void *ctx, struct dso *d)
{
	struct stripped *s = ctx;
	uint32_t n = dso_functions_named(d);
	if (!n || dso_facts(d).has_symtab)
		return;
	s->others += s->most != NULL;
	bool is_program = was_started(s->env, dso_facts(d).long_name);
	if (is_program == s->is_program ? n <= s->functions : s->is_program)
		return;
	s->functions = n;
	s->is_program = is_program;
	s->most = d;
}

/* Names made of addresses are better than none; says once how to get the real ones. A program with one hot function: on terminals only. */
static void say_stripped(const struct session_host *host, struct symbols *symbols, const struct env *env)
{
	struct stripped s = { .env = host->is_attended ? env : NULL };
	symbols_each_dso(symbols, count_stripped, &s);
	if (!s.most || (s.functions < FUNCTIONS_WORTH_NAMES && !s.is_program))
		return;
	const char *path = dso_facts(s.most).long_name, *name = strrchr(path, '/');
	_cleanup_free_ char *package = host->is_attended ? debug_package_of(path, NULL) : NULL;
	_cleanup_free_ char *others = s.others ? xasprintf(" (nor %s %u other file%s)", s.others == 1 ? "has" : "have", s.others,
							    s.others == 1 ? "" : "s") : xstrdup("");
	session_say(host, "%s has no symbols%s: install %s%s", name ? name + 1 : path, others,
		    package ? package : "its debug symbols", session_servers(host) ? "" : " or set DEBUGINFOD_URLS");
}

void symbols_remarks(const struct session_host *host, struct symbols *symbols, const struct env *env, bool verbose)
{
	symbols_each_dso(symbols, remark, &(struct remarks){ host, verbose });
	say_stripped(host, symbols, env);
}

/* report: samples one by one for its screen, as `script` prints them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/vector.h"
#include "cmd/report/opened.h"
#include "session/input.h"

/* More than anybody reads; what is beyond is told to be there. */
#define TEXT_MAX  (4u << 20)
#define AROUND_NS 10000000ull

/* How script prints them, and in how many lines each; 0: up to an empty one. */
static const struct {
	const char *options[4];
	unsigned lines;
} details[DETAILS_NR] = {
	[DETAIL_LINES] = { { "-G" }, 1 },
	[DETAIL_STACKS] = { { NULL }, 0 },
	[DETAIL_CODE] = { { "-G", "-F", "+disasm" }, 1 },
	[DETAIL_SOURCE] = { { "-G", "-F", "+srcline" }, 2 },
	[DETAIL_CONTEXT] = { { "-G" }, 1 },
};

struct words {
	VEC(char *) all;
	VEC(int) files; /* that have the names with commas in them */
};

static void add_word(struct words *w, const char *word)
{
	vec_push(&w->all, xstrdup(word));
}

static void add_option(struct words *w, const char *option, const char *value)
{
	if (!value)
		return;
	add_word(w, option);
	add_word(w, value);
}

static void add_number(struct words *w, const char *option, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRIu64, value);
	add_option(w, option, text);
}

/* Lists are divided by commas, and names of C++ have some: such a name goes by way of a file. */
static void add_name(struct words *w, const char *option, const char *name)
{
	char path[64];
	if (!name || !strchr(name, ',')) {
		add_option(w, option, name);
		return;
	}
	int fd = memfd_create("names", 0); /* the child reads it */
	if (fd < 0 || write(fd, name, strlen(name)) < 0 || write(fd, "\n", 1) < 0) {
		add_option(w, option, name);
		if (fd >= 0)
			close(fd);
		return;
	}
	snprintf(path, sizeof(path), "file:///proc/self/fd/%d", fd);
	add_option(w, option, path);
	vec_push(&w->files, fd);
}

static void add_span(struct words *w, struct browse_span span)
{
	char *text = xasprintf("%" PRIu64 ".%09" PRIu64 ",%" PRIu64 ".%09" PRIu64, span.from_ns / 1000000000, span.from_ns % 1000000000,
			       span.to_ns / 1000000000, span.to_ns % 1000000000);
	add_option(w, "--time", text);
	free(text);
}

/* What --ns prints: "[003] 12345.123456789:", the CPU where it was recorded. False: there is no time. */
static bool parse_line(const char *line, uint64_t *ret_ns, uint64_t *ret_cpu, bool *ret_has_cpu)
{
	char *end;
	*ret_has_cpu = false;
	/* Names come first, and may look like anything but a word of such a shape. */
	for (const char *word = line + strspn(line, " "); *word; word += strcspn(word, " "), word += strspn(word, " ")) {
		uint64_t n = strtoull(word + (*word == '['), &end, 10);
		if (*word == '[' && end[0] == ']' && end[1] == ' ') {
			*ret_has_cpu = true;
			*ret_cpu = n;
		}
		if (end == word || *end != '.' || strspn(end + 1, "0123456789") != 9 || end[10] != ':')
			continue;
		*ret_ns = n * 1000000000 + strtoull(end + 1, NULL, 10);
		return true;
	}
	return false;
}

static struct strobe_error *add_around(struct words *w, const char *line)
{
	uint64_t cpu, ns;
	bool has_cpu;
	if (!parse_line(line, &ns, &cpu, &has_cpu))
		return error_create(ERROR_UNSUPPORTED, "this sample does not say when it was taken (record -T)");
	add_span(w, (struct browse_span){ ns > AROUND_NS ? ns - AROUND_NS : 0, ns + AROUND_NS });
	if (has_cpu)
		add_number(w, "-C", cpu);
	return NULL;
}

/* What the report leaves out, and where its symbols come from, is the same for its samples. */
static struct strobe_error *make_words(struct words *w, const struct report_options *o, const struct browse_choice *which,
				       enum browse_detail detail)
{
	add_word(w, "strobe");
	add_word(w, "--no-pager");
	add_word(w, "script");
	add_word(w, "--ns");
	add_option(w, "-i", input_path(o->selection.input));
	add_option(w, "--symfs", o->selection.symbol_files.symfs);
	add_option(w, "-k", o->selection.symbol_files.vmlinux);
	add_option(w, "--kallsyms", o->selection.symbol_files.kallsyms);
	if (o->selection.force)
		add_word(w, "-f");
	for (const char *const *option = details[detail].options; *option; option++)
		add_word(w, *option);
	if (detail == DETAIL_CONTEXT)
		return add_around(w, which->around);
	if (o->filter.parallelism)
		return error_create(ERROR_UNSUPPORTED, "--parallelism: 'script' cannot choose samples by it");
	add_option(w, "--pid", o->filter.pids);
	add_name(w, "-S", which->symbol ? which->symbol : o->filter.symbols);
	add_name(w, "--dsos", which->dso ? which->dso : o->filter.dsos);
	if (which->by_tid)
		add_number(w, "--tid", which->tid);
	else
		add_option(w, "--tid", o->filter.tids);
	add_name(w, "-c", which->comm ? which->comm : o->filter.comms);
	if (which->by_cpu)
		add_number(w, "-C", which->cpu);
	else
		add_option(w, "-C", o->selection.cpus);
	if (which->span.to_ns)
		add_span(w, which->span);
	else
		add_option(w, "--time", o->selection.times);
	return NULL;
}

/* Its output, and what it says where it fails, come out of the same file. */
static pid_t start(const struct words *w, int *ret_fd)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = fork();
	if (!pid) {
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		int nothing = open("/dev/null", O_RDONLY);
		dup2(nothing, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execv("/proc/self/exe", w->all.data);
		_exit(127);
	}
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		*ret_fd = ends[0];
	return pid;
}

static const char *sample_end(const char *text, const char *end, unsigned lines)
{
	for (unsigned seen = 1; text < end; seen++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			break;
		if (lines ? seen == lines : newline == text)
			return newline + 1;
		text = newline + 1;
	}
	return end;
}

/* Leaves n samples of the text, as far from each other as they can be. */
static void thin_out(struct strbuf *text, uint64_t n, unsigned lines)
{
	const char *end = text->data + text->len, *next;
	uint64_t all = 0, i = 0;
	size_t kept = 0;
	for (const char *at = text->data; at < end; at = sample_end(at, end, lines))
		all++;
	if (all <= n)
		return;
	for (const char *at = text->data; at < end; at = next, i++) {
		next = sample_end(at, end, lines);
		/* The first one of each n-th part of them. */
		if (i && i * n / all == (i - 1) * n / all)
			continue;
		memmove(text->data + kept, at, (size_t)(next - at));
		kept += (size_t)(next - at);
	}
	text->len = kept;
	text->data[kept] = '\0';
}

static bool read_all(int fd, bool (*go_on)(void *ctx, int fd), void *ctx, struct strbuf *ret)
{
	char bytes[16384];
	(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	for (;;) {
		ssize_t n = read(fd, bytes, sizeof(bytes));
		if (n > 0)
			strbuf_add(ret, bytes, (size_t)n);
		if (!n || ret->len > TEXT_MAX || (n < 0 && errno != EAGAIN && errno != EINTR))
			return true;
		if (!go_on(ctx, fd))
			return false;
	}
}

static void words_deinit(struct words *w)
{
	for (size_t i = 0; i < w->all.len; i++)
		free(w->all.data[i]);
	for (size_t i = 0; i < w->files.len; i++)
		close(w->files.data[i]);
	vec_deinit(&w->all);
	vec_deinit(&w->files);
}

static struct strobe_error *run(const struct words *w, bool (*go_on)(void *ctx, int fd), void *ctx, struct strbuf *ret)
{
	int fd, status = 0;
	pid_t pid = start(w, &fd);
	if (pid < 0)
		return error_errno(errno, "cannot start 'script'");
	bool all = read_all(fd, go_on, ctx, ret), cut = ret->len > TEXT_MAX;
	close(fd);
	if (!all || cut)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!all)
		return error_create(ERROR_STOPPED, "stopped");
	if (cut)
		strbuf_addstr(ret, "\n… and more: 'script' prints all of it\n");
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		return error_create(ERROR_UNSUPPORTED, "%.*s", (int)strcspn(strbuf_str(ret), "\n"), strbuf_str(ret));
	return NULL;
}

struct strobe_error *report_print_samples(const struct report_options *o, const struct browse_choice *which, enum browse_detail detail,
					  bool (*go_on)(void *ctx, int fd), void *ctx, struct strbuf *ret)
{
	struct words w = {};
	struct strobe_error *err = make_words(&w, o, which, detail);
	vec_push(&w.all, NULL);
	if (!err)
		err = run(&w, go_on, ctx, ret);
	if (!err && o->listed_samples && detail != DETAIL_CONTEXT)
		thin_out(ret, o->listed_samples, details[detail].lines);
	words_deinit(&w);
	return err;
}

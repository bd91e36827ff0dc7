#include "profiler/pages.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alloc/descriptor.h"
#include "profiler/names.h"
#include "profiler/page_profile.h"
#include "profiler/samples.h"
#include "profiler/threads.h"

#define SECONDS_DEFAULT 30
#define SECONDS_MOST	86400
#define FOLDER_OF_GO	"/debug/pprof/"
#define ADDRESSES_MOST	((size_t)1 << 18)

struct page {
	const char *name, *what;
	void (*write)(const struct page_request *q, struct reply *ret);
};

void pages_refuse(struct reply *ret, int status, const char *why)
{
	ret->status = status;
	ret->type = "text/plain; charset=utf-8";
	(void)!ftruncate(ret->fd, 0);
	lseek(ret->fd, 0, SEEK_SET);
	dprintf(ret->fd, "%s\n", why);
}

/* ---- profile ---- */

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the time is over or the peer has closed the connection. */
static void wait_for(int connection, int64_t seconds)
{
	int64_t end = now_ms() + seconds * 1000, left;
	while ((left = end - now_ms()) > 0) {
		struct pollfd other = { .fd = connection, .events = POLLRDHUP };
		if (poll(&other, 1, left < 1000 ? (int)left : 1000) > 0)
			return;
	}
}

static void write_profile(const struct page_request *q, struct reply *ret)
{
	int64_t seconds = request_number(q->head, "seconds", SECONDS_DEFAULT);
	if (seconds < 1 || seconds > SECONDS_MOST) {
		pages_refuse(ret, 400, "invalid seconds: expected 1 to 86400");
		return;
	}
	const char *why = "out of file descriptors";
	int fd = descriptor_copy(ret->fd, 0);
	unsigned number = fd >= 0 ? page_profile_begin(fd, &why) : 0;
	if (!number) {
		pages_refuse(ret, 500, why);
		return;
	}
	wait_for(q->connection, seconds);
	page_profile_end(number);
	ret->type = "application/octet-stream";
}

/* ---- heap ---- */

static void write_heap(const struct page_request *q, struct reply *ret)
{
	char *(*get)(void), *text;
	(void)q;
	*(void **)&get = dlsym(RTLD_DEFAULT, "GetHeapProfile");
	if (!get) {
		pages_refuse(ret, 404, "no heap profile: link with -lstrobe_alloc, or run with LD_PRELOAD=libstrobe_alloc.so.0");
		return;
	}
	text = get();
	if (!text || !*text)
		pages_refuse(ret, 500, "the heap profiler has no profile: out of memory, or it has not been started");
	else
		dprintf(ret->fd, "%s", text);
	free(text);
}

/* ---- threads ---- */

static int by_stack(const void *a, const void *b)
{
	const struct thread_stack *const *x = a, *const *y = b;
	return (*x)->hash < (*y)->hash ? -1 : (*x)->hash > (*y)->hash;
}

static struct name *names_of(const struct thread_stack *const *stacks, unsigned nr, size_t *ret_nr)
{
	size_t frames = 0, n = 0;
	for (unsigned i = 0; i < nr; i++)
		frames += stacks[i]->depth;
	struct name *ret = calloc(frames + 1, sizeof(*ret));
	for (unsigned i = 0; ret && i < nr; i++)
		for (unsigned k = 0; k < stacks[i]->depth; k++)
			ret[n++].address = stacks[i]->frames[k] - 1;
	if (ret)
		names_find(ret, n);
	*ret_nr = n;
	return ret;
}

/* names: NULL: print none. */
static void write_stack(int fd, const struct thread_stack *s, unsigned threads, const struct name *names, size_t names_nr)
{
	dprintf(fd, "%u @", threads);
	for (unsigned i = 0; i < s->depth; i++)
		dprintf(fd, " 0x%llx", (unsigned long long)s->frames[i]);
	dprintf(fd, "\n");
	for (unsigned i = 0; names && i < s->depth; i++) {
		const char *name = names_text(names, names_nr, s->frames[i] - 1);
		dprintf(fd, "#\t0x%llx\t%s\n", (unsigned long long)s->frames[i], name ? name : "?");
	}
}

/* Threads with equal stacks share one line; the names of functions follow if requested. */
static void write_stacks(int fd, const struct thread_stacks *all, bool has_names)
{
	const struct thread_stack **sorted = calloc(all->nr + 1, sizeof(*sorted));
	unsigned nr = 0, same;
	for (unsigned i = 0; sorted && i < all->nr; i++)
		if (all->all[i].depth)
			sorted[nr++] = &all->all[i];
	if (nr)
		qsort(sorted, nr, sizeof(*sorted), by_stack);
	size_t names_nr = 0;
	struct name *names = has_names && nr ? names_of(sorted, nr, &names_nr) : NULL;
	dprintf(fd, "thread profile: total %u\n", nr);
	for (unsigned i = 0; i < nr; i += same) {
		for (same = 1; i + same < nr && sorted[i + same]->hash == sorted[i]->hash;)
			same++;
		write_stack(fd, sorted[i], same, names, names_nr);
	}
	names_free(names, names_nr);
	free(names);
	free(sorted);
}

static void write_threads(const struct page_request *q, struct reply *ret)
{
	struct thread_stacks *all = threads_collect();
	if (!all || (all->error && !all->all[0].depth)) {
		char why[200];
		snprintf(why, sizeof(why), "cannot stop threads to see their stacks: %s", strerror(all ? all->error : errno));
		pages_refuse(ret, 500, why);
	} else {
		write_stacks(ret->fd, all, request_number(q->head, "debug", 0) > 0);
		dprintf(ret->fd, "\n--- Memory map: ---\n");
		samples_write_mappings(ret->fd);
	}
	if (all)
		threads_free(all);
}

/* ---- the program ---- */

/* Go terminates arguments with NUL, gperftools with a newline. */
static void write_cmdline(const struct page_request *q, struct reply *ret)
{
	char bytes[4096];
	bool is_go = !strncmp(q->head->path, FOLDER_OF_GO, strlen(FOLDER_OF_GO));
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	for (ssize_t n; fd >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0;) {
		for (ssize_t i = 0; i < n && !is_go; i++)
			bytes[i] = bytes[i] ? bytes[i] : '\n';
		(void)!write(ret->fd, bytes, (size_t)n);
	}
	if (fd >= 0)
		close(fd);
}

/* "0x401000+0x402000" → their names. Without addresses, whether names are available. */
static void write_symbol(const struct page_request *q, struct reply *ret)
{
	const char *at = q->head->is_post ? q->body : q->head->query;
	struct name *names = NULL;
	size_t nr = 0, most = 0;
	while ((at = strstr(at, "0x")) && nr < ADDRESSES_MOST) {
		char *end;
		if (nr == most) {
			struct name *more = realloc(names, (most = most * 2 + 64) * sizeof(*names));
			if (!more)
				break;
			names = more;
		}
		names[nr++] = (struct name){ .address = strtoull(at, &end, 16) };
		at = end > at + 1 ? end : at + 2;
	}
	if (nr)
		names_find(names, nr);
	dprintf(ret->fd, "num_symbols: 1\n");
	for (size_t i = 0; i < nr; i++)
		if (names[i].text)
			dprintf(ret->fd, "0x%llx\t%s\n", (unsigned long long)names[i].address, names[i].text);
	names_free(names, nr);
	free(names);
}

/* ---- which of them ---- */

static void write_index(const struct page_request *q, struct reply *ret);

static const struct page pages[] = {
	{ "", NULL, write_index },
	{ "profile", "CPU profile; ?seconds=N for how long (default: 30)", write_profile },
	{ "heap", "what is in use and what was allocated, with libstrobe_alloc.so", write_heap },
	{ "threads", "the stacks of all threads, whatever they do; ?debug=1 with names", write_threads },
	{ "cmdline", "the command line of this program", write_cmdline },
	{ "symbol", "names of addresses, which are posted: 0x1234+0x5678", write_symbol },
};

static void write_index(const struct page_request *q, struct reply *ret)
{
	(void)q;
	ret->type = "text/html; charset=utf-8";
	dprintf(ret->fd, "<!DOCTYPE html>\n<html><head><title>/debug/pprof/</title></head><body>\n<h1>/debug/pprof/</h1>\n<table>\n");
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		if (pages[i].what)
			dprintf(ret->fd, "<tr><td><a href=\"%s\">%s</a></td><td>%s</td></tr>\n", pages[i].name, pages[i].name,
				pages[i].what);
	dprintf(ret->fd, "</table>\n<p>Process %u. <code>strobe pprof http://HOST:PORT/debug/pprof/profile</code></p>\n</body></html>\n",
		(unsigned)getpid());
}

void pages_write(const struct page_request *q, struct reply *ret)
{
	static const char *const folders[] = { FOLDER_OF_GO, "/pprof/" };
	for (size_t f = 0; f < sizeof(folders) / sizeof(*folders); f++) {
		size_t n = strlen(folders[f]);
		for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
			if (strncmp(q->head->path, folders[f], n) || strcmp(q->head->path + n, pages[i].name))
				continue;
			if (q->head->is_post && pages[i].write != write_symbol)
				pages_refuse(ret, 405, "only addresses for symbol are posted");
			else
				pages[i].write(q, ret);
			return;
		}
	}
	pages_refuse(ret, 404, "not found; the pages are listed at /debug/pprof/");
}

#include "perfdata/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "perfdata/reader_priv.h"

#define CHUNK_BYTES 262144
/* The bytes needed to know a record's length: its header, and for some the size of what follows. */
#define HEAD_BYTES 16

/* Finds the boundaries of records in the received bytes. */
struct follower {
	uint64_t next;             /* start of the first incomplete record; the first is the stream's own header */
	uint8_t head[HEAD_BYTES];  /* of the record at next */
	unsigned have;             /* bytes of head received */
	bool has_kernel_record, lost; /* lost: the stream cannot be followed */
};

struct spool {
	char *name, *path;
	int in, file, stop_fd, end_fd;
	bool close_in;
	pthread_t thread;
	struct follower follower;
	uint8_t *chunk;
	struct strobe_error *error;
	_Atomic uint64_t bytes, whole;
	_Atomic bool ended;
};

bool spool_is_stream(const char *path)
{
	struct stat st;
	if (strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st))
		return false;
	return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode);
}

/* ---- following records ---- */

static bool has_payload(uint32_t type)
{
	return type == RECORD_HEADER_TRACING_DATA || type == RECORD_AUXTRACE;
}

static uint64_t payload(const struct perf_event_header *hdr)
{
	const uint8_t *body = (const uint8_t *)(hdr + 1);
	uint64_t u64 = 0;
	uint32_t u32 = 0;
	if (!has_payload(hdr->type) || hdr->size < HEAD_BYTES)
		return 0;
	memcpy(&u64, body, sizeof(u64));
	memcpy(&u32, body, sizeof(u32));
	return hdr->type == RECORD_AUXTRACE ? u64 : u32;
}

uint64_t spool_end_of(struct record r)
{
	return r.file_offset + r.hdr->size + payload(r.hdr);
}

/* The number of head bytes needed to continue, as far as known. */
static unsigned head_bytes(const struct follower *f)
{
	const struct perf_event_header *hdr = (const void *)f->head;
	if (!f->next)
		return PERF_PIPE_HEADER_BYTES;
	return f->have >= sizeof(*hdr) && has_payload(hdr->type) && hdr->size >= HEAD_BYTES ? HEAD_BYTES : sizeof(*hdr);
}

/* The end of the record at `next`; 0: unknown. */
static uint64_t end_of_next(const struct follower *f)
{
	uint64_t words[2];
	memcpy(words, f->head, sizeof(words));
	if (!f->next)
		return words[0] == PERF_MAGIC_V2 && words[1] == PERF_PIPE_HEADER_BYTES ? PERF_PIPE_HEADER_BYTES : 0;
	const struct perf_event_header *hdr = (const void *)f->head;
	struct record r = { .hdr = hdr, .file_offset = f->next };
	uint64_t end = hdr->size < sizeof(*hdr) ? 0 : spool_end_of(r);
	return end > f->next ? end : 0;
}

static bool is_of_kernel(const struct follower *f)
{
	uint32_t type = ((const struct perf_event_header *)f->head)->type;
	return f->next && (type < RECORD_USER_FIRST || type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2);
}

/* Takes n more bytes, at `at`; returns the end of the last complete record. */
static uint64_t follow(struct follower *f, const uint8_t *bytes, uint64_t at, size_t n)
{
	while (!f->lost) {
		while (f->have < head_bytes(f) && f->next + f->have < at + n) {
			f->head[f->have] = bytes[f->next + f->have - at];
			f->have++;
		}
		if (f->have < head_bytes(f))
			break;
		uint64_t end = end_of_next(f);
		f->lost = !end;
		if (!end || end > at + n)
			break;
		f->has_kernel_record |= is_of_kernel(f);
		f->next = end;
		f->have = 0;
	}
	return f->has_kernel_record ? f->next : 0;
}

/* ---- copying ---- */

static struct strobe_error *keep(struct spool *s, const uint8_t *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = write(s->file, bytes + done, n - done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return error_errno(put ? errno : ENOSPC,
					   "%s was read up to byte %llu: the rest cannot be stored (set TMPDIR to use another "
						"directory)", s->name,
					   (unsigned long long)atomic_load(&s->bytes));
		done += (size_t)put;
	}
	return NULL;
}

static struct strobe_error *copy_some(struct spool *s, bool *ret_end)
{
	struct pollfd fds[] = { { .fd = s->in, .events = POLLIN }, { .fd = s->stop_fd, .events = POLLIN } };
	if (poll(fds, 2, -1) < 0)
		return errno == EINTR ? NULL : error_errno(errno, "cannot wait for %s", s->name);
	*ret_end = fds[1].revents;
	if (*ret_end || !fds[0].revents)
		return NULL;
	ssize_t n = read(s->in, s->chunk, CHUNK_BYTES);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return NULL;
	if (n < 0)
		return error_errno(errno, "cannot read %s", s->name);
	*ret_end = !n;
	TRY(keep(s, s->chunk, (size_t)n));
	uint64_t at = atomic_load(&s->bytes);
	uint64_t whole = follow(&s->follower, s->chunk, at, (size_t)n);
	atomic_store(&s->bytes, at + (size_t)n);
	atomic_store(&s->whole, whole);
	return NULL;
}

static void *run(void *ctx)
{
	struct spool *s = ctx;
	uint64_t one = 1;
	for (bool end = false; !end && !s->error;)
		s->error = copy_some(s, &end);
	atomic_store(&s->whole, UINT64_MAX);
	atomic_store(&s->ended, true);
	(void)!write(s->end_fd, &one, sizeof(one));
	return NULL;
}

/* ---- opening and closing ---- */

/* Without O_CLOEXEC: a program started to read it opens it by this descriptor number. */
static int make_file(void)
{
	const char *dirs[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		int fd = dirs[i] && *dirs[i] ? open(dirs[i], O_TMPFILE | O_RDWR, 0600) : -1;
		if (fd >= 0)
			return fd;
	}
	return memfd_create("stream", 0);
}

static struct strobe_error *open_all(struct spool *s)
{
	bool is_stdin = !strcmp(s->name, "-");
	/* Opening a pipe without a writer must not block. */
	s->in = is_stdin ? STDIN_FILENO : open(s->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	s->close_in = !is_stdin;
	if (s->in < 0)
		return error_errno(errno, "cannot open %s", s->name);
	s->file = make_file();
	if (s->file < 0)
		return error_errno(errno, "cannot create a file to keep %s in", s->name);
	s->path = xasprintf("/proc/self/fd/%d", s->file);
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	s->end_fd = eventfd(0, EFD_CLOEXEC);
	if (s->stop_fd < 0 || s->end_fd < 0)
		return error_errno(errno, "cannot wait for %s", s->name);
	s->chunk = xmalloc(CHUNK_BYTES);
	int failed = pthread_create(&s->thread, NULL, run, s);
	if (failed)
		return error_errno(failed, "cannot start a thread to read %s", s->name);
	return NULL;
}

static void release(struct spool *s)
{
	const int fds[] = { s->close_in ? s->in : -1, s->file, s->stop_fd, s->end_fd };
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	error_destroy(s->error);
	free(s->chunk);
	free(s->path);
	free(s->name);
	free(s);
}

struct strobe_error *spool_start(const char *path, struct spool **ret)
{
	struct spool *s = xcalloc(1, sizeof(*s));
	s->name = xstrdup(path);
	s->in = s->file = s->stop_fd = s->end_fd = -1;
	struct strobe_error *err = open_all(s);
	if (err)
		release(s);
	else
		*ret = s;
	return err;
}

void spool_destroy(struct spool *s)
{
	uint64_t one = 1;
	if (!s)
		return;
	(void)!write(s->stop_fd, &one, sizeof(one));
	pthread_join(s->thread, NULL);
	release(s);
}

/* ---- state ---- */

const char *spool_name(const struct spool *s)
{
	return strcmp(s->name, "-") ? s->name : "standard input";
}

const char *spool_path(const struct spool *s)
{
	return s->path;
}

uint64_t spool_bytes(const struct spool *s)
{
	return atomic_load(&s->bytes);
}

uint64_t spool_whole(const struct spool *s)
{
	return atomic_load(&s->whole);
}

bool spool_ended(const struct spool *s)
{
	return atomic_load(&s->ended);
}

int spool_end_fd(const struct spool *s)
{
	return s->end_fd;
}

struct strobe_error *spool_error(struct spool *s)
{
	return spool_ended(s) ? take_ptr(s->error) : NULL;
}

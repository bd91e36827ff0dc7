#include "base/filemap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

/*
 * The list that the handler reads. A slot is taken by setting `start` from 0 to 1, filled, and published by setting
 * start to the address; the handler needs no lock because it only looks at published slots.
 */
#define GUARDED_MAX 4096

struct guarded {
	_Atomic uintptr_t start;
	_Atomic size_t bytes;
	_Atomic bool shrunk;
};

static struct guarded guarded_list[GUARDED_MAX];
static _Atomic int guarded_top; /* slots ever used: bounds the search */
static struct sigaction previous_action;
static uintptr_t page_bytes;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	uintptr_t fault = (uintptr_t)info->si_addr;
	int top = atomic_load(&guarded_top);
	if (info->si_code > 0)
		for (int i = 0; i < top; i++) {
			uintptr_t start = atomic_load(&guarded_list[i].start);
			if (start <= 1 || fault < start || fault - start >= atomic_load(&guarded_list[i].bytes))
				continue;
			void *page = (void *)(fault & ~(page_bytes - 1));
			if (mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
				break;
			atomic_store(&guarded_list[i].shrunk, true);
			errno = saved_errno;
			return;
		}
	/* Not ours: restores the previous handler (by default the process dies), which gets the signal after this one returns. */
	sigaction(SIGBUS, &previous_action, NULL);
	raise(SIGBUS);
	errno = saved_errno;
}

void filemap_install_guard(void)
{
	struct sigaction now;
	if (!sigaction(SIGBUS, NULL, &now) && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_sigbus)
		return;
	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &previous_action);
}

/* A slot for the mapping; -1: all are taken, and the mapping is unguarded. */
static int guard(const void *start, size_t bytes)
{
	for (int i = 0; i < GUARDED_MAX; i++) {
		uintptr_t expected = 0;
		if (!atomic_compare_exchange_strong(&guarded_list[i].start, &expected, 1))
			continue;
		atomic_store(&guarded_list[i].shrunk, false);
		atomic_store(&guarded_list[i].bytes, bytes);
		int top = atomic_load(&guarded_top);
		while (top <= i && !atomic_compare_exchange_weak(&guarded_top, &top, i + 1))
			;
		atomic_store(&guarded_list[i].start, (uintptr_t)start);
		return i;
	}
	return -1;
}

static struct strobe_error *read_to_heap(struct filemap *m, int fd, const char *name)
{
	_cleanup_strbuf_ struct strbuf content = {};
	TRY(file_read_fd(fd, name, &content, (size_t)1 << 30));
	size_t bytes = content.len;
	if (!bytes) {
		*m = (struct filemap){ .slot = -1 };
		return NULL;
	}
	*m = (struct filemap){
		.data = (const uint8_t *)strbuf_take(&content), .bytes = bytes, .slot = -1, .heap = true
	};
	return NULL;
}

static struct filemap_identity identity_of(const struct stat *st)
{
	return (struct filemap_identity){
		.device = st->st_dev,
		.inode = st->st_ino,
		.bytes = (uint64_t)st->st_size,
		.modified_ns = timespec_ns(st->st_mtim),
		.changed_ns = timespec_ns(st->st_ctim),
	};
}

struct strobe_error *filemap_open(struct filemap *m, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "cannot open %s", path);
	return filemap_open_fd(m, fd, path);
}

struct strobe_error *filemap_open_fd(struct filemap *m, int fd, const char *name)
{
	struct stat st;
	if (fstat(fd, &st))
		return error_errno(errno, "cannot stat %s", name);
	if (S_ISDIR(st.st_mode))
		return error_errno(EISDIR, "cannot read %s", name);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return read_to_heap(m, fd, name);
	if ((uint64_t)st.st_size > SIZE_MAX)
		return error_create(ERROR_LIMIT, "%s is too large to map", name);
	size_t bytes = (size_t)st.st_size;
	void *p = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		int errnum = errno;
		if (errnum == ENODEV || errnum == EPERM) /* file systems that do not map */
			return read_to_heap(m, fd, name);
		return error_errno(errnum, "cannot map %s", name);
	}
	*m = (struct filemap){ .data = p, .bytes = bytes, .slot = guard(p, bytes), .identity = identity_of(&st) };
	return NULL;
}

void filemap_close(struct filemap *m)
{
	if (m->heap) {
		free((void *)m->data);
	} else if (m->data) {
		if (m->slot >= 0)
			atomic_store(&guarded_list[m->slot].start, 1); /* taken, but nothing to guard */
		munmap((void *)m->data, m->bytes);
		if (m->slot >= 0)
			atomic_store(&guarded_list[m->slot].start, 0);
	}
	*m = (struct filemap){ .slot = -1 };
}

int filemap_reopen(const struct filemap *m, const char *name)
{
	struct stat st;
	/* O_NONBLOCK: it may be a FIFO by now. */
	int fd = m->data && !m->heap ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return -1;
	struct filemap_identity now = fstat(fd, &st) ? (struct filemap_identity){} : identity_of(&st);
	if (!memcmp(&now, &m->identity, sizeof(now)))
		return fd;
	close(fd);
	return -1;
}

void filemap_rest(const struct filemap *m)
{
	if (m->data && !m->heap)
		madvise((void *)(uintptr_t)m->data, m->bytes, MADV_DONTNEED);
}

void filemap_rest_part(const struct filemap *m, size_t from, size_t end)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	from = (from + page - 1) / page * page;
	end = (end < m->bytes ? end : m->bytes) / page * page;
	if (m->data && !m->heap && from < end)
		madvise((void *)(uintptr_t)(m->data + from), end - from, MADV_DONTNEED);
}

bool filemap_shrunk(const struct filemap *m)
{
	return !m->heap && m->data && m->slot >= 0 && atomic_load(&guarded_list[m->slot].shrunk);
}

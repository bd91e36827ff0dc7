#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/tar.h"
#include "archive/tar_priv.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define BUFFER_BYTES (1 << 17)
#define USTAR_SIZE_MAX 077777777777ull

struct tar_writer {
	int fd;
	char *name;
	struct packer *packer;
	uint8_t *out;  /* compressed, to be written to fd */
	uint8_t *file; /* read from a file */
};

struct strobe_error *tar_writer_create(int fd, const char *name, const struct packing *packing, struct tar_writer **ret)
{
	struct packer *packer;
	TRY(packer_create(packing, false, name, &packer));
	struct tar_writer *w = xcalloc(1, sizeof(*w));
	w->fd = fd;
	w->name = xstrdup(name);
	w->packer = packer;
	w->out = xmalloc(BUFFER_BYTES);
	w->file = xmalloc(BUFFER_BYTES);
	*ret = w;
	return NULL;
}

void tar_writer_destroy(struct tar_writer *w)
{
	if (!w)
		return;
	packer_destroy(w->packer);
	free(w->name);
	free(w->out);
	free(w->file);
	free(w);
}

static struct strobe_error *put(struct tar_writer *w, const void *p, size_t n, bool finish)
{
	struct packing_io io = { .in = p, .in_bytes = n };
	bool end = false;
	while (io.in_bytes || (finish && !end)) {
		io.out = w->out;
		io.out_bytes = BUFFER_BYTES;
		TRY(packer_step(w->packer, &io, finish, &end));
		TRY(file_write_fd(w->fd, w->name, w->out, BUFFER_BYTES - io.out_bytes));
	}
	return NULL;
}

static struct strobe_error *pad(struct tar_writer *w, uint64_t bytes)
{
	static const uint8_t zeros[TAR_BLOCK];
	size_t over = bytes % TAR_BLOCK;
	return over ? put(w, zeros, TAR_BLOCK - over, false) : NULL;
}

/* n octal digits and a NUL; a value that does not fit is in a pax record as well. */
static void octal(char *field, size_t field_bytes, uint64_t value)
{
	field[field_bytes - 1] = 0;
	for (size_t i = field_bytes - 1; i--; value >>= 3)
		field[i] = (char)('0' + (value & 7));
}

struct entry {
	char type;
	const char *path, *target; /* target: of a link, else NULL */
	uint64_t bytes;
	uint32_t mode;
	int64_t mtime;
};

/* A path of up to 255 bytes may be split at a slash. False if it does not fit. */
static bool set_path(struct tar_header *h, const char *path)
{
	size_t n = strlen(path);
	if (n <= sizeof(h->name)) {
		memcpy(h->name, path, n);
		return true;
	}
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t before = (size_t)(slash - path), name_bytes = n - before - 1;
		if (before > sizeof(h->prefix))
			break;
		if (before && name_bytes && name_bytes <= sizeof(h->name)) {
			memcpy(h->prefix, path, before);
			memcpy(h->name, slash + 1, name_bytes);
			return true;
		}
	}
	memcpy(h->name, path, sizeof(h->name));
	return false;
}

static struct strobe_error *put_header(struct tar_writer *w, struct tar_header *h, const struct entry *e)
{
	h->type = e->type;
	octal(h->mode, sizeof(h->mode), e->mode);
	octal(h->uid, sizeof(h->uid), 0);
	octal(h->gid, sizeof(h->gid), 0);
	octal(h->size, sizeof(h->size), e->bytes <= USTAR_SIZE_MAX ? e->bytes : 0);
	octal(h->mtime, sizeof(h->mtime), e->mtime > 0 ? (uint64_t)e->mtime : 0);
	memcpy(h->magic, "ustar", 6);
	memcpy(h->version, "00", 2);
	octal(h->checksum, 7, tar_checksum(h));
	h->checksum[7] = ' ';
	return put(w, h, sizeof(*h), false);
}

/*
 * "LENGTH KEY=VALUE
 * ", where LENGTH includes its own digits.
 */
static void add_pax(struct strbuf *b, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, n = rest + 1;
	for (unsigned i = 0; i < 3; i++)
		n = rest + (size_t)snprintf(NULL, 0, "%zu", n);
	strbuf_addf(b, "%zu %s=%s\n", n, key, value);
}

static struct strobe_error *put_entry(struct tar_writer *w, const struct entry *e)
{
	struct tar_header h = {}, extended = { .name = "PaxHeader" };
	_cleanup_strbuf_ struct strbuf pax = {};
	char size[24];
	if (!set_path(&h, e->path))
		add_pax(&pax, "path", e->path);
	size_t target_bytes = e->target ? strlen(e->target) : 0;
	memcpy(h.link, e->target ? e->target : "", target_bytes < sizeof(h.link) ? target_bytes : sizeof(h.link));
	if (target_bytes > sizeof(h.link))
		add_pax(&pax, "linkpath", e->target);
	if (e->bytes > USTAR_SIZE_MAX) {
		snprintf(size, sizeof(size), "%llu", (unsigned long long)e->bytes);
		add_pax(&pax, "size", size);
	}
	if (pax.len) {
		TRY(put_header(w, &extended, &(struct entry){ .type = 'x', .bytes = pax.len, .mode = 0644, .mtime = e->mtime }));
		TRY(put(w, pax.data, pax.len, false));
		TRY(pad(w, pax.len));
	}
	return put_header(w, &h, e);
}

struct strobe_error *tar_add_file(struct tar_writer *w, const char *path, int fd, const char *source)
{
	struct stat st;
	if (fstat(fd, &st))
		return error_errno(errno, "cannot read %s", source);
	if (!S_ISREG(st.st_mode))
		return error_create(ERROR_UNSUPPORTED, "%s is not a regular file", source);
	uint64_t left = (uint64_t)st.st_size;
	TRY(put_entry(w, &(struct entry){ .type = '0', .path = path, .bytes = left, .mode = (st.st_mode & 0755) | 0400,
					  .mtime = st.st_mtime }));
	while (left) {
		ssize_t n = read(fd, w->file, left < BUFFER_BYTES ? left : BUFFER_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? error_errno(errno, "cannot read %s", source) :
				   error_create(ERROR_TRUNCATED, "%s became shorter while it was read", source);
		TRY(put(w, w->file, (size_t)n, false));
		left -= (uint64_t)n;
	}
	return pad(w, (uint64_t)st.st_size);
}

struct strobe_error *tar_add_bytes(struct tar_writer *w, const char *path, const void *p, size_t n)
{
	TRY(put_entry(w, &(struct entry){ .type = '0', .path = path, .bytes = n, .mode = 0644 }));
	TRY(put(w, p, n, false));
	return pad(w, n);
}

struct strobe_error *tar_add_link(struct tar_writer *w, const char *path, const char *target)
{
	return put_entry(w, &(struct entry){ .type = '2', .path = path, .target = target, .mode = 0777 });
}

struct strobe_error *tar_writer_finish(struct tar_writer *w)
{
	static const uint8_t zeros[2 * TAR_BLOCK];
	return put(w, zeros, sizeof(zeros), true);
}

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/tar.h"
#include "archive/tar_priv.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"

#define BUFFER_BYTES (1 << 17)
#define NAMES_MAX (1 << 16)

struct tar_reader {
	int fd;
	char *name;
	struct packer *packer;
	uint8_t *in, *out;
	struct packing_io io; /* in: bytes read from fd */
	size_t out_at, out_end; /* unpacked and not yet consumed */
	bool file_ended, stream_ended;
	bool any; /* a header was read */
	uint64_t left, padding; /* of the entry's content */
	struct strbuf path, target;
	/* From pax records and long names, for the next entry. */
	bool has_path, has_target, has_bytes;
	uint64_t bytes;
};

static struct strobe_error *fill_input(struct tar_reader *r)
{
	while (!r->io.in_bytes && !r->file_ended) {
		ssize_t n = read(r->fd, r->in, BUFFER_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(errno, "cannot read %s", r->name);
		r->io.in = r->in;
		r->io.in_bytes = (size_t)n;
		r->file_ended = !n;
	}
	return NULL;
}

struct strobe_error *tar_reader_create(int fd, const char *name, struct tar_reader **ret)
{
	struct tar_reader *r = xcalloc(1, sizeof(*r));
	r->fd = fd;
	r->name = xstrdup(name);
	r->in = xmalloc(BUFFER_BYTES);
	r->out = xmalloc(BUFFER_BYTES);
	struct strobe_error *err = fill_input(r);
	if (!err)
		err = packer_create(packing_by_content(r->io.in, r->io.in_bytes), true, name, &r->packer);
	if (err) {
		tar_reader_destroy(r);
		return err;
	}
	*ret = r;
	return NULL;
}

void tar_reader_destroy(struct tar_reader *r)
{
	if (!r)
		return;
	packer_destroy(r->packer);
	strbuf_deinit(&r->path);
	strbuf_deinit(&r->target);
	free(r->name);
	free(r->in);
	free(r->out);
	free(r);
}

/* Ensures that there are unpacked bytes, unless the stream has ended. */
static struct strobe_error *fill(struct tar_reader *r)
{
	while (r->out_at == r->out_end && !r->stream_ended) {
		TRY(fill_input(r));
		r->io.out = r->out;
		r->io.out_bytes = BUFFER_BYTES;
		bool end;
		if (r->file_ended && !r->io.in_bytes && r->stream_ended)
			return NULL;
		TRY(packer_step(r->packer, &r->io, r->file_ended, &end));
		r->out_at = 0;
		r->out_end = BUFFER_BYTES - r->io.out_bytes;
		if (end) {
			/* Another stream may follow in the same file. */
			TRY(fill_input(r));
			r->stream_ended = !r->io.in_bytes;
		}
	}
	return NULL;
}

static struct strobe_error *take(struct tar_reader *r, size_t most, const uint8_t **ret, size_t *ret_n)
{
	TRY(fill(r));
	size_t n = r->out_end - r->out_at;
	*ret_n = n < most ? n : most;
	*ret = r->out + r->out_at;
	r->out_at += *ret_n;
	return NULL;
}

static struct strobe_error *take_all(struct tar_reader *r, void *to, size_t n, size_t *ret_taken)
{
	*ret_taken = 0;
	while (*ret_taken < n) {
		const uint8_t *p;
		size_t piece;
		TRY(take(r, n - *ret_taken, &p, &piece));
		if (!piece)
			return NULL;
		memcpy((uint8_t *)to + *ret_taken, p, piece);
		*ret_taken += piece;
	}
	return NULL;
}

static struct strobe_error *ends_early(const struct tar_reader *r)
{
	return error_create(ERROR_TRUNCATED, "%s ends within an entry", r->name);
}

static struct strobe_error *skip(struct tar_reader *r, uint64_t n)
{
	while (n) {
		const uint8_t *p;
		size_t piece;
		TRY(take(r, n < SIZE_MAX ? (size_t)n : SIZE_MAX, &p, &piece));
		if (!piece)
			return ends_early(r);
		n -= piece;
	}
	return NULL;
}

/* Octal digits with optional blanks around them, or GNU's binary form with the high bit set. */
static bool number(const char *field, size_t n, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i = 0;
	if ((uint8_t)field[0] == 0x80) {
		for (i = 1; i < n; i++) {
			if (v >> 56)
				return false;
			v = v << 8 | (uint8_t)field[i];
		}
		*ret = v;
		return true;
	}
	while (i < n && field[i] == ' ')
		i++;
	for (; i < n && field[i] >= '0' && field[i] <= '7'; i++)
		v = v << 3 | (uint64_t)(field[i] - '0');
	*ret = v;
	return i == n || !field[i] || field[i] == ' ';
}

static bool is_zero(const struct tar_header *h)
{
	const uint8_t *p = (const uint8_t *)h;
	for (unsigned i = 0; i < TAR_BLOCK; i++)
		if (p[i])
			return false;
	return true;
}

/* Reads the content of a small entry that describes the next one. */
static struct strobe_error *read_text(struct tar_reader *r, uint64_t bytes, struct strbuf *ret)
{
	size_t taken;
	if (bytes > NAMES_MAX)
		return error_create(ERROR_FORMAT, "%s has a name of %llu bytes", r->name, (unsigned long long)bytes);
	strbuf_reset(ret);
	strbuf_reserve(ret, (size_t)bytes + 1);
	TRY(take_all(r, ret->data, (size_t)bytes, &taken));
	if (taken < bytes)
		return ends_early(r);
	ret->len = (size_t)bytes;
	ret->data[ret->len] = 0;
	return skip(r, (TAR_BLOCK - bytes % TAR_BLOCK) % TAR_BLOCK);
}

static void take_pax(struct tar_reader *r, const char *key, size_t key_bytes, const char *value, size_t n)
{
	if (key_bytes == 4 && !memcmp(key, "path", 4)) {
		strbuf_reset(&r->path);
		strbuf_add(&r->path, value, n);
		r->has_path = true;
	} else if (key_bytes == 8 && !memcmp(key, "linkpath", 8)) {
		strbuf_reset(&r->target);
		strbuf_add(&r->target, value, n);
		r->has_target = true;
	} else if (key_bytes == 4 && !memcmp(key, "size", 4)) {
		char digits[24] = "";
		memcpy(digits, value, n < sizeof(digits) ? n : sizeof(digits) - 1);
		r->has_bytes = text_to_u64(digits, &r->bytes);
	}
}

/* Records "LENGTH KEY=VALUE\n". */
static struct strobe_error *read_pax(struct tar_reader *r, uint64_t bytes)
{
	_cleanup_strbuf_ struct strbuf text = {};
	TRY(read_text(r, bytes, &text));
	const char *at = text.data, *end = text.data + text.len;
	while (at < end) {
		size_t n = 0;
		const char *digits = at, *record = at;
		for (; at < end && *at >= '0' && *at <= '9' && n <= NAMES_MAX; at++)
			n = n * 10 + (size_t)(*at - '0');
		if (at == digits || at == end || *at != ' ' || n > (size_t)(end - record) || n < (size_t)(at - record) + 3)
			return error_create(ERROR_FORMAT, "%s: an extended header is damaged", r->name);
		const char *key = at + 1, *record_end = record + n;
		const char *equals = memchr(key, '=', (size_t)(record_end - key));
		if (equals)
			take_pax(r, key, (size_t)(equals - key), equals + 1, (size_t)(record_end - equals) - 2);
		at = record_end;
	}
	return NULL;
}

static void set_names(struct tar_reader *r, const struct tar_header *h)
{
	if (!r->has_path) {
		strbuf_reset(&r->path);
		if (!memcmp(h->magic, "ustar", 6) && h->prefix[0]) {
			strbuf_add(&r->path, h->prefix, strnlen(h->prefix, sizeof(h->prefix)));
			strbuf_addch(&r->path, '/');
		}
		strbuf_add(&r->path, h->name, strnlen(h->name, sizeof(h->name)));
	}
	if (!r->has_target) {
		strbuf_reset(&r->target);
		strbuf_add(&r->target, h->link, strnlen(h->link, sizeof(h->link)));
	}
}

static enum tar_kind kind_of(char type)
{
	switch (type) {
	case 0:
	case '0':
	case '7':
		return TAR_FILE;
	case '2':
		return TAR_LINK;
	case '5':
		return TAR_DIRECTORY;
	default:
		return TAR_OTHER;
	}
}

static struct strobe_error *read_header(struct tar_reader *r, struct tar_header *h, uint64_t *ret_bytes, bool *ret_end)
{
	size_t taken;
	uint64_t sum;
	TRY(take_all(r, h, sizeof(*h), &taken));
	*ret_end = !taken || (taken == sizeof(*h) && is_zero(h));
	if (*ret_end)
		return NULL;
	if (taken < sizeof(*h) && r->any)
		return ends_early(r);
	r->any = true;
	if (taken < sizeof(*h) || !number(h->checksum, sizeof(h->checksum), &sum) || sum != tar_checksum(h) ||
	    !number(h->size, sizeof(h->size), ret_bytes))
		return error_create(ERROR_FORMAT, "%s is not a tar archive, or damaged", r->name);
	return NULL;
}

struct strobe_error *tar_next(struct tar_reader *r, struct tar_entry *ret, bool *ret_end)
{
	TRY(skip(r, r->left));
	TRY(skip(r, r->padding));
	r->left = r->padding = 0;
	r->has_path = r->has_target = r->has_bytes = false;
	for (;;) {
		struct tar_header h;
		uint64_t bytes = 0, mode = 0;
		TRY(read_header(r, &h, &bytes, ret_end));
		if (*ret_end)
			return NULL;
		if (h.type == 'x') {
			TRY(read_pax(r, bytes));
			continue;
		}
		if (h.type == 'L' || h.type == 'K') {
			struct strbuf *name = h.type == 'L' ? &r->path : &r->target;
			TRY(read_text(r, bytes, name));
			name->len = strlen(strbuf_str(name));
			*(h.type == 'L' ? &r->has_path : &r->has_target) = true;
			continue;
		}
		if (r->has_bytes)
			bytes = r->bytes;
		set_names(r, &h);
		number(h.mode, sizeof(h.mode), &mode);
		/* Entries of other kinds have no content, whatever their size field. */
		bool has_content = kind_of(h.type) == TAR_FILE || kind_of(h.type) == TAR_OTHER;
		r->left = has_content && h.type != '1' ? bytes : 0;
		r->padding = (TAR_BLOCK - r->left % TAR_BLOCK) % TAR_BLOCK;
		*ret = (struct tar_entry){ .kind = kind_of(h.type), .path = strbuf_str(&r->path),
					   .target = strbuf_str(&r->target), .bytes = r->left, .mode = (uint32_t)mode };
		return NULL;
	}
}

struct strobe_error *tar_content(struct tar_reader *r, const void **ret, size_t *ret_n)
{
	const uint8_t *p = NULL;
	*ret_n = 0;
	if (r->left) {
		TRY(take(r, r->left < SIZE_MAX ? (size_t)r->left : SIZE_MAX, &p, ret_n));
		if (!*ret_n)
			return ends_early(r);
	}
	r->left -= *ret_n;
	*ret = p;
	return NULL;
}

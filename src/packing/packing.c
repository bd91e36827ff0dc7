#include "packing/packing.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "packing/packing_priv.h"

#define ROOM_LEAST 65536

struct packer {
	const struct packing *packing;
	char *name;
	void *state;
	bool unpack;
};

static enum packing_step copy_step(void *state, struct packing_io *io, bool finish)
{
	(void)state;
	size_t n = io->in_bytes < io->out_bytes ? io->in_bytes : io->out_bytes;
	if (n)
		memcpy(io->out, io->in, n);
	io->in += n;
	io->in_bytes -= n;
	io->out += n;
	io->out_bytes -= n;
	return finish && !io->in_bytes ? PACKING_END : PACKING_MORE;
}

static struct strobe_error *copy_create(bool unpack, void **ret)
{
	(void)unpack;
	*ret = NULL;
	return NULL;
}

static void copy_destroy(void *state, bool unpack)
{
	(void)state;
	(void)unpack;
}

static const struct packing packing_none = { .name = "tar", .create = copy_create, .step = copy_step, .destroy = copy_destroy };

static const struct packing *const packings[] = { &packing_bzip2, &packing_gzip, &packing_xz, &packing_zstd };
#define PACKINGS (sizeof(packings) / sizeof(*packings))

const struct packing *packing_by_name(const char *file_name)
{
	for (size_t i = 0; i < PACKINGS; i++)
		for (size_t k = 0; k < 2; k++)
			if (text_has_suffix(file_name, packings[i]->suffixes[k]))
				return packings[i];
	return &packing_none;
}

const struct packing *packing_by_content(const void *p, size_t n)
{
	for (size_t i = 0; i < PACKINGS; i++)
		if (n >= packings[i]->magic_bytes && !memcmp(p, packings[i]->magic, packings[i]->magic_bytes))
			return packings[i];
	return &packing_none;
}

bool packing_is_plain(const struct packing *p)
{
	return p == &packing_none;
}

struct strobe_error *packer_create(const struct packing *p, bool unpack, const char *name, struct packer **ret)
{
	struct packer *s = xcalloc(1, sizeof(*s));
	struct strobe_error *err = p->create(unpack, &s->state);
	if (err) {
		free(s);
		return error_prefix(err, "%s", name);
	}
	s->packing = p;
	s->name = xstrdup(name);
	s->unpack = unpack;
	*ret = s;
	return NULL;
}

struct strobe_error *packer_step(struct packer *s, struct packing_io *io, bool finish, bool *ret_end)
{
	struct packing_io before = *io;
	enum packing_step step = s->packing->step(s->state, io, finish);
	*ret_end = step == PACKING_END;
	if (step == PACKING_DAMAGED)
		return error_create(ERROR_FORMAT, "%s: damaged %s data", s->name, s->packing->name);
	if (step == PACKING_MORE && finish && s->unpack && before.in_bytes == io->in_bytes && before.out_bytes == io->out_bytes)
		return error_create(ERROR_TRUNCATED, "%s: truncated %s data", s->name, s->packing->name);
	return NULL;
}

/* Grows the output buffer up to a byte beyond the limit: the file does not contain its unpacked size, or may contain a wrong one. */
static void make_room(uint8_t **data, size_t *cap, size_t used, size_t max_bytes)
{
	if (used < *cap)
		return;
	*cap = *cap < max_bytes / 2 ? *cap * 2 + ROOM_LEAST : max_bytes + 1;
	*data = xreallocarray(*data, *cap, 1);
}

struct unpacked {
	uint8_t *data;
	size_t bytes, cap, max_bytes;
};

static struct strobe_error *unpack_stream(const struct packing *p, const char *name, struct packing_io *io, struct unpacked *u)
{
	struct packer *s;
	struct strobe_error *err = NULL;
	bool is_end = false;
	TRY(packer_create(p, true, name, &s));
	while (!err && !is_end && u->bytes <= u->max_bytes) {
		make_room(&u->data, &u->cap, u->bytes, u->max_bytes);
		io->out = u->data + u->bytes;
		io->out_bytes = u->cap - u->bytes;
		err = packer_step(s, io, true, &is_end);
		u->bytes = u->cap - io->out_bytes;
	}
	packer_destroy(s);
	return err;
}

struct strobe_error *packing_unpack(const struct packing *p, const void *from, size_t bytes, size_t max_bytes, const char *name,
				    void **ret, size_t *ret_bytes)
{
	struct packing_io io = { .in = from, .in_bytes = bytes };
	struct unpacked u = { .max_bytes = max_bytes };
	struct strobe_error *err = NULL;
	do
		err = unpack_stream(p, name, &io, &u);
	while (!err && u.bytes <= max_bytes && io.in_bytes && packing_by_content(io.in, io.in_bytes) == p);
	if (!err && u.bytes > max_bytes)
		err = error_create(ERROR_LIMIT, "%s: it unpacks to more than %zu MB", name, max_bytes >> 20);
	if (err) {
		free(u.data);
		return err;
	}
	*ret = u.data;
	*ret_bytes = u.bytes;
	return NULL;
}

void packer_destroy(struct packer *s)
{
	if (!s)
		return;
	s->packing->destroy(s->state, s->unpack);
	free(s->name);
	free(s);
}

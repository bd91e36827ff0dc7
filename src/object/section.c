#include <elf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "object/object_priv.h"
#include "packing/gzip.h"
#include "packing/libzstd.h"

/* Limits of decompressed sections: size, and ratio: the maximum of deflate, and generous for zstd. */
#define INFLATED_MAX	   ((uint64_t)8 << 30)
#define INFLATED_RATIO_MAX 1100

const struct object_section *object_find_section(const struct object *o, const char *name)
{
	bool is_debug = !strncmp(name, ".debug_", 7);
	for (size_t i = 1; i < o->sections_nr; i++) {
		const char *n = o->sections[i].name;
		if (!strcmp(n, name) || (is_debug && !strncmp(n, ".zdebug_", 8) && !strcmp(n + 8, name + 7)))
			return &o->sections[i];
	}
	return NULL;
}

const void *object_section_raw(const struct object *o, const struct object_section *s, size_t *ret_bytes)
{
	const void *p = s->type == SHT_NOBITS || s->type == SHT_NULL ? NULL : object_range(o, s->offset, s->bytes);
	*ret_bytes = p ? (size_t)s->bytes : 0;
	return p;
}

static struct strobe_error *inflate_zstd(const void *from, size_t from_bytes, void *to, size_t to_bytes, bool *ret_whole)
{
#if HAVE_ZSTD
	struct libzstd z;
	TRY(libzstd_load(&z));
	size_t got = z.decompress(to, to_bytes, from, from_bytes);
	*ret_whole = !z.isError(got) && got == to_bytes;
	return NULL;
#else
	return error_create(ERROR_UNSUPPORTED, "zstd compression is not built in");
#endif
}

/* Method and size before the compressed bytes: an Elf_Chdr, or "ZLIB" and a big-endian size in .zdebug sections. */
static uint32_t read_compression(const struct object *o, const struct object_section *s, struct cursor *c,
				 uint64_t *ret_bytes)
{
	uint32_t method = 0;
	if (s->flags & SHF_COMPRESSED) {
		method = cursor_u32(c);
		if (o->header.is_64bit)
			cursor_skip(c, 4);
		*ret_bytes = o->header.is_64bit ? cursor_u64(c) : cursor_u32(c);
		cursor_skip(c, o->header.is_64bit ? 8 : 4); /* ch_addralign */
	} else {
		const char *magic = cursor_bytes(c, 4);
		if (magic && !memcmp(magic, "ZLIB", 4))
			method = ELFCOMPRESS_ZLIB;
		c->swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
		*ret_bytes = cursor_u64(c);
	}
	return c->bad ? 0 : method;
}

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2 /* newer than Debian 12's elf.h */
#endif

/* Decompresses raw (a SHF_COMPRESSED or .zdebug section) into *ret, owned by the caller. */
static struct strobe_error *object_inflate(const struct object *o, const struct object_section *s, const void *raw,
				    size_t raw_bytes, void **ret, size_t *ret_bytes)
{
	struct cursor c = cursor_make(raw, raw_bytes, o->header.swap);
	uint64_t bytes = 0;
	uint32_t method = read_compression(o, s, &c, &bytes);
	if (!method || bytes > INFLATED_MAX || bytes / INFLATED_RATIO_MAX > cursor_left(&c))
		return error_create(ERROR_FORMAT, "%s: compressed section %s is damaged", o->name, s->name);
	if (method != ELFCOMPRESS_ZLIB && method != ELFCOMPRESS_ZSTD)
		return error_create(ERROR_UNSUPPORTED, "%s: section %s is compressed by method %u, which is unknown",
				    o->name, s->name, method);
	void *to = xmalloc(bytes ? (size_t)bytes : 1);
	bool whole = false;
	struct strobe_error *err = method == ELFCOMPRESS_ZLIB ?
					   zlib_unpack(c.at, cursor_left(&c), to, (size_t)bytes, &whole) :
					   inflate_zstd(c.at, cursor_left(&c), to, (size_t)bytes, &whole);
	err = error_prefix(err, "%s: section %s", o->name, s->name);
	if (!err && !whole)
		err = error_create(ERROR_FORMAT, "%s: compressed section %s is damaged", o->name, s->name);
	if (err) {
		free(to);
		return err;
	}
	*ret = to;
	*ret_bytes = (size_t)bytes;
	return NULL;
}

static bool is_compressed(const struct object_section *s)
{
	return s->flags & SHF_COMPRESSED || !strncmp(s->name, ".zdebug_", 8);
}

int object_section_fd(const struct object *o, const struct object_section *s, uint64_t *ret_offset)
{
	*ret_offset = s->offset;
	bool lies_in_file = !o->unpacked && o->data == o->map.data && !is_compressed(s) && !object_has_relocations(o, s);
	return lies_in_file ? filemap_reopen(&o->map, o->name) : -1;
}

/* The entry of a section, created on first use. */
static struct object_inflated *inflated_of(struct object *o, const struct object_section *s)
{
	struct object_inflated *found = NULL;
	pthread_mutex_lock(&o->lock);
	for (size_t i = 0; i < o->inflated.len && !found; i++)
		if (o->inflated.data[i]->section == s)
			found = o->inflated.data[i];
	if (!found) {
		found = xcalloc(1, sizeof(*found));
		found->section = s;
		found->kept.slot = -1;
		pthread_mutex_init(&found->lock, NULL);
		vec_push(&o->inflated, found);
	}
	pthread_mutex_unlock(&o->lock);
	return found;
}

/* The uncompressed size according to the header; 0: implausible. */
static uint64_t inflated_bytes(const struct object *o, const struct object_section *s, const void *raw, size_t raw_bytes)
{
	struct cursor c = cursor_make(raw, raw_bytes, o->header.swap);
	uint64_t bytes = 0;
	return read_compression(o, s, &c, &bytes) ? bytes : 0;
}

static struct strobe_error *make_content(const struct object *o, struct object_inflated *to, const void *raw, size_t raw_bytes)
{
	const struct object_section *s = to->section;
	bool has_relocations = object_has_relocations(o, s);
	if (!is_compressed(s)) {
		to->made = xmemdup(raw, raw_bytes);
		to->bytes = raw_bytes;
	} else if (!has_relocations && section_cache_map(o, s, inflated_bytes(o, s, raw, raw_bytes), to)) {
		return NULL;
	} else {
		TRY(object_inflate(o, s, raw, raw_bytes, &to->made, &to->bytes));
		if (!has_relocations)
			section_cache_save(o, s, to->made, to->bytes);
	}
	if (has_relocations)
		object_relocate(o, s, to->made, to->bytes);
	to->data = to->made;
	return NULL;
}

void object_drop_content(struct object_inflated *of)
{
	free(of->made);
	filemap_close(&of->kept);
	of->data = of->made = NULL;
}

struct strobe_error *object_section_bytes(struct object *o, const struct object_section *s, const void **ret,
					  size_t *ret_bytes)
{
	size_t raw_bytes;
	const void *raw = object_section_raw(o, s, &raw_bytes);
	if (!raw)
		return error_create(ERROR_NOT_FOUND, "%s: section %s has no bytes in the file", o->name, s->name);
	if (!is_compressed(s) && !object_has_relocations(o, s)) {
		*ret = raw;
		*ret_bytes = raw_bytes;
		return NULL;
	}
	struct object_inflated *made = inflated_of(o, s);
	pthread_mutex_lock(&made->lock);
	struct strobe_error *err = made->data ? NULL : make_content(o, made, raw, raw_bytes);
	if (!err) {
		*ret = made->data;
		*ret_bytes = made->bytes;
	}
	pthread_mutex_unlock(&made->lock);
	return err;
}

void object_section_release(struct object *o, const struct object_section *s)
{
	pthread_mutex_lock(&o->lock);
	for (size_t i = 0; i < o->inflated.len; i++) {
		struct object_inflated *made = o->inflated.data[i];
		if (made->section == s)
			object_drop_content(made);
	}
	pthread_mutex_unlock(&o->lock);
}

struct cursor object_section_cursor(struct object *o, const struct object_section *s)
{
	const void *p = "";
	size_t bytes = 0;
	_cleanup_error_ struct strobe_error *err = object_section_bytes(o, s, &p, &bytes);
	return cursor_make(err ? "" : p, err ? 0 : bytes, o->header.swap);
}

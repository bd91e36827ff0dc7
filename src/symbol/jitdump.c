#include "symbol/jitdump.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "base/u64map.h"

#define MAGIC	      0x4A695444u /* "JiTD" */
#define HEADER_BYTES  40
#define PREFIX_BYTES  16
#define FLAG_ARCH_CLOCK 1u

enum { CODE_LOAD, CODE_MOVE, DEBUG_INFO, CODE_CLOSE, UNWINDING_INFO };

struct reading {
	struct jitdump *j;
	struct u64map by_index; /* compiler's number → function + 1 */
	/* Records that precede their load record. */
	uint64_t lines_of;
	uint32_t first_line, lines_nr;
	uint64_t unwind_offset, unwind_bytes, unwind_header_bytes;
};

static bool read_header(struct jitdump *j, struct cursor *c)
{
	uint32_t magic = cursor_u32(c);
	if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
		return false;
	c->swap = j->swap = magic != MAGIC;
	uint32_t version = cursor_u32(c), total = cursor_u32(c);
	j->e_machine = cursor_u32(c);
	cursor_u32(c);
	j->pid = cursor_u32(c);
	j->time = cursor_u64(c);
	j->arch_clock = cursor_u64(c) & FLAG_ARCH_CLOCK;
	return !c->bad && version == 1 && total >= HEADER_BYTES && cursor_seek(c, total);
}

static bool read_load(struct reading *r, struct cursor *c, uint64_t time)
{
	struct jitdump *j = r->j;
	struct jitdump_function f = { .time = time };
	cursor_u32(c); /* pid: as the process knows it */
	f.tid = cursor_u32(c);
	cursor_u64(c); /* vma: the same as the address */
	f.address = cursor_u64(c);
	f.bytes = cursor_u64(c);
	f.index = cursor_u64(c);
	const char *name = cursor_cstr(c);
	/* Non-standard writers: the code ends the record, and may have padding before it. */
	if (!name || !f.bytes || f.bytes > cursor_left(c) || f.bytes > UINT64_MAX - f.address)
		return false;
	f.name = (size_t)(name - j->data);
	f.offset = (uint64_t)((const char *)c->at - j->data);
	if (r->lines_nr && r->lines_of == f.address) {
		f.first_line = r->first_line;
		f.lines_nr = r->lines_nr;
	}
	f.unwind_offset = r->unwind_offset;
	f.unwind_bytes = r->unwind_bytes;
	f.unwind_header_bytes = r->unwind_header_bytes;
	r->lines_nr = 0;
	r->unwind_offset = r->unwind_bytes = r->unwind_header_bytes = 0;
	uint32_t id = (uint32_t)j->functions.len;
	vec_push(&j->functions, f);
	vec_push(&j->placements, ((struct jitdump_placement){ .time = time, .address = f.address, .function = id }));
	*u64map_put(&r->by_index, f.index, NULL) = id + 1;
	return true;
}

static bool read_move(struct reading *r, struct cursor *c, uint64_t time)
{
	cursor_skip(c, 4 + 4 + 8 + 8); /* pid, tid, vma, old address */
	uint64_t to = cursor_u64(c), bytes = cursor_u64(c), index = cursor_u64(c);
	const uint64_t *id = u64map_get(&r->by_index, index);
	if (c->bad || !id || !*id || bytes > UINT64_MAX - to)
		return false;
	vec_push(&r->j->placements, ((struct jitdump_placement){ .time = time, .address = to, .function = (uint32_t)*id - 1 }));
	return true;
}

/* A name of 0xff alone means the same as before. */
static bool read_lines(struct reading *r, struct cursor *c)
{
	struct jitdump *j = r->j;
	uint64_t address = cursor_u64(c), count = cursor_u64(c);
	size_t first = j->lines.len, file = 0;
	if (c->bad || count > cursor_left(c) / 17 || first > UINT32_MAX - count)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct jitdump_line l = { .address = cursor_u64(c) };
		l.line = cursor_u32(c);
		l.discriminator = cursor_u32(c);
		const char *name = cursor_cstr(c);
		if (!name) {
			j->lines.len = first;
			return false;
		}
		if (!file || (uint8_t)name[0] != 0xff || name[1])
			file = (size_t)(name - j->data);
		l.file = file;
		vec_push(&j->lines, l);
	}
	r->lines_of = address;
	r->first_line = (uint32_t)first;
	r->lines_nr = (uint32_t)count;
	return true;
}

static bool read_unwinding(struct reading *r, struct cursor *c)
{
	uint64_t bytes = cursor_u64(c), header = cursor_u64(c);
	cursor_u64(c); /* how much of it is mapped */
	if (c->bad || bytes > cursor_left(c) || header > bytes)
		return false;
	r->unwind_offset = (uint64_t)((const char *)c->at - r->j->data);
	r->unwind_bytes = bytes;
	r->unwind_header_bytes = header;
	return true;
}

static bool read_record(struct reading *r, uint32_t id, struct cursor *c, uint64_t time)
{
	switch (id) {
	case CODE_LOAD:
		return read_load(r, c, time);
	case CODE_MOVE:
		return read_move(r, c, time);
	case DEBUG_INFO:
		return read_lines(r, c);
	case UNWINDING_INFO:
		return read_unwinding(r, c);
	default: /* newer than this */
		return true;
	}
}

static void read_records(struct jitdump *j, struct cursor *c)
{
	struct reading r = { .j = j };
	while (cursor_left(c) >= PREFIX_BYTES) {
		struct cursor body = *c;
		uint32_t id = cursor_u32(&body), total = cursor_u32(&body);
		uint64_t time = cursor_u64(&body);
		if (total < PREFIX_BYTES || total > cursor_left(c)) {
			j->cut = true;
			break;
		}
		if (id == CODE_CLOSE)
			break;
		body.end = c->at + total;
		/* Offsets are relative to the start of the file. */
		j->bad_records += !read_record(&r, id, &body, time);
		cursor_skip(c, total);
	}
	j->cut |= cursor_left(c) && cursor_left(c) < PREFIX_BYTES;
	u64map_deinit(&r.by_index);
}

static struct strobe_error *finish(struct jitdump *j, const char *name, struct jitdump **ret)
{
	struct cursor c = cursor_make(j->data, j->bytes, false);
	/* Offsets of names in tables of symbols have 32 bits. */
	struct strobe_error *err = NULL;
	if (j->bytes >= UINT32_MAX)
		err = error_create(ERROR_LIMIT, "%s is larger than 4 GB", name);
	else if (!read_header(j, &c))
		err = error_create(ERROR_FORMAT, "%s is not a jitdump", name);
	if (err) {
		jitdump_close(j);
		return err;
	}
	read_records(j, &c);
	*ret = j;
	return NULL;
}

struct strobe_error *jitdump_read(const void *p, size_t n, const char *name, struct jitdump **ret)
{
	struct jitdump *j = xcalloc(1, sizeof(*j));
	j->map.slot = -1;
	j->data = n ? p : "";
	j->bytes = n;
	return finish(j, name, ret);
}

struct strobe_error *jitdump_open_fd(int fd, const char *name, struct jitdump **ret)
{
	struct filemap map;
	TRY(filemap_open_fd(&map, fd, name));
	struct jitdump *j = xcalloc(1, sizeof(*j));
	j->map = map;
	j->data = map.bytes ? (const char *)map.data : "";
	j->bytes = map.bytes;
	return finish(j, name, ret);
}

void jitdump_close(struct jitdump *j)
{
	if (!j)
		return;
	filemap_close(&j->map);
	vec_deinit(&j->functions);
	vec_deinit(&j->placements);
	vec_deinit(&j->lines);
	free(j);
}

const struct jitdump_line *jitdump_line_at(const struct jitdump *j, const struct jitdump_function *f, uint64_t offset_in_function)
{
	const struct jitdump_line *best = NULL;
	uint64_t address = f->address + offset_in_function;
	for (uint32_t i = 0; i < f->lines_nr; i++) {
		const struct jitdump_line *l = &j->lines.data[f->first_line + i];
		/* The nearest one before, in any order of records; of equal ones the last. */
		if (l->address <= address && l->address >= f->address && (!best || l->address >= best->address))
			best = l;
	}
	return best;
}

const struct jitdump_function *jitdump_function_at(const struct jitdump *j, uint64_t offset)
{
	/* Functions are in the order of the file, and so of their offsets. */
	size_t after = vec_search(&j->functions, f, f->offset <= offset);
	const struct jitdump_function *f = after ? &j->functions.data[after - 1] : NULL;
	return f && offset - f->offset < f->bytes ? f : NULL;
}

/* Line programs of DWARF 2-5 -> rows by address, and paths of files. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "object/dwarf/priv.h"

#define FORMATS_MAX 255

struct program {
	struct dwarf_unit *u;
	struct cursor c;            /* the unit's line table, from its header on */
	uint16_t version;
	uint8_t address_bytes, offset_bytes;
	uint8_t min_bytes, max_ops, line_range, opcode_base;
	int8_t line_base;
	bool default_is_stmt;
	bool keeps_all;             /* keep all rows with the same address */
	const uint8_t *operands;    /* of standard opcodes */
	VEC(const char *) dirs;
	VEC(struct dwarf_line_file) files;
	VEC(struct dwarf_row) rows;
};

struct sequence {
	uint64_t start;
	size_t first, nr;
};

struct entry_format {
	uint64_t content, form;
};

/* ---- header ---- */

static void read_tables_old(struct program *p)
{
	struct dwarf_line_file none = {};
	vec_push(&p->dirs, p->u->comp_dir);
	vec_push(&p->files, none); /* files count from one */
	for (;;) {
		const char *dir = cursor_cstr(&p->c);
		if (!dir || !*dir)
			break;
		vec_push(&p->dirs, dir);
	}
	for (;;) {
		struct dwarf_line_file f = { .name = cursor_cstr(&p->c) };
		if (!f.name || !*f.name)
			break;
		f.dir = cursor_uleb(&p->c);
		cursor_uleb(&p->c);
		cursor_uleb(&p->c);
		vec_push(&p->files, f);
	}
}

static unsigned read_formats(struct program *p, struct entry_format formats[FORMATS_MAX])
{
	unsigned n = cursor_u8(&p->c);
	for (unsigned i = 0; i < n; i++) {
		formats[i].content = cursor_uleb(&p->c);
		formats[i].form = cursor_uleb(&p->c);
	}
	return p->c.bad ? 0 : n;
}

static struct dwarf_line_file read_entry(struct program *p, const struct dwarf_unit *as, const struct entry_format *formats,
					 unsigned n)
{
	struct dwarf_line_file f = {};
	for (unsigned i = 0; i < n && !p->c.bad; i++) {
		struct dwarf_value v = dwarf_read_form(as, &p->c, (uint16_t)formats[i].form, 0);
		if (formats[i].content == DW_LNCT_path)
			f.name = dwarf_string(p->u, &v);
		else if (formats[i].content == DW_LNCT_directory_index)
			f.dir = v.u;
	}
	return f;
}

/* The number of entries without a size would be unlimited: each must take at least a byte, or there is one. */
static bool plausible(const struct program *p, uint64_t n)
{
	return !p->c.bad && n <= cursor_left(&p->c);
}

static void read_tables_new(struct program *p)
{
	struct entry_format formats[FORMATS_MAX];
	struct dwarf_unit as = { .file = p->u->file, .version = p->version, .address_bytes = p->address_bytes,
				 .offset_bytes = p->offset_bytes };
	unsigned n = read_formats(p, formats);
	uint64_t entries = cursor_uleb(&p->c);
	for (uint64_t i = 0; i < entries && plausible(p, entries - i); i++) {
		struct dwarf_line_file dir = read_entry(p, &as, formats, n);
		vec_push(&p->dirs, dir.name);
	}
	n = read_formats(p, formats);
	entries = cursor_uleb(&p->c);
	for (uint64_t i = 0; i < entries && plausible(p, entries - i); i++) {
		struct dwarf_line_file f = read_entry(p, &as, formats, n);
		vec_push(&p->files, f);
	}
}

static bool read_header(struct program *p)
{
	struct cursor *c = &p->c;
	p->offset_bytes = 4;
	uint64_t bytes = cursor_u32(c);
	if (bytes == UINT32_MAX) {
		p->offset_bytes = 8;
		bytes = cursor_u64(c);
	}
	if (c->bad || bytes > cursor_left(c))
		return false;
	c->end = c->at + bytes;
	p->version = cursor_u16(c);
	p->address_bytes = p->u->address_bytes;
	if (p->version < 2 || p->version > 5)
		return false;
	if (p->version >= 5) {
		p->address_bytes = cursor_u8(c);
		cursor_u8(c); /* segment selectors */
	}
	uint64_t header_bytes = dwarf_get(c, p->offset_bytes);
	if (c->bad || header_bytes > cursor_left(c))
		return false;
	const uint8_t *code = c->at + header_bytes;
	p->min_bytes = cursor_u8(c);
	p->max_ops = p->version >= 4 ? cursor_u8(c) : 1;
	p->default_is_stmt = cursor_u8(c);
	p->line_base = (int8_t)cursor_u8(c);
	p->line_range = cursor_u8(c);
	p->opcode_base = cursor_u8(c);
	p->operands = cursor_bytes(c, p->opcode_base ? p->opcode_base - 1u : 0);
	if (c->bad || !p->line_range)
		return false;
	if (p->version >= 5)
		read_tables_new(p);
	else
		read_tables_old(p);
	/* Damaged tables lose names, not lines. */
	c->bad = false;
	c->at = code;
	return true;
}

/* ---- program ---- */

struct state {
	uint64_t addr, file;
	uint32_t line;
	uint16_t column;
	bool is_stmt;
	size_t first; /* row of the sequence */
	bool sorted;
	VEC(struct sequence) sequences;
};

static void reset(struct state *s, const struct program *p)
{
	s->addr = 0;
	s->file = 1;
	s->line = 1;
	s->column = 0;
	s->is_stmt = p->default_is_stmt;
	s->first = p->rows.len;
}

static inline void add_row(struct program *p, struct state *s)
{
	struct dwarf_row row = { .addr = s->addr, .file = s->file > UINT32_MAX - 1 ? UINT32_MAX - 1 : (uint32_t)s->file,
				 .line = s->line, .column = s->column, .is_stmt = s->is_stmt };
	size_t n = p->rows.len;
	/* The last row with an address counts. */
	if (!p->keeps_all && n > s->first && p->rows.data[n - 1].addr == s->addr) {
		p->rows.data[n - 1] = row;
		return;
	}
	if (n > s->first && p->rows.data[n - 1].addr > s->addr)
		s->sorted = false;
	vec_push(&p->rows, row);
}

static void end_sequence(struct program *p, struct state *s)
{
	uint64_t start = p->rows.len > s->first ? p->rows.data[s->first].addr : 0;
	/* Addresses ascend in a sequence; one that does not, or that the linker dropped, is ignored. */
	if (p->rows.len > s->first && s->sorted && s->addr > start && dwarf_is_text(p->u->file->dwarf, start)) {
		while (p->rows.len > s->first && vec_last(&p->rows).addr == s->addr)
			p->rows.len--;
		vec_push(&p->rows, ((struct dwarf_row){ .addr = s->addr, .file = UINT32_MAX }));
		vec_push(&s->sequences, ((struct sequence){ start, s->first, p->rows.len - s->first }));
	} else {
		p->rows.len = s->first;
	}
	s->sorted = true;
	reset(s, p);
}

static void run_extended(struct program *p, struct state *s)
{
	uint64_t bytes = cursor_uleb(&p->c);
	if (!bytes || bytes > cursor_left(&p->c)) {
		p->c.bad |= bytes != 0;
		return;
	}
	struct cursor in = cursor_sub(&p->c, (size_t)bytes);
	struct dwarf_line_file f = {};
	switch (cursor_u8(&in)) {
	case DW_LNE_end_sequence: end_sequence(p, s); break;
	case DW_LNE_set_address: s->addr = dwarf_get(&in, (unsigned)cursor_left(&in)); break;
	case DW_LNE_define_file:
		f.name = cursor_cstr(&in);
		f.dir = cursor_uleb(&in);
		vec_push(&p->files, f);
		break;
	default: break;
	}
}

static void run_standard(struct program *p, struct state *s, uint8_t op)
{
	struct cursor *c = &p->c;
	switch (op) {
	case DW_LNS_copy: add_row(p, s); break;
	case DW_LNS_advance_pc: s->addr += cursor_uleb(c) * p->min_bytes; break;
	case DW_LNS_advance_line: s->line += (uint32_t)cursor_sleb(c); break;
	case DW_LNS_set_file: s->file = cursor_uleb(c); break;
	case DW_LNS_set_column: s->column = (uint16_t)cursor_uleb(c); break;
	case DW_LNS_negate_stmt: s->is_stmt = !s->is_stmt; break;
	case DW_LNS_const_add_pc: s->addr += (uint64_t)((255 - p->opcode_base) / p->line_range) * p->min_bytes; break;
	case DW_LNS_fixed_advance_pc: s->addr += cursor_u16(c); break;
	default: /* flags that are not used here; or unknown, with as many operands as the header says */
		for (uint8_t i = 0; i < p->operands[op - 1] && !c->bad; i++)
			cursor_uleb(c);
	}
}

static void run(struct program *p, struct state *s)
{
	s->sorted = true;
	reset(s, p);
	while (cursor_left(&p->c) && !p->c.bad) {
		uint8_t op = cursor_u8(&p->c);
		if (op >= p->opcode_base) {
			uint8_t special = op - p->opcode_base;
			s->addr += (uint64_t)(special / p->line_range) * p->min_bytes;
			s->line += (uint32_t)(p->line_base + special % p->line_range);
			add_row(p, s);
		} else if (op) {
			run_standard(p, s, op);
		} else {
			run_extended(p, s);
		}
	}
	p->rows.len = s->first; /* a sequence that was not ended */
}

/* Sorts sequences by address; an overlapping one is cut at the start of the next. */
static void keep_rows(struct program *p, struct state *s)
{
	struct dwarf_unit *u = p->u;
	size_t n = s->sequences.len;
	struct sort_pair *order = xreallocarray(NULL, n + 1, sizeof(*order));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct sort_pair){ s->sequences.data[i].start, i };
	sort_pairs(order, n);
	u->rows = xreallocarray(NULL, p->rows.len + 1, sizeof(*u->rows));
	for (size_t i = 0; i < n; i++) {
		const struct sequence *q = &s->sequences.data[order[i].value];
		while (u->rows_nr && u->rows[u->rows_nr - 1].addr >= q->start)
			u->rows_nr--;
		memcpy(u->rows + u->rows_nr, p->rows.data + q->first, q->nr * sizeof(*u->rows));
		u->rows_nr += q->nr;
	}
	free(order);
	struct dwarf_row *fit = arena_memdup(&u->lines_share.arena, u->rows, u->rows_nr * sizeof(*fit));
	free(u->rows);
	u->rows = fit;
}

static void keep_files(struct program *p)
{
	struct dwarf_unit *u = p->u;
	struct arena *arena = &u->lines_share.arena;
	u->dirs_nr = p->dirs.len;
	u->dirs = arena_memdup(arena, p->dirs.data ? p->dirs.data : (const char **)"", p->dirs.len * sizeof(*u->dirs));
	u->files_nr = p->files.len;
	u->files = arena_memdup(arena, p->files.data ? (void *)p->files.data : (void *)"", p->files.len * sizeof(*u->files));
}

static void release(struct program *p, struct state *s)
{
	vec_deinit(&s->sequences);
	vec_deinit(&p->rows);
	vec_deinit(&p->dirs);
	vec_deinit(&p->files);
}

bool dwarf_read_files(struct dwarf_unit *u)
{
	struct program p = { .u = u, .c = dwarf_section(u->file, DWARF_LINE) };
	if (!u->has_lines || u->line_offset > cursor_left(&p.c))
		return true;
	p.c.at += u->line_offset;
	bool is_whole = !read_header(&p) || p.version >= 5;
	if (is_whole)
		keep_files(&p);
	release(&p, &(struct state){});
	return is_whole;
}

void dwarf_read_lines(struct dwarf_unit *u, bool with_files)
{
	struct program p = { .u = u, .c = dwarf_section(u->file, DWARF_LINE) };
	struct state s = {};
	if (!u->has_lines || u->line_offset > cursor_left(&p.c))
		return;
	p.c.at += u->line_offset;
	if (read_header(&p))
		run(&p, &s);
	keep_rows(&p, &s);
	if (with_files)
		keep_files(&p);
	release(&p, &s);
}

static int by_address(const void *a, const void *b)
{
	const struct dwarf_statement *l = a, *r = b;
	return l->addr < r->addr ? -1 : l->addr > r->addr;
}

void dwarf_read_statements(struct dwarf_unit *u, dwarf_statements *to)
{
	struct program p = { .u = u, .c = dwarf_section(u->file, DWARF_LINE), .keeps_all = true };
	struct state s = {};
	dwarf_need_files(u);
	if (!u->has_lines || u->line_offset > cursor_left(&p.c))
		return;
	p.c.at += u->line_offset;
	if (read_header(&p))
		run(&p, &s);
	for (size_t i = 0; i < p.rows.len; i++) {
		const struct dwarf_row *row = &p.rows.data[i];
		const char *path = row->is_stmt && row->line && row->file != UINT32_MAX ? dwarf_file_path(u, row->file) : NULL;
		if (path)
			vec_push(to, ((struct dwarf_statement){ row->addr, path, row->line }));
	}
	if (to->len)
		qsort(to->data, to->len, sizeof(*to->data), by_address);
	release(&p, &s);
}

const struct dwarf_row *dwarf_row_find(const struct dwarf_unit *u, uint64_t addr)
{
	size_t n = u->rows_nr;
	if (!n || addr < u->rows[0].addr)
		return NULL;
	const struct dwarf_row *at = u->rows;
	while (n > 1) {
		size_t half = n / 2;
		at += at[half].addr <= addr ? half : 0;
		n -= half;
	}
	return at->file == UINT32_MAX ? NULL : at;
}

static const char *make_path(const struct dwarf_unit *u, const struct dwarf_line_file *f, struct arena *arena)
{
	const char *dir = f->dir < u->dirs_nr ? u->dirs[f->dir] : NULL, *comp = u->comp_dir;
	if (*f->name == '/' || (!dir && !comp))
		return arena_strdup(arena, f->name);
	if (!dir || !*dir)
		return comp ? arena_printf(arena, "%s/%s", comp, f->name) : arena_strdup(arena, f->name);
	if (*dir == '/' || !comp || dir == comp)
		return arena_printf(arena, "%s/%s", dir, f->name);
	return arena_printf(arena, "%s/%s/%s", comp, dir, f->name);
}

const char *dwarf_file_path(struct dwarf_unit *u, uint64_t file)
{
	if (file >= u->files_nr || !u->files[file].name)
		return NULL;
	struct dwarf_line_file *f = &u->files[file];
	const char *path = atomic_load_explicit(&f->path, memory_order_acquire);
	if (path)
		return path;
	struct dwarf_share *share = &u->lines_share;
	pthread_mutex_lock(&share->lock);
	path = atomic_load_explicit(&f->path, memory_order_relaxed);
	if (!path) {
		path = make_path(u, f, &share->arena);
		atomic_store_explicit(&f->path, path, memory_order_release);
	}
	pthread_mutex_unlock(&share->lock);
	return path;
}

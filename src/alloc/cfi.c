#include "alloc/cfi.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#if defined(__x86_64__)
enum { COLUMN_FP = 6, COLUMN_SP = 7, COLUMN_RA = 16, RULE_RA = -8 };
#elif defined(__aarch64__)
enum { COLUMN_FP = 29, COLUMN_SP = 31, COLUMN_RA = 30, RULE_RA = 0 };
#else
enum { COLUMN_FP = -1, COLUMN_SP = -1, COLUMN_RA = -1, RULE_RA = 0 };
#endif

#define STATES 8 /* depth of remember_state */

/* ---- reading ---- */

struct reader {
	const uint8_t *at, *end;
};

static uint64_t take(struct reader *r, unsigned bytes)
{
	uint64_t v = 0;
	if ((size_t)(r->end - r->at) < bytes) {
		r->at = r->end;
		return 0;
	}
	memcpy(&v, r->at, bytes);
	r->at += bytes;
	return v;
}

static uint64_t uleb(struct reader *r)
{
	uint64_t v = 0;
	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		uint8_t byte = *r->at++;
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return v;
}

static int64_t sleb(struct reader *r)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte = 0;
	while (r->at < r->end) {
		byte = *r->at++;
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	if (shift < 64 && byte & 0x40)
		v |= ~(uint64_t)0 << shift;
	return (int64_t)v;
}

/* An address by its DW_EH_PE_* encoding; base: for addresses relative to data. */
static uintptr_t pointer(struct reader *r, uint8_t encoding, uintptr_t base)
{
	uintptr_t from = (uintptr_t)r->at, v;
	switch (encoding & 0x0f) {
	case 0x00: v = take(r, sizeof(uintptr_t)); break;
	case 0x01: v = uleb(r); break;
	case 0x02: v = take(r, 2); break;
	case 0x03: v = take(r, 4); break;
	case 0x04: v = take(r, 8); break;
	case 0x09: v = (uintptr_t)sleb(r); break;
	case 0x0a: v = (uintptr_t)(int64_t)(int16_t)take(r, 2); break;
	case 0x0b: v = (uintptr_t)(int64_t)(int32_t)take(r, 4); break;
	case 0x0c: v = take(r, 8); break;
	default: r->at = r->end; return 0;
	}
	if ((encoding & 0x70) == 0x10)
		v += from;
	else if ((encoding & 0x70) == 0x30)
		v += base;
	return v;
}

/* ---- objects ---- */

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* Older C libraries and musl lack it: there the list of objects is walked, under its lock. */
extern int _dl_find_object(void *, struct dl_find_object *) __attribute__((weak));
#endif

struct search {
	uintptr_t pc;
	struct cfi_object *ret;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	struct search *s = ctx;
	struct cfi_object o = { .start = UINTPTR_MAX, .bias = info->dlpi_addr, .name = info->dlpi_name };
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type == PT_LOAD) {
			o.start = at < o.start ? at : o.start;
			o.end = at + ph->p_memsz > o.end ? at + ph->p_memsz : o.end;
		} else if (ph->p_type == PT_GNU_EH_FRAME) {
			o.hdr = (const uint8_t *)at;
		}
	}
	if (s->pc < o.start || s->pc >= o.end)
		return 0;
	*s->ret = o;
	return 1;
}

bool cfi_find_object(uintptr_t pc, struct cfi_object *ret)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	struct dl_find_object found;
	if (_dl_find_object) {
		if (_dl_find_object((void *)pc, &found))
			return false;
		*ret = (struct cfi_object){ .hdr = found.dlfo_eh_frame,
					    .start = (uintptr_t)found.dlfo_map_start & ~(uintptr_t)4095,
					    .end = (uintptr_t)found.dlfo_map_end,
					    .bias = found.dlfo_link_map->l_addr,
					    .name = found.dlfo_link_map->l_name };
		return true;
	}
#endif
	struct search s = { pc, ret };
	return dl_iterate_phdr(search_object, &s) == 1;
}

/* The FDE that may cover pc, by the sorted table of .eh_frame_hdr; NULL: none. */
static const uint8_t *find_fde(const uint8_t *hdr, uintptr_t pc)
{
	struct reader r = { hdr + 4, hdr + 64 };
	if (hdr[0] != 1 || hdr[2] == 0xff || hdr[3] != 0x3b)
		return NULL;
	pointer(&r, hdr[1], (uintptr_t)hdr);
	uintptr_t n = pointer(&r, hdr[2], (uintptr_t)hdr);
	const int32_t *table = (const int32_t *)r.at;
	int64_t offset = (int64_t)(pc - (uintptr_t)hdr);
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (table[2 * middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? hdr + table[2 * (low - 1) + 1] : NULL;
}

/* ---- one function's program ---- */

enum save { SAVE_SAME, SAVE_OFFSET, SAVE_LOST, SAVE_UNDEFINED };

struct state {
	uint8_t fp_save, ra_save;
	bool is_expression;
	uint8_t cfa_reg;
	int64_t cfa, fp, ra;
	const uint8_t *expression, *expression_end;
};

struct program {
	struct reader cie, fde;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_reg;
	uint8_t encoding;
	bool is_signal;
	uintptr_t start, end;
};

static void save(const struct program *p, struct state *s, uint64_t reg, uint8_t how, int64_t offset)
{
	if (reg == (uint64_t)COLUMN_FP)
		s->fp_save = how, s->fp = offset;
	else if (reg == p->ra_reg)
		s->ra_save = how, s->ra = offset;
}

static void restore(const struct program *p, struct state *s, const struct state *initial, uint64_t reg)
{
	if (reg == (uint64_t)COLUMN_FP)
		save(p, s, reg, initial->fp_save, initial->fp);
	else if (reg == p->ra_reg)
		save(p, s, reg, initial->ra_save, initial->ra);
}

static void define(struct state *s, uint64_t reg, int64_t offset)
{
	s->is_expression = false;
	s->cfa_reg = reg < 255 ? (uint8_t)reg : 255;
	s->cfa = offset;
}

static void define_expression(struct reader *r, struct state *s)
{
	uint64_t n = uleb(r);
	if (n > (size_t)(r->end - r->at))
		n = (size_t)(r->end - r->at);
	s->is_expression = true;
	s->expression = r->at;
	r->at += n;
	s->expression_end = r->at;
}

static void skip_block(struct reader *r)
{
	uint64_t n = uleb(r);
	r->at = n > (size_t)(r->end - r->at) ? r->end : r->at + n;
}

/* Instructions that define the CFA; false: another one. */
static bool run_cfa(struct reader *r, struct state *s, const struct program *p, uint8_t op)
{
	uint64_t reg;
	switch (op) {
	case 0x0c: reg = uleb(r); define(s, reg, (int64_t)uleb(r)); return true;                  /* def_cfa */
	case 0x0d: s->cfa_reg = (uint8_t)uleb(r); return true;                                   /* def_cfa_register */
	case 0x0e: s->cfa = (int64_t)uleb(r); return true;                                       /* def_cfa_offset */
	case 0x0f: define_expression(r, s); return true;                                         /* def_cfa_expression */
	case 0x12: reg = uleb(r); define(s, reg, sleb(r) * p->data_align); return true;           /* def_cfa_sf */
	case 0x13: s->cfa = sleb(r) * p->data_align; return true;                                 /* def_cfa_offset_sf */
	default: return false;
	}
}

/* Instructions with rules of registers; false: op is unknown. */
static bool run_save(struct reader *r, struct state *s, const struct state *initial, const struct program *p, uint8_t op)
{
	uint64_t reg;
	switch (op) {
	case 0x00: return true;                                                                  /* nop */
	case 0x05: reg = uleb(r); save(p, s, reg, SAVE_OFFSET, (int64_t)uleb(r) * p->data_align); return true; /* offset_extended */
	case 0x06: restore(p, s, initial, uleb(r)); return true;                                 /* restore_extended */
	case 0x07: save(p, s, uleb(r), SAVE_UNDEFINED, 0); return true;                          /* undefined */
	case 0x08: save(p, s, uleb(r), SAVE_SAME, 0); return true;                               /* same_value */
	case 0x09: reg = uleb(r); uleb(r); save(p, s, reg, SAVE_LOST, 0); return true;           /* register */
	case 0x10:                                                                               /* expression */
	case 0x16: reg = uleb(r); skip_block(r); save(p, s, reg, SAVE_LOST, 0); return true;     /* val_expression */
	case 0x11: reg = uleb(r); save(p, s, reg, SAVE_OFFSET, sleb(r) * p->data_align); return true; /* offset_extended_sf */
	case 0x14: reg = uleb(r); uleb(r); save(p, s, reg, SAVE_LOST, 0); return true;           /* val_offset */
	case 0x15: reg = uleb(r); sleb(r); save(p, s, reg, SAVE_LOST, 0); return true;           /* val_offset_sf */
	case 0x2d: return true;                                                                  /* AARCH64_negate_ra_state */
	case 0x2e: uleb(r); return true;                                                         /* GNU_args_size */
	default: return false;
	}
}

/* Instructions that advance the location; *ret_location is that of the following ones. False: another one. */
static bool run_advance(struct reader *r, const struct program *p, uint8_t op, uintptr_t *location)
{
	switch (op) {
	case 0x01: *location = pointer(r, p->encoding, 0); return true;
	case 0x02: *location += take(r, 1) * p->code_align; return true;
	case 0x03: *location += take(r, 2) * p->code_align; return true;
	case 0x04: *location += take(r, 4) * p->code_align; return true;
	default: return false;
	}
}

/* Runs the instructions up to pc; false if one is unknown. initial NULL: those of the CIE. */
static bool run(struct reader r, struct state *s, const struct state *initial, const struct program *p, uintptr_t pc)
{
	struct state remembered[STATES];
	unsigned depth = 0;
	uintptr_t location = p->start;
	while (r.at < r.end) {
		uint8_t op = *r.at++, low = op & 0x3f;
		switch (op >> 6) {
		case 1:
			location += low * p->code_align;
			break;
		case 2:
			save(p, s, low, SAVE_OFFSET, (int64_t)uleb(&r) * p->data_align);
			break;
		case 3:
			restore(p, s, initial ? initial : s, low);
			break;
		default:
			if (op == 0x0a && depth < STATES)
				remembered[depth++] = *s;
			else if (op == 0x0b && depth)
				*s = remembered[--depth];
			else if (!run_advance(&r, p, op, &location) && !run_cfa(&r, s, p, op) &&
				 !run_save(&r, s, initial ? initial : s, p, op))
				return false;
		}
		if (initial && location > pc)
			break;
	}
	return true;
}

/* The length of an entry; r is advanced to its content and limited to the entry. False at the end of the section. */
static bool entry(const uint8_t *at, struct reader *ret)
{
	uint32_t n;
	uint64_t n64;
	memcpy(&n, at, 4);
	*ret = (struct reader){ at + 4, at + 4 + n };
	if (n != UINT32_MAX)
		return n != 0;
	memcpy(&n64, at + 4, 8);
	*ret = (struct reader){ at + 12, at + 12 + n64 };
	return true;
}

static bool read_cie(const uint8_t *at, struct program *p)
{
	struct reader r;
	if (!entry(at, &r) || take(&r, 4))
		return false;
	uint8_t version = (uint8_t)take(&r, 1);
	const char *augmentation = (const char *)r.at;
	r.at += strnlen(augmentation, (size_t)(r.end - r.at)) + 1;
	if ((version != 1 && version != 3) || r.at >= r.end)
		return false;
	p->code_align = uleb(&r);
	p->data_align = sleb(&r);
	p->ra_reg = version == 1 ? take(&r, 1) : uleb(&r);
	p->encoding = 0;
	if (*augmentation == 'z') {
		uint64_t n = uleb(&r);
		const uint8_t *after = r.at + n;
		for (augmentation++; *augmentation; augmentation++) {
			if (*augmentation == 'R')
				p->encoding = (uint8_t)take(&r, 1);
			else if (*augmentation == 'P')
				pointer(&r, (uint8_t)take(&r, 1) & 0x7f, 0);
			else if (*augmentation == 'L')
				take(&r, 1);
			else if (*augmentation == 'S')
				p->is_signal = true;
		}
		r.at = after > r.end ? r.end : after;
		p->fde.at = r.at; /* 'z': FDEs have augmentation data, too */
	} else if (*augmentation) {
		return false;
	}
	p->cie = r;
	return true;
}

static bool read_fde(const uint8_t *at, uintptr_t pc, struct program *p)
{
	struct reader r;
	*p = (struct program){};
	if (!entry(at, &r))
		return false;
	const uint8_t *field = r.at;
	uint32_t distance = (uint32_t)take(&r, 4);
	if (!distance || !read_cie(field - distance, p))
		return false;
	bool has_augmentation = p->fde.at != NULL;
	p->start = pointer(&r, p->encoding, 0);
	p->end = p->start + pointer(&r, p->encoding & 0x0f, 0);
	if (has_augmentation)
		skip_block(&r);
	p->fde = r;
	return pc >= p->start && pc < p->end;
}

/* ---- an object without .eh_frame_hdr ---- */

static struct {
	uintptr_t start;
	const uint8_t *at, *end;
} section;

void cfi_use_section(uintptr_t start, const uint8_t *at, uint64_t bytes)
{
	section.start = start;
	section.at = at;
	section.end = at + bytes;
}

static bool search_fde(uintptr_t pc, struct program *ret)
{
	struct reader r;
	for (const uint8_t *at = section.at; section.end - at > 8 && entry(at, &r) && r.end > r.at && r.end <= section.end; at = r.end) {
		uint32_t distance;
		memcpy(&distance, r.at, sizeof(distance));
		if (distance && distance <= (size_t)(r.at - section.at) && read_fde(at, pc, ret))
			return true;
	}
	return false;
}

static bool find_program(const struct cfi_object *o, uintptr_t pc, struct program *ret)
{
	if (!o->hdr)
		return section.at && o->start == section.start && search_fde(pc, ret);
	const uint8_t *fde = find_fde(o->hdr, pc);
	return fde && read_fde(fde, pc, ret);
}

/* ---- rules ---- */

static struct cfi_rule rule(unsigned kind, int64_t cfa, int64_t fp, int64_t ra)
{
	if (cfa < -(1 << 25) || cfa >= 1 << 25 || fp & 7 || ra & 7 || fp / 8 < -(1 << 16) || fp / 8 >= 1 << 16 ||
	    ra / 8 < -(1 << 16) || ra / 8 >= 1 << 16)
		return (struct cfi_rule){ .kind = CFI_UNKNOWN };
	return (struct cfi_rule){ .kind = kind, .cfa = cfa, .fp = fp / 8, .ra = ra / 8 };
}

/*
 * Two forms of expressions are common: for realigned frames (DW_OP_breg<fp> n, DW_OP_deref), and for stubs of the procedure linkage
 * table, whose CFA is the stack pointer plus 8, and 8 more after their push, at an offset that the expression contains.
 */
static struct cfi_rule of_expression(const struct state *s, uintptr_t pc)
{
	struct reader r = { s->expression, s->expression_end };
	uint64_t op = take(&r, 1);
	int64_t offset = sleb(&r);
	size_t left = (size_t)(r.end - r.at);
	if (op == 0x70u + (unsigned)COLUMN_FP && left == 1 && *r.at == 0x06)
		return rule(CFI_FP_DEREF, offset, s->fp_save == SAVE_OFFSET ? s->fp : 0, s->ra);
#ifdef __x86_64__
	static const uint8_t stub[] = { 0x80, 0x00, 0x3f, 0x1a };
	if (op == 0x77 && left == 9 && !memcmp(r.at, stub, sizeof(stub)) && r.at[4] >= 0x30)
		return rule(CFI_SP, offset + ((pc & 15) >= r.at[4] - 0x30u ? 8 : 0), 0, s->ra);
#endif
	(void)pc;
	return rule(CFI_UNKNOWN, 0, 0, 0);
}

struct cfi_rule cfi_rule_at(const struct cfi_object *o, uintptr_t pc)
{
	struct program p;
	struct state initial = { .cfa_reg = 255, .ra_save = SAVE_SAME, .ra = RULE_RA };
	if (!find_program(o, pc, &p))
		return rule(CFI_NO_TABLE, 0, 0, 0);
	if (p.is_signal)
		return rule(CFI_SIGNAL, 0, 0, 0);
	if (!run(p.cie, &initial, NULL, &p, pc))
		return rule(CFI_UNKNOWN, 0, 0, 0);
	struct state s = initial;
	if (!run(p.fde, &s, &initial, &p, pc))
		return rule(CFI_UNKNOWN, 0, 0, 0);
	if (s.ra_save == SAVE_UNDEFINED)
		return rule(CFI_END, 0, 0, 0);
	if (s.ra_save == SAVE_LOST)
		return rule(CFI_UNKNOWN, 0, 0, 0);
	if (s.is_expression)
		return of_expression(&s, pc);
	int64_t fp = s.fp_save == SAVE_OFFSET ? s.fp : s.fp_save == SAVE_SAME ? 0 : CFI_FP_LOST * 8;
	int64_t ra = s.ra_save == SAVE_OFFSET ? s.ra : 0;
	if (s.cfa_reg == (uint8_t)COLUMN_SP)
		return rule(CFI_SP, s.cfa, fp, ra);
	if (s.cfa_reg == (uint8_t)COLUMN_FP)
		return rule(CFI_FP, s.cfa, fp, ra);
	return rule(CFI_UNKNOWN, 0, 0, 0);
}

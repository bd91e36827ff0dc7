#include "datatypes/datatypes.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "datatypes/body.h"
#include "datatypes/member.h"
#include "datatypes/operand.h"
#include "disasm/disasm.h"
#include "object/object.h"
#include "probe/scope.h"

#define FUNCTION_BYTES_MAX (1u << 20)
#define FOLLOW_INSNS_MAX 256 /* instructions that one register is followed through, backwards */
#define FOLLOW_DEPTH_MAX 8   /* registers that were loaded from what others point to */

/* Debug information of a DSO; dwarf NULL: none. */
struct typed_dso {
	struct dso *dso;
	struct probe_debug debug; /* its files belong to the symbols of the session, but for the supplement */
	struct dwarf_types *types;
	struct u64map by_start;   /* of a symbol → struct body, owned */
};

struct datatypes {
	const struct arch *arch;
	struct disasm *disasm;
	struct u64map by_dso; /* address of a struct dso → struct typed_dso, owned */
	VEC(struct typed_dso *) dsos;
	struct arena scratch; /* of one look-up */
};

const char *datatype_result_name(enum datatype_result r)
{
	static const char *const names[DATATYPE_RESULTS] = {
		[DATATYPE_FOUND] = "ok", [DATATYPE_STACK] = "stack", [DATATYPE_CANARY] = "canary", [DATATYPE_NO_INSN] = "no_insn",
		[DATATYPE_NO_ACCESS] = "no_mem_ops", [DATATYPE_NO_DEBUG] = "no_dbginfo", [DATATYPE_NO_FUNCTION] = "no_cuinfo",
		[DATATYPE_NO_VARIABLE] = "no_var", [DATATYPE_BAD_OFFSET] = "bad_offset",
	};
	return names[r];
}

struct strobe_error *datatypes_create(const struct arch *arch, struct datatypes **ret)
{
	struct disasm *disasm;
	TRY(disasm_create(arch, DISASM_USUAL, DISASM_ATT, &disasm));
	struct datatypes *d = xcalloc(1, sizeof(*d));
	d->arch = arch;
	d->disasm = disasm;
	arena_init(&d->scratch);
	*ret = d;
	return NULL;
}

static void destroy_typed(struct typed_dso *t)
{
	for (size_t i = 0; t->by_start.slots && i <= t->by_start.mask; i++) {
		if (!t->by_start.slots[i].used)
			continue;
		struct body *b = (struct body *)(uintptr_t)t->by_start.slots[i].value;
		body_deinit(b);
		free(b);
	}
	u64map_deinit(&t->by_start);
	dwarf_types_destroy(t->types);
	dwarf_destroy(t->debug.dwarf);
	object_close(t->debug.supplement);
	free(t);
}

void datatypes_destroy(struct datatypes *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->dsos.len; i++)
		destroy_typed(d->dsos.data[i]);
	vec_deinit(&d->dsos);
	u64map_deinit(&d->by_dso);
	arena_deinit(&d->scratch);
	disasm_destroy(d->disasm);
	free(d);
}

static struct object *open_split(void *ctx, const char *path, uint64_t id)
{
	(void)ctx, (void)id;
	return object_open_if_there(path);
}

static void open_debug(struct typed_dso *t)
{
	struct probe_debug *debug = &t->debug;
	debug->object = dso_object(t->dso, &debug->file);
	if (!debug->object)
		return;
	struct object *from = probe_debug_file(debug);
	debug->supplement = object_open_supplement(from, NULL);
	debug->dwarf = dwarf_create(from, (struct dwarf_files){ .supplement = debug->supplement, .open_split = open_split });
	if (debug->dwarf)
		t->types = dwarf_types_create(debug->dwarf);
}

static struct typed_dso *typed_of(struct datatypes *d, struct dso *dso)
{
	bool is_new;
	uint64_t *known = u64map_put(&d->by_dso, (uintptr_t)dso, &is_new);
	if (is_new) {
		struct typed_dso *t = xcalloc(1, sizeof(*t));
		t->dso = dso;
		open_debug(t);
		vec_push(&d->dsos, t);
		*known = (uintptr_t)t;
	}
	return (struct typed_dso *)(uintptr_t)*known;
}

/* ---- instructions ---- */

/* An instruction in its function. */
struct place {
	struct datatypes *d;
	struct typed_dso *typed;
	const struct body *body;
	uint32_t insn;
};

static const struct body_insn *insn_at(const struct place *at)
{
	return &at->body->insns.data[at->insn];
}

static struct body *read_body(struct datatypes *d, struct typed_dso *t, uint64_t start, uint64_t end)
{
	size_t n;
	struct body *b = xcalloc(1, sizeof(*b));
	const void *code = end - start <= FUNCTION_BYTES_MAX ? dso_code(t->dso, start, &n) : NULL;
	body_read(d->disasm, code, !code ? 0 : n < end - start ? n : (size_t)(end - start), start, b);
	return b;
}

static bool find_place(struct datatypes *d, struct dso *dso, uint64_t code, struct place *ret)
{
	bool is_new;
	const struct symbol *symbol = dso_symbol(dso, code);
	if (!symbol)
		return false;
	struct typed_dso *t = typed_of(d, dso);
	uint64_t *body = u64map_put(&t->by_start, symbol->start, &is_new);
	if (is_new)
		*body = (uintptr_t)read_body(d, t, symbol->start, symbol->end);
	*ret = (struct place){ d, t, (struct body *)(uintptr_t)*body, BODY_NONE };
	ret->insn = body_find(ret->body, code);
	return ret->insn != BODY_NONE;
}

const char *datatypes_insn(struct datatypes *d, struct dso *dso, uint64_t code)
{
	struct place at;
	return find_place(d, dso, code, &at) ? insn_at(&at)->text : NULL;
}

/* ---- variables ---- */

/* What an address is in; offset may be outside of it. */
struct pointee {
	const struct type *type;
	int64_t offset;
};

struct search {
	struct probe_scope scope;
	struct operand operand;
	bool only_pointers;  /* in the base register */
	bool has_address;    /* that of the operand is known: */
	uint64_t address;
	const struct data_address *data;
	struct pointee found;
	bool is_found;
};

static void take(struct search *s, const struct type *t, int64_t offset)
{
	if (!type_bytes(t))
		return;
	s->found = (struct pointee){ t, offset };
	s->is_found = true;
}

/* The base register has the value of a variable minus `less`: if that is a pointer, the operand is in what it points to. */
static void take_target(struct search *s, const struct type *t, int64_t less)
{
	const struct type *pointer = type_strip(t);
	if (pointer && (pointer->kind == TYPE_POINTER || pointer->kind == TYPE_REFERENCE))
		take(s, type_target(pointer), s->operand.displacement - less);
}

static void take_variable(struct search *s, const struct dwarf_variable *v)
{
	const struct operand *o = &s->operand;
	struct locations where = probe_scope_locate(&s->scope, v);
	const struct location *at = where.nr == 1 && !where.pieces[0].bits ? &where.pieces[0].at : NULL;
	if (!at || at->derefs)
		return;
	const struct type *t = dwarf_types_of(s->scope.types, &v->die);
	bool is_based = o->has_base && at->reg == o->base;
	if (at->kind == LOCATION_IN_REGISTER && is_based)
		take_target(s, t, 0);
	else if (at->kind == LOCATION_IS_VALUE && at->base == LOCATION_OF_REGISTER && is_based)
		take_target(s, t, at->offsets[0]);
	else if (s->only_pointers || at->kind != LOCATION_IN_MEMORY)
		return;
	else if (at->base == LOCATION_OF_REGISTER && is_based && (uint64_t)(o->displacement - at->offsets[0]) < type_bytes(t))
		take(s, t, o->displacement - at->offsets[0]);
	else if (at->base == LOCATION_OF_ADDRESS && s->has_address &&
		 s->address - at->start - (uint64_t)at->offsets[0] < type_bytes(t))
		take(s, t, (int64_t)(s->address - at->start - (uint64_t)at->offsets[0]));
}

/* Of several variables the innermost is last. */
static bool try_local(void *ctx, const struct dwarf_variable *v)
{
	struct search *s = ctx;
	if (v->in_scope)
		take_variable(s, v);
	return true;
}

static bool try_global(void *ctx, const struct dwarf_variable *v)
{
	struct search *s = ctx;
	take_variable(s, v);
	return !s->is_found;
}

/* Also one that is only declared in this unit. */
static bool try_symbol(void *ctx, const struct dwarf_variable *v)
{
	struct search *s = ctx;
	struct dwarf_die from;
	struct dwarf_value linkage = dwarf_die_inherited(&v->die, DW_AT_linkage_name, &from);
	const char *raw = linkage.class ? dwarf_die_text(&from, &linkage) : NULL;
	const struct type *t = dwarf_types_of(s->scope.types, &v->die);
	if (!strcmp(raw ? raw : v->name, s->data->symbol) && s->data->offset < type_bytes(t))
		take(s, t, (int64_t)s->data->offset);
	return !s->is_found;
}

/* By the variables at an address. */
static enum datatype_result search(const struct place *at, uint64_t address, struct search *s)
{
	const struct probe_site site = { .address = address };
	struct strobe_error *err = probe_scope_open(&at->typed->debug, at->typed->types, &site, &at->d->scratch, &s->scope);
	bool has_scope = !err;
	error_destroy(err);
	if (has_scope)
		dwarf_each_variable(&s->scope.function, address, false, try_local, s);
	if (has_scope && !s->is_found && s->has_address)
		dwarf_each_global(&s->scope.function, try_global, s);
	if (has_scope && !s->is_found && s->data && s->data->symbol)
		dwarf_each_global(&s->scope.function, try_symbol, s);
	probe_scope_close(&s->scope);
	return !has_scope ? DATATYPE_NO_FUNCTION : s->is_found ? DATATYPE_FOUND : DATATYPE_NO_VARIABLE;
}

/* ---- registers ---- */

static enum datatype_result find_data(struct place at, bool is_address, const struct data_address *data, unsigned depth,
				      struct pointee *ret);

/* What a register points to by a variable that it holds at the address. */
static enum datatype_result pointee_by_variable(const struct place *at, uint64_t address, uint8_t reg, struct pointee *ret)
{
	struct search s = { .operand = { .has_base = true, .base = reg }, .only_pointers = true };
	enum datatype_result r = search(at, address, &s);
	*ret = s.found;
	return r;
}

/* What the target of a pointer in memory is. */
static enum datatype_result load(const struct pointee *from, struct pointee *ret)
{
	const struct type *pointer = from->offset < 0 ? NULL : type_strip(member_type(from->type, (uint64_t)from->offset));
	if (!pointer || (pointer->kind != TYPE_POINTER && pointer->kind != TYPE_REFERENCE) || !type_bytes(type_target(pointer)))
		return DATATYPE_NO_VARIABLE;
	*ret = (struct pointee){ type_target(pointer), 0 };
	return DATATYPE_FOUND;
}

/* What a register points to before the instruction: by a variable, or by the instruction that gave it its value. */
static enum datatype_result pointee_of(struct place at, uint8_t reg, unsigned depth, struct pointee *ret)
{
	enum datatype_result r = pointee_by_variable(&at, insn_at(&at)->address, reg, ret);
	for (unsigned n = 0; r == DATATYPE_NO_VARIABLE && n < FOLLOW_INSNS_MAX && depth < FOLLOW_DEPTH_MAX; n++) {
		uint8_t from = 0;
		uint64_t next = insn_at(&at)->address;
		if (insn_at(&at)->is_target || !at.insn || at.body->insns.data[at.insn - 1].ends)
			return pointee_by_variable(&at, next, reg, ret);
		at.insn--;
		enum effect effect = effect_of_text(insn_at(&at)->text, reg, &from);
		if (effect == EFFECT_NONE)
			continue;
		if (pointee_by_variable(&at, next, reg, ret) == DATATYPE_FOUND)
			return DATATYPE_FOUND;
		if (effect == EFFECT_COPY)
			return pointee_of(at, from, depth + 1, ret);
		if (effect == EFFECT_ADDRESS)
			return find_data(at, true, NULL, depth + 1, ret);
		if (effect == EFFECT_OTHER)
			return r;
		struct pointee data;
		r = find_data(at, false, NULL, depth + 1, &data);
		return r == DATATYPE_FOUND ? load(&data, ret) : r;
	}
	return r;
}

/* What the operand of the instruction is in. is_address: it only computes the address. */
static enum datatype_result find_data(struct place at, bool is_address, const struct data_address *data, unsigned depth,
				      struct pointee *ret)
{
	const struct body_insn *insn = insn_at(&at);
	struct search s = { .data = data };
	bool has = is_address ? operand_of_address(insn->text, &s.operand) : operand_of_text(at.d->arch, insn->text, &s.operand);
	if (!has)
		return DATATYPE_NO_ACCESS;
	s.has_address = !s.operand.has_base && insn->has_address;
	s.address = insn->data;
	const struct symbol *symbol = s.has_address && !data ? dso_symbol(at.typed->dso, s.address) : NULL;
	struct data_address there = { symbol ? symbol->raw_name : NULL, symbol ? s.address - symbol->start : 0 };
	if (symbol)
		s.data = &there;
	enum datatype_result r = search(&at, insn->address, &s);
	*ret = s.found;
	if (r != DATATYPE_NO_VARIABLE || !s.operand.has_base)
		return r;
	r = pointee_of(at, s.operand.base, depth, ret);
	ret->offset += s.operand.displacement;
	return r;
}

enum datatype_result datatypes_find(struct datatypes *d, struct dso *dso, uint64_t code, const struct data_address *data,
				    struct datatype *ret)
{
	struct place at;
	struct pointee found = {};
	*ret = (struct datatype){};
	if (!find_place(d, dso, code, &at))
		return DATATYPE_NO_INSN;
	if (operand_is_canary(insn_at(&at)->text))
		return DATATYPE_CANARY;
	if (operand_is_stack(insn_at(&at)->text))
		return DATATYPE_STACK;
	if (!at.typed->types)
		return DATATYPE_NO_DEBUG;
	enum datatype_result r = find_data(at, false, data, 0, &found);
	arena_reset(&d->scratch);
	if (r != DATATYPE_FOUND)
		return r;
	if (found.offset < 0)
		return DATATYPE_BAD_OFFSET;
	/* Beyond the first: one of several in a row. */
	*ret = (struct datatype){ found.type, (uint64_t)found.offset % type_bytes(found.type) };
	return DATATYPE_FOUND;
}

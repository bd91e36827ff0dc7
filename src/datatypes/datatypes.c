#include "datatypes/datatypes.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "datatypes/operand.h"
#include "disasm/disasm.h"
#include "object/object.h"
#include "probe/scope.h"

/* Debug information of a DSO; dwarf NULL: none. */
struct typed_dso {
	struct probe_debug debug; /* its files belong to the symbols of the session, but for the supplement */
	struct dwarf_types *types;
};

struct datatypes {
	const struct arch *arch;
	struct disasm *disasm;
	struct u64map by_dso; /* address of a struct dso → index in dsos + 1 */
	VEC(struct typed_dso) dsos;
	struct arena scratch; /* of one look-up */
};

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

void datatypes_destroy(struct datatypes *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->dsos.len; i++) {
		dwarf_types_destroy(d->dsos.data[i].types);
		dwarf_destroy(d->dsos.data[i].debug.dwarf);
		object_close(d->dsos.data[i].debug.supplement);
	}
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

static struct typed_dso open_debug(struct dso *dso)
{
	struct typed_dso ret = {};
	ret.debug.object = dso_object(dso, &ret.debug.file);
	if (!ret.debug.object)
		return ret;
	struct object *from = probe_debug_file(&ret.debug);
	ret.debug.supplement = object_open_supplement(from, NULL);
	ret.debug.dwarf = dwarf_create(from, (struct dwarf_files){ .supplement = ret.debug.supplement, .open_split = open_split });
	if (ret.debug.dwarf)
		ret.types = dwarf_types_create(ret.debug.dwarf);
	return ret;
}

static struct typed_dso debug_of(struct datatypes *d, struct dso *dso)
{
	bool is_new;
	uint64_t *index = u64map_put(&d->by_dso, (uintptr_t)dso, &is_new);
	if (is_new) {
		vec_push(&d->dsos, open_debug(dso));
		*index = d->dsos.len;
	}
	return d->dsos.data[*index - 1];
}

/* ---- the instruction ---- */

struct access {
	struct operand operand;
	bool has_address; /* the operand's address is known: relative to the instruction */
	uint64_t address;
};

static bool decode(struct datatypes *d, struct dso *dso, uint64_t at, struct access *ret)
{
	size_t n, length;
	struct insn insn;
	struct out text;
	const void *code = dso_code(dso, at, &n);
	if (!code || !disasm_decode(d->disasm, code, n, at, &insn))
		return false;
	out_init_mem(&text);
	disasm_text(d->disasm, &text, code, insn.bytes, at);
	out_ch(&text, '\0');
	const char *words = out_mem(&text, &length);
	bool is_access = operand_of_text(d->arch, words, &ret->operand);
	error_destroy(out_close(&text)); /* memory does not fail */
	ret->has_address = is_access && !ret->operand.has_base && insn.has_address;
	ret->address = insn.address;
	return is_access;
}

/* ---- variables ---- */

struct search {
	struct probe_scope scope;
	const struct access *access;
	const struct data_address *data;
	struct datatype found;
	bool is_found;
};

static void take(struct search *s, const struct type *t, uint64_t offset)
{
	uint64_t bytes = type_bytes(t);
	if (!t || !bytes || offset >= bytes)
		return;
	s->found = (struct datatype){ t, offset };
	s->is_found = true;
}

/* The variable is a pointer in the base register: the operand is in what it points to, or in one of several after it. */
static void take_target(struct search *s, const struct type *t)
{
	const struct type *pointer = type_strip(t);
	if (!pointer || (pointer->kind != TYPE_POINTER && pointer->kind != TYPE_REFERENCE))
		return;
	const struct type *target = type_target(pointer);
	uint64_t bytes = type_bytes(target);
	if (bytes && !s->access->operand.has_index && s->access->operand.displacement >= 0)
		take(s, target, (uint64_t)s->access->operand.displacement % bytes);
}

static void take_variable(struct search *s, const struct dwarf_variable *v)
{
	const struct operand *o = &s->access->operand;
	struct locations where = probe_scope_locate(&s->scope, v);
	const struct location *at = where.nr == 1 && !where.pieces[0].bits ? &where.pieces[0].at : NULL;
	if (!at || at->derefs)
		return;
	const struct type *t = dwarf_types_of(s->scope.types, &v->die);
	if (at->kind == LOCATION_IN_REGISTER && o->has_base && at->reg == o->base)
		take_target(s, t);
	else if (at->kind == LOCATION_IN_MEMORY && at->base == LOCATION_OF_REGISTER && o->has_base && !o->has_index && at->reg == o->base)
		take(s, t, (uint64_t)(o->displacement - at->offsets[0]));
	else if (at->kind == LOCATION_IN_MEMORY && at->base == LOCATION_OF_ADDRESS && s->access->has_address)
		take(s, t, s->access->address - at->start - (uint64_t)at->offsets[0]);
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
	if (s->access->has_address)
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
	if (!strcmp(raw ? raw : v->name, s->data->symbol))
		take(s, dwarf_types_of(s->scope.types, &v->die), s->data->offset);
	return !s->is_found;
}

static bool search(struct search *s)
{
	dwarf_each_variable(&s->scope.function, s->scope.address, false, try_local, s);
	if (!s->is_found && s->access->has_address)
		dwarf_each_global(&s->scope.function, try_global, s);
	if (!s->is_found && s->data && s->data->symbol)
		dwarf_each_global(&s->scope.function, try_symbol, s);
	return s->is_found;
}

bool datatypes_find(struct datatypes *d, struct dso *dso, uint64_t code, const struct data_address *data, struct datatype *ret)
{
	struct access access;
	struct typed_dso typed = debug_of(d, dso);
	if (!typed.types || !decode(d, dso, code, &access))
		return false;
	struct search s = { .access = &access, .data = data };
	const struct probe_site site = { .address = code };
	struct strobe_error *err = probe_scope_open(&typed.debug, typed.types, &site, &d->scratch, &s.scope);
	bool found = !err && search(&s);
	error_destroy(err); /* not in a function of the debug information */
	probe_scope_close(&s.scope);
	arena_reset(&d->scratch);
	*ret = s.found;
	return found;
}

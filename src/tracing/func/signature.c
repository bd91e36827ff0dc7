#include <string.h>

#include "tracing/func/signature_priv.h"

#define SMALL_BYTES      16  /* maximum size of structs passed in registers */
#define CXX_STRING_BYTES 32 /* two words, and 16 bytes */
#define CXX_STRING_I386  24
#define EM_ARM64         183

bool func_type_is_string(const struct type *t)
{
	t = type_strip(t);
	const struct type *to = t && t->kind == TYPE_POINTER ? type_strip(type_target(t)) : NULL;
	bool is_named_so = to && to->kind == TYPE_INTEGER && to->name && strstr(to->name, "char");
	return to && type_bytes(to) == 1 && (to->kind == TYPE_CHARACTER || is_named_so);
}

static bool is_struct(const struct type *t)
{
	return t && (t->kind == TYPE_STRUCT || t->kind == TYPE_CLASS || t->kind == TYPE_UNION);
}

bool func_type_is_cxx_string(const struct type *t)
{
	t = type_strip(t);
	return is_struct(t) && t->name && !strncmp(t->name, "basic_string<char,", 18) &&
	       (type_bytes(t) == CXX_STRING_BYTES || type_bytes(t) == CXX_STRING_I386);
}

bool func_type_is_span(const struct type *t, bool *ret_length_first)
{
	t = type_strip(t);
	*ret_length_first = is_struct(t) && t->name && !strncmp(t->name, "basic_string_view<char,", 23);
	return *ret_length_first || (is_struct(t) && t->name && !strcmp(t->name, "&str"));
}

/* --- the calling convention --- */

/* Whether bytes `from` to `to` of a type consist only of floating-point numbers. */
static bool is_float_part(const struct type *t, uint64_t from, uint64_t to, unsigned depth)
{
	size_t n;
	t = type_strip(t);
	if (!t || depth > 4)
		return false;
	if (t->kind == TYPE_FLOAT)
		return true;
	if (t->kind == TYPE_ARRAY)
		return is_float_part(type_target(t), 0, type_bytes(type_target(t)), depth + 1);
	if (!is_struct(t))
		return false;
	const struct type_member *m = type_members(t, &n);
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = m[i].bit_offset / 8, bytes = m[i].type ? type_bytes(m[i].type) : 0;
		if (at >= to || at + bytes <= from)
			continue;
		any = true;
		if (!is_float_part(m[i].type, at > from ? 0 : from - at, to - at, depth + 1))
			return false;
	}
	return any;
}

/* Assigns integer registers, or else words of the stack. */
static void place_words(struct convention *c, struct func_parameter *p, unsigned n)
{
	if (c->words + n <= TRACE_FUNC_ARGS) {
		p->place = FUNC_WORD;
		p->words_nr = (uint8_t)n;
		for (unsigned i = 0; i < n; i++)
			p->words[i] = (uint8_t)(c->words + i);
		c->words = (uint8_t)(c->words + n);
		return;
	}
	/* arm64 has two more argument registers, which are not recorded. */
	if (c->arch->e_machine == EM_ARM64 && c->words + n <= 8) {
		c->words = (uint8_t)(c->words + n);
		return;
	}
	p->place = FUNC_FETCHED;
	p->piece = -1;
	p->words[0] = (uint8_t)(c->stack / 8);
	c->stack += 8 * (int32_t)n;
}

static void place_struct(struct convention *c, struct func_parameter *p, uint64_t bytes)
{
	unsigned n = bytes > 8 ? 2 : 1, floats = 0;
	for (unsigned i = 0; i < n; i++)
		floats += is_float_part(p->type, 8 * i, 8 * (i + 1), 0);
	if (floats == n)
		c->floats = (uint8_t)(c->floats + n);
	else if (floats)
		c->is_lost = true; /* one register of either kind */
	else
		place_words(c, p, n);
}

/*
 * Assigns locations in the order of parameters. C++ structs with own constructors are passed by address, which is not known here; Rust
 * has no fixed rules for small ones.
 */
static void place_by_convention(struct convention *c, struct func_parameter *p)
{
	const struct type *t = type_strip(p->type);
	uint64_t bytes = t ? type_bytes(t) : 0;
	bool length_first;
	if (c->is_lost || !t || !bytes || t->kind == TYPE_OTHER || t->kind == TYPE_ARRAY) {
		c->is_lost = true;
	} else if (t->kind == TYPE_FLOAT) {
		if (bytes > 8 || c->floats >= 8)
			c->stack += bytes > 8 ? 16 : 8;
		else
			c->floats++;
	} else if (!is_struct(t)) {
		place_words(c, p, bytes > 8 ? 2 : 1);
	} else if (c->language == FUNC_OF_RUST && func_type_is_span(t, &length_first)) {
		place_words(c, p, 2);
	} else if (bytes > SMALL_BYTES && (c->language == FUNC_OF_RUST || c->arch->e_machine == EM_ARM64)) {
		place_words(c, p, 1);
		p->place = p->place == FUNC_WORD ? FUNC_INDIRECT : FUNC_NOWHERE;
	} else if (c->language != FUNC_OF_C) {
		c->is_lost = true;
	} else if (bytes <= SMALL_BYTES) {
		place_struct(c, p, bytes);
	} else {
		p->place = FUNC_FETCHED;
		p->words[0] = (uint8_t)(c->stack / 8);
		c->stack += (int32_t)(bytes + 7) / 8 * 8;
	}
}

/* --- debug information --- */

/* The index of the argument in a DWARF register; -1: none. */
static int argument_of(const struct arch *arch, unsigned reg)
{
	static const uint8_t x86_64[TRACE_FUNC_ARGS] = { 5, 4, 1, 2, 8, 9 };
	for (int i = 0; i < TRACE_FUNC_ARGS; i++)
		if (arch->e_machine == EM_ARM64 ? reg == (unsigned)i : x86_64[i] == reg)
			return i;
	return -1;
}

/* Whether the whole value is in argument registers. */
static bool take_words(const struct arch *arch, const struct locations *at, struct func_parameter *p)
{
	if (!at->nr || at->nr > FUNC_WORDS)
		return false;
	for (size_t i = 0; i < at->nr; i++) {
		const struct location *l = &at->pieces[i].at;
		int word = l->kind == LOCATION_IN_REGISTER ? argument_of(arch, l->reg) : -1;
		if (word < 0 || (i && at->pieces[i].bit_offset != 64 * i))
			return false;
		p->words[i] = (uint8_t)word;
	}
	p->place = FUNC_WORD;
	p->words_nr = (uint8_t)at->nr;
	return true;
}

/* A struct whose address is in an argument register. */
static bool take_address(const struct arch *arch, const struct locations *at, struct func_parameter *p)
{
	const struct location *l = at->nr == 1 ? &at->pieces[0].at : NULL;
	if (!l || l->kind != LOCATION_IN_MEMORY || l->base != LOCATION_OF_REGISTER || l->derefs || l->offsets[0])
		return false;
	int word = argument_of(arch, l->reg);
	if (word < 0)
		return false;
	p->place = FUNC_INDIRECT;
	p->words[0] = (uint8_t)word;
	return true;
}

/*
 * Whether the function will store the parameter, or it is on the stack already: locations in debug information are relative to a
 * stack pointer that the function has not set yet. Until then the location is that of the calling convention. If a parameter has
 * no location, it and those after it are unknown: optimised functions (".isra.0") drop unused ones.
 */
static bool is_stored_later(const struct locations *at)
{
	return at->nr == 1 && at->pieces[0].at.kind == LOCATION_IN_MEMORY;
}

/* --- what is fetched --- */

int8_t func_add_step(struct making *m, struct trace_func_step step)
{
	struct trace_func *plan = m->plan;
	unsigned n = plan->steps_nr + plan->steps_result;
	if (n == TRACE_FUNC_STEPS)
		return -1;
	plan->step[n] = step;
	return (int8_t)n;
}

uint16_t func_bytes_to_fetch(uint64_t bytes)
{
	return (uint16_t)(bytes < FUNC_STRUCT_BYTES_MAX ? bytes : FUNC_STRUCT_BYTES_MAX);
}

/* Adds a step for the memory at a pointer in a register, if it is shown. */
static int8_t fetch_pointee(struct making *m, const struct func_parameter *p, uint8_t reg)
{
	const struct type *t = type_strip(p->type), *to;
	bool length_first;
	if (func_type_is_string(p->type))
		return func_add_step(m, (struct trace_func_step){ TRACE_FUNC_STRING, reg, m->str_limit, 0 });
	if (func_type_is_span(p->type, &length_first) && !length_first && p->words_nr == 2)
		return func_add_step(m, (struct trace_func_step){ TRACE_FUNC_SPAN, reg, m->str_limit, 0 });
	if (!t || (t->kind != TYPE_POINTER && t->kind != TYPE_REFERENCE))
		return -1;
	to = type_strip(type_target(t));
	uint64_t bytes = to ? type_bytes(to) : 0;
	if (!to || !bytes || (to->kind == TYPE_FUNCTION) || (!is_struct(to) && t->kind == TYPE_POINTER))
		return -1;
	if (func_type_is_cxx_string(to))
		return func_add_step(m, (struct trace_func_step){ TRACE_FUNC_STRING_INDIRECT, reg, m->str_limit, 0 });
	return func_add_step(m, (struct trace_func_step){ TRACE_FUNC_BYTES, reg, func_bytes_to_fetch(bytes), 0 });
}

static void place_parameter(struct making *m, const struct probe_value *v, struct func_parameter *p)
{
	struct trace_func_step step = { .what = TRACE_FUNC_BYTES, .max = func_bytes_to_fetch(v->type ? type_bytes(v->type) : 0) };
	struct func_parameter usual = *p;
	place_by_convention(&m->convention, &usual);
	if (take_words(m->arch, &v->at, p)) {
		m->convention.words = (uint8_t)(p->words[p->words_nr - 1] + 1);
		m->convention.is_lost = false;
	} else if (!take_address(m->arch, &v->at, p) && is_stored_later(&v->at)) {
		*p = usual;
	} else if (p->place == FUNC_NOWHERE) {
		m->convention.is_lost = true;
	}
	step.arg = p->place == FUNC_INDIRECT ? p->words[0] : TRACE_FUNC_STACK;
	step.offset = p->place == FUNC_INDIRECT ? 0 : 8 * p->words[0];
	if ((p->place == FUNC_FETCHED || p->place == FUNC_INDIRECT) && step.max) {
		p->piece = func_add_step(m, step);
		m->plan->steps_nr = (uint8_t)(m->plan->steps_nr + (p->piece >= 0));
	}
}

static struct func_parameter unplaced(const struct making *m, const char *name, const struct type *type)
{
	return (struct func_parameter){ .name = name ? name : "", .type = type, .piece = -1, .pointee = -1,
					.word_bytes = (uint8_t)m->arch->pointer_bytes };
}

static void make_parameter(struct making *m, const struct probe_value *v, struct func_parameter *p)
{
	*p = unplaced(m, v->name, v->type);
	(func_is_i386(m->arch) ? func_place_i386 : place_parameter)(m, v, p);
	if (p->place != FUNC_WORD)
		return;
	p->pointee = fetch_pointee(m, p, p->words[0]);
	m->plan->steps_nr = (uint8_t)(m->plan->steps_nr + (p->pointee >= 0));
}

/* The result is in one or two registers, or at the address in the first one. */
static void make_result(struct making *m, const struct type *type, struct func_parameter *p)
{
	const struct type *t = type_strip(type);
	uint64_t bytes = t ? type_bytes(t) : 0;
	bool is_i386 = func_is_i386(m->arch);
	*p = unplaced(m, NULL, type);
	p->words[1] = 1;
	if (!t || !bytes || t->kind == TYPE_FLOAT)
		return;
	bool has_floats = is_float_part(t, 0, 8, 0) || (bytes > 8 && is_float_part(t, 8, 16, 0));
	bool in_words = is_i386 ? !is_struct(t) && bytes <= 8 :
				  bytes <= SMALL_BYTES && (!is_struct(t) || (m->convention.language == FUNC_OF_C && !has_floats));
	if (in_words) {
		p->place = FUNC_WORD;
		p->words_nr = bytes > p->word_bytes ? 2 : 1;
		p->pointee = fetch_pointee(m, p, TRACE_FUNC_RESULT);
	} else if (is_struct(t) && (bytes > SMALL_BYTES || is_i386) && m->arch->e_machine != EM_ARM64) {
		p->place = FUNC_INDIRECT;
		p->piece = func_add_step(m, (struct trace_func_step){ TRACE_FUNC_BYTES, TRACE_FUNC_RESULT, func_bytes_to_fetch(bytes), 0 });
	}
	m->plan->steps_result = p->pointee >= 0 || p->piece >= 0;
}

/* The address of a large result is passed as an additional first argument (x86-64). */
static void begin_convention(struct making *m, const struct type *returned)
{
	const struct type *t = type_strip(returned);
	uint64_t bytes = t ? type_bytes(t) : 0;
	m->convention.arch = m->arch;
	m->convention.stack = m->arch->e_machine == EM_ARM64 ? 0 : 8;
	if (!is_struct(t) || m->arch->e_machine == EM_ARM64)
		return;
	if (bytes > SMALL_BYTES)
		m->convention.words = 1;
	else if (m->convention.language == FUNC_OF_CXX)
		m->convention.is_lost = true; /* with a destructor it is returned in memory */
}

enum func_language func_language_of(const char *symbol)
{
	size_t n = strlen(symbol);
	/* "_ZN4core3fmt17h0123456789abcdefE": the old mangling has a hash last. */
	bool has_hash = n > 20 && symbol[n - 1] == 'E' && !strncmp(symbol + n - 20, "17h", 3);
	if (!strncmp(symbol, "_R", 2) || (!strncmp(symbol, "_ZN", 3) && has_hash))
		return FUNC_OF_RUST;
	return strncmp(symbol, "_Z", 2) ? FUNC_OF_C : FUNC_OF_CXX;
}

const struct func_signature *func_signature_make(struct probe_variables *v, uint64_t address, const struct arch *arch,
						 enum func_language language, uint16_t str_limit, struct arena *arena,
						 struct trace_func *plan)
{
	probe_values values = {};
	struct making m = { .variables = v, .arch = arch, .plan = plan, .str_limit = str_limit, .convention = { .language = language },
			    .values = &values };
	const struct probe_site site = { .address = address };
	const struct type *returned = NULL;
	bool is_known = arch->pointer_bytes == 8 || func_is_i386(arch);
	struct strobe_error *err = is_known ? probe_variables_parameters(v, &site, arena, &values, &returned) : NULL;
	if (err || !is_known) {
		error_destroy(err);
		vec_deinit(&values);
		return NULL;
	}
	struct func_parameter *p = arena_alloc(arena, (values.len + 1) * sizeof(*p));
	struct func_signature *s = arena_alloc(arena, sizeof(*s));
	if (func_is_i386(arch))
		func_begin_i386(&m, returned, arena);
	else
		begin_convention(&m, returned);
	for (size_t i = 0; i < values.len; i++)
		make_parameter(&m, &values.data[i], &p[i]);
	*s = (struct func_signature){ .parameters = p, .nr = values.len };
	make_result(&m, returned, &s->result);
	vec_deinit(&values);
	return s;
}

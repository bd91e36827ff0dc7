#include "tracing/func/signature_priv.h"

#define WORD_BYTES 4
#define REG_ESP	   4 /* DWARF numbers */
#define REG_EBP	   5

bool func_is_i386(const struct arch *arch)
{
	return arch == &arch_i386;
}

/* The index of the word of an event that has this register; -1: none. */
static int word_of_register(unsigned reg)
{
	static const int8_t words[] = { TRACE_FUNC_I386_AX, TRACE_FUNC_I386_CX, TRACE_FUNC_I386_DX };
	return reg < sizeof(words) ? words[reg] : -1;
}

static bool take_registers(const struct locations *at, struct func_parameter *p)
{
	if (!at->nr || at->nr > FUNC_WORDS)
		return false;
	for (size_t i = 0; i < at->nr; i++) {
		const struct location *l = &at->pieces[i].at;
		int word = l->kind == LOCATION_IN_REGISTER ? word_of_register(l->reg) : -1;
		if (word < 0 || (i && at->pieces[i].bit_offset != 32 * i))
			return false;
		p->words[i] = (uint8_t)word;
	}
	p->place = FUNC_WORD;
	p->words_nr = (uint8_t)at->nr;
	return true;
}

/* The value at an offset from the stack pointer: in recorded words if it fits there. */
static void take_memory(struct making *m, struct func_parameter *p, int64_t offset, uint64_t bytes)
{
	unsigned words = m->plan->compat == TRACE_FUNC_STACK_WORDS ? TRACE_FUNC_ARGS : TRACE_FUNC_I386_AX;
	uint64_t n = (bytes + WORD_BYTES - 1) / WORD_BYTES;
	uint64_t at = (uint64_t)(offset - WORD_BYTES) / WORD_BYTES;
	if (n <= FUNC_WORDS && offset % WORD_BYTES == 0 && at + n <= words) {
		p->place = FUNC_WORD;
		p->words_nr = (uint8_t)n;
		for (unsigned i = 0; i < n; i++)
			p->words[i] = (uint8_t)(at + i);
		return;
	}
	p->place = FUNC_FETCHED;
	const struct trace_func_step step = { TRACE_FUNC_BYTES, TRACE_FUNC_STACK, func_bytes_to_fetch(bytes), (int32_t)offset };
	p->piece = func_add_step(m, step);
	m->plan->steps_nr = (uint8_t)(m->plan->steps_nr + (p->piece >= 0));
}

/*
 * The offset from the stack pointer at the call; 0: unknown. A frame pointer will point below the return address. What the stack pointer
 * of the function's own frame (clang's) will be is not known.
 */
static int64_t stack_offset(const struct probe_value *v)
{
	const struct location *l = v->at.nr == 1 ? &v->at.pieces[0].at : NULL;
	if (!l || l->kind != LOCATION_IN_MEMORY || l->base != LOCATION_OF_REGISTER || l->derefs)
		return 0;
	bool is_at_call = l->reg == REG_ESP && !v->is_in_own_frame;
	int64_t offset = l->reg == REG_EBP ? l->offsets[0] - WORD_BYTES : is_at_call ? l->offsets[0] : 0;
	return offset >= WORD_BYTES && offset <= INT16_MAX ? offset : 0;
}

static bool is_in_register(const struct probe_value *v)
{
	return v->at.nr && v->at.pieces[0].at.kind == LOCATION_IN_REGISTER;
}

static uint64_t bytes_of(const struct type *type)
{
	const struct type *t = type_strip(type);
	return t ? type_bytes(t) : 0;
}

static int64_t stack_bytes(const struct probe_value *v)
{
	uint64_t bytes = is_in_register(v) ? 0 : bytes_of(v->type);
	return bytes < INT16_MAX ? (int64_t)(bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES : INT32_MAX;
}

/* Places parameters without a known offset from `from` up to the next one, if they fill the room from `begin` to `end`. */
static void fill_gap(struct making *m, size_t from, size_t to, int64_t begin, int64_t end)
{
	int64_t at = begin;
	for (size_t i = from; i < to; i++)
		at += stack_bytes(&m->values->data[i]);
	for (size_t i = from; i < to && at == end; i++) {
		int64_t bytes = stack_bytes(&m->values->data[i]);
		m->stack_offsets[i] = bytes ? begin : 0;
		begin += bytes;
	}
}

/* Whether all parameters are side by side on the stack, relative to a stack pointer that is not set yet: they begin with the first one. */
static bool are_side_by_side(const struct making *m)
{
	int64_t at = 0;
	for (size_t i = 0; i < m->values->len; i++) {
		const struct probe_value *v = &m->values->data[i];
		const struct location *l = v->at.nr == 1 ? &v->at.pieces[0].at : NULL;
		if (!l || l->kind != LOCATION_IN_MEMORY || l->base != LOCATION_OF_REGISTER || l->reg != REG_ESP || l->derefs ||
		    !v->is_in_own_frame || l->offsets[0] < WORD_BYTES || (i && l->offsets[0] != at))
			return false;
		at = l->offsets[0] + stack_bytes(v);
	}
	return m->values->len;
}

void func_begin_i386(struct making *m, const struct type *returned, struct arena *arena)
{
	const struct type *t = type_strip(returned);
	bool in_memory = t && (t->kind == TYPE_STRUCT || t->kind == TYPE_CLASS || t->kind == TYPE_UNION);
	int64_t next = in_memory ? 2 * WORD_BYTES : WORD_BYTES; /* after the return address */
	size_t from = 0;
	m->plan->compat = TRACE_FUNC_STACK_WORDS;
	m->plan->popped = in_memory ? WORD_BYTES : 0;
	m->stack_offsets = arena_alloc(arena, (m->values->len + 1) * sizeof(*m->stack_offsets));
	if (are_side_by_side(m)) {
		for (size_t i = 0; i < m->values->len; next += stack_bytes(&m->values->data[i++]))
			m->stack_offsets[i] = next;
		return;
	}
	for (size_t i = 0; i < m->values->len; i++) {
		const struct probe_value *v = &m->values->data[i];
		if (is_in_register(v))
			m->plan->compat = TRACE_FUNC_REGISTERS_TOO;
		m->stack_offsets[i] = stack_offset(v);
		if (!m->stack_offsets[i])
			continue;
		fill_gap(m, from, i, next, m->stack_offsets[i]);
		next = m->stack_offsets[i] + stack_bytes(v);
		from = i + 1;
	}
}

void func_place_i386(struct making *m, const struct probe_value *v, struct func_parameter *p)
{
	uint64_t bytes = bytes_of(p->type);
	int64_t offset = m->stack_offsets[v - m->values->data];
	if (bytes && !take_registers(&v->at, p) && offset)
		take_memory(m, p, offset, bytes);
}

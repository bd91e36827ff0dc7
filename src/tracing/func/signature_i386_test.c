/*
 * Where arguments of 32-bit x86 programs are, computed by hand from the psABI of i386: at the call the return address is at 0(%esp), the
 * first argument at 4(%esp), each in words of 4 bytes; regparm(3) has three of them in eax, edx and ecx; a struct is returned at an address
 * that is passed first, and that the function pops.
 */
#include "base/testing.h"

#include "tracing/func/signature_priv.h"

#define EAX 0 /* DWARF numbers */
#define ECX 1
#define EDX 2
#define ESP 4
#define EBP 5
#define VALUES_MAX 8

static const struct type t_int = { .kind = TYPE_INTEGER, .is_signed = true, .bytes = 4, .name = "int" };
static const struct type t_char = { .kind = TYPE_CHARACTER, .is_signed = true, .bytes = 1, .name = "char" };
static const struct type t_wide = { .kind = TYPE_INTEGER, .is_signed = true, .bytes = 8, .name = "long long" };
static const struct type t_struct = { .kind = TYPE_STRUCT, .bytes = 12, .name = "three" };

/* A function with its parameters, and where they are placed. */
struct made {
	struct arena arena;
	struct location_piece pieces[VALUES_MAX][2];
	struct probe_value values[VALUES_MAX];
	size_t nr;
	struct trace_func plan;
	struct func_parameter at[VALUES_MAX];
};

static struct probe_value *add(struct made *m, const struct type *type)
{
	struct probe_value *v = &m->values[m->nr];
	*v = (struct probe_value){ .name = "p", .type = type, .at = { m->pieces[m->nr], 0 } };
	m->nr++;
	return v;
}

static void add_register(struct made *m, const struct type *type, unsigned reg)
{
	struct probe_value *v = add(m, type);
	v->at.pieces[v->at.nr++] = (struct location_piece){ .at = { .kind = LOCATION_IN_REGISTER, .reg = (uint8_t)reg } };
}

/* At an offset from a register. */
static void add_memory(struct made *m, const struct type *type, unsigned reg, int64_t offset, bool is_in_own_frame)
{
	struct probe_value *v = add(m, type);
	v->at.pieces[v->at.nr++] = (struct location_piece){ .at = { .kind = LOCATION_IN_MEMORY, .base = LOCATION_OF_REGISTER,
								    .reg = (uint8_t)reg, .offsets = { offset } } };
	v->is_in_own_frame = is_in_own_frame;
}

static void place(struct made *m, const struct type *returned)
{
	probe_values values = { .data = m->values, .len = m->nr, .cap = m->nr };
	struct making making = { .arch = &arch_i386, .plan = &m->plan, .values = &values };
	arena_init(&m->arena);
	func_begin_i386(&making, returned, &m->arena);
	for (size_t i = 0; i < m->nr; i++) {
		m->at[i] = (struct func_parameter){ .type = m->values[i].type, .piece = -1 };
		func_place_i386(&making, &m->values[i], &m->at[i]);
	}
	arena_deinit(&m->arena);
}

/* Words of the event, of 1 or 2 of them. */
static void assert_words(const struct func_parameter *p, unsigned nr, unsigned first, unsigned second)
{
	assert_int_equal(p->place, FUNC_WORD);
	assert_int_equal(p->words_nr, nr);
	assert_int_equal(p->words[0], first);
	if (nr > 1)
		assert_int_equal(p->words[1], second);
}

/* Memory at an offset from the stack pointer at the call. */
static void assert_fetched(const struct made *m, size_t i, unsigned step, unsigned bytes, int offset)
{
	const struct trace_func_step *s = &m->plan.step[step];
	assert_int_equal(m->at[i].place, FUNC_FETCHED);
	assert_int_equal(m->at[i].piece, step);
	assert_int_equal(s->what, TRACE_FUNC_BYTES);
	assert_int_equal(s->arg, TRACE_FUNC_STACK);
	assert_int_equal(s->max, bytes);
	assert_int_equal(s->offset, offset);
}

/* f(int, char, long long, int): words 0, 1, 2 and 3, 4, by the stack pointer (-O2) and by a frame pointer, which is 4 bytes below. */
static void arguments_are_words_of_the_stack(void **state)
{
	for (unsigned by_frame = 0; by_frame < 2; by_frame++) {
		struct made m = {};
		unsigned reg = by_frame ? EBP : ESP, more = by_frame ? 4 : 0;
		add_memory(&m, &t_int, reg, 4 + more, false);
		add_memory(&m, &t_char, reg, 8 + more, false);
		add_memory(&m, &t_wide, reg, 12 + more, false);
		add_memory(&m, &t_int, reg, 20 + more, false);
		place(&m, &t_int);
		assert_int_equal(m.plan.compat, TRACE_FUNC_STACK_WORDS);
		assert_int_equal(m.plan.popped, 0);
		assert_words(&m.at[0], 1, 0, 0);
		assert_words(&m.at[1], 1, 1, 0);
		assert_words(&m.at[2], 2, 2, 3);
		assert_words(&m.at[3], 1, 4, 0);
	}
}

/* f(struct of 12 bytes, 4 ints): three words do not fit a value, and the seventh is not recorded: both are fetched. */
static void what_is_not_recorded_is_fetched(void **state)
{
	struct made m = {};
	add_memory(&m, &t_struct, ESP, 4, false);
	for (int i = 0; i < 4; i++)
		add_memory(&m, &t_int, ESP, 16 + 4 * i, false);
	place(&m, NULL);
	assert_fetched(&m, 0, 0, 12, 4);
	assert_words(&m.at[1], 1, 3, 0);
	assert_words(&m.at[3], 1, 5, 0);
	assert_fetched(&m, 4, 1, 4, 28);
	assert_int_equal(m.plan.steps_nr, 2);
}

/* regparm(3): eax, edx, ecx, and from 4(%esp) on, where only three words are recorded then. */
static void registers_are_words_of_their_own(void **state)
{
	struct made m = {};
	add_register(&m, &t_int, EAX);
	add_register(&m, &t_int, EDX);
	add_register(&m, &t_int, ECX);
	for (int i = 0; i < 4; i++)
		add_memory(&m, &t_int, ESP, 4 + 4 * i, false);
	place(&m, &t_int);
	assert_int_equal(m.plan.compat, TRACE_FUNC_REGISTERS_TOO);
	assert_words(&m.at[0], 1, TRACE_FUNC_I386_AX, 0);
	assert_words(&m.at[1], 1, TRACE_FUNC_I386_DX, 0);
	assert_words(&m.at[2], 1, TRACE_FUNC_I386_CX, 0);
	assert_words(&m.at[3], 1, 0, 0);
	assert_words(&m.at[5], 1, 2, 0);
	assert_fetched(&m, 6, 0, 4, 16);
}

/* A long long of regparm: low half in eax, high half in edx. */
static void two_registers_make_a_value(void **state)
{
	struct made m = {};
	add_register(&m, &t_wide, EAX);
	struct probe_value *v = &m.values[0];
	v->at.pieces[1] = (struct location_piece){ .bit_offset = 32, .bits = 32, .at = { .kind = LOCATION_IN_REGISTER, .reg = EDX } };
	v->at.nr = 2;
	place(&m, NULL);
	assert_words(&m.at[0], 2, TRACE_FUNC_I386_AX, TRACE_FUNC_I386_DX);
}

/* struct f(int, int): the address of the result is at 4(%esp) and popped; the arguments follow it. */
static void a_struct_is_returned_where_the_caller_says(void **state)
{
	struct made m = {};
	add_memory(&m, &t_int, ESP, 8, false);
	add_memory(&m, &t_int, ESP, 12, false);
	place(&m, &t_struct);
	assert_int_equal(m.plan.popped, 4);
	assert_words(&m.at[0], 1, 1, 0);
	assert_words(&m.at[1], 1, 2, 0);
}

/* A parameter that the function stores elsewhere is where there is just the room for it, and else unknown. */
static void gaps_are_filled_if_they_fit(void **state)
{
	struct made m = {};
	add(&m, &t_int);
	add_memory(&m, &t_int, ESP, 8, false);
	add(&m, &t_wide);
	add_memory(&m, &t_int, ESP, 24, false); /* 12 bytes after the second: the wide one takes 8 of them, at one end or the other */
	add(&m, &t_int);                        /* nothing is after it that says where it ends */
	place(&m, NULL);
	assert_words(&m.at[0], 1, 0, 0);
	assert_words(&m.at[1], 1, 1, 0);
	assert_int_equal(m.at[2].place, FUNC_NOWHERE);
	assert_words(&m.at[3], 1, 5, 0);
	assert_int_equal(m.at[4].place, FUNC_NOWHERE);
}

/* clang's frames: relative to a stack pointer that is not set yet. Side by side they begin with the first argument. */
static void frames_of_clang(void **state)
{
	struct made m = {}, apart = {};
	add_memory(&m, &t_int, ESP, 32, true);
	add_memory(&m, &t_wide, ESP, 36, true);
	add_memory(&m, &t_int, ESP, 44, true);
	place(&m, &t_int);
	assert_words(&m.at[0], 1, 0, 0);
	assert_words(&m.at[1], 2, 1, 2);
	assert_words(&m.at[2], 1, 3, 0);
	add_memory(&apart, &t_int, ESP, 32, true);
	add_memory(&apart, &t_int, ESP, 48, true);
	place(&apart, &t_int);
	assert_int_equal(apart.at[0].place, FUNC_NOWHERE);
	assert_int_equal(apart.at[1].place, FUNC_NOWHERE);
}

/* Pushed registers (ebx, esi) are not where arguments are. */
static void other_registers_are_unknown(void **state)
{
	struct made m = {};
	add_register(&m, &t_int, 3);
	place(&m, NULL);
	assert_int_equal(m.at[0].place, FUNC_NOWHERE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_words_of_the_stack),
		cmocka_unit_test(what_is_not_recorded_is_fetched),
		cmocka_unit_test(registers_are_words_of_their_own),
		cmocka_unit_test(two_registers_make_a_value),
		cmocka_unit_test(a_struct_is_returned_where_the_caller_says),
		cmocka_unit_test(gaps_are_filled_if_they_fit),
		cmocka_unit_test(frames_of_clang),
		cmocka_unit_test(other_registers_are_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

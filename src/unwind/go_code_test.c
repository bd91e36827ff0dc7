/* Truth: the listings beside the bytes, of Go 1.19 and of what runtime/asm_amd64.s of later versions assembles to. */
#include "unwind/go_code.h"

#include "base/testing.h"

#define AT 0x1000u

static void the_way_back_says_where_things_lie(void **state)
{
	(void)state;
	static const uint8_t go_1_19[] = { 0x90, 0x48, 0x89, 0xd9,         /* 0 nop; mov %rbx,%rcx */
					   0xff, 0xd0,                     /* 4 call *%rax */
					   0x48, 0x8b, 0x7c, 0x24, 0x30,   /* 6 mov 0x30(%rsp),%rdi */
					   0x48, 0x8b, 0x77, 0x08,         /* 11 mov 8(%rdi),%rsi */
					   0x48, 0x2b, 0x74, 0x24, 0x28,   /* 15 sub 0x28(%rsp),%rsi */
					   0x48, 0x89, 0xf4,               /* 20 mov %rsi,%rsp */
					   0x89, 0x44, 0x24, 0x18, 0xc3 }; /* 23 mov %eax,0x18(%rsp); ret */
	static const uint8_t later_pie[] = { 0xff, 0xd0,                   /* 0 call *%rax */
					     0x48, 0x8b, 0x0d, 1, 2, 3, 0, /* 2 mov …(%rip),%rcx */
					     0x48, 0x8b, 0x7c, 0x24, 0x08, /* 9 mov 8(%rsp),%rdi */
					     0x48, 0x8b, 0x77, 0x08,       /* 14 mov 8(%rdi),%rsi */
					     0x48, 0x2b, 0x34, 0x24 };     /* 18 sub (%rsp),%rsi */
	struct go_switch s;
	assert_true(go_switch_find_in(go_1_19, sizeof(go_1_19), AT, false, &s));
	assert_int_equal(s.start, AT + 4);
	assert_int_equal(s.end, AT + 23);
	assert_int_equal(s.left, AT + 28);
	assert_int_equal(s.addend, 0x30);
	assert_int_equal(s.value, 0x28);
	assert_true(go_switch_find_in(later_pie, sizeof(later_pie), AT, false, &s));
	assert_int_equal(s.start, AT);
	assert_int_equal(s.end, AT + sizeof(later_pie));
	assert_int_equal(s.addend, 8);
	assert_int_equal(s.value, 0);
	/* Cut anywhere, it is another thing, and nothing is read beyond the end. */
	for (size_t n = 0; n < sizeof(later_pie); n++)
		assert_false(go_switch_find_in(later_pie, n, AT, false, &s));
}

static void so_does_that_of_systemstack(void **state)
{
	(void)state;
	static const uint8_t go_1_19[] = { 0xff, 0xd7,                                           /* 0 call *%rdi */
					   0x64, 0x48, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff, /* 2 mov %fs:-8,%rax */
					   0x48, 0x8b, 0x58, 0x30,                               /* 11 mov 0x30(%rax),%rbx */
					   0x48, 0x8b, 0x83, 0xc0, 0, 0, 0,                      /* 15 mov 0xc0(%rbx),%rax */
					   0x64, 0x48, 0x89, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff, /* 22 mov %rax,%fs:-8 */
					   0x48, 0x8b, 0x60, 0x38,                               /* 31 mov 0x38(%rax),%rsp */
					   0x48, 0xc7, 0x40, 0x38, 0, 0, 0, 0,                   /* 35 movq $0,0x38(%rax) */
					   0xc3 };                                               /* 43 ret */
	struct go_switch s;
	assert_true(go_switch_find_in(go_1_19, sizeof(go_1_19), AT, true, &s));
	assert_int_equal(s.start, AT);
	assert_int_equal(s.end, AT + 35);
	assert_int_equal(s.left, AT + 44);
	assert_int_equal(s.value, -8);
	assert_int_equal(s.addend, 0x3800c030);
	for (size_t n = 0; n < sizeof(go_1_19); n++)
		assert_false(go_switch_find_in(go_1_19, n, AT, true, &s));
}

static void other_code_has_none(void **state)
{
	(void)state;
	static const uint8_t other[] = { 0xff, 0xd0, 0x48, 0x8b, 0x7c, 0x24, 0x30,
					 0x48, 0x8b, 0x77, 0x10, /* mov 16(%rdi),%rsi */
					 0x48, 0x2b, 0x74, 0x24, 0x28 };
	struct go_switch s;
	assert_false(go_switch_find_in(other, sizeof(other), AT, false, &s));
	assert_false(go_switch_find_in(other, 0, AT, false, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_way_back_says_where_things_lie),
		cmocka_unit_test(so_does_that_of_systemstack),
		cmocka_unit_test(other_code_has_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

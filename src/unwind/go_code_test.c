/* Truth: the listings beside the bytes, of Go 1.19 and of what runtime/asm_amd64.s of later versions assembles to. */
#include "unwind/go_code.h"

#include "base/testing.h"

#define AT 0x1000u

static void the_way_back_says_where_things_lie(void **state)
{
	(void)state;
	static const uint8_t go_1_19[] = { 0x90, 0x48, 0x89, 0xd9,            /* 0 nop; mov %rbx,%rcx */
					   0xff, 0xd0,                        /* 4 call *%rax */
					   0x48, 0x8b, 0x7c, 0x24, 0x30,      /* 6 mov 0x30(%rsp),%rdi */
					   0x48, 0x8b, 0x77, 0x08,            /* 11 mov 8(%rdi),%rsi */
					   0x48, 0x2b, 0x74, 0x24, 0x28,      /* 15 sub 0x28(%rsp),%rsi */
					   0x48, 0x89, 0xf4 };                /* 20 mov %rsi,%rsp */
	static const uint8_t later_pie[] = { 0xff, 0xd0,                      /* 0 call *%rax */
					     0x48, 0x8b, 0x0d, 1, 2, 3, 0,    /* 2 mov …(%rip),%rcx */
					     0x48, 0x8b, 0x7c, 0x24, 0x08,    /* 9 mov 8(%rsp),%rdi */
					     0x48, 0x8b, 0x77, 0x08,          /* 14 mov 8(%rdi),%rsi */
					     0x48, 0x2b, 0x34, 0x24 };        /* 18 sub (%rsp),%rsi */
	struct go_switch s;
	assert_true(go_switch_find_in(go_1_19, sizeof(go_1_19), AT, &s));
	assert_int_equal(s.start, AT + 4);
	assert_int_equal(s.end, AT + 20);
	assert_int_equal(s.g_at, 0x30);
	assert_int_equal(s.depth_at, 0x28);
	assert_true(go_switch_find_in(later_pie, sizeof(later_pie), AT, &s));
	assert_int_equal(s.start, AT);
	assert_int_equal(s.end, AT + sizeof(later_pie));
	assert_int_equal(s.g_at, 8);
	assert_int_equal(s.depth_at, 0);
	/* Cut anywhere, it is another thing, and nothing is read beyond the end. */
	for (size_t n = 0; n < sizeof(later_pie); n++)
		assert_false(go_switch_find_in(later_pie, n, AT, &s));
}

static void other_code_has_none(void **state)
{
	(void)state;
	static const uint8_t other[] = { 0xff, 0xd0, 0x48, 0x8b, 0x7c, 0x24, 0x30,
					 0x48, 0x8b, 0x77, 0x10,         /* mov 16(%rdi),%rsi */
					 0x48, 0x2b, 0x74, 0x24, 0x28 };
	struct go_switch s;
	assert_false(go_switch_find_in(other, sizeof(other), AT, &s));
	assert_false(go_switch_find_in(other, 0, AT, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_way_back_says_where_things_lie),
		cmocka_unit_test(other_code_has_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

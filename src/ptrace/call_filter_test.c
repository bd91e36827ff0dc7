#include "ptrace/call_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>

#include "base/testing.h"

/* What the kernel does with the instructions that are used. */
static uint32_t run(const struct call_filter *f, uint32_t arch, uint32_t number)
{
	const struct seccomp_data data = { .nr = (int)number, .arch = arch };
	uint32_t a = 0;
	for (size_t i = 0; i < f->code.len; i++) {
		const struct sock_filter *step = &f->code.data[i];
		switch (step->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)&data + step->k, sizeof(a));
			break;
		case BPF_JMP | BPF_JA:
			i += step->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			i += a == step->k ? step->jt : step->jf;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			i += a > step->k ? step->jt : step->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			i += a >= step->k ? step->jt : step->jf;
			break;
		case BPF_RET | BPF_K:
			return step->k;
		default:
			fail();
		}
	}
	fail();
	return 0;
}

static struct syscall_set set_of(const uint32_t *numbers, size_t nr)
{
	struct syscall_set set = {};
	for (size_t i = 0; i < nr; i++)
		set.bits[numbers[i] / 64] |= 1ull << numbers[i] % 64;
	return set;
}

static void assert_stops_at(const struct call_filter *f, uint32_t arch, const struct syscall_set *chosen)
{
	for (uint32_t number = 0; number < SYSCALL_NUMBERS + 2; number++)
		assert_int_equal(run(f, arch, number), syscall_set_has(chosen, number) ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW);
}

static void test_chosen_calls_stop(void **state)
{
	const uint32_t numbers[] = { 0, 1, 2, 59, 63, 64, 257, 258, 510, 511 }, compat_numbers[] = { 5, 295 };
	struct syscall_set chosen = set_of(numbers, 10), compat = set_of(compat_numbers, 2), none = {};
	struct call_filter f = {};
	assert_true(call_filter_make(&f, &arch_x86_64, &chosen, &arch_i386, &compat));
	assert_stops_at(&f, AUDIT_ARCH_X86_64, &chosen);
	assert_stops_at(&f, AUDIT_ARCH_I386, &compat);
	assert_stops_at(&f, AUDIT_ARCH_AARCH64, &none);
	call_filter_deinit(&f);
}

static void test_no_compat(void **state)
{
	const uint32_t numbers[] = { 56 };
	struct syscall_set chosen = set_of(numbers, 1), none = {};
	struct call_filter f = {};
	assert_true(call_filter_make(&f, &arch_aarch64, &chosen, NULL, NULL));
	assert_stops_at(&f, AUDIT_ARCH_AARCH64, &chosen);
	assert_stops_at(&f, AUDIT_ARCH_ARM, &none);
	call_filter_deinit(&f);
}

/* Every other call is chosen: the most ranges that there can be. */
static void test_the_longest_filter_fits(void **state)
{
	struct syscall_set chosen;
	struct call_filter f = {};
	memset(&chosen, 0x55, sizeof(chosen));
	assert_true(call_filter_make(&f, &arch_x86_64, &chosen, &arch_i386, &chosen));
	assert_stops_at(&f, AUDIT_ARCH_X86_64, &chosen);
	assert_stops_at(&f, AUDIT_ARCH_I386, &chosen);
	call_filter_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chosen_calls_stop),
		cmocka_unit_test(test_no_compat),
		cmocka_unit_test(test_the_longest_filter_fits),
	};
	return cmocka_run_group_tests_name("call_filter", tests, NULL, NULL);
}

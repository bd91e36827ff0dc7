#include "analysis/kvm/kvm_exits.h"

#include "analysis/kvm/kvm_reasons.h"
#include "base/testing.h"

static const struct kvm_row *row_of(const struct kvm_exits *x, const char *name)
{
	for (uint32_t i = 0; i < x->rows.len; i++)
		if (!strcmp(strtab_get(&x->names, x->rows.data[i].name), name))
			return &x->rows.data[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void exits_last_until_the_entry(void **state)
{
	struct kvm_exits x;
	kvm_exits_init(&x, KVM_ALL_VCPUS);
	uint32_t halt = kvm_exits_key(&x, "HLT"), port = kvm_exits_key(&x, "IO");
	kvm_exits_begin(&x, 7, 50, halt); /* before its CPU is known */
	kvm_exits_vcpu(&x, 7, 0);
	kvm_exits_end(&x, 7, 90, KVM_NO_KEY, NULL);
	kvm_exits_begin(&x, 7, 100, halt);
	kvm_exits_vcpu(&x, 8, 1);
	kvm_exits_begin(&x, 8, 110, port);
	kvm_exits_end(&x, 7, 150, KVM_NO_KEY, NULL);
	kvm_exits_end(&x, 7, 160, KVM_NO_KEY, NULL); /* an entry alone */
	kvm_exits_end(&x, 8, 120, KVM_NO_KEY, NULL);
	kvm_exits_begin(&x, 7, 200, halt);
	kvm_exits_end(&x, 7, 230, KVM_NO_KEY, NULL);
	kvm_exits_begin(&x, 7, 300, port); /* does not end */
	kvm_exits_sort(&x, KVM_BY_SAMPLES);
	assert_int_equal(x.rows.len, 2);
	assert_ptr_equal(row_of(&x, "HLT"), &x.rows.data[0]);
	assert_int_equal(row_of(&x, "HLT")->ns.n, 2);
	assert_int_equal(row_of(&x, "HLT")->total_ns, 80);
	assert_int_equal(row_of(&x, "IO")->total_ns, 10);
	assert_int_equal(x.samples, 3);
	assert_int_equal(x.total_ns, 90);
	kvm_exits_deinit(&x);
}

/* The key comes with the end; of one virtual CPU alone. */
static void keys_at_the_end(void **state)
{
	struct kvm_exits x;
	kvm_exits_init(&x, 1);
	uint32_t read = kvm_exits_key(&x, "0x10:R");
	for (uint32_t tid = 7; tid < 9; tid++) {
		kvm_exits_vcpu(&x, tid, tid - 7);
		kvm_exits_begin(&x, tid, 100, KVM_NO_KEY);
		kvm_exits_end(&x, tid, 140, read, NULL);
		kvm_exits_begin(&x, tid, 200, KVM_NO_KEY);
		kvm_exits_end(&x, tid, 240, KVM_NO_KEY, NULL); /* no access */
	}
	kvm_exits_sort(&x, KVM_BY_TIME);
	assert_int_equal(x.rows.len, 1);
	assert_int_equal(x.rows.data[0].total_ns, 40);
	kvm_exits_deinit(&x);
}

static void orders(void **state)
{
	struct kvm_exits x;
	kvm_exits_init(&x, KVM_ALL_VCPUS);
	uint32_t b = kvm_exits_key(&x, "b"), a = kvm_exits_key(&x, "a"), c = kvm_exits_key(&x, "c");
	const struct {
		uint32_t key;
		uint64_t took_ns;
	} exits[] = { { b, 10 }, { a, 5 }, { c, 3 }, { c, 3 } };
	kvm_exits_vcpu(&x, 1, 0);
	for (size_t i = 0; i < sizeof(exits) / sizeof(*exits); i++) {
		kvm_exits_begin(&x, 1, 100 * (i + 1), exits[i].key);
		kvm_exits_end(&x, 1, 100 * (i + 1) + exits[i].took_ns, KVM_NO_KEY, NULL);
	}
	kvm_exits_sort(&x, KVM_BY_SAMPLES);
	assert_int_equal(x.rows.data[0].name, c);
	assert_int_equal(x.rows.data[1].name, a);
	kvm_exits_deinit(&x);
}

/* As kernels write it, with brackets in the number's expression. */
static void reasons_are_those_of_the_format(void **state)
{
	struct kvm_reasons r;
	kvm_reasons_init(&r, "\"%s: %s\", __print_symbolic(((REC->ret) & ~(1UL << (31))), { 0, \"IRQ\" }, { 2, \"TRAP\" }), REC->esr_ec, "
			     "__print_symbolic(REC->esr_ec, { 0x00, \"UNKNOWN\" },{ 0x24, \"DABT_LOW\" })");
	assert_string_equal(kvm_reasons_name(&r, 0, 2), "TRAP");
	assert_string_equal(kvm_reasons_name(&r, 1, 0x24), "DABT_LOW");
	assert_null(kvm_reasons_name(&r, 0, 0x24));
	kvm_reasons_deinit(&r);
	/* As Linux writes AMD's exceptions; what follows them has a name, too. */
	kvm_reasons_init(&r, "__print_symbolic(REC->exit_reason, { 0x040 + 14, \"PF excp\" }, { 0x078, \"hlt\" }, { 1 + , \"x\" })");
	assert_string_equal(kvm_reasons_name(&r, 0, 0x4e), "PF excp");
	assert_string_equal(kvm_reasons_name(&r, 0, 0x78), "hlt");
	assert_null(kvm_reasons_name(&r, 0, 1));
	kvm_reasons_deinit(&r);
	static const char *const damaged[] = { "__print_symbolic(", "__print_symbolic(a, {", "__print_symbolic(a, { 1, \"x", "", NULL };
	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		kvm_reasons_init(&r, damaged[i]);
		assert_null(kvm_reasons_name(&r, 0, 1));
		kvm_reasons_deinit(&r);
	}
}

/* An exit that has begun before counts are zero again ends afterwards. */
static void restarts(void **state)
{
	struct kvm_exits x;
	struct kvm_exit e = {};
	kvm_exits_init(&x, KVM_ALL_VCPUS);
	uint32_t halt = kvm_exits_key(&x, "HLT"), port = kvm_exits_key(&x, "IO");
	kvm_exits_vcpu(&x, 7, 3);
	kvm_exits_begin(&x, 7, 10, halt);
	assert_true(kvm_exits_end(&x, 7, 15, KVM_NO_KEY, &e));
	assert_int_equal(e.vcpu, 3);
	assert_int_equal(e.name, halt);
	assert_int_equal(e.took_ns, 5);
	kvm_exits_begin(&x, 7, 20, port);
	kvm_exits_sort(&x, KVM_BY_SAMPLES);
	kvm_exits_restart(&x);
	assert_int_equal(x.samples, 0);
	assert_false(kvm_exits_end(&x, 8, 25, KVM_NO_KEY, &e));
	assert_true(kvm_exits_end(&x, 7, 27, KVM_NO_KEY, &e));
	assert_int_equal(e.name, port);
	kvm_exits_sort(&x, KVM_BY_SAMPLES);
	assert_int_equal(x.rows.len, 1);
	assert_int_equal(row_of(&x, "IO")->total_ns, 7);
	assert_int_equal(x.total_ns, 7);
	kvm_exits_deinit(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits_last_until_the_entry),
		cmocka_unit_test(keys_at_the_end),
		cmocka_unit_test(orders),
		cmocka_unit_test(restarts),
		cmocka_unit_test(reasons_are_those_of_the_format),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

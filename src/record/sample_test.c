#include <stdlib.h>

#include "base/testing.h"
#include "record/bytes_builder.h"
#include "record/sample.h"

/* Every field that the kernel of our header can put into a sample, in perf_event_open(2)'s order. */
static struct perf_event_attr full_attr(void)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_MAX - 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
		.sample_regs_user = 5,
		.sample_regs_intr = 6,
		.sample_id_all = 1,
	};
	return attr;
}

/* Flags of a branch: mispredicted, 300 cycles, type 5. The first bit-field is the top bit of big-endian machines. */
static uint64_t branch_flags(bool big)
{
	return big ? 1ull << 63 | 300ull << 44 | 5ull << 40 : 1 | 300ull << 4 | 5ull << 20;
}

static void put_full(struct bytes_builder *b)
{
	bytes_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	bytes_u64(b, 77);       /* identifier */
	bytes_u64(b, 0x400123); /* ip */
	bytes_u32(b, 10);
	bytes_u32(b, 11);
	bytes_u64(b, 5000); /* time */
	bytes_u64(b, 0xdead0000);
	bytes_u64(b, 77);
	bytes_u64(b, 88); /* stream */
	bytes_u32(b, 3);  /* cpu */
	bytes_u32(b, 0);
	bytes_u64(b, 250); /* period */
	bytes_u64(b, 2);   /* read: a group of two */
	bytes_u64(b, 1000);
	bytes_u64(b, 900);
	for (int i = 0; i < 2; i++) {
		bytes_u64(b, 40 + i);
		bytes_u64(b, 77 + i);
		bytes_u64(b, i);
	}
	bytes_u64(b, 3); /* call chain */
	bytes_u64(b, PERF_CONTEXT_USER);
	bytes_u64(b, 0x400123);
	bytes_u64(b, 0x400999);
	bytes_u32(b, 12); /* raw */
	bytes_raw(b, "hello, world", 12);
	bytes_u64(b, 1); /* branches, with the hardware's index */
	bytes_u64(b, 9);
	bytes_u64(b, 0x10);
	bytes_u64(b, 0x20);
	bytes_u64(b, branch_flags(bytes_are_big(b)));
	bytes_u64(b, PERF_SAMPLE_REGS_ABI_64);
	bytes_u64(b, 100);
	bytes_u64(b, 102);
	bytes_u64(b, 16); /* stack */
	bytes_raw(b, "0123456789abcdef", 16);
	bytes_u64(b, 8);
	bytes_u64(b, 0x0003000200000001ull); /* weight: 1, 2, 3 */
	bytes_u64(b, 0x51);                  /* data source */
	bytes_u64(b, 0x52);                  /* transaction */
	bytes_u64(b, PERF_SAMPLE_REGS_ABI_32);
	bytes_u64(b, 201);
	bytes_u64(b, 202);
	bytes_u64(b, 0x53); /* physical address */
	bytes_u64(b, 0x54); /* cgroup */
	bytes_u64(b, 4096);
	bytes_u64(b, 2097152);
	bytes_u64(b, 8); /* aux */
	bytes_raw(b, "AUXDATA!", 8);
}

static void check_full(struct record r, const struct sample_layout *l)
{
	struct sample s;
	struct sample_read_value v;

	assert_true(sample_decode(l, r, &s));
	assert_int_equal(s.ip, 0x400123);
	assert_int_equal(s.pid, 10);
	assert_int_equal(s.tid, 11);
	assert_int_equal(s.time, 5000);
	assert_int_equal(s.addr, 0xdead0000);
	assert_int_equal(s.id, 77);
	assert_int_equal(s.stream_id, 88);
	assert_int_equal(s.cpu, 3);
	assert_int_equal(s.period, 250);
	assert_int_equal(s.read.nr, 2);
	assert_int_equal(s.read.time_enabled, 1000);
	assert_int_equal(s.read.time_running, 900);
	assert_true(sample_read_get(&s, 1, &v));
	assert_int_equal(v.value, 41);
	assert_int_equal(v.id, 78);
	assert_int_equal(v.lost, 1);
	assert_false(sample_read_get(&s, 2, &v));
	assert_int_equal(s.callchain_nr, 3);
	assert_true(s.callchain[0] == PERF_CONTEXT_USER);
	assert_int_equal(s.callchain[2], 0x400999);
	assert_int_equal(s.raw_bytes, 12);
	assert_memory_equal(s.raw, "hello, world", 12);
	assert_int_equal(s.branch_nr, 1);
	assert_true(s.has_branch_hw_idx);
	assert_int_equal(s.branch_hw_idx, 9);
	assert_int_equal(s.branches[0].to, 0x20);
	assert_int_equal(s.branches[0].mispred, 1);
	assert_int_equal(s.branches[0].predicted, 0);
	assert_int_equal(s.branches[0].cycles, 300);
	assert_int_equal(s.branches[0].type, 5);
	assert_int_equal(s.user_regs.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(s.user_regs.values[1], 102);
	assert_int_equal(s.stack_bytes, 16);
	assert_int_equal(s.stack_dyn_bytes, 8);
	assert_memory_equal(s.stack, "0123456789abcdef", 16);
	assert_int_equal(s.weight1, 1);
	assert_int_equal(s.weight2, 2);
	assert_int_equal(s.weight3, 3);
	assert_int_equal(s.data_src, 0x51);
	assert_int_equal(s.transaction, 0x52);
	assert_int_equal(s.intr_regs.values[0], 201);
	assert_int_equal(s.phys_addr, 0x53);
	assert_int_equal(s.cgroup, 0x54);
	assert_int_equal(s.data_page_size, 4096);
	assert_int_equal(s.code_page_size, 2097152);
	assert_memory_equal(s.aux, "AUXDATA!", 8);
}

static void test_full(void **state)
{
	struct perf_event_attr attr = full_attr();
	struct sample_layout l = sample_layout_compile(&attr);
	struct bytes_builder b = {};
	uint8_t again[1024];
	struct sample s;

	put_full(&b);
	struct record r = bytes_end(&b);
	check_full(r, &l);
	/* Encoding it gives the very bytes. */
	assert_true(sample_decode(&l, r, &s));
	assert_int_equal(sample_encode(&l, &s, again, sizeof(again)), b.bytes.len);
	assert_memory_equal(again, b.bytes.data, b.bytes.len);
	assert_int_equal(sample_encode(&l, &s, again, b.bytes.len - 1), 0);
	bytes_deinit(&b);
}

static void test_full_swapped(void **state)
{
	struct perf_event_attr attr = full_attr();
	struct sample_layout l = sample_layout_compile(&attr);
	struct bytes_builder b = { .swapped = true };

	put_full(&b);
	struct record r = bytes_end(&b);
	record_swap_header((struct perf_event_header *)r.hdr);
	assert_true(sample_swap(&l, b.bytes.data));
	check_full(r, &l);
	bytes_deinit(&b);
}

/* A sample that ends anywhere before its end is refused, in either byte order, without a step beyond it. */
static void test_full_cut(void **state)
{
	struct perf_event_attr attr = full_attr();
	struct sample_layout l = sample_layout_compile(&attr);
	struct bytes_builder b = {};
	struct sample s;

	put_full(&b);
	bytes_end(&b);
	for (size_t size = sizeof(struct perf_event_header); size < b.bytes.len; size++) {
		uint8_t *exact = malloc(size);
		assert_non_null(exact);
		memcpy(exact, b.bytes.data, size);
		((struct perf_event_header *)exact)->size = (uint16_t)size;
		assert_false(sample_decode(&l, (struct record){ .hdr = (void *)exact }, &s));
		sample_swap(&l, exact);
		free(exact);
	}
	bytes_deinit(&b);
}

static void test_layout(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
	};
	struct sample_layout l = sample_layout_compile(&attr);

	assert_int_equal(l.ip, 8);
	assert_int_equal(l.tid, 16);
	assert_int_equal(l.time, 24);
	assert_int_equal(l.addr, SAMPLE_NO_OFFSET);
	assert_int_equal(l.cpu, 32);
	assert_int_equal(l.period, 40);
	assert_int_equal(l.variable, 48);
	/* the trailer: pid and tid, time, cpu */
	assert_int_equal(l.tail_bytes, 24);
	assert_int_equal(l.tail_tid, 24);
	assert_int_equal(l.tail_time, 16);
	assert_int_equal(l.tail_cpu, 8);
	attr.sample_id_all = 0;
	assert_int_equal(sample_layout_compile(&attr).tail_bytes, 0);
}

static void test_tail(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
	};
	struct sample_layout l = sample_layout_compile(&attr);
	struct sample_tail t;

	for (int swapped = 0; swapped < 2; swapped++) {
		struct bytes_builder b = { .swapped = swapped };
		bytes_begin(&b, PERF_RECORD_SWITCH, 0);
		bytes_u32(&b, 20);
		bytes_u32(&b, 21);
		bytes_u64(&b, 123456789);
		bytes_u32(&b, 7);
		bytes_u32(&b, 0);
		bytes_u64(&b, 42);
		struct record r = bytes_end(&b);
		if (swapped) {
			record_swap_header((struct perf_event_header *)r.hdr);
			sample_tail_swap(&l, b.bytes.data);
		}
		assert_true(sample_tail_decode(&l, r, &t));
		assert_true(t.present);
		assert_int_equal(t.pid, 20);
		assert_int_equal(t.tid, 21);
		assert_int_equal(t.time, 123456789);
		assert_int_equal(t.cpu, 7);
		assert_int_equal(t.id, 42);
		((struct perf_event_header *)r.hdr)->size -= 8;
		assert_false(sample_tail_decode(&l, r, &t));
		bytes_deinit(&b);
	}
}

/* The short form agrees with the full one, also where a read is before the chain. */
static void test_hot(void **state)
{
	struct perf_event_attr attr = full_attr();
	struct sample_layout l = sample_layout_compile(&attr);
	struct bytes_builder b = {};
	struct sample_hot hot;
	struct sample s;

	put_full(&b);
	struct record r = bytes_end(&b);
	assert_true(sample_decode_hot(&l, r, &hot));
	assert_int_equal(hot.period, 250);
	assert_int_equal(hot.callchain_nr, 3);
	assert_int_equal(hot.callchain[1], 0x400123);
	assert_true(sample_decode(&l, r, &s));
	assert_int_equal(s.callchain_nr, hot.callchain_nr);
	assert_ptr_equal(s.callchain, hot.callchain);
	bytes_patch(&b, 8 + 72 + 72, 1ull << 60, 8); /* the chain claims more than there is */
	assert_false(sample_decode_hot(&l, r, &hot));
	assert_false(sample_decode(&l, r, &s));
	bytes_deinit(&b);
}

/* A single event's read: the times are between the value and its id. */
static void test_read_single(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_LOST,
	};
	struct sample_layout l = sample_layout_compile(&attr);
	struct bytes_builder b = {};
	struct sample_read_value v;
	struct sample s;

	bytes_begin(&b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(&b, 500);
	bytes_u64(&b, 60);
	bytes_u64(&b, 7);
	bytes_u64(&b, 8);
	assert_true(sample_decode(&l, bytes_end(&b), &s));
	assert_int_equal(s.read.time_enabled, 60);
	assert_true(sample_read_get(&s, 0, &v));
	assert_int_equal(v.value, 500);
	assert_int_equal(v.id, 7);
	assert_int_equal(v.lost, 8);
	bytes_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout), cmocka_unit_test(test_full), cmocka_unit_test(test_full_swapped),
		cmocka_unit_test(test_full_cut), cmocka_unit_test(test_tail), cmocka_unit_test(test_hot),
		cmocka_unit_test(test_read_single),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

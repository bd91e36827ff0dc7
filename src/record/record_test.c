#include "base/testing.h"
#include "record/bytes_builder.h"
#include "record/record.h"

static void test_names(void **state)
{
	assert_string_equal(record_type_name(PERF_RECORD_MMAP2), "MMAP2");
	assert_string_equal(record_type_name(RECORD_COMPRESSED2), "COMPRESSED2");
	assert_null(record_type_name(0));
	assert_null(record_type_name(95));
	/* <linux/perf_event.h>: 8 of header, 4 × 4 + 8; 4 + 4 + 3 × 8 + 24 + 4 + 4 and an empty name; 2 × 4 + 8 */
	assert_int_equal(record_least_bytes(PERF_RECORD_EXIT), 32);
	assert_int_equal(record_least_bytes(PERF_RECORD_MMAP2), 73);
	assert_int_equal(record_least_bytes(PERF_RECORD_NAMESPACES), 24);
	assert_int_equal(record_least_bytes(PERF_RECORD_SAMPLE), 8);
	assert_int_equal(record_least_bytes(RECORD_FINISHED_ROUND), 0);
	assert_int_equal(record_least_bytes(UINT32_MAX), 0);
	assert_null(record_type_name(UINT32_MAX));
}

static void put_mmap2(struct bytes_builder *b, bool with_build_id, bool with_bit)
{
	bytes_begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | (with_bit ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	bytes_u32(b, 11);
	bytes_u32(b, 12);
	bytes_u64(b, 0x400000);
	bytes_u64(b, 0x2000);
	bytes_u64(b, 0x1000);
	if (with_build_id) {
		static const uint8_t id[24] = { 4, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef };
		bytes_raw(b, id, sizeof(id));
	} else {
		bytes_u32(b, 8);
		bytes_u32(b, 1);
		bytes_u64(b, 4711);
		bytes_u64(b, 3);
	}
	bytes_u32(b, 5);
	bytes_u32(b, 2);
	bytes_string(b, "/bin/true");
	bytes_u32(b, 11); /* trailer: pid, tid, time */
	bytes_u32(b, 12);
	bytes_u64(b, 99);
}

static void check_mmap2(struct record r, bool with_build_id)
{
	struct record_mmap m;

	assert_true(record_decode_mmap(r, &m));
	assert_true(m.is_mmap2);
	assert_int_equal(m.pid, 11);
	assert_int_equal(m.tid, 12);
	assert_int_equal(m.start, 0x400000);
	assert_int_equal(m.len, 0x2000);
	assert_int_equal(m.pgoff, 0x1000);
	assert_int_equal(m.prot, 5);
	assert_int_equal(m.flags, 2);
	assert_string_equal(m.filename, "/bin/true");
	assert_int_equal(m.build_id_len, with_build_id ? 4 : 0);
	assert_int_equal(m.ino, with_build_id ? 0 : 4711);
	if (with_build_id)
		assert_memory_equal(m.build_id, "\xde\xad\xbe\xef", 4);
}

/* The same record in both byte orders decodes alike once the foreign one is swapped. */
static void test_mmap2_both_orders(void **state)
{
	for (int i = 0; i < 8; i++) { /* the bit may be set where device and inode are */
		struct bytes_builder b = { .swapped = i & 1 };
		put_mmap2(&b, i & 2, i & 6);
		struct record r = bytes_end(&b);
		if (b.swapped) {
			record_swap_header((struct perf_event_header *)r.hdr);
			record_swap(b.bytes.data, 16);
		}
		assert_int_equal(r.hdr->size, b.bytes.len);
		check_mmap2(r, i & 2);
		bytes_deinit(&b);
	}
}

static void test_mmap2_lies(void **state)
{
	struct bytes_builder b = {};
	struct record_mmap m;
	uint32_t major;

	put_mmap2(&b, true, true);
	struct record r = bytes_end(&b);
	struct perf_event_header *hdr = (struct perf_event_header *)r.hdr;
	b.bytes.data[8 + 32] = 21; /* more bytes than a build-id can have: a device number */
	assert_true(record_decode_mmap(r, &m));
	assert_int_equal(m.build_id_len, 0);
	memcpy(&major, b.bytes.data + 8 + 32, sizeof(major));
	assert_int_equal(m.maj, major);
	b.bytes.data[8 + 32] = 20;
	assert_true(record_decode_mmap(r, &m));
	for (uint16_t size = sizeof(*hdr); size < 8 + 64 + 10; size++) {
		hdr->size = size; /* ends before the NUL of its name */
		assert_false(record_decode_mmap(r, &m));
	}
	bytes_deinit(&b);
}

static void test_walk(void **state)
{
	struct bytes_builder b = {};
	struct record_value v;
	const char *names[8];
	uint64_t numbers[8];
	size_t n = 0;

	bytes_begin(&b, PERF_RECORD_NAMESPACES, 0);
	bytes_u32(&b, 7);
	bytes_u32(&b, 8);
	bytes_u64(&b, 2);
	bytes_u64(&b, 3);
	bytes_u64(&b, 4026531836);
	bytes_u64(&b, 3);
	bytes_u64(&b, 4026531837);
	bytes_u64(&b, 1234); /* trailer: time */
	struct record_walk w = record_walk(bytes_end(&b), 8);
	while (record_walk_next(&w, &v) && n < 8) {
		names[n] = v.field->name;
		numbers[n++] = v.number;
	}
	assert_int_equal(n, 7);
	assert_string_equal(names[2], "nr_namespaces");
	assert_string_equal(names[5], "dev");
	assert_int_equal(numbers[1], 8);
	assert_int_equal(numbers[6], 4026531837);
	bytes_deinit(&b);
}

/*
 * Bit-fields: `disabled` is the first, bit 0 here and the top bit of a big-endian word; precise_ip has two bits, the 16th
 * and 17th, and is a number.
 */
static void test_swap_attr(void **state)
{
	struct bytes_builder b = { .swapped = true };
	struct perf_event_attr attr = {};

	bytes_u32(&b, PERF_TYPE_RAW);
	bytes_u32(&b, 112);
	bytes_u64(&b, 0x1a8);
	bytes_u64(&b, 4000);
	bytes_u64(&b, PERF_SAMPLE_IP | PERF_SAMPLE_TIME);
	bytes_u64(&b, PERF_FORMAT_ID);
	/* disabled, precise_ip = 2 (10 in binary, its high bit first in big-endian words), sample_id_all */
	bytes_u64(&b, bytes_are_big(&b) ? 1ull << 63 | 1ull << 48 | 1ull << 45 : 1 | 1ull << 16 | 1ull << 18);
	bytes_u32(&b, 17);
	bytes_u32(&b, 3);
	bytes_u64(&b, 1);
	bytes_u64(&b, 2);
	bytes_u64(&b, 3);
	bytes_u64(&b, 4);
	bytes_u32(&b, 5);
	bytes_u32(&b, 6);
	bytes_u64(&b, 7);
	bytes_u32(&b, 8);
	bytes_u16(&b, 127);
	bytes_u16(&b, 0);
	assert_int_equal(b.bytes.len, 112);
	record_swap_attr(b.bytes.data, b.bytes.len);
	memcpy(&attr, b.bytes.data, b.bytes.len);
	assert_int_equal(attr.type, PERF_TYPE_RAW);
	assert_int_equal(attr.config, 0x1a8);
	assert_int_equal(attr.disabled, 1);
	assert_int_equal(attr.inherit, 0);
	assert_int_equal(attr.precise_ip, 2);
	assert_int_equal(attr.mmap_data, 0);
	assert_int_equal(attr.sample_id_all, 1);
	assert_int_equal(attr.wakeup_events, 17);
	assert_int_equal(attr.sample_stack_user, 5);
	assert_int_equal(attr.clockid, 6);
	assert_int_equal(attr.sample_regs_intr, 7);
	assert_int_equal(attr.aux_watermark, 8);
	assert_int_equal(attr.sample_max_stack, 127);
	bytes_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_mmap2_both_orders),
		cmocka_unit_test(test_mmap2_lies),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_swap_attr),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Files with code in records, and those with samples. */
#include "base/testing.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/record_builder.h"
#include "recording/objects.h"

struct fixture {
	struct record_objects objects;
	struct record_builder b;
	struct record_sink to;
	size_t passed;
	char dir[64];
};

static struct strobe_error *count_bytes(struct record_sink *sink, const void *records, size_t bytes)
{
	struct fixture *f = (struct fixture *)((char *)sink - offsetof(struct fixture, to));
	f->passed += bytes;
	return NULL;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	f->to.write = count_bytes;
	strcpy(f->dir, "/tmp/strobe-objects-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	record_objects_deinit(&f->objects);
	vec_deinit(&f->b.bytes);
	rmdir(f->dir);
	free(f);
	return 0;
}

/* The build ID is 20 bytes of `id`. */
static void map(struct fixture *f, uint64_t start, uint64_t len, uint8_t id, uint32_t prot, const char *path)
{
	uint8_t build_id[24] = { 20 };
	memset(build_id + 4, id, 20);
	build_start(&f->b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	build_u32s(&f->b, 7, 7);
	build_u64(&f->b, start);
	build_u64(&f->b, len);
	build_u64(&f->b, 0);
	build_bytes(&f->b, build_id, sizeof(build_id));
	build_u32s(&f->b, prot, 2);
	build_string(&f->b, path);
	(void)build_end(&f->b);
}

static void sample(struct fixture *f, uint64_t ip, uint16_t mode)
{
	build_start(&f->b, PERF_RECORD_SAMPLE, mode);
	build_u64(&f->b, 99); /* PERF_SAMPLE_IDENTIFIER */
	build_u64(&f->b, ip);
	(void)build_end(&f->b);
}

static void pass(struct fixture *f, struct record_objects *objects)
{
	struct record_sink *sink = record_objects_sink(objects, &f->to);
	assert_ok(sink_write(sink, f->b.bytes.data, f->b.bytes.len));
	vec_clear(&f->b.bytes);
}

static const struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP };

static void files_with_code_are_noted_once(void **state)
{
	struct fixture *f = *state;
	record_objects_init(&f->objects, &attr, OBJECTS_ALL, f->dir);
	map(f, 0x10000, 0x3000, 1, PROT_READ | PROT_EXEC, "/nowhere/a");
	map(f, 0x20000, 0x1000, 2, PROT_READ, "/nowhere/data");
	map(f, 0x30000, 0x1000, 3, PROT_READ | PROT_EXEC, "[vdso]");
	map(f, 0x50000, 0x3000, 1, PROT_READ | PROT_EXEC, "/nowhere/a");
	map(f, 0x60000, 0x1000, 4, PROT_READ | PROT_EXEC, "/nowhere/a"); /* another build */
	size_t bytes = f->b.bytes.len;
	pass(f, &f->objects);
	assert_int_equal(f->passed, bytes);
	assert_int_equal(f->objects.list.len, 2);
	assert_string_equal(f->objects.list.data[0].path, "/nowhere/a");
	assert_string_equal(f->objects.list.data[0].hex, "0101010101010101010101010101010101010101");
	assert_int_equal(f->objects.list.data[0].pid, 7);
	assert_int_equal(f->objects.mappings.len, 3);
}

static void samples_mark_the_files_that_they_fell_into(void **state)
{
	struct fixture *f = *state;
	struct record_objects part;
	record_objects_init(&f->objects, &attr, OBJECTS_SAMPLED, f->dir);
	record_objects_init(&part, &attr, OBJECTS_SAMPLED, f->dir);
	map(f, 0x100000, 0x30000, 1, PROT_EXEC, "/nowhere/a");
	map(f, 0x130000, 0x10000, 2, PROT_EXEC, "/nowhere/b");
	map(f, 0x200000, 0x10000, 3, PROT_EXEC, "/nowhere/c");
	map(f, 0x300000, 0x10000, 4, PROT_EXEC, "/nowhere/d");
	sample(f, 0x12ffff, PERF_RECORD_MISC_USER);
	sample(f, 0x200010, PERF_RECORD_MISC_KERNEL);
	sample(f, 0x210000, PERF_RECORD_MISC_USER); /* after the end of c */
	pass(f, &f->objects);
	/* Of another thread, whose list has different numbers. */
	map(f, 0x400000, 0x10000, 5, PROT_EXEC, "/nowhere/e");
	map(f, 0x300000, 0x10000, 4, PROT_EXEC, "/nowhere/d");
	sample(f, 0x300000, PERF_RECORD_MISC_USER);
	pass(f, &part);
	record_objects_merge(&f->objects, &part);
	record_objects_deinit(&part);
	record_objects_keep(&f->objects, NULL); /* none of them can be opened */
	assert_int_equal(f->objects.list.len, 5);
	const bool expected[] = { true, false, false, true, false };
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(f->objects.list.data[i].sampled, expected[i]);
}

/* With many sampled pages: earlier ones are dropped, and mappings of sampled files. */
static void many_pages_are_looked_up_meanwhile(void **state)
{
	struct fixture *f = *state;
	record_objects_init(&f->objects, &attr, OBJECTS_SAMPLED, f->dir);
	sample(f, 0x70000010, PERF_RECORD_MISC_USER); /* before its mapping, from another CPU */
	map(f, 0x100000000, 0x40000000, 1, PROT_EXEC, "/nowhere/a");
	map(f, 0x60000000, 0x1000, 2, PROT_EXEC, "/nowhere/b");
	for (uint64_t page = 0; page < 9000; page++)
		sample(f, 0x100000000 + (page << 16), PERF_RECORD_MISC_USER);
	map(f, 0x70000000, 0x1000, 3, PROT_EXEC, "/nowhere/c");
	map(f, 0x80000000, 0x1000, 4, PROT_EXEC, "/nowhere/d");
	map(f, 0x90000000, 0x1000, 1, PROT_EXEC, "/nowhere/a");
	sample(f, 0x60000010, PERF_RECORD_MISC_USER);
	pass(f, &f->objects);
	assert_int_equal(f->objects.mappings.len, 3); /* of b, c and d */
	assert_true(f->objects.pages.used < 1000);
	record_objects_keep(&f->objects, NULL);
	const bool expected[] = { true, true, true, false };
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(f->objects.list.data[i].sampled, expected[i]);
}

/* The walker of stacks adds files: records are not examined. */
static void files_are_added(void **state)
{
	struct fixture *f = *state;
	const uint8_t a[20] = { 1 }, b[20] = { 2 };
	record_objects_init(&f->objects, &attr, OBJECTS_ADDED, f->dir);
	assert_ptr_equal(record_objects_sink(&f->objects, &f->to), &f->to);
	record_objects_add(&f->objects, a, sizeof(a), "/nowhere/a", 7);
	record_objects_add(&f->objects, b, sizeof(b), "/nowhere/b", 8);
	record_objects_add(&f->objects, a, sizeof(a), "/nowhere/a", 9);
	record_objects_add(&f->objects, b, 0, "/nowhere/c", 8);
	record_objects_add(&f->objects, a, sizeof(a), "[vdso]", 8);
	assert_int_equal(f->objects.list.len, 2);
	assert_true(f->objects.list.data[0].sampled && f->objects.list.data[1].sampled);
	assert_string_equal(f->objects.list.data[1].hex, "0200000000000000000000000000000000000000");
	assert_int_equal(f->objects.list.data[1].pid, 8);
}

static void without_notes_records_go_straight_on(void **state)
{
	struct fixture *f = *state;
	assert_ptr_equal(record_objects_sink(&f->objects, &f->to), &f->to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_with_code_are_noted_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(samples_mark_the_files_that_they_fell_into, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_pages_are_looked_up_meanwhile, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_are_added, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_notes_records_go_straight_on, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

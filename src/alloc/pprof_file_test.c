/* Checksums and names; the bytes of a whole file are those of profiler/packed_test.c. */
#include "base/testing.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "alloc/pprof_file.c"

static void test_crc(void **unused)
{
	/* The check value of CRC-32 in the catalogue of Greg Cook. */
	assert_int_equal(crc_add(0, (const uint8_t *)"123456789", 9), 0xcbf43926);
	assert_int_equal(crc_add(crc_add(0, (const uint8_t *)"1234", 4), (const uint8_t *)"56789", 5), 0xcbf43926);
}

static void test_names(void **unused)
{
	assert_true(pprof_file_is_name("a/x.pb.gz"));
	assert_false(pprof_file_is_name(".pb.gz"));
	assert_false(pprof_file_is_name("x.pb.gz.0"));
	assert_false(pprof_file_is_name("x.prof"));
}

/* Two samples that share a location and types that share a unit: their numbers are the same; a full disk is an error. */
static bool next_made(const struct pprof_source *s, size_t *at, struct pprof_sample *ret)
{
	if (*at == s->nr)
		return false;
	*ret = (struct pprof_sample){ .values = { 1 + *at, 3 }, .depth = 2, .frames = { 0x10 + *at, 0x20 } };
	++*at;
	return true;
}

static void test_shared(void **unused)
{
	static const struct pprof_type types[] = { { "a", "b" }, { "c", "b" } };
	static const uint8_t expected[] = {
		0x0a, 4, 8, 1, 16, 2, 0x0a, 4, 8, 3, 16, 2, 0x5a, 4, 8, 3, 16, 2, 96, 9, /* a/b, c/b, one per 9 c/b */
		0x12, 8, 8, 1, 8, 3, 16, 1, 16, 3, 0x12, 8, 8, 2, 8, 3, 16, 2, 16, 3, /* at 0x10 and 0x11, called from 0x20 */
		0x22, 4, 8, 1, 24, 0x10, 0x22, 4, 8, 2, 24, 0x11, 0x22, 4, 8, 3, 24, 0x20,
		0x32, 0, 0x32, 1, 'a', 0x32, 1, 'b', 0x32, 1, 'c',
	};
	static const char maps[] = "";
	const struct pprof_source s = { .types = types, .types_nr = 2, .period_type = types[1], .period = 9, .maps = maps, .maps_end = maps,
					.nr = 2, .next = next_made };
	int fd = memfd_create("file", MFD_CLOEXEC), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	uint8_t got[1024];
	assert_int_equal(pprof_file_write(fd, &s), 0);
	assert_int_equal(pread(fd, got, sizeof(got), 0), 15 + sizeof(expected) + 8);
	assert_memory_equal(got + 15, expected, sizeof(expected));
	assert_int_equal(pprof_file_write(full, &s), ENOSPC);
	close(fd);
	close(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crc),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_shared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

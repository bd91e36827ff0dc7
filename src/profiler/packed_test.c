/* A hand-made profile, and the expected value of each byte. */
#include "base/testing.h"

#include <string.h>

#include "alloc/pprof_file.c"
#include "profiler/packed.c"

static size_t pack(const void *bytes, size_t n, uint8_t *ret, size_t most)
{
	int from = memfd_create("from", MFD_CLOEXEC), to = memfd_create("to", MFD_CLOEXEC);
	assert_int_equal(write(from, bytes, n), n);
	bool works = packed_write(from, to, (struct timespec){ 1, 2 }, 3);
	ssize_t got = pread(to, ret, most, 0);
	close(from);
	close(to);
	return works ? (size_t)got : 0;
}

static void test_whole(void **unused)
{
	static const struct {
		uint64_t words[HEADER_WORDS + 4 + 3];
		char maps[122];
	} source = {
		{ 0, 3, 0, 10000, 0, /* a sample of two frames, 5 times */ 5, 2, 0x1010, 0x2001, /* the end */ 0, 1, 0 },
		"1000-2000 r-xp 00000020 08:01 7    /bin/a b\n"
		"2000-3000 r--p 00000000 08:01 7    /bin/x\n"
		"3000-4000 r-xp 00000000 00:00 0 \n",
	};
	static const uint8_t expected[] = {
		0x0a, 4, 8, 1, 16, 2, 0x0a, 4, 8, 3, 16, 4, /* samples/count, cpu/nanoseconds */
		0x5a, 4, 8, 3, 16, 4, 96, 0x80, 0xad, 0xe2, 4, /* a sample each 10,000,000 ns of cpu */
		0x12, 11, 8, 1, 8, 2, 16, 5, 16, 0x80, 0xe1, 0xeb, 0x17, /* locations 1 and 2; 5; 50,000,000 */
		0x1a, 12, 8, 1, 16, 0x80, 0x20, 24, 0x80, 0x40, 32, 0x20, 40, 5, /* from 0x1000 to 0x2000, of offset 0x20 */
		0x22, 7, 8, 1, 16, 1, 24, 0x90, 0x20, 0x22, 5, 8, 2, 24, 0x80, 0x40, /* 0x1010 in mapping 1, 0x2000 in none */
		0x32, 0, 0x32, 7, 's', 'a', 'm', 'p', 'l', 'e', 's', 0x32, 5, 'c', 'o', 'u', 'n', 't', 0x32, 3, 'c', 'p', 'u',
		0x32, 11, 'n', 'a', 'n', 'o', 's', 'e', 'c', 'o', 'n', 'd', 's', 0x32, 8, '/', 'b', 'i', 'n', '/', 'a', ' ', 'b',
		72, 0x82, 0x94, 0xeb, 0xdc, 3, 80, 3, /* at 1,000,000,002 ns, of 3 ns */
	};
	uint8_t got[1024];
	size_t n = pack(&source, sizeof(source.words) + strlen(source.maps), got, sizeof(got));
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, sizeof(expected), 0, (uint8_t)~sizeof(expected), 255 };
	assert_int_equal(n, sizeof(head) + sizeof(expected) + 8);
	assert_memory_equal(got, head, sizeof(head));
	assert_memory_equal(got + sizeof(head), expected, sizeof(expected));
	assert_int_equal(got[n - 4], sizeof(expected));
}

/* A file truncated within a record, or with an excessive depth, yields the samples before it. */
static void test_cut(void **unused)
{
	static const uint64_t words[] = { 0, 3, 0, 10000, 0, 1, 1, 0x1010, 1, 300, 1, 2, 3 };
	uint8_t whole[1024], cut[1024];
	size_t n = pack(words, sizeof(words), whole, sizeof(whole));
	assert_in_range(n, 1, sizeof(whole));
	assert_int_equal(pack(words, sizeof(words) - 8, cut, sizeof(cut)), n);
	assert_memory_equal(whole, cut, n);
	assert_int_equal(pack(words, 24, cut, sizeof(cut)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "base/testing.h"

#include <stdlib.h>

#include "base/out.h"
#include "config.h"
#include "packing/gzip.h"
#include "packing/packing_priv.h"

struct sample {
	const char *name;
	const uint8_t *bytes;
	size_t n;
};

/*
 * "strobe
 * " three times, packed by `printf 'strobe
 * strobe
 * strobe
 * ' | TOOL`.
 */
#define TEXT "strobe\nstrobe\nstrobe\n"
static const uint8_t by_gzip[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x2b, 0x2e, 0x29, 0xca, 0x4f, 0x4a,
	0xe5, 0x2a, 0x46, 0xa1, 0x00, 0x23, 0xe5, 0xa8, 0xa6, 0x15, 0x00, 0x00, 0x00,
};
static const uint8_t by_bzip2[] = {
	0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x74, 0xeb, 0xa9, 0x04, 0x00, 0x00,
	0x08, 0xc1, 0x80, 0x00, 0x10, 0x12, 0x00, 0x9c, 0x00, 0x20, 0x00, 0x22, 0x3f, 0x54, 0x00, 0x86,
	0x02, 0x96, 0xb6, 0x39, 0xae, 0x78, 0xbb, 0x92, 0x29, 0xc2, 0x84, 0x83, 0xa7, 0x5d, 0x48, 0x20,
};
static const uint8_t by_xz[] = {
	0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
	0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0xe0, 0x00, 0x14, 0x00, 0x0d, 0x5d, 0x00, 0x39,
	0x9d, 0x0a, 0x8d, 0x57, 0x85, 0x89, 0x1d, 0x81, 0x58, 0x50, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0xa7, 0xfd, 0x39, 0xe9, 0xaa, 0x91, 0xae, 0xec, 0x00, 0x01, 0x29, 0x15, 0x2b, 0xce, 0x1d, 0x09,
	0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
};
static const uint8_t by_zstd[] = {
	0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x6d, 0x00, 0x00, 0x38, 0x73, 0x74, 0x72, 0x6f, 0x62, 0x65,
	0x0a, 0x01, 0x00, 0x92, 0x8b, 0x11, 0x0c, 0x48, 0x0a, 0x7f,
};
static const struct sample samples[] = {
	{ "gzip", by_gzip, sizeof(by_gzip) },
	{ "bzip2", by_bzip2, sizeof(by_bzip2) },
	{ "xz", by_xz, sizeof(by_xz) },
	{ "zstd", by_zstd, sizeof(by_zstd) },
};

static bool is_lacking(struct strobe_error *err)
{
	bool lacks = error_is(err, ERROR_UNSUPPORTED);
	if (lacks)
		error_destroy(err);
	return lacks;
}

static void what_others_packed(void **state)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const struct sample *s = &samples[i];
		const struct packing *p = packing_by_content(s->bytes, s->n);
		void *plain;
		size_t n;
		assert_string_equal(p->name, s->name);
		struct strobe_error *err = packing_unpack(p, s->bytes, s->n, 4096, "x", &plain, &n);
		if (is_lacking(err))
			continue;
		assert_ok(err);
		assert_int_equal(n, strlen(TEXT));
		assert_memory_equal(plain, TEXT, n);
		free(plain);
	}
}

static void cut_short_at_each_byte(void **state)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const struct sample *s = &samples[i];
		const struct packing *p = packing_by_content(s->bytes, s->n);
		void *plain;
		size_t n;
		for (size_t cut = 6; cut < s->n; cut++) {
			uint8_t *part = memcpy(malloc(cut), s->bytes, cut); /* so that a sanitizer finds reads beyond its end */
			struct strobe_error *err = packing_unpack(p, part, cut, 4096, "x", &plain, &n);
			free(part);
			if (!is_lacking(err))
				assert_fails(err, ERROR_TRUNCATED);
		}
	}
}

static void two_streams_are_one_and_what_follows_is_none(void **state)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const struct sample *s = &samples[i];
		const struct packing *p = packing_by_content(s->bytes, s->n);
		size_t all = 2 * s->n + 7, n;
		uint8_t *both = malloc(all);
		void *plain;
		memcpy(both, s->bytes, s->n);
		memcpy(both + s->n, s->bytes, s->n);
		memcpy(both + 2 * s->n, "garbage", 7);
		struct strobe_error *err = packing_unpack(p, both, all, 4096, "x", &plain, &n);
		free(both);
		if (is_lacking(err))
			continue;
		assert_ok(err);
		assert_int_equal(n, 2 * strlen(TEXT));
		assert_memory_equal((char *)plain + strlen(TEXT), TEXT, strlen(TEXT));
		free(plain);
	}
}

static void the_limit_holds(void **state)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const struct sample *s = &samples[i];
		const struct packing *p = packing_by_content(s->bytes, s->n);
		void *plain;
		size_t n;
		struct strobe_error *err = packing_unpack(p, s->bytes, s->n, strlen(TEXT) - 1, "x", &plain, &n);
		if (!is_lacking(err))
			assert_fails(err, ERROR_LIMIT);
		err = packing_unpack(p, s->bytes, s->n, strlen(TEXT), "x", &plain, &n);
		if (is_lacking(err))
			continue;
		assert_ok(err);
		free(plain);
	}
}

#if HAVE_ZLIB
static void a_bomb(void **state)
{
	struct out packed;
	size_t n = 1 << 20, packed_n;
	uint8_t *zeros = test_calloc(n, 1), *back;
	out_init_mem(&packed);
	assert_ok(gzip_pack(zeros, n, &packed));
	const uint8_t *p = (const uint8_t *)out_mem(&packed, &packed_n);
	assert_fails(gzip_unpack(p, packed_n, n / 2, "x", &back, &n), ERROR_LIMIT);
	assert_fails(gzip_unpack(p, packed_n / 2, n * 2, "x", &back, &n), ERROR_TRUNCATED);
	assert_ok(out_close(&packed));
	test_free(zeros);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_packed),
		cmocka_unit_test(cut_short_at_each_byte),
		cmocka_unit_test(two_streams_are_one_and_what_follows_is_none),
		cmocka_unit_test(the_limit_holds),
#if HAVE_ZLIB
		cmocka_unit_test(a_bomb),
#endif
	};
	return cmocka_run_group_tests_name("packing", tests, NULL, NULL);
}

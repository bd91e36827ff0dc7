/* Enumerations, by BTF made by hand. */
#include "base/testing.h"

#include <linux/btf.h>
#include <string.h>

#include "record/btf.h"

static const char strings[] = "\0mode\0OFF\0ON\0BELOW\0number";
enum { MODE = 1, OFF = 6, ON = 10, BELOW = 13, NUMBER = 19 };

struct made {
	struct btf_header header;
	struct btf_type number;
	uint32_t encoding;
	struct btf_type mode;
	struct btf_enum values[4];
	char strings[sizeof(strings)];
};

static struct made make(void)
{
	struct made m = {
		.header = { .magic = BTF_FILE_MAGIC, .version = 1, .hdr_len = sizeof(m.header), .str_len = sizeof(strings) },
		.number = { .name_off = NUMBER, .info = BTF_KIND_INT << 24, .size = 4 },
		.encoding = 32,
		.mode = { .name_off = MODE, .info = BTF_KIND_ENUM << 24 | 4, .size = 4 },
		.values = { { OFF, 0 }, { ON, 8 }, { BELOW, -2 }, { NUMBER, 8 } },
	};
	m.header.type_len = m.header.str_off = offsetof(struct made, strings) - sizeof(m.header);
	memcpy(m.strings, strings, sizeof(strings));
	return m;
}

static void enumerators_have_names(void **state)
{
	struct made m = make();
	struct btf b;
	assert_ok(btf_borrow(&m, sizeof(m), &b));
	const struct btf_type *mode = btf_enum(&b, "mode");
	assert_non_null(mode);
	assert_string_equal(btf_enumerator(&b, mode, 0), "OFF");
	assert_string_equal(btf_enumerator(&b, mode, 8), "ON");
	assert_string_equal(btf_enumerator(&b, mode, -2), "BELOW");
	assert_null(btf_enumerator(&b, mode, 7));
	assert_null(btf_enum(&b, "number"));
	assert_null(btf_enum(&b, "none"));
	btf_deinit(&b);
}

static void an_enumeration_that_is_cut_is_none(void **state)
{
	struct made m = make();
	struct btf b;
	m.mode.info = BTF_KIND_ENUM << 24 | 5;
	assert_ok(btf_borrow(&m, sizeof(m), &b));
	assert_null(btf_enum(&b, "mode"));
	btf_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enumerators_have_names),
		cmocka_unit_test(an_enumeration_that_is_cut_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

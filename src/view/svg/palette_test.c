#include "view/svg/palette.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/testing.h"

/* Contrast of black text on a colour, as WCAG 2 defines it; its level AA requires 4.5. */
static double contrast_with_black(uint32_t rgb)
{
	double light = 0, weights[] = { 0.2126, 0.7152, 0.0722 };
	for (int i = 0; i < 3; i++) {
		double c = (rgb >> (16 - 8 * i) & 255) / 255.0;
		light += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return (light + 0.05) / 0.05;
}

static void every_palette_has_its_name(void **state)
{
	enum palette p;
	for (int i = 0; i < PALETTE_NR; i++) {
		assert_true(palette_find(palette_names[i], &p));
		assert_int_equal(p, i);
	}
	assert_false(palette_find("mauve", &p));
}

static void black_text_can_be_read_on_all_of_them(void **state)
{
	char name[32];
	for (int p = 0; p < PALETTE_NR; p++) {
		for (int i = 0; i < 300; i++) {
			snprintf(name, sizeof(name), "f%d%s", i, i % 3 ? "" : "::x");
			for (int kind = NAME_USER; kind <= NAME_PROCESS; kind++) {
				uint32_t c = palette_colour((enum palette)p, i % 3, name, (enum name_kind)kind, (uint64_t)i);
				assert_true(c <= 0xffffff);
				assert_true(contrast_with_black(c) >= 4.5);
			}
		}
	}
}

static void a_name_keeps_its_colour(void **state)
{
	uint32_t a = palette_colour(PALETTE_HOT, PALETTE_BY_NAME, "memcpy", NAME_USER, 1);
	assert_int_equal(a, palette_colour(PALETTE_HOT, PALETTE_BY_NAME, "memcpy", NAME_USER, 2));
	assert_int_not_equal(a, palette_colour(PALETTE_HOT, PALETTE_BY_NAME, "memset", NAME_USER, 1));
	assert_int_not_equal(palette_colour(PALETTE_HOT, PALETTE_RANDOM, "memcpy", NAME_USER, 1),
			     palette_colour(PALETTE_HOT, PALETTE_RANDOM, "memcpy", NAME_USER, 2));
}

static unsigned distance(uint32_t a, uint32_t b)
{
	unsigned sum = 0;
	for (int i = 0; i < 24; i += 8)
		sum += (unsigned)abs((int)(a >> i & 255) - (int)(b >> i & 255));
	return sum;
}

static void hashed_names_that_begin_and_end_alike_look_alike(void **state)
{
	uint32_t a = palette_colour(PALETTE_GREEN, PALETTE_BY_PREFIX, "ext4_file_read", NAME_USER, 0);
	uint32_t b = palette_colour(PALETTE_GREEN, PALETTE_BY_PREFIX, "ext4_inode_read", NAME_USER, 0);
	uint32_t c = palette_colour(PALETTE_GREEN, PALETTE_BY_PREFIX, "zap_pte_range", NAME_USER, 0);
	assert_true(distance(a, b) < distance(a, c));
}

/* True where the channel (0 red, 1 green, 2 blue) is the strongest. */
static bool is_mostly(uint32_t c, int channel)
{
	int v[] = { (int)(c >> 16), (int)(c >> 8 & 255), (int)(c & 255) };
	return v[channel] >= v[0] && v[channel] >= v[1] && v[channel] >= v[2];
}

static void languages_have_their_hues(void **state)
{
	assert_true(is_mostly(palette_colour(PALETTE_JAVA, PALETTE_BY_NAME, "x", NAME_JIT, 0), 1));
	assert_true(is_mostly(palette_colour(PALETTE_JAVA, PALETTE_BY_NAME, "Lorg/a;.f", NAME_USER, 0), 1));
	assert_true(is_mostly(palette_colour(PALETTE_JAVA, PALETTE_BY_NAME, "read", NAME_KERNEL, 0), 0));
	assert_true(is_mostly(palette_colour(PALETTE_JAVA, PALETTE_BY_NAME, "memcpy", NAME_USER, 0), 0));
	assert_true(is_mostly(palette_colour(PALETTE_JS, PALETTE_BY_NAME, "f /app/x.js:3", NAME_JIT, 0), 1));
	assert_true(is_mostly(palette_colour(PALETTE_PERL, PALETTE_BY_NAME, "Perl_pp_add", NAME_USER, 0), 1));
	assert_true(is_mostly(palette_colour(PALETTE_CHAIN, PALETTE_BY_NAME, "x", NAME_USER, 0), 2));
	assert_true(is_mostly(palette_colour(PALETTE_MEM, PALETTE_BY_NAME, "x", NAME_USER, 0), 1));
	assert_true(is_mostly(palette_colour(PALETTE_IO, PALETTE_BY_NAME, "x", NAME_USER, 0), 2));
}

static void backgrounds_are_named_or_given(void **state)
{
	struct background b;
	assert_true(palette_background(PALETTE_HOT, "#102030", &b));
	assert_int_equal(b.top, 0x102030);
	assert_int_equal(b.bottom, 0x102030);
	assert_true(b.chosen && b.is_dark);
	assert_true(palette_background(PALETTE_HOT, "#FFeedD", &b));
	assert_int_equal(b.top, 0xffeedd);
	assert_true(b.chosen && !b.is_dark);
	assert_true(palette_background(PALETTE_MEM, NULL, &b));
	assert_true(is_mostly(b.bottom, 1) && !b.chosen);
	static const char *const wrong[] = { "", "pink", "#12345", "#1234567", "#12345g", "102030", "#1234\x10\x10" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(palette_background(PALETTE_HOT, wrong[i], &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_palette_has_its_name),
		cmocka_unit_test(black_text_can_be_read_on_all_of_them),
		cmocka_unit_test(a_name_keeps_its_colour),
		cmocka_unit_test(hashed_names_that_begin_and_end_alike_look_alike),
		cmocka_unit_test(languages_have_their_hues),
		cmocka_unit_test(backgrounds_are_named_or_given),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Formats by their names and by those of files. */
#include "base/testing.h"

#include <string.h>

#include "view/formats/formats.h"

static void expect(const char *name, const char *path, const char *expected)
{
	const struct exchange_format *f;
	assert_ok(profile_format_to_write(name, path, &f));
	assert_string_equal(f->name, expected);
	assert_non_null(f->write);
}

static void refuse(struct strobe_error *err, const char *part)
{
	assert_true(error_is(err, ERROR_USAGE));
	assert_non_null(strstr(err->message, part));
	error_destroy(err);
}

static void formats_to_write(void **state)
{
	(void)state;
	const struct exchange_format *f;
	expect("folded", "x.svg", "folded");
	expect(NULL, "a/x.folded", "folded");
	expect(NULL, "x.callgrind", "callgrind");
	expect("callgrind", "-", "callgrind");
	expect(NULL, "x.pb.gz", "pprof");
	expect("pprof", "x", "pprof");
	refuse(profile_format_to_write(NULL, "x.unknown", &f), "use --to");
	refuse(profile_format_to_write("none", "x", &f), ", callgrind");
}

static void formats_to_read(void **state)
{
	(void)state;
	const struct exchange_format *f;
	assert_ok(profile_format_to_read(NULL, &f));
	assert_null(f);
	assert_ok(profile_format_to_read("pprof", &f));
	assert_non_null(f->read);
	refuse(profile_format_to_read("none", &f), "unknown input format 'none'; known formats: ");
	refuse(profile_format_to_read("heap", &f), "unknown input format");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_to_write),
		cmocka_unit_test(formats_to_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

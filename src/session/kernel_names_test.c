/* Symbols by name: lines with the files of modules, rows, and what is not found or hidden. */
#include "base/testing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "session/kernel_names.h"
#include "sys/faked.h"

static const char symbols[] = "ffffffff81000100 T twice\n"
			      "ffffffff81000200 D datum\n"
			      "ffffffffc0001000 t twice\t[one_two]\n"
			      "ffffffffc0002000 t last\t[three]\n";
static const char *const names[] = { "twice", "absent", "last" };

struct fixture {
	struct sys_faked *sys;
	char path[40];
};

static struct fixture set_up(const char *text)
{
	struct fixture f = { .sys = sys_faked_create(), .path = "/tmp/strobe-names-XXXXXX" };
	sys_faked_file(f.sys, "/proc/sys/kernel/osrelease", "6.1\n");
	sys_faked_file(f.sys, "/lib/modules/6.1/modules.dep", "kernel/fs/one-two.ko:\n");
	int fd = mkstemp(f.path);
	assert_true(fd >= 0);
	close(fd);
	assert_ok(new_file_write(f.path, text, strlen(text), 0600));
	return f;
}

static void tear_down(struct fixture *f, struct kernel_names *n)
{
	kernel_names_deinit(n);
	unlink(f->path);
	sys_faked_destroy(f->sys);
}

static void expect(const struct kernel_names *n, bool all, const char *expected)
{
	struct out out;
	size_t bytes;
	out_init_mem(&out);
	kernel_names_text(n, all, &out);
	const char *text = out_mem(&out, &bytes);
	assert_int_equal(bytes, strlen(expected));
	assert_memory_equal(text, expected, bytes);
	error_destroy(out_close(&out));
}

#define FIRST "twice: [kernel] [kernel.kallsyms] 0xffffffff81000100-0xffffffff81000200 (0xffffffff81000100-0xffffffff81000200)\n"
#define SECOND                                                                         \
	"twice: [one_two] /lib/modules/6.1/kernel/fs/one-two.ko "                      \
	"0xffffffffc0001000-0xffffffffc0002000 (0xffffffffc0001000-0xffffffffc0002000)\n"
#define REST                                                                           \
	"absent: not found\n"                                                          \
	"last: [three] [three] 0xffffffffc0002000-0xffffffffc0003000 (0xffffffffc0002000-0xffffffffc0003000)\n"

static void names_are_lines_and_rows(void **state)
{
	(void)state;
	struct fixture f = set_up(symbols);
	struct kernel_names n;
	struct table t;
	assert_ok(kernel_names_find(sys_faked_sys(f.sys), f.path, names, 3, &n));
	expect(&n, false, FIRST REST);
	expect(&n, true, FIRST SECOND REST);
	kernel_names_table(&n, &t);
	assert_int_equal(t.rows.len, 3);
	table_deinit(&t);
	tear_down(&f, &n);
}

static void hidden_addresses_are_an_error(void **state)
{
	(void)state;
	struct fixture f = set_up("0000000000000000 T twice\n");
	struct kernel_names n;
	struct strobe_error *err = kernel_names_find(sys_faked_sys(f.sys), f.path, names, 3, &n);
	assert_non_null(err);
	error_destroy(err);
	tear_down(&f, &n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_lines_and_rows),
		cmocka_unit_test(hidden_addresses_are_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

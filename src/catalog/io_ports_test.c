#include "catalog/io_ports.h"

#include "base/out.h"
#include "base/testing.h"
#include "sys/faked.h"

#define DEVICES "/sys/bus/event_source/devices"

/* A machine with two dies, with files as described in the kernel's ABI document. */
static void ports_are_listed_by_die(void **state)
{
	static const char expected[] = "S0-uncore_iio_0<0000:00>\nS0-uncore_iio_10<0000:3a>\nS1-uncore_iio_0<0001:80>\n";
	struct sys_faked *f = sys_faked_create();
	struct io_ports p;
	struct out out;
	size_t n;
	sys_faked_file(f, DEVICES "/uncore_iio_10/die0", "0000:3a\n");
	sys_faked_file(f, DEVICES "/uncore_iio_0/die1", "0001:80\n");
	sys_faked_file(f, DEVICES "/uncore_iio_0/die0", "0000:00\n");
	sys_faked_file(f, DEVICES "/uncore_iio_0/type", "42\n");
	sys_faked_file(f, DEVICES "/uncore_iio_free_running_0/die0", "0000:00\n"); /* another kind of PMU */
	sys_faked_file(f, DEVICES "/uncore_iio_1/die0", "damaged\n");
	assert_ok(io_ports_read(sys_faked_sys(f), &p));
	out_init_mem(&out);
	io_ports_text(&out, &p);
	const char *got = out_mem(&out, &n);
	assert_int_equal(n, sizeof(expected) - 1);
	assert_memory_equal(got, expected, n);
	assert_ok(out_close(&out));
	io_ports_deinit(&p);
	sys_faked_destroy(f);
}

static void a_machine_without(void **state)
{
	struct sys_faked *f = sys_faked_create();
	struct io_ports p;
	assert_fails(io_ports_read(sys_faked_sys(f), &p), ERROR_UNSUPPORTED);
	io_ports_deinit(&p);
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_are_listed_by_die),
		cmocka_unit_test(a_machine_without),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

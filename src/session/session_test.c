#include "base/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "perfdata/file_builder.h"
#include "session/buildid/file_cache.h"
#include "session/buildid/kernel_maps.h"
#include "session/buildid/recorded_files.h"
#include "session/input.h"
#include "session/peek.h"
#include "session/profile_input.h"
#include "session/session.h"
#include "sys/faked.h"

/*
 * The recording: alpha (pid 10) has three samples of period 5 at 1.0, 1.1 and 1.2 s in /lib/one, beta (20) two of period 7 at 1.3 and
 * 1.4 s where nothing is mapped. /lib/two is mapped and not sampled. So 5 samples of value 29: 3 of 15, and 2 of 14.
 */
enum { ALPHA = 10, BETA = 20 };

#define MS 1000000ull

static struct file_builder recording(void)
{
	struct file_builder f = build_file(false);
	build_event(&f, PERF_COUNT_SW_CPU_CLOCK, BUILD_PERIODIC, 71);
	build_task(&f, ALPHA, "alpha", 900 * MS, 0);
	build_task(&f, BETA, "beta", 900 * MS, 0);
	build_map(&f, ALPHA, 0x10000, "/lib/one", 950 * MS);
	build_map(&f, ALPHA, 0x20000, "/lib/two", 950 * MS);
	for (uint64_t i = 0; i < 3; i++)
		build_periodic(&f, 0x10010, ALPHA, (1000 + 100 * i) * MS, 0, 5);
	for (uint64_t i = 0; i < 2; i++)
		build_periodic(&f, 0x10010, BETA, (1300 + 100 * i) * MS, 0, 7);
	return f;
}

/* ---- a directory with one file, and a host that keeps what is said ---- */

struct fixture {
	char dir[32];
	char path[64];
	struct session_host host;
	unsigned said, damaged;
	char *last;
};

static void keep_line(void *ctx, const char *line)
{
	struct fixture *f = ctx;
	f->said++;
	free(f->last);
	f->last = xstrdup(line);
}

static void keep_damage(void *ctx, struct strobe_error *err)
{
	struct fixture *f = ctx;
	f->damaged++;
	error_destroy(err);
}

static void set_up(struct fixture *f)
{
	*f = (struct fixture){ .dir = "/tmp/strobe-session-XXXXXX" };
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/file", f->dir);
	f->host = (struct session_host){ .say = keep_line, .damage = keep_damage, .ctx = f };
}

static void tear_down(struct fixture *f)
{
	free(f->last);
	unlink(f->path);
	rmdir(f->dir);
}

static void write_file(const struct fixture *f, const void *bytes, size_t n)
{
	int fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

/* less: bytes left out at the end. */
static void write_recording(const struct fixture *f, struct file_builder r, size_t less)
{
	struct bytes_builder b = build_finish(&r);
	write_file(f, b.bytes.data, b.bytes.len - less);
	bytes_deinit(&b);
	build_deinit(&r);
}

static const char *const comm_key[] = { "comm" };

static struct session_request by_comm(void)
{
	return (struct session_request){ .symbols.ignore_vmlinux = true, .resolve = { .label_keys = comm_key, .label_keys_nr = 1 } };
}

static void assert_totals(const struct profile *p, uint64_t samples, uint64_t value)
{
	assert_int_equal(p->events.len, 1);
	assert_int_equal(p->events.data[0].samples, samples);
	assert_int_equal(p->events.data[0].value, value);
}

static void assert_comm(const struct profile *p, const char *comm, uint64_t samples, uint64_t value)
{
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (strcmp(profile_str(p, (str_id)profile_label_values(p, row->labels)[0]), comm))
			continue;
		samples -= row->samples;
		value -= row->value;
	}
	assert_int_equal(samples, 0);
	assert_int_equal(value, 0);
}

/* ---- what is whole ---- */

static void test_aggregates(void **state)
{
	struct fixture f;
	struct session s;
	struct strobe_error *damage;
	struct session_request request = by_comm();
	set_up(&f);
	write_recording(&f, recording(), 0);
	assert_ok(session_open(&s, &f.host, f.path, false));
	assert_int_equal(s.env->events.len, 1);
	assert_ok(session_resolve(&s, &request));
	assert_ok(session_aggregate(&s, &damage));
	assert_null(damage);
	assert_totals(s.profile, 5, 29);
	assert_comm(s.profile, "alpha", 3, 15);
	assert_comm(s.profile, "beta", 2, 14);
	session_remarks(&s, false);
	assert_int_equal(f.said, 0);
	session_close(&s);
	tear_down(&f);
}

/* Opened once, queried several times. */
static void test_asks_again(void **state)
{
	static const struct {
		struct sample_choice choice;
		uint64_t samples, value;
	} rows[] = {
		{ {}, 5, 29 },
		{ { .comms = "alpha" }, 3, 15 },
		{ { .pids = "20" }, 2, 14 },
		{ { .times = "1.15,1.35" }, 2, 12 }, /* at 1.2 of period 5, at 1.3 of 7 */
		{ { .comms = "beta", .times = "1.35," }, 1, 7 },
		{ { .comms = "gamma" }, 0, 0 },
	};
	struct fixture f;
	struct session s;
	struct strobe_error *damage;
	set_up(&f);
	write_recording(&f, recording(), 0);
	assert_ok(session_open(&s, &f.host, f.path, false));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct session_request request = by_comm();
		request.choice = rows[i].choice;
		assert_ok(session_resolve(&s, &request));
		assert_ok(session_aggregate(&s, &damage));
		assert_null(damage);
		assert_totals(s.profile, rows[i].samples, rows[i].value);
	}
	session_close(&s);
	tear_down(&f);
}

static void test_reads_any_profile(void **state)
{
	static const char folded[] = "main;work 3\nmain 4\n";
	struct fixture f;
	struct profile *p;
	set_up(&f);
	struct profile_input input = { .path = f.path };
	write_recording(&f, recording(), 0);
	assert_false(input_is_foreign(f.path));
	assert_ok(profile_input_read(&f.host, &input, &p));
	assert_totals(p, 5, 29);
	profile_destroy(p);
	write_file(&f, folded, sizeof(folded) - 1);
	assert_true(input_is_foreign(f.path));
	assert_ok(profile_input_read(&f.host, &input, &p));
	assert_int_equal(p->events.data[0].value, 7);
	profile_destroy(p);
	assert_int_equal(f.said, 0);
	tear_down(&f);
}

static void test_lists_files_that_were_hit(void **state)
{
	struct fixture f;
	struct recorded_files files = {};
	set_up(&f);
	write_recording(&f, recording(), 0);
	assert_ok(recorded_files_read(f.path, false, RECORDED_HIT, &files));
	assert_int_equal(files.list.len, 1);
	assert_string_equal(files.list.data[0].path, "/lib/one");
	recorded_files_deinit(&files);
	tear_down(&f);
}

static void test_lists_the_kernel_and_its_modules(void **state)
{
	struct sys_faked *sys = sys_faked_create();
	struct kernel_maps maps;
	sys_faked_file(sys, "/proc/kallsyms", "0000000000000000 T _text\n");
	assert_fails(kernel_maps_read(sys_faked_sys(sys), &maps), ERROR_PERMISSION);
	kernel_maps_deinit(&maps);
	sys_faked_file(sys, "/proc/kallsyms", "ffffffff81000010 T not_text\nffffffff81000000 T _text\nffffffff82000000 T _etext\n");
	sys_faked_file(sys, "/proc/modules", "strobe_a 4096 0 - Live 0xffffffffc0001000\nbroken\nstrobe_b 16 1 strobe_a, Live 0x10 (O)\n");
	assert_ok(kernel_maps_read(sys_faked_sys(sys), &maps));
	assert_int_equal(maps.list.len, 3);
	assert_string_equal(maps.list.data[0].name, "[kernel.kallsyms]");
	assert_true(maps.list.data[0].start == 0xffffffff81000000 && maps.list.data[0].end == 0xffffffff82000000);
	assert_string_equal(maps.list.data[1].name, "[strobe_a]");
	assert_true(maps.list.data[1].end == 0xffffffffc0002000);
	assert_string_equal(maps.list.data[1].hex, "");
	assert_int_equal(maps.list.data[2].start, 0x10);
	kernel_maps_deinit(&maps);
	sys_faked_destroy(sys);
}

static void count_entry(void *ctx, const char *doing, const char *hex, const char *path)
{
	assert_string_equal(doing, "Removing");
	++*(int *)ctx;
}

static void no_failure(void *ctx, struct strobe_error *err)
{
	fail_msg("%s", err->message);
}

static void test_takes_entries_out_of_the_cache(void **state)
{
	char dir[] = "/tmp/strobe-cache-XXXXXX";
	int removed = 0;
	struct file_cache cache = { .dir = dir, .done = count_entry, .ctx = &removed };
	assert_non_null(mkdtemp(dir));
	assert_ok(buildid_cache_add(dir, "1111111111111111111111111111111111111111", "/no/such/file"));
	assert_ok(buildid_cache_add(dir, "2222222222222222222222222222222222222222", "/no/such/file"));
	assert_ok(buildid_cache_add(dir, "3333333333333333333333333333333333333333", "/no/such/other"));
	assert_ok(file_cache_purge(&cache, "/no/such/file"));
	assert_int_equal(removed, 2);
	assert_fails(file_cache_purge(&cache, "/no/such/file"), ERROR_NOT_FOUND);
	file_cache_clear(&cache, no_failure);
	assert_int_equal(removed, 3);
	assert_false(buildid_cache_has(dir, "3333333333333333333333333333333333333333"));
	char links[64];
	snprintf(links, sizeof(links), "%s/.build-id", dir);
	rmdir(links);
	assert_int_equal(rmdir(dir), 0);
}

/* A stream's event is known before its first record, and no record is missing afterwards; READ records are kept as they pass. */
static void test_peeks_into_streams(void **state)
{
	struct fixture f;
	struct session s;
	struct strobe_error *damage;
	struct session_request request = by_comm();
	struct thread_reads reads = {};
	struct file_builder r = recording();
	bytes_begin(&r.data, PERF_RECORD_READ, 0);
	bytes_u32(&r.data, ALPHA);
	bytes_u32(&r.data, ALPHA + 1);
	bytes_u64(&r.data, 4321);
	build_trailer(&r, ALPHA, 1500 * MS, 0);
	bytes_end(&r.data);
	struct bytes_builder stream = build_stream(&r);
	set_up(&f);
	write_file(&f, stream.bytes.data, stream.bytes.len);
	assert_ok(session_open(&s, &f.host, f.path, false));
	peek_source(&s.source, &reads);
	assert_int_equal(source_env(s.source)->events.len, 1);
	assert_ok(session_resolve(&s, &request));
	assert_ok(session_aggregate(&s, &damage));
	assert_null(damage);
	assert_totals(s.profile, 5, 29);
	assert_int_equal(reads.all.len, 1);
	assert_int_equal(reads.all.data[0].pid, ALPHA);
	assert_int_equal(reads.all.data[0].tid, ALPHA + 1);
	assert_int_equal(reads.all.data[0].value, 4321);
	vec_deinit(&reads.all);
	session_close(&s);
	bytes_deinit(&stream);
	build_deinit(&r);
	tear_down(&f);
}

/* ---- what is not ---- */

static void test_says_losses(void **state)
{
	struct fixture f;
	struct session s;
	struct strobe_error *damage;
	struct session_request request = by_comm();
	struct file_builder r = recording();
	bytes_begin(&r.data, PERF_RECORD_LOST, 0);
	bytes_u64(&r.data, 71);
	bytes_u64(&r.data, 1234);
	build_trailer(&r, ALPHA, 1500 * MS, 0);
	bytes_end(&r.data);
	set_up(&f);
	write_recording(&f, r, 0);
	assert_ok(session_open(&s, &f.host, f.path, false));
	assert_ok(session_resolve(&s, &request));
	assert_ok(session_aggregate(&s, &damage));
	session_remarks(&s, false);
	assert_int_equal(f.said, 1);
	assert_non_null(strstr(f.last, "1234"));
	session_close(&s);
	tear_down(&f);
}

static void test_missing_file(void **state)
{
	struct fixture f;
	struct session s;
	set_up(&f);
	struct strobe_error *err = session_open(&s, &f.host, f.path, false);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_NOT_FOUND);
	assert_int_equal(err->exit_status, INPUT_OPEN_STATUS);
	assert_non_null(strstr(err->message, f.path));
	error_destroy(err);
	session_remarks(&s, false);
	assert_int_equal(f.said, 0);
	session_close(&s);
	tear_down(&f);
}

static void test_foreign_file(void **state)
{
	struct fixture f;
	struct session s;
	char text[1024];
	set_up(&f);
	memset(text, 'x', sizeof(text)); /* as long as a header */
	write_file(&f, text, sizeof(text));
	assert_true(input_is_foreign(f.path));
	write_file(&f, "a;b 1\n", 6); /* shorter than the first word of a recording */
	assert_true(input_is_foreign(f.path));
	write_file(&f, "PERF", 4);
	assert_false(input_is_foreign(f.path));
	write_file(&f, "", 0);
	assert_false(input_is_foreign(f.path));
	write_file(&f, text, sizeof(text));
	assert_fails(session_open(&s, &f.host, f.path, false), ERROR_FORMAT);
	session_close(&s);
	tear_down(&f);
}

/* The last record ends before its size: four samples are whole. */
static void test_damaged_file(void **state)
{
	struct fixture f;
	struct session s;
	struct profile *p;
	struct strobe_error *damage = NULL;
	struct session_request request = by_comm();
	set_up(&f);
	write_recording(&f, recording(), 8);
	assert_ok(session_open(&s, &f.host, f.path, false));
	assert_ok(session_resolve(&s, &request));
	assert_ok(session_aggregate(&s, &damage));
	assert_non_null(damage);
	assert_int_equal(damage->code, ERROR_TRUNCATED);
	error_destroy(damage);
	assert_totals(s.profile, 4, 22);
	session_close(&s);
	struct profile_input input = { .path = f.path };
	assert_ok(profile_input_read(&f.host, &input, &p));
	assert_int_equal(f.damaged, 1);
	assert_totals(p, 4, 22);
	profile_destroy(p);
	/* A host that does not take damage prints it. */
	f.host.damage = NULL;
	assert_ok(profile_input_read(&f.host, &input, &p));
	assert_int_equal(f.damaged, 1);
	assert_true(f.said > 0);
	profile_destroy(p);
	tear_down(&f);
}

static void test_file_of_another_user(void **state)
{
	struct fixture f;
	struct session s;
	set_up(&f);
	write_recording(&f, recording(), 0);
	if (chown(f.path, geteuid() + 4321, (gid_t)-1)) {
		tear_down(&f);
		skip(); /* root alone can give files away */
	}
	assert_fails(session_open(&s, &f.host, f.path, false), ERROR_PERMISSION);
	session_close(&s);
	assert_ok(session_open(&s, &f.host, f.path, true));
	session_close(&s);
	tear_down(&f);
}

static void test_symbols_that_cannot_be_read(void **state)
{
	struct fixture f;
	struct session s;
	struct session_request request = by_comm();
	set_up(&f);
	write_recording(&f, recording(), 0);
	assert_ok(session_open(&s, &f.host, f.path, false));
	request.symbols.kallsyms = "/nonexistent/kallsyms";
	struct strobe_error *err = session_resolve(&s, &request);
	assert_non_null(err);
	assert_non_null(strstr(err->message, "--kallsyms"));
	error_destroy(err);
	assert_null(s.resolver);
	request.symbols.kallsyms = NULL;
	request.choice.cpus = "x";
	assert_fails(session_resolve(&s, &request), ERROR_USAGE);
	session_close(&s);
	tear_down(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aggregates),
		cmocka_unit_test(test_asks_again),
		cmocka_unit_test(test_reads_any_profile),
		cmocka_unit_test(test_lists_files_that_were_hit),
		cmocka_unit_test(test_lists_the_kernel_and_its_modules),
		cmocka_unit_test(test_takes_entries_out_of_the_cache),
		cmocka_unit_test(test_peeks_into_streams),
		cmocka_unit_test(test_says_losses),
		cmocka_unit_test(test_missing_file),
		cmocka_unit_test(test_foreign_file),
		cmocka_unit_test(test_damaged_file),
		cmocka_unit_test(test_file_of_another_user),
		cmocka_unit_test(test_symbols_that_cannot_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

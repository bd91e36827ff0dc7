/* Files of a recording: under a temporary name, under their own, beside older ones, in rows and in directories. */
#include "base/testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/output.h"

struct fixture {
	char dir[64], path[128];
	struct env *env;
	struct record_output output;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	strcpy(f->dir, "/tmp/strobe-output-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/perf.data", f->dir);
	f->env = env_create();
	*state = f;
	return 0;
}

/* The number of names in a folder that begin with prefix; removes them if `remove`. */
static unsigned names(const char *dir, const char *prefix, bool remove)
{
	unsigned nr = 0;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		char path[512];
		if (e->d_name[0] == '.' || strncmp(e->d_name, prefix, strlen(prefix)) != 0)
			continue;
		nr++;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (remove && unlink(path)) {
			names(path, "", true);
			rmdir(path);
		}
	}
	if (d)
		closedir(d);
	return nr;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	record_output_deinit(&f->output);
	names(f->dir, "", true);
	rmdir(f->dir);
	env_destroy(f->env);
	free(f);
	return 0;
}

static bool exists(const struct fixture *f, const char *name)
{
	char path[256];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	return !lstat(path, &st);
}

static void write_text(const struct fixture *f, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void expect_text(const struct fixture *f, const char *name, const char *text)
{
	char path[256], has[64] = "";
	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(read(fd, has, sizeof(has) - 1) >= 0);
	close(fd);
	assert_string_equal(has, text);
}

static const char *finish(struct fixture *f)
{
	const char *name;
	assert_ok(record_output_finish(&f->output, f->env, &name));
	return name;
}

static void a_committed_file_moves_the_older_one_aside(void **state)
{
	struct fixture *f = *state;
	write_text(f, "perf.data", "older");
	write_text(f, "perf.data.old", "oldest");
	assert_ok(record_output_init(&f->output, f->path, false));
	assert_ok(record_output_open(&f->output, f->env, 1));
	expect_text(f, "perf.data", "older");
	assert_ok(record_output_commit(&f->output));
	expect_text(f, "perf.data.old", "older");
	/* up to the zeros of the size */
	expect_text(f, "perf.data", __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "2ELIFREP" : "PERFILE2h");
	assert_string_equal(finish(f), f->path);
	assert_int_equal(names(f->dir, "", false), 2);
	struct stat st;
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(record_output_bytes(&f->output), st.st_size);
}

static void what_is_discarded_leaves_the_older_one(void **state)
{
	struct fixture *f = *state;
	write_text(f, "perf.data", "older");
	assert_ok(record_output_init(&f->output, f->path, false));
	assert_ok(record_output_open(&f->output, f->env, 1));
	assert_int_equal(names(f->dir, "", false), 2);
	record_output_discard(&f->output);
	assert_int_equal(names(f->dir, "", false), 1);
	expect_text(f, "perf.data", "older");
}

static void an_empty_older_file_is_not_kept(void **state)
{
	struct fixture *f = *state;
	write_text(f, "perf.data", "");
	assert_ok(record_output_init(&f->output, f->path, false));
	assert_ok(record_output_open(&f->output, f->env, 1));
	assert_ok(record_output_commit(&f->output));
	finish(f);
	assert_int_equal(names(f->dir, "", false), 1);
}

static void a_row_keeps_its_last_files(void **state)
{
	struct fixture *f = *state;
	char last[512] = "";
	assert_ok(record_output_init(&f->output, f->path, false));
	f->output.timestamped = true;
	f->output.max_files = 2;
	assert_ok(record_output_plan_removals(&f->output));
	for (unsigned i = 0; i < 4; i++) {
		assert_ok(record_output_open(&f->output, f->env, 1));
		assert_ok(record_output_commit(&f->output));
		const char *name = finish(f);
		/* perf.data.YYYYmmddHHMMSShh, and more where two are of the same hundredth of a second */
		assert_memory_equal(name, f->path, strlen(f->path));
		assert_true(strlen(name) >= strlen(f->path) + 17);
		assert_string_not_equal(name, last);
		snprintf(last, sizeof(last), "%s", name);
		assert_int_equal(access(name, F_OK), 0);
	}
	assert_int_equal(names(f->dir, "perf.data.", false), 2);
	assert_false(exists(f, "perf.data"));
}

static void a_directory_has_a_file_for_each_part(void **state)
{
	struct fixture *f = *state;
	for (unsigned i = 0; i < 3; i++) { /* the third removes what the second moved aside */
		record_output_deinit(&f->output);
		assert_ok(record_output_init(&f->output, f->path, true));
		assert_ok(record_output_open(&f->output, f->env, 2));
		assert_ok(record_output_commit(&f->output));
		finish(f);
	}
	assert_int_equal(names(f->dir, "", false), 2);
	assert_int_equal(names(f->path, "", false), 3);
	assert_true(exists(f, "perf.data/data") && exists(f, "perf.data/data.0") && exists(f, "perf.data/data.1"));
	assert_true(exists(f, "perf.data.old/data.1"));
}

static void an_abandoned_directory_is_gone(void **state)
{
	struct fixture *f = *state;
	assert_ok(record_output_init(&f->output, f->path, true));
	assert_ok(record_output_open(&f->output, f->env, 2));
	record_output_abandon(&f->output);
	assert_int_equal(names(f->dir, "", false), 0);
}

static void a_directory_cannot_go_to_a_pipe(void **state)
{
	struct fixture *f = *state;
	assert_fails(record_output_init(&f->output, "-", true), ERROR_USAGE);
}

static void the_remover_frees_what_it_is_given(void **state)
{
	struct fixture *f = *state;
	struct record_remover r = {};
	struct stat st;
	write_text(f, "perf.data", "older");
	assert_int_equal(record_remover_hold(&r, f->path), -1); /* not started */
	record_remover_let_go(&r, -1);
	assert_ok(record_remover_start(&r));
	assert_true(r.tid > 0);
	int fd = record_remover_hold(&r, f->path);
	assert_true(fd >= 0);
	assert_int_equal(unlink(f->path), 0);
	assert_int_equal(fstat(fd, &st), 0);
	record_remover_let_go(&r, fd);
	record_remover_stop(&r);
	assert_int_equal(fstat(fd, &st), -1);
	record_remover_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_committed_file_moves_the_older_one_aside, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_discarded_leaves_the_older_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_empty_older_file_is_not_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_row_keeps_its_last_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_directory_has_a_file_for_each_part, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_abandoned_directory_is_gone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_directory_cannot_go_to_a_pipe, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_remover_frees_what_it_is_given, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

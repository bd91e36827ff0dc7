/* What descriptors are open on, as far as calls show: followed by hand. sys is NULL, so that nothing is read from /proc. */
#include "tracing/open_files.h"

#include <errno.h>
#include <fcntl.h>

#include "bpf/trace/trace_shared.h"
#include "tracing/testing.h"

struct fixture {
	struct syscall_table *table;
	struct open_files files;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	f->table = syscall_table_create(&arch_x86_64);
	open_files_init(&f->files, NULL, OPEN_FILES_FOLLOWED);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	open_files_deinit(&f->files);
	syscall_table_destroy(f->table);
	free(f);
	return 0;
}

/* A call of process 10 that has a string as argument `at`. */
static void does(struct fixture *f, const char *name, int64_t ret, uint64_t arg0, unsigned at, const char *string)
{
	struct syscall_event ev = call_named(f->table, name, 10, ret);
	ev.arg[0] = arg0;
	if (string) {
		ev.payload.nr = 1;
		ev.payload.piece[0].data = (const uint8_t *)string;
		ev.payload.piece[0].bytes = (uint32_t)strlen(string);
		ev.payload.piece[0].arg = (uint8_t)at;
		ev.payload.piece[0].part = SYSCALL_PART_WHOLE;
		ev.payload.piece[0].status = SYSCALL_FETCH_OK;
	}
	open_files_take(&f->files, &ev);
	if (ret >= 0) {
		open_files_follow(&f->files, &ev);
		open_files_close(&f->files, &ev);
	}
}

#define AT_CWD ((uint64_t)(uint32_t)AT_FDCWD)

static void what_is_opened_has_a_path(void **state)
{
	struct fixture *f = *state;
	assert_null(open_files_path(&f->files, 10, 3));
	does(f, "openat", 3, AT_CWD, 1, "/etc/hosts");
	assert_string_equal(open_files_path(&f->files, 10, 3), "/etc/hosts");
	assert_null(open_files_path(&f->files, 11, 3)); /* another process */
	does(f, "close", 0, 3, 0, NULL);
	assert_null(open_files_path(&f->files, 10, 3));
}

static void paths_are_joined_to_their_directory(void **state)
{
	struct fixture *f = *state;
	does(f, "openat", 3, AT_CWD, 1, "/var/lib");
	does(f, "openat", 4, 3, 1, "dpkg/./status");
	assert_string_equal(open_files_path(&f->files, 10, 4), "/var/lib/dpkg/status");
	/* What lies above a directory that may be a link only the file system knows. */
	does(f, "openat", 5, 3, 1, "../log");
	assert_null(open_files_path(&f->files, 10, 5));
}

static void copies_are_of_the_same_file(void **state)
{
	struct fixture *f = *state;
	does(f, "openat", 3, AT_CWD, 1, "/etc/hosts");
	does(f, "dup", 7, 3, 0, NULL);
	does(f, "close", 0, 3, 0, NULL);
	assert_string_equal(open_files_path(&f->files, 10, 7), "/etc/hosts");
	/* Only what has succeeded counts. */
	does(f, "openat", -ENOENT, AT_CWD, 1, "/nowhere");
	assert_string_equal(open_files_path(&f->files, 10, 7), "/etc/hosts");
}

static void children_inherit(void **state)
{
	struct fixture *f = *state;
	does(f, "openat", 5, AT_CWD, 1, "/etc/hosts");
	open_files_inherit(&f->files, 10, 20);
	does(f, "close", 0, 5, 0, NULL);
	assert_string_equal(open_files_path(&f->files, 20, 5), "/etc/hosts");
	/* An exec closes what is marked so, which calls do not show: no more is known of it. */
	open_files_forget(&f->files, 20);
	assert_null(open_files_path(&f->files, 20, 5));
}

static void bad_descriptors_have_no_path(void **state)
{
	struct fixture *f = *state;
	does(f, "read", -EBADF, 9, 0, NULL);
	assert_null(open_files_path(&f->files, 10, 9));
	assert_int_equal(f->files.lookups, 0);
}

/* What the BPF programs report of a descriptor: names from the last one on. */
static void events_bring_paths_along(void **state)
{
	struct fixture *f = *state;
	struct {
		struct trace_file file;
		char names[10];
	} piece = { .file = { .fd = 3, .flags = TRACE_FILE_KNOWN }, .names = "hosts\0etc" };
	struct syscall_event ev = call_named(f->table, "read", 10, 1);
	ev.payload.nr = 1;
	ev.payload.piece[0].data = (const uint8_t *)&piece;
	ev.payload.piece[0].bytes = sizeof(piece.file) + 10;
	ev.payload.piece[0].part = SYSCALL_PART_FILE;
	open_files_take(&f->files, &ev);
	assert_string_equal(open_files_path(&f->files, 10, 3), "/etc/hosts");
	piece.file.flags |= TRACE_FILE_REMOVED;
	open_files_take(&f->files, &ev);
	assert_string_equal(open_files_path(&f->files, 10, 3), "/etc/hosts (deleted)");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_is_opened_has_a_path),
		TEST(paths_are_joined_to_their_directory),
		TEST(copies_are_of_the_same_file),
		TEST(children_inherit),
		TEST(bad_descriptors_have_no_path),
		TEST(events_bring_paths_along),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Kept tables of this machine's C library against those that are compiled; files that are damaged, or of another state of it. */
#include "base/testing.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "unwind/kept_table.h"

#define KEY_BYTES      (24 + 2 * sizeof(struct filemap_identity))
#define ROWS_AT	       (KEY_BYTES + 40)
#define FUNCTIONS_AT   (KEY_BYTES + 28)
#define NOT_ITS_NUMBER 12345

struct scratch {
	char dir[40], path[512];
	struct object *libc;
	struct unwind_table *compiled;
};

/* A copy: recordings of perf beside this make links to the library, which change it. Files that just changed are not kept. */
static void copy_settled(const char *path, struct scratch *s)
{
	char copy[64], command[640];
	struct stat st;
	snprintf(copy, sizeof(copy), "%s/libc", s->dir);
	snprintf(command, sizeof(command), "cat '%s' > '%s'", path, copy);
	assert_int_equal(system(command), 0);
	assert_int_equal(stat(copy, &st), 0);
	while (time(NULL) <= st.st_ctim.tv_sec + 3)
		usleep(50000);
	assert_ok(object_open(copy, &s->libc));
}

static int set_up(void **state)
{
	static struct scratch s;
	Dl_info libc;
	strcpy(s.dir, "/tmp/strobe-kept-XXXXXX");
	assert_non_null(mkdtemp(s.dir));
	setenv("XDG_CACHE_HOME", s.dir, 1);
	assert_true(dladdr((void *)(uintptr_t)qsort, &libc));
	copy_settled(libc.dli_fname, &s);
	s.compiled = unwind_table_of(s.libc, NULL);
	assert_non_null(s.compiled);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct scratch *s = *state;
	char command[128];
	unwind_table_destroy(s->compiled);
	object_close(s->libc);
	snprintf(command, sizeof(command), "rm -rf '%s'", s->dir);
	unsetenv("XDG_CACHE_HOME");
	return system(command);
}

static bool same_rule(const struct unwind_rule *a, const struct unwind_rule *b)
{
	return a->saves == b->saves && a->value == b->value && a->saves_nr == b->saves_nr && a->kind == b->kind && a->reg == b->reg &&
	       a->flags == b->flags && a->ra == b->ra && a->lowest == b->lowest && a->highest == b->highest && a->saved == b->saved;
}

static void assert_same(const struct unwind_table *a, const struct unwind_table *b)
{
	assert_non_null(b);
	assert_true(a->base == b->base && a->is_64bit == b->is_64bit && a->swap == b->swap);
	assert_true(a->rows_nr == b->rows_nr && a->pages_nr == b->pages_nr);
	assert_true(a->rules_nr == b->rules_nr && a->saves_nr == b->saves_nr && a->exprs_nr == b->exprs_nr);
	assert_memory_equal(a->rows, b->rows, a->rows_nr * sizeof(*a->rows));
	assert_memory_equal(a->pages, b->pages, ((size_t)a->pages_nr + 1) * sizeof(*a->pages));
	for (uint32_t i = 0; i < a->rules_nr; i++)
		assert_true(same_rule(&a->rules[i], &b->rules[i]));
	for (uint32_t i = 0; i < a->saves_nr; i++)
		assert_true(a->saves[i].reg == b->saves[i].reg && a->saves[i].kind == b->saves[i].kind &&
			    a->saves[i].base == b->saves[i].base && a->saves[i].value == b->saves[i].value);
	for (uint32_t i = 0; i < a->exprs_nr; i++)
		assert_true(a->exprs[i].bytes == b->exprs[i].bytes && a->exprs[i].n == b->exprs[i].n);
}

/* The functions that it counts show whether a table is what the file has: it is changed there. */
static uint32_t kept_functions(struct scratch *s)
{
	struct unwind_table *t = unwind_table_of_kept(s->libc, NULL);
	assert_same(s->compiled, t);
	uint32_t functions = t->functions;
	unwind_table_destroy(t);
	return functions;
}

/* The only one. */
static void find_file(struct scratch *s)
{
	char folder[64];
	snprintf(folder, sizeof(folder), "%s/strobe/tables", s->dir);
	DIR *d = opendir(folder);
	assert_non_null(d);
	*s->path = 0;
	for (struct dirent *e; (e = readdir(d));)
		if (*e->d_name != '.')
			snprintf(s->path, sizeof(s->path), "%s/%s", folder, e->d_name);
	closedir(d);
	assert_true(*s->path);
}

static void set_word(struct scratch *s, size_t at, uint32_t word)
{
	int fd = open(s->path, O_WRONLY);
	assert_true(fd >= 0 && pwrite(fd, &word, sizeof(word), (off_t)at) == sizeof(word));
	close(fd);
}

static void tables_are_read_again(void **state)
{
	struct scratch *s = *state;
	struct stat st;
	assert_int_equal(kept_functions(s), s->compiled->functions);
	find_file(s);
	assert_int_equal(stat(s->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	set_word(s, FUNCTIONS_AT, NOT_ITS_NUMBER);
	assert_int_equal(kept_functions(s), NOT_ITS_NUMBER);
}

static void damage_is_compiled_anew(void **state)
{
	struct scratch *s = *state;
	size_t last_page_at = ROWS_AT + (s->compiled->rows_nr + s->compiled->pages_nr) * sizeof(uint32_t), rules_at = last_page_at + 4;
	const struct {
		size_t at;
		uint32_t word;
	} damages[] = {
		{ 8, 99 },                               /* the version */
		{ KEY_BYTES - 8, 1 },                    /* when its debug file was changed: there is none */
		{ 16, 1 },                               /* the program */
		{ 32, 1 },                               /* the inode */
		{ KEY_BYTES + 8, 0 },                    /* how many rows */
		{ KEY_BYTES + 12, UINT32_MAX },          /* pages */
		{ ROWS_AT + 4, UNWIND_RULES_MAX - 1 },   /* a row's rule */
		{ last_page_at - 4, UINT32_MAX },        /* where rows of a page begin */
		{ last_page_at, 1 },
		{ rules_at + 8, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 0x00050000 : 0x0500 }, /* a kind of the first rule */
		{ rules_at + sizeof(struct unwind_rule), UINT32_MAX }, /* where the saves of the second begin */
	};
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		(void)kept_functions(s);
		set_word(s, FUNCTIONS_AT, NOT_ITS_NUMBER);
		set_word(s, damages[i].at, damages[i].word);
		assert_int_equal(kept_functions(s), s->compiled->functions);
	}
	assert_int_equal(truncate(s->path, ROWS_AT + 100), 0);
	assert_int_equal(kept_functions(s), s->compiled->functions);
	assert_int_equal(truncate(s->path, 10), 0);
	assert_int_equal(kept_functions(s), s->compiled->functions);
}

/* The same path, inode and size may be other code a moment later. */
static void files_that_just_changed_are_not_kept(void **state)
{
	struct scratch *s = *state;
	char copy[64], command[640];
	struct object *o;
	snprintf(copy, sizeof(copy), "%s/copy", s->dir);
	snprintf(command, sizeof(command), "rm -f '%s' && cat '%s' > '%s'", s->path, object_name(s->libc), copy);
	assert_int_equal(system(command), 0);
	assert_ok(object_open(copy, &o));
	struct unwind_table *t = unwind_table_of_kept(o, NULL);
	assert_non_null(t);
	assert_int_equal(access(s->path, F_OK), -1);
	assert_int_equal(t->rows_nr, s->compiled->rows_nr);
	unwind_table_destroy(t);
	object_close(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_read_again),
		cmocka_unit_test(damage_is_compiled_anew),
		cmocka_unit_test(files_that_just_changed_are_not_kept),
	};
	return cmocka_run_group_tests_name("kept-table", tests, set_up, tear_down);
}

/* What recorders put into a build ID cache, below a directory of the test. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/new_file.h"
#include "object/testing_elf.h"
#include "session/buildid/cached_file.h"
#include "session/buildid/kept_files.h"

#define HEX_1 "0101010101010101010101010101010101010101"
#define HEX_2 "0202020202020202020202020202020202020202"

struct fixture {
	char dir[40], cache[64], program[64];
};

static void write_program(const struct fixture *f, uint8_t id_byte)
{
	static const uint8_t code[64] = { 0xc3 };
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	uint8_t id[20];
	size_t n;
	memset(id, id_byte, sizeof(id));
	elf_add_build_id(&b, id, sizeof(id));
	elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code));
	uint8_t *bytes = elf_finish(&b, &n);
	unlink(f->program); /* what a link of the cache leads to stays as it is */
	assert_ok(new_file_write(f->program, bytes, n, 0644));
	free(bytes);
}

static void set_up(struct fixture *f)
{
	*f = (struct fixture){ .dir = "/tmp/strobe-buildid-XXXXXX" };
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->cache, sizeof(f->cache), "%s/cache", f->dir);
	snprintf(f->program, sizeof(f->program), "%s/program", f->dir);
	write_program(f, 1);
}

static bool remove_entry(void *ctx, const struct buildid_cache_entry *e)
{
	error_destroy(buildid_cache_remove(ctx, e->hex));
	return true;
}

static void tear_down(struct fixture *f)
{
	buildid_cache_each(f->cache, remove_entry, f->cache);
	unlink(f->program);
	char path[96];
	snprintf(path, sizeof(path), "%s/.build-id/recorded", f->cache);
	unlink(path);
	snprintf(path, sizeof(path), "%s/.build-id", f->cache);
	rmdir(path);
	rmdir(f->cache);
	assert_int_equal(rmdir(f->dir), 0);
}

static void add_program(const struct fixture *f)
{
	struct cached_file file;
	assert_ok(cached_file_open(f->program, 0, &file));
	assert_ok(cached_file_add(f->cache, &file, NULL));
	cached_file_close(&file);
}

static void recorders_keep_what_is_still_the_same(void **state)
{
	struct fixture f;
	set_up(&f);
	struct kept_files kept = { .dir = f.cache };
	assert_fails(kept_files_add(&kept, HEX_2, f.program, 0), ERROR_NOT_FOUND); /* it is of another build */
	assert_false(kept.any_added);
	assert_false(buildid_cache_has(f.cache, HEX_2));
	assert_ok(kept_files_add(&kept, HEX_2, "/../outside", 0));
	assert_false(kept.any_added);
	assert_ok(kept_files_add(&kept, HEX_1, f.program, 0));
	assert_true(kept.any_added);
	assert_int_equal(kept.copied, 0); /* small files count for nothing */
	assert_ok(kept_files_add(&kept, HEX_1, "/nowhere", 0)); /* it is there already */
	tear_down(&f);
}

static void old_entries_of_recorders_go_first(void **state)
{
	struct fixture f;
	struct stat st;
	set_up(&f);
	struct kept_files kept = { .dir = f.cache };
	assert_ok(kept_files_add(&kept, HEX_1, f.program, 0));
	write_program(&f, 2);
	assert_ok(kept_files_add(&kept, HEX_2, f.program, 0));
	assert_int_equal(stat(f.program, &st), 0);
	char *mark = buildid_cache_path(f.cache, HEX_2, "recorded");
	assert_int_equal(utimensat(0, mark, (struct timespec[]){ { .tv_sec = 1000 }, { .tv_sec = 1000 } }, 0), 0); /* the older one */
	kept_files_limit(&kept, 2 * (uint64_t)st.st_size);
	assert_true(buildid_cache_has(f.cache, HEX_2));
	kept_files_limit(&(struct kept_files){ .dir = f.cache }, 0); /* nothing was added: nothing is looked at */
	assert_true(buildid_cache_has(f.cache, HEX_2));
	kept_files_limit(&kept, 2 * (uint64_t)st.st_size - 1);
	assert_false(buildid_cache_has(f.cache, HEX_2));
	assert_true(buildid_cache_has(f.cache, HEX_1));
	/* What a user added is not theirs to take. */
	assert_ok(buildid_cache_remove(f.cache, HEX_1));
	add_program(&f);
	kept_files_limit(&kept, 0);
	assert_true(buildid_cache_has(f.cache, HEX_2));
	free(mark);
	tear_down(&f);
}

static void write_bound(const struct fixture *f, uint64_t bytes, time_t counted_s)
{
	char path[96], text[64];
	snprintf(path, sizeof(path), "%s/.build-id/recorded", f->cache);
	snprintf(text, sizeof(text), "%llu %lld\n", (unsigned long long)bytes, (long long)counted_s);
	assert_ok(new_file_write(path, text, strlen(text), 0600));
}

/* The file says less than is there: whether entries were counted is seen by what is removed. */
static void entries_are_counted_once_a_day(void **state)
{
	struct fixture f;
	struct stat st;
	set_up(&f);
	struct kept_files kept = { .dir = f.cache };
	assert_ok(kept_files_add(&kept, HEX_1, f.program, 0));
	assert_int_equal(stat(f.program, &st), 0);
	uint64_t bytes = (uint64_t)st.st_size;
	assert_int_equal(kept.added, bytes);
	write_bound(&f, 0, time(NULL) - 60);
	kept_files_limit(&kept, bytes); /* 0 and what was added now: it fits */
	assert_true(buildid_cache_has(f.cache, HEX_1));
	kept_files_limit(&kept, 2 * bytes - 1); /* added twice, it may not fit: it is counted, and does */
	assert_true(buildid_cache_has(f.cache, HEX_1));
	write_bound(&f, 0, time(NULL) + 3600); /* a clock that was put back */
	kept_files_limit(&kept, bytes + bytes / 4);
	write_bound(&f, 0, time(NULL) - 2 * 86400);
	kept.added = 0;
	kept_files_limit(&kept, bytes - 1);
	assert_false(buildid_cache_has(f.cache, HEX_1));
	tear_down(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorders_keep_what_is_still_the_same),
		cmocka_unit_test(old_entries_of_recorders_go_first),
		cmocka_unit_test(entries_are_counted_once_a_day),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* file, filemap, pool */
#include "base/testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/filemap.h"
#include "base/new_file.h"
#include "base/out.h"
#include "base/pool.h"
#include "base/user_cache.h"

static int temp_file(size_t bytes, char *path)
{
	strcpy(path, "/tmp/strobe-file-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	char *p = malloc(bytes + 1);
	memset(p, 'a', bytes);
	assert_ok(file_write_fd(fd, path, p, bytes));
	free(p);
	return fd;
}

static void files_are_read_whole(void **state)
{
	char path[32];
	int fd = temp_file(10000, path);
	struct strbuf b = {};
	assert_ok(file_read(path, &b, 0));
	assert_int_equal(b.len, 10000);
	assert_fails(file_read(path, &b, 9999), ERROR_LIMIT);
	strbuf_reset(&b);
	assert_ok(file_read("/proc/self/status", &b, 0));
	assert_true(b.len > 100 && !strncmp(b.data, "Name:", 5));
	assert_fails(file_read("/nonexistent/x", &b, 0), ERROR_NOT_FOUND);
	strbuf_deinit(&b);
	unlink(path);
	close(fd);
}

static size_t names_in(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2; /* "." and ".." */
}

static void new_files_are_whole_or_not_there(void **state)
{
	char base[] = "/tmp/strobe-new-XXXXXX", path[64];
	struct new_file f;
	struct strbuf b = {};
	struct stat st;
	assert_non_null(mkdtemp(base));
	snprintf(path, sizeof(path), "%s/a", base);

	assert_ok(new_file_create(path, &f));
	assert_ok(file_write_fd(f.fd, path, "one", 3));
	assert_int_equal(access(path, F_OK), -1);
	new_file_deinit(&f);
	assert_int_equal(names_in(base), 0);

	/* the second time in place of the first */
	for (int i = 0; i < 2; i++) {
		assert_ok(new_file_create(path, &f));
		assert_ok(file_write_fd(f.fd, path, i ? "three" : "two", i ? 5 : 3));
		assert_ok(new_file_keep(&f, 0640));
		new_file_deinit(&f);
		strbuf_reset(&b);
		assert_ok(file_read(path, &b, 0));
		assert_string_equal(strbuf_str(&b), i ? "three" : "two");
		assert_int_equal(names_in(base), 1);
	}
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);

	assert_ok(new_file_create("/dev/null", &f));
	assert_ok(file_write_fd(f.fd, path, "four", 4));
	assert_ok(new_file_keep(&f, 0600));
	new_file_deinit(&f);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode) && (st.st_mode & 0777) == 0666);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(base), 0);
	assert_fails(new_file_create(path, &f), ERROR_NOT_FOUND);
	strbuf_deinit(&b);
}

static void directories_are_made(void **state)
{
	char base[] = "/tmp/strobe-dir-XXXXXX", path[64];
	assert_non_null(mkdtemp(base));
	snprintf(path, sizeof(path), "%s/a//b/c/", base);
	assert_ok(file_make_dirs(path));
	assert_ok(file_make_dirs(path));
	snprintf(path, sizeof(path), "rm -r %s", base);
	assert_int_equal(system(path), 0);
	assert_fails(file_make_dirs("/dev/null/x"), ERROR_IO);
}

static void maps_files_pipes_and_procfs(void **state)
{
	char path[32];
	skip_emulated(); /* its /proc/self/maps is a file with a size */
	int fd = temp_file(5000, path);
	struct filemap m;
	assert_ok(filemap_open(&m, path));
	assert_int_equal(m.bytes, 5000);
	assert_int_equal(m.data[4999], 'a');
	assert_true(m.slot >= 0 && !filemap_shrunk(&m));
	filemap_rest_part(&m, 10, SIZE_MAX); /* is read again where it is needed */
	filemap_rest(&m);
	assert_int_equal(m.data[4999], 'a');
	filemap_close(&m);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_ok(filemap_open(&m, path));
	assert_true(!m.data && !m.bytes);
	filemap_close(&m);
	assert_ok(filemap_open(&m, "/proc/self/maps"));
	assert_true(m.heap && m.bytes > 100);
	filemap_close(&m);
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "hello", 5), 5);
	close(ends[1]);
	assert_ok(filemap_open_fd(&m, ends[0], "pipe"));
	assert_memory_equal(m.data, "hello", 5);
	filemap_close(&m);
	close(ends[0]);
	assert_fails(filemap_open(&m, "/tmp"), ERROR_IO);
	assert_fails(filemap_open(&m, "/nonexistent"), ERROR_NOT_FOUND);
	unlink(path);
	close(fd);
}

static void a_shrunken_file_reads_as_zeros(void **state)
{
	char path[32];
	skip_emulated(); /* SIGBUS ends the emulator */
	int fd = temp_file(100000, path);
	struct filemap m;
	filemap_install_guard();
	filemap_install_guard();
	assert_ok(filemap_open(&m, path));
	assert_int_equal(ftruncate(fd, 10), 0);
	assert_false(filemap_shrunk(&m));
	assert_int_equal(((volatile const uint8_t *)m.data)[99999], 0);
	assert_true(filemap_shrunk(&m));
	assert_int_equal(((volatile const uint8_t *)m.data)[5], 'a');
	filemap_close(&m);
	assert_ok(filemap_open(&m, path));
	assert_false(filemap_shrunk(&m));
	filemap_close(&m);
	unlink(path);
	close(fd);
}

struct sums {
	_Atomic uint64_t sum;
	_Atomic unsigned threads[64];
};

static void add(void *ctx, size_t i, unsigned thread)
{
	struct sums *s = ctx;
	atomic_fetch_add(&s->sum, i);
	atomic_fetch_add(&s->threads[thread], 1);
}

static void pool_does_each_once(void **state)
{
	assert_true(pool_cpus() >= 1);
	for (unsigned threads = 0; threads < 9; threads++) {
		struct sums s = {};
		pool_run(10000, threads, add, &s);
		assert_int_equal(s.sum, 10000 * 9999 / 2);
		unsigned calls = 0;
		for (int i = 0; i < 64; i++)
			calls += s.threads[i];
		assert_int_equal(calls, 10000);
	}
	pool_run(0, 4, add, NULL);
}

struct ordered {
	unsigned made[POOL_SLOTS]; /* i + 1 of what a slot holds; 0: it is free */
	size_t given;
	bool is_wrong;
};

static void make(void *ctx, size_t i, unsigned slot)
{
	struct ordered *o = ctx;
	o->is_wrong |= o->made[slot] != 0;
	for (volatile size_t n = 0; n < i % 7 * 100;) /* some take longer than others */
		n++;
	o->made[slot] = (unsigned)i + 1;
}

static void give(void *ctx, size_t i, unsigned slot)
{
	struct ordered *o = ctx;
	o->is_wrong |= o->made[slot] != i + 1 || i != o->given;
	o->made[slot] = 0;
	o->given++;
}

static void pool_gives_in_order(void **state)
{
	const size_t numbers[] = { 0, 1, POOL_SLOTS, 10000 };
	for (unsigned threads = 0; threads < 5; threads++)
		for (unsigned k = 0; k < 4; k++) {
			struct ordered o = {};
			pool_run_in_order(numbers[k], threads, make, give, &o);
			assert_int_equal(o.given, numbers[k]);
			assert_false(o.is_wrong);
		}
}

static bool is_kept(const char *name, const char *content)
{
	struct filemap m = { .slot = -1 };
	if (!user_cache_map(name, &m))
		return false;
	assert_int_equal(m.bytes, strlen(content));
	assert_memory_equal(m.data, content, m.bytes);
	filemap_close(&m);
	return true;
}

static void keep(const char *name, const char *content)
{
	struct iovec v[] = { { (void *)content, 2 }, { (void *)(content + 2), strlen(content) - 2 } };
	user_cache_save(name, v, 2);
}

static void what_is_kept_is_there_again_until_it_is_too_much(void **state)
{
	char home[] = "/tmp/strobe-cache-XXXXXX", path[64];
	assert_non_null(mkdtemp(home));
	setenv("XDG_CACHE_HOME", home, 1);
	assert_false(is_kept("x", ""));
	keep("x", "first");
	assert_true(is_kept("x", "first"));
	keep("x", "second");
	assert_true(is_kept("x", "second"));
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "many/%d", i);
		keep(path, "0123456789");
		/* one a second, so that the oldest is known */
		char full[128];
		snprintf(full, sizeof(full), "%s/strobe/%s", home, path);
		const struct timespec times[2] = { { 1000 + i, 0 }, { 1000 + i, 0 } };
		assert_int_equal(utimensat(AT_FDCWD, full, times, 0), 0);
	}
	user_cache_trim("many", 40);
	assert_true(is_kept("many/0", "0123456789"));
	user_cache_trim("many", 25);
	assert_false(is_kept("many/0", "") || is_kept("many/1", ""));
	assert_true(is_kept("many/2", "0123456789") && is_kept("many/3", "0123456789") && is_kept("x", "second"));
	snprintf(path, sizeof(path), "%s/strobe", home);
	chmod(path, 0777); /* others could have put it there */
	assert_false(is_kept("x", ""));
	unsetenv("XDG_CACHE_HOME");
	snprintf(path, sizeof(path), "rm -r %s", home);
	assert_int_equal(system(path), 0);
}

static struct strobe_error *write_word(void *ctx, struct out *out)
{
	out_str(out, ctx);
	return strcmp(ctx, "bad") ? NULL : error_create(ERROR_FORMAT, "bad");
}

static void assert_content(const char *path, const char *expected, mode_t mode)
{
	struct strbuf text = {};
	struct stat st;
	assert_null(file_read(path, &text, 0));
	assert_string_equal(strbuf_str(&text), expected);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, mode);
	strbuf_deinit(&text);
}

static void outputs_are_new_or_keep_their_mode(void **state)
{
	(void)state;
	char folder[] = "/tmp/strobe-output-XXXXXX", path[64];
	int fd;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a", folder);
	assert_null(new_file_write_by(path, write_word, (char *)"one"));
	assert_content(path, "one", 0600);
	chmod(path, 0644);
	struct strobe_error *err = new_file_write_by(path, write_word, (char *)"bad");
	assert_true(error_is(err, ERROR_FORMAT));
	error_destroy(err);
	assert_content(path, "one", 0644);
	assert_null(new_file_write_by(path, write_word, (char *)"two"));
	assert_content(path, "two", 0644);
	assert_null(file_open_output(path, true, &fd));
	assert_int_equal(write(fd, "+", 1), 1);
	close(fd);
	assert_content(path, "two+", 0644);
	assert_null(file_open_output(path, false, &fd));
	close(fd);
	assert_content(path, "", 0644);
	err = file_open_output(folder, false, &fd);
	assert_non_null(strstr(err->message, "cannot write"));
	error_destroy(err);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_whole),
		cmocka_unit_test(directories_are_made),
		cmocka_unit_test(new_files_are_whole_or_not_there),
		cmocka_unit_test(maps_files_pipes_and_procfs),
		cmocka_unit_test(a_shrunken_file_reads_as_zeros),
		cmocka_unit_test(pool_does_each_once),
		cmocka_unit_test(pool_gives_in_order),
		cmocka_unit_test(what_is_kept_is_there_again_until_it_is_too_much),
		cmocka_unit_test(outputs_are_new_or_keep_their_mode),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

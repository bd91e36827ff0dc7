/* Archives against tar(1): it lists and unpacks ours; we read its archives, in three formats. */
#include "base/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/tar.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"

struct scratch {
	char dir[32], archive[64];
	int fd;
	char *content; /* of the large file */
};

#define LARGE_BYTES 300001
#define LONG_NAME                                                                                       \
	"a-directory-of-a-length/that-no-header-holds-in-its-hundred-bytes/and-that-has-to-be-parted-at/" \
	"some-slash/where-both-halves-fit/file"

static char *very_long_name(void)
{
	char *name = xmalloc(400);
	memset(name, 'n', 399);
	for (unsigned i = 149; i < 399; i += 150)
		name[i] = '/';
	name[399] = 0;
	return name;
}

static int setup(void **state)
{
	struct scratch *s = xcalloc(1, sizeof(*s));
	strcpy(s->dir, "/tmp/strobe-tar-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	snprintf(s->archive, sizeof(s->archive), "%s/x.tar", s->dir);
	s->fd = open(s->archive, O_RDWR | O_CREAT | O_TRUNC, 0600);
	s->content = xmalloc(LARGE_BYTES);
	for (size_t i = 0; i < LARGE_BYTES; i++)
		s->content[i] = (char)(i * i >> 7);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct scratch *s = *state;
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s", s->dir);
	assert_int_equal(system(command), 0);
	close(s->fd);
	free(s->content);
	free(s);
	return 0;
}

static void shell(const struct scratch *s, const char *command)
{
	char *line = xasprintf("cd %s && %s", s->dir, command);
	if (system(line))
		fail_msg("%s", line);
	free(line);
}

/* False if this build lacks the packing. */
static bool write_archive(const struct scratch *s, const struct packing *p)
{
	struct tar_writer *w;
	char path[64], *long_name = very_long_name();
	snprintf(path, sizeof(path), "%s/large", s->dir);
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0750);
	assert_ok(file_write_fd(fd, path, s->content, LARGE_BYTES));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(ftruncate(s->fd, 0), 0);
	assert_int_equal(lseek(s->fd, 0, SEEK_SET), 0);
	struct strobe_error *err = tar_writer_create(s->fd, s->archive, p, &w);
	if (error_is(err, ERROR_UNSUPPORTED)) {
		error_destroy(err);
		free(long_name);
		return false;
	}
	assert_ok(err);
	assert_ok(tar_add_bytes(w, "sub/small", "hello", 5));
	assert_ok(tar_add_bytes(w, "empty", NULL, 0));
	assert_ok(tar_add_file(w, "large", fd, path));
	assert_ok(tar_add_link(w, "sub/link", "../large"));
	assert_ok(tar_add_bytes(w, LONG_NAME, "long", 4));
	assert_ok(tar_add_bytes(w, long_name, "longer", 6));
	assert_ok(tar_add_link(w, "farlink", long_name));
	assert_ok(tar_writer_finish(w));
	tar_writer_destroy(w);
	free(long_name);
	return true;
}

static void expect(struct tar_reader *r, enum tar_kind kind, const char *path, const char *content, size_t n)
{
	struct tar_entry e;
	bool end;
	assert_ok(tar_next(r, &e, &end));
	assert_false(end);
	assert_int_equal(e.kind, kind);
	assert_string_equal(e.path, path);
	if (kind == TAR_LINK) {
		assert_string_equal(e.target, content);
		return;
	}
	if (kind != TAR_FILE)
		return;
	assert_int_equal(e.bytes, n);
	for (size_t at = 0;;) {
		const void *p;
		size_t piece;
		assert_ok(tar_content(r, &p, &piece));
		if (!piece) {
			assert_int_equal(at, n);
			return;
		}
		assert_true(piece <= n - at);
		assert_memory_equal(p, content + at, piece);
		at += piece;
	}
}

static void expect_end(struct tar_reader *r)
{
	struct tar_entry e;
	bool end;
	assert_ok(tar_next(r, &e, &end));
	assert_true(end);
}

static struct tar_reader *open_reader(const struct scratch *s)
{
	struct tar_reader *r;
	assert_int_equal(lseek(s->fd, 0, SEEK_SET), 0);
	assert_ok(tar_reader_create(s->fd, s->archive, &r));
	return r;
}

static void tar_unpacks_what_is_written(void **state)
{
	struct scratch *s = *state;
	write_archive(s, packing_by_name("x.tar"));
	shell(s, "mkdir out && tar xf x.tar -C out && cmp large out/large && test \"$(cat out/sub/small)\" = hello");
	shell(s, "test -f out/empty && test ! -s out/empty && test \"$(readlink out/sub/link)\" = ../large");
	shell(s, "test \"$(cat out/" LONG_NAME ")\" = long && test \"$(cat out/farlink)\" = longer");
}

static void every_packing_comes_back(void **state)
{
	struct scratch *s = *state;
	static const struct {
		const char *name, *magic;
	} packings[] = { { "x.tar", "" }, { "x.tar.gz", "\x1f\x8b" }, { "x.txz", "\xfd" "7z" }, { "x.tar.zst", "\x28\xb5" },
			 { "x.tbz2", "BZh" } };
	char *long_name = very_long_name(), magic[3];
	for (size_t i = 0; i < sizeof(packings) / sizeof(*packings); i++) {
		if (!write_archive(s, packing_by_name(packings[i].name)))
			continue;
		size_t n = strlen(packings[i].magic);
		assert_int_equal(pread(s->fd, magic, n, 0), n);
		assert_memory_equal(magic, packings[i].magic, n);
		struct tar_reader *r = open_reader(s);
		expect(r, TAR_FILE, "sub/small", "hello", 5);
		expect(r, TAR_FILE, "empty", "", 0);
		expect(r, TAR_FILE, "large", s->content, LARGE_BYTES);
		expect(r, TAR_LINK, "sub/link", "../large", 0);
		expect(r, TAR_FILE, LONG_NAME, "long", 4);
		expect(r, TAR_FILE, long_name, "longer", 6);
		expect(r, TAR_LINK, "farlink", long_name, 0);
		expect_end(r);
		tar_reader_destroy(r);
	}
	free(long_name);
}

static void what_tar_writes_is_read(void **state)
{
	struct scratch *s = *state;
	static const char *const formats[] = { "ustar", "gnu", "posix" };
	shell(s, "mkdir -p in/sub && printf hello > in/sub/small && ln -s ../far/away in/sub/link");
	shell(s, "mkdir -p in/$(dirname " LONG_NAME ") && printf long > in/" LONG_NAME);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		char *command = xasprintf("tar cf x.tar --format=%s -C in sub sub/small " LONG_NAME, formats[i]);
		shell(s, command);
		free(command);
		int fd = open(s->archive, O_RDONLY);
		struct tar_reader *r;
		struct tar_entry e;
		bool end;
		unsigned files = 0, links = 0, directories = 0, longs = 0;
		assert_ok(tar_reader_create(fd, s->archive, &r));
		for (;;) {
			assert_ok(tar_next(r, &e, &end));
			if (end)
				break;
			files += e.kind == TAR_FILE && !strcmp(e.path, "sub/small") && e.bytes == 5;
			links += e.kind == TAR_LINK && !strcmp(e.path, "sub/link") && !strcmp(e.target, "../far/away");
			directories += e.kind == TAR_DIRECTORY && !strcmp(e.path, "sub/");
			longs += e.kind == TAR_FILE && !strcmp(e.path, LONG_NAME);
		}
		assert_int_equal(files, 1); /* added twice, the second time as a hard link to the first */
		assert_int_equal(links, 1);
		assert_int_equal(directories, 1);
		assert_int_equal(longs, 1);
		tar_reader_destroy(r);
		close(fd);
	}
}

/* Reads an archive to its end; returns the code of its error, or -1. */
static int read_through(const struct scratch *s)
{
	struct tar_reader *r;
	struct tar_entry e;
	bool end = false;
	assert_int_equal(lseek(s->fd, 0, SEEK_SET), 0);
	struct strobe_error *err = tar_reader_create(s->fd, s->archive, &r);
	while (!err && !end)
		err = tar_next(r, &e, &end);
	int code = err ? (int)err->code : -1;
	error_destroy(err);
	tar_reader_destroy(r);
	return code;
}

static void damage_is_reported(void **state)
{
	struct scratch *s = *state;
	static const char *const names[] = { "x.tar", "x.tar.gz", "x.tar.xz", "x.tar.zst", "x.tar.bz2" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!write_archive(s, packing_by_name(names[i])))
			continue;
		assert_int_equal(read_through(s), -1);
		off_t bytes = lseek(s->fd, 0, SEEK_END);
		assert_int_equal(ftruncate(s->fd, bytes / 2), 0);
		assert_int_equal(read_through(s), ERROR_TRUNCATED);
	}
	write_archive(s, packing_by_name("x.tar"));
	assert_int_equal(pwrite(s->fd, "9", 1, 124), 1); /* the size of the first entry */
	assert_int_equal(read_through(s), ERROR_FORMAT);
	if (!write_archive(s, packing_by_name("x.tar.bz2")))
		return;
	assert_int_equal(pwrite(s->fd, "garbage", 7, 64), 7);
	assert_int_equal(read_through(s), ERROR_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tar_unpacks_what_is_written, setup, teardown),
		cmocka_unit_test_setup_teardown(every_packing_comes_back, setup, teardown),
		cmocka_unit_test_setup_teardown(what_tar_writes_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(damage_is_reported, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

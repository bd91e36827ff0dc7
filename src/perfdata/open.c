/* Opens a recording: finds its form, checks its owner, finds the files that belong to it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "perfdata/reader_priv.h"

#define RECORD_MAX     (1u << 16)
#define DATA_FILES_MAX 65536

static struct reader *create(const char *name, struct reader_options options)
{
	struct reader *rd = xcalloc(1, sizeof(*rd));

	rd->source.ops = &reader_ops;
	rd->env = env_create();
	rd->options = options;
	rd->name = xstrdup(name);
	rd->scratch = xmalloc(RECORD_MAX);
	return rd;
}

static void destroyp(struct reader **rd)
{
	if (*rd)
		source_destroy(&(*rd)->source);
}

static void add_input(struct reader *rd, struct input in)
{
	vec_push(&rd->inputs, in);
}

/* The file form over bytes in memory. */
static struct strobe_error *open_file_form(struct reader *rd)
{
	struct input *in = &rd->inputs.data[0];
	const struct file_header *h = &rd->header;

	TRY(header_load(rd, in->data, in->size));
	if (h->data_offset > in->size)
		return error_create(ERROR_TRUNCATED, "%s: its data should begin at %" PRIu64 ", the file has %" PRIu64 " bytes",
				    rd->name, h->data_offset, in->size);
	uint64_t room = in->size - h->data_offset;
	in->start = h->data_offset;
	rd->cut_data = !rd->unfinished && h->data_bytes > room;
	in->end = h->data_offset + (rd->unfinished || rd->cut_data ? room : h->data_bytes);
	rd->stable = !h->swapped && !rd->compressed && in->fd < 0;
	return NULL;
}

/* Decides by the first bytes. A file form in a pipe cannot be read sequentially: it is read into memory. */
static struct strobe_error *open_input(struct reader *rd)
{
	struct input *in = &rd->inputs.data[0];
	const uint8_t *p;
	size_t have;

	TRY(input_peek(in, PERF_FILE_HEADER_BYTES, &p, &have));
	if (!have)
		return error_create(ERROR_TRUNCATED, "%s is empty", rd->name);
	TRY(header_parse(rd->name, p, have, &rd->header));
	rd->env->is_pipe = rd->header.is_pipe;
	rd->env->swapped = rd->header.swapped;
	rd->env->file_version = rd->header.version;
	if (!rd->header.is_pipe) {
		if (!in->data) {
			TRY(input_peek(in, SIZE_MAX, &p, &have));
			in->data = p;
			in->size = in->end = have;
			if (in->close_fd)
				close(in->fd);
			in->close_fd = false;
			in->fd = -1;
		}
		TRY(open_file_form(rd));
	} else {
		in->start = PERF_PIPE_HEADER_BYTES;
	}
	in->pos = in->start;
	return reader_preload(rd);
}

/* Another user's file may be crafted to mislead: like perf, requires -f. */
static struct strobe_error *check_owner(const char *path, const struct stat *st, bool force)
{
	if (force || !st->st_uid || st->st_uid == geteuid())
		return NULL;
	return error_create(ERROR_PERMISSION, "%s is not owned by you or root (use -f to override)", path);
}

static struct strobe_error *add_file(struct reader *rd, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct filemap map;
	struct stat st;
	struct input in;
	const char *name = rd->options.name ? rd->options.name : path;

	if (fd < 0 || fstat(fd, &st))
		return error_errno(errno, "cannot open %s", name);
	if (rd->options.grows || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode)) {
		input_init_stream(&in, name, take_fd(fd), true);
	} else {
		TRY(check_owner(path, &st, rd->options.force));
		rd->env->file.modified_s = rd->inputs.len ? rd->env->file.modified_s : st.st_mtime;
		TRY(filemap_open_fd(&map, fd, name));
		input_init_map(&in, name, map);
		if (rd->options.sequential && !map.heap)
			input_read_from(&in, take_fd(fd));
	}
	add_input(rd, in);
	return NULL;
}

static struct strobe_error *add_stdin(struct reader *rd)
{
	struct filemap map;
	struct stat st;
	struct input in;

	if (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode) && !lseek(STDIN_FILENO, 0, SEEK_CUR)) {
		rd->env->file.modified_s = st.st_mtime;
		TRY(filemap_open_fd(&map, STDIN_FILENO, "standard input"));
		input_init_map(&in, "standard input", map);
	} else {
		input_init_stream(&in, "standard input", STDIN_FILENO, false);
	}
	add_input(rd, in);
	return NULL;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* The kcore copy made by record --kcore. */
static void find_kcore(struct reader *rd, const char *path)
{
	_cleanup_free_ char *kallsyms = xasprintf("%s/kcore_dir/kallsyms", path);
	if (!access(kallsyms, R_OK))
		rd->env->file.kcore_dir = arena_printf(&rd->env->arena, "%s/kcore_dir", path);
}

/* DIR/data has the header; DIR/data.0, data.1 … hold bare records, one file per recording thread. */
static struct strobe_error *open_directory(struct reader *rd, const char *path)
{
	VEC(uint32_t) numbers = {};
	struct strobe_error *err = NULL;
	_cleanup_free_ char *data = xasprintf("%s/data", path);

	err = add_file(rd, data);
	if (err)
		return error_prefix(err, "%s is a directory without a recording", path);
	TRY(open_input(rd));
	find_kcore(rd, path);
	DIR *dir = opendir(path);
	if (!dir)
		return error_errno(errno, "cannot list %s", path);
	for (struct dirent *d; (d = readdir(dir)) && numbers.len < DATA_FILES_MAX;) {
		uint64_t n;
		if (text_has_prefix(d->d_name, "data.") && text_to_u64(d->d_name + 5, &n) && n <= UINT32_MAX)
			vec_push(&numbers, (uint32_t)n);
	}
	closedir(dir);
	if (numbers.len)
		qsort(numbers.data, numbers.len, sizeof(*numbers.data), compare_u32);
	for (size_t i = 0; i < numbers.len && !err; i++) {
		_cleanup_free_ char *file = xasprintf("%s/data.%u", path, numbers.data[i]);
		err = add_file(rd, file);
	}
	vec_deinit(&numbers);
	return err;
}

struct strobe_error *reader_open(const char *path, struct reader_options options, struct record_source **ret)
{
	struct stat st;
	bool is_stdin = !strcmp(path, "-");
	_cleanup_(destroyp) struct reader *rd = create(is_stdin ? "standard input" : options.name ? options.name : path, options);

	if (is_stdin) {
		TRY(add_stdin(rd));
		TRY(open_input(rd));
	} else if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		TRY(open_directory(rd, path));
	} else {
		TRY(add_file(rd, path));
		TRY(open_input(rd));
	}
	*ret = &take_ptr(rd)->source;
	return NULL;
}

struct strobe_error *reader_open_mem(const void *data, size_t bytes, struct record_source **ret)
{
	_cleanup_(destroyp) struct reader *rd = create("memory", (struct reader_options){});
	struct input in;

	input_init_mem(&in, "memory", data, bytes);
	add_input(rd, in);
	TRY(open_input(rd));
	*ret = &take_ptr(rd)->source;
	return NULL;
}

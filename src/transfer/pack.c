#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "archive/tar.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "session/buildid/cached_file.h"
#include "session/buildid/recorded_files.h"
#include "session/foreign_files.h"
#include "session/input.h"
#include "sys/sys.h"
#include "transfer/priv.h"

struct pack {
	const struct session_host *host;
	const struct archive_options *o;
	const char *cache_dir;
	struct tar_writer *w;
	struct foreign_files *foreign;
	unsigned packed, missing;
};

static struct strobe_error *add_link(struct pack *p, const char *hex, const char *path)
{
	_cleanup_free_ char *link = xasprintf(".build-id/%.2s/%s", hex, hex + 2);
	_cleanup_free_ char *target = xasprintf("../../%s/%s", path, hex);
	return tar_add_link(p->w, link, target);
}

static struct strobe_error *add_path(struct pack *p, const char *hex, const char *path, const char *name, const char *source)
{
	_cleanup_close_ int fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_errno(errno, "cannot open %s", source);
	_cleanup_free_ char *inside = xasprintf("%s/%s/%s", path, hex, name);
	return tar_add_file(p->w, inside, fd, source);
}

static struct strobe_error *add_bytes(struct pack *p, const char *hex, const char *path, const char *name, const void *bytes,
				      size_t n)
{
	_cleanup_free_ char *inside = xasprintf("%s/%s/%s", path, hex, name);
	TRY(add_link(p, hex, path));
	return tar_add_bytes(p->w, inside, bytes, n);
}

static struct strobe_error *add_debug(struct pack *p, const struct cached_file *file, const char *path)
{
	_cleanup_free_ char *debug = cached_file_debug(file, session_servers(p->host));
	struct archive_entry e = { .cache_dir = p->cache_dir, .path = path, .hex = file->hex, .elf = file->source, .debug = debug };
	if (debug)
		TRY(add_path(p, file->hex, path, "debug", debug));
	return archive_add_companions(p->w, &e);
}

/* Recorders put only programs into the cache: adds the debug file of one. */
static struct strobe_error *add_debug_of_cached(struct pack *p, const char *hex, const char *path, const char *elf)
{
	struct cached_file file;
	struct strobe_error *err = cached_file_open(elf, 0, &file);
	if (err) {
		error_destroy(err); /* it was packed unchanged */
		return NULL;
	}
	err = strcmp(file.hex, hex) ? NULL : add_debug(p, &file, path);
	cached_file_close(&file);
	return err;
}

/* From the cache; *ret_done false if it lacks this build ID. */
static struct strobe_error *add_cached(struct pack *p, const char *hex, const char *path, bool *ret_done)
{
	_cleanup_free_ char *elf = NULL, *debug = NULL;
	for (const char *const *name = buildid_cache_names; *name; name++) {
		_cleanup_free_ char *source = p->cache_dir ? buildid_cache_path(p->cache_dir, hex, *name) : NULL;
		if (!source || access(source, R_OK))
			continue;
		/* An entry with only markers does not count. */
		if (!*ret_done && !strcmp(*name, "probes"))
			continue;
		if (!*ret_done)
			TRY(add_link(p, hex, path));
		*ret_done = true;
		TRY(add_path(p, hex, path, *name, source));
		if (!strcmp(*name, "elf"))
			elf = take_ptr(source);
		else if (!strcmp(*name, "debug"))
			debug = take_ptr(source);
	}
	if (elf && !debug)
		return add_debug_of_cached(p, hex, path, elf);
	struct archive_entry e = { .cache_dir = p->cache_dir, .path = path, .hex = hex, .elf = elf, .debug = debug };
	return archive_add_companions(p->w, &e);
}

/* The file at its recorded path, if it is still the same. */
static struct strobe_error *add_installed(struct pack *p, const struct recorded_file *f, const char *hex, const char *path,
					  bool *ret_done)
{
	struct cached_file file;
	uint32_t pid = foreign_files_pid_of_path(p->foreign, f->path);
	struct strobe_error *err = cached_file_open(f->path, pid, &file);
	if (err && pid) {
		error_destroy(err);
		err = cached_file_open(f->path, 0, &file);
	}
	if (err || strcmp(file.hex, hex)) {
		if (!err)
			cached_file_close(&file);
		error_destroy(err);
		return NULL;
	}
	*ret_done = true;
	err = add_link(p, hex, path);
	if (!err)
		err = add_path(p, hex, path, "elf", file.source);
	if (!err)
		err = add_debug(p, &file, path);
	cached_file_close(&file);
	return err;
}

static bool is_running_kernel(const char *hex)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	char running[BUILDID_HEX_MAX];
	buildid_hex(id, object_build_id_of_notes(KERNEL_NOTES, id), running);
	return !strcmp(running, hex);
}

/* Without permission, all addresses in the list are zeros: useless. */
static bool has_addresses(const struct strbuf *kallsyms)
{
	return strspn(strbuf_str(kallsyms), "0") < strcspn(strbuf_str(kallsyms), " ") || strstr(strbuf_str(kallsyms), "\nffff");
}

static struct strobe_error *add_kernel(struct pack *p, const char *hex, const char *path, bool *ret_done)
{
	_cleanup_strbuf_ struct strbuf kallsyms = {};
	if (!is_running_kernel(hex))
		return NULL;
	TRY(sys_read(sys_live(), "/proc/kallsyms", &kallsyms, 0));
	if (!has_addresses(&kallsyms))
		return NULL;
	*ret_done = true;
	return add_bytes(p, hex, path, "kallsyms", strbuf_str(&kallsyms), kallsyms.len);
}

static struct strobe_error *add_vdso(struct pack *p, const char *hex, const char *path, bool *ret_done)
{
	size_t bytes;
	const void *image = object_own_vdso(&bytes);
	struct object *o;
	uint8_t id[OBJECT_BUILD_ID_MAX];
	char ours[BUILDID_HEX_MAX];
	if (!image)
		return NULL;
	TRY(object_open_memory(image, bytes, "[vdso]", &o));
	buildid_hex(id, object_build_id(o, id), ours);
	object_close(o);
	if (strcmp(ours, hex))
		return NULL;
	*ret_done = true;
	return add_bytes(p, hex, path, "vdso", image, bytes);
}

static struct strobe_error *add_file(struct pack *p, const struct recorded_file *f)
{
	char hex[BUILDID_HEX_MAX];
	bool done = false;
	if (!f->path)
		return NULL;
	if (!f->build_id_len) {
		if (*f->path == '/' && strncmp(f->path, "/tmp/perf-", 10)) {
			p->missing++;
			session_say(p->host, "%s was recorded without a build ID: skipped", f->path);
		}
		return NULL;
	}
	buildid_hex(f->build_id, f->build_id_len, hex);
	const char *path = f->path + (*f->path == '/');
	if (buildid_cache_is_safe(path))
		TRY(add_cached(p, hex, path, &done));
	if (!done && *f->path == '/' && buildid_cache_is_safe(path))
		TRY(add_installed(p, f, hex, path, &done));
	if (!done && !strncmp(f->path, "[kernel.", 8))
		TRY(add_kernel(p, hex, path, &done));
	if (!done && !strcmp(f->path, "[vdso]"))
		TRY(add_vdso(p, hex, path, &done));
	p->packed += done;
	p->missing += !done;
	if (!done)
		session_say(p->host, "%s (%s) is neither in the build ID cache nor at its recorded path: skipped", f->path, hex);
	else if (p->o->verbose)
		session_say(p->host, "packed: %s %s", hex, f->path);
	return NULL;
}

static struct strobe_error *add_files(struct pack *p, const struct recorded_files *files, int fd, const char *name)
{
	TRY(tar_writer_create(fd, name, packing_by_name(name), &p->w));
	for (size_t i = 0; i < files->list.len; i++)
		TRY(add_file(p, &files->list.data[i]));
	TRY(tar_writer_finish(p->w));
	return NULL;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_recorded(const struct dirent *e)
{
	return archive_is_recorded(e->d_name);
}

/* A recording that is a directory: the files that recorders create in it. */
static struct strobe_error *add_directory(struct tar_writer *all, int dir, const char *input, const char *name)
{
	struct dirent **list;
	struct strobe_error *err = NULL;
	int n = scandirat(dir, ".", &list, is_recorded, by_name);
	if (n < 0)
		return error_errno(errno, "cannot read %s", input);
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *inside = xasprintf("%s/%s", name, list[i]->d_name);
		_cleanup_close_ int fd = err ? -1 : openat(dir, list[i]->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (!err)
			err = fd < 0 ? error_errno(errno, "cannot open %s/%s", input, list[i]->d_name) :
				       tar_add_file(all, inside, fd, inside);
		free(list[i]);
	}
	free(list);
	return err;
}

static struct strobe_error *add_recording(struct tar_writer *all, const char *input)
{
	_cleanup_close_ int fd = open(input, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_free_ char *whole = fd < 0 ? NULL : realpath(input, NULL);
	struct stat st;
	if (!whole || fstat(fd, &st))
		return error_errno(errno, "cannot open %s", input);
	const char *base = text_base_name(S_ISDIR(st.st_mode) ? whole : input);
	return S_ISDIR(st.st_mode) ? add_directory(all, fd, input, base) : tar_add_file(all, base, fd, input);
}

/* The recording, and the archive of its files, in another archive. */
static struct strobe_error *add_all(struct pack *p, const struct recorded_files *files, int fd, const char *name)
{
	_cleanup_free_ char *symbols_name = xasprintf("%s.symbols", name);
	_cleanup_new_file_ struct new_file symbols = NEW_FILE_NONE; /* always deleted */
	struct tar_writer *all = NULL;
	TRY(new_file_create(symbols_name, &symbols));
	TRY(add_files(p, files, symbols.fd, SYMBOLS_NAME));
	if (lseek(symbols.fd, 0, SEEK_SET))
		return error_errno(errno, "cannot read %s", symbols_name);
	TRY(tar_writer_create(fd, name, packing_by_name(name), &all));
	struct strobe_error *err = add_recording(all, input_path(p->o->input));
	if (!err)
		err = tar_add_file(all, SYMBOLS_NAME, symbols.fd, SYMBOLS_NAME);
	if (!err)
		err = tar_writer_finish(all);
	tar_writer_destroy(all);
	return err;
}

static char *default_name(const struct archive_options *o)
{
	char host[65] = "", when[32];
	time_t now = time(NULL);
	struct tm tm;
	if (!o->all)
		return xasprintf("%s.tar.bz2", input_path(o->input));
	gethostname(host, sizeof(host) - 1);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	return xasprintf("perf.all-%s-%s.tar.bz2", host, when);
}

static struct strobe_error *write_archive(struct pack *p, const struct recorded_files *files, const char *name)
{
	_cleanup_new_file_ struct new_file archive = NEW_FILE_NONE;
	TRY(new_file_create(name, &archive));
	TRY((p->o->all ? add_all : add_files)(p, files, archive.fd, name));
	if (!p->packed && !p->o->all)
		return error_create(ERROR_NOT_FOUND, "nothing to pack: none of its files were found");
	return new_file_keep(&archive, 0600);
}

struct strobe_error *archive_pack(const struct session_host *host, const struct archive_options *o, char **ret_name)
{
	struct pack p = { .host = host, .o = o };
	struct recorded_files files = {};
	const char *input = input_path(o->input);
	*ret_name = NULL;
	if (!strcmp(input, "-"))
		return error_create(ERROR_UNSUPPORTED, "cannot pack a stream: save it to a file first");
	TRY(session_buildid_dir(host, &p.cache_dir));
	struct strobe_error *err = recorded_files_read(o->input, o->force, RECORDED_NEEDED, &files);
	if (err && err->code == ERROR_TRUNCATED && files.list.len) {
		session_say(host, "%s: packing the files for the readable part", err->message);
		error_destroy(err);
		err = NULL;
	}
	_cleanup_free_ char *name = o->output ? xstrdup(o->output) : default_name(o);
	if (!err && !files.list.len)
		err = error_create(ERROR_NOT_FOUND, "no build-ids found in %s", input);
	if (!err) {
		p.foreign = foreign_files_create(source_env(files.source), files.machine);
		err = write_archive(&p, &files, name);
	}
	if (!err)
		*ret_name = take_ptr(name);
	tar_writer_destroy(p.w);
	foreign_files_destroy(p.foreign);
	recorded_files_deinit(&files);
	return err;
}

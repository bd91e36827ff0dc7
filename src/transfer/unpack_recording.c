/* Unpacks the recording of an archive: only if its name is harmless in any directory and its content is a recording. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "perfdata/reader.h"
#include "transfer/priv.h"

bool archive_is_recorded(const char *name)
{
	if (!text_has_prefix(name, "data"))
		return false;
	return !name[4] || (name[4] == '.' && name[5] && !name[5 + strspn(name + 5, "0123456789")]);
}

/* The other files of a directory ("data.0") have no header: they begin with a record, or are empty. */
static bool is_run_of_records(int fd)
{
	struct perf_event_header h;
	ssize_t n = pread(fd, &h, sizeof(h), 0);
	if (n != sizeof(h))
		return !n;
	uint32_t type = h.type > UINT16_MAX ? __builtin_bswap32(h.type) : h.type;
	uint16_t bytes = h.type > UINT16_MAX ? __builtin_bswap16(h.size) : h.size;
	return type && type <= UINT16_MAX && bytes >= sizeof(h) && !(bytes % 8);
}

static bool is_recording(int fd, const char *path)
{
	const char *name = strchr(path, '/');
	if (name && strcmp(name, "/data"))
		return is_run_of_records(fd);
	_cleanup_error_ struct strobe_error *err = reader_check_header(fd, path);
	return !err;
}

/* "NAME", "NAME/data" or "NAME/data.0": *ret is NAME, owned by the caller. */
static bool part_recording(const char *path, char **ret)
{
	size_t n = strcspn(path, "/");
	if (!n || (path[n] && !archive_is_recorded(path + n + 1)))
		return false;
	*ret = xstrndup(path, n);
	return true;
}

/* Programs read hidden files by their name; a name that begins with "-" is an option of the next command. NULL: it may be unpacked. */
static const char *problem_of_name(const struct unpack *u, const char *name)
{
	if (*name == '.')
		return "a recording must not have a hidden name";
	if (*name == '-')
		return "a recording must not be named like an option";
	if (u->packed_name && strcmp(u->packed_name, name))
		return "the archive contains several recordings";
	return NULL;
}

static struct strobe_error *check_place(const struct unpack *u, const char *name, const char *path)
{
	struct stat st;
	/* A link could lead anywhere. */
	if (strcmp(name, path) && !lstat(name, &st) && !S_ISDIR(st.st_mode))
		return error_create(ERROR_USAGE, "%s exists and is not a directory", name);
	if (!u->o->force && (!u->recording || !strcmp(name, path)) && !lstat(path, &st))
		return error_create(ERROR_USAGE, "%s exists: unpack in another directory, or use -f to overwrite it", name);
	return NULL;
}

/*
 * Whether the recording's directory is created depends on the content: the file is first written beside it. name: of the file or
 * directory here; path: of the file.
 */
static struct strobe_error *unpack_checked(struct unpack *u, struct tar_reader *r, const struct tar_entry *e, const char *name,
					   const char *path)
{
	_cleanup_free_ char *beside = xasprintf("%s.unpacked", name);
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	TRY(check_place(u, name, path));
	TRY(new_file_create(beside, &file));
	TRY(archive_copy_content(r, file.fd, e->path));
	if (!is_recording(file.fd, e->path)) {
		archive_refuse(u, e->path, "the content is not a recording");
		return NULL;
	}
	if (strcmp(name, path) && mkdir(name, 0700) && errno != EEXIST)
		return error_errno(errno, "cannot create %s", name);
	TRY(new_file_keep_as(&file, path, 0600));
	free(u->recording);
	u->recording = xstrdup(name);
	return NULL;
}

struct strobe_error *archive_unpack_recording(struct unpack *u, struct tar_reader *r, const struct tar_entry *e, bool *ret_taken)
{
	_cleanup_free_ char *name = NULL;
	*ret_taken = part_recording(e->path, &name);
	if (!*ret_taken)
		return NULL;
	const char *problem = problem_of_name(u, name);
	if (problem) {
		archive_refuse(u, e->path, problem);
		return NULL;
	}
	const char *to = u->o->recording ? u->o->recording : name;
	_cleanup_free_ char *path = xasprintf("%s%s", to, e->path + strlen(name));
	TRY(unpack_checked(u, r, e, to, path));
	if (u->recording && !u->packed_name)
		u->packed_name = take_ptr(name);
	return NULL;
}

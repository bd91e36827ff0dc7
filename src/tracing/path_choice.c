#include "tracing/path_choice.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* Unlike text_base_name(): after a last slash there is no name. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Resolves links except in the last component, which need not exist; owned. */
static char *place_of(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	size_t n = strlen(copy);
	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	const char *name = name_of(copy);
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
		char *whole = realpath(copy, NULL);
		return whole ? whole : xstrdup(copy);
	}
	_cleanup_free_ char *directory = name == copy ? xstrdup(".") : xstrndup(copy, (size_t)(name - copy));
	_cleanup_free_ char *real = realpath(directory, NULL);
	if (!real)
		return xstrdup(copy);
	return xasprintf("%s/%s", strcmp(real, "/") ? real : "", name);
}

/* The kernel's identification of a directory. A btrfs subvolume reports a device of its own, which is not that of the file system. */
static void identify(struct stream_path *s, const char *path)
{
	struct stat st;
	struct statfs fs;
	_cleanup_free_ char *directory = xstrndup(path, (size_t)(name_of(path) - path));
	if (stat(directory, &st) || statfs(directory, &fs))
		return;
	s->directory_inode = st.st_ino;
	s->device = fs.f_type == BTRFS_SUPER_MAGIC ? 0 : major(st.st_dev) << 20 | minor(st.st_dev);
}

void path_choice_init(struct path_choice *p, const char *path)
{
	size_t n = strlen(path);
	*p = (struct path_choice){};
	if (n && path[n - 1] == '*') {
		p->given = xstrndup(path, n - 1);
		p->stream.prefix = p->given;
		return;
	}
	p->given = place_of(path);
	char *real = realpath(path, NULL);
	p->real = real ? real : xstrdup(p->given);
	p->stream.name = name_of(p->real);
	if (strcmp(p->stream.name, name_of(p->given)) != 0)
		p->stream.other = name_of(p->given);
	identify(&p->stream, p->real);
}

void path_choice_deinit(struct path_choice *p)
{
	free(p->given);
	free(p->real);
}

static bool is_file(const struct path_choice *p, const char *path)
{
	_cleanup_free_ char *place = place_of(path);
	return !strcmp(place, p->given) || !strcmp(place, p->real);
}

/* The string that was fetched for an argument, or NULL; owned. */
static char *string_of(const struct syscall_event *ev, unsigned arg)
{
	for (uint32_t i = 0; i < ev->payload.nr; i++)
		if (ev->payload.piece[i].arg == arg && ev->payload.piece[i].part == SYSCALL_PART_WHOLE)
			return xstrndup((const char *)ev->payload.piece[i].data, ev->payload.piece[i].bytes);
	return NULL;
}

/* A path is relative to the directory of the argument before it, or to the working directory. */
static bool has_argument(const struct path_choice *p, struct open_files *f, const struct syscall_event *ev, unsigned arg)
{
	_cleanup_free_ char *text = string_of(ev, arg);
	if (!text || !*text)
		return false;
	if (*text == '/')
		return is_file(p, text);
	int at = arg && (ev->desc->fd_args >> (arg - 1) & 1) ? (int32_t)ev->arg[arg - 1] : AT_FDCWD;
	const char *directory = open_files_path(f, ev->pid, at);
	if (!directory)
		return false;
	_cleanup_free_ char *path = xasprintf("%s/%s", directory, text);
	return is_file(p, path);
}

bool path_choice_has(const struct path_choice *p, struct open_files *f, const struct syscall_event *ev)
{
	open_files_take(f, ev);
	for (unsigned i = 0; i < ev->desc->plan.steps_nr; i++)
		if (ev->desc->plan.step[i].what == SYSCALL_FETCH_STRING && has_argument(p, f, ev, ev->desc->plan.step[i].arg))
			return true;
	if (ev->desc->fds != SYSCALL_FDS_MOVED)
		return false;
	/* The process is in that directory already. */
	const char *directory = open_files_path(f, ev->pid, AT_FDCWD);
	return directory && is_file(p, directory);
}

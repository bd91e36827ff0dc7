#include "pprof/files.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBERS_MAX 10000

struct strobe_error *pprof_new_file(struct arena *arena, const char *stem, const char *suffix, const char **ret)
{
	for (unsigned i = 1; i < NUMBERS_MAX; i++) {
		const char *path = arena_printf(arena, "%s%03u.%s", stem, i, suffix);
		int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
		if (fd >= 0) {
			close(fd);
			*ret = path;
			return NULL;
		}
		if (errno != EEXIST)
			return error_errno(errno, "cannot create %s", path);
	}
	return error_create(ERROR_LIMIT, "too many files %sNNN.%s", stem, suffix);
}

struct strobe_error *pprof_temporary_file(struct arena *arena, const char *suffix, const char **ret)
{
	const char *dir = getenv("TMPDIR");
	char *path = arena_strdup(arena, arena_printf(arena, "%s/pprof-XXXXXX.%s", dir && *dir ? dir : "/tmp", suffix));
	int fd = mkstemps(path, (int)strlen(suffix) + 1);
	if (fd < 0)
		return error_errno(errno, "cannot create %s", path);
	close(fd);
	*ret = path;
	return NULL;
}

static struct strobe_error *saved_dir(struct arena *a, const char **ret)
{
	const char *dir = getenv("PPROF_TMPDIR"), *home = getenv("HOME");
	if (!dir || !*dir)
		dir = home ? arena_printf(a, "%s/pprof", home) : "/tmp";
	if (mkdir(dir, 0755) && errno != EEXIST)
		return error_errno(errno, "cannot create %s", dir);
	*ret = dir;
	return NULL;
}

static const char *saved_name(struct arena *a, const struct profile *p)
{
	const char *name = "pprof.";
	if (p->mappings.len && p->mappings.data[0].name)
		name = arena_printf(a, "%s%s.", name, profile_str(p, p->mappings.data[0].name));
	for (size_t i = 0; i < p->events.len; i++)
		name = arena_printf(a, "%s%s.", name, profile_event_name(p, i));
	char *safe = arena_strdup(a, name);
	for (char *at = safe; *at; at++)
		if (*at == '/' || (unsigned char)*at < ' ')
			*at = '_';
	return safe;
}

struct strobe_error *pprof_saved_file(struct arena *arena, const struct profile *p, const char **ret)
{
	const char *dir;
	TRY(saved_dir(arena, &dir));
	return pprof_new_file(arena, arena_printf(arena, "%s/%s", dir, saved_name(arena, p)), "pb.gz", ret);
}

struct strobe_error *pprof_view_file(struct arena *arena, const char *viewers, const char *path, bool waits)
{
	char *rest = NULL, *names = arena_strdup(arena, viewers);
	for (char *name = strtok_r(names, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
		pid_t pid;
		char *const argv[] = { name, (char *)path, NULL };
		if (posix_spawnp(&pid, name, NULL, NULL, argv, environ))
			continue;
		while (waits && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return NULL;
	}
	return error_create(ERROR_NOT_FOUND, "wrote %s, but no program to show it was found (%s)", path, viewers);
}
